"""Ratings as Label Studio exports them as JSON: a task with the annotations of all its raters."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from annotation.readers.fields import NAMES_OF_AN_ITEM
from annotation.readers.names import RATED_ITEM
from annotation.readers.problems import FileReason, Flaw
from annotation.rubric.sentences import sentence

_OF_THE_ITEM = NAMES_OF_AN_ITEM.union(*RATED_ITEM.values())

_HELD_IN = {"textarea": "text", "pairwise": "selected"}  # where a control keeps what was answered

Task: TypeAlias = tuple[dict[str, object], list[object]]


def task_in(fields: Mapping[str, object]) -> Task | None:
    """What names the item that is annotated, and its annotations, where a record is a task."""
    data, annotations = fields.get("data"), fields.get("annotations")
    if isinstance(data, Mapping) and isinstance(annotations, list):
        return _of_the_item(data) | _of_the_item(fields), annotations
    return None


def _of_the_item(fields: Mapping[str, object]) -> dict[str, object]:
    return {name: raw for name, raw in fields.items() if name.casefold() in _OF_THE_ITEM}


def n_skipped(task: Task) -> int:
    """How many annotators chose to give no answer."""
    _, annotations = task
    return sum(isinstance(one, Mapping) and bool(one.get("was_cancelled")) for one in annotations)


def annotations_of(task: Task) -> Iterator[dict[str, object]]:
    """Each annotation as the row of a table, with a field for each control that was answered; one
    that was skipped or left blank is none. An account is known by its number, and never by its address."""
    of_item, annotations = task
    n_of: Counter[str] = Counter()
    for annotation in annotations:
        if not isinstance(annotation, Mapping) or not isinstance(annotation.get("result"), list):
            raise Flaw(
                "annotations",
                FileReason.WRONG_SHAPE,
                sentence("Each annotation has a list “result”, as Label Studio writes it."),
            )
        answers = _answers(annotation["result"])
        if annotation.get("was_cancelled") or not answers:
            continue
        rater = _rater(annotation.get("completed_by"))
        n_of[rater] += 1
        yield answers | of_item | {"rater": rater, "repeat": n_of[rater]}


def _rater(account: object) -> str:
    number = account.get("id") if isinstance(account, Mapping) else account
    return f"annotator-{number}" if isinstance(number, int) else ""


def _answers(results: list[object]) -> dict[str, object]:
    """{control: its answer}; several of one control, as of parts of a text, stand beside each other
    and so are no value."""
    found: dict[str, list[object]] = {}
    for result in results:
        name = result.get("from_name") if isinstance(result, Mapping) else None
        if not isinstance(result, Mapping) or not isinstance(name, str):
            continue  # a relation between regions, or what a plug-in keeps
        value = result.get("value")
        kind = str(result.get("type"))
        kind = _HELD_IN.get(kind, kind)
        if isinstance(value, Mapping) and kind in value:
            raw = value[kind]
            found.setdefault(name, []).extend(raw if isinstance(raw, list) else [raw])
    return {
        name: raw[0] if len(raw) == 1 else " | ".join(map(str, raw)) for name, raw in found.items()
    }
