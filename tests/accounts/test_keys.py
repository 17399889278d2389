"""New keys lock nobody out."""

import io

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal import auth as totp
from cryptography.fernet import InvalidToken
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.test import Client

from accounts import post
from accounts.models import Event
from accounts.sessions import _decoded
from config import environment
from tests.accounts.test_second_factor import code_for
from tests.cast import PASSWORD


@pytest.fixture
def secret(ben) -> str:
    """ben has an authenticator app with this secret, and recovery codes."""
    cache.clear()
    EmailAddress.objects.create(user=ben, email=ben.email, primary=True, verified=True)
    made = totp.generate_totp_secret()
    totp.TOTP.activate(ben, made)
    RecoveryCodes.activate(ben)
    return made


def comes_in(user, secret: str) -> bool:
    cache.clear()  # a code counts once
    browser = Client()
    browser.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
    browser.post("/accounts/2fa/authenticate/", {"code": code_for(secret)})
    return browser.get("/api/v1/studies/").status_code == 200


def rotate() -> str:
    said = io.StringIO()
    call_command("rotate_second_factors", stdout=said)
    return said.getvalue()


def test_a_new_server_key_keeps_sessions_factors_and_letters(as_user, ben, secret, settings):
    Authenticator.objects.all().delete()
    browser = as_user(ben)
    sealed = post.seal(post.Letter(to="a@example.org", subject="s", text="t"))
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "a new one"
    _decoded.cache_clear()
    assert browser.get("/api/v1/studies/").status_code == 200
    assert post.unseal(sealed).to == "a@example.org"


def test_a_new_server_key_and_a_rotation_let_the_old_one_be_forgotten(ben, secret, settings):
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "a new one"
    assert comes_in(ben, secret)
    assert rotate() == "2 second factors are under the first key.\n"
    settings.SECRET_KEY_FALLBACKS = []
    assert comes_in(ben, secret)
    assert Event.objects.get(verb="factors.rotated").facts == {"factors": 2}


def test_keys_of_their_own_make_factors_independent_of_the_server_s(ben, secret, settings):
    codes = RecoveryCodes(Authenticator.objects.get(type="recovery_codes")).get_unused_codes()
    settings.SECOND_FACTOR_KEYS = ["first"]
    assert comes_in(ben, secret)
    rotate()
    settings.SECRET_KEY = "a new one"
    assert comes_in(ben, secret)
    settings.SECOND_FACTOR_KEYS = ["second", "first"]
    assert comes_in(ben, secret)
    rotate()
    settings.SECOND_FACTOR_KEYS = ["second"]
    assert comes_in(ben, secret)
    kept = RecoveryCodes(Authenticator.objects.get(type="recovery_codes")).get_unused_codes()
    assert kept == codes


def test_without_the_key_no_seed_is_read(ben, secret, settings):
    settings.SECOND_FACTOR_KEYS = ["first"]
    rotate()
    settings.SECOND_FACTOR_KEYS = ["another"]
    with pytest.raises(InvalidToken):
        totp.TOTP(Authenticator.objects.get(type="totp")).validate_code("000000")


def test_a_secret_comes_from_a_file_where_one_is_named(tmp_path, monkeypatch):
    file = tmp_path / "key"
    file.write_text("one, two\n")
    read_one = environment.secret
    monkeypatch.setenv("POND_KEYS_FILE", str(file))
    read = environment.secrets
    assert read("POND_KEYS") == ["one", "two"]
    with pytest.raises(ImproperlyConfigured):
        read_one("LAKE_KEY")
