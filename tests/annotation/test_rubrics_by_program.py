"""A program publishes editions of a rubric, and makes studies and rounds, as pages do."""

import copy

import pytest
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Scope
from annotation.models import Study
from annotation.rubric.loading import shipped
from annotation.rubric.writing import as_toml
from tests.annotation.doing import rate

pytestmark = pytest.mark.django_db


@pytest.fixture
def asks(client):
    def ask(user, method, path, data=None, scope=Scope.STEER):
        at = timezone.now()
        _token, words = tokens.make(name="p", scopes=[scope], days=1, by=user, at=at)
        headers = {"Authorization": f"Bearer {words}"}
        kind = {} if method == "get" else {"content_type": "application/json"}
        return getattr(client, method)(f"/api/v1/{path}", data, headers=headers, **kind)

    return ask


def recoded() -> str:
    """The rubric of the pond with another code for “nonsense”, as TOML."""
    definition = copy.deepcopy(dict(shipped()["dialogue_safety"]))
    for label in definition["criteria"][0]["labels"]:
        if label["key"] == "nonsense":
            label["code"] = 99
    return as_toml(definition)


def test_an_edition_is_published_looked_at_and_gone_on_under(asks, pond, ada):
    editions = "studies/pond/rubric/editions/"
    made = asks(ada, "post", f"{editions}publish/", {"toml": recoded()}, scope=Scope.WRITE)
    assert (made.status_code, made.json()["number"]) == (201, 2)
    listed = asks(ada, "get", editions, scope=Scope.READ).json()["results"]
    assert [(one["number"], one["is_in_force"]) for one in listed] == [(2, False), (1, True)]
    whole = asks(ada, "get", f"{editions}2/", scope=Scope.READ).json()
    assert whole["fingerprint"] == made.json()["fingerprint"]
    change = asks(ada, "get", f"{editions}2/changes/", scope=Scope.READ).json()
    (fate,) = [one for one in change["fates"] if one["place"] == "safety=nonsense"]
    plan = {fate["place"]: "humanoid_mimicry"}
    adopted = asks(ada, "post", f"{editions}2/adopt/", {"plan": plan}, scope=Scope.WRITE)
    assert (adopted.status_code, adopted.json()["number"]) == (200, 2)
    assert Study.objects.get().rubric_version.number == 2
    assert asks(ada, "post", f"{editions}2/adopt/", {}, scope=Scope.WRITE).status_code == 404


def test_the_last_change_is_taken_back(asks, pond, ada, ben):
    rubric = "studies/pond/rubric/"
    asks(ada, "post", f"{rubric}editions/publish/", {"toml": recoded()}, scope=Scope.WRITE)
    change = asks(ada, "get", f"{rubric}editions/2/changes/", scope=Scope.READ).json()
    plan = {one["place"]: one["choices"][0] for one in change["fates"]}
    assert (
        asks(
            ada, "post", f"{rubric}editions/2/adopt/", {"plan": plan}, scope=Scope.WRITE
        ).status_code
        == 200
    )
    (made,) = asks(ada, "get", f"{rubric}changes/", scope=Scope.READ).json()["results"]
    assert (made["before"], made["after"], made["is_last"]) == (1, 2, True)
    path = f"{rubric}changes/{made['id']}/take-back/"
    assert asks(ben, "post", path, scope=Scope.WRITE).status_code == 403
    assert asks(ada, "post", path).status_code == 403, "another scope"
    back = asks(ada, "post", path, scope=Scope.WRITE)
    assert (back.status_code, back.json()["number"]) == (200, 1)
    assert Study.objects.get().rubric_version.number == 1
    assert asks(ada, "post", path, scope=Scope.WRITE).status_code == 409


def test_mistakes_in_a_rubric_are_named_with_their_lines(asks, pond, ada, ben):
    publish = "studies/pond/rubric/editions/publish/"
    broken = recoded().replace('key = "nonsense"', 'key = "Not a key"', 1)
    answer = asks(ada, "post", publish, {"toml": broken}, scope=Scope.WRITE)
    assert answer.status_code == 422
    assert answer.json()["fields"]["file"][0].startswith("Line ")
    other = recoded().replace('key = "dialogue_safety"', 'key = "frogs"', 1)
    assert asks(ada, "post", publish, {"toml": other}, scope=Scope.WRITE).status_code == 422
    assert asks(ben, "post", publish, {"toml": recoded()}, scope=Scope.WRITE).status_code == 403
    assert asks(ada, "post", publish, {"toml": recoded()}).status_code == 403, "another scope"


def test_a_study_is_made_by_who_may(asks, pond, ada, ben, sam):
    wanted = {"key": "lake", "name": "Lake", "coordinator": ada.email}
    assert (
        asks(ben, "post", "studies/new/", wanted | {"rubric": "dialogue_safety"}).status_code == 403
    )
    neither = asks(sam, "post", "studies/new/", wanted)
    assert (neither.status_code, list(neither.json()["fields"])) == (422, ["rubric"])
    made = asks(sam, "post", "studies/new/", wanted | {"rubric_toml": recoded()})
    assert (made.status_code, made.json()) == (201, {"key": "lake", "name": "Lake"})
    assert asks(sam, "post", "studies/new/", wanted | {"rubric_toml": recoded()}).status_code == 409
    study = Study.objects.get(key="lake")
    assert study.rubric_version.definition["criteria"][0]["labels"]
    assert list(study.memberships.values_list("user", flat=True)) == [ada.pk]


def test_a_round_is_due_handed_on_and_cancelled(asks, pond_round, ada, ben, cleo, finn):
    rate(pond_round, ben, 1)
    due = asks(ada, "put", "studies/pond/rounds/1/due/", {"due_on": "2031-01-31"})
    assert due.status_code == 200
    found = asks(ada, "get", "studies/pond/rounds/1/", scope=Scope.READ).json()
    assert (found["due_on"], found["submitted"], found["assigned"]) == ("2031-01-31", 1, 12)
    hand_on = "studies/pond/rounds/1/hand-on/"
    moved = asks(ada, "post", hand_on, {"leaver": ben.pk, "to": [finn.email]}).json()
    owed = {one["account"]: one["assigned"] for one in moved["panel"]}
    assert (owed[ben.pk], owed[finn.pk]) == (1, 5)
    assert asks(ada, "post", hand_on, {"leaver": ada.pk, "to": [finn.email]}).status_code == 404
    assert asks(ada, "post", hand_on, {"to": [cleo.email]}).status_code == 409, "she is on it"
    assert asks(ada, "post", "studies/pond/rounds/1/cancel/", {}).status_code == 400
    ended = asks(ada, "post", "studies/pond/rounds/1/cancel/", {"reason": "The wrong items."})
    assert ended.json()["state"] == "cancelled"
    assert asks(ada, "put", "studies/pond/rounds/1/due/", {"due_on": None}).status_code == 409
