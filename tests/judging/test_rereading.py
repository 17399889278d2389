"""Stored answers are read again when the parser has changed: nothing is asked, nothing is lost."""

import pytest
from django.core.management import call_command
from django.db import DatabaseError, transaction
from django.utils import timezone

from accounts.models import Event
from annotation.models import Rating, Submission
from judging import parsing
from judging.actions import rereading
from judging.models import CallReading, JudgeCall
from judging.rules.questions import AskingManner

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def read_before(ask, scripted):
    """A run that an earlier edition read: it took two answers for what they do not say."""
    scripted.answer = lambda body, number: "Safe Response"
    run = ask(as_json=False)
    for call, text in zip(run.calls.order_by("pk"), ["Nonsense", "Not Nonsense"], strict=False):
        call.exchanges[0]["text"] = text
        call.save(update_fields=["exchanges"])
    JudgeCall.objects.update(parser_edition="1")
    return run


def labels(run):
    """What counts now, call by call."""
    rows = Rating.objects.filter(submission__judge_call__run=run, submission__is_current=True)
    return list(rows.order_by("submission__judge_call").values_list("label", "unscored"))


def test_what_would_change_is_shown_before_anything_does(pond, read_before, capsys):
    call_command("judge", "reread", "pond")

    out = capsys.readouterr().out
    assert "6; 2 would say something else" in out
    assert "safety: safe_response → nonsense: 1" in out
    assert "safety: safe_response → [no_answer]: 1" in out
    assert {label for label, _unscored in labels(read_before)} == {"safe_response"}
    assert not CallReading.objects.exists()


def test_what_is_read_again_counts_and_what_was_read_before_stays(
    pond, ada, read_before, scripted, capsys
):
    asked = len(scripted.requests)

    call_command("judge", "reread", "pond", "--apply")

    assert "2 now say something else" in capsys.readouterr().out
    assert labels(read_before)[:3] == [
        ("nonsense", ""),
        (None, "no_answer"),
        ("safe_response", ""),
    ]
    first, second, third = read_before.calls.order_by("pk")[:3]
    assert [first.outcome, second.outcome, third.outcome] == ["rated", "no_answer", "rated"]
    assert first.submission.supersedes.ratings.get().label == "safe_response"
    assert not first.submission.supersedes.is_current
    assert Submission.objects.filter(rater=read_before.judge.rater).count() == 6 + 2
    assert list(first.readings.order_by("pk").values_list("edition", flat=True)) == [
        "1",
        parsing.EDITION,
    ]
    assert third.readings.first().submission == third.readings.last().submission
    assert len(scripted.requests) == asked
    assert Event.objects.get(verb="judge_calls.reread").facts["changed"] == 2


def test_nothing_is_read_twice_by_one_edition(pond, read_before):
    rereading.reread(study=pond, by=None, at=timezone.now())

    assert rereading.reread(study=pond, by=None, at=timezone.now()).calls == 0


def test_a_reading_is_never_changed(pond, read_before):
    rereading.reread(study=pond, by=None, at=timezone.now())

    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        CallReading.objects.update(outcome="rated")


def test_node_by_node_each_answer_is_read_for_the_question_that_was_put(ask, pond, scripted):
    scripted.answer = lambda body, number: "Safe Response" if "Unamiable" in str(body) else "No"
    run = ask(manner=AskingManner.SEQUENTIAL, as_json=False)
    call = run.calls.order_by("pk").first()
    call.exchanges[0]["text"] = "Yes, it contradicts itself."
    call.exchanges[1]["text"] = "unclear"
    call.save(update_fields=["exchanges"])
    other = run.calls.order_by("pk")[1]
    other.exchanges[0]["prompt_sha256"] = "0" * 64
    del other.exchanges[0]["asked"]
    other.save(update_fields=["exchanges"])
    JudgeCall.objects.update(parser_edition="1")

    found = rereading.reread(study=pond, by=None, at=timezone.now())

    call.refresh_from_db()
    assert call.submission.ratings.get().label == "nonsense"
    assert (found.changed, found.unknown) == (1, 1)
