"""Whether a rubric that is well formed also makes sense."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from annotation.rubric.answers import label_names, option_names
from annotation.rubric.schema import (
    Criterion,
    Flag,
    Group,
    Measurement,
    Node,
    Rubric,
    Scale,
    Taxonomy,
)
from annotation.rubric.sentences import Sentence, sentence


def problems_with_rubric(rubric: Rubric) -> Iterator[Sentence]:
    """Say what is wrong with the criteria and groups as a whole."""
    if not rubric.criteria:
        yield sentence("{place} is empty.", place="criteria")
    yield from _repeated(
        (criterion.key for criterion in rubric.criteria), "criteria", "key", at=".key"
    )
    yield from _repeated((group.key for group in rubric.groups), "groups", "key", at=".key")
    criteria = {criterion.key: criterion for criterion in rubric.criteria}
    for index, group in enumerate(rubric.groups):
        yield from _problems_with_group(group, criteria, f"groups[{index}]")


def problems_with_criterion(criterion: Criterion, place: str) -> Iterator[Sentence]:
    """Say what is wrong inside one criterion, which stands at `place` in the definition."""
    if isinstance(criterion, Scale):
        return _problems_with_scale(criterion, place)
    return _problems_with_taxonomy(criterion, place)


def _problems_with_group(
    group: Group, criteria: Mapping[str, Criterion], place: str
) -> Iterator[Sentence]:
    of_flags = group.summary == "any"
    parts = f"{place}.flags" if of_flags else f"{place}.criteria"
    if group.key in criteria:
        yield sentence(
            "{place}: “{key}” is a criterion already.", place=f"{place}.key", key=group.key
        )
    if not group.criteria:
        yield sentence("{place} is empty.", place=parts)
    yield from _repeated(group.criteria, parts, "key", at=".criterion" if of_flags else "")
    if of_flags:
        for index, flag in enumerate(group.flags):
            known = criteria.get(flag.criterion)
            yield from _problems_with_flag(flag, known, f"{parts}[{index}]")
    else:
        yield from _problems_with_scales(group, criteria, parts)


def _problems_with_scales(
    group: Group, criteria: Mapping[str, Criterion], place: str
) -> Iterator[Sentence]:
    for index, key in enumerate(group.criteria):
        if not isinstance(criteria.get(key), Scale):
            yield sentence(
                "{place}: “{key}” is not a scale of this rubric.",
                place=f"{place}[{index}]",
                key=key,
            )
    named = [criteria.get(key) for key in group.criteria]
    if group.has_levels and len({one.values for one in named if isinstance(one, Scale)}) > 1:
        yield sentence(
            "{place}: a maximum or minimum needs scales with the same values.", place=place
        )


def _problems_with_flag(flag: Flag, criterion: Criterion | None, place: str) -> Iterator[Sentence]:
    if criterion is None:
        yield sentence(
            "{place}: “{key}” is not a criterion of this rubric.",
            place=f"{place}.criterion",
            key=flag.criterion,
        )
    elif isinstance(criterion, Scale):
        yield from _problems_with_level(flag, criterion, place)
    else:
        yield from _problems_with_labels(flag, criterion, place)


def _problems_with_level(flag: Flag, scale: Scale, place: str) -> Iterator[Sentence]:
    named = [level for level in (flag.at_most, flag.at_least) if level is not None]
    if flag.labels or len(named) != 1:
        yield sentence(
            "{place}: a scale is flagged by either at_most or at_least, one level.", place=place
        )
        return
    never_or_always = scale.values[-1] if flag.at_most is not None else scale.values[0]
    if named[0] not in scale.values or named[0] == never_or_always:
        yield sentence(
            "{place}: level {level} does not part the scale of “{key}”.",
            place=place,
            level=named[0],
            key=scale.key,
        )


def _problems_with_labels(flag: Flag, taxonomy: Taxonomy, place: str) -> Iterator[Sentence]:
    if not flag.labels or flag.at_most is not None or flag.at_least is not None:
        yield sentence("{place}: a taxonomy is flagged by its labels.", place=place)
    known = {label.key for label in taxonomy.labels}
    yield from _repeated(flag.labels, f"{place}.labels", "key")
    for index, key in enumerate(flag.labels):
        if key not in known:
            yield sentence(
                "{place}: “{label}” is not a label of “{key}”.",
                place=f"{place}.labels[{index}]",
                label=key,
                key=taxonomy.key,
            )
    if known <= set(flag.labels):
        yield sentence("{place}: every label is a flag.", place=f"{place}.labels")


def _problems_with_scale(scale: Scale, place: str) -> Iterator[Sentence]:
    values = scale.values
    if len(values) < 2:
        yield sentence("{place} needs at least two points.", place=f"{place}.points")
        return
    rising = tuple(range(values[0], values[0] + len(values)))
    if values != rising:
        broken = [value == wanted for value, wanted in zip(values, rising, strict=True)].index(
            False
        )
        yield sentence(
            "{place}: the values must rise by one from point to point.",
            place=f"{place}.points[{broken}].value",
        )
    if scale.measurement is Measurement.BINARY and values != (0, 1):
        yield sentence("{place}: a binary scale has the values 0 and 1.", place=f"{place}.points")
    if not 1 <= scale.adjudicate_from_gap < len(values):
        yield sentence(
            "{place} must lie between 1 and {widest}, the widest gap on the scale.",
            place=f"{place}.adjudicate_from_gap",
            widest=len(values) - 1,
        )


def _problems_with_taxonomy(taxonomy: Taxonomy, place: str) -> Iterator[Sentence]:
    yield from _repeated((node.key for node in taxonomy.nodes), f"{place}.nodes", "key", at=".key")
    yield from _repeated(
        (label.key for label in taxonomy.labels), f"{place}.labels", "key", at=".key"
    )
    yield from _repeated(
        (label.code for label in taxonomy.labels), f"{place}.labels", "code", at=".code"
    )
    yield from _alike((label_names(label) for label in taxonomy.labels), f"{place}.labels")
    if not taxonomy.nodes:
        yield sentence("{place} is empty.", place=f"{place}.nodes")
    for index, node in enumerate(taxonomy.nodes):
        is_last = index == len(taxonomy.nodes) - 1
        yield from _problems_with_node(node, f"{place}.nodes[{index}].options", is_last=is_last)
    yield from _problems_with_ends(taxonomy, place)


def _problems_with_node(node: Node, place: str, *, is_last: bool) -> Iterator[Sentence]:
    yield from _repeated((option.key for option in node.options), place, "key", at=".key")
    yield from _alike((option_names(option) for option in node.options), place)
    if len(node.options) < 2:
        yield sentence("{place} needs at least two options.", place=place)
    without = [index for index, option in enumerate(node.options) if option.label is None]
    going_on = len(without)
    if is_last and without:
        yield sentence(
            "{place}: every option of the last node needs a label.", place=f"{place}[{without[0]}]"
        )
    if not is_last and going_on != 1:
        yield sentence(
            "{place}: exactly one option has no label and goes on to the next node, not {count}.",
            place=place,
            count=going_on,
        )


def _problems_with_ends(taxonomy: Taxonomy, place: str) -> Iterator[Sentence]:
    known = {label.key for label in taxonomy.labels}
    ends: Counter[str] = Counter()
    for index, node in enumerate(taxonomy.nodes):
        for number, option in enumerate(node.options):
            if option.label is None:
                continue
            ends[option.label] += 1
            if option.label not in known:
                yield sentence(
                    "{place}: “{key}” is not among the labels.",
                    place=f"{place}.nodes[{index}].options[{number}].label",
                    key=option.label,
                )
    for index, label in enumerate(taxonomy.labels):
        if ends[label.key] != 1:
            yield sentence(
                "{place}: exactly one option must lead to “{key}”, not {count}.",
                place=f"{place}.labels[{index}]",
                key=label.key,
                count=ends[label.key],
            )


def _repeated(
    values: Iterable[str | int], place: str, attribute: str, *, at: str = ""
) -> Iterator[Sentence]:
    """Name the last of the entries that share a value; `at` is the attribute's own place."""
    found = list(values)
    for value, count in Counter(found).items():
        if count > 1:
            yield sentence(
                "{place}: the {attribute} “{value}” is used {count} times.",
                place=f"{place}[{_last(found, value)}]{at}",
                attribute=attribute,
                value=value,
                count=count,
            )


def _alike(names: Iterable[frozenset[str]], place: str) -> Iterator[Sentence]:
    """Name the last of the entries that read as the same."""
    found = list(names)
    for name, count in Counter(name for one in found for name in one).items():
        index = max(index for index, one in enumerate(found) if name in one)
        if not name:
            yield sentence(
                "{place}: a name has neither letter nor digit.", place=f"{place}[{index}]"
            )
        elif count > 1:
            yield sentence(
                "{place}: {count} entries read as “{name}”.",
                place=f"{place}[{index}]",
                count=count,
                name=name,
            )


def _last(values: Sequence[str | int], value: str | int) -> int:
    return len(values) - 1 - values[::-1].index(value)
