"""A new edition leaves time to sign it, and those whose time ends hear of it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.access import AccessStep, access_of, who_may_enter
from accounts.actions import reminding, terms
from accounts.editions import Edition, EditionText
from accounts.models import Event, Terms
from tests.accounts.conftest import sign

A_MOMENT = timedelta(microseconds=1)
A_DAY = timedelta(days=1)


def publish(days: int, *, word: str = "always", at=None) -> Terms:
    edition = Edition(
        texts={
            "en": EditionText(title="Quiet", body=f"Keep it to yourself, {word}."),
            "zh-hans": EditionText(title="保密", body="请保密。"),
        },
        valid_days=365,
        grace_days=days,
    )
    return terms.publish(edition=edition, by=None, at=at or timezone.now())[0]


def test_a_signature_under_the_edition_before_counts_until_the_end_of_grace(ben):
    newest = publish(14)
    assert access_of(ben, at=newest.resign_by - A_MOMENT).may_enter
    assert access_of(ben, at=newest.resign_by).missing == (AccessStep.SIGNATURE,)
    sign(ben)
    assert access_of(ben, at=newest.resign_by).may_enter


def test_grace_makes_no_signature_longer(ben):
    ends = ben.acceptances.get().effective_until
    ben.approved_until = ends + 30 * A_DAY
    ben.save()
    publish(14, at=ends - A_DAY)
    assert not access_of(ben, at=ends).may_enter


def test_a_further_edition_makes_no_grace_longer(ben):
    first = publish(7)
    publish(30, word="ever")
    assert access_of(ben, at=first.resign_by - A_MOMENT).may_enter
    assert not access_of(ben, at=first.resign_by).may_enter


def test_who_never_signed_has_no_grace(eli):
    publish(14)
    assert AccessStep.SIGNATURE in access_of(eli, at=timezone.now()).missing


def test_within_grace_the_page_offers_to_sign_again(as_user, ben):
    publish(14)
    page = as_user(ben).get("/access/").content.decode()
    assert 'href="/access/sign/"' in page


def test_how_many_may_enter_is_what_the_gate_says(ben, cleo, eli, suspended, expired, deactivated):
    now = timezone.now()
    people = [ben, cleo, eli, suspended, suspended.suspensions.get().suspended_by, expired]
    assert (
        who_may_enter(at=now).count()
        == sum(access_of(one, at=now).may_enter for one in people)
        == 3
    )


@pytest.mark.parametrize(("in_days", "n_letters"), [(15, 0), (13, 1), (2, 1)])
def test_a_letter_comes_before_the_end(
    ben, letters, django_capture_on_commit_callbacks, in_days, n_letters
):
    at = ben.approved_until - in_days * A_DAY
    sign(ben, at=at - A_DAY)
    with django_capture_on_commit_callbacks(execute=True):
        reminding.remind(at=at)
        reminding.remind(at=at + timedelta(hours=1))
    assert [letter.to for letter in letters()] == [[ben.email]] * n_letters


def test_a_second_letter_comes_in_the_last_days(ben, letters, django_capture_on_commit_callbacks):
    sign(ben, at=ben.approved_until - 20 * A_DAY)
    with django_capture_on_commit_callbacks(execute=True):
        for days in (13, 10, 2, 1):
            reminding.remind(at=ben.approved_until - days * A_DAY)
    assert len(letters()) == 2
    assert list(
        Event.objects.filter(verb="access.reminded")
        .order_by("pk")
        .values_list("facts__days", flat=True)
    ) == [14, 3]


def test_a_new_edition_is_such_an_end(ben, letters, django_capture_on_commit_callbacks):
    publish(10)
    with django_capture_on_commit_callbacks(execute=True):
        reminding.remind(at=timezone.now())
    (letter,) = letters()
    assert ben.full_name not in letter.body
