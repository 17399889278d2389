"""A rater objects to a decision once it was told, and an adjudicator answers."""

import pytest
from django.db import IntegrityError, transaction

from annotation.models import Dispute
from annotation.queries import cases
from annotation.queries.studies import study_for
from tests.annotation.doing import (
    NONSENSE,
    SAFE,
    assignment_of,
    close,
    decide,
    rate,
    revise,
    round_item,
)


@pytest.fixture
def told(pond_round, ada, ben, cleo, dora):
    """A closed round: item 1 was decided against ben, the others were agreed on."""
    for position in range(1, 7):
        rate(pond_round, ben, position, NONSENSE if position == 1 else SAFE)
        rate(pond_round, cleo, position, SAFE)
    decide(pond_round, dora, 1, SAFE)
    return pond_round


def url(rating_round, user, position=1):
    return f"/studies/pond/my-work/{assignment_of(rating_round, user, position).pk}/"


def dispute(client, rating_round, user, text="It parrots.", position=1):
    place = f"{url(rating_round, user, position)}dispute/"
    return client.post(place, {"text": text}, follow=True).content.decode()


def test_nothing_is_disputed_before_it_is_told(told, ben, as_user):
    assert "once the round is closed" in dispute(as_user(ben), told, ben)


def test_a_dispute_is_read_under_a_letter_and_answered(told, ada, ben, dora, as_user, access_of):
    close(told, ada)
    page = dispute(as_user(ben), told, ben)
    assert "It parrots." in page
    assert "An adjudicator has not answered yet." in page
    study_access = study_for(access_of(dora), "pond")
    found = cases.queue(study_access, cases.CasesWanted(is_disputed=True))
    assert [one.position for one in found.waiting] == [1]
    expert, case = as_user(dora), f"/studies/pond/adjudicate/{round_item(told).pk}/"
    assert "?disputed" in expert.get("/studies/pond/adjudicate/").content.decode()
    shown = expert.get(case).content.decode()
    assert "It parrots." in shown
    assert "Ben" not in shown
    revise(told, dora, 1, NONSENSE)
    made = Dispute.objects.get()
    expert.post(f"{case}disputes/{made.pk}/", {f"answer.{made.pk}": "You are right."})
    page = as_user(ben).get(url(told, ben)).content.decode()
    assert "You are right." in page
    assert cases.queue(study_access).n_disputed == 0


@pytest.mark.parametrize(
    ("position", "text", "refusal"),
    [
        (1, " ", "Write something first."),
        (2, "Why?", "its raters agreed"),
    ],
)
def test_a_dispute_is_refused_with_a_reason(told, ada, ben, as_user, position, text, refusal):
    close(told, ada)
    assert refusal in dispute(as_user(ben), told, ben, text, position)
    assert not Dispute.objects.exists()


def test_a_decision_is_disputed_once_and_the_words_stay(told, ada, ben, cleo, as_user):
    close(told, ada)
    client = as_user(ben)
    dispute(client, told, ben)
    assert "disputed this decision already" in dispute(client, told, ben)
    with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
        Dispute.objects.update(text="Other.")
    assert as_user(cleo).post(f"{url(told, ben)}dispute/", {"text": "x"}).status_code == 404
