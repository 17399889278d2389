"""A program that does not know whether a write arrived sends it again, and it is done once."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from accounts.actions import writes
from accounts.models import ApiWrite, Event
from annotation.actions import teams
from annotation.models import Grant, Quarantine
from tests.cast import approved, bearer
from tests.services import together

ASIDE = "/api/v1/studies/pond/aside/"
ITEM = {"item": "d1.1", "reason": "No reply."}


def send(client, user, path, data, key):
    headers = bearer(user) | {"Idempotency-Key": key}
    return client.post(path, data, content_type="application/json", headers=headers)


@pytest.mark.django_db
def test_the_same_key_gets_the_same_answer_and_does_nothing(client, pond, ada):
    first = send(client, ada, ASIDE, ITEM, "a")
    again = send(client, ada, ASIDE, ITEM, "a")
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert Quarantine.objects.count() == 1
    assert Event.objects.filter(verb="item.quarantined").count() == 1
    otherwise = send(client, ada, ASIDE, ITEM | {"reason": "Too short."}, "a")
    assert (otherwise.status_code, Quarantine.objects.get().reason) == (409, "No reply.")
    assert send(client, ada, ASIDE, ITEM, "b").status_code == 409, "the item is set aside"


@pytest.mark.django_db
def test_a_key_is_its_accounts_own_and_is_kept_for_a_day(client, pond, ada, terms):
    nia = approved("nia", terms)
    about = {"study_id": pond.pk, "email": nia.email, "by": None, "at": timezone.now()}
    teams.set_roles(roles=["researcher"], **about)
    path, asked = "/api/v1/studies/pond/grants/ask/", {"levels": ["per_rater"], "purpose": "Kappa."}
    for user in (ada, nia, nia):
        assert send(client, user, path, asked, "a").status_code == 200
    assert Grant.objects.filter(purpose="Kappa.").count() == 1, "ada holds the level"
    assert ApiWrite.objects.count() == 2
    writes.forget(at=timezone.now() + timedelta(hours=23))
    assert ApiWrite.objects.count() == 2
    writes.forget(at=timezone.now() + timedelta(hours=25))
    assert ApiWrite.objects.count() == 0


@pytest.mark.django_db
def test_what_was_refused_may_be_tried_again(client, pond, ada):
    assert send(client, ada, ASIDE, ITEM | {"item": "d9.9"}, "a").status_code == 409
    assert send(client, ada, ASIDE, ITEM, "a").status_code == 201
    assert send(client, ada, ASIDE, {"item": "d1.1"}, "b").status_code == 400
    assert ApiWrite.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_at_once_are_one(pond, ada):
    headers = bearer(ada) | {"Idempotency-Key": "a"}

    def ask():
        answer = Client().post(ASIDE, ITEM, content_type="application/json", headers=headers)
        return answer.status_code, answer.json()["id"]

    answers = set(together(*[ask] * 4))
    assert {status for status, _id in answers} == {201}
    assert len(answers) == 1
    assert Quarantine.objects.count() == 1


@pytest.mark.django_db
def test_a_field_that_is_sent_twice_is_another_write(client, pond, ada):
    """Of a form: whatever is sent of it counts, not the last value of each field."""
    headers = bearer(ada) | {"Idempotency-Key": "a"}

    def sent(*columns):
        file = SimpleUploadedFile("items.csv", b"key,dialogue")
        return client.post(
            "/api/v1/studies/pond/imports/items/",
            {"file": file, "columns": columns},
            headers=headers,
        ).status_code

    assert [sent("x", "z"), sent("x", "z"), sent("y", "z")] == [202, 202, 409]
