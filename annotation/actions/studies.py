"""Create studies, and note that their ratings changed."""

from collections.abc import Mapping
from datetime import datetime

from django.db import IntegrityError, connection, transaction

from accounts import events
from accounts.models import User
from annotation import queue
from annotation.actions import rubrics
from annotation.models import Membership, Study, TeamRole
from annotation.rubric.sentences import sentence


class KeyTaken(Exception):
    """Another study has this key."""


@transaction.atomic
def create(
    *,
    key: str,
    name: str,
    rubric: Mapping[str, object],
    coordinator: User | None,
    by: User | None,
    at: datetime,
    description: str = "",
    language: str = "en",
) -> Study:
    """Make a study under a rubric (its definition), with its first coordinator where one is named."""
    version = rubrics.publish(definition=rubric, by=by, at=at)
    try:
        with transaction.atomic():
            study = Study.objects.create(
                key=key,
                name=name,
                description=description,
                language=language,
                rubric_version=version,
                created_at=at,
                created_by=by,
            )
    except IntegrityError as error:
        raise KeyTaken(sentence("There is already a study “{key}”.", key=key)) from error
    if coordinator is not None:
        Membership.objects.create(study=study, user=coordinator, roles=[TeamRole.COORDINATOR])
    events.record(
        "study.created",
        subject=f"study:{study.pk}",
        by=by,
        at=at,
        facts={
            "rubric_version": version.pk,
            "coordinator": coordinator.pk if coordinator else None,
        },
    )
    return study


# An action of one statement makes it a part of that.
COUNT_CHANGE = "UPDATE annotation_study SET revision = revision + 1 WHERE id = %(study)s"


def note_change(*, study_id: int) -> None:
    """Count a change of ratings or gold, and have the report brought up to date.

    The last statement of an action: everybody who rates in the study waits for this row.
    """
    with connection.cursor() as cursor:
        cursor.execute(COUNT_CHANGE, {"study": study_id})
    queue.ratings_changed(study_id=study_id)
