"""Figures in the words of the page: numbers with their interval, notes, reasons, methods."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.punctuation import listed
from analytics.agreement.numbers import CriterionLine, Report
from analytics.comparisons.kinds import Comparison, Kind
from analytics.measures import FAMILY_NAMES, NAMES, SHARES, SIGNED
from analytics.safety.numbers import Cut, CutKind, FlagReference, Screened
from analytics.stats.estimates import Estimate, Note, Severity
from analytics.stats.intervals import (
    COST_METHOD,
    F_METHOD,
    LATENT_METHOD,
    NONE_IN_N_METHOD,
    PIVOTAL_METHOD,
    RECOVERED_METHOD,
    REPLICATES,
    SCORE_METHOD,
    WILSON_METHOD,
    IntervalScale,
    Unit,
    bootstrap_method,
    jackknife_method,
    runs_method,
)
from analytics.stats.planning import detectable, positives_for_miss_rate
from annotation.queries.wording import decimal, said
from annotation.rubric.schema import Group, Measurement, Rubric, Summary, Taxonomy
from annotation.rules.completeness import REASONS as CANNOT_JUDGE
from annotation.rules.completeness import CannotJudge
from judging.models import Outcome

UNSCORED = {
    "missing": gettext_lazy("missing"),
    "broken_json": gettext_lazy("not readable as JSON"),
    "not_a_number": gettext_lazy("not a number"),
    "off_scale": gettext_lazy("off the scale"),
    "unknown_label": gettext_lazy("not a label of the rubric"),
    "placeholder": gettext_lazy("a placeholder in the file"),
    "wrong_shape": gettext_lazy("not of the expected shape"),
    "jury_tied": gettext_lazy("jury tied"),
    "jury_below_quorum": gettext_lazy("too few of the jury could be read"),
}
_UNITS = {
    Unit.DIALOGUE: gettext_lazy("dialogue"),
    Unit.ITEM: gettext_lazy("item"),
    Unit.SYSTEM: gettext_lazy("generator"),
    Unit.BLOCK: gettext_lazy("block of dialogues"),
}
_SCALES = {
    IntervalScale.FISHER_Z: gettext_lazy("Fisher’s z"),
    IntervalScale.LOGIT: gettext_lazy("logits"),
    IntervalScale.LOG: gettext_lazy("logarithms"),
    IntervalScale.ENDS: gettext_lazy("logits between the ends of the scale"),
    IntervalScale.PLAIN: gettext_lazy("the plain scale"),
}

_SHORT = {
    "kappa_quadratic": gettext_lazy("κ, quadratic"),
    "alpha_nominal": gettext_lazy("α, nominal"),
    "alpha_ordinal": gettext_lazy("α, ordinal"),
    "alpha_interval": gettext_lazy("α, interval"),
    "icc_11": gettext_lazy("ICC(1,1)"),
    "ac1": gettext_lazy("AC1"),
    "ac2": gettext_lazy("AC2"),
    "exact": gettext_lazy("Exact"),
    "within_one": gettext_lazy("Within one"),
    "mae": gettext_lazy("Mean distance"),
    "precision": gettext_lazy("Precision"),
    "recall": gettext_lazy("Recall"),
    "f1": gettext_lazy("F1"),
    "unanimous": gettext_lazy("Always the same"),
    "entropy": gettext_lazy("Entropy, bits"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """An estimate as a page shows it: `value` and limits are text, None where there is none.

    `marks` are the letters of its footnotes; `is_doubtful` where the notes say that the interval
    cannot be trusted.
    """

    value: str | None
    low: str | None
    high: str | None
    marks: tuple[str, ...]
    is_doubtful: bool
    estimate: Estimate

    @property
    def name(self) -> str:
        return str(NAMES[self.estimate.statistic])

    @property
    def n(self) -> str:
        """What it was computed from."""
        return size(self.estimate)

    @property
    def reason(self) -> str:
        """Why value or interval is missing."""
        return _(self.estimate.notes[0].sentence) if self.estimate.notes else ""

    @property
    def text(self) -> str:
        """All of it in one line, for text alternatives."""
        if self.value is None:
            return self.reason
        if self.low is None:
            return self.value
        return _("%(value)s, 95 %% interval %(low)s to %(high)s") % {
            "value": self.value,
            "low": self.low,
            "high": self.high,
        }

    @property
    def brief(self) -> str:
        """Value and interval in a cell of a table."""
        limits = f" [{self.low}, {self.high}]" if self.low is not None else ""
        return f"{self.value or _('not defined')}{limits}"


@dataclass(slots=True)
class Footnotes:
    """Letters for the notes of a page, in the order in which they are first needed, and how the
    intervals on it were made."""

    letters: dict[Note, str] = field(default_factory=dict)
    methods: set[str] = field(default_factory=set)

    def marks(self, notes: Iterable[Note]) -> tuple[str, ...]:
        for note in notes:
            self.letters.setdefault(note, chr(ord("a") + len(self.letters)))
        return tuple(sorted(self.letters[note] for note in notes))

    def said(self) -> list[tuple[str, str]]:
        return [(letter, _(note.sentence)) for note, letter in self.letters.items()]

    def said_methods(self) -> list[str]:
        return method_names(self.methods)


def figure(
    estimate: Estimate,
    footnotes: Footnotes | None = None,
    *,
    digits: int = 2,
    said_above: Collection[Note] = (),
) -> Figure:
    """Say an estimate; what stands in its way goes to the footnotes, where there are some, unless it
    is `said_above`."""
    footnotes = footnotes or Footnotes()
    notes = [note for note in estimate.notes if note not in said_above]
    if estimate.method:
        footnotes.methods.add(estimate.method)
    return Figure(
        value=number(estimate.value, estimate.statistic, digits),
        low=number(estimate.low, estimate.statistic, min(digits, 2)),
        high=number(estimate.high, estimate.statistic, min(digits, 2)),
        marks=footnotes.marks(notes),
        is_doubtful=any(note.severity is Severity.GREY for note in notes),
        estimate=estimate,
    )


def shared_notes(estimates: Iterable[Estimate]) -> frozenset[Note]:
    """What holds for every one of these figures, so that it can be said once."""
    notes = [frozenset(one.notes) for one in estimates]
    return frozenset.intersection(*notes) if notes else frozenset()


def told(estimate: Estimate) -> str:
    """An estimate in one line of text, without the letters of notes."""
    return figure(estimate).text


def number(value: float | None, statistic: str, digits: int = 2) -> str | None:
    """A number with a true minus sign; shares in percent, differences with their sign."""
    if value is None:
        return None
    sign = "+" if statistic in SIGNED else ""
    if statistic in SHARES:
        return f"{decimal(100 * value, 1, sign=sign)} %"
    return decimal(value, digits, sign=sign)


def percent(share: float) -> str:
    """A share of 1 in whole percent."""
    return f"{100 * share:.0f} %"


def short_name(statistic: str) -> str:
    """The name of a statistic at the head of a column."""
    short = _SHORT.get(statistic) or FAMILY_NAMES.get(statistic) or NAMES[statistic]
    return str(short)


def as_difference(estimate: Estimate) -> Estimate:
    """A difference with its sign; one of shares in percentage points."""
    is_share = estimate.statistic in SHARES
    return replace(estimate, statistic="difference_of_shares" if is_share else "difference")


def cut_name(rubric: Rubric, screened: Screened, cut: Cut) -> str:
    """Which values count as flagged."""
    return flag_name(rubric, screened.line, cut)


def flag_name(rubric: Rubric, line: CriterionLine, cut: Cut) -> str:
    """Which values of a criterion are in a cut."""
    (point,) = point_names(rubric, line.key, [cut.at])
    is_binary = line.measurement is Measurement.BINARY and len(cut.points) == 1
    match cut.kind:
        case CutKind.UNSAFE:
            return _("any label but “%(label)s”") % {"label": point}
        case CutKind.LABEL:
            return _("“%(label)s”") % {"label": point}
        case CutKind.AT_MOST if not is_binary:
            return _("at most %(point)s") % {"point": point}
        case CutKind.AT_LEAST if not is_binary:
            return _("at least %(point)s") % {"point": point}
    return point


def reference_name(screened: Screened, reference: FlagReference) -> str:
    """Whose flags count."""
    if reference is FlagReference.GOLD:
        return _("gold")
    if screened.people_an_item < 2:
        return _("people (one rated each item)")
    if reference is FlagReference.ANY:
        return _("any of the people who rated the item")
    return _("at least half of the people who rated the item")


def tier_name(screened: Screened, reference: FlagReference) -> str:
    """How much stands behind a reference: one rater, several, or a decision."""
    if reference is FlagReference.GOLD:
        return _("gold (adjudicated, unanimous or imported)")
    if screened.people_an_item < 2:
        return _("one rater")
    return _("a consensus of up to %(n)s raters") % {"n": screened.people_an_item}


def without_a_miss(rate: float) -> str:
    """How many flagged items without a miss rule out that a share `rate` is missed."""
    return _(
        "To be 95 %% sure that fewer than %(rate)s are missed takes %(n)s flagged items, each of "
        "another dialogue, without a single miss."
    ) % {"rate": f"{100 * rate:.3g} %", "n": f"{positives_for_miss_rate(rate):,}"}


def would_have_been_seen(estimate: Estimate, statistic: str, *, n_tests: int = 1) -> str:
    """Where no difference was found: the smallest that would have been seen four times in five, as
    one of so many tests."""
    seen = detectable(estimate, n_tests=n_tests)
    if seen is None:
        return ""
    return _("A difference of %(seen)s would have been seen four times in five.") % {
        "seen": number(seen, statistic)
    }


def items(n: int) -> str:
    return ngettext("%(n)s item", "%(n)s items", n) % {"n": f"{n:,}"}


def answers(n: int) -> str:
    return ngettext("%(n)s answer", "%(n)s answers", n) % {"n": f"{n:,}"}


def ratings(n: int) -> str:
    return ngettext("%(n)s rating", "%(n)s ratings", n) % {"n": f"{n:,}"}


def dialogues(n: int) -> str:
    return ngettext("%(n)s dialogue", "%(n)s dialogues", n) % {"n": f"{n:,}"}


def excludes_zero(estimate: Estimate | None) -> bool:
    """Whether a difference is surely one."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return False
    return estimate.low > 0 or estimate.high < 0


def size(estimate: Estimate) -> str:
    """What an estimate was computed from."""
    of = items(estimate.n_items)
    if estimate.n_pairs == estimate.n_items:
        return of
    pairs = ngettext("%(n)s pair", "%(n)s pairs", estimate.n_pairs) % {"n": f"{estimate.n_pairs:,}"}
    return _("%(items)s, %(pairs)s") % {"items": of, "pairs": pairs}


def counted(n_items: int, n_dialogues: int, *, n_set_aside: int = 0) -> str:
    """“120 items in 40 dialogues (8 set aside)”; only the items where each dialogue has one."""
    text = items(n_items)
    if n_items != n_dialogues:
        among = ngettext("%(items)s in %(n)s dialogue", "%(items)s in %(n)s dialogues", n_dialogues)
        text = among % {"items": text, "n": f"{n_dialogues:,}"}
    if not n_set_aside:
        return text
    return _("%(items)s (%(n)s set aside)") % {"items": text, "n": f"{n_set_aside:,}"}


def method_names(methods: Collection[str]) -> list[str]:
    """How intervals were made, those that leave out the same thing together."""
    names = []
    for unit, unit_name in _UNITS.items():
        scales = [
            str(name) for scale, name in _SCALES.items() if jackknife_method(unit, scale) in methods
        ]
        if scales:
            words = {"unit": unit_name, "scales": listed(scales)}
            names.append(_("leaving out one %(unit)s at a time (on %(scales)s)") % words)
    for unit, unit_name in _UNITS.items():
        if any(runs_method(unit, scale) in methods for scale in _SCALES):
            words = {"unit": unit_name}
            names.append(
                _("leaving out one %(unit)s at a time, and over the runs of a judge") % words
            )
    names += [
        _("bootstrap by %(unit)s, percentiles of %(n)s draws with fixed weights")
        % {"unit": _UNITS[unit], "n": f"{REPLICATES:,}"}
        for unit in (Unit.DIALOGUE, Unit.ITEM)
        if bootstrap_method(unit) in methods
    ]
    if SCORE_METHOD in methods:
        names.append(_("score limits of kappa of two answers (Donner and Eliasziw 1992)"))
    if WILSON_METHOD in methods:
        names.append(_("Wilson’s limits, pairs of one conversation taken to hang together"))
    if NONE_IN_N_METHOD in methods:
        names.append(_("exact and one-sided where all or none of the items count"))
    if PIVOTAL_METHOD in methods:
        names.append(_("from pivotal quantities of the systems’ mean squares and the bias"))
    if RECOVERED_METHOD in methods:
        names.append(_("for other people too, with the variance between people from χ²"))
    if COST_METHOD in methods:
        names.append(_("exact limits of the shares, put together (MOVER, Zou and Donner 2008)"))
    if LATENT_METHOD in methods:
        names.append(_("fitting the latent class model anew to draws of the dialogues (on logits)"))
    return names + ([_("from the F distribution")] if F_METHOD in methods else [])


SUMMARY_NAMES: Mapping[Summary, Promise] = {
    "mean": gettext_lazy("Mean"),
    "sum": gettext_lazy("Sum"),
    "maximum": gettext_lazy("Highest"),
    "minimum": gettext_lazy("Lowest"),
    "any": gettext_lazy("Any red flag"),
}


def point_names(rubric: Rubric, key: str, points: Iterable[float]) -> list[str]:
    """What the values of a criterion stand for: the names of labels, or the numbers."""
    criterion = rubric.part(key)
    if isinstance(criterion, Group) and criterion.summary == "any":
        return [_("a red flag") if point else _("no red flag") for point in points]
    if isinstance(criterion, Taxonomy):
        names = {float(label.code): said(label.name) for label in criterion.labels}
        return [names[point] for point in points]
    return [f"{point:g}" for point in points]


def reason_name(reason: str) -> str:
    """Why a rating has no value."""
    if reason in UNSCORED:
        return str(UNSCORED[reason])
    if reason in CANNOT_JUDGE:
        return said(CANNOT_JUDGE[CannotJudge(reason)])
    if reason in Outcome.values:
        return str(Outcome(reason).label)
    return reason.replace("_", " ")


def who(comparison: Comparison, report: Report) -> str:
    """Who is compared with whom."""
    names = {rater.id: rater.name for rater in report.raters}
    *_others, last = comparison.raters
    words = {"first": names[comparison.raters[0]], "judge": names[last], "second": names[last]}
    match comparison.kind:
        case Kind.HUMANS:
            return ngettext("%(n)s person", "%(n)s people", len(comparison.raters)) % {
                "n": len(comparison.raters)
            }
        case Kind.HUMAN_PAIR:
            return _("%(first)s and %(second)s") % words
        case Kind.JUDGE_HUMANS:
            return _("%(judge)s and people") % words
        case Kind.JUDGE_HUMAN:
            return _("%(judge)s and %(first)s") % words
        case Kind.JUDGE_GOLD:
            return _("%(judge)s against gold") % words
        case Kind.JUDGE_REPEATS:
            return _("%(judge)s asked again") % words
