"""Second factors: setting one up, and what is kept of it."""

import time

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from django.core.cache import cache
from django.test import Client

from tests.cast import PASSWORD


def signed_in(user) -> Client:
    browser = Client()
    browser.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
    return browser


def code_for(secret: str) -> str:
    return totp.format_hotp_value(totp.hotp_value(secret, int(time.time()) // 30))


def set_up_app(user) -> str:
    """Give an account an authenticator app, and return its secret."""
    secret = totp.generate_totp_secret()
    totp.TOTP.activate(user, secret)
    return secret


@pytest.fixture
def with_app(ben):
    """ben, who has set up an authenticator app; and its secret."""
    EmailAddress.objects.create(user=ben, email=ben.email, primary=True, verified=True)
    browser = signed_in(ben)
    browser.post("/accounts/reauthenticate/", {"password": PASSWORD})
    page = browser.get("/accounts/2fa/totp/activate/")
    secret = page.context["form"].secret
    browser.post("/accounts/2fa/totp/activate/", {"code": code_for(secret)})
    return ben, secret


def test_the_seeds_are_not_kept_in_clear(with_app):
    ben, secret = with_app
    kept = {row.type: row.data for row in Authenticator.objects.filter(user=ben)}
    assert set(kept) == {"totp", "recovery_codes"}
    assert secret not in str(kept)
    assert totp.TOTP(Authenticator.objects.get(user=ben, type="totp")).validate_code(
        code_for(secret)
    )


def test_the_password_alone_does_not_sign_in_any_more(with_app):
    ben, _ = with_app
    browser = signed_in(ben)
    assert browser.get("/access/").url.startswith("/accounts/login/")


def test_changing_a_factor_asks_for_the_password_again(ben):
    answer = signed_in(ben).get("/accounts/2fa/totp/activate/")
    assert answer.url.startswith("/accounts/reauthenticate/")


def test_the_checklist_begins_with_the_factor_where_it_is_required(as_user, eli, settings):
    settings.MFA_REQUIRED = True
    page = as_user(eli).get("/access/").content.decode()
    assert page.count("button--primary") == 1
    assert 'href="/accounts/2fa/"' in page


@pytest.fixture
def opened_before(ben):
    """A browser in which ben's password was entered before ben had a factor."""
    return signed_in(ben)


@pytest.fixture
def set_up(transactional_db, ben, opened_before, with_app):
    """The browser of before, and the secret that ben has set up since, in another one."""
    return opened_before, with_app[1]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("required", [True, False])
def test_a_session_of_a_password_alone_gains_nothing_from_a_factor(set_up, settings, required):
    settings.MFA_REQUIRED = required
    browser, _ = set_up
    refused = browser.get("/access/terms/1/")
    assert refused.url == "/access/"
    answer = browser.get("/api/v1/studies/")
    assert (answer.status_code, answer.json()["missing"]) == (403, ["factor_shown"])


FACTOR_PAGES = [
    *("/accounts/2fa/", "/accounts/2fa/totp/activate/", "/accounts/2fa/totp/deactivate/"),
    *("/accounts/2fa/webauthn/add/", "/accounts/2fa/recovery-codes/generate/"),
    *("/accounts/password/change/", "/accounts/email/", "/accounts/reauthenticate/"),
    *("/access/sign/", "/access/request/"),
]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("page", FACTOR_PAGES)
def test_such_a_session_changes_nothing_about_the_account(set_up, page):
    browser, _ = set_up
    assert browser.get(page).url == "/access/"
    assert browser.post(page, {"password": PASSWORD}).url == "/access/"


@pytest.mark.django_db(transaction=True)
def test_such_a_session_goes_on_once_the_factor_is_shown_in_it(set_up):
    browser, secret = set_up
    page = browser.get("/access/").content.decode()
    assert page.count("button--primary") == 1
    assert "/accounts/2fa/reauthenticate/" in page
    browser.post("/accounts/2fa/reauthenticate/", {"code": "000000"})
    assert browser.get("/access/terms/1/").status_code == 302
    cache.clear()  # a code counts once, and setting up has used it
    answer = browser.post(
        "/accounts/2fa/reauthenticate/", {"code": code_for(secret), "next": "/access/"}
    )
    assert answer.url == "/access/"
    assert browser.get("/access/terms/1/").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_the_session_that_set_the_factor_up_has_shown_it(ben, settings):
    settings.MFA_REQUIRED = True
    EmailAddress.objects.create(user=ben, email=ben.email, primary=True, verified=True)
    browser = signed_in(ben)
    assert browser.get("/api/v1/studies/").status_code == 403
    browser.post("/accounts/reauthenticate/", {"password": PASSWORD})
    secret = browser.get("/accounts/2fa/totp/activate/").context["form"].secret
    browser.post("/accounts/2fa/totp/activate/", {"code": code_for(secret)})
    assert browser.get("/api/v1/studies/").status_code == 200
