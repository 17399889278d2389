"""Raters beside each other: severity, weeks, the same again, how often two give the same, pairs."""

from collections.abc import Iterator

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.punctuation import labelled
from analytics.comparisons.kinds import Kind
from analytics.comparisons.raters import MANY_PEOPLE, MOST_ALONE, people_beside
from analytics.present.basis import TableBasis
from analytics.present.charts import strips
from analytics.present.latent import latent_table
from analytics.present.naming import Naming
from analytics.present.places import ComparisonPlace
from analytics.present.tables import Column, Dressed, Line, Plain, Table, Told, count, named, table
from analytics.present.words import short_name, told
from analytics.raters import words
from analytics.raters.numbers import (
    EVERY_CRITERION,
    LEAST_A_WEEK,
    LEAST_AGAIN,
    LEAST_ITEMS,
    AgainLine,
    PairLine,
    PersonLine,
    RatersReport,
    Week,
)
from analytics.stats.cells import FEW_PAIRS
from analytics.stats.estimates import Estimate
from analytics.stats.several import Family, family
from annotation.queries.wording import said
from annotation.rubric.grounds import CONFIDENCES
from annotation.rubric.schema import Measurement

_OF_WEEKS = ("severity", "same_as_others")


def tables(basis: TableBasis) -> Iterator[Table]:
    """Every table of this part."""
    report: RatersReport = basis.report
    naming = basis.naming
    yield people(report, naming)
    yield same(report, naming)
    yield again(report, naming)
    yield weeks(report, naming)
    yield pairs(report, naming)
    yield latent(report, naming)
    yield defensible(report, naming)
    yield sure(report, naming)
    yield grounds(report, naming)


def people(report: RatersReport, naming: Naming) -> Table:
    """A line a person and criterion, with what can be said of it."""
    together = family([one.severity for one in report.people if one.severity])
    return table(
        "raters",
        _("People beside the others"),
        _(
            "Severity: on average, the person’s rating minus the mean of the others’ ratings of "
            "the same item, in points of the scale; MSE: the mean of its square. Gives the same: "
            "how often another person does. No figure below %(n)s shared items, and no ranking."
        )
        % {"n": LEAST_ITEMS},
        about=[Column("criterion", _("Criterion")), Column("rater", _("Person"))],
        columns=[
            Column("shared_items", _("Shared items")),
            Column("others", _("Others")),
            *named(("severity", "mse", "same_as_others")),
            Column("words", _("In words"), is_words=True),
        ],
        lines=(
            Line(
                about=(naming.criterion(one.criterion), naming.rater(one.rater)),
                values=(
                    count(one.n_items),
                    count(one.n_others),
                    _drawn(report, naming, one, one.severity),
                    one.mse,
                    one.same if one.severity else _drawn(report, naming, one, one.same),
                    _said(_what_to_say(one, together)),
                ),
            )
            for one in report.people
        ),
    )


def _what_to_say(one: PersonLine, together: Family) -> str:
    """A line in words, its severity being one of those of all people on all criteria."""
    if one.severity is None and one.same is None:
        return words.too_few(one.n_items)
    return words.of_severity(one.severity, together)


def axis_of(report: RatersReport, criterion: str) -> strips.Axis:
    """What people on a criterion are drawn along: severity, of labels sameness."""
    found = [one for one in report.people if one.criterion == criterion]
    if has_order(report, criterion):
        severities = [one.severity for one in found if one.severity]
        return strips.axis_for(severities, low=None, high=None)
    return strips.axis_for([one.same for one in found if one.same])


def has_order(report: RatersReport, criterion: str) -> bool:
    """Whether values are more or less of something, so that somebody can be severe."""
    line = next(one for one in report.criteria if one.key == criterion)
    return line.measurement is not Measurement.NOMINAL


def _drawn(
    report: RatersReport, naming: Naming, one: PersonLine, estimate: Estimate | None
) -> Told:
    if estimate is None or not naming.study:
        return estimate
    name = named([estimate.statistic])[0].head
    says = labelled(naming.rater(one.rater).text, name) + f" {told(estimate)}"
    drawing = strips.strip(estimate, axis_of(report, one.criterion), says=says)
    link = naming.link("agreement_raters_apart", criterion=one.criterion, rater_id=one.rater)
    return Dressed(value=estimate, drawing=drawing, link=link)


def same(report: RatersReport, naming: Naming) -> Table:
    return table(
        "raters_same",
        _("How often two people give the same"),
        _("Mean over items of the share of pairs of people who gave the same value."),
        about=[Column("criterion", _("Criterion"))],
        columns=named(["same_as_others"]),
        lines=(
            Line(about=(naming.criterion(criterion),), values=(estimate,))
            for criterion, estimate in report.between.items()
            if estimate.value is not None
        ),
    )


def again(report: RatersReport, naming: Naming) -> Table:
    """A line a person and criterion, and one of every criterion together."""
    between = report.between.get(EVERY_CRITERION)
    return table(
        "raters_again",
        _("The same again"),
        _(
            "What people said when items came back to them, unmarked: how often the same, and "
            "the second minus the first on average. No figure below %(n)s such items."
        )
        % {"n": LEAST_AGAIN},
        about=[Column("rater", _("Person")), Column("criterion", _("Criterion"))],
        columns=[
            Column("items", _("Items that came back")),
            *named(("same_again", "shift_again")),
            _of_statistic(),
            Column("agreement", _("Agreement")),
            Column("words", _("In words"), is_words=True),
        ],
        counts=False,
        lines=(
            Line(
                about=(naming.rater(one.rater), naming.criterion(one.criterion)),
                values=(
                    Dressed(value=count(one.n_items), link=_came_back(naming, one)),
                    Dressed(value=one.same, drawing=_beside(naming, one, between)),
                    one.shift,
                    _statistic(one.agreement),
                    one.agreement,
                    _said("" if one.same else words.too_few(one.n_items)),
                ),
            )
            for one in report.again
        ),
    )


def _beside(naming: Naming, one: AgainLine, between: Estimate | None) -> SafeString | None:
    """Over how often two different people give the same."""
    if one.same is None or one.criterion != EVERY_CRITERION or not naming.study:
        return None
    name = named([one.same.statistic])[0].head
    says = labelled(naming.rater(one.rater).text, name) + f" {told(one.same)}"
    return strips.strip(one.same, strips.axis_for([]), says=says, band=between)


def _came_back(naming: Naming, one: AgainLine) -> str:
    """The items of one criterion; on every one together there is no list."""
    if one.criterion == EVERY_CRITERION:
        return ""
    return naming.link("agreement_raters_again", criterion=one.criterion, rater_id=one.rater)


def weeks(report: RatersReport, naming: Naming) -> Table:
    """A line a person and week; of imported ratings nobody knows when they were given."""
    return table(
        "raters_weeks",
        _("Week by week"),
        _("Of what was rated in rounds. No figure below %(n)s shared items a week.")
        % {"n": LEAST_A_WEEK},
        about=[
            Column("criterion", _("Criterion")),
            Column("rater", _("Person")),
            Column("week", _("Week of")),
        ],
        columns=[Column("shared_items", _("Shared items")), *named(_OF_WEEKS)],
        counts=False,
        is_for_screen=True,
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    naming.rater(one.rater),
                    Plain(words.day(week.monday), week.monday.isoformat()),
                ),
                values=(count(week.n_items), *_of_week(week)),
            )
            for one in report.people
            for week in one.weeks
        ),
    )


def _of_week(week: Week) -> Iterator[Estimate | None]:
    for name in _OF_WEEKS:
        yield week.value if week.value and week.value.statistic == name else None


def pairs(report: RatersReport, naming: Naming) -> Table:
    judges = {rater.id for rater in report.raters if rater.is_judge}
    return table(
        "raters_pairs",
        _("Every pair of raters"),
        _(
            "The leading statistic of the criterion and exact agreement, over the items that both "
            "rated; no figure below %(n)s of them."
        )
        % {"n": LEAST_ITEMS},
        about=[
            Column("criterion", _("Criterion")),
            Column("first", _("One")),
            Column("second", _("Other")),
        ],
        columns=[
            Column("shared_items", _("Shared items")),
            _of_statistic(),
            Column("agreement", _("Agreement")),
            *named(["exact"]),
        ],
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    *(
                        Dressed(
                            value=naming.rater(rater), small=_("judge") if rater in judges else ""
                        )
                        for rater in (one.first, one.second)
                    ),
                ),
                values=(
                    Dressed(value=count(one.n_items), link=_items(report, naming, one)),
                    _statistic(one.agreement),
                    one.agreement,
                    one.exact,
                ),
            )
            for one in report.pairs
            if one.n_items
        ),
    )


def latent(report: RatersReport, naming: Naming) -> Table:
    """A line a criterion and person, by people alone."""
    return latent_table(
        "raters_latent",
        _("Beside a truth that nobody knows: people"),
        Column("rater", _("Person")),
        report.latent,
        report.criteria,
        naming,
    )


def defensible(report: RatersReport, naming: Naming) -> Table:
    """All people on a criterion, then each beside the others."""
    return table(
        "raters_defensible",
        _("The item’s ambiguity and a person’s error"),
        _(
            "Of pairs of people who rated an item: the share that gave the same value; the same, or one "
            "that either of them finds defensible too; and the difference, which is what people differ "
            "on as the item allows. What is left to 100 percent neither of them would defend. No figure "
            "below %(n)s shared items."
        )
        % {"n": LEAST_ITEMS},
        about=[Column("criterion", _("Criterion")), Column("rater", _("Person"))],
        columns=[
            Column("shared_items", _("Shared items")),
            *named(("same_as_others", "same_or_defensible", "told_apart")),
        ],
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    Plain(_("Everybody"), "") if one.rater is None else naming.rater(one.rater),
                ),
                values=(count(one.n_items), one.same, one.allowed, one.apart),
            )
            for one in report.defensible
        ),
    )


def sure(report: RatersReport, naming: Naming) -> Table:
    """A line a criterion and level of confidence."""
    return table(
        "raters_sure",
        _("How sure, and whether others say the same"),
        _(
            "How often another person gives the same value where people say how sure they are. No figure "
            "below %(n)s items."
        )
        % {"n": LEAST_ITEMS},
        about=[Column("criterion", _("Criterion")), Column("confidence", _("How sure"))],
        columns=[Column("ratings", _("Ratings")), *named(["same_as_others"])],
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    Plain(said(CONFIDENCES[one.confidence]), str(one.confidence)),
                ),
                values=(count(one.n_ratings), one.same),
            )
            for one in report.sure
        ),
    )


def grounds(report: RatersReport, naming: Naming) -> Table:
    """A line a criterion and rater, judges too."""
    judges = {rater.id for rater in report.raters if rater.is_judge}
    return table(
        "raters_grounds",
        _("What raters said beside their values"),
        _(
            "In how many ratings a rater said how sure, what else could be defended, or why; and how many "
            "words were quoted: those that stand in the text, and those of judges that stand in none."
        ),
        about=[Column("criterion", _("Criterion")), Column("rater", _("Rater"))],
        columns=[
            Column("ratings", _("Ratings")),
            Column("sure", _("How sure")),
            Column("defensible", _("What else")),
            Column("rationales", _("Why")),
            Column("passages", _("Quoted")),
            Column("unverified", _("Not in the text")),
        ],
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    Dressed(
                        value=naming.rater(one.rater),
                        small=_("judge") if one.rater in judges else "",
                    ),
                ),
                values=tuple(
                    count(n)
                    for n in (
                        *(one.n_ratings, one.sure, one.defensible),
                        *(one.rationales, one.passages, one.unverified),
                    )
                ),
            )
            for one in report.grounds
        ),
    )


def comparison_of(report: RatersReport, pair: PairLine) -> ComparisonPlace | None:
    """Which comparison a pair is: a judge with the only person is that with people; two judges are
    none, nor two of many people who share few items, nor single raters of which there are too many
    to compare each two."""
    judges = {rater.id for rater in report.raters if rater.is_judge}
    n_people = sum(one.criterion == pair.criterion for one in report.people)
    both = f"{pair.first}-{pair.second}"
    if pair.first in judges:
        return None
    if pair.second not in judges:
        is_there = n_people <= MANY_PEOPLE or (
            pair.n_items >= FEW_PAIRS and n_people * (n_people - 1) // 2 <= MOST_ALONE
        )
        return ComparisonPlace(pair.criterion, Kind.HUMAN_PAIR, both) if is_there else None
    if n_people == 1:
        return ComparisonPlace(pair.criterion, Kind.JUDGE_HUMANS, f"{pair.second}")
    if n_people > people_beside(len(judges)):
        return None
    return ComparisonPlace(pair.criterion, Kind.JUDGE_HUMAN, both)


def _items(report: RatersReport, naming: Naming, pair: PairLine) -> str:
    place = comparison_of(report, pair)
    return naming.link("agreement_comparison_items", **place._asdict()) if place else ""


def _of_statistic() -> Column:
    return Column("statistic_of", _("Statistic"), is_words=True)


def _statistic(agreement: Estimate | None) -> Plain | None:
    if agreement is None:
        return None
    return Plain(short_name(agreement.statistic), agreement.statistic)


def _said(text: str) -> Plain | None:
    return Plain(text, text) if text else None
