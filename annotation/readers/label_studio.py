"""Ratings as Label Studio exports them as JSON: a task with the annotations of all its raters."""

from collections import Counter
from collections.abc import Iterator, Mapping

from annotation.readers.fields import NAMES_OF_AN_ITEM
from annotation.readers.problems import FileReason, Flaw
from annotation.rubric.sentences import sentence


def is_task(fields: Mapping[str, object]) -> bool:
    return isinstance(fields.get("data"), Mapping) and isinstance(fields.get("annotations"), list)


def annotations_of(task: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Each annotation as the row of a table, with a field for each control that was answered; one
    that was skipped or left blank is none. An account is known by its number, and never by its address."""
    data, annotations = task["data"], task["annotations"]
    if not isinstance(data, Mapping) or not isinstance(annotations, list):
        return
    of_item = {name: raw for name, raw in data.items() if name.casefold() in NAMES_OF_AN_ITEM}
    n_of: Counter[str] = Counter()
    for annotation in annotations:
        if not isinstance(annotation, Mapping) or not isinstance(annotation.get("result"), list):
            raise Flaw(
                "annotations",
                FileReason.WRONG_SHAPE,
                sentence("Each annotation has a list “result”, as Label Studio writes it."),
            )
        answers = dict(_answered(annotation["result"]))
        if annotation.get("was_cancelled") or not answers:
            continue
        rater = _rater(annotation.get("completed_by"))
        n_of[rater] += 1
        yield of_item | answers | {"rater": rater, "repeat": n_of[rater]}


def _rater(account: object) -> str:
    number = account.get("id") if isinstance(account, Mapping) else account
    return f"annotator-{number}" if isinstance(number, int) else ""


def _answered(results: list[object]) -> Iterator[tuple[str, object]]:
    for result in results:
        name = result.get("from_name") if isinstance(result, Mapping) else None
        if not isinstance(result, Mapping) or not isinstance(name, str):
            continue  # a relation between regions, or what a plug-in keeps
        value = result.get("value")
        kind = "text" if result.get("type") == "textarea" else str(result.get("type"))
        if isinstance(value, Mapping) and kind in value:
            raw = value[kind]
            yield name, " | ".join(map(str, raw)) if isinstance(raw, list) else raw
