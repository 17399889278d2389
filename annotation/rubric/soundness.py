"""Whether a rubric that is well formed also makes sense."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

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
    Walked,
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
    yield from _problems_with_names(rubric.criteria)
    yield from _problems_with_dimensions(rubric.criteria)
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
        at = f"{place}.nodes[{index}].options"
        yield from _problems_with_options(node, at)
        if not taxonomy.is_graph:
            yield from _problems_in_list(node, at, is_last=index == len(taxonomy.nodes) - 1)
    yield from _problems_with_ends(taxonomy, place)
    if taxonomy.is_graph:
        yield from _problems_with_graph(taxonomy, place)


def _problems_with_options(node: Node, place: str) -> Iterator[Sentence]:
    yield from _repeated((option.key for option in node.options), place, "key", at=".key")
    yield from _alike((option_names(option) for option in node.options), place)
    if len(node.options) < 2:
        yield sentence("{place} needs at least two options.", place=place)


def _problems_in_list(node: Node, place: str, *, is_last: bool) -> Iterator[Sentence]:
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
        if taxonomy.is_graph and not ends[label.key]:
            yield sentence(
                "{place}: no option leads to “{key}”.",
                place=f"{place}.labels[{index}]",
                key=label.key,
            )
        if not taxonomy.is_graph and ends[label.key] != 1:
            yield sentence(
                "{place}: exactly one option must lead to “{key}”, not {count}.",
                place=f"{place}.labels[{index}]",
                key=label.key,
                count=ends[label.key],
            )


def _problems_with_graph(taxonomy: Taxonomy, place: str) -> Iterator[Sentence]:
    known = {node.key for node in taxonomy.nodes}
    leads_nowhere = False
    for index, node in enumerate(taxonomy.nodes):
        for number, option in enumerate(node.options):
            at = f"{place}.nodes[{index}].options[{number}]"
            if option.severity is not None and node.dimension is None:
                yield sentence(
                    "{place}: a severity needs a question with a dimension.",
                    place=f"{at}.severity",
                )
            if option.label is not None and option.goto is not None:
                yield sentence("{place}: an option has a label or a goto, not both.", place=at)
            if option.goto is not None and option.goto not in known:
                leads_nowhere = True
                yield sentence(
                    "{place}: “{key}” is not among the questions.",
                    place=f"{at}.goto",
                    key=option.goto,
                )
        if node is taxonomy.nodes[-1]:
            for number in _going_on(node):
                leads_nowhere = True
                yield sentence(
                    "{place}: no question comes after the last one: it needs a label or a goto.",
                    place=f"{place}.nodes[{index}].options[{number}]",
                )
    if taxonomy.nodes and not leads_nowhere:
        yield from _problems_with_ways(taxonomy, place)


def _going_on(node: Node) -> list[int]:
    return [
        number
        for number, option in enumerate(node.options)
        if option.label is None and option.goto is None
    ]


def _problems_with_ways(taxonomy: Taxonomy, place: str) -> Iterator[Sentence]:
    """Name circles by the option that closes them, and questions that nobody is asked."""
    indices = {node.key: index for index, node in enumerate(taxonomy.nodes)}
    on_path, entered, left = [0], {0}, set[int]()
    waiting = [_ways_on(taxonomy, 0, indices)]
    while waiting:
        number, then = next(waiting[-1], (0, None))
        if then is None:
            waiting.pop()
            left.add(on_path.pop())
        elif then in entered - left:
            yield sentence(
                "{place}: it leads back to “{key}”, which was asked before.",
                place=f"{place}.nodes[{on_path[-1]}].options[{number}]",
                key=taxonomy.nodes[then].key,
            )
        elif then not in entered:
            entered.add(then)
            on_path.append(then)
            waiting.append(_ways_on(taxonomy, then, indices))
    for index, node in enumerate(taxonomy.nodes):
        if index not in entered:
            yield sentence(
                "{place}: no answer leads to the question “{key}”.",
                place=f"{place}.nodes[{index}]",
                key=node.key,
            )


def _ways_on(
    taxonomy: Taxonomy, index: int, indices: Mapping[str, int]
) -> Iterator[tuple[int, int]]:
    """(option, the node it goes to) of those that go on from a node."""
    for number, option in enumerate(taxonomy.nodes[index].options):
        if option.label is None:
            yield number, index + 1 if option.goto is None else indices[option.goto]


def _problems_with_names(criteria: Sequence[Criterion]) -> Iterator[Sentence]:
    """Questions of graphs are answered side by side with criteria: each by a name of its own."""
    taken = {criterion.key for criterion in criteria}
    for number, criterion in enumerate(criteria):
        if not isinstance(criterion, Taxonomy) or not criterion.is_graph:
            continue
        for index, node in enumerate(criterion.nodes):
            name = criterion.name_of(node)
            if name in taken:
                yield sentence(
                    "{place}: something else is called “{name}” already.",
                    place=f"criteria[{number}].nodes[{index}].key",
                    name=name,
                )
            taken.add(name)


def _problems_with_dimensions(criteria: Sequence[Criterion]) -> Iterator[Sentence]:
    """Say where taxonomies and the scales that they give values to do not fit each other."""
    scales = {each.key: each for each in criteria if isinstance(each, Scale)}
    asked = {
        (each.key, node.dimension)
        for each in criteria
        if isinstance(each, Taxonomy)
        for node in each.nodes
    }
    for number, criterion in enumerate(criteria):
        place = f"criteria[{number}]"
        if isinstance(criterion, Taxonomy):
            yield from _problems_with_severities(criterion, scales, place)
        elif criterion.walked is not None:
            yield from _problems_with_walked(criterion, criterion.walked, asked, place)


def _problems_with_severities(
    taxonomy: Taxonomy, scales: Mapping[str, Scale], place: str
) -> Iterator[Sentence]:
    for index, node in enumerate(taxonomy.nodes):
        if node.dimension is None:
            continue
        scale = scales.get(node.dimension)
        if scale is None or scale.walked is None or scale.walked.taxonomy != taxonomy.key:
            yield sentence(
                "{place}: “{key}” is not a scale that is walked through this taxonomy.",
                place=f"{place}.nodes[{index}].dimension",
                key=node.dimension,
            )
            continue
        for number, option in enumerate(node.options):
            if option.severity is not None and option.severity not in scale.values:
                yield sentence(
                    "{place}: {level} is not a level of “{key}”.",
                    place=f"{place}.nodes[{index}].options[{number}].severity",
                    level=option.severity,
                    key=scale.key,
                )


def _problems_with_walked(
    scale: Scale, walked: Walked, asked: Set[tuple[str, str | None]], place: str
) -> Iterator[Sentence]:
    if scale.grounds:
        yield sentence(
            "{place}: nobody is asked for this scale, so nothing can be said beside its value.",
            place=f"{place}.grounds",
        )
    if (walked.taxonomy, scale.key) not in asked:
        yield sentence(
            "{place}: no question of a taxonomy “{key}” has this scale as its dimension.",
            place=f"{place}.walked.taxonomy",
            key=walked.taxonomy,
        )
    for name, level in (("clear", walked.clear), ("not_asked", walked.not_asked)):
        if level not in scale.values:
            yield sentence(
                "{place}: {level} is not a level of “{key}”.",
                place=f"{place}.walked.{name}",
                level=level,
                key=scale.key,
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
