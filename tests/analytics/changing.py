"""A process that changes a study at random, or one whose children pack it until they are killed.

python -m tests.analytics.changing change STUDY SEED TIMES
python -m tests.analytics.changing fold STUDY SEED
"""

import os
import signal
import sys
import time
import uuid
from collections.abc import Sequence
from typing import TypeVar

import django
import numpy as np
from django.utils import timezone

django.setup()

from django.db import IntegrityError, transaction

from analytics.ratings import columns as packed
from annotation.actions.studies import note_change
from annotation.models import (
    Gold,
    Item,
    Quarantine,
    Rater,
    Rating,
    Study,
    Submission,
)
from tests.cast import add_item

T = TypeVar("T")


class Undone(Exception):
    """What was changed is taken back as a whole."""


def change(study_id: int, seed: int, times: int) -> None:
    chance = np.random.default_rng(seed)
    study = Study.objects.select_related("rubric_version").get(pk=study_id)
    for number in range(times):
        act = any_of(chance, [give, give, give, give, correct, withdraw, erase, decide, set_aside])
        try:
            with transaction.atomic():
                if number % 50 == 49:
                    add_item(study, seed * 10_000 + number)
                act(study, chance)
                note_change(study_id=study_id)
                if chance.random() < 0.2:
                    time.sleep(0.02)
                if chance.random() < 0.1:
                    raise Undone
        except (Undone, IntegrityError):
            continue


def fold(study_id: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    while True:
        child = os.fork()
        if not child:
            while True:
                packed.fold(study_id)
        time.sleep(float(chance.uniform(0.02, 0.3)))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def give(study: Study, chance: np.random.Generator) -> None:
    """Ratings of some criteria by anyone; the one there is already wins."""
    rater = any_of(chance, Rater.objects.order_by("pk"))
    submission = Submission.objects.create(
        key=uuid.uuid4(),
        study=study,
        item=any_item(study, chance),
        rater=rater,
        rubric_version=study.rubric_version,
        origin="judge" if rater.kind == "judge" else "import",
        repeat=any_of(chance, [1, 1, 2]),
        submitted_at=timezone.now(),
    )
    rate(study, submission, chance)


def rate(study: Study, submission: Submission, chance: np.random.Generator) -> None:
    criteria = [criterion.key for criterion in study.rubric_version.content.criteria]
    Rating.objects.bulk_create(
        Rating(submission=submission, criterion_key=key, **any_value(chance))
        for key in chance.permutation(criteria)[: chance.integers(1, len(criteria) + 1)]
    )


def any_value(chance: np.random.Generator) -> dict:
    return any_of(
        chance,
        [
            {"score": int(chance.integers(1, 6))},
            {"score": int(chance.integers(1, 6))},
            {"score": any_of(chance, [0, 6, 50]), "off_scale": True},
            {"unscored": any_of(chance, ["missing", "broken_json"])},
        ],
    )


def correct(study: Study, chance: np.random.Generator) -> None:
    earlier = withdraw(study, chance)
    if earlier is None:
        return
    submission = Submission.objects.create(
        key=uuid.uuid4(),
        study=study,
        item=earlier.item,
        rater=earlier.rater,
        rubric_version=study.rubric_version,
        origin=earlier.origin,
        repeat=earlier.repeat,
        submitted_at=timezone.now(),
        supersedes=earlier,
    )
    rate(study, submission, chance)


def withdraw(study: Study, chance: np.random.Generator) -> Submission | None:
    current = Submission.objects.filter(study=study, is_current=True).order_by("?").first()
    if current is not None:
        Submission.objects.filter(pk=current.pk).update(is_current=False)
    return current


def erase(study: Study, chance: np.random.Generator) -> None:
    """What nobody superseded is gone for good."""
    last = Submission.objects.filter(study=study, superseded_by=None).order_by("?").first()
    if last is not None:
        Rating.objects.filter(submission=last).delete()
        Submission.objects.filter(pk=last.pk).delete()


def decide(study: Study, chance: np.random.Generator) -> None:
    item, now = any_item(study, chance), timezone.now()
    criterion = any_of(chance, study.rubric_version.content.criteria).key
    current = Gold.objects.filter(item=item, criterion_key=criterion, superseded_at=None)
    current.update(superseded_at=now)
    if chance.random() < 0.7:
        Gold.objects.create(
            item=item,
            criterion_key=criterion,
            score=int(chance.integers(1, 6)),
            origin="imported",
            decided_at=now,
        )


def set_aside(study: Study, chance: np.random.Generator) -> None:
    item, now = any_item(study, chance), timezone.now()
    still = Quarantine.objects.filter(item=item, lifted_at=None)
    if not still.update(lifted_at=now, lifted_by=study.created_by):
        Quarantine.objects.create(item=item, reason="Doubtful", quarantined_at=now)


def any_of(chance: np.random.Generator, several: Sequence[T]) -> T:
    return several[int(chance.integers(len(several)))]


def any_item(study: Study, chance: np.random.Generator) -> Item:
    return any_of(chance, Item.objects.filter(study=study).order_by("pk"))


if __name__ == "__main__":
    {"change": change, "fold": fold}[sys.argv[1]](*map(int, sys.argv[2:]))
