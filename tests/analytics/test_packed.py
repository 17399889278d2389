"""Packed columns and the list of changes are, at any moment, what the rows say."""

import json
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from django.db import connection, transaction

from analytics.models import Change, PackedColumn, PackedStudy
from analytics.ratings import columns as packed
from analytics.ratings import matrices
from analytics.ratings.matrices import VIEWS
from annotation.actions import quarantine
from annotation.models import Gold, Rating, RubricVersion, Study, Submission, TeamRole
from tests.analytics.made import AT, decide, human, items_of, judge, rate
from tests.cast import add_item, study_with
from tests.services import address_of_database, beside, came_of, wait_until

CHANGES_EACH = 200


@pytest.fixture
def mind(ada) -> Study:
    return study_with(rubric="mentalalign", key="mind", team={ada: [TeamRole.COORDINATOR]})


@pytest.fixture
def erasable(transactional_db) -> Iterator[None]:
    """Rows that the database would keep can be deleted; the list of changes goes on."""
    tables = ("annotation_submission", "annotation_rating")
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER keep_row")
        yield
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER keep_row")


def same_as_rows(study: Study) -> int:
    """Compare everything that figures are computed from, in one snapshot; how many ratings."""
    kept, rows = matrices.read(study.pk), matrices.read_rows(study.pk)
    assert (kept.revision, kept.raters) == (rows.revision, rows.raters)
    for name in ("items", "dialogues", "generators", "quarantined"):
        np.testing.assert_array_equal(getattr(kept, name), getattr(rows, name))
    as_text = {"unscored": str}
    pd.testing.assert_frame_equal(kept.ratings.astype(as_text), rows.ratings.astype(as_text))
    pd.testing.assert_frame_equal(kept.gold, rows.gold)
    for key in kept.meanings:
        for view in VIEWS:
            one, other = (matrices.matrix(read, key, view=view) for read in (kept, rows))
            np.testing.assert_array_equal(one.values, other.values)
            np.testing.assert_array_equal(one.gold, other.gold)
            assert one.points == other.points
        for rater in kept.raters:
            np.testing.assert_array_equal(
                matrices.repeats(kept, key, rater), matrices.repeats(rows, key, rater)
            )
    return len(kept.ratings)


def test_figures_are_those_of_the_rows_whoever_changes_them_and_whoever_dies(
    mind, erasable, start_process
):
    for name in ("ruth", "rolf", "rita"):
        human(name)
    judge("echo")
    env = {"DATABASE_URL": address_of_database(), "DJANGO_SETTINGS_MODULE": "config.settings.test"}
    program = [sys.executable, "-m", "tests.analytics.changing"]
    folder = start_process("folder", [*program, "fold", f"{mind.pk}", "7"], **env)
    wait_until(PackedStudy.objects.filter(study=mind).exists, what="the first columns")
    writers = [
        start_process(
            f"writer{seed}", [*program, "change", f"{mind.pk}", f"{seed}", f"{CHANGES_EACH}"], **env
        )
        for seed in (1, 2, 3)
    ]
    compared = 0

    def have_ended() -> bool:
        nonlocal compared
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            compared += same_as_rows(mind) > 0
        return all(writer.popen.poll() is not None for writer in writers)

    wait_until(have_ended, seconds=600.0, what="the end of all writers")
    assert [writer.popen.returncode for writer in writers] == [0, 0, 0], writers[0].output()
    folder.kill()
    assert same_as_rows(mind) > 100
    packed.fold(mind.pk)
    assert same_as_rows(mind) > 100
    assert compared


def test_what_changed_is_listed_until_it_is_in_the_columns(mind):
    ruth, item = human("ruth"), items_of(mind)[0]
    packed.fold(mind.pk)
    rate(ruth, item, safety=4)
    decide(item, safety=5)
    listed = Change.objects.filter(study_id=mind.pk).values_list("item_id", "rater_id")
    assert set(listed) == {(item.pk, ruth.pk), (item.pk, packed.GOLD)}
    assert same_as_rows(mind) == 1
    packed.fold(mind.pk)
    assert not Change.objects.exists()
    assert set(PackedColumn.objects.values_list("rater_id", "repeat")) == {
        (ruth.pk, 1),
        packed.OF_GOLD,
    }
    assert same_as_rows(mind) == 1


@pytest.mark.parametrize("fold_first", [False, True])
def test_each_kind_of_change_is_seen_at_once(mind, ada, fold_first):
    ruth, echo, (first, second, *_) = human("ruth"), judge("echo"), items_of(mind)

    def seen(expected: int) -> None:
        assert same_as_rows(mind) == expected
        if fold_first:
            packed.fold(mind.pk)
            assert same_as_rows(mind) == expected

    seen(0)
    given = rate(ruth, first, safety=4, empathy=6)
    seen(2)
    rate(echo, first, repeat=2, safety="[broken_json]")
    seen(3)
    Submission.objects.filter(pk=given.pk).update(is_current=False)
    seen(1)
    rate(ruth, first, helpfulness=1)
    seen(2)
    Rating.objects.create(
        submission=Submission.objects.last(), criterion_key="understanding", score=3
    )
    seen(3)
    decide(second, safety=2)
    assert len(matrices.read(mind.pk).gold) == 1
    Gold.objects.update(superseded_at=AT)
    seen(3)
    assert matrices.read(mind.pk).gold.empty
    aside = quarantine.quarantine(study_id=mind.pk, item_key=first.key, reason="Odd", by=ada, at=AT)
    seen(3)
    quarantine.lift(study_id=mind.pk, quarantine_id=aside.pk, by=ada, at=AT)
    add_item(mind, 7)
    seen(3)
    assert matrices.read(mind.pk).items.size == 7
    first.generator = "frog"
    first.save(update_fields=["generator"])
    seen(3)
    assert "frog" in matrices.read(mind.pk).generators


def test_a_statement_that_changes_very_much_is_listed_as_one_line(mind):
    packed.fold(mind.pk)
    ruth = human("ruth")
    for position in range(10, 60):
        add_item(mind, position)
    packed.fold(mind.pk)
    submissions = [rate(ruth, item, safety=3) for item in items_of(mind)]
    packed.fold(mind.pk)
    Rating.objects.bulk_create(
        Rating(submission=submission, criterion_key=f"k{number}", score=1)
        for submission in submissions
        for number in range(30)
    )
    assert list(Change.objects.values_list("item_id", "rater_id")) == [(packed.EVERYTHING, 0)]
    assert same_as_rows(mind) == len(submissions)


@pytest.mark.django_db(transaction=True)
def test_a_change_that_commits_late_is_not_lost(mind):
    ruth, (first, second, *_) = human("ruth"), items_of(mind)
    packed.fold(mind.pk)
    begun, folded = threading.Event(), threading.Event()

    def slowly() -> None:
        with transaction.atomic():
            rate(ruth, first, safety=2)
            begun.set()
            assert folded.wait(60)

    writer = beside(slowly)
    assert begun.wait(60)
    Submission.objects.create(
        key="0" * 32,
        study=mind,
        item=second,
        rater=ruth,
        rubric_version=mind.rubric_version,
        origin="import",
        submitted_at=AT,
    )
    packed.fold(mind.pk)
    assert same_as_rows(mind) == 0
    folded.set()
    came_of(writer)
    assert same_as_rows(mind) == 1
    packed.fold(mind.pk)
    assert same_as_rows(mind) == 1


@pytest.mark.django_db(transaction=True)
def test_while_one_process_folds_another_reads_and_does_not_fold(mind):
    rate(human("ruth"), items_of(mind)[0], safety=2)
    holds, done = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            packed.fold(mind.pk)
            holds.set()
            assert done.wait(60)

    folding = beside(hold)
    assert holds.wait(60)
    assert not packed.fold(mind.pk)
    assert same_as_rows(mind) == 1
    done.set()
    came_of(folding)
    assert same_as_rows(mind) == 1


@pytest.mark.django_db(transaction=True)
def test_who_dies_before_the_end_leaves_all_as_it_was(mind):
    rate(human("ruth"), items_of(mind)[0], safety=2)
    listed = set(Change.objects.values_list("pk", flat=True))
    with transaction.atomic():
        packed.fold(mind.pk)
        transaction.set_rollback(True)
    assert set(Change.objects.values_list("pk", flat=True)) == listed
    assert not PackedStudy.objects.exists()
    assert same_as_rows(mind) == 1


@pytest.mark.parametrize("stored", [6, packed.EDITION - 1])  # up to 6 they were counted by hand
def test_columns_of_another_edition_are_made_anew(mind, stored):
    rate(human("ruth"), items_of(mind)[0], safety=2)
    packed.fold(mind.pk)
    PackedStudy.objects.update(edition=stored)
    assert same_as_rows(mind) == 1
    packed.fold_if_long(mind.pk)
    assert PackedStudy.objects.get().edition == packed.EDITION


def test_a_new_edition_of_the_rubric_gives_kept_codes_another_meaning(pond):
    rate(human("ruth"), items_of(pond)[0], safety="nonsense")
    packed.fold(pond.pk)
    assert matrices.read(pond.pk).ratings["value"].tolist() == [0.0]
    written = json.dumps(pond.rubric_version.definition).replace('"nonsense"', '"noise"')
    pond.rubric_version = RubricVersion.objects.create(
        rubric=pond.rubric_version.rubric,
        number=2,
        definition=json.loads(written),
        fingerprint="2" * 64,
        published_at=AT,
    )
    pond.save(update_fields=["rubric_version"])
    assert matrices.read(pond.pk).ratings["unscored"].tolist() == ["unknown_label"]
    assert same_as_rows(pond) == 1


def test_the_columns_are_brought_up_to_date_once_much_has_changed(mind, monkeypatch):
    ruth, items = human("ruth"), items_of(mind)
    packed.fold_if_long(mind.pk)
    rate(ruth, items[0], safety=2)
    packed.fold_if_long(mind.pk)
    assert Change.objects.exists(), "few changes are left for readers to look up"
    monkeypatch.setattr(packed, "FOLD_AT", 2)
    packed.fold_if_long(mind.pk)
    assert not Change.objects.exists()


def test_more_answers_than_a_byte_tells_apart_are_kept(mind):
    ruth, items = human("ruth"), [add_item(mind, number) for number in range(1000, 1300)]
    rate(ruth, items[0], safety=2)
    packed.fold(mind.pk)
    assert same_as_rows(mind) == 1
    for number, item in enumerate(items[1:], start=100):
        submission = rate(ruth, item, safety=3)
        Rating.objects.create(
            submission=submission, criterion_key="empathy", score=number, off_scale=True
        )
    packed.fold(mind.pk)
    assert same_as_rows(mind) == 1 + 2 * 299
    packed.fold(mind.pk)
    assert same_as_rows(mind) == 1 + 2 * 299
