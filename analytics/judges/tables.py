"""Judges beside people and gold: ceiling, alternative annotators, strata, leanings, repeats."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics.judges.numbers import (
    OF_RUNS,
    OF_VERSIONS,
    Against,
    BesidePeople,
    JudgesReport,
    Repeats,
)
from analytics.judges.page import REFERENCES
from analytics.present.naming import Naming
from analytics.present.tables import (
    Column,
    Line,
    Plain,
    Table,
    Value,
    by_judge,
    count,
    named,
    of_statistics,
    table,
)
from analytics.present.words import as_difference, point_names, short_name
from analytics.stats.alternative import PASSING, SWEEP, Domain
from analytics.stats.dispersion import Stratum
from analytics.stats.estimates import Estimate

_OF_USE = ("sd_human", "sd_judge", "sd_ratio", "top_human", "top_judge", "top_difference")
_OF_PREFERENCE = ("own_gap", "peers_gap", "self_preference")
_OF_REPEATS = ("flip_rate", "unanimous", "entropy", "icc_11", "alpha_ordinal", "fleiss")
_OF_STRATA = ("icc_a1", "icc_c1", "mae", "kappa", "ac1", "exact")
_STRATA: Mapping[Stratum, Promise] = {
    Stratum.UNANIMOUS: gettext_lazy("all the same"),
    Stratum.SPLIT: gettext_lazy("not the same"),
}


def tables(report: JudgesReport, naming: Naming) -> Iterator[Table]:
    """Every table of this part."""
    yield _ceilings(report, naming)
    yield _tests(report, naming)
    yield _strata(report, naming)
    yield _scale_use(report, naming)
    yield _labels(report, naming)
    yield _leanings(report, naming)
    yield _halos(report, naming)
    yield _repeats(report, naming)
    yield _runs(report, naming)
    yield _versions(report, naming)


def _ceilings(report: JudgesReport, naming: Naming) -> Table:
    return table(
        "judges_ceiling",
        _("Judges under the ceiling of people"),
        _(
            "Each person is left out in turn: the person and the judge are both compared with the "
            "consensus of the others, and the means over the people left out are shown. "
            "Difference: the judge less the person, over the same items."
        ),
        about=[*by_judge(), Column(key="statistic_of", head=_("Statistic"))],
        columns=[
            Column(key="people", head=_("A person")),
            Column(key="of_judge", head=_("The judge")),
            Column(key="difference", head=_("Difference")),
            Column(key="share", head=_("Share of the ceiling")),
        ],
        lines=(
            Line(
                about=(*_what(naming, one), Plain(short_name(name), name)),
                values=(
                    under.people,
                    under.judge,
                    as_difference(under.difference),
                    replace(under.share, statistic="share_of_ceiling"),
                ),
            )
            for one in report.beside
            for name, under in one.ceiling.items()
        ),
    )


def _tests(report: JudgesReport, naming: Naming) -> Table:
    return table(
        "judges_alternative",
        _("Alternative annotator test"),
        _(
            "Each person is left out in turn, and the judge wins against one whose lead over it in "
            "agreeing with the others is below ε (one-sided test, Benjamini-Yekutieli over people, "
            "false discoveries at 0.05). ω: people it wins against; the test is passed from half "
            "of them on. ρ: how often the judge is as close to the others as the person or closer."
        ),
        about=by_judge(),
        columns=[
            Column(key="people", head=_("People")),
            Column(key="advantage", head=_("ρ")),
            *(
                Column(
                    key=f"omega_at_{epsilon:g}", head=_("ω at ε = %(e)s") % {"e": f"{epsilon:g}"}
                )
                for epsilon in SWEEP
            ),
            Column(key="passes_from", head=_("Passes from ε")),
        ],
        lines=(
            Line(about=_what(naming, one), values=_of_test(one.test))
            for one in report.beside
            if one.test
        ),
    )


def _of_test(test: Domain) -> tuple[Value, ...]:
    m = len(test.against)
    passing = [epsilon for epsilon, omega in test.sweep if omega is not None and omega >= PASSING]
    return (
        count(m),
        test.advantage,
        *(
            None
            if omega is None
            else Plain(_("%(won)s of %(m)s") % {"won": round(omega * m), "m": m}, omega)
            for _epsilon, omega in test.sweep
        ),
        Plain(f"{passing[0]:g}", passing[0]) if passing else Plain("–", None),
    )


def _strata(report: JudgesReport, naming: Naming) -> Table:
    return table(
        "judges_strata",
        _("Where people agree, and where they do not"),
        _(
            "Agreement of the judge with people on the items that two people or more rated, apart "
            "by whether these all gave the same. The mean distance is in points of the scale."
        ),
        about=[*by_judge(), Column(key="stratum", head=_("People gave"))],
        columns=[Column(key="items", head=_("Items")), *of_statistics(_OF_STRATA)],
        lines=(
            Line(
                about=(*_what(naming, one), Plain(str(_STRATA[each.stratum]), each.stratum.value)),
                values=(count(each.n), *(each.estimates.get(name) for name in _OF_STRATA)),
            )
            for one in report.beside
            for each in one.strata
        ),
    )


def _scale_use(report: JudgesReport, naming: Naming) -> Table:
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


def _labels(report: JudgesReport, naming: Naming) -> Table:
    def name(one: Against, label: float) -> Plain:
        (text,) = point_names(naming.rubric, one.criterion, [label])
        return Plain(text, f"{label:g}")

    return table(
        "judges_labels",
        _("Judges label by label"),
        _(
            "Found: of the items that the reference gives the label, the share to which the judge "
            "gives it (recall). Right: of those to which the judge gives it, the share in which "
            "the reference does (precision)."
        ),
        about=[*by_judge(), _by_reference(), Column(key="label", head=_("Label"))],
        columns=[
            Column(key="n", head=_("Items with it")),
            Column(key="recall", head=_("Found")),
            Column(key="n_given", head=_("Given by the judge")),
            Column(key="precision", head=_("Right")),
        ],
        lines=(
            Line(
                about=(*_what(naming, one), _reference(one), name(one, each.label)),
                values=(count(each.n), each.recall, count(each.n_given), each.precision),
            )
            for one in report.against
            for each in one.shape.labels
        ),
    )


def _leanings(report: JudgesReport, naming: Naming) -> Table:
    return table(
        "judges_leanings",
        _("Length of the reply and self-preference"),
        _(
            "Points that the judge gives more than the reference to a reply of twice the length, "
            "by regression of the difference on the logarithm of the length; and how much more "
            "than its peers, less the reference, it gives replies of its own family than others."
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


def _halos(report: JudgesReport, naming: Naming) -> Table:
    return table(
        "judges_halo",
        _("Halo: one rating on every criterion"),
        _(
            "Share of items on which the criteria that share a scale all get the same rating; of "
            "people over the ratings of each person, and the difference over the same items."
        ),
        about=[by_judge()[1], Column(key="criteria", head=_("Criteria"))],
        columns=[
            Column(key="of_judge", head=_("The judge")),
            Column(key="of_people", head=_("People")),
            Column(key="more", head=_("Judge less people")),
        ],
        lines=(
            Line(
                about=(
                    naming.rater(one.judge),
                    Plain(
                        ", ".join(naming.criterion(key).text for key in one.criteria),
                        " ".join(one.criteria),
                    ),
                ),
                values=(one.of_judge, one.of_people, one.more),
            )
            for one in report.halos
        ),
    )


def _repeats(report: JudgesReport, naming: Naming) -> Table:
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
            Column(key="times", head=_("Times")),
            *of_statistics(_OF_REPEATS),
            Column(key="ties", head=_("No majority")),
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


def _runs(report: JudgesReport, naming: Naming) -> Table:
    names = list(dict.fromkeys(name for names in OF_RUNS.values() for name in names))
    return table(
        "judges_runs",
        _("Each repeat against the reference"),
        _(
            "Every repeat of the judge alone, the mean over the repeats, and the commonest answer "
            "(an item without a majority is left out). Precision, recall and F1 are weighted by "
            "label; bias in points of the scale."
        ),
        about=[*by_judge(), _by_reference(), Column(key="repeat", head=_("Repeat"))],
        columns=of_statistics(names),
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


def _versions(report: JudgesReport, naming: Naming) -> Table:
    names = list(dict.fromkeys(name for names in OF_VERSIONS.values() for name in names))
    return table(
        "judges_compared",
        _("Judges compared with each other"),
        _(
            "Agreement of the second judge with the reference less that of the first, over the "
            "items that both rated; the interval is that of the difference."
        ),
        about=[
            Column(key="criterion", head=_("Criterion")),
            Column(key="judges", head=_("Judges")),
            _by_reference(),
        ],
        columns=of_statistics(names),
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    Plain(
                        _("%(second)s less %(first)s")
                        % {
                            "second": naming.rater(one.other).text,
                            "first": naming.rater(one.one).text,
                        },
                        f"{naming.rater(one.other).exact} {naming.rater(one.one).exact}",
                    ),
                    Plain(str(REFERENCES[one.reference]), one.reference.value),
                ),
                values=tuple(
                    as_difference(one.differences[name]) if name in one.differences else None
                    for name in names
                ),
            )
            for one in report.versions
        ),
    )


def _by_reference() -> Column:
    return Column(key="reference", head=_("Against"))


def _reference(one: Against) -> Plain:
    return Plain(str(REFERENCES[one.reference]), one.reference.value)


def _what(naming: Naming, one: Against | BesidePeople | Repeats) -> tuple[Plain, Plain]:
    return naming.criterion(one.criterion), naming.rater(one.judge)
