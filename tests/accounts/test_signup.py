"""Creating an account, signing in and out."""

import pytest
from django.test import Client

from accounts.models import Event, User
from tests.cast import PASSWORD

FORM = {
    "email": "Nia@Example.org",
    "full_name": "Nia Moss",
    "affiliation": "Hill University",
    "password1": PASSWORD,
    "password2": PASSWORD,
}


def test_signing_up_takes_a_name_and_an_affiliation(terms):
    browser = Client()
    assert browser.post("/accounts/signup/", FORM).status_code == 302
    nia = User.objects.get(email="nia@example.org")
    assert (nia.full_name, nia.affiliation) == ("Nia Moss", "Hill University")
    assert browser.get("/").url == "/access/"
    assert Event.objects.get(verb="account.signed_up").actor == nia


@pytest.mark.parametrize("field", ["email", "full_name", "affiliation", "password1"])
def test_signing_up_needs_every_field(db, field):
    page = Client().post("/accounts/signup/", FORM | {field: ""})
    assert page.status_code == 200
    assert not User.objects.exists()


def test_a_short_password_is_refused(db):
    Client().post("/accounts/signup/", FORM | {"password1": "brief", "password2": "brief"})
    assert not User.objects.exists()


def test_signing_up_brings_nobody_in(terms):
    browser = Client()
    browser.post("/accounts/signup/", FORM)
    assert browser.get("/access/events/").status_code == 403


def test_signing_in_ignores_case_of_the_address(ben):
    browser = Client()
    browser.post("/accounts/login/", {"login": "BEN@example.org", "password": PASSWORD})
    assert browser.get("/access/").status_code == 200


def test_signing_out_clears_the_browser(as_user, ben):
    browser = as_user(ben)
    answer = browser.post("/accounts/logout/")
    assert answer.headers["Clear-Site-Data"] == '"cache", "storage"'
    assert browser.get("/access/").url.startswith("/accounts/login/")


def test_nothing_that_an_account_sees_is_kept_by_a_cache(as_user, ben):
    for page in ["/", "/access/", "/nothing-here/", "/accounts/email/"]:
        assert "no-store" in as_user(ben).get(page).headers["Cache-Control"]


@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/signup/", "/"])
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_entrance_is_open_in_both_languages(db, path, language):
    page = Client().get(path, headers={"accept-language": language})
    assert page.status_code == 200
    assert f'lang="{"zh-Hans" if language == "zh-hans" else "en"}"' in page.content.decode()


def test_the_language_is_switched_and_the_page_stays(db):
    browser = Client()
    answer = browser.post("/i18n/setlang/", {"language": "zh-hans", "next": "/accounts/login/"})
    assert answer.url == "/accounts/login/"
    assert 'lang="zh-Hans"' in browser.get("/accounts/login/").content.decode()


@pytest.mark.parametrize(("cookie", "drawn"), [("dark", 'data-theme="dark"'), ('"><b', "")])
def test_the_theme_is_drawn_as_the_cookie_says(db, cookie, drawn):
    browser = Client()
    browser.cookies["theme"] = cookie
    page = browser.get("/").content.decode()
    assert drawn in page
    assert "<b " not in page
