"""What a worker is asked for is asked for once, until it would come out differently."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from accounts.models import Event
from analytics.models import Verification, Writeup
from analytics.report import actions as writeups
from analytics.verification import actions as verifications
from tests.analytics.made import human, items_of, rate

REPORT = "/studies/pond/agreement/report/"
CHECKS = "/studies/pond/agreement/verification/"
REPORT_BUTTON = f'<form method="post" action="{REPORT}">'
CHECKS_BUTTON = f'<form method="post" action="{CHECKS}"'


@pytest.fixture(autouse=True)
def empty_cache():
    cache.clear()


@pytest.fixture
def rated(pond):
    rate(human("ruth"), items_of(pond)[0], safety="nonsense")
    pond.refresh_from_db()
    return pond


def n_asked(verb: str) -> int:
    return Event.objects.filter(verb=verb).count()


def write() -> None:
    writeups.build(writeup_id=Writeup.objects.get().pk, clock=timezone.now)


def verify() -> None:
    verifications.run(verification_id=Verification.objects.get().pk, clock=timezone.now)


def test_a_report_is_written_anew_only_when_it_would_say_something_new(rated, as_user, ada):
    client = as_user(ada)
    for _ in range(2):
        client.post(REPORT)
    write()
    asked = Writeup.objects.get().asked_at
    client.post(REPORT)
    assert n_asked("report.asked") == 1
    assert Writeup.objects.get().asked_at == asked
    assert REPORT_BUTTON not in client.get(REPORT).content.decode()

    client.post(CHECKS)
    verify()
    assert REPORT_BUTTON in client.get(REPORT).content.decode(), "it will tell of the verification"
    client.post(REPORT)
    assert n_asked("report.asked") == 2
    write()
    client.post(REPORT)
    assert n_asked("report.asked") == 2

    rate(human("rita"), items_of(rated)[0], safety="nonsense")
    client.post(REPORT)
    assert n_asked("report.asked") == 3


def test_figures_are_verified_again_only_when_there_are_others(rated, as_user, ada):
    client = as_user(ada)
    client.post(CHECKS)
    verify()
    client.post(CHECKS)
    assert n_asked("agreement.verification_asked") == 1
    assert CHECKS_BUTTON not in client.get(REPORT).content.decode()
    rate(human("rita"), items_of(rated)[0], safety="nonsense")
    assert CHECKS_BUTTON in client.get(REPORT).content.decode()
    client.post(CHECKS)
    assert n_asked("agreement.verification_asked") == 2


@pytest.mark.parametrize(
    ("address", "errands", "verb"),
    [
        (REPORT, Writeup.objects, "report.asked"),
        (CHECKS, Verification.objects, "agreement.verification_asked"),
    ],
)
def test_what_failed_or_another_concord_made_may_be_asked_for_again(
    rated, as_user, ada, address, errands, verb
):
    client = as_user(ada)
    client.post(address)
    errands.update(asked_at=timezone.now() - timedelta(minutes=3))
    client.post(address)
    assert n_asked(verb) == 2, "no worker came, or it fell"
    errands.update(done_at=timezone.now(), revision=rated.revision, concord="0.0.1")
    client.post(address)
    assert n_asked(verb) == 3
