"""Access is derived from facts when somebody knocks: nothing has to run for it to end."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.access import NOBODY, AccessStep, Standing, access_of
from accounts.models import Terms
from tests.accounts.conftest import publish_another, sign

A_MOMENT = timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("who", "missing"),
    [
        ("eli", (AccessStep.SIGNATURE, AccessStep.REQUEST)),
        ("signed", (AccessStep.REQUEST,)),
        ("unsigned", (AccessStep.SIGNATURE,)),
        ("expired", (AccessStep.REQUEST,)),
        ("suspended", (AccessStep.REINSTATEMENT,)),
        ("ben", ()),
    ],
)
def test_what_is_missing_is_named(request, who, missing):
    assert access_of(request.getfixturevalue(who), at=timezone.now()).missing == missing


def test_an_approval_ends_to_the_moment(ben):
    sign(ben, at=ben.approved_until - timedelta(days=30))
    assert access_of(ben, at=ben.approved_until - A_MOMENT).may_enter
    assert access_of(ben, at=ben.approved_until).missing == (AccessStep.REQUEST,)


def test_a_signature_ends_to_the_moment(ben):
    ends = ben.acceptances.get().effective_until
    ben.approved_until = ends + timedelta(days=1)
    ben.save()
    assert access_of(ben, at=ends - A_MOMENT).may_enter
    assert access_of(ben, at=ends).missing == (AccessStep.SIGNATURE,)


def test_a_new_edition_shuts_everybody_out_until_they_sign_it(as_user, ben):
    browser = as_user(ben)
    assert browser.get("/").status_code == 200
    publish_another()
    assert browser.get("/").url == "/access/"
    assert "A new edition was published" in browser.get("/access/").content.decode()
    sign(ben)
    assert browser.get("/").status_code == 200


def test_a_request_in_waiting_is_told_from_one_not_made(asked):
    assert access_of(asked.user, at=timezone.now()).missing == (AccessStep.DECISION,)


def test_without_an_edition_nobody_enters(django_user_model):
    zoe = django_user_model.objects.create_user(
        "zoe@example.org", full_name="Zoe", approved_until=timezone.now() + timedelta(days=9)
    )
    assert not Terms.objects.exists()
    assert access_of(zoe, at=timezone.now()).missing == (AccessStep.SIGNATURE,)


def test_an_account_that_is_switched_off_is_nobody(deactivated):
    assert access_of(deactivated, at=timezone.now()) is NOBODY


def test_where_a_second_factor_is_required_it_is_the_first_step(ben, settings):
    settings.MFA_REQUIRED = True
    assert access_of(ben, at=timezone.now()).missing == (AccessStep.SECOND_FACTOR,)


@pytest.mark.parametrize(
    ("kind", "counts"), [("totp", True), ("webauthn", True), ("recovery_codes", False)]
)
def test_recovery_codes_alone_are_no_second_factor(ben, settings, kind, counts):
    settings.MFA_REQUIRED = True
    ben.authenticator_set.create(type=kind, data={})
    assert access_of(ben, at=timezone.now()).may_enter is counts


def test_roles_count_only_while_the_account_may_enter(sam):
    assert access_of(sam, at=timezone.now()).may_decide_requests
    lapsed = access_of(sam, at=sam.approved_until)
    assert lapsed.standing == Standing.APPLICANT
    assert not lapsed.may_decide_requests
    assert not lapsed.may_manage_accounts
    assert not lapsed.may_read_events


def test_who_may_do_what_is_worked_out_in_one_query(ben, django_assert_num_queries):
    with django_assert_num_queries(1):
        access_of(ben, at=timezone.now())
