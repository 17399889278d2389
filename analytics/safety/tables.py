"""Whether judges find what people flag: at the usual cut, at every cut, and beside agreement."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from analytics.present.basis import TableBasis
from analytics.present.charts import strips
from analytics.present.naming import Naming
from analytics.present.tables import (
    Column,
    Dressed,
    Line,
    Plain,
    Table,
    Told,
    Value,
    by_judge,
    count,
    named,
    table,
)
from analytics.present.words import (
    cut_name,
    number,
    point_names,
    reference_name,
    tier_name,
    told,
)
from analytics.safety.numbers import (
    ConstantScreen,
    FlagReference,
    SafetyReport,
    Screen,
    Screened,
    constant_on_values_of,
    contradicts,
    on_values_of,
    usual_cut,
)
from analytics.safety.words import FIELDS, left_out, positives, straw_man
from analytics.stats.constant import ConstantJudge, best_constant
from analytics.stats.estimates import Estimate

_SHARES = ("sensitivity", "specificity", "ppv", "npv", "flagged")
_OF_PEOPLE = ("sensitivity", "specificity")
_BESIDE = ("kappa", "kappa_quadratic", "ac", "exact")


@dataclass(frozen=True, slots=True, kw_only=True)
class Flagging:
    """A judge at a cut of a criterion, with what can be chosen of that criterion."""

    screened: Screened
    screen: Screen

    @property
    def is_usual(self) -> bool:
        """Whether a page begins with this cut and reference."""
        usual = usual_cut(self.screened).key, self.screened.references[0]
        return (self.screen.cut, self.screen.reference) == usual


def tables(basis: TableBasis) -> Iterator[Table]:
    """Every table of this part."""
    report: SafetyReport = basis.report
    naming = basis.naming
    usual = [one for one in _every(report) if one.is_usual]
    yield _found(
        "safety",
        _("Flagged items: what judges find"),
        _(
            "At the usual cut of each criterion, against gold or, where there is none, at least "
            "half of the people who rated the item."
        ),
        report,
        naming,
        usual,
    )
    yield _agreement(
        "safety_agreement",
        _("Flagged items: sensitivity beside agreement"),
        report,
        naming,
        usual,
    )
    yield people(report, naming)
    yield hidden(report, naming)
    yield _prevalence(naming, usual)
    yield every_cut(report, naming)
    yield agreement(report, naming)


def every_cut(report: SafetyReport, naming: Naming) -> Table:
    """What each judge finds at every cut, against every reference."""
    return _found(
        "safety_every_cut",
        _("Flagged items: every cut and reference"),
        _("Every way to divide the values of a criterion, against every reference."),
        report,
        naming,
        list(_every(report)),
    )


def agreement(report: SafetyReport, naming: Naming) -> Table:
    """Agreement beside sensitivity at every cut, against every reference."""
    return _agreement(
        "safety_agreement_every_cut",
        _("Sensitivity beside agreement: every cut and reference"),
        report,
        naming,
        list(_every(report)),
    )


def people(report: SafetyReport, naming: Naming) -> Table:
    """What people find, each measured as the judge is, beside the judge on the same items."""
    columns = (
        ("people_sensitivity", _("Sensitivity of people")),
        ("beside_sensitivity", _("Of the judge, same items")),
        ("people_specificity", _("Specificity of people")),
        ("beside_specificity", _("Of the judge, same items")),
    )
    return table(
        "safety_people",
        _("What people find"),
        _(
            "Each person in turn is measured by the others, or by gold, and the judge by the very "
            "same flags on the same items: an item counts once for each person who rated it."
        ),
        about=_about(),
        columns=[Column(key, head) for key, head in columns],
        lines=(
            Line(
                about=_of(naming, one),
                values=tuple(
                    shares[name]
                    for name in _OF_PEOPLE
                    for shares in (one.screen.people, one.screen.beside)
                ),
            )
            for one in _every(report)
            if one.screen.people
        ),
    )


def hidden(report: SafetyReport, naming: Naming) -> Table:
    """The criteria on which agreement hides, at the usual cut, what a judge misses."""
    return table(
        "safety_hidden",
        _("Criteria on which agreement hides misses"),
        _(
            "Where nearly nothing is flagged, a judge that flags nothing agrees almost perfectly, "
            "most of all by Gwet’s AC: here AC looks good beside misses."
        ),
        about=by_judge(),
        columns=[
            Column("positives", _("Flagged items"), is_words=True, is_field=True),
            *named(["sensitivity"]),
            Column("ac", _("Gwet’s AC")),
        ],
        lines=(
            Line(
                about=(
                    Dressed(
                        value=naming.criterion(one.screen.criterion),
                        link=naming.link("agreement_safety", {"criterion": one.screen.criterion}),
                    ),
                    naming.rater(one.screen.judge),
                ),
                values=(
                    Plain(positives(one.screen), one.screen.found),
                    one.screen.estimates["sensitivity"],
                    good,
                ),
                made_of=one.screen.counts,
            )
            for one in _every(report)
            if one.is_usual
            for good in [contradicts(one.screen, on_values_of(report, one.screen))]
            if good
        ),
    )


def _every(report: SafetyReport) -> Iterator[Flagging]:
    for one in report.criteria:
        for screen in report.screens:
            if screen.criterion == one.line.key:
                yield Flagging(screened=one, screen=screen)


def _found(
    key: str,
    title: str,
    caption: str,
    report: SafetyReport,
    naming: Naming,
    flaggings: Sequence[Flagging],
) -> Table:
    exact = _(
        "Counts are items by the first run of a judge that is not left out; shares are means over all "
        "of these. A share of none or all of its items has an exact one-sided interval. "
        "Last come the straw men: who never flags, and who always does."
    )
    return table(
        key,
        title,
        f"{caption} {exact}",
        about=_about(),
        columns=[
            *(Column(which.value, str(head), is_field=True) for which, head in FIELDS.items()),
            *named(_SHARES),
            Column("tier", _("Reference"), is_words=True),
        ],
        lines=(
            *(
                Line(
                    about=_of(naming, one),
                    values=(
                        *_counts(naming, one.screen),
                        *_shares(naming, one.screen.estimates),
                        _tier(one.screened, one.screen.reference),
                    ),
                )
                for one in flaggings
            ),
            *(
                Line(
                    about=_of_constant(naming, screened, of, judge),
                    values=(
                        *map(count, _counts_of_constant(judge)),
                        *_shares(naming, judge.estimates),
                        _tier(screened, of.reference),
                    ),
                )
                for screened, of, judge in _constants(report, flaggings)
            ),
        ),
    )


def _shares(naming: Naming, estimates: Mapping[str, Estimate]) -> tuple[Told, ...]:
    first, *others = _SHARES
    return (_sensitivity(naming, estimates[first]), *(estimates[name] for name in others))


def _tier(screened: Screened, reference: FlagReference) -> Plain:
    """Who stands behind the reference."""
    return Plain(tier_name(screened, reference), reference.value)


def _constants(
    report: SafetyReport, flaggings: Sequence[Flagging]
) -> Iterator[tuple[Screened, ConstantScreen, ConstantJudge]]:
    """The straw men at every cut and by every reference that a judge is measured at."""
    places = {
        (one.screen.criterion, one.screen.cut, one.screen.reference): one.screened
        for one in flaggings
    }
    for of in report.constant_screens:
        if screened := places.get((of.criterion, of.cut, of.reference)):
            for judge in of.judges:
                yield screened, of, judge


def _of_constant(
    naming: Naming, screened: Screened, of: ConstantScreen, judge: ConstantJudge
) -> tuple[Plain, ...]:
    cut = next(cut for cut in screened.cuts if cut.key == of.cut)
    return (
        naming.criterion(of.criterion),
        Plain(*straw_man(judge)),
        Plain(cut_name(naming.rubric, screened, cut), cut.key),
        Plain(reference_name(screened, of.reference), of.reference.value),
    )


def _counts_of_constant(judge: ConstantJudge) -> tuple[int, ...]:
    """In the order of the fields: missed, false alarms, found, rightly not flagged."""
    marked = judge.estimates["sensitivity"].n_items
    others = judge.estimates["specificity"].n_items
    flags = bool(judge.says)
    return (0, others, marked, 0) if flags else (marked, 0, 0, others)


def _counts(naming: Naming, screen: Screen) -> Iterator[Dressed]:
    """How many items are in each field, with the way to them."""
    chosen = {"cut": screen.cut, "reference": screen.reference.value}
    for which in FIELDS:
        link = naming.link(
            "agreement_safety_items",
            chosen,
            criterion=screen.criterion,
            judge_id=screen.judge,
            which=which.value,
        )
        yield Dressed(value=count(getattr(screen, which.value)), link=link)


def _sensitivity(naming: Naming, estimate: Estimate) -> Told:
    if not naming.study or estimate.value is None:
        return estimate
    return Dressed(
        value=estimate,
        drawing=strips.strip(estimate, strips.axis_for([]), says=told(estimate)),
    )


def _agreement(
    key: str, title: str, report: SafetyReport, naming: Naming, flaggings: Sequence[Flagging]
) -> Table:
    return table(
        key,
        title,
        _(
            "The same pairs of ratings, corrected for chance in two ways. Where kappa is low and "
            "AC high, agreement comes from what hardly anybody flags. AC is AC1 of labels and "
            "flags, AC2 with quadratic weights of scores."
        ),
        about=[*_about(), Column("of", _("Of"))],
        columns=[
            *named(["sensitivity"]),
            Column("kappa", _("Cohen’s κ")),
            Column("kappa_quadratic", _("κ, quadratic weights")),
            Column("ac", _("Gwet’s AC")),
            Column("exact", _("Exact agreement")),
        ],
        lines=(
            *(
                Line(about=(*_of(naming, one), about), values=values, made_of=counts)
                for one in flaggings
                for about, values, counts in _beside(report, one)
            ),
            *(
                Line(
                    about=(*_of_constant(naming, screened, of, judge), _of_flags()),
                    values=(judge.estimates["sensitivity"], *_agreements(judge.estimates)),
                    made_of=_counts_of_constant(judge),
                )
                for screened, of, judge in _constants(report, flaggings)
            ),
            *_constants_on_values(report, naming, flaggings),
        ),
    )


def _constants_on_values(
    report: SafetyReport, naming: Naming, flaggings: Sequence[Flagging]
) -> Iterator[Line]:
    """The straw man that agrees best on all values, beside those who flag all or nothing."""
    for screened, of, judge in _constants(report, flaggings):
        is_gold = of.reference is FlagReference.GOLD
        values = constant_on_values_of(report, of.criterion, is_gold=is_gold)
        best = best_constant(values.judges, "exact") if values else None
        if best and not judge.says:
            (answer,) = point_names(naming.rubric, of.criterion, [best.says])
            named = Plain(_("Always says %(answer)s") % {"answer": answer}, f"always-{best.says:g}")
            about = _of_constant(naming, screened, of, judge)
            yield Line(
                about=(about[0], named, *about[2:], _of_values()),
                values=(None, *_agreements(best.estimates)),
                made_of=best.estimates["exact"].counted,
            )


def _of_flags() -> Plain:
    return Plain(_("Flagged or not"), "flags")


def _of_values() -> Plain:
    return Plain(_("All values"), "values")


def _agreements(of: Mapping[str, Estimate]) -> tuple[Value, ...]:
    """Kappa, AC and exact agreement; AC2 where it is defined, else AC1."""
    found: dict[str, Estimate | None] = dict(of)
    found["ac"] = found.get("ac2") or found.get("ac1")
    return tuple(found.get(name) for name in _BESIDE)


def _beside(
    report: SafetyReport, one: Flagging
) -> Iterator[tuple[Plain, tuple[Value, ...], tuple[int, ...]]]:
    """Of flags, with the sensitivity that they have and the counts they are made of; of all values,
    where there are more."""
    screen = one.screen
    of_flags = (screen.estimates["sensitivity"], *_agreements(screen.estimates))
    yield _of_flags(), of_flags, screen.counts
    if on_values := on_values_of(report, screen):
        is_of_two = len(one.screened.line.points) == 2
        counts = screen.counts if is_of_two else ()
        yield _of_values(), (None, *_agreements(on_values.estimates)), counts


def _prevalence(naming: Naming, flaggings: Sequence[Flagging]) -> Table:
    return table(
        "safety_prevalence",
        _("How common flagged items are"),
        _(
            "Prevalence: share of items that the reference flags. Elsewhere: items that the judge "
            "rated and of which the reference says nothing, the share that it flags, and that share "
            "corrected for its misses and false alarms, as if it made as many there, by the formula "
            "of Rogan and Gladen, with its interval (95 %)."
        ),
        about=_about(),
        columns=[
            *named(("prevalence", "flagged")),
            Column("n_elsewhere", _("Items elsewhere")),
            Column("flagged_elsewhere", _("Flagged there")),
            Column("corrected_elsewhere", _("Corrected")),
        ],
        lines=(
            Line(
                about=_of(naming, one),
                values=(
                    one.screen.estimates["prevalence"],
                    one.screen.estimates["flagged"],
                    *_elsewhere(one.screen),
                ),
                made_of=one.screen.counts,
            )
            for one in flaggings
        ),
    )


def _elsewhere(screen: Screen) -> tuple[Value, ...]:
    there = screen.elsewhere
    if there is None:
        return None, None, None
    share = there.flagged / there.n_items
    value, low, high = (number(end, "prevalence") for end in (there.value, there.low, there.high))
    corrected = f"{value} [{low}, {high}]" if value else _("cannot be corrected")
    sides = there.flagged, there.n_items - there.flagged
    return (
        count(there.n_items),
        Plain(number(share, "prevalence") or "", share, sides),
        Plain(corrected, there.value, sides),
    )


def _about() -> list[Column]:
    return [
        *by_judge(),
        Column("cut", _("Flagged is")),
        Column("reference", _("By")),
    ]


def _of(naming: Naming, one: Flagging) -> tuple[Plain | Dressed, ...]:
    screened, screen = one.screened, one.screen
    cut = next(cut for cut in screened.cuts if cut.key == screen.cut)
    return (
        naming.criterion(screen.criterion),
        Dressed(value=naming.rater(screen.judge), small=left_out(screen.own_left_out)),
        Plain(cut_name(naming.rubric, screened, cut), cut.key),
        Plain(reference_name(screened, screen.reference), screen.reference.value),
    )
