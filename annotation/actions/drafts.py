"""Keep half-filled forms and forget them. None of it is in the trail: nothing was decided yet."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.models import User
from annotation.models import Assignment, DiscussionRemark, Draft, RoundItem, RubricDraft
from annotation.models.drafts import DraftForm
from annotation.queries import discussing
from annotation.queries.audits import criteria_to_audit
from annotation.queries.studies import StudyAccess
from annotation.rubric.sentences import sentence
from annotation.rules import drafting
from annotation.rules.drafting import TYPED, DraftVersion
from annotation.rules.lifecycle import AssignmentState, ItemState, RoundState
from annotation.rules.remarks import tidied

# What must be so of an assignment while its form can be filled in.
FILLED_IN_WHILE = {
    DraftForm.RATING: AssignmentState.OPEN,
    DraftForm.CORRECTION: AssignmentState.SUBMITTED,
}
# What must be so of an item in a round.
DECIDED_WHILE = {
    DraftForm.ADJUDICATION: {ItemState.DISAGREED, ItemState.SECOND, ItemState.SPLIT},
    DraftForm.REVISION: {ItemState.ADJUDICATED},
}


class NotKept(Exception):
    """A sentence that says why the form cannot be filled in any more."""


class WrittenElsewhere(Exception):
    """Another tab or device went on with the form; `draft` is what it kept."""

    def __init__(self, reason: str, draft: Draft | RubricDraft) -> None:
        self.draft = draft
        super().__init__(reason)


class NotYourForm(Exception):
    """The account has no such form; to it, the form does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfFilled:
    """What a page sends of a form: `base` is the version of another writer that it has seen.

    `words` are None where the page could not read its own any more: those that are kept stand, and
    so do typed values.
    """

    values: Mapping[str, str]
    words: str | None
    writer: UUID
    version: int
    base: int

    @property
    def draft_version(self) -> DraftVersion:
        return DraftVersion(str(self.writer), self.version)


@transaction.atomic
def keep(
    *,
    study_access: StudyAccess,
    form: DraftForm,
    place: int,
    half: HalfFilled,
    by: User,
    at: datetime,
) -> Draft:
    """Keep what is filled in of a form of this account, in place of what it kept before."""
    where = _place(study_access, form, place)
    if form is DraftForm.REMARK and _is_said(place, half.words or "", by):
        raise NotKept(sentence("This is said already."))
    first = {"fields": half.values, "words": half.words or "", "writer": half.writer}
    draft, is_new = Draft.objects.select_for_update().get_or_create(
        user=by, form=form, **where, defaults={**first, "version": half.version, "kept_at": at}
    )
    if is_new:
        return draft
    fields, words = dict(half.values), half.words
    if words is None:
        typed = {name: text for name, text in draft.fields.items() if name.endswith(TYPED)}
        fields, words = fields | typed, draft.words
    if takes_its_place(draft, half, is_same=(draft.fields, draft.words) == (fields, words)):
        draft.fields, draft.words, draft.writer = fields, words, half.writer
        draft.version, draft.kept_at = max(half.version, draft.version + 1), at
        draft.save()
    return draft


def takes_its_place(draft: Draft | RubricDraft, half: HalfFilled, *, is_same: bool) -> bool:
    """Whether what comes is newer than what is kept, and `is_same` or written in knowledge of it;
    WrittenElsewhere."""
    kept = DraftVersion(str(draft.writer), draft.version)
    if drafting.is_older(kept, half.draft_version):
        return False
    reason = drafting.reason_not_to_replace(kept, half.draft_version, base=half.base)
    if reason and not is_same:
        raise WrittenElsewhere(reason, draft)
    return True


def _is_said(round_item_id: int, words: str, by: User) -> bool:
    """Whether a draft comes late: what stands in it is a remark by now."""
    said = DiscussionRemark.objects.filter(round_item=round_item_id, author=by)
    return said.filter(text=tidied(words)).exists()


def forget(**which: object) -> None:
    """Drop drafts whose form is sent, or cannot be sent any more."""
    Draft.objects.filter(**which).delete()


def _place(study_access: StudyAccess, form: DraftForm, place: int) -> dict[str, object]:
    """The columns that say which form it is; NotKept, NotYourForm."""
    if form is DraftForm.REMARK:
        return _discussion(study_access, place)
    if form in DECIDED_WHILE:
        return _case(study_access, form, place)
    found = (
        Assignment.objects.owed_by(study_access.access)
        .filter(pk=place, round__study=study_access.study)
        .values_list("round_id", "state", "round__state")
        .first()
    )
    if found is None:
        raise NotYourForm
    round_id, state, round_state = found
    if state != FILLED_IN_WHILE[form] or round_state != RoundState.OPEN:
        raise NotKept(sentence("This form is not open any more."))
    return {"assignment_id": place, "round_id": round_id}


def _discussion(study_access: StudyAccess, place: int) -> dict[str, object]:
    if not study_access.may_discuss:
        raise NotYourForm
    round_id = discussing.round_under_discussion(study_access, place)
    if round_id is None:
        raise NotKept(sentence("This form is not open any more."))
    return {"round_item_id": place, "round_id": round_id}


def _case(study_access: StudyAccess, form: DraftForm, place: int) -> dict[str, object]:
    found = None
    if study_access.may_adjudicate:
        found = RoundItem.objects.filter(pk=place, round__study=study_access.study).first()
    if found is None:
        raise NotYourForm
    is_audited = form is DraftForm.ADJUDICATION and criteria_to_audit([place])
    if found.state not in DECIDED_WHILE[form] and not is_audited:
        raise NotKept(sentence("This form is not open any more."))
    return {"round_item_id": place, "round_id": found.round_id}
