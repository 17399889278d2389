"""What a page does for an address does not tell whether it has an account; workers carry letters."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.test import Client

from accounts import post
from accounts.models import User
from config.celery import app
from tests.accounts.counting import CountingHasher
from tests.accounts.test_signup import FORM

LETTER = post.Letter(to="ben@example.org", subject="Pond", text="The frogs are back.")


@pytest.fixture(autouse=True)
def as_in_production(settings, ben):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.PASSWORD_HASHERS = ["tests.accounts.counting.CountingHasher"]
    EmailAddress.objects.create(user=ben, email=ben.email, primary=True, verified=True)
    cache.clear()


def work_of(path: str, form: dict, letters) -> tuple:
    """What a visitor sees, and what it took: hashes, and letters handed to a worker."""
    before, sent = CountingHasher.n_asked, len(letters())
    answer = Client().post(path, form)
    assert len(mail.outbox) == sent, "nobody waits for the mail server"
    hashes = CountingHasher.n_asked - before
    return answer.status_code, answer.headers.get("Location"), hashes, len(letters()) - sent


@pytest.mark.parametrize(
    ("path", "form", "hashes", "n_letters"),
    [
        ("/accounts/signup/", FORM | {"email": "{email}"}, 1, 1),
        ("/accounts/password/reset/", {"email": "{email}"}, 0, 1),
        ("/accounts/login/", {"login": "{email}", "password": "not-the-password"}, 1, 0),
    ],
)
def test_an_address_with_an_account_takes_the_same_work(path, form, hashes, n_letters, letters):
    def filled(email: str) -> dict:
        return {name: value.format(email=email) for name, value in form.items()}

    known = work_of(path, filled("ben@example.org"), letters)
    unknown = work_of(path, filled("nobody@example.org"), letters)
    assert known == unknown
    assert known[2:] == (hashes, n_letters)


def test_in_chinese_a_letter_is_chinese_throughout(letters):
    chinese = {"Accept-Language": "zh-hans"}
    Client().post("/accounts/signup/", FORM | {"email": "li@example.org"}, headers=chinese)
    Client().post("/accounts/password/reset/", {"email": "ben@example.org"}, headers=chinese)
    assert len(letters()) == 2
    for letter in letters():
        words = re.sub(
            r"https?://\S+|\S+@\S+|\S+\.\S+|testserver|Concord", "", letter.subject + letter.body
        )
        assert not re.search(r"[A-Za-z]{3}", words), words


def test_who_has_an_account_reads_so_in_the_letter_only(letters):
    Client().post("/accounts/signup/", FORM | {"email": "ben@example.org"})
    assert User.objects.count() == 1
    (letter,) = letters()
    assert letter.to == ["ben@example.org"]
    assert "/accounts/password/reset/" in letter.body


def test_a_letter_waits_sealed():
    app.control.purge()
    post.post(LETTER)
    with app.connection_for_read() as broker:
        waiting = broker.default_channel.basic_get("judges", no_ack=True)
    kwargs = waiting.payload[1]
    assert "frogs" not in str(waiting.body) + str(kwargs)
    assert "ben@example.org" not in str(kwargs)
    assert post.unseal(kwargs["sealed"]) == LETTER
