"""Suspending, reinstating and roles."""

import pytest
from django.db import IntegrityError
from django.utils import timezone

from accounts.access import Standing, access_of
from accounts.actions import people
from accounts.models import Event, Role, Suspension


def standing_of(user):
    return access_of(user, at=timezone.now()).standing


def test_a_suspended_account_is_out_at_its_next_click(as_user, ben, sam):
    browser = as_user(ben)
    assert browser.get("/").status_code == 200
    as_user(sam).post(f"/access/accounts/{ben.pk}/suspend/", {"reason": "Left the clinic."})
    assert browser.get("/").url == "/access/"
    page = browser.get("/access/").content.decode()
    assert "suspended" in page
    assert "Left the clinic" not in page
    refused = browser.get("/studies/pond/").content.decode()
    assert "suspended" in refused
    assert "what is missing" not in refused
    assert Event.objects.get(verb="account.suspended").actor == sam


def test_a_suspension_needs_a_reason(as_user, ben, sam):
    assert as_user(sam).post(f"/access/accounts/{ben.pk}/suspend/", {}).status_code == 422
    assert standing_of(ben) == Standing.APPROVED


def test_another_person_reinstates(as_user, suspended, sam, tess):
    refused = as_user(sam).post(f"/access/accounts/{suspended.pk}/reinstate/")
    assert refused.status_code == 409
    assert "another person" in refused.content.decode()
    as_user(tess).post(f"/access/accounts/{suspended.pk}/reinstate/")
    assert standing_of(suspended) == Standing.APPROVED
    assert Event.objects.get(verb="account.reinstated").actor == tess


def test_the_database_holds_that_another_person_reinstates(suspended, sam):
    suspension = Suspension.objects.get(user=suspended)
    suspension.reinstated_at, suspension.reinstated_by = timezone.now(), sam
    with pytest.raises(IntegrityError):
        suspension.save()


def test_the_database_holds_that_nobody_suspends_themself(sam):
    with pytest.raises(IntegrityError):
        Suspension.objects.create(
            user=sam, suspended_by=sam, suspended_at=timezone.now(), reason="?"
        )


def test_nobody_suspends_themself(sam):
    with pytest.raises(people.CannotChange, match="Nobody suspends themself"):
        people.suspend(user_id=sam.pk, reason="?", by=sam, at=timezone.now())


def test_an_account_is_suspended_once_at_a_time(suspended, tess):
    with pytest.raises(people.CannotChange, match="suspended already"):
        people.suspend(user_id=suspended.pk, reason="?", by=tess, at=timezone.now())


def test_who_is_not_suspended_is_not_reinstated(ben, sam):
    with pytest.raises(people.CannotChange, match="not suspended"):
        people.reinstate(user_id=ben.pk, by=sam, at=timezone.now())


def test_an_administrator_sets_roles(as_user, ben, tess):
    as_user(tess).post(f"/access/accounts/{ben.pk}/roles/", {"roles": ["auditor"]})
    ben.refresh_from_db()
    assert ben.roles == [Role.AUDITOR]
    assert Event.objects.get(verb="account.roles_set").facts == {
        "before": [],
        "after": ["auditor"],
    }


def test_a_role_that_does_not_exist_is_refused(as_user, ben, tess):
    answer = as_user(tess).post(f"/access/accounts/{ben.pk}/roles/", {"roles": ["emperor"]})
    assert answer.status_code == 422


def test_nobody_sets_their_own_roles(as_user, tess):
    answer = as_user(tess).post(f"/access/accounts/{tess.pk}/roles/", {"roles": []})
    assert answer.status_code == 409
    tess.refresh_from_db()
    assert Role.ADMIN in tess.roles


def test_a_steward_who_is_no_administrator_sets_no_roles(as_user, ben, sam):
    assert as_user(sam).post(f"/access/accounts/{ben.pk}/roles/", {}).status_code == 403


def test_accounts_are_found_by_any_word(as_user, ben, cleo, sam):
    page = as_user(sam).get("/access/accounts/", {"q": "CLEO example"}).content.decode()
    assert cleo.email in page
    assert ben.email not in page


def test_a_search_with_a_nul_in_it_finds_nobody_and_breaks_nothing(as_user, ben, sam):
    assert as_user(sam).get("/access/accounts/", {"q": "b\x00nobody"}).status_code == 200


def test_who_may_not_enter_is_offered_for_no_panel(as_user, pond, ada, ben, cleo, sam):
    people.suspend(user_id=ben.pk, reason="Left.", by=sam, at=timezone.now())
    cleo.approved_until = timezone.now()
    cleo.save()
    page = as_user(ada).get("/studies/pond/rounds/open/")
    offered = {name for _, name in page.context["form"].fields["panel"].choices}
    assert offered == {"Finn"}
