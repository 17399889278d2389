"""The first account that may decide is made in a browser, with a token, once."""

import io
import re
import time
from functools import partial

import pytest
from django.core import signing
from django.core.management import call_command
from django.test import Client

from accounts.actions import first_run
from accounts.models import Event, Role, Terms, User
from tests.cast import PASSWORD, approved
from tests.services import together

FORM = {
    "email": "Sam@Example.org",
    "full_name": "Sam Reed",
    "affiliation": "Hill University",
    "password": PASSWORD,
    "again": PASSWORD,
}


def printed() -> str:
    said = io.StringIO()
    call_command("first_run", stdout=said)
    return said.getvalue()


@pytest.fixture
def token(db) -> str:
    return re.search(r"^  (\S+)$", printed(), re.MULTILINE)[1]


def test_with_the_token_somebody_becomes_steward_and_signs_in(token, settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    browser = Client()
    assert browser.get("/first-run/").status_code == 200
    assert browser.post("/first-run/", FORM | {"token": token}).url == "/accounts/login/"
    sam = User.objects.get()
    assert (sam.email, sam.affiliation) == ("sam@example.org", "Hill University")
    assert set(sam.roles) == {Role.STEWARD, Role.ADMIN}
    assert Terms.objects.count() == 1
    browser.post("/accounts/login/", {"login": sam.email, "password": PASSWORD})
    assert browser.get("/access/sign/").status_code == 200
    assert Event.objects.filter(verb="account.roles_set").exists()


def test_it_works_once(token):
    Client().post("/first-run/", FORM | {"token": token})
    again = Client().post("/first-run/", FORM | {"token": token, "email": "eve@example.org"})
    assert again.status_code == 404
    assert Client().get("/first-run/").status_code == 404
    assert User.objects.count() == 1
    assert printed() == ""


def test_it_holds_for_a_day(token, monkeypatch):
    later = time.time() + first_run.HOLDS_FOR + 1
    monkeypatch.setattr(signing.time, "time", lambda: later)
    answer = Client().post("/first-run/", FORM | {"token": token})
    assert answer.status_code == 409
    assert not User.objects.exists()


def nothing() -> str:
    return ""


def guess() -> str:
    return "guess"


def signed_with_another_key() -> str:
    return signing.dumps("first", key="k", salt="s")


@pytest.mark.parametrize("forge", [nothing, guess, signed_with_another_key])
def test_another_token_makes_nobody(db, forge):
    answer = Client().post("/first-run/", FORM | {"token": forge()})
    assert answer.status_code in {409, 422}
    assert not User.objects.exists()


@pytest.mark.parametrize(
    "change", [{"password": "brief", "again": "brief"}, {"again": "another"}, {"email": "sam"}]
)
def test_what_is_wrong_is_said_in_the_form(token, change):
    answer = Client().post("/first-run/", FORM | {"token": token} | change)
    assert answer.status_code == 422
    assert not User.objects.exists()


def test_a_server_with_a_steward_has_no_such_page(terms):
    approved("tess", terms, roles=[Role.ADMIN])
    assert printed() == ""
    assert Client().get("/first-run/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_of_two_at_the_same_moment_one_begins():
    token = first_run.token()

    def begin(email: str) -> int:
        answer = Client().post("/first-run/", FORM | {"token": token, "email": email})
        return answer.status_code

    answers = together(*[partial(begin, f"n{n}@example.org") for n in range(4)])
    assert answers.count(302) == 1
    assert User.objects.count() == 1
