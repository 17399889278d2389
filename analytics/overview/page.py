"""The first page of figures: how far the study is, what it agrees on, what is doubtful."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics.agreement import page as dashboard
from analytics.agreement.numbers import Comparison, CriterionLine, Kind, RaterLine, Report
from analytics.agreement.page import Dashboard, leading
from analytics.agreement.places import ComparisonPlace, estimate_of, place_of
from analytics.present.words import Figure, number, reason_name, who
from analytics.ratings.matrices import View
from annotation.models import Study
from annotation.queries.rounds import RoundStatus, rounds_of
from annotation.queries.wording import said
from annotation.rubric.schema import Rubric

_SHADES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressCount:
    """How many of the items have something; `more` says more of it."""

    name: str
    n: int
    of: int
    more: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundLine:
    """A round, its state, and its Fleiss' kappa beside its gate; None before it is known."""

    status: RoundStatus
    kappa: str | None
    low: str | None
    high: str | None
    gate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GlanceCell:
    """The leading statistic of people or a judge; `shade` from 0 to 5 goes by its value."""

    figure: Figure
    place: ComparisonPlace
    bias: Figure | None
    shade: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GlanceRow:
    """One criterion: people among themselves, then each judge by name with them; None where they
    cannot be compared."""

    key: str
    name: str
    statistic: str
    is_group: bool
    people: GlanceCell | None
    judges: tuple[tuple[str, GlanceCell | None], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """What a study has that counts in no figure by default; `how` says by what reasons."""

    name: str
    n: str
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WithAndWithout:
    """One comparison in every view that differs: (what it is called, the figure); `change` is the
    plain less the released value."""

    who: str
    place: ComparisonPlace
    figures: tuple[tuple[str, Figure | None], ...]
    change: str

    @property
    def is_alike(self) -> bool:
        """Whether all views show the same."""
        return len({figure and figure.text for _name, figure in self.figures}) == 1


@dataclass(frozen=True, slots=True, kw_only=True)
class WithAndWithoutPart:
    """The comparisons of one criterion by its leading statistic, as far as they are alike: those
    that doubtful values change, or those that they do not."""

    name: str
    statistic: str
    lines: tuple[WithAndWithout, ...]


@dataclass(frozen=True, kw_only=True)
class AnswerOverview:
    """The page in one view; `dashboard` has what all pages of agreement share."""

    dashboard: Dashboard
    rounds: tuple[RoundLine, ...]

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
    def glance(self) -> list[GlanceRow]:
        return [self._glance_row(line) for line in self.report.criteria]

    @property
    def has_ceiling(self) -> bool:
        """Whether people can be compared with one another at all."""
        return any(row.people for row in self.glance)

    def _glance_row(self, line: CriterionLine) -> GlanceRow:
        found = [one for one in self.report.comparisons if one.criterion == line.key]
        family = leading(self.report, line)
        people = next((one for one in found if one.kind is Kind.HUMANS), None)
        by_judge = {one.raters[-1]: one for one in found if one.kind is Kind.JUDGE_HUMANS}
        return GlanceRow(
            key=line.key,
            name=said(line.name),
            statistic=dashboard.family_name(family),
            is_group=line.is_group,
            people=self._cell(people, family),
            judges=tuple(
                (judge.name, self._cell(by_judge.get(judge.id), family)) for judge in self.judges
            ),
        )

    def _cell(self, comparison: Comparison | None, family: str) -> GlanceCell | None:
        if comparison is None:
            return None
        estimate = estimate_of(self.report, comparison, family)
        if estimate is None:
            return None
        bias = estimate_of(self.report, comparison, "bias")
        return GlanceCell(
            figure=self.dashboard.figure_of(estimate),
            place=place_of(comparison),
            bias=bias and self.dashboard.figure_of(bias),
            shade=_shade(estimate.value),
        )

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
                how="; ".join(f"{n:,} {reason_name(reason)}" for reason, n in by_reason),
            ),
            Doubt(
                name=_("Values off the scale"),
                n=f"{self.report.n_off_scale:,}",
                how="; ".join(off_scale),
            ),
            Doubt(name=_("Items set aside"), n=f"{self.report.n_quarantined:,}", how=""),
        ]

    @property
    def with_and_without(self) -> list[WithAndWithoutPart]:
        """The leading figures that differ between views; nothing where there is one view only."""
        return self._parts(are_alike=False)

    @property
    def the_same_without(self) -> list[WithAndWithoutPart]:
        """The leading figures that are the same in every view, as far as they are shown."""
        return self._parts(are_alike=True)

    def _parts(self, *, are_alike: bool) -> list[WithAndWithoutPart]:
        found = [
            replace(part, lines=tuple(one for one in part.lines if one.is_alike == are_alike))
            for part in self._every_part
        ]
        return [part for part in found if part.lines]

    @cached_property
    def _every_part(self) -> list[WithAndWithoutPart]:
        if len(self.dashboard.views) < 2:
            return []
        return [self._part(line) for line in self.report.criteria]

    def _part(self, line: CriterionLine) -> WithAndWithoutPart:
        family = leading(self.report, line)
        return WithAndWithoutPart(
            name=said(line.name),
            statistic=dashboard.family_name(family),
            lines=tuple(
                self._in_every_view(one, family)
                for one in self.dashboard.reports[self.dashboard.views[0]].comparisons
                if one.criterion == line.key and one.kind in (Kind.HUMANS, Kind.JUDGE_HUMANS)
            ),
        )

    def _in_every_view(self, comparison: Comparison, family: str) -> WithAndWithout:
        place = place_of(comparison)
        estimates = [
            estimate_of(report, found[0], family) if found else None
            for report in (self.dashboard.reports[view] for view in self.dashboard.views)
            for found in [[one for one in report.comparisons if place_of(one) == place]]
        ]
        first, last = estimates[0], estimates[-1]
        names = [name for name, _is_current in self.dashboard.view_names]
        figures = [one and self.dashboard.figure_of(one) for one in estimates]
        return WithAndWithout(
            who=who(comparison, self.report),
            place=place,
            figures=tuple(zip(names, figures, strict=True)),
            change=_change(first and first.value, last and last.value),
        )


def overview(
    study: Study, found: Mapping[View, Report], rubric: Rubric, *, view: View
) -> AnswerOverview:
    """The page of a study whose figures are `found`."""
    shown = dashboard.dashboard(found, rubric, view=view, criterion="", statistic="")
    return AnswerOverview(dashboard=shown, rounds=tuple(_round_lines(rounds_of(study))))


def _round_lines(statuses: Iterable[RoundStatus]) -> Iterable[RoundLine]:
    for status in statuses:
        one = status.round
        yield RoundLine(
            status=status,
            kappa=number(one.kappa, "fleiss"),
            low=number(one.kappa_low, "fleiss"),
            high=number(one.kappa_high, "fleiss"),
            gate=number(one.gate, "fleiss") or "",
        )


def _change(first: float | None, last: float | None) -> str:
    if first is None or last is None:
        return ""
    return number(last - first, "bias") or ""


def _shade(value: float | None) -> int:
    return min(_SHADES, max(0, math.ceil(_SHADES * value))) if value is not None else 0
