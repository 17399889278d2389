"""What the planner says: how far the data reach, and what a narrower interval takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics.measures import SHARES
from analytics.plan.numbers import AgreementNow, PlanReport, PositivesNow
from analytics.present.words import Figure, Footnoted, counted, cut_name, figure, without_a_miss
from analytics.safety.numbers import usual_cut
from analytics.stats.estimates import Estimate
from analytics.stats.planning import (
    Needed,
    items_for_icc,
    needed_for_width,
    positives_for_miss_rate,
    positives_for_share,
    raters_for_icc,
    raters_for_mean,
)
from annotation.queries.wording import said
from annotation.rubric.schema import Rubric

RELIABILITY = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A number that a reader may choose: shown as it was typed, used where it makes sense."""

    name: str
    label: str
    typed: str
    value: float
    low: float
    high: float
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementRow:
    """One comparison now, and what the width takes by either reckoning."""

    who: str
    figure: Figure
    width: str
    bonett: str
    scaled: str
    raters: str
    mean_of: str
    sentence: str
    is_reached: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    criterion: str
    rows: tuple[AgreementRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PositivesRow:
    """How well the share of items found is known, and what more it takes."""

    criterion: str
    counts: str
    judge: str
    figure: Figure
    seen: str
    needed: str
    sentence: str
    no_miss: str


@dataclass(frozen=True, kw_only=True)
class Plan(Footnoted):
    """The planner for a width, a reach of sensitivity and a miss rate."""

    report: PlanReport
    rubric: Rubric
    width: Asked
    reach: Asked
    miss: Asked

    @property
    def computed_at(self) -> datetime:
        return self.report.computed_at

    @property
    def asked(self) -> tuple[Asked, ...]:
        return self.width, self.reach, self.miss

    @property
    def problems(self) -> list[str]:
        return [one.problem for one in self.asked if one.problem]

    @property
    def made_of(self) -> str:
        report = self.report
        return counted(report.n_items, report.n_dialogues, n_set_aside=report.n_set_aside)

    @cached_property
    def sections(self) -> list[Section]:
        found = []
        for line in self.report.criteria:
            rows = [self._row(one) for one in self.report.agreement if one.criterion == line.key]
            if rows:
                found.append(Section(criterion=said(line.name), rows=tuple(rows)))
        return found

    @property
    def headline(self) -> str:
        """The one sentence: what the comparison farthest from the width takes."""
        needed = [needed_for_width(one.estimate, self.width.value) for one in self.report.agreement]
        known = [one for one in needed if one]
        if not known:
            return _("Nothing can be planned yet: no comparison has an interval.")
        most = max(known, key=lambda one: one.more_items)
        if not most.more_items:
            return _("Every interval there is, is already no wider than %(width)s.") % {
                "width": f"{self.width.value:g}"
            }
        open_ones = sum(one.more_items > 0 for one in known)
        return ngettext(
            "%(open)s of %(all)s comparison needs more: the farthest from the width about "
            "%(more)s.",
            "%(open)s of %(all)s comparisons need more: the one farthest from the width about "
            "%(more)s.",
            open_ones,
        ) % {"open": open_ones, "all": len(known), "more": _more(most)}

    @cached_property
    def positives(self) -> list[PositivesRow]:
        return [self._positives(one) for one in self.report.positives]

    @property
    def without_a_miss(self) -> str:
        return without_a_miss(self.miss.value)

    def _row(self, one: AgreementNow) -> AgreementRow:
        needed = needed_for_width(one.estimate, self.width.value)
        people = one.judge is None
        return AgreementRow(
            who=_("People among themselves")
            if people
            else _("%(judge)s and people") % {"judge": self.report.judges[one.judge]},
            figure=figure(one.estimate, self.footnotes),
            width=_width(one.estimate),
            bonett=self._bonett(one),
            scaled=f"{needed.n_items:,}" if needed else "",
            raters=self._raters(one) if people else "",
            mean_of=self._mean_of(one) if people else "",
            sentence=self._sentence(one.estimate, needed),
            is_reached=needed is not None and not needed.more_items,
        )

    def _bonett(self, one: AgreementNow) -> str:
        if one.icc is None or not 0 <= one.icc < 1:
            return ""
        raters = max(2, round(one.raters_per_item))
        return f"{round(items_for_icc(one.icc, raters, self.width.value)):,}"

    def _raters(self, one: AgreementNow) -> str:
        if one.icc is None or not 0 <= one.icc < 1:
            return ""
        raters = raters_for_icc(one.icc, one.estimate.n_items, self.width.value)
        return _("never enough") if raters is None else f"{raters}"

    def _mean_of(self, one: AgreementNow) -> str:
        if one.icc is None or not 0 < one.icc < 1:
            return ""
        return f"{raters_for_mean(one.icc, RELIABILITY)}"

    def _sentence(self, estimate: Estimate, needed: Needed | None) -> str:
        if needed is None and estimate.low is not None:
            return _("Out of reach: more items than anyone will rate.")
        if needed is None:
            reason = _(estimate.notes[0].sentence) if estimate.notes else ""
            return _("Cannot be planned yet.") + " " + reason
        if not needed.more_items:
            return _("Narrow enough already.")
        return _("About %(more)s.") % {"more": _more(needed)}

    def _positives(self, one: PositivesNow) -> PositivesRow:
        screened = next(each for each in self.report.screened if each.line.key == one.criterion)
        positives = one.sensitivity.n_items
        needed = self._needed_positives(one)
        return PositivesRow(
            criterion=said(screened.line.name),
            counts=cut_name(self.rubric, screened, usual_cut(screened)),
            judge=self.report.judges[one.judge],
            figure=figure(one.sensitivity, self.footnotes),
            seen=_("%(n)s seen, %(missed)s missed")
            % {"n": f"{positives:,}", "missed": f"{one.n_missed:,}"},
            needed=f"{needed:,}",
            sentence=self._more_positives(one, max(0, needed - positives)),
            no_miss=self._no_miss(one),
        )

    def _needed_positives(self, one: PositivesNow) -> int:
        """By the interval there is, or else as for items that stand alone and the worst share."""
        scaled = needed_for_width(one.sensitivity, 2 * self.reach.value)
        return scaled.n_items if scaled else positives_for_share(0.5, self.reach.value)

    def _more_positives(self, one: PositivesNow, more: int) -> str:
        if not more:
            return _("Known well enough already.")
        if not one.prevalence:
            return _("None has been flagged yet: look for such items on purpose.")
        at_random = round(more / one.prevalence)
        return _(
            "%(more)s more: about %(items)s more items drawn at random, as %(share)s are flagged."
        ) % {"more": f"{more:,}", "items": f"{at_random:,}", "share": _percent(one.prevalence)}

    def _no_miss(self, one: PositivesNow) -> str:
        seen = one.sensitivity.n_items
        if one.n_missed:
            return _("No longer possible: %(missed)s of %(n)s were missed.") % {
                "missed": f"{one.n_missed:,}",
                "n": f"{seen:,}",
            }
        found = one.sensitivity.n_clusters
        more = positives_for_miss_rate(self.miss.value) - found
        if more <= 0:
            return _("Reached.")
        if found < seen:
            return _("%(n)s more, each in another dialogue, without a miss.") % {"n": f"{more:,}"}
        return _("%(n)s more, without a miss.") % {"n": f"{more:,}"}


def plan(report: PlanReport, rubric: Rubric, choices: Mapping[str, str]) -> Plan:
    """The planner with the reader's numbers, or the usual ones."""
    return Plan(
        report=report,
        rubric=rubric,
        width=_asked(choices, "width", _("Width of the interval"), 0.2, 0.02, 1.0),
        reach=_asked(choices, "reach", _("Sensitivity, plus or minus"), 0.1, 0.01, 0.5),
        miss=_asked(choices, "miss", _("Share of misses to rule out"), 0.05, 0.001, 0.5),
    )


def _asked(
    choices: Mapping[str, str], name: str, label: str, usual: float, low: float, high: float
) -> Asked:
    typed = choices.get(name, "").strip()
    value = _number(typed) if typed else usual
    problem = ""
    if value is None or not low <= value <= high:
        problem = _("%(label)s: give a number from %(low)s to %(high)s, with a point.") % {
            "label": label,
            "low": f"{low:g}",
            "high": f"{high:g}",
        }
        value = usual
    return Asked(
        name=name,
        label=label,
        typed=typed or f"{usual:g}",
        value=value,
        low=low,
        high=high,
        problem=problem,
    )


def _number(typed: str) -> float | None:
    try:
        return float(typed)
    except ValueError:
        return None


def _width(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    if estimate.statistic in SHARES:
        return _percent(estimate.high - estimate.low)
    return f"{estimate.high - estimate.low:.2f}"


def _more(needed: Needed) -> str:
    """“120 more items in 40 more dialogues”."""
    items = ngettext("%(n)s more item", "%(n)s more items", needed.more_items) % {
        "n": f"{needed.more_items:,}"
    }
    if needed.n_items == needed.n_clusters:
        return items
    return ngettext(
        "%(items)s in %(n)s more dialogue",
        "%(items)s in %(n)s more dialogues",
        needed.more_clusters,
    ) % {"items": items, "n": f"{needed.more_clusters:,}"}


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
