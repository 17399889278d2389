"""A program lets people in, suspends and sets roles as far as the account behind it may."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.access import access_of
from accounts.actions import tokens
from accounts.models import ApiToken, Event, Role, Scope

pytestmark = pytest.mark.django_db


@pytest.fixture
def program(client):
    """program(sam) is asked with a method, an address and what is sent."""

    def of(user, *scopes):
        _token, words = tokens.make(
            name="p", scopes=scopes or list(Scope), days=1, by=user, at=timezone.now()
        )

        def ask(method, path, sent=None, **headers):
            return getattr(client, method)(
                f"/api/v1/access/{path}",
                sent,
                content_type="application/json",
                headers={"Authorization": f"Bearer {words}", **headers},
            )

        return ask

    return of


def until(days):
    return (timezone.localdate() + timedelta(days=days)).isoformat()


def may_enter(user):
    user.refresh_from_db()
    return access_of(user, at=timezone.now()).may_enter


def test_who_waits_is_listed_and_let_in(program, asked, sam):
    ask = program(sam)
    [line] = ask("get", "requests/").json()["results"]
    assert (line["id"], line["email"], line["decision"]) == (asked.pk, asked.user.email, "open")
    assert "purpose" not in line
    told = ask("get", f"requests/{asked.pk}/").json()
    assert told["purpose"] == "To annotate the pond."
    assert Event.objects.filter(verb="access.request_shown", actor=sam).count() == 1

    sent = {"decision": "approve", "until": until(30)}
    answer = ask("post", f"requests/{asked.pk}/decide/", sent)
    assert (answer.status_code, answer.json()["decision"]) == (200, "approved")
    assert may_enter(asked.user)
    assert Event.objects.get(verb="access.decided").actor == sam
    assert ask("post", f"requests/{asked.pk}/decide/", sent).status_code == 409


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"decision": "approve", "until": None}, 422),
        ({"decision": "approve", "until": "2999-01-01"}, 409),
        ({"decision": "refuse", "reason": ""}, 422),
        ({"decision": "perhaps"}, 400),
    ],
)
def test_what_cannot_be_decided_is_refused_with_the_reason(program, asked, sam, sent, status):
    answer = program(sam)("post", f"requests/{asked.pk}/decide/", sent)
    assert answer.status_code == status
    assert answer.json()
    asked.refresh_from_db()
    assert asked.decision == "open"


def test_a_refusal_is_read_by_the_applicant(program, asked, sam):
    sent = {"decision": "refuse", "reason": "Say which clinic."}
    assert program(sam)("post", f"requests/{asked.pk}/decide/", sent).status_code == 200
    asked.refresh_from_db()
    assert (asked.decision, asked.reason) == ("refused", "Say which clinic.")


def test_to_let_in_takes_a_token_that_was_just_made(program, asked, sam):
    ask = program(sam)
    ApiToken.objects.update(made_at=timezone.now() - timedelta(hours=1))
    sent = {"decision": "approve", "until": until(30)}
    assert ask("post", f"requests/{asked.pk}/decide/", sent).status_code == 403
    assert not may_enter(asked.user)


def test_other_scopes_and_other_accounts_let_nobody_in(program, asked, sam, ada):
    sent = {"decision": "approve", "until": until(30)}
    others = [scope for scope in Scope if scope is not Scope.ADMIT]
    refused = program(sam, *others)("post", f"requests/{asked.pk}/decide/", sent)
    assert refused.json() == {"refused": True, "scope": "admit"}
    assert program(ada)("post", f"requests/{asked.pk}/decide/", sent).status_code == 403
    assert program(ada)("get", "requests/").status_code == 403
    assert program(ada)("get", "accounts/").status_code == 403


def test_an_account_is_suspended_and_reinstated_by_another(program, ben, sam, tess):
    ask = program(sam)
    [found] = ask("get", f"accounts/?q={ben.email}").json()["results"]
    path = f"accounts/{found['id']}/"
    assert ask("post", f"{path}suspend/", {"reason": ""}).status_code == 400
    assert ask("post", f"{path}suspend/", {"reason": "Left."}).json()["is_suspended"] is True
    assert not may_enter(ben)
    assert ask("post", f"{path}suspend/", {"reason": "Left."}).status_code == 409
    assert ask("post", f"{path}reinstate/").status_code == 409, "another one does"
    assert program(tess)("post", f"{path}reinstate/").json()["is_suspended"] is False
    assert may_enter(ben)
    assert ask("post", "accounts/0/suspend/", {"reason": "Nobody."}).status_code == 404


def test_only_administrators_set_roles(program, ben, sam, tess):
    sent = {"roles": ["auditor"]}
    assert program(sam)("put", f"accounts/{ben.pk}/roles/", sent).status_code == 403
    assert program(tess)("put", f"accounts/{ben.pk}/roles/", sent).json()["roles"] == ["auditor"]
    ben.refresh_from_db()
    assert ben.roles == [Role.AUDITOR]
    assert program(tess)("put", f"accounts/{tess.pk}/roles/", {"roles": []}).status_code == 409
    assert program(tess)("put", f"accounts/{ben.pk}/roles/", {"roles": ["king"]}).status_code == 400


def test_sent_again_with_its_key_nothing_is_done_twice(program, asked, sam):
    ask, sent = program(sam), {"decision": "approve", "until": until(30)}
    path, once = f"requests/{asked.pk}/decide/", {"Idempotency-Key": "k"}
    first = ask("post", path, sent, **once)
    assert ask("post", path, sent, **once).json() == first.json()
    assert Event.objects.filter(verb="access.decided").count() == 1
