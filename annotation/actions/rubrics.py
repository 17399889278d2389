"""Publish editions of rubrics."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User
from annotation.models import Rubric, RubricVersion
from annotation.rubric.loading import load
from annotation.rubric.versions import fingerprint


@transaction.atomic
def publish(*, definition: Mapping[str, object], by: User | None, at: datetime) -> RubricVersion:
    """Give a definition its number; the same text again is the edition it already is.

    RubricError where the definition is not a rubric.
    """
    key = load(definition).key
    rubric, _created = Rubric.objects.get_or_create(key=key)
    Rubric.objects.select_for_update().get(pk=rubric.pk)
    mark = fingerprint(definition)
    if known := rubric.versions.filter(fingerprint=mark).first():
        return known
    version = rubric.versions.create(
        number=rubric.versions.count() + 1,
        definition=definition,
        fingerprint=mark,
        published_at=at,
    )
    events.record(
        "rubric.published",
        subject=f"rubric_version:{version.pk}",
        by=by,
        at=at,
        facts={"number": version.number, "sha256": mark},
    )
    return version
