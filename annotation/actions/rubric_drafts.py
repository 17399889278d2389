"""Keep the rubric that somebody is writing for a study. Nothing is decided by it, so the trail is
silent until it is published."""

from datetime import datetime
from uuid import uuid4

from django.db import transaction

from accounts.models import User
from annotation.actions.drafts import HalfFilled, takes_its_place
from annotation.models import RubricDraft, Study


@transaction.atomic
def keep(*, study: Study, half: HalfFilled, by: User, at: datetime) -> RubricDraft:
    """Keep what is written, in place of what this account kept before; WrittenElsewhere."""
    first = {"words": half.words or "", "writer": half.writer, "version": half.version}
    draft, is_new = RubricDraft.objects.select_for_update().get_or_create(
        study=study, user=by, defaults={**first, "kept_at": at}
    )
    words = draft.words if half.words is None else half.words
    if not is_new and takes_its_place(draft, half, is_same=draft.words == words):
        draft.words, draft.writer = words, half.writer
        draft.version, draft.kept_at = max(half.version, draft.version + 1), at
        draft.save()
    return draft


@transaction.atomic
def begin_with(*, study: Study, words: str, by: User, at: datetime) -> RubricDraft:
    """Go on from another text; what stood there before can be brought back by `bring_back`."""
    draft, is_new = RubricDraft.objects.select_for_update().get_or_create(
        study=study,
        user=by,
        defaults={"words": words, "writer": uuid4(), "version": 1, "kept_at": at},
    )
    if not is_new and draft.words != words:
        draft.earlier, draft.words = draft.words, words
        _written_anew(draft, at)
    return draft


@transaction.atomic
def bring_back(*, study: Study, by: User, at: datetime) -> None:
    """Exchange what is written with what stood there before it."""
    draft = RubricDraft.objects.select_for_update().filter(study=study, user=by).first()
    if draft is not None and draft.earlier:
        draft.earlier, draft.words = draft.words, draft.earlier
        _written_anew(draft, at)


def _written_anew(draft: RubricDraft, at: datetime) -> None:
    draft.writer, draft.version, draft.kept_at = uuid4(), draft.version + 1, at
    draft.save()
