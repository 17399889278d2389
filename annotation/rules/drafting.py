"""Half-filled forms: whether what comes may take the place of what is kept.

Each tab that fills in a form has a name of its own, its writer, and counts the versions it sends.
What another writer kept is replaced only by somebody who has seen it: `base` is its version.
"""

from typing import NamedTuple

from annotation.rubric.sentences import Sentence, sentence

LONGEST_NAME = 140  # characters of a field's name: a criterion and a node, with what stands before
LONGEST_VALUE = 200
MOST_FIELDS = 400
TYPED = ".rationale"  # how the names of fields end whose values are typed, and not chosen


class DraftVersion(NamedTuple):
    """Who wrote a draft, and which of its versions it is."""

    writer: str
    version: int


def reason_not_to_replace(
    kept: DraftVersion | None, coming: DraftVersion, *, base: int
) -> Sentence | None:
    """Say why a draft does not take the place of the one that is kept, or None when it does."""
    if kept is None or kept.writer == coming.writer or kept.version == base:
        return None
    return sentence("You went on with this in another tab or on another device.")


def is_older(kept: DraftVersion | None, coming: DraftVersion) -> bool:
    """Whether the same writer has sent this or something newer already, so it may be dropped."""
    return kept is not None and kept.writer == coming.writer and coming.version <= kept.version


def problem_with_fields(values: dict[str, str]) -> Sentence | None:
    """Say why this cannot be a form's answers, or None."""
    if len(values) > MOST_FIELDS or any(
        len(name) > LONGEST_NAME or (len(value) > LONGEST_VALUE and not name.endswith(TYPED))
        for name, value in values.items()
    ):
        return sentence("These are not the answers of a form.")
    return None
