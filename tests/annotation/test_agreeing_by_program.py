"""A program agrees on protocols, lets raters in, discusses and notes, as the pages do."""

import pytest
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Scope
from annotation.models import ItemNote
from annotation.rules.protocol import Protocol

pytestmark = pytest.mark.django_db


@pytest.fixture
def program(client):
    def of(user):
        _token, words = tokens.make(
            name="p", scopes=list(Scope), days=1, by=user, at=timezone.now()
        )

        def ask(method, path, sent=None):
            return getattr(client, method)(
                f"/api/v1/studies/pond/{path}",
                sent,
                content_type="application/json",
                headers={"Authorization": f"Bearer {words}"},
            )

        return ask

    return of


def test_a_protocol_is_agreed_on_and_told(program, pond, ada, ben):
    ask = program(ada)
    sent = {"gate_first": True, "discussion": True, "measure": "gwet", "second_percent": 10}
    assert ask("put", "protocol/", sent).status_code == 200
    told = ask("get", "protocol/").json()
    assert (told["measure"], told["second_percent"]) == ("gwet", 10)
    assert told["sight"] == Protocol().sight
    pond.refresh_from_db()
    assert pond.protocol["measure"] == "gwet"
    assert ask("put", "protocol/", {"measure": "by feeling"}).status_code == 400
    assert ask("put", "protocol/", {"second_values": ["x:y"]}).status_code == 422
    assert program(ben)("put", "protocol/", sent).status_code == 403


def test_somebody_is_let_in_who_has_not_passed(program, pond, ada, ben):
    ask = program(ada)
    assert {one["may_rate"] for one in ask("get", "qualification/").json()["results"]} == {False}
    sent = {"account": ben.pk, "reason": "Ten years of practice."}
    answer = ask("post", "qualification/", sent)
    assert (answer.status_code, answer.json()["let_in_because"]) == (201, sent["reason"])
    assert ask("post", "qualification/", sent).status_code == 422
    assert ask("post", "qualification/", {"account": 0, "reason": "?"}).status_code == 422


def test_an_item_is_noted_and_warned_of(program, pond, ada, ben):
    ask, item = program(ada), pond.items.first()
    assert ask("post", "items/note/", {"item": item.key, "text": "Odd."}).status_code == 201
    assert ItemNote.objects.get().text == "Odd."
    sent = {"item": item.key, "content_note": "about loss"}
    assert ask("post", "items/warn/", sent).json() == sent
    item.refresh_from_db()
    assert item.content_note == "about loss"
    assert ask("post", "items/warn/", {"item": item.key}).json()["content_note"] == ""
    assert ask("post", "items/note/", {"item": "no such", "text": "?"}).status_code == 404
    assert program(ben)("post", "items/note/", {"item": item.key, "text": "?"}).status_code == 403


def test_what_is_not_under_discussion_is_not_discussed(program, pond, pond_round, ada):
    ask, place = program(ada), pond_round.round_items.first().pk
    assert ask("get", "discussions/").json() == {"results": [], "next": None}
    for path, sent in (("remark/", {"text": "?"}), ("vote/", {"values": {}}), ("end/", None)):
        assert ask("post", f"discussions/{place}/{path}", sent).status_code == 409
