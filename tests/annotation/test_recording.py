"""Answers have one way in: the same rows in each mode, a line in the trail, and one count."""

from uuid import uuid4

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Event
from annotation.actions import recording
from annotation.actions.recording import AnswerSet, Untraced
from annotation.models import Origin, Rater, Rating, Study, Submission
from annotation.readers.values import Value
from tests.annotation.doing import correct, rate

VALUES = (Value("safety", "nonsense"), Value("tone", None, 9, "", True), Value("x", unscored="no"))
SUBMISSION = ("item", "rater", "study", "rubric_version", "origin", "round", "repeat", "comment")
SUBMISSION += ("seconds", "submitted_at", "is_current", "supersedes")
RATING = ("criterion_key", "label", "score", "unscored", "off_scale", "path")


@pytest.fixture
def ruth(db) -> Rater:
    return Rater.objects.create(key="ruth", name="Ruth", kind="human")


@pytest.fixture
def change_of(pond):
    return lambda **more: recording.change(study_id=pond.pk, **more)


def answers(study, rater, position=1, **more) -> AnswerSet:
    item = study.items.get(position=position)
    given = {"values": VALUES, "submitted_at": study.created_at} | more
    return AnswerSet(key=uuid4(), item=item.pk, rater=rater.pk, **given)


def into(study) -> dict:
    return {"origin": Origin.IMPORT, "rubric_version": study.rubric_version_id}


def traced(change, study, by):
    change.record(
        "ratings.imported", subject=f"study:{study.pk}", by=by, at=timezone.now(), facts={}
    )


def revision(study) -> int:
    return Study.objects.values_list("revision", flat=True).get(pk=study.pk)


def rows_of(position):
    submissions = Submission.objects.filter(item__position=position).order_by("pk")
    ratings = Rating.objects.filter(submission__in=submissions).order_by("pk")
    return [
        [
            value if name != "supersedes" else value is not None
            for name, value in zip(SUBMISSION[1:], row[1:], strict=True)
        ]
        for row in submissions.values_list(*SUBMISSION)
    ], list(ratings.values_list(*RATING))


def test_few_and_many_are_stored_as_the_same_rows(pond, ruth, ada, change_of):
    for position, mode in ((1, "store"), (2, "copy")):
        for more in ({}, {"comment": "Again.", "seconds": 7}):
            current = Submission.objects.filter(item__position=position, is_current=True).first()
            with change_of() as change:
                one = answers(pond, ruth, position, supersedes=current and current.pk, **more)
                getattr(change, mode)([one], **into(pond))
                traced(change, pond, ada)
    few, many = rows_of(1), rows_of(2)
    assert few == many
    assert len(few[0]) == 2
    assert few[1][:3] == [tuple(value) for value in VALUES]


def test_a_change_counts_once_however_much_is_stored(pond, ruth, ada, change_of):
    before = revision(pond)
    with change_of() as change:
        change.store([answers(pond, ruth, 1), answers(pond, ruth, 2)], **into(pond))
        change.copy([answers(pond, ruth, 3)], **into(pond))
        traced(change, pond, ada)
    assert revision(pond) == before + 1


def test_the_count_is_the_last_statement(pond, ruth, ada, change_of):
    with (
        CaptureQueriesContext(
            connection,
        ) as queries,
        change_of() as change,
    ):
        change.store([answers(pond, ruth)], **into(pond))
        traced(change, pond, ada)
    written = [one["sql"] for one in queries if "SAVEPOINT" not in one["sql"]]
    assert written[-1].strip().startswith("INSERT INTO annotation_changecount")


def test_nothing_stored_counts_as_nothing(pond, change_of):
    before = revision(pond)
    with change_of() as change:
        change.store([], **into(pond))
        change.copy([], **into(pond))
    assert revision(pond) == before


def test_gold_and_items_count_too(pond, change_of, ada):
    before = revision(pond)
    with change_of() as change:
        traced(change, pond, ada)
        change.count()
    assert revision(pond) == before + 1


@pytest.mark.parametrize("mode", ["store", "copy"])
def test_answers_without_a_line_in_the_trail_are_not_kept(pond, ruth, change_of, mode):
    with pytest.raises(Untraced), change_of() as change:
        getattr(change, mode)([answers(pond, ruth)], **into(pond))
    assert not Submission.objects.exists()


def test_a_judges_calls_are_their_own_trail(pond, ruth, change_of):
    with change_of(is_traced=True) as change:
        change.store([answers(pond, ruth)], **into(pond))
    assert Submission.objects.count() == 1


def test_what_is_undone_is_neither_kept_nor_counted(pond, ruth, ada, change_of):
    before, lines = revision(pond), Event.objects.count()
    with change_of() as change:
        change.store([answers(pond, ruth)], **into(pond))
        traced(change, pond, ada)
        change.undo()
    assert not Submission.objects.exists()
    assert (revision(pond), Event.objects.count()) == (before, lines)


@pytest.mark.parametrize("mode", ["store", "copy"])
def test_a_rater_has_one_current_set_of_an_item_in_each_mode(pond, ruth, ada, change_of, mode):
    def once_more():
        with change_of() as change:
            getattr(change, mode)([answers(pond, ruth)], **into(pond))
            traced(change, pond, ada)

    once_more()
    with pytest.raises(IntegrityError):
        once_more()
    assert Submission.objects.count() == 1


def test_a_submission_is_one_statement_with_its_line_and_its_count(pond_round, ben):
    before, lines = revision(pond_round.study), Event.objects.count()
    with CaptureQueriesContext(connection) as queries:
        rate(pond_round, ben, 1)
    stored = [one["sql"] for one in queries if "annotation_submission" in one["sql"]]
    assert len(stored) == 1
    assert "annotation_rating" in stored[0]
    assert revision(pond_round.study) == before + 1
    assert Event.objects.count() == lines + 1


def test_the_last_rater_of_an_item_and_a_correction_count_once_each(pond_round, ben, cleo):
    rate(pond_round, ben, 1)
    before = revision(pond_round.study)
    receipt = rate(pond_round, cleo, 1)
    assert revision(pond_round.study) == before + 1
    correct(pond_round, cleo, 1, {"safety": "nonsense"}, supersedes=receipt.submission_id)
    assert revision(pond_round.study) == before + 2
    assert Event.objects.filter(verb="submission.corrected").count() == 1
