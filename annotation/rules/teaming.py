"""Who may give whom a role in a study."""

from collections.abc import Collection

from annotation.rubric.sentences import Sentence, sentence

OWN_ROLE = sentence(
    "Nobody gives themselves a role: another coordinator or the data steward must do it."
)


def reason_not_to_set_roles(
    *, by: int | None, account: int, has: Collection[str], wanted: Collection[str]
) -> Sentence | None:
    """Say why `by` may not set these roles of an account in a study, or None; who may drop some."""
    if by == account and set(wanted) - set(has):
        return OWN_ROLE
    return None
