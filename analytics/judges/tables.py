"""Judges beside people and gold: ceiling, alternative annotators, strata, leanings, repeats."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from django.utils.translation import gettext as _

from accounts.punctuation import listed
from analytics.agreement.numbers import CriterionLine
from analytics.comparisons.kinds import Comparison
from analytics.comparisons.systems import SystemComparison
from analytics.judges import lookup, words
from analytics.judges.numbers import (
    OF_RUNS,
    OF_VERSIONS,
    Against,
    BesidePeople,
    Caution,
    JudgesReport,
    Reference,
    Repeats,
    Versus,
)
from analytics.judges.words import REFERENCES, STRATA
from analytics.juries import tables as juries
from analytics.measures import DIFFERENCES, suited
from analytics.present import straw_men
from analytics.present.basis import TableBasis
from analytics.present.latent import latent_table
from analytics.present.naming import Naming
from analytics.present.places import place_of
from analytics.present.tables import (
    Column,
    Dressed,
    Line,
    Plain,
    Table,
    Told,
    Value,
    between,
    by_judge,
    count,
    named,
    of_statistics,
    shade,
    table,
)
from analytics.present.words import answers, as_difference, items, point_names, short_name, size
from analytics.stats.alternative import PASSING, SWEEP, AgainstPerson, Domain
from analytics.stats.ceiling import UnderCeiling
from analytics.stats.constant import ConstantJudge
from analytics.stats.estimates import Estimate
from annotation.rubric.schema import Measurement

LEADING = {
    Measurement.NOMINAL: "kappa",
    Measurement.BINARY: "kappa",
    Measurement.ORDINAL: "icc_a1",
}
STATISTICS = {
    Measurement.NOMINAL: ("kappa", "ac1", "exact"),
    Measurement.BINARY: ("kappa", "ac1", "exact"),
    Measurement.ORDINAL: ("icc_a1", "icc_c1", "mae"),
}
Levels: TypeAlias = Sequence[Measurement]
_SCORES: Levels = (Measurement.ORDINAL,)
_LABELS: Levels = (Measurement.NOMINAL, Measurement.BINARY)
_NEAR = ("accuracy", "precision", "recall", "f1", "exact", "within_one", "bias", "mae")
_OF_USE = ("sd_human", "sd_judge", "sd_ratio", "top_human", "top_judge", "top_difference")
_OF_PREFERENCE = ("own_gap", "peers_gap", "self_preference")
_OF_REPEATS = ("flip_rate", "unanimous", "entropy", "icc_11", "alpha_ordinal", "fleiss")
_BESIDE = ("icc_a1", "icc_c1", "mae", "kappa", "ac1", "exact")
_FINE = 3  # digits that few generators, and repeats, are told with


def tables(basis: TableBasis) -> Iterator[Table]:
    """Every table of this part."""
    report: JudgesReport = basis.report
    naming = basis.naming
    yield glance(report, naming)
    yield ceilings(report, naming)
    yield from item_level(report, naming)
    yield with_each(basis.whole, naming)
    yield systems(report, naming)
    yield tests(report, naming)
    yield tests_by_person(report, naming)
    yield strata(report, naming)
    yield cautions(report, naming)
    yield caution_more(report, naming)
    yield severity(report, naming)
    yield differences(report, naming)
    yield scale_use(report, naming)
    yield labels(report, naming)
    yield leanings(report, naming)
    yield halos(report, naming)
    yield repeats(report, naming)
    yield runs(report, naming)
    yield versions(report, naming)
    yield latent(report, naming)
    yield juries.answers(report.juries, naming)
    yield juries.weights(report.juries, naming)


def glance(report: JudgesReport, naming: Naming) -> Table:
    """A column a judge."""
    return table(
        "judges_at_a_glance",
        _("Every judge on every criterion"),
        _(
            "Agreement with people or gold: where people’s ceiling is known beside the consensus "
            "of people, with one of them left out in turn; else over all pairs of ratings. Last the "
            "straw man: of the judges that say the same to every item the one that comes to most."
        ),
        about=[
            Column("criterion", _("Criterion")),
            _by_reference(),
            Column("statistic_of", _("Statistic")),
        ],
        columns=[
            *(Column(judge.key, naming.rater(judge.id).text) for judge in report.judges),
            Column(straw_men.KEY, _("Straw man")),
        ],
        lines=(
            Line(
                about=(
                    naming.criterion(line.key),
                    Plain(str(REFERENCES[reference]), reference.value),
                    Plain(_named(report, line, reference, name), name),
                ),
                values=values,
            )
            for line in report.criteria
            for reference in Reference
            for name in STATISTICS[line.measurement]
            for values in [_at_a_glance(report, naming, line, reference, name)]
            if any(values[:-1])
        ),
    )


def _at_a_glance(
    report: JudgesReport, naming: Naming, line: CriterionLine, reference: Reference, name: str
) -> tuple[Told, ...]:
    """Each judge in its turn, with what people reach on the same items below it."""
    choices = {"reference": reference.value, "statistic": name}
    if not line.is_group:
        choices["criterion"] = line.key
    places = [(report, judge.id, line.key, reference, name) for judge in report.judges]
    is_under = _is_under_ceiling(report, line, reference, name)
    straw_man = lookup.straw_man(report, line.key, reference, name, consensus=is_under)
    return (
        *(
            Dressed(
                value=estimate,
                link=naming.link("agreement_judge", choices, judge=judge.key),
                small=_below(
                    estimate,
                    under,
                    lookup.straw_man_beside(*place),
                    name,
                    is_apart=is_under and under is None,
                ),
                shade=shade(estimate),
            )
            if estimate
            else None
            for judge, place in zip(report.judges, places, strict=True)
            for estimate, under in [(lookup.agreement(*place), lookup.under_ceiling(*place))]
        ),
        straw_men.shown(naming, line.key, straw_man, name),
    )


def _is_under_ceiling(
    report: JudgesReport, line: CriterionLine, reference: Reference, name: str
) -> bool:
    """Whether some judge is told beside the consensus of people."""
    return any(
        lookup.under_ceiling(report, judge.id, line.key, reference, name) for judge in report.judges
    )


def _named(report: JudgesReport, line: CriterionLine, reference: Reference, name: str) -> str:
    """A statistic beside the consensus has a name of its own, for it has another value there."""
    with_consensus = _is_under_ceiling(report, line, reference, name)
    return short_name(f"{name}_consensus" if with_consensus else name)


def _below(
    estimate: Estimate,
    under: UnderCeiling | None,
    straw_man: ConstantJudge | None,
    name: str,
    *,
    is_apart: bool,
) -> str:
    """What people reach, whether a straw man does, and whether the figure `is_apart` from the
    others of its line, over all pairs of ratings."""
    found = (
        _("over all pairs of ratings") if is_apart else "",
        words.beside_ceiling(estimate, under.people if under else None),
        straw_men.beside(estimate, straw_man, name),
    )
    return " · ".join(filter(None, found))


def ceilings(report: JudgesReport, naming: Naming) -> Table:
    return table(
        "judges_ceiling",
        _("Judges under the ceiling of people"),
        _(
            "Each person is left out in turn: the person and the judge are both compared with "
            "the consensus of the others, and the means over the people left out are shown. "
            "Difference: the judge minus the person, over the same items."
        ),
        about=[*by_judge(), Column("statistic_of", _("Statistic"))],
        columns=[
            Column("people", _("A person")),
            Column("of_judge", _("The judge")),
            Column("difference", _("Difference")),
            Column("share", _("Share of the ceiling")),
            Column("standing", _("Beside a person"), is_words=True),
        ],
        lines=(
            Line(
                about=(*_what(naming, one), Plain(short_name(f"{name}_consensus"), name)),
                values=(
                    under.people,
                    under.judge,
                    as_difference(under.difference),
                    replace(under.share, statistic="share_of_ceiling"),
                    words.beside_a_person(under),
                ),
            )
            for one in report.beside
            for name, under in one.ceiling.items()
        ),
    )


def item_level(report: JudgesReport, naming: Naming) -> Iterator[Table]:
    """Scores and labels, which other statistics suit, and of each what takes chance into account
    apart from how near the judge comes: together they are wider than paper."""
    yield _agreement("judges_scores", _("Scores: agreement"), _SCORES, report, naming)
    yield _nearness("judges_scores_near", _("Scores: how near"), _SCORES, report, naming)
    yield _agreement("judges_labelled", _("Labels: agreement"), _LABELS, report, naming)
    yield _nearness("judges_labelled_near", _("Labels: how near"), _LABELS, report, naming)


def _agreement(key: str, title: str, levels: Levels, report: JudgesReport, naming: Naming) -> Table:
    names = [name for name in _told(levels) if name not in _NEAR]
    return table(
        key,
        title,
        _("Each rated item is a point; with several people every pair of ratings counts."),
        about=[*by_judge(), _by_reference()],
        columns=of_statistics(names),
        lines=(
            *_of_items(names, levels, report, naming),
            *_of_straw_men(names, levels, report, naming),
        ),
    )


def _nearness(key: str, title: str, levels: Levels, report: JudgesReport, naming: Naming) -> Table:
    names = [name for name in _told(levels) if name in _NEAR]
    return table(
        key,
        title,
        _(
            "Shares of the pairs of ratings; bias and mean distance in points of the scale. Where "
            "the judge’s own family wrote items they are left out."
        ),
        about=[*by_judge(), _by_reference()],
        columns=[*of_statistics(names), Column("own_left_out", _("Of its own family, left out"))],
        lines=(
            *(
                replace(line, values=(*line.values, count(n) if n else None))
                for line, n in zip(
                    _of_items(names, levels, report, naming),
                    (one.item.own_left_out for one in _at(levels, report)),
                    strict=True,
                )
            ),
            *(
                replace(line, values=(*line.values, None))
                for line in _of_straw_men(names, levels, report, naming)
            ),
        ),
    )


def _told(levels: Levels) -> list[str]:
    """Every statistic that suits one of these levels of measurement."""
    known = map(suited, levels)
    return list(dict.fromkeys(name for one in known for name in (*one.gold, *one.pair)))


def _at(levels: Levels, report: JudgesReport) -> list[Against]:
    return [
        one for one in report.against if lookup.line_of(report, one.criterion).measurement in levels
    ]


def _of_items(
    names: Sequence[str], levels: Levels, report: JudgesReport, naming: Naming
) -> Iterator[Line]:
    for one in _at(levels, report):
        criterion = Dressed(value=naming.criterion(one.criterion), link=_behind(naming, one.item))
        line = lookup.line_of(report, one.criterion)
        yield Line(
            about=(criterion, naming.rater(one.judge), _reference(one)),
            values=tuple(_of_level(line, one, name) for name in names),
        )


def _of_straw_men(
    names: Sequence[str], levels: Levels, report: JudgesReport, naming: Naming
) -> Iterator[Line]:
    """Beside what judges are beside; they have no statistic that judges have not."""
    beside = {(one.criterion, one.reference) for one in _at(levels, report)}
    for one in report.straw_men:
        reference = Reference.GOLD if one.is_gold else Reference.PEOPLE
        if (one.criterion, reference) in beside:
            yield Line(
                about=(
                    naming.criterion(one.criterion),
                    straw_men.named(),
                    Plain(str(REFERENCES[reference]), reference.value),
                ),
                values=tuple(
                    straw_men.shown(naming, one.criterion, one.best.get(name), name)
                    for name in names
                ),
            )


def _of_level(line: CriterionLine, one: Against, name: str) -> Estimate | None:
    """A statistic that suits the criterion."""
    best = suited(line.measurement, is_group=line.is_group)
    known = best.pair if one.reference is Reference.PEOPLE else (*best.gold, *best.pair)
    return one.item.estimates.get(name) if name in known else None


def with_each(report: JudgesReport, naming: Naming) -> Table:
    """A line a person, where several share items with the judge."""
    return table(
        "judges_with_each",
        _("Judges with each person alone"),
        _("Agreement over the items that the judge and this person rated."),
        about=[*by_judge(), Column("person", _("Person"))],
        columns=of_statistics(_BESIDE),
        lines=(
            Line(
                about=(
                    naming.criterion(pair.criterion),
                    naming.rater(pair.raters[-1]),
                    Dressed(value=naming.rater(pair.raters[0]), link=_behind(naming, pair)),
                ),
                values=tuple(
                    Dressed(value=estimate, shade=shade(estimate))
                    if name in known and (estimate := pair.estimates.get(name))
                    else None
                    for name in _BESIDE
                ),
            )
            for pair in report.each
            for known in [STATISTICS[lookup.line_of(report, pair.criterion).measurement]]
        ),
    )


def systems(report: JudgesReport, naming: Naming) -> Table:
    """Means of generators, beside the item level."""
    return table(
        "judges_systems",
        _("Judges at system level, beside the item level"),
        _(
            "Each generator is a point: the mean of its items that both rated, in points of the "
            "scale. The ranges are those when any one generator is left out."
        ),
        about=by_judge(),
        columns=[
            Column("icc_c1", short_name("icc_c1"), digits=_FINE),
            Column("icc_c1_without_one", _("ICC(C,1) without one generator")),
            Column("icc_a1", short_name("icc_a1"), digits=_FINE),
            Column("icc_a1_without_one", _("ICC(A,1) without one generator")),
            Column("mean_x", _("People, mean"), digits=_FINE),
            Column("mean_y", _("Judge, mean"), digits=_FINE),
            Column("item_icc_c1", _("Item level, ICC(C,1)")),
            Column("generators", _("Generators")),
        ],
        counts=False,
        lines=(
            Line(about=_what(naming, one), values=_of_systems(one, one.systems))
            for one in report.against
            if one.systems
        ),
    )


def _of_systems(one: Against, level: SystemComparison) -> tuple[Value, ...]:
    return (
        level.estimates["icc_c1"],
        between(level.without["icc_c1"].values(), "icc_c1"),
        level.estimates["icc_a1"],
        between(level.without["icc_a1"].values(), "icc_a1"),
        level.estimates["mean_x"],
        level.estimates["mean_y"],
        one.item.estimates.get("icc_c1"),
        Plain(f"{len(level.systems)}", " ".join(level.systems)),
    )


def tests(report: JudgesReport, naming: Naming) -> Table:
    return table(
        "judges_alternative",
        _("Alternative annotator test"),
        _(
            "Each person is left out in turn, and the judge wins against one whose lead over it in "
            "agreeing with the others is below ε (one-sided test by dialogue, Benjamini-Yekutieli over "
            "people and criteria, false discoveries at 0.05). ω: people it wins against; the test is passed from half "
            "of them on. ρ: how often the judge is as close to the others as the person or closer."
        ),
        about=by_judge(),
        columns=[
            Column("people", _("People")),
            Column("items", _("Items")),
            Column("advantage", _("ρ")),
            *(
                Column(f"omega_at_{epsilon:g}", _("ω at ε = %(e)s") % {"e": f"{epsilon:g}"})
                for epsilon in SWEEP
            ),
            Column("passes_from", _("Outcome"), is_words=True),
        ],
        counts=False,
        lines=(
            Line(about=_what(naming, one), values=_of_test(naming, one, one.test))
            for one in report.beside
            if one.test
        ),
    )


def _of_test(naming: Naming, one: BesidePeople, test: Domain) -> tuple[Told, ...]:
    m = len(test.against)
    skipped = [
        f"{naming.rater(one.people[each.person]).text} ({each.n_items})"
        for each in test.skipped
        if one.people
    ]
    return (
        count(m),
        words.from_to([each.advantage.n_items for each in test.against]),
        test.advantage,
        *(
            None if omega is None else _won(round(omega * m), m, omega)
            for _epsilon, omega in test.sweep
        ),
        Dressed(value=words.outcome_of(test), small=words.left_out_of_test(skipped)),
    )


def _won(n: int, m: int, omega: float) -> Dressed:
    """Marked where the test is passed."""
    value = Plain(_("%(won)s of %(m)s") % {"won": n, "m": m}, omega)
    return Dressed(value=value, badge="done" if omega >= PASSING else "")


def tests_by_person(report: JudgesReport, naming: Naming) -> Table:
    """What the alternative-annotator test rests on."""
    return table(
        "judges_alternative_people",
        _("Alternative annotator test, person by person"),
        _(
            "The share of items on which the judge is as close to the other people as this person, "
            "or closer; how far it is behind; and the p-values of its winning, which are marked "
            "where it wins after the correction."
        ),
        about=[*by_judge(), Column("person", _("Person"))],
        columns=[
            Column("items", _("Items")),
            Column("advantage", _("Judge as close or closer")),
            Column("shortfall", _("Judge behind the person")),
            *(
                Column(f"p_at_{epsilon:g}", _("p at ε = %(e)s") % {"e": f"{epsilon:g}"})
                for epsilon in SWEEP
            ),
            Column("test", _("Test"), is_words=True),
        ],
        counts=False,
        lines=(
            Line(about=(*_what(naming, one), naming.rater(one.people[person])), values=values)
            for one in report.beside
            if one.test and one.people
            for person, values in _by_person(one.test)
        ),
    )


def _by_person(test: Domain) -> Iterator[tuple[int, tuple[Told, ...]]]:
    """(place of the person, values), those last who share too few items."""
    yield from ((each.person, _against_person(each)) for each in test.against)
    for skipped in test.skipped:
        nothing = [None] * (2 + len(SWEEP))
        yield skipped.person, (count(skipped.n_items), *nothing, words.too_few_to_test())


def _against_person(each: AgainstPerson) -> tuple[Told, ...]:
    return (
        count(each.advantage.n_items),
        each.advantage,
        each.shortfall,
        *(
            Dressed(value=words.p_value(p), badge="done" if is_won else "")
            for _epsilon, p, is_won in each.sweep
        ),
        words.name_of_test(each.test),
    )


def strata(report: JudgesReport, naming: Naming) -> Table:
    return table(
        "judges_strata",
        _("Where people agree, and where they do not"),
        _(
            "Agreement of the judge with people on the items that two people or more rated, apart "
            "by whether these all gave the same. The mean distance is in points of the scale."
        ),
        about=[*by_judge(), Column("stratum", _("People gave"))],
        columns=[Column("items", _("Items")), *of_statistics(_BESIDE)],
        lines=(
            Line(
                about=(*_what(naming, one), Plain(str(STRATA[each.stratum]), each.stratum.value)),
                values=(count(each.n), *(each.estimates.get(name) for name in _BESIDE)),
            )
            for one in report.beside
            for each in one.strata
        ),
    )


def cautions(report: JudgesReport, naming: Naming) -> Table:
    return table(
        "judges_caution",
        _("How often there is no value, by how much people differ"),
        _(
            "The share of answers without a value, “cannot judge” or unreadable, of all runs of the "
            "judge and of people, on the items that two people or more gave a value. People differ "
            "by the mean distance of two of them in points of the scale, or by the share of pairs "
            "with different labels."
        ),
        about=[*by_judge(), Column("dispute", _("People differ by"))],
        columns=[Column("of_judge", _("The judge")), Column("of_people", _("People"))],
        lines=(
            Line(
                about=(*_what(naming, one), words.dispute(each.low, each.high)),
                values=(each.of_judge, _with_answers(each.of_people)),
            )
            for one in report.cautions
            for each in one.steps
        ),
    )


def caution_more(report: JudgesReport, naming: Naming) -> Table:
    return table(
        "judges_caution_more",
        _("How much more often there is no value where people differ"),
        _(
            "The share of answers without a value where people differ, minus that where they "
            "agree. Who is careful is above 0."
        ),
        about=by_judge(),
        columns=[Column("more", _("The judge")), Column("more_of_people", _("People"))],
        lines=(
            Line(about=_what(naming, one), values=(one.more, one.more_of_people))
            for one in report.cautions
        ),
    )


def severity(report: JudgesReport, naming: Naming) -> Table:
    """The severity curves, with what one person does beside another."""
    return table(
        "judges_severity",
        _("Judges minus people or gold, value by value"),
        _(
            "Mean difference in points of the scale over the pairs in which people, or gold, gave "
            "the value; and of one person beside the others, for chance alone tilts both."
        ),
        about=[*by_judge(), _by_reference(), Column("level", _("Given"))],
        columns=[
            Column("gap", _("Judge minus that")),
            Column("gap_of_people", _("Another person minus that")),
        ],
        lines=(
            Line(
                about=(*_what(naming, one), _reference(one), Plain(f"{each.level:g}", each.level)),
                values=(each.gap, people.get(each.level)),
            )
            for one in report.against
            for people in [{each.level: each.gap for each in one.shape.levels_of_people}]
            for each in one.shape.levels
        ),
    )


def differences(report: JudgesReport, naming: Naming) -> Table:
    """The Bland-Altman plots."""
    return table(
        "judges_differences",
        _("Differences of judges and people or gold (Bland-Altman)"),
        _(
            "In points of the scale. The limits of agreement are the bias minus and plus 1.96 "
            "standard deviations of the differences."
        ),
        about=[*by_judge(), _by_reference()],
        columns=named(DIFFERENCES),
        lines=(
            Line(
                about=(*_what(naming, one), _reference(one)),
                values=tuple(one.shape.differences.get(name) for name in DIFFERENCES),
            )
            for one in report.against
            if one.shape.differences
        ),
    )


def scale_use(report: JudgesReport, naming: Naming) -> Table:
    return table(
        "judges_scale_use",
        _("How judges use the scale"),
        _(
            "Standard deviations in points of the scale, and how often the highest value is given, "
            "over the same pairs of ratings."
        ),
        about=[*by_judge(), _by_reference()],
        columns=named(_OF_USE),
        lines=(
            Line(
                about=(*_what(naming, one), _reference(one)),
                values=tuple(one.shape.use.get(name) for name in _OF_USE),
            )
            for one in report.against
            if one.shape.use
        ),
    )


def labels(report: JudgesReport, naming: Naming) -> Table:
    def name(one: Against, label: float) -> Plain:
        (text,) = point_names(naming.rubric, one.criterion, [label])
        return Plain(text, f"{label:g}")

    return table(
        "judges_labels",
        _("Judges label by label"),
        _(
            "Found: of the pairs of ratings in which the reference gives the label, the share in which "
            "the judge gives it (recall). Right: of those in which the judge gives it, the share in "
            "which the reference does (precision). With several people an item is in as many pairs "
            "as people rated it; of several runs of a judge the pairs are those of one on average."
        ),
        about=[*by_judge(), _by_reference(), Column("label", _("Label"))],
        columns=[
            Column("n", _("Pairs with it"), is_tally=True),
            Column("recall", _("Found")),
            Column("n_given", _("Given by the judge"), is_tally=True),
            Column("precision", _("Right")),
        ],
        lines=(
            Line(
                about=(*_what(naming, one), _reference(one), name(one, each.label)),
                values=(count(each.n), each.recall, count(each.n_given), each.precision),
                made_of=each.counts,
            )
            for one in report.against
            for each in one.shape.labels
        ),
    )


def leanings(report: JudgesReport, naming: Naming) -> Table:
    return table(
        "judges_leanings",
        _("Length of the reply and self-preference"),
        _(
            "How many more points than the reference the judge gives a reply of twice the "
            "length, by regression of the difference on the logarithm of the length; and how "
            "much it favours replies of its own family over others, beyond what its peers do, "
            "once the reference is taken off."
        ),
        about=[*by_judge(), _by_reference()],
        columns=named(("per_doubling", *_OF_PREFERENCE)),
        lines=(
            Line(
                about=(*_what(naming, one), _reference(one)),
                values=(
                    one.leanings.verbosity,
                    *(one.leanings.preference.get(name) for name in _OF_PREFERENCE),
                ),
            )
            for one in report.against
            if one.leanings.verbosity or one.leanings.preference
        ),
    )


def halos(report: JudgesReport, naming: Naming) -> Table:
    return table(
        "judges_halo",
        _("Halo: one rating on every criterion"),
        _(
            "Share of items on which the criteria that share a scale all get the same rating; of "
            "people over the ratings of each person, and the difference over the same items."
        ),
        about=[by_judge()[1], Column("criteria", _("Criteria"))],
        columns=[
            Column("of_judge", _("The judge")),
            Column("of_people", _("People")),
            Column("more", _("Judge minus people")),
        ],
        lines=(
            Line(
                about=(
                    naming.rater(one.judge),
                    Plain(
                        listed(naming.criterion(key).text for key in one.criteria),
                        " ".join(one.criteria),
                    ),
                ),
                values=(one.of_judge, _with_answers(one.of_people), _with_size(one.more)),
            )
            for one in report.halos
        ),
    )


def _with_answers(estimate: Estimate | None) -> Dressed | None:
    """A share of answers: they are no pairs."""
    if estimate is None:
        return None
    words = {"items": items(estimate.n_items), "pairs": answers(estimate.n_pairs)}
    return Dressed(value=estimate, small=_("%(items)s, %(pairs)s") % words)


def _with_size(estimate: Estimate | None) -> Dressed | None:
    """It may rest on other items than what stands beside it."""
    return Dressed(value=estimate, small=size(estimate)) if estimate else None


def repeats(report: JudgesReport, naming: Naming) -> Table:
    return table(
        "judges_repeats",
        _("Judges asked again"),
        _(
            "Flip rate: how often two answers to one item differ. Always the same answer: share of "
            "items. Entropy of the answers in bits. Then agreement between the repeats, and items "
            "whose answers have no majority."
        ),
        about=by_judge(),
        columns=[
            Column("times", _("Times")),
            *_finely(_OF_REPEATS),
            Column("ties", _("No majority")),
        ],
        lines=(
            Line(
                about=_what(naming, one),
                values=(
                    count(one.times),
                    *(one.estimates.get(name) for name in _OF_REPEATS),
                    count(one.n_ties),
                ),
            )
            for one in report.repeats
        ),
    )


def runs(report: JudgesReport, naming: Naming) -> Table:
    names = list(dict.fromkeys(name for names in OF_RUNS.values() for name in names))
    return table(
        "judges_runs",
        _("Each repeat against the reference"),
        _(
            "Every repeat of the judge alone, the mean over those that count elsewhere, and the commonest "
            "answer (an item without a majority is left out). Precision, recall and F1 are weighted by "
            "label; bias in points of the scale."
        ),
        about=[*by_judge(), _by_reference(), Column("repeat", _("Repeat"))],
        columns=_finely(names),
        lines=(
            Line(
                about=(*_what(naming, one), _reference(one), repeat),
                values=tuple(estimates.get(name) for name in names),
            )
            for one in report.against
            for repeat, estimates in _each_run(one)
        ),
    )


def _each_run(one: Against) -> Iterator[tuple[Plain, Mapping[str, Estimate]]]:
    if one.runs is None:
        return
    for place, estimates in enumerate(one.runs.each, start=1):
        yield count(place), estimates
    yield Plain(_("mean"), "mean"), one.runs.mean
    yield Plain(_("majority"), "majority"), one.runs.majority


def versions(report: JudgesReport, naming: Naming) -> Table:
    """Two judges on the same items."""
    told = (name for names in OF_VERSIONS.values() for name in names)
    names = list(dict.fromkeys((*_BESIDE, *told)))
    return table(
        "judges_compared",
        _("Judges compared with each other"),
        _(
            "How well the second judge agrees with the reference, minus how well the first does, "
            "over the items that both rated; the interval is that of the difference. Last the "
            "agreement of the two with each other, κ for labels and ICC(A,1) for scores."
        ),
        about=[Column("criterion", _("Criterion")), Column("judges", _("Judges")), _by_reference()],
        columns=[*of_statistics(names), Column("between", _("The two with each other"))],
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    words.pair(naming, one),
                    Plain(str(REFERENCES[one.reference]), one.reference.value),
                ),
                values=(
                    *(
                        as_difference(one.differences[name]) if name in one.differences else None
                        for name in names
                    ),
                    _between(one, LEADING[lookup.line_of(report, one.criterion).measurement]),
                ),
            )
            for one in report.versions
        ),
    )


def _between(one: Versus, statistic: str) -> Dressed:
    return Dressed(value=one.between[statistic], small=short_name(statistic))


def _finely(names: Sequence[str]) -> list[Column]:
    return [replace(column, digits=_FINE) for column in of_statistics(names)]


def _behind(naming: Naming, one: Comparison) -> str:
    """The page of what stands behind figures."""
    return naming.link("agreement_comparison", **place_of(one)._asdict())


def _by_reference() -> Column:
    return Column("reference", _("Against"))


def _reference(one: Against) -> Plain:
    return Plain(str(REFERENCES[one.reference]), one.reference.value)


def _what(naming: Naming, one: Against | BesidePeople | Caution | Repeats) -> tuple[Plain, Plain]:
    return naming.criterion(one.criterion), naming.rater(one.judge)


def latent(report: JudgesReport, naming: Naming) -> Table:
    """A line a criterion and judge, each weighed by itself beside the people."""
    return latent_table(
        "judges_latent",
        _("Beside a truth that nobody knows: judges"),
        Column("judge", _("Judge")),
        report.latent,
        report.criteria,
        naming,
    )
