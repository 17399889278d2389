"""What somebody has filled in and not sent: for them alone."""

from collections.abc import Mapping
from dataclasses import dataclass

from accounts.access import Access
from annotation.models import Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftShown:
    """A form as it was left: values by field name, the words beside them, and its version."""

    values: Mapping[str, str]
    words: str
    version: int


def of_assignment(access: Access, assignment_id: int, form: str) -> DraftShown | None:
    """The draft of one's own rating or correction."""
    return _shown(access, assignment=assignment_id, form=form)


def of_case(access: Access, round_item_id: int, form: str) -> DraftShown | None:
    """The draft of one's own decision, or of what one was about to say of an item."""
    return _shown(access, round_item=round_item_id, form=form)


def _shown(access: Access, **place: object) -> DraftShown | None:
    if not access.may_enter:
        return None
    found = Draft.objects.filter(user=access.user_id, **place).first()
    if found is None:
        return None
    return DraftShown(values=found.fields, words=found.words, version=found.version)
