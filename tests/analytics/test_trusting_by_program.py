"""Judges are put under letters, watched and seated in juries by program, as on the pages."""

import pytest
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Event, Scope
from analytics.models import Jury
from tests.analytics.made import items_of, judge, rate

STUDY = "/api/v1/studies/pond/"
pytestmark = pytest.mark.django_db


@pytest.fixture
def asks(client):
    def ask(user, method, path, data=None, scope=Scope.JUDGE):
        at = timezone.now()
        _token, words = tokens.make(name="p", scopes=[scope], days=1, by=user, at=at)
        headers = {"Authorization": f"Bearer {words}"}
        kind = {} if method == "get" else {"content_type": "application/json"}
        return getattr(client, method)(f"{STUDY}{path}", data, headers=headers, **kind)

    return ask


@pytest.fixture
def judges(pond):
    made = [judge("echo"), judge("owl"), judge("heron")]
    for one in made:
        for item in items_of(pond):
            rate(one, item, safety="safe_response")
    return made


def test_judges_are_blinded_once_and_named_with_a_reason(asks, pond, ada, ben):
    assert asks(ben, "post", "judges/blind/").status_code == 403
    assert asks(ada, "post", "judges/blind/", scope=Scope.STEER).status_code == 403
    assert asks(ada, "post", "judges/blind/").json()["judges_are_blinded"] is True
    assert asks(ada, "post", "judges/blind/").status_code == 409
    assert asks(ada, "post", "judges/name/", {"reason": ""}).status_code == 400
    named = asks(ada, "post", "judges/name/", {"reason": "The paper is out."}).json()
    assert named["judges_are_blinded"] is False
    assert Event.objects.filter(verb="judges.blinded", actor=ada).count() == 1


def test_who_has_rated_is_not_blinded(asks, judges, pond, ada):
    refused = asks(ada, "post", "judges/blind/")
    assert (refused.status_code, "rated here already" in refused.json()["detail"]) == (409, True)


def test_a_jury_is_named_listed_and_ended(asks, judges, pond, ada, ben):
    wanted = {"name": "Owls", "members": [one.pk for one in judges], "rule": "majority"}
    assert asks(ben, "post", "juries/name/", wanted).status_code == 403
    stranger = asks(ada, "post", "juries/name/", wanted | {"members": [judges[0].pk, 9_999_999]})
    assert (stranger.status_code, list(stranger.json()["fields"])) == (422, ["members"])
    made = asks(ada, "post", "juries/name/", wanted)
    assert made.status_code == 201, made.json()
    (listed,) = asks(ada, "get", "juries/", scope=Scope.READ).json()["results"]
    assert (listed["id"], listed["ended_at"]) == (made.json()["id"], None)
    end = f"juries/{listed['id']}/end/"
    assert asks(ada, "post", end, {"reason": ""}).status_code == 400
    assert asks(ada, "post", end, {"reason": "One is gone."}).json()["ended_at"]
    assert Jury.objects.get().end_reason == "One is gone."
    assert asks(ada, "post", end, {"reason": "Again."}).status_code == 404


def test_sentinels_of_a_judge_that_was_never_asked_are_not_there(asks, judges, pond, ada, ben):
    assert asks(ada, "get", "sentinels/", scope=Scope.READ).json() == {"results": [], "next": None}
    assert asks(ada, "get", f"sentinels/{judges[0].pk}/", scope=Scope.READ).status_code == 404
    assert asks(ben, "get", "sentinels/", scope=Scope.READ).status_code == 403
