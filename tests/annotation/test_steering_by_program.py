"""A program looks after a study under the rules that pages go by."""

import pytest
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Event, Scope
from analytics.exports.rulings import disclosure
from annotation.models import Membership, Quarantine, TeamRole
from tests.analytics.made import human, items_of, rate

STUDY = "/api/v1/studies/pond/"
pytestmark = pytest.mark.django_db


@pytest.fixture
def steers(client):
    """steers(ada, "put", "team/member/", data) is the answer to a program of hers."""

    def ask(user, method, path, data=None, scope=Scope.STEER):
        at = timezone.now()
        _token, words = tokens.make(name="p", scopes=[scope], days=1, by=user, at=at)
        headers = {"Authorization": f"Bearer {words}"}
        send = getattr(client, method)
        return send(f"{STUDY}{path}", data, content_type="application/json", headers=headers)

    return ask


def test_a_team_is_changed_as_on_the_page(steers, pond, ada, eli, ben):
    member = {"email": eli.email, "roles": ["annotator"]}
    answer = steers(ada, "put", "team/member/", member)
    assert {one["email"]: one["roles"] for one in answer.json()}[eli.email] == ["annotator"]
    assert Event.objects.filter(verb="team.roles_set", actor=ada).exists()
    assert steers(ada, "put", "team/member/", {"email": ada.email, "roles": []}).status_code == 409
    assert steers(ben, "put", "team/member/", member).status_code == 404
    assert steers(ada, "put", "team/member/", member, scope=Scope.PEOPLE).status_code == 403
    assert Membership.objects.get(user=eli).roles == [TeamRole.ANNOTATOR]


def test_a_round_is_opened_and_closed_when_it_may_be(steers, pond, ada, ben, cleo, gwen):
    wanted = {"panel": [ben.email, cleo.email], "raters_per_item": 2, "n_items": 2}
    stranger = steers(ada, "post", "rounds/open/", wanted | {"panel": [gwen.email, ben.email]})
    assert "does not annotate" in stranger.json()["detail"]
    opened = steers(ada, "post", "rounds/open/", wanted)
    assert (opened.status_code, opened.json()["number"]) == (201, 1)
    assert steers(ada, "post", "rounds/open/", wanted).status_code == 409
    closed = steers(ada, "post", "rounds/1/close/")
    assert "Items that still need ratings: 2 of 2" in closed.json()["detail"]
    assert steers(ada, "post", "rounds/1/forget/").status_code == 404
    assert steers(ada, "post", "rounds/9/close/").status_code == 404
    assert steers(ben, "post", "rounds/open/", wanted).status_code == 403


def test_an_item_is_set_aside_and_brought_back(steers, pond, ada):
    made = steers(ada, "post", "aside/", {"item": "d1.1", "reason": "No reply."})
    assert (made.status_code, made.json()["item"]) == (201, "d1.1")
    assert steers(ada, "post", "aside/", {"item": "d1.1", "reason": "Again."}).status_code == 409
    lifted = steers(ada, "post", f"aside/{made.json()['id']}/lift/")
    assert lifted.json()["lifted_at"]
    assert Quarantine.objects.get().lifted_by == ada


def test_what_is_found_is_ruled_on_by_somebody_else(steers, pond, ada, gwen, ben):
    rate(human("ruth"), items_of(pond)[0], safety="safe_response")
    found = steers(ada, "get", "disclosure/").json()
    assert {one["test"] for one in found["findings"]} == {"small_cell"}
    ruling = {"digest": found["digest"], "passes": True, "reason": "All agreed."}
    assert steers(ben, "post", "disclosure/", ruling).status_code == 403
    assert steers(ada, "post", "disclosure/", ruling | {"digest": "0"}).status_code == 409
    assert steers(ada, "post", "disclosure/", ruling).status_code == 201
    assert steers(gwen, "get", "disclosure/").json()["checked"]["by"] == ada.full_name
    assert steers(ada, "get", "disclosure/").json()["checked"] is None
    assert disclosure(pond).reason_to_wait(gwen.pk) is None
