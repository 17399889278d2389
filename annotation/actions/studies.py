"""Create studies, and note that their ratings changed."""

from collections.abc import Mapping
from datetime import datetime

from django.db import IntegrityError, transaction

from accounts import events
from accounts.models import Role, User
from accounts.models.prepared import preparing_cursor
from annotation import queue
from annotation.actions import grants, rubrics
from annotation.models import DataSet, Membership, Study, TeamRole
from annotation.rubric.sentences import sentence
from annotation.rules.protocol import AT_ONCE, Protocol, as_data


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
    description_language: str = "",
    language: str = "en",
    protocol: Protocol = AT_ONCE,
    data_set: DataSet | None = None,
) -> Study:
    """Make a study under a rubric (its definition), with its first coordinator where one is named.

    Without a data set it begins one of its own, in the care of whoever makes it if they are a data
    steward; whoever coordinates a study that begins one brings the data, and may use it.
    """
    version = rubrics.publish(definition=rubric, by=by, at=at)
    try:
        with transaction.atomic():
            of = data_set or _data_set_for(key, name, by=by, at=at)
            study = Study.objects.create(
                data_set=of,
                key=key,
                name=name,
                descriptions={description_language or language: description} if description else {},
                language=language,
                protocol=as_data(protocol),
                rubric_version=version,
                created_at=at,
                created_by=by,
            )
    except IntegrityError as error:
        raise KeyTaken(sentence("There is already a study “{key}”.", key=key)) from error
    if coordinator is not None:
        Membership.objects.create(study=study, user=coordinator, roles=[TeamRole.COORDINATOR])
        if data_set is None:
            grants.found(data_set=of, person=coordinator, by=by, at=at)
    events.record(
        "study.created",
        subject=f"study:{study.pk}",
        by=by,
        at=at,
        facts={
            "rubric_version": version.pk,
            "coordinator": coordinator.pk if coordinator else None,
            "data_set": of.pk,
        },
    )
    return study


@transaction.atomic
def describe(
    *,
    study_id: int,
    name: str,
    language: str,
    descriptions: Mapping[str, str],
    by: User,
    at: datetime,
) -> Study:
    """Give a study another name, say which language its dialogues are in, and in one or more
    languages what it is about."""
    study = Study.objects.select_for_update(no_key=True).get(pk=study_id)
    facts = {
        "renamed": name != study.name,
        "dialogues": language,
        "languages": sorted(descriptions),
    }
    study.name, study.language, study.descriptions = name, language, dict(descriptions)
    study.save(update_fields=["name", "language", "descriptions"])
    events.record("study.described", subject=f"study:{study_id}", by=by, at=at, facts=facts)
    return study


def _data_set_for(key: str, name: str, *, by: User | None, at: datetime) -> DataSet:
    """A study's own data set, under its name."""
    is_steward = by is not None and Role.STEWARD in by.roles
    return DataSet.objects.create(
        key=key, name=name, steward=by if is_steward else None, created_at=at, created_by=by
    )


# A session of the database counts in a row of its own, of as many as there may be at once. An action
# of one statement makes this a part of that.
COUNT_CHANGE = """
INSERT INTO annotation_changecount AS counted (study_id, slot, n)
SELECT %(study)s, pg_backend_pid() %% 32, 1 WHERE {where}
ON CONFLICT (study_id, slot) DO UPDATE SET n = counted.n + 1
"""


def note_change(*, study_id: int) -> None:
    """Count a change of ratings or gold, and have the report brought up to date.

    The last statement of an action: others who rate in the study may wait for this row.
    """
    with preparing_cursor() as cursor:
        cursor.execute(COUNT_CHANGE.format(where="true"), {"study": study_id})
    queue.ratings_changed(study_id=study_id)
