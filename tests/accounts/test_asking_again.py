"""What reaches far asks for the password once more, and is then done as it was sent."""

import re
import time

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.utils import timezone

from accounts.actions import people
from accounts.models import Decision, User
from analytics.exports import actions as exports
from annotation.models import FileJob, Membership, TeamRole
from tests.cast import PASSWORD

ASKS = "/accounts/reauthenticate/"


@pytest.fixture
def signed_in():
    """signed_in(ada) is a browser in which ada has signed in by the page."""

    def sign_in(user: User) -> Client:
        EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
        browser = Client()
        browser.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
        return browser

    return sign_in


def confirm(browser: Client, answer, password: str = PASSWORD):
    assert answer.status_code == 302
    assert answer.url.startswith(ASKS)
    following = answer.url.partition("next=")[2].replace("%2F", "/")
    return browser.post(ASKS, {"password": password, "next": following})


def test_an_approval(signed_in, asked, sam):
    browser = signed_in(sam)
    day = {"until": timezone.localdate().isoformat()}
    answer = browser.post(f"/access/requests/{asked.pk}/approve/", day)
    asked.refresh_from_db()
    assert asked.decision == Decision.OPEN
    assert confirm(browser, answer, "a wrong password").status_code == 200
    asked.refresh_from_db()
    assert asked.decision == Decision.OPEN
    assert confirm(browser, answer).url == "/access/requests/"
    asked.refresh_from_db()
    assert (asked.decision, asked.decided_by) == (Decision.APPROVED, sam)


def test_roles_on_the_server(signed_in, tess, ben):
    browser = signed_in(tess)
    answer = browser.post(f"/access/accounts/{ben.pk}/roles/", {"roles": ["auditor"]})
    ben.refresh_from_db()
    assert ben.roles == []
    confirm(browser, answer)
    ben.refresh_from_db()
    assert ben.roles == ["auditor"]


def test_the_role_that_exports(signed_in, pond, ada, ben):
    browser = signed_in(ada)
    roles = [TeamRole.ANNOTATOR, TeamRole.EXPORTER]
    answer = browser.post("/studies/pond/team/", {"email": ben.email, "roles": roles})
    assert Membership.objects.get(user=ben).roles == [TeamRole.ANNOTATOR]
    confirm(browser, answer)
    assert set(Membership.objects.get(user=ben).roles) == set(roles)


@pytest.mark.parametrize(
    ("address", "sent"),
    [
        ("/studies/pond/export/disclosure/", {"identifiers": "stay", "reason": ""}),
        (
            "/studies/pond/team/",
            {"email": "nobody@example.org", "roles": [TeamRole.EXPORTER]},
        ),
    ],
)
def test_what_is_wrong_with_it_is_mended_where_it_came_from(signed_in, pond, ada, address, sent):
    """The browser still stands at the password: a form without an address would go there, and to
    nothing."""
    browser = signed_in(ada)
    page = confirm(browser, browser.post(address, sent))
    assert page.status_code == 422
    forms = re.findall(r"<form[^>]*>", page.text.partition("<main")[2])
    assert forms
    assert all(f'action="{address}' in form for form in forms), forms


def test_other_roles_in_a_study_do_not_ask(signed_in, pond, ada, ben):
    data = {"email": ben.email, "roles": [TeamRole.RESEARCHER]}
    answer = signed_in(ada).post("/studies/pond/team/", data)
    assert answer.url == "/studies/pond/team/"


@pytest.mark.django_db(transaction=True)
def test_an_export(signed_in, pond, gwen):
    browser = signed_in(gwen)
    assert confirm(browser, browser.get("/studies/pond/export/")).url == "/studies/pond/export/"
    # The next minutes need no password.
    assert browser.get("/studies/pond/export/").status_code == 200
    assert browser.post("/studies/pond/export/").url == "/studies/pond/export/"
    assert FileJob.objects.get().asked_by == gwen


@pytest.mark.django_db(transaction=True)
def test_an_export_that_was_built_a_while_ago(signed_in, as_user, pond, gwen):
    job = exports.ask(study_key="pond", with_texts=False, by=gwen, at=timezone.now())
    assert signed_in(gwen).post(f"/studies/pond/export/{job.pk}/").url.startswith(ASKS)


def test_a_password_given_long_ago_does_not_count(as_user, pond, gwen):
    browser = as_user(gwen)
    session = browser.session
    session["account_authentication_methods"][0]["at"] = time.time() - 301
    session.save()
    assert browser.post("/studies/pond/export/").url.startswith(ASKS)


def test_who_lost_the_right_meanwhile_is_refused(signed_in, asked, sam, tess):
    browser = signed_in(sam)
    day = {"until": timezone.localdate().isoformat()}
    answer = browser.post(f"/access/requests/{asked.pk}/approve/", day)
    people.set_roles(user_id=sam.pk, roles=[], by=tess, at=timezone.now())
    assert confirm(browser, answer).status_code == 403
    asked.refresh_from_db()
    assert asked.decision == Decision.OPEN


def test_who_may_not_is_refused_and_not_asked(signed_in, asked, pond, ben):
    browser = signed_in(ben)
    assert browser.post(f"/access/requests/{asked.pk}/approve/").status_code == 403
    assert browser.post(f"/access/accounts/{asked.user_id}/roles/").status_code == 403
    assert browser.post("/studies/pond/export/").status_code == 403
