"""The least valid rows that a figure is computed from."""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import chain, starmap
from typing import Any

from django.utils import timezone

from accounts.access import access_of
from accounts.models import User
from analytics.exports.actions import note_download
from analytics.exports.rulings import disclosure
from analytics.models import DisclosureRuling, Export
from analytics.tasks import build_writeup, verify
from annotation.actions import submissions
from annotation.actions.studies import note_change
from annotation.models import (
    Assignment,
    FileJob,
    Gold,
    Item,
    Quarantine,
    Rater,
    Rating,
    Study,
    Submission,
)
from annotation.queries import work
from annotation.rubric.answers import Answer, read
from annotation.rubric.taxonomy import path_as_text
from annotation.rules.completeness import Filled

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def human(key: str, **fields) -> Rater:
    return Rater.objects.create(key=key, name=key.capitalize(), kind="human", **fields)


def judge(key: str, *own_generators: str) -> Rater:
    return Rater.objects.create(
        key=key, name=key.capitalize(), kind="judge", own_generators=list(own_generators)
    )


def items_of(study: Study) -> list[Item]:
    return list(study.items.order_by("position"))


def rate(
    rater: Rater,
    item: Item,
    *,
    repeat: int = 1,
    current: bool = True,
    submitted_at: datetime = AT,
    **values,
) -> Submission:
    """Imported ratings: a label, a number or a way through a graph by criterion; a str in brackets
    is a reason."""
    submission = _submission(
        rater, item, repeat=repeat, is_current=current, submitted_at=submitted_at
    )
    submission.save()
    Rating.objects.bulk_create(_ratings(submission, values))
    note_change(study_id=item.study_id)
    return submission


def rate_all(study: Study, given: Iterable[tuple[Rater, Item, int, Mapping[str, Any]]]) -> None:
    """The same of many at once: who rates what, at which repeat, and what by criterion."""
    made = [
        (_submission(rater, item, repeat=repeat), values) for rater, item, repeat, values in given
    ]
    Submission.objects.bulk_create(submission for submission, _ in made)
    Rating.objects.bulk_create(chain.from_iterable(starmap(_ratings, made)))
    note_change(study_id=study.pk)


def _submission(rater: Rater, item: Item, **fields) -> Submission:
    fields = {"submitted_at": AT} | fields
    return Submission(
        key=uuid.uuid4(),
        study=item.study,
        item=item,
        rater=rater,
        rubric_version=item.study.rubric_version,
        origin="judge" if rater.kind == "judge" else "import",
        **fields,
    )


def _ratings(submission: Submission, values: Mapping[str, Any]) -> Iterator[Rating]:
    for key, value in values.items():
        yield Rating(
            submission=submission, criterion_key=key, **_value(submission.study, key, value)
        )


def make_for_all(kind: str) -> None:
    """What a worker does that takes up what was asked for."""
    make = {"report": build_writeup, "verification": verify}[kind]
    job = FileJob.objects.get(kind=kind, state="waiting")
    make(job.pk)


def let_pass(study: Study, *, by: User) -> DisclosureRuling:
    """Somebody looked at what the disclosure tests find, and lets it leave."""
    return DisclosureRuling.objects.create(
        study=study,
        digest=disclosure(study).digest,
        findings=[],
        passes=True,
        reason="All of them agreed to be named.",
        ruled_at=timezone.now(),
        ruled_by=by,
    )


def fetched(study: Study, person: User, *, days: int = 9) -> Export:
    """A release that somebody fetched now, and is to destroy after so many days."""
    now = timezone.now()
    release = Export.objects.create(
        study=study,
        exported_by=person,
        exported_at=now,
        revision=1,
        manifest={
            "release": f"{study.key}-r1-abc",
            "destroy_by": (now + timedelta(days=days)).date().isoformat(),
            "data_set": {"key": study.data_set.key, "levels": ["majority", "open_split"]},
        },
        sha256="a" * 64,
    )
    note_download(release, by=person, at=now)
    return release


def submit(assignment: Assignment, **values) -> None:
    """What a rater submits in a round: a label or a number by criterion."""
    answers = tuple(
        Answer(criterion=key, **({"label": value} if isinstance(value, str) else {"score": value}))
        for key, value in values.items()
    )
    user = assignment.rater.user
    submissions.submit(
        owed=work.owed(access_of(user, at=timezone.now()), assignment.pk),
        answers=submissions.Answers(
            key=uuid.uuid4(), filled=Filled(answers=answers, cannot_judge={})
        ),
        by=user,
        at=AT,
    )


def decide(item: Item, **values) -> None:
    """Imported gold, a label or a number by criterion."""
    decide_all(item.study, [(item, values)])


def decide_all(study: Study, given: Iterable[tuple[Item, Mapping[str, str | int]]]) -> None:
    """The same of many at once."""
    Gold.objects.bulk_create(
        Gold(
            item=item,
            criterion_key=key,
            origin="imported",
            decided_at=AT,
            **{"label" if isinstance(value, str) else "score": value},
        )
        for item, values in given
        for key, value in values.items()
    )
    note_change(study_id=study.pk)


def _value(study: Study, key: str, value) -> dict:
    if isinstance(value, str) and value.startswith("["):
        return {"unscored": value.strip("[]")}
    if isinstance(value, dict):
        answer = read(study.rubric_version.content.criterion(key), value)
        return {"label": answer.label, "path": path_as_text(answer.path)}
    if isinstance(value, str):
        return {"label": value}
    scale = study.rubric_version.content.criterion(key).values
    return {"score": value, "off_scale": value not in scale}


def set_aside(item: Item, *, reason: str = "The reply is missing.") -> None:
    """An item that figures leave out."""
    Quarantine.objects.create(item=item, reason=reason, quarantined_at=AT)
    note_change(study_id=item.study_id)
