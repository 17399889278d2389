"""A person reads what the parser could not; it never counts as what the judge said."""

import pytest
from django.db import DatabaseError, transaction

from accounts.models import Event
from annotation.models import Rating, TeamRole
from judging.actions import runs
from judging.actions.judges import Settings
from judging.models import HandReading
from judging.queries import figures
from judging.rules.questions import AskingManner
from tests.cast import study_with
from tests.judging.conftest import work_until_it_rests

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


@pytest.mark.parametrize(
    ("manner", "answers"),
    [
        # Asked one by one, each answer stands before the criterion that it was asked about.
        (AskingManner.EACH, [["Hm, one."], ["Hm, two."], ["Hm, three."]]),
        (AskingManner.FLAT, [["Hm, one."]]),
    ],
)
def test_an_answer_stands_with_what_it_was_asked_about(
    ada, as_user, scripted, fast_clock, manner, answers
):
    study = study_with(
        rubric="psycrisis", key="lake", team={ada: [TeamRole.COORDINATOR]}, n_items=1
    )
    words = ["Hm, one.", "Hm, two.", "Hm, three.", "empathy 1", "Hm, five."]
    scripted.answer = lambda _body, number: words[number - 1]
    run = runs.start(
        study=study,
        judge=Settings(llm="echo", base_url=scripted.base_url, as_json=False, manner=manner),
        repeats=1,
        concurrency=1,
        by=ada,
        at=fast_clock(),
    )
    work_until_it_rests(run, fast_clock)
    page = as_user(ada).get(f"/studies/lake/judges/{run.pk}/calls/{run.calls.first().pk}/")

    told = page.context["to_read"]
    assert [texts for texts, _unread in told][: len(answers)] == answers
    criteria = [one.criterion for _texts, unread in told for one in unread]
    assert criteria[:3] == ["empathy", "emotion_regulation", "exploration"]
    assert len(told[0][1]) == (1 if manner is AskingManner.EACH else 5)


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
