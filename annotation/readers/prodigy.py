"""Ratings as Prodigy exports them: a task, with what its annotator decided to do with it."""

from collections.abc import Mapping

_OWN = {
    *("_task_hash", "_input_hash", "_timestamp", "_view_id"),
    *("_annotator_id", "_session_id"),
}
_DECLINED = {"reject", "ignore"}


def is_declined(fields: Mapping[str, object]) -> bool:
    """Whether a task was rejected or passed over: what was filled in there before is no answer."""
    plain = {name.strip().casefold(): raw for name, raw in fields.items()}
    decided = str(plain.get("answer", "")).strip().casefold()
    return decided in _DECLINED and not plain.keys().isdisjoint(_OWN)
