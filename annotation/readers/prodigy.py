"""What Prodigy exports: a task, with what its annotator decided to do with it."""

from collections.abc import Mapping

ANSWER = "answer"
_OWN = {
    *("_task_hash", "_input_hash", "_timestamp", "_view_id"),
    *("_annotator_id", "_session_id"),
}
_DECLINED = {"reject", "ignore"}
_DECISIONS = _DECLINED | {"accept"}


def is_declined(fields: Mapping[str, object]) -> bool:
    """Whether a task was rejected or passed over: what was filled in there before is no answer."""
    return _decision(fields) in _DECLINED


def is_decided(fields: Mapping[str, object]) -> bool:
    """Whether `answer` is what was decided, and none that an LLM gave."""
    return _decision(fields) in _DECISIONS


def _decision(fields: Mapping[str, object]) -> str:
    plain = {name.strip().casefold(): raw for name, raw in fields.items()}
    if plain.keys().isdisjoint(_OWN):
        return ""
    return str(plain.get(ANSWER, "")).strip().casefold()
