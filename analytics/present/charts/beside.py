"""Judges and people beside one another, drawn: the same for a page and for paper."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.punctuation import clauses, headed, in_turn, running
from analytics.agreement.numbers import CriterionLine, RaterLine, Report
from analytics.comparisons.kinds import Comparison, Kind
from analytics.comparisons.systems import SystemComparison
from analytics.measures import FAMILY_NAMES
from analytics.present.charts.bland_altman import Bubble, Level, bland_altman_plot
from analytics.present.charts.curves import Step, curve_beside_people
from analytics.present.charts.forest import Band, ForestLine, ends_of, forest_plot
from analytics.present.charts.grids import GridMark, confusion_grid
from analytics.present.charts.looks import PEOPLE, Look, looks_of
from analytics.present.charts.parts import Spec, roomy
from analytics.present.charts.systems import Mean, systems_plot
from analytics.present.places import ALL, ComparisonPlace, estimate_of, place_of
from analytics.present.viewing import items_of
from analytics.present.words import figure, number, point_names
from analytics.ratings.matrices import View
from analytics.stats.estimates import Estimate
from analytics.stats.severity import AtLevel
from annotation.queries.wording import said
from annotation.rubric.schema import Rubric

_SIGNED = ("bias",)
_LINES = ("bias", "loa_low", "loa_high")


class NamedMark(Protocol):
    """A report that says who rated what."""

    @property
    def view(self) -> View: ...
    @property
    def raters(self) -> tuple[RaterLine, ...]: ...
    @property
    def criteria(self) -> tuple[CriterionLine, ...]: ...


class Bubbles(Protocol):
    """`n` pairs of ratings with this mean and this difference."""

    @property
    def mean(self) -> float: ...
    @property
    def difference(self) -> float: ...
    @property
    def n(self) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideMark:
    """A judge beside people or gold on one criterion: names, look, and where the items are."""

    criterion: str
    judge: str
    reference: str
    look: Look
    points: tuple[float, ...]
    view: View
    place: ComparisonPlace

    @property
    def words(self) -> Mapping[str, str]:
        return {"judge": self.judge, "reference": self.reference, "criterion": self.criterion}

    def items(self, row: float, column: float | None = None) -> str:
        """The items that the reference gave this, and the judge that; none off the scale."""
        return self._items(self.place, {"row": row, "column": column})

    def items_of_people(self, row: float) -> str:
        """The items that somebody gave this and somebody else rated, too."""
        among_them = ComparisonPlace(self.place.criterion, Kind.HUMANS.value, ALL)
        return self._items(among_them, {"row": row})

    def _items(self, place: ComparisonPlace, chosen: Mapping[str, float | None]) -> str:
        wanted = {name: point for name, point in chosen.items() if point is not None}
        if not set(wanted.values()) <= set(self.points):
            return ""
        return items_of(self.view, *place, **{name: f"{point:g}" for name, point in wanted.items()})


def beside(report: NamedMark, comparison: Comparison) -> BesideMark:
    """How a comparison of a judge is drawn."""
    judge = next(one for one in report.raters if one.id == comparison.raters[-1])
    line = next(one for one in report.criteria if one.key == comparison.criterion)
    return BesideMark(
        criterion=said(line.name),
        judge=judge.name,
        reference=_("gold") if comparison.kind is Kind.JUDGE_GOLD else _("people"),
        look=looks(report)[judge.id],
        points=line.points,
        view=report.view,
        place=place_of(comparison),
    )


def looks(report: NamedMark) -> dict[int, Look]:
    """How each judge of a study is drawn."""
    return looks_of(rater.id for rater in report.raters if rater.is_judge)


def forest(report: Report, family: str) -> Spec | None:
    """A statistic of people and judges, criterion by criterion; None where nobody has it."""
    found = [
        (one, estimate)
        for one in report.comparisons
        if one.kind in (Kind.HUMANS, Kind.JUDGE_HUMANS)
        and (estimate := estimate_of(report, one, family))
        and estimate.value is not None
    ]
    if not found:
        return None
    name = str(FAMILY_NAMES[family])
    has_people = any(one.kind is Kind.HUMANS for one, _estimate in found)
    title = _("%(statistic)s of people and judges") if has_people else _("%(statistic)s of judges")
    title = running([title % {"statistic": name}])
    lines = [_line(report, one, estimate) for one, estimate in found]
    known = {one.id: one.name for one in report.raters if one.is_judge}
    return forest_plot(
        lines,
        list(_bands(report, found)),
        {_people(): PEOPLE} | {known[judge]: look for judge, look in looks(report).items()},
        ends=_around_zero(lines) if family in _SIGNED else ends_of(lines),
        title=title,
        says=headed(title, in_turn(line.says for line in lines)),
        x_name=name,
        y_name=_("Criterion"),
        who=_("Rater"),
    )


def severity(
    of: BesideMark, levels: Sequence[AtLevel], levels_of_people: Sequence[AtLevel]
) -> Spec | None:
    """How far the judge is off at each rating of the others; None below two such ratings."""
    steps = list(_steps(of, levels, of.judge, of.items))
    if len(steps) < 2:
        return None
    title = _("%(judge)s minus %(reference)s, at each rating by %(reference)s") % of.words
    return curve_beside_people(
        steps,
        list(_steps(of, levels_of_people, _("another person"), of.items_of_people)),
        look=of.look,
        title=of.criterion,
        says=headed(title, in_turn(step.says for step in steps)),
        x_name=_("Rating by %(reference)s") % of.words,
        y_name=_("%(judge)s minus %(reference)s") % of.words,
        has_zero=True,
    )


def bland_altman(
    of: BesideMark, bubbles: Sequence[Bubbles], differences: Mapping[str, Estimate]
) -> Spec | None:
    """Differences over means; None without a pair."""
    if not bubbles:
        return None
    shown = {name: figure(differences[name]) for name in _LINES}
    words = {name: one.text for name, one in shown.items()}
    return bland_altman_plot(
        [_bubble(of, one) for one in bubbles],
        [
            Level(
                at=estimate.value,
                low=estimate.low,
                high=estimate.high,
                words=shown[name].value or "",
                is_limit=name != "bias",
            )
            for name in _LINES
            if (estimate := differences[name]).value is not None
        ],
        look=of.look,
        title=of.criterion,
        says=_(
            "Bland-Altman plot. Mean difference %(bias)s; limits of agreement %(loa_low)s and "
            "%(loa_high)s."
        )
        % words,
        x_name=_("Mean of %(judge)s and %(reference)s") % of.words,
        y_name=_("%(judge)s minus %(reference)s") % of.words,
    )


def confusion(of: BesideMark, comparison: Comparison, rubric: Rubric) -> Spec:
    """How often which values meet, in a table with the shares of its rows."""
    names = point_names(rubric, comparison.criterion, of.points)
    table = comparison.table or ()
    cells = [
        _count(of, names, row, column, n, sum(counts))
        for row, counts in enumerate(table)
        for column, n in enumerate(counts)
    ]
    return confusion_grid(
        names,
        cells,
        title=of.criterion,
        says=in_turn(cell.says for cell in cells if cell.n),
        x_name=of.judge,
        y_name=of.reference,
    )


def systems(report: NamedMark, line: SystemComparison) -> Spec:
    """The mean of each generator by people and by the judge."""
    judge = next(one for one in report.raters if one.id == line.judge)
    criterion = next(one for one in report.criteria if one.key == line.criterion)
    means = [
        _mean(system, letter(place), people, judged, n)
        for place, (system, (people, judged), n) in enumerate(
            zip(line.systems, line.means, line.n_pairs, strict=True)
        )
    ]
    return systems_plot(
        means,
        look=looks(report)[line.judge],
        title=said(criterion.name),
        says=in_turn(one.says for one in means),
        x_name=_("Mean by people"),
        y_name=_("Mean by %(judge)s") % {"judge": judge.name},
    )


def letter(place: int) -> str:
    """What stands beside the mark of a generator."""
    return chr(ord("a") + place % 26)


def _people() -> str:
    return _("People among themselves")


def _line(report: Report, one: Comparison, estimate: Estimate) -> ForestLine:
    names = {rater.id: rater.name for rater in report.raters}
    criterion = next(line for line in report.criteria if line.key == one.criterion)
    who = _people() if one.kind is Kind.HUMANS else names[one.raters[-1]]
    shown = figure(estimate)
    return ForestLine(
        criterion=said(criterion.name),
        who=who,
        value=estimate.value or 0.0,
        low=estimate.low,
        high=estimate.high,
        n=estimate.n_items,
        says=_told(clauses((said(criterion.name), who)), shown.text, shown.n),
        href=items_of(report.view, *place_of(one)),
    )


def _bands(report: Report, found: Sequence[tuple[Comparison, Estimate]]) -> Iterator[Band]:
    for one, estimate in found:
        if one.kind is Kind.HUMANS and estimate.low is not None and estimate.high is not None:
            line = _line(report, one, estimate)
            yield Band(
                criterion=line.criterion, low=estimate.low, high=estimate.high, says=line.says
            )


def _around_zero(lines: Sequence[ForestLine]) -> tuple[float, float]:
    ends = [end for one in lines for end in (one.value, one.low, one.high) if end is not None]
    return roomy([0.0, *ends])


def _steps(
    of: BesideMark, levels: Sequence[AtLevel], who: str, items: Callable[[float], str]
) -> Iterator[Step]:
    for one in levels:
        if one.gap.value is not None:
            shown = figure(one.gap)
            at = _("%(level)s by %(reference)s, %(who)s") % {
                "level": f"{one.level:g}",
                "reference": of.reference,
                "who": who,
            }
            yield Step(
                at=one.level,
                value=one.gap.value,
                low=one.gap.low,
                high=one.gap.high,
                n=one.gap.n_pairs,
                says=_told(at, shown.text, shown.n),
                href=items(one.level),
            )


def _bubble(of: BesideMark, one: Bubbles) -> Bubble:
    given, judged = one.mean - one.difference / 2, one.mean + one.difference / 2
    pairs = ngettext("%(n)s pair", "%(n)s pairs", one.n) % {"n": f"{one.n:,}"}
    words = {"given": f"{given:g}", "judged": f"{judged:g}", **of.words}
    return Bubble(
        mean=one.mean,
        difference=one.difference,
        n=one.n,
        says=_told(
            _("%(reference)s %(given)s, %(judge)s %(judged)s") % words,
            number(one.difference, "bias") or "",
            pairs,
        ),
        href=of.items(given, judged),
    )


def _count(
    of: BesideMark, names: Sequence[str], row: int, column: int, n: int, whole: int
) -> GridMark:
    words = {"given": names[row], "judged": names[column], "n": f"{n:,}", "whole": f"{whole:,}"}
    return GridMark(
        row=names[row],
        column=names[column],
        value=n,
        shade=n / whole if whole else 0.0,
        words=f"{n:,}" if n else "",
        small="",
        n=n,
        is_same=row == column,
        says=_("%(reference)s %(given)s, %(judge)s %(judged)s: %(n)s of %(whole)s")
        % {**of.words, **words},
        href=of.items(of.points[row], of.points[column]) if n else "",
    )


def _mean(system: str, beside: str, people: float, judged: float, n: int) -> Mean:
    pairs = ngettext("%(n)s pair", "%(n)s pairs", n) % {"n": f"{n:,}"}
    words = {
        "pairs": pairs,
        "letter": beside,
        "system": system,
        "people": number(people, ""),
        "judge": number(judged, ""),
    }
    return Mean(
        system=system,
        letter=beside,
        people=people,
        judge=judged,
        n=n,
        says=_("%(letter)s, %(system)s: people %(people)s, judge %(judge)s; %(pairs)s") % words,
    )


def _told(what: str, value: str, n: str) -> str:
    return _("%(what)s: %(value)s; %(n)s") % {"what": what, "value": value, "n": n}
