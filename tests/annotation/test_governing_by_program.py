"""Programs ask for grants, and those of stewards decide them, under the rules of the pages."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import ApiToken, Event, Scope
from annotation.actions import teams
from annotation.models import Grant
from annotation.rules.granting import DataLevel
from tests.annotation.test_grants import levels_of
from tests.cast import approved

ASK = {"levels": ["per_rater"], "purpose": "To see who differs."}
pytestmark = pytest.mark.django_db


@pytest.fixture
def asks(client):
    """asks(nia, "post", "studies/pond/grants/ask/", {...}) with a token of a scope and an age."""

    def ask(user, method, path, data=None, scope=Scope.GRANT, age=timedelta(0)):
        at = timezone.now()
        made, words = tokens.make(name="p", scopes=[scope], days=9, by=user, at=at)
        ApiToken.objects.filter(pk=made.pk).update(made_at=at - age)
        headers = {"Authorization": f"Bearer {words}"}
        kind = {} if method == "get" else {"content_type": "application/json"}
        return getattr(client, method)(f"/api/v1/{path}", data, headers=headers, **kind)

    return ask


@pytest.fixture
def nia(pond, terms):
    """A researcher of the pond, who holds what the role usually needs."""
    nia = approved("nia", terms)
    about = {"study_id": pond.pk, "email": nia.email, "by": None, "at": timezone.now()}
    teams.set_roles(roles=["researcher"], **about)
    return nia


def until(days=30):
    return (timezone.localdate() + timedelta(days=days)).isoformat()


def test_who_is_on_a_team_asks_and_the_steward_approves(asks, pond, nia, sam):
    (asked,) = asks(nia, "post", "studies/pond/grants/ask/", ASK).json()
    assert (asked["level"], asked["stage"]) == ("per_rater", "requested")
    (waits,) = asks(sam, "get", "data-sets/pond/requests/", scope=Scope.PEOPLE).json()["results"]
    assert (waits["account"], waits["levels"]) == (nia.pk, ["per_rater"])

    decide = f"data-sets/pond/requests/{nia.pk}/decide/"
    approve = {"decision": "approve", "until": until()}
    old = asks(sam, "post", decide, approve, age=timedelta(hours=1))
    assert old.status_code == 403
    assert "made in the last minutes" in old.json()["detail"]
    assert asks(sam, "post", decide, {"decision": "approve"}).status_code == 422
    (granted,) = asks(sam, "post", decide, approve).json()
    assert granted["stage"] == "approved"
    assert DataLevel.PER_RATER in levels_of(nia, pond)

    holders = asks(sam, "get", "data-sets/pond/grants/?level=per_rater", scope=Scope.PEOPLE).json()[
        "results"
    ]
    held = next(one for one in holders if one["account"] == nia.pk)
    assert (held["email"], held["decided_by"]) == (nia.email, [sam.full_name])
    revoke = f"data-sets/pond/grants/{held['id']}/revoke/"
    assert asks(sam, "post", revoke, {"reason": "Done with it."}).json()[0]["revoked_at"]
    assert DataLevel.PER_RATER not in levels_of(nia, pond)
    verbs = Event.objects.filter(verb__startswith="grant.", subject=f"account:{nia.pk}")
    assert {"grant.requested", "grant.approved", "grant.revoked"} <= {one.verb for one in verbs}


def test_a_level_that_is_named_twice_is_asked_for_once(asks, pond, nia):
    twice = ASK | {"levels": ["per_rater", "per_rater"]}
    [asked] = asks(nia, "post", "studies/pond/grants/ask/", twice).json()
    assert asked["level"] == "per_rater"


def test_a_request_is_turned_back_with_a_reason_and_escalated(asks, pond, nia, sam):
    (asked,) = asks(nia, "post", "studies/pond/grants/ask/", ASK).json()
    decide = f"data-sets/pond/requests/{nia.pk}/decide/"
    assert asks(sam, "post", decide, {"decision": "refuse"}).status_code == 409
    back = {"decision": "return", "reason": "Which raters?"}
    assert asks(sam, "post", decide, back, age=timedelta(days=1)).json()[0]["stage"] == "returned"
    asks(nia, "post", "studies/pond/grants/ask/", ASK)
    escalate = f"studies/pond/grants/{asked['id']}/escalate/"
    assert asks(sam, "post", escalate).status_code == 404
    own = asks(nia, "get", "studies/pond/grants/", scope=Scope.PEOPLE).json()["results"]
    assert asked["id"] in {one["id"] for one in own}


def test_the_rules_of_a_data_set_are_set_by_its_steward(asks, pond, ada, sam):
    path = "data-sets/pond/rules/"
    rules = {
        "steward": sam.email,
        "longest_days": 90,
        "least_raters": 4,
        "provider_policy": "listed",
        "processors": ["llm.example.org"],
    }
    assert asks(sam, "put", path, rules, age=timedelta(hours=1)).status_code == 403
    assert asks(ada, "put", path, rules).status_code == 404
    wrong = asks(sam, "put", path, rules | {"least_raters": 1, "steward": ada.email})
    assert (wrong.status_code, set(wrong.json()["fields"])) == (422, {"steward", "least_raters"})
    assert not Event.objects.filter(verb="data_set.governed").exists()
    assert asks(sam, "put", path, rules).status_code == 200
    (told,) = asks(sam, "get", "data-sets/", scope=Scope.PEOPLE).json()["results"]
    assert told.items() >= rules.items()
    assert Event.objects.filter(verb="data_set.governed", actor=sam).count() == 1


def test_nobody_else_decides(asks, pond, ada, nia, sam):
    asks(nia, "post", "studies/pond/grants/ask/", ASK)
    decide = f"data-sets/pond/requests/{nia.pk}/decide/"
    approve = {"decision": "approve", "until": until()}
    assert asks(ada, "post", decide, approve).status_code == 404
    assert asks(sam, "post", decide, approve, scope=Scope.STEER).status_code == 403
    assert asks(ada, "get", "data-sets/", scope=Scope.PEOPLE).status_code == 403
    sets = asks(sam, "get", "data-sets/", scope=Scope.PEOPLE).json()["results"]
    assert [(one["key"], one["waiting"]) for one in sets] == [("pond", 1)]
    assert Grant.objects.get(person=nia, level="per_rater").stage == "requested"


def test_exporters_are_named_by_a_token_that_is_just_made(asks, pond, ada, eli):
    member = {"email": eli.email, "roles": ["exporter"], "also": ["aggregates"]}
    path = "studies/pond/team/member/"
    old = asks(ada, "put", path, member, scope=Scope.STEER, age=timedelta(hours=1))
    assert old.status_code == 403
    assert asks(ada, "put", path, member, scope=Scope.STEER).status_code == 200
    assert Grant.objects.filter(person=eli, level="aggregates").exists()
