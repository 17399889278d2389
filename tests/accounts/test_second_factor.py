"""Second factors: setting one up, and what is kept of it."""

import time

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from django.test import Client

from tests.cast import PASSWORD


def signed_in(user) -> Client:
    browser = Client()
    browser.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
    return browser


def code_for(secret: str) -> str:
    return totp.format_hotp_value(totp.hotp_value(secret, int(time.time()) // 30))


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
