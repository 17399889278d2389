"""Agreement at item and at system level, confusion, severity, differences, and what went in."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from accounts.punctuation import clauses, in_turn, labelled, listed
from analytics.agreement.detail import as_asked
from analytics.agreement.numbers import CriterionLine, DerivedScore, RaterQuality, Report
from analytics.agreement.questions import (
    OF_PAIR,
    OF_PANEL,
    NodeAgreement,
    Questions,
    questions_of,
)
from analytics.agreement.rounds import rounds
from analytics.agreement.words import (
    held_by,
    left_out,
    of_its_own,
    of_many_raters,
    own_generators,
)
from analytics.comparisons.constant import StrawMen
from analytics.comparisons.kinds import SINGLE, Comparison, Kind
from analytics.comparisons.systems import SystemComparison
from analytics.measures import FAMILIES, FAMILY_NAMES, NAMES, whole
from analytics.present import straw_men
from analytics.present.basis import TableBasis
from analytics.present.charts import strips
from analytics.present.naming import Naming
from analytics.present.places import (
    PANELS,
    criterion_line,
    estimate_of,
    leading,
    place_of,
    straw_man_beside,
    suited_to,
)
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
    shade,
    table,
)
from analytics.present.viewing import distinct_views, view_name
from analytics.present.words import (
    SUMMARY_NAMES,
    number,
    point_names,
    reason_name,
    size,
    told,
    who,
)
from analytics.ratings.matrices import StudyRatings, View
from analytics.stats.estimates import Estimate
from annotation.queries.wording import said
from annotation.rubric.schema import Node, Rubric, Taxonomy

SUMMARIES = (Kind.HUMANS, Kind.JUDGE_HUMANS, Kind.JUDGE_GOLD, Kind.JUDGE_REPEATS)
_ON_PAPER = (Kind.JUDGE_HUMANS, Kind.JUDGE_GOLD)
_SYSTEM = ("icc_c1", "icc_a1", "mean_x", "mean_y", "bias")
_IN_EACH_VIEW = ("icc_c1", "icc_a1", "mean_x", "mean_y")
_FINE = 3  # digits that the means of few generators are told with
_IN_USE = 1  # how strongly cells of the view in use are coloured

Reports: TypeAlias = Mapping[View, Report]


def tables(basis: TableBasis) -> Iterator[Table]:
    """Every table of this part; those that take the ratings come last."""
    report, naming = basis.report, basis.naming
    yield at_a_glance(report, naming)
    yield item_level(report, naming)
    yield system_level(report, naming)
    *_others, released = basis.reports.values()
    if report.view.is_plain and released is not report:
        yield item_level(released, naming)
        yield system_level(released, naming)
    yield what_went_in(report, naming)
    yield rounds(basis.rounds, naming)
    yield derived_scores(report, naming)
    yield with_and_without(basis.reports, naming)
    yield the_same_without(basis.reports, naming)
    yield systems_with_and_without(basis.reports, naming)
    yield from confusions(basis.whole, naming)
    yield single_raters(basis.whole, naming)
    asked = _asked_for(basis)
    found = [
        as_asked(basis.ratings, report, one, basis.choices.get("intervals", "")) for one in asked
    ]
    yield statistics(basis.whole, naming, found or basis.whole.comparisons)
    panels = [one for one in basis.whole.comparisons if one.kind in SUMMARIES]
    yield questions(basis.whole, naming, basis.ratings, asked or panels)


def _asked_for(basis: TableBasis) -> list[Comparison]:
    """The one comparison that a reader looks at."""
    chosen = (basis.choices.get("criterion"), basis.choices.get("who"))
    report, naming = basis.whole, basis.naming
    return [one for one in report.comparisons if (one.criterion, key_of(naming, one)) == chosen]


def at_a_glance(report: Report, naming: Naming) -> Table:
    """The leading figure of people among themselves, and a column a judge with them."""
    judges = [rater.id for rater in report.raters if rater.is_judge]
    compared = {(one.criterion, one.kind, one.raters[-1]): one for one in report.comparisons}
    people = {one.criterion: one for one in report.comparisons if one.kind is Kind.HUMANS}
    caption = _(
        "Item level: each rated item is a point. What people reach among themselves is the "
        "ceiling: a judge that agrees with people as well as they do among themselves is as good "
        "as this rubric lets one be. Bias is the judge minus people."
    )
    no_ceiling = _(
        "No item has been rated by two people, so there is no ceiling, and nobody can say how good "
        "a judge could be."
    )
    return table(
        _key("at_a_glance", report),
        _title(_("People and judges at a glance"), report),
        caption if people else f"{caption} {no_ceiling}",
        about=[Column("criterion", _("Criterion"))],
        columns=[
            Column("humans", _("People among themselves")),
            *(Column(str(name.exact), name.text) for name in map(naming.rater, judges)),
        ],
        lines=(
            Line(
                about=(_with_its_statistic(report, naming, line),),
                values=(
                    _leading_cell(report, naming, line, people.get(line.key)),
                    *(
                        _leading_cell(report, naming, line, one) or Plain(_("not rated"), None)
                        for one in found
                    ),
                ),
                made_of=tuple(
                    chain(*(_made_of(report, one) for one in (people.get(line.key), *found) if one))
                ),
            )
            for line in report.criteria
            if report.comparisons
            for found in [[compared.get((line.key, Kind.JUDGE_HUMANS, judge)) for judge in judges]]
        ),
        counts=False,
        is_for_screen=True,
    )


def _with_its_statistic(report: Report, naming: Naming, line: CriterionLine) -> Dressed:
    return Dressed(
        value=naming.criterion(line.key),
        link=naming.link("agreement_criterion", criterion=line.key),
        small=str(FAMILY_NAMES[leading(report, line)]),
    )


def _leading_cell(
    report: Report, naming: Naming, line: CriterionLine, one: Comparison | None
) -> Dressed | None:
    """Coloured by its value, with the bias and how much it rests on."""
    if one is None:
        return None
    estimate = estimate_of(report, one, leading(report, line))
    if estimate is None:
        return None
    bias = estimate_of(report, one, "bias")
    beside = [_("bias %(bias)s") % {"bias": number(bias.value, "bias")}] if bias else []
    return Dressed(
        value=estimate,
        link=naming.link("agreement_comparison", **place_of(one)._asdict()),
        small=" · ".join([*beside, size(estimate)]),
        shade=shade(estimate),
    )


def item_level(report: Report, naming: Naming) -> Table:
    """A row a comparison, a column a family of statistics."""
    return table(
        _key("item_level", report),
        _title(_("Agreement at item level"), report),
        _(
            "Each rated item is a point. κ is Fleiss’ among people and Cohen’s between two; α is "
            "Krippendorff’s, of the level of measurement; bias in points of the scale, the judge "
            "minus people or gold. In brackets intervals (95 %). Last come the straw men: of all "
            "judges that would say the same to every item, the one that scores highest."
        ),
        about=_by_comparison(),
        columns=_families(),
        lines=(
            *_of_families(report, naming, SUMMARIES),
            *_of_straw_men(report, naming),
        ),
        notes=[left_out(report)],
    )


def single_raters(report: Report, naming: Naming) -> Table:
    """The same for each two people, and for each judge with each of them."""
    return table(
        _key("single_raters", report),
        _title(_("Agreement of single raters at item level"), report),
        _(
            "Each two people, and each judge with each person; bias in points of the scale, the "
            "second minus the first."
        ),
        about=_by_comparison(),
        columns=_families(),
        lines=_of_families(report, naming, SINGLE),
        notes=[left_out(report), *of_many_raters(report)],
        is_for_screen=True,
    )


def statistics(report: Report, naming: Naming, comparisons: Iterable[Comparison]) -> Table:
    """A row a statistic, those first that suit best."""
    return table(
        "statistics",
        _("Statistic by statistic"),
        _("Each rated item is a point; with several people every pair of ratings counts."),
        about=[*_by_comparison(), Column("statistic_of", _("Statistic"))],
        columns=[Column("value", _("Value"))],
        lines=(
            Line(
                about=(*_what(report, naming, one), Plain(str(NAMES[name]), name)),
                values=(one.estimates[name],),
                made_of=_made_of(report, one),
            )
            for one in comparisons
            for name in _in_order(report, one)
        ),
        notes=[left_out(report)],
        is_for_screen=True,
    )


def system_level(report: Report, naming: Naming) -> Table:
    """A row a judge and criterion: each generator's mean is a point."""
    columns = [
        Column(name, str(FAMILY_NAMES.get(name) or NAMES[name]), digits=_FINE) for name in _SYSTEM
    ]
    columns[1:1] = [Column("icc_c1_without_one", _("ICC(C,1) without one generator"))]
    return table(
        _key("system_level", report),
        _title(_("Agreement at system level: means of generators"), report),
        _(
            "Each generator is a point: its mean over the items that both rated. Means and bias in "
            "points of the scale. The range is that of ICC(C,1) when any one generator is left out."
        ),
        about=by_judge()[::-1],
        columns=[
            *columns,
            Column("item_icc_c1", _("Item level, ICC(C,1)")),
            Column("item_icc_a1", _("Item level, ICC(A,1)")),
            Column("generators", _("Generators")),
        ],
        lines=(
            Line(
                about=(_judge(report, naming, one.judge), naming.criterion(one.criterion)),
                values=_of_systems(report, one),
            )
            for one in report.systems
        ),
        notes=[left_out(report)],
        counts=False,
    )


def _of_systems(report: Report, one: SystemComparison) -> tuple[Value, ...]:
    first, *others = (one.estimates.get(name) for name in _SYSTEM)
    items: Mapping[str, Estimate] = next(
        (
            item.estimates
            for item in report.comparisons
            if item.kind is Kind.JUDGE_HUMANS
            and (item.raters[-1], item.criterion) == (one.judge, one.criterion)
        ),
        {},
    )
    return (
        first,
        between(one.without["icc_c1"].values(), "icc_c1"),
        *others,
        items.get("icc_c1"),
        items.get("icc_a1"),
        Plain(f"{len(one.systems)}", " ".join(one.systems)),
    )


def systems_with_and_without(reports: Reports, naming: Naming) -> Table:
    """Each figure over generators in every view that differs; no line where there is one view."""
    views, shown = _views(reports)
    first = next(iter(reports.values()))
    return table(
        "systems_with_and_without",
        _("System level with and without doubtful values"),
        _("Each generator is a point. In use is what all other figures are computed with."),
        about=by_judge()[::-1],
        columns=[
            Column(f"{name} {key}", clauses((_short(name), head)), digits=_FINE)
            for name in _IN_EACH_VIEW
            for key, head in shown.items()
        ],
        lines=(
            Line(
                about=(naming.rater(one.judge), naming.criterion(one.criterion)),
                values=tuple(
                    _in_view(reports[view], first, found.estimates.get(name) if found else None)
                    for name in _IN_EACH_VIEW
                    for view in views
                    for found in [_same_systems(reports[view], one)]
                ),
            )
            for one in first.systems
            if len(views) > 1
        ),
        counts=False,
    )


def with_and_without(reports: Reports, naming: Naming) -> Table:
    """The leading figures that doubtful values change in the digits that are shown."""
    return _in_every_view(
        "with_and_without",
        _("Leading figures with and without doubtful values"),
        reports,
        naming,
        are_alike=False,
    )


def the_same_without(reports: Reports, naming: Naming) -> Table:
    """Those that they do not change."""
    return _in_every_view(
        "the_same_without",
        _("Leading figures that doubtful values do not change"),
        reports,
        naming,
        are_alike=True,
    )


def _in_every_view(
    key: str, title: str, reports: Reports, naming: Naming, *, are_alike: bool
) -> Table:
    views, shown = _views(reports)
    return table(
        key,
        title,
        _(
            "The leading statistic of each criterion at item level. Change: from what was released "
            "to what is left without all that is doubtful."
        ),
        about=[*_by_comparison(), Column("statistic_of", _("Statistic"))],
        columns=[
            *(Column(key, head) for key, head in shown.items()),
            Column("change", _("Change in all")),
        ],
        lines=_leading_lines(reports, views, naming, are_alike=are_alike),
        counts=False,
    )


def _leading_lines(
    reports: Reports, views: Sequence[View], naming: Naming, *, are_alike: bool
) -> Iterator[Line]:
    if len(views) < 2:
        return
    first = next(iter(reports.values()))
    families = {line.key: leading(first, line) for line in first.criteria}
    for one in reports[views[0]].comparisons:
        family = families[one.criterion]
        if one.kind not in (Kind.HUMANS, Kind.JUDGE_HUMANS):
            continue
        found = [_leading_of(reports[view], one, family) for view in views]
        if (len({estimate and told(estimate) for estimate in found}) == 1) is are_alike:
            yield Line(
                about=(
                    *_what(first, naming, one),
                    Plain(str(FAMILY_NAMES[family]), family),
                ),
                values=(
                    *(
                        _in_view(reports[view], first, estimate)
                        for view, estimate in zip(views, found, strict=True)
                    ),
                    _change(found[0], found[-1]),
                ),
                made_of=_made_of(first, one),
            )


def _leading_of(report: Report, comparison: Comparison, family: str) -> Estimate | None:
    place = place_of(comparison)
    same = next((one for one in report.comparisons if place_of(one) == place), None)
    return estimate_of(report, same, family) if same else None


def _same_systems(report: Report, of: SystemComparison) -> SystemComparison | None:
    place = (of.judge, of.criterion)
    return next((one for one in report.systems if (one.judge, one.criterion) == place), None)


def _in_view(report: Report, in_use: Report, estimate: Estimate | None) -> Told:
    """Coloured in the view that the other figures are in."""
    if estimate is None or _effective(report) != _effective(in_use):
        return estimate
    return Dressed(value=estimate, shade=_IN_USE)


def _views(reports: Reports) -> tuple[list[View], dict[str, str]]:
    """The views that differ, from as released to the plain one, and how columns are headed."""
    in_use = next(iter(reports.values()))
    held = held_by(in_use)
    views = [view for view in distinct_views(held, in_use.view.within) if view in reports]
    heads = {}
    for view in views:
        name = capfirst(view_name(view, held))
        key = f"off_scale={view.with_off_scale:d} set_aside={view.with_quarantined:d}"
        is_in_use = view == _effective(in_use)
        heads[key] = _("%(view)s (in use)") % {"view": name} if is_in_use else name
    return views, heads


def _effective(report: Report) -> View:
    """The view of a report, without what the study does not hold."""
    return View(
        with_off_scale=report.view.with_off_scale and bool(report.n_off_scale),
        with_quarantined=report.view.with_quarantined and bool(report.n_quarantined),
        within=report.view.within,
    )


def _change(first: Estimate | None, last: Estimate | None) -> Plain | None:
    if first is None or last is None or first.value is None or last.value is None:
        return None
    change = last.value - first.value
    return Plain(number(change, "bias") or "", change, (first.n_items, last.n_items))


def what_went_in(report: Report, naming: Naming) -> Table:
    """What each rater gave, and what was left out of it."""
    return table(
        "what_went_in",
        _("What went in"),
        _(
            "Ratings of each rater over all criteria. Off the scale: values that the rubric does "
            "not have, among the values."
        ),
        about=[Column("rater", _("Rater"))],
        columns=[
            Column("values", _("Values")),
            Column("off_scale", _("Off the scale")),
            Column("unscored", _("Without a value")),
            Column("reasons", _("Reasons for no value"), is_words=True),
        ],
        lines=(
            Line(about=(naming.rater(one.rater),), values=_of_quality(one))
            for one in report.quality
        ),
    )


def derived_scores(report: Report, naming: Naming) -> Table:
    """What is worked out from answers, and how often that could not be done."""
    return table(
        "derived_scores",
        _("Derived scores"),
        _(
            "Nobody is asked for these: they are worked out from the first answers that each "
            "rater gave to each item. Where one part has no value, the score has none, not even "
            "if another part is a red flag: counting only those would make flags look more "
            "common than they are."
        ),
        about=[Column("criterion", _("Derived score"))],
        columns=[
            Column("summary", _("Worked out as"), is_words=True),
            Column("made_of", _("From"), is_words=True),
            Column("values", _("Values")),
            Column("incomplete", _("A part has no value")),
        ],
        lines=(
            Line(about=(naming.criterion(one.criterion),), values=_of_derived(one, naming))
            for one in report.derived
        ),
    )


def _of_derived(one: DerivedScore, naming: Naming) -> tuple[Told, ...]:
    parts = [naming.criterion(part) for part in one.made_of]
    return (
        Plain(str(SUMMARY_NAMES[one.summary]), one.summary),
        Plain(listed(part.text for part in parts), " ".join(one.made_of)),
        count(one.n_values),
        Dressed(value=count(one.n_incomplete), badge="flag" if one.n_incomplete else ""),
    )


def _of_quality(one: RaterQuality) -> tuple[Told, ...]:
    reasons = in_turn(labelled(reason_name(reason), f"{n:,}") for reason, n in one.unscored.items())
    return (
        count(one.n_values),
        Dressed(value=count(one.n_off_scale), badge="flag" if one.n_off_scale else ""),
        count(sum(one.unscored.values())),
        Plain(reasons or "–", " ".join(f"{reason}={n}" for reason, n in one.unscored.items())),
    )


def confusions(report: Report, naming: Naming) -> Iterator[Table]:
    """How often one side gave a value where the other gave another: a table for what has the same
    values by the same names, and one more of each for single raters."""
    alike: dict[tuple[object, ...], list[Comparison]] = {}
    for one in report.comparisons:
        if one.table is not None:
            points = criterion_line(report, one.criterion).points
            names = point_names(naming.rubric, one.criterion, points)
            keys = _point_keys(naming.rubric, one.criterion, points)
            alike.setdefault((points, *keys, *names), []).append(one)
    for place, found in enumerate(alike.values(), start=1):
        points = criterion_line(report, found[0].criterion).points
        end = "" if place == 1 else f"_{place}"
        for is_single in (False, True):
            chosen = [one for one in found if (one.kind not in _ON_PAPER) is is_single]
            key = f"confusion_of_single_raters{end}" if is_single else f"confusion{end}"
            if chosen:
                yield _confusion(key, report, naming, points, chosen, is_single=is_single)


def _confusion(
    key: str,
    report: Report,
    naming: Naming,
    points: tuple[float, ...],
    chosen: Sequence[Comparison],
    *,
    is_single: bool,
) -> Table:
    names = point_names(naming.rubric, chosen[0].criterion, points)
    keys = _point_keys(naming.rubric, chosen[0].criterion, points)
    every = Plain(_("All"), "all")
    return table(
        key,
        _("How often which values meet: single raters")
        if is_single
        else _("How often which values meet"),
        _(
            "Pairs of ratings. The rows are what people or gold gave, the columns what the judge "
            "gave; of two people the first stands in the rows. The counts are exact and have no "
            "interval. For a judge asked several times they come from its first run that is not "
            "left out."
        ),
        about=[
            Column("criterion", _("Criterion")),
            Column("raters", _("Who")),
            Column("given", _("In the rows")),
        ],
        columns=[
            *(Column(key, name, is_tally=True) for key, name in zip(keys, names, strict=True)),
            Column("all", every.text, is_tally=True),
        ],
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    Plain(who(one, report), key_of(naming, one)),
                    given,
                ),
                values=counts,
            )
            for one in chosen
            for given, counts in zip(
                [*map(Plain, names, keys), every], _counts(naming, one, points), strict=True
            )
        ),
        notes=[left_out(report)],
        is_for_screen=is_single,
    )


def _counts(naming: Naming, one: Comparison, points: Sequence[float]) -> Iterator[tuple[Told, ...]]:
    """Row by row, each count with its share of the row as its colour; then the sums."""
    found = one.table or ()
    for row, counts in zip(points, found, strict=True):
        whole_row = sum(counts)
        yield (
            *(
                Dressed(
                    value=count(n),
                    link=_items(naming, one, row, column) if n else "",
                    shade=_shade(n, whole_row),
                    is_outlined=row == column,
                )
                for column, n in zip(points, counts, strict=True)
            ),
            count(whole_row),
        )
    yield (
        *(count(sum(column)) for column in zip(*found, strict=True)),
        count(sum(map(sum, found))),
    )


def _items(naming: Naming, one: Comparison, row: float, column: float) -> str:
    place = place_of(one)._asdict()
    cell = {"row": f"{row:g}", "column": f"{column:g}"}
    return naming.link("agreement_comparison_items", cell, **place)


def _shade(n: int, whole_row: int) -> int:
    return -(-5 * n // whole_row) if whole_row else 0


def questions(
    report: Report, naming: Naming, ratings: StudyRatings, comparisons: Iterable[Comparison]
) -> Table:
    names = list(dict.fromkeys(chain(*zip(OF_PANEL, OF_PAIR, strict=True))))
    found = [
        (one, questions)
        for one in comparisons
        if (questions := questions_of(ratings, one, view=report.view))
    ]
    return table(
        "questions",
        _("Question by question"),
        _(
            "Agreement at each question counts only the raters who reach it, whichever way they "
            "came, so later questions are about other items than the first. Beside it stands the "
            "share of all pairs of raters who part at this question for the first time; the "
            "shares add up to 100 %. An item with many raters counts by the share of its pairs. "
            "Where a judge is compared with others, its own answers come last."
        ),
        about=[*_by_comparison(), Column("question", _("Question"))],
        columns=[
            *named(["divergence"]),
            Column("most", _("Most part here"), is_words=True),
            Column("answers", _("Answers there")),
            Column("given", _("How they answered"), is_words=True),
            *named(names),
            Column("reached", _("Items that two or more reach")),
        ],
        lines=(
            Line(about=(*_what(report, naming, one), question), values=values)
            for one, questions in found
            for question, values in _of_questions(naming, one, questions, names)
        ),
        notes=[
            *(note for each in found if len(found) == 1 for note in _most_part(naming, *each)),
            left_out(report),
        ],
    )


def _of_questions(
    naming: Naming, one: Comparison, found: Questions, names: Sequence[str]
) -> Iterator[tuple[Plain, tuple[Told, ...]]]:
    axis = strips.axis_for([*(asked.part for asked in found.asked), found.never])
    for node, asked in _by_node(naming, one, found):
        name = said(node.question)
        yield (
            Plain(name, asked.node),
            (
                _drawn(naming, name, asked.part, axis),
                Plain(_("yes"), "yes") if asked is found.parting else None,
                _answers(asked),
                _given(node, asked),
                *map(asked.estimates.get, names),
                count(asked.n_items),
            ),
        )
    same = _("the same way") if found.is_graph else _("the same label")
    never = _drawn(naming, same, found.never, axis)
    words = _("They do not part: %(same)s") % {"same": same}
    yield Plain(words, ""), (never, *[None] * (len(names) + 4))


def _by_node(
    naming: Naming, one: Comparison, found: Questions
) -> Iterator[tuple[Node, NodeAgreement]]:
    criterion = naming.rubric.part(one.criterion)
    nodes = {node.key: node for node in criterion.nodes} if isinstance(criterion, Taxonomy) else {}
    return ((nodes[asked.node], asked) for asked in found.asked)


def _most_part(naming: Naming, one: Comparison, found: Questions) -> Iterator[str]:
    """At which question most pairs part, in a sentence."""
    for node, asked in _by_node(naming, one, found):
        if asked is found.parting:
            words = {"question": said(node.question), "share": told(asked.part)}
            yield _("Most pairs part at “%(question)s”: %(share)s of all pairs.") % words


def _answers(asked: NodeAgreement) -> Plain:
    """How many there are, of a judge beside others after theirs."""
    sides = asked.n_reached
    return Plain(" / ".join(f"{n:,}" for n in sides), " ".join(map(str, sides)), tuple(sides))


def _given(node: Node, asked: NodeAgreement) -> Plain:
    """How often each answer was given."""
    words = [
        listed(f"{said(option.text)} {n:,}" for option, n in zip(node.options, side, strict=True))
        for side in asked.given
    ]
    exact = [
        " ".join(f"{option.key}={n}" for option, n in zip(node.options, side, strict=True))
        for side in asked.given
    ]
    return Plain(" / ".join(words), " / ".join(exact), tuple(chain.from_iterable(asked.given)))


def _drawn(naming: Naming, name: str, part: Estimate, axis: strips.Axis) -> Told:
    """With its place between none and all; paper has no room for it."""
    drawing = strips.strip(part, axis, says=f"{name} {told(part)}") if naming.study else None
    return Dressed(value=part, drawing=drawing)


def key_of(naming: Naming, one: Comparison) -> str:
    """A comparison as programs read it: its kind, and the keys of its raters."""
    return " ".join([one.kind.value, *(str(naming.rater(rater).exact) for rater in one.raters)])


def _by_comparison() -> list[Column]:
    return [Column("criterion", _("Criterion")), Column("who", _("Who"))]


def _what(report: Report, naming: Naming, one: Comparison) -> tuple[Dressed, Dressed]:
    """The criterion and who is compared, each with the page about it."""
    line = criterion_line(report, one.criterion)
    return (
        Dressed(
            value=naming.criterion(one.criterion),
            link=naming.link("agreement_criterion", criterion=one.criterion),
            small=_("several criteria together") if line.is_group else "",
        ),
        Dressed(
            value=Plain(who(one, report), key_of(naming, one)),
            link=naming.link("agreement_comparison", **place_of(one)._asdict()),
            small=of_its_own(one),
        ),
    )


def _judge(report: Report, naming: Naming, judge: int) -> Dressed:
    line = next(rater for rater in report.raters if rater.id == judge)
    return Dressed(value=naming.rater(judge), small=own_generators(line))


def _families() -> list[Column]:
    return [Column(family, str(FAMILY_NAMES[family])) for family in FAMILIES]


def _of_families(report: Report, naming: Naming, kinds: Collection[Kind]) -> Iterator[Line]:
    return (
        Line(
            about=_what(report, naming, one),
            values=tuple(_of_family(report, one, family) for family in FAMILIES),
            made_of=_made_of(report, one),
        )
        for one in report.comparisons
        if one.kind in kinds
    )


def _of_family(report: Report, one: Comparison, family: str) -> Told:
    """With a word where a straw man comes as far."""
    estimate = estimate_of(report, one, family)
    straw_man = straw_man_beside(report, one, family)
    if estimate is None or straw_man is None:
        return estimate
    small = straw_men.beside(estimate, straw_man, *straw_man.estimates)
    return Dressed(value=estimate, small=small) if small else estimate


def _of_straw_men(report: Report, naming: Naming) -> Iterator[Line]:
    for one in report.straw_men:
        families = suited_to(criterion_line(report, one.criterion)).families
        if one.best:
            text = _("Straw man against gold") if one.is_gold else _("Straw man and people")
            yield Line(
                about=(
                    naming.criterion(one.criterion),
                    Plain(text, f"{straw_men.KEY} {'gold' if one.is_gold else 'people'}"),
                ),
                values=tuple(
                    straw_men.shown(naming, one.criterion, one.best.get(name), name)
                    for family in FAMILIES
                    for name in [families.get(family, ("", ""))[1]]
                ),
                made_of=_of_straw_man(report, one),
            )


def _made_of(report: Report, one: Comparison) -> tuple[int, ...]:
    return one.made_of(criterion_line(report, one.criterion).points)


def _of_straw_man(report: Report, one: StrawMen) -> tuple[int, ...]:
    """Of two answers: how often each was given, which is what one that always says the same tells."""
    exact = one.best.get("exact")
    is_of_two = len(criterion_line(report, one.criterion).points) == 2
    return exact.estimates["exact"].counted if exact and is_of_two else ()


def _in_order(report: Report, comparison: Comparison) -> list[str]:
    """The statistics of a comparison in the order of `measures`, whatever order they come in."""
    line = criterion_line(report, comparison.criterion)
    is_panel = comparison.kind in PANELS
    every = whole(line.measurement, is_group=line.is_group, is_panel=is_panel)
    order = every if is_panel else (*suited_to(line).gold, *every)
    return [name for name in order if name in comparison.estimates]


def _short(name: str) -> str:
    return str(FAMILY_NAMES.get(name) or NAMES[name])


def _point_keys(rubric: Rubric, key: str, points: Sequence[float]) -> list[str]:
    """What programs read for the values of a criterion: keys of labels, or the numbers."""
    criterion = next((one for one in rubric.criteria if one.key == key), None)
    labels = criterion.labels if isinstance(criterion, Taxonomy) else ()
    keys = {float(label.code): label.key for label in labels}
    return [keys.get(point, f"{point:g}") for point in points]


def _key(key: str, report: Report) -> str:
    return key if report.view.is_plain else f"{key}_as_released"


def _title(title: str, report: Report) -> str:
    if report.view.is_plain:
        return title
    return _("%(title)s, as released") % {"title": title}
