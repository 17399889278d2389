"""Nobody guesses a password, and nobody shuts the door for another."""

import pytest
from django.core.cache import cache
from django.test import Client

from accounts import limits
from accounts.models import Event
from tests.cast import PASSWORD, account
from tests.services import together

CLINIC, HOME, CAFE = "203.0.113.7", "203.0.113.99", "198.51.100.1"
WRONG = "not-the-password-at-all"
HELD_BACK = "Too many failed login attempts"


@pytest.fixture(autouse=True)
def behind_a_proxy(settings):
    settings.TRUSTED_PROXIES = 1
    cache.clear()
    yield
    cache.clear()


def at(address: str) -> Client:
    """A browser at an address, which claims another one on top."""
    return Client(headers={"X-Forwarded-For": f"192.0.2.66, {address}"})


def try_password(browser: Client, email: str, password: str = PASSWORD):
    return browser.post("/accounts/login/", {"login": email, "password": password})


def comes_in(browser: Client, email: str) -> bool:
    return try_password(browser, email).status_code == 302


def guess(email: str, times: int, *, first: int = 0) -> None:
    """So many wrong passwords, each from another address."""
    for number in range(first, first + times):
        try_password(at(f"198.51.100.{number}"), email, WRONG)


def test_a_clinic_of_forty_behind_one_address_comes_in_at_nine(terms):
    staff = [account(f"nurse{number}") for number in range(40)]
    for number, nurse in enumerate(staff):
        browser = at(CLINIC)
        if number % 2:
            assert try_password(browser, nurse.email, WRONG).status_code == 200
        assert comes_in(browser, nurse.email)


def test_after_five_wrong_passwords_a_stranger_waits(ben):
    browser = at(CAFE)
    for _ in range(limits.OF_STRANGER.failures):
        assert HELD_BACK not in try_password(browser, ben.email, WRONG).content.decode()
    assert HELD_BACK in try_password(browser, ben.email).content.decode()
    assert HELD_BACK in try_password(at(CAFE), ben.email).content.decode()


def test_claiming_another_address_changes_nothing(ben):
    for number in range(limits.OF_STRANGER.failures):
        headers = {"X-Forwarded-For": f"192.0.2.{number}, {CAFE}"}
        try_password(Client(headers=headers), ben.email, WRONG)
    assert not comes_in(at(CAFE), ben.email)


def test_guesses_from_everywhere_end_too(ben):
    guess(ben.email, limits.OF_STRANGERS.failures)
    assert not comes_in(at(HOME), ben.email)


@pytest.mark.parametrize("known", ["browser", "address"])
def test_no_stranger_shuts_the_door_where_somebody_is_known(ben, known):
    browser = at(CLINIC)
    assert comes_in(browser, ben.email)
    browser.post("/accounts/logout/")
    guess(ben.email, limits.OF_STRANGERS.failures + 5)
    if known == "browser":
        browser.defaults["HTTP_X_FORWARDED_FOR"] = HOME
        assert comes_in(browser, ben.email)
    else:
        assert comes_in(at(CLINIC), ben.email)


def test_no_colleague_behind_the_same_address_shuts_it(ben, cleo):
    browser = at(CLINIC)
    assert comes_in(browser, ben.email)
    browser.post("/accounts/logout/")
    for _ in range(limits.OF_KNOWN.failures + 1):
        try_password(at(CLINIC), ben.email, WRONG)
    assert not comes_in(at(CLINIC), ben.email)
    assert comes_in(browser, ben.email)
    assert comes_in(at(CLINIC), cleo.email)


def test_one_address_cannot_try_a_password_on_every_account(terms):
    for number in range(limits.OF_ADDRESS.failures):
        try_password(at(CAFE), f"n{number}@example.org", WRONG)
    assert not comes_in(at(CAFE), account("nia").email)
    assert comes_in(at(HOME), "nia@example.org")


def test_a_known_browser_does_not_guess_either(ben):
    browser = at(CLINIC)
    assert comes_in(browser, ben.email)
    browser.post("/accounts/logout/")
    for _ in range(limits.OF_KNOWN.failures):
        try_password(browser, ben.email, WRONG)
    assert not comes_in(browser, ben.email)


def test_a_cookie_that_was_made_up_makes_nobody_known(ben):
    guess(ben.email, limits.OF_STRANGERS.failures)
    browser = at(HOME)
    browser.cookies["device"] = "WyJhIiwgWyJiIl1d:1abcde:forged"
    assert not comes_in(browser, ben.email)


def test_being_held_back_is_one_line_of_the_trail(ben):
    for _ in range(limits.OF_STRANGER.failures + 3):
        try_password(at(CAFE), ben.email, WRONG)
    assert Event.objects.get(verb="session.held_back").subject == f"account:{ben.pk}"


@pytest.mark.django_db(transaction=True)
def test_guesses_at_the_same_moment_count_each(ben):

    def guess_once() -> str:
        return try_password(at(CAFE), ben.email, WRONG).content.decode()

    answers = together(*[guess_once] * 12)
    assert sum(HELD_BACK not in answer for answer in answers) == limits.OF_STRANGER.failures
