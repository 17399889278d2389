"""The first page of figures: what judges may be used for, what that rests on, what is doubtful."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.functional import cached_property
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.punctuation import in_turn, running
from analytics.agreement import page as agreement
from analytics.agreement.numbers import CriterionLine, RaterLine, Report
from analytics.agreement.page import AgreementPage
from analytics.agreement.rounds import rounds
from analytics.agreement.tables import at_a_glance
from analytics.comparisons.kinds import Kind
from analytics.overview import charts
from analytics.overview.answer import JudgeAnswer, TrustAnswer
from analytics.present.charts.beside import looks
from analytics.present.charts.showing import Chart
from analytics.present.charts.spreads import spread
from analytics.present.grid import Grid
from analytics.present.naming import Naming
from analytics.present.places import estimate_of, leading
from analytics.present.veil import veil_of
from analytics.present.words import (
    figure,
    percent,
    point_names,
    reason_name,
)
from analytics.ratings.matrices import View
from analytics.stats.estimates import Estimate
from analytics.trust.numbers import found_of_flagged
from analytics.trust.policies import Held
from analytics.trust.tables import glance, misses
from analytics.trust.words import said_missed
from annotation.queries.rounds import rounds_of
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said

_JUDGES_IN_VIEW = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressCount:
    """How many of the items have something; `more` says more of it."""

    name: str
    n: int
    of: int
    more: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadRow:
    """One criterion: each judge by name with its values beside those of people, drawn."""

    criterion: str
    cells: tuple[tuple[str, SafeString | None], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """What a study has that counts in no figure by default; `how` says by what reasons."""

    name: str
    n: str
    how: str


@dataclass(frozen=True, kw_only=True)
class AnswerOverview:
    """The page in one view; `dashboard` has what all pages of agreement share."""

    dashboard: AgreementPage
    study_access: StudyAccess
    answer: TrustAnswer
    held: Held

    @cached_property
    def charts(self) -> Mapping[str, Chart]:
        plot = charts.levels(self.report)
        return {"levels": Chart(key="levels", plot=plot)} if plot else {}

    @property
    def levels(self) -> Chart | None:
        return self.charts.get("levels")

    @property
    def symbols(self) -> list[str]:
        """The entries of the glossary that explain the picture."""
        return charts.families(self.report)

    @property
    def first_judges(self) -> list[JudgeAnswer]:
        return self.answer.by_judge[:_JUDGES_IN_VIEW]

    @property
    def more_judges(self) -> list[JudgeAnswer]:
        """Folded away, as the page would be long."""
        return self.answer.by_judge[_JUDGES_IN_VIEW:]

    @cached_property
    def lights(self) -> Grid | None:
        """The verdict on each judge and criterion at a glance; none where the page certifies nothing."""
        return self.dashboard.grid_of(
            "trust", glance(self.answer.report, self.answer.naming, self.held)
        )

    @cached_property
    def misses(self) -> Grid | None:
        return self.dashboard.grid_of(
            "trust", misses(self.answer.report, self.answer.naming, self.held)
        )

    @property
    def most_missed(self) -> str:
        """The judge that finds the smallest share, in one line."""
        known, found = min(
            found_of_flagged(self.answer.report, self.held.policy),
            key=lambda one: one[1].value or 0.0,
        )
        naming = self.answer.naming
        return _("%(judge)s on %(criterion)s: %(missed)s") % {
            "judge": naming.rater(known.judge).text,
            "criterion": naming.criterion(known.criterion).text,
            "missed": said_missed(found),
        }

    @cached_property
    def rounds(self) -> Grid | None:
        """Behind a veil without files, as `told` has none of it."""
        study, may_coordinate = self.study_access.study, self.study_access.may_coordinate
        found = rounds(rounds_of(study), self.dashboard.naming, leads_to_rounds=may_coordinate)
        shown = self.dashboard.grid(found)
        return replace(shown, files=()) if shown and veil_of(self.study_access) else shown

    @property
    def progress(self) -> str:
        """How far the study is, in one line."""
        return in_turn(f"{one.name} {one.n:,} / {one.of:,}" for one in self.counts)

    @property
    def people(self) -> str:
        """How well people agree, which is what a judge is read beside: only what one statistic says
        of several criteria is compared, and where there is an interval."""
        found = [
            (said(line.name), estimate)
            for line in self.report.criteria
            if not line.is_group
            for one in self.report.comparisons
            if one.criterion == line.key and one.kind is Kind.HUMANS
            for estimate in [estimate_of(self.report, one, leading(self.report, line))]
            if estimate and estimate.low is not None
        ]
        if not self.report.progress.n_by_two:
            return _(
                "No item has been rated by two people, so nobody knows how good a judge could be."
            )
        alike: dict[str, list[tuple[str, Estimate]]] = {}
        for name, estimate in found:
            alike.setdefault(estimate.statistic, []).append((name, estimate))
        if not alike:
            return _(
                "The items that two people rated are too few, or rated too much alike, to tell how well "
                "people agree with one another."
            )
        return running(map(_of_people, alike.values()))

    @cached_property
    def spreads(self) -> list[SpreadRow]:
        """How often people and each judge give which value, over the items both rated."""
        rows = [
            SpreadRow(
                criterion=said(line.name),
                cells=tuple((judge.name, self._spread(line, judge.id)) for judge in self.judges),
            )
            for line in self.report.criteria
            if not line.is_group
        ]
        return [row for row in rows if any(drawing for _judge, drawing in row.cells)]

    def _spread(self, line: CriterionLine, judge: int) -> SafeString | None:
        found = next(
            (
                one.table
                for one in self.report.comparisons
                if (one.criterion, one.kind, one.raters[-1]) == (line.key, Kind.JUDGE_HUMANS, judge)
            ),
            None,
        )
        n = sum(map(sum, found or ()))
        if not found or not n:
            return None
        people = [sum(row) / n for row in found]
        judged = [sum(column) / n for column in zip(*found, strict=True)]
        names = point_names(self.dashboard.naming.rubric, line.key, line.points)
        shares = [
            _("%(value)s: people %(people)s, judge %(judge)s")
            % {"value": name, "people": percent(one), "judge": percent(other)}
            for name, one, other in zip(names, people, judged, strict=True)
        ]
        pairs = ngettext("%(n)s pair", "%(n)s pairs", n) % {"n": f"{n:,}"}
        return spread(
            people, judged, look=looks(self.report)[judge], says=in_turn([*shares, pairs])
        )

    @property
    def report(self) -> Report:
        return self.dashboard.report

    @property
    def counts(self) -> list[ProgressCount]:
        """Nothing is counted here that the study does without."""
        made, of = self.report.progress, self.report.n_items
        n_people = sum(not rater.is_judge for rater in self.report.raters)
        people = ngettext("%(n)s person", "%(n)s people", n_people) % {"n": n_people}
        judges = ngettext("%(n)s judge", "%(n)s judges", len(self.judges)) % {"n": len(self.judges)}
        by_two = ngettext(
            "%(people)s; %(n)s item by two or more",
            "%(people)s; %(n)s items by two or more",
            made.n_by_two,
        )
        twice = by_two % {"people": people, "n": f"{made.n_by_two:,}"}
        found = [ProgressCount(name=_("Rated by people"), n=made.n_by_person, of=of, more=twice)]
        if self.judges:
            found.append(
                ProgressCount(name=_("Rated by judges"), n=made.n_by_judge, of=of, more=judges)
            )
        if made.n_with_gold:
            found.append(ProgressCount(name=_("With gold"), n=made.n_with_gold, of=of, more=""))
        return found

    @property
    def judges(self) -> list[RaterLine]:
        return [rater for rater in self.report.raters if rater.is_judge]

    @cached_property
    def glance(self) -> Grid | None:
        return self.dashboard.grid(at_a_glance(self.report, self.dashboard.naming))

    @property
    def doubts(self) -> list[Doubt]:
        """What is counted and never guessed, each with its number, those of zero too."""
        unscored: dict[str, int] = {}
        for line in self.report.quality:
            for reason, n in line.unscored.items():
                unscored[reason] = unscored.get(reason, 0) + n
        by_reason = sorted(unscored.items(), key=lambda pair: -pair[1])
        names = {rater.id: rater.name for rater in self.report.raters}
        off_scale = [
            f"{names[line.rater]} {line.n_off_scale:,}"
            for line in self.report.quality
            if line.n_off_scale
        ]
        return [
            Doubt(
                name=_("Ratings without a value"),
                n=f"{sum(unscored.values()):,}",
                how=in_turn(f"{n:,} {reason_name(reason)}" for reason, n in by_reason),
            ),
            Doubt(
                name=_("Values off the scale"),
                n=f"{self.report.n_off_scale:,}",
                how=in_turn(off_scale),
            ),
            Doubt(name=_("Items set aside"), n=f"{self.report.n_quarantined:,}", how=""),
        ]

    @property
    def doubtful(self) -> str:
        """All of it in one line."""
        return in_turn(f"{doubt.name} {doubt.n}" for doubt in self.doubts)

    @property
    def with_and_without(self) -> Grid | None:
        """The leading figures that differ between views; nothing where there is one view only."""
        return self.dashboard.with_and_without

    @property
    def the_same_without(self) -> Grid | None:
        """The leading figures that are the same in every view, as far as they are shown."""
        return self.dashboard.the_same_without


def overview(
    study_access: StudyAccess,
    found: Mapping[View, Report],
    naming: Naming,
    *,
    view: View,
    answer: TrustAnswer,
    held: Held,
) -> AnswerOverview:
    """The page of a study whose figures are `found`."""
    return AnswerOverview(
        dashboard=agreement.page(found, naming, {}, view=view),
        study_access=study_access,
        answer=answer,
        held=held,
    )


def _of_people(found: Sequence[tuple[str, Estimate]]) -> str:
    """Where people agree most and least by one statistic: (criterion, estimate) of each."""
    least, low = min(found, key=lambda one: one[1].value or 0.0)
    most, high = max(found, key=lambda one: one[1].value or 0.0)
    words = {"least": least, "low": _brief(low), "most": most, "high": _brief(high)}
    if len(found) == 1:
        return _("People agree with one another on %(least)s by %(low)s.") % words
    sentence = _(
        "People agree with one another most on %(most)s, by %(high)s, and least on "
        "%(least)s, by %(low)s."
    )
    return sentence % words


def _brief(estimate: Estimate) -> str:
    shown = figure(estimate)
    return f"{shown.name} {shown.brief}"
