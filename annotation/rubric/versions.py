"""What a new edition of a rubric does to the ratings that were given under the old one."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

from annotation.rubric import taxonomy as paths
from annotation.rubric.schema import Criterion, Flag, Group, Rubric, Scale, Taxonomy
from annotation.rubric.sentences import Sentence, sentence


def fingerprint(definition: Mapping[str, object]) -> str:
    """Return the SHA-256 (hex) of a definition, whatever the order of its attributes."""
    canonical = json.dumps(definition, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8")).hexdigest()


def breaking_changes(old: Rubric, new: Rubric) -> tuple[Sentence, ...]:
    """Say why ratings under `old` cannot be read as ratings under `new`; () when they can.

    Wording may change freely; keys, codes, paths, scales and totals may not.
    """
    return tuple(_changes(old, new))


def _changes(old: Rubric, new: Rubric) -> Iterator[Sentence]:
    if old.key != new.key:
        yield sentence("It is another rubric: “{old}” became “{new}”.", old=old.key, new=new.key)
    before = {criterion.key: criterion for criterion in old.criteria}
    after = {criterion.key: criterion for criterion in new.criteria}
    for key in sorted(before.keys() | after.keys()):
        yield from _criterion_changes(key, before.get(key), after.get(key))
    yield from _group_changes(old, new)


def _criterion_changes(
    key: str, old: Criterion | None, new: Criterion | None
) -> Iterator[Sentence]:
    if new is None:
        yield sentence("The criterion “{key}” is gone.", key=key)
    elif old is None:
        yield sentence("The criterion “{key}” is new: earlier ratings lack it.", key=key)
    elif isinstance(old, Taxonomy) and isinstance(new, Taxonomy):
        yield from _taxonomy_changes(old, new)
    elif isinstance(old, Scale) and isinstance(new, Scale):
        yield from _scale_changes(old, new)
    else:
        yield sentence("The criterion “{key}” is measured in another way.", key=key)


def _scale_changes(old: Scale, new: Scale) -> Iterator[Sentence]:
    if old.measurement is not new.measurement:
        yield sentence("The criterion “{key}” is measured in another way.", key=old.key)
    if old.values != new.values:
        yield sentence("The scale of “{key}” has other values.", key=old.key)
    if old.walked != new.walked:
        yield sentence("The value of “{key}” follows from a walk in another way.", key=old.key)


def _taxonomy_changes(old: Taxonomy, new: Taxonomy) -> Iterator[Sentence]:
    before = {label.key: label for label in old.labels}
    after = {label.key: label for label in new.labels}
    for key in sorted(before.keys() - after.keys()):
        yield sentence("“{key}”: the label “{label}” is gone.", key=old.key, label=key)
    for key in sorted(after.keys() - before.keys()):
        yield sentence(
            "“{key}”: the label “{label}” is new: earlier raters could not choose it.",
            key=old.key,
            label=key,
        )
    for key in sorted(before.keys() & after.keys()):
        if before[key].code != after[key].code:
            yield sentence("“{key}”: the label “{label}” has another code.", key=old.key, label=key)
        if paths.ways_to(old, key) != paths.ways_to(new, key):
            yield sentence(
                "“{key}”: another path leads to the label “{label}”.", key=old.key, label=key
            )
    if severities(old) != severities(new):
        yield sentence("“{key}”: an answer has another severity.", key=old.key)


def severities(taxonomy: Taxonomy) -> dict[tuple[str, str], tuple[str | None, int | None]]:
    """{(node, option): (dimension, severity)} of the answers that say something about a scale."""
    return {
        (node.key, option.key): (node.dimension, option.severity)
        for node in taxonomy.nodes
        for option in node.options
        if node.dimension is not None
    }


def _group_changes(old: Rubric, new: Rubric) -> Iterator[Sentence]:
    after = {group.key: group for group in new.groups}
    for group in old.groups:
        successor = after.get(group.key)
        if successor is None:
            yield sentence("The group “{key}” is gone.", key=group.key)
        elif _made_of(group) != _made_of(successor):
            yield sentence("The group “{key}” is worked out in another way.", key=group.key)


def _made_of(group: Group) -> tuple[str, frozenset[str | Flag]]:
    """How a derived score is worked out, whatever the order of its parts."""
    flags = (replace(flag, labels=tuple(sorted(flag.labels))) for flag in group.flags)
    return group.summary, frozenset((*group.criteria, *flags))
