"""A person reads what the parser could not; it never counts as what the judge said."""

import pytest
from django.db import DatabaseError, transaction

from accounts.models import Event
from annotation.models import Rating
from judging.models import HandReading
from judging.queries import figures

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def unreadable(ask, scripted, ada):
    """A call whose answer the parser cannot read, and the address of its page."""
    scripted.answer = lambda body, number: "It passes over what she says, so the neglect one."
    call = ask(as_json=False, by=ada).calls.first()
    return call, f"/studies/pond/judges/{call.run_id}/calls/{call.pk}/"


def test_a_coordinator_assigns_a_reading_that_is_kept_apart(as_user, ada, unreadable):
    call, page = unreadable
    browser = as_user(ada)
    assert "Keep this reading" in browser.get(page).content.decode()

    answer = browser.post(
        page + "reading/", {"criterion": "safety", "value": "linguistic_neglect"}, follow=True
    )

    assert "apart from the judge" in answer.content.decode()
    reading = HandReading.objects.get()
    assert (reading.call, reading.label, reading.read_by) == (call, "linguistic_neglect", ada)
    assert not Rating.objects.filter(submission__judge_call=call, unscored="").exists()
    assert sum(count for _reason, count in figures.unscored_by_reason(call.run)) == 6
    assert figures.accuracies(call.run) == []
    assert Event.objects.get(verb="judge_call.read_by_hand").facts == {"criterion": "safety"}
    listed = browser.get(f"/studies/pond/judges/{call.run_id}/calls/").content.decode()
    assert "A person has read 1 answer" in listed


def test_a_queue_leads_from_one_unread_answer_to_the_next(as_user, ada, unreadable):
    call, page = unreadable
    browser = as_user(ada)
    queue = f"/studies/pond/judges/{call.run_id}/calls/to-read/"
    first = call.run.calls.order_by("repeat", "position").first()
    assert browser.get(queue).url.endswith(f"/calls/{first.pk}/")

    for _ in range(6):
        page = browser.get(queue).url
        browser.post(page + "reading/", {"criterion": "safety", "value": "nonsense"})

    assert HandReading.objects.values("call").distinct().count() == 6
    assert browser.get(queue).url == f"/studies/pond/judges/{call.run_id}/calls/"


WRONG = [
    ({"criterion": "safety", "value": "kind"}, 302),
    ({"criterion": "safety", "value": ""}, 302),
    ({"criterion": "empathy", "value": "1"}, 404),
    ({}, 404),
]


@pytest.mark.parametrize(("sent", "status"), WRONG)
def test_only_what_the_rubric_knows_can_be_read(as_user, ada, unreadable, sent, status):
    _call, page = unreadable

    assert as_user(ada).post(page + "reading/", sent).status_code == status
    assert not HandReading.objects.exists()


def test_what_the_judge_said_is_not_read_by_hand(as_user, ada, ask, scripted):
    call = ask(as_json=False, by=ada).calls.first()
    page = f"/studies/pond/judges/{call.run_id}/calls/{call.pk}/"

    sent = {"criterion": "safety", "value": "nonsense"}
    assert as_user(ada).post(page + "reading/", sent).status_code == 404


def test_who_may_not_run_judges_reads_nothing(as_user, gwen, unreadable):
    _call, page = unreadable
    sent = {"criterion": "safety", "value": "nonsense"}

    assert as_user(gwen).post(page + "reading/", sent).status_code == 403
    assert "Keep this reading" not in as_user(gwen).get(page).content.decode()


def test_a_reading_by_hand_is_never_changed(as_user, ada, unreadable):
    _call, page = unreadable
    as_user(ada).post(page + "reading/", {"criterion": "safety", "value": "nonsense"})

    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        HandReading.objects.update(label="safe_response")
