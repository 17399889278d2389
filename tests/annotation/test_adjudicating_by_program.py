"""Cases are read and decided by program as on the page: the same rules, blinding and trail."""

import sys
from dataclasses import replace
from importlib import import_module

import pytest
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Event, Scope
from annotation.actions import protocol
from annotation.models import Dispute, Gold, Rater
from annotation.rules.protocol import AT_ONCE, Sight
from tests.annotation.doing import SAFE, opened, rate, round_item
from tests.services import ROOT

pytestmark = pytest.mark.django_db

CASES = "/api/v1/studies/pond/cases/"
RULING = {"values": {"safety": "safe_response"}, "reason": "It takes the frogs up.", "code": "text"}


@pytest.fixture
def asks(client):
    def ask(user, method, path="", data=None, scope=Scope.ADJUDICATE, **headers):
        at = timezone.now()
        _token, words = tokens.make(name="p", scopes=[scope], days=1, by=user, at=at)
        headers["Authorization"] = f"Bearer {words}"
        kind = {} if method == "get" else {"content_type": "application/json"}
        return getattr(client, method)(CASES + path, data, headers=headers, **kind)

    return ask


@pytest.fixture
def case(pond_round, ben, cleo):
    """Ben and cleo have rated item 1 differently."""
    rate(pond_round, ben, 1, SAFE, comment="Warm enough.")
    rate(pond_round, cleo, 1, {"safety": "linguistic_neglect"})
    return round_item(pond_round, 1)


def verbs(subject: str) -> list[str]:
    return list(Event.objects.filter(subject=subject).order_by("pk").values_list("verb", flat=True))


def test_a_case_is_found_read_and_decided_once(asks, case, dora):
    (line,) = asks(dora, "get").json()["results"]
    assert (line["id"], [one["criterion"] for one in line["differs_on"]]) == (case.pk, ["safety"])
    assert Event.objects.filter(verb="items.listed", actor=dora).count() == 1

    told = asks(dora, "get", f"{case.pk}/").json()
    assert told["reply"] == case.item.reply
    (conflict,) = told["conflicts"]
    assert {one["value"]: len(one["raters"]) for one in conflict["given"]} == {
        "safe_response": 1,
        "linguistic_neglect": 1,
    }
    assert [one["text"] for one in told["comments"]] == ["Warm enough."]
    assert verbs(f"round_item:{case.pk}").count("case.shown") == 1

    once = {"Idempotency-Key": "a"}
    made = asks(dora, "post", f"{case.pk}/decide/", RULING, **once)
    assert (made.status_code, made.json()["stands"]) == (201, True)
    assert asks(dora, "post", f"{case.pk}/decide/", RULING, **once).json() == made.json()
    gold = Gold.objects.get()
    assert (gold.label, gold.origin) == ("safe_response", "adjudicated")
    assert asks(dora, "get").json()["results"] == []
    (decided,) = asks(dora, "get", "?sort=decided").json()["results"]
    assert decided["id"] == case.pk
    anew = RULING | {"values": {"safety": "linguistic_neglect"}, "revises": True}
    assert asks(dora, "post", f"{case.pk}/decide/", anew).status_code == 201
    assert Gold.objects.get(superseded_at=None).label == "linguistic_neglect"


def test_no_name_of_a_rater_is_in_a_case(asks, case, dora, ben, cleo):
    words = asks(dora, "get", f"{case.pk}/").content.decode()
    for rater in (ben, cleo):
        assert rater.full_name not in words
        assert rater.email not in words


def test_nothing_of_the_answers_is_told_where_a_case_is_decided_unseen(
    asks, pond, ada, ben, cleo, dora
):
    protocol.agree(
        study_id=pond.pk,
        protocol=replace(AT_ONCE, sight=Sight.NOTHING.value),
        by=ada,
        at=timezone.now(),
    )
    pond.refresh_from_db()
    blind = opened(pond, ada, [ben, cleo])
    rate(blind, ben, 1, SAFE, comment="Warm enough.")
    rate(blind, cleo, 1, {"safety": "linguistic_neglect"})
    case = round_item(blind)
    (line,) = asks(dora, "get").json()["results"]
    assert line["is_unseen"]
    assert [one["gap"] for one in line["differs_on"]] == [None]
    told = asks(dora, "get", f"{case.pk}/").json()
    assert (told["is_unseen"], told["comments"], told["agreed"]) == (True, [], [])
    assert [one["given"] for one in told["conflicts"]] == [[]]


def test_what_is_lacking_is_said_and_changes_nothing(asks, case, dora):
    answer = asks(dora, "post", f"{case.pk}/decide/", RULING | {"values": {"safety": "frogs"}})
    assert answer.status_code == 422
    assert answer.json()["problems"][0]["criterion"] == "safety"
    assert asks(dora, "post", f"{case.pk}/decide/", RULING | {"reason": " "}).status_code == 400
    assert not Gold.objects.exists()


def test_who_rated_it_or_does_not_adjudicate_decides_nothing(asks, case, ada, ben, dora):
    for user in (ada, ben):
        for method, path in (("get", ""), ("get", f"{case.pk}/"), ("post", f"{case.pk}/decide/")):
            assert asks(user, method, path, RULING if method == "post" else None).status_code == 403
    assert asks(dora, "get", scope=Scope.READ).status_code == 403, "another scope"
    assert asks(dora, "get", "999999/").status_code == 404
    assert asks(dora, "get", "?sort=frogs").status_code == 400


def test_judges_are_told_after_the_decision_and_each_time_is_noted(asks, case, dora):
    judges = f"{case.pk}/judges/"
    assert asks(dora, "post", judges).status_code == 404
    asks(dora, "post", f"{case.pk}/decide/", RULING)
    assert asks(dora, "post", judges).json() == []
    asks(dora, "post", judges)
    assert verbs(f"round_item:{case.pk}").count("judges.revealed") == 2


def test_a_dispute_is_answered(asks, case, dora, ben):
    asks(dora, "post", f"{case.pk}/decide/", RULING)
    held = case.disputes.create(
        rater=Rater.objects.get(user=ben), text="No.", raised_at=timezone.now()
    )
    (line,) = asks(dora, "get", "?sort=disputed").json()["results"]
    assert line["id"] == case.pk
    path = f"{case.pk}/disputes/{held.pk}/"
    (told,) = asks(dora, "post", path, {"answer": "The rubric says so."}).json()
    assert told["answer"] == "The rubric says so."
    assert Dispute.objects.get().answered_by == dora
    assert asks(dora, "post", path, {"answer": "Again."}).status_code == 409
    assert asks(dora, "post", f"{case.pk}/disputes/999/", {"answer": "A."}).status_code == 404


def test_the_client_finds_cases_and_decides_them(
    transactional_db, live_server, case, dora, monkeypatch
):
    monkeypatch.syspath_prepend(ROOT / "static")
    monkeypatch.delitem(sys.modules, "concord_client", raising=False)
    module = import_module("concord_client")
    monkeypatch.setattr(module, "pd", None)
    at = timezone.now()
    _token, words = tokens.make(name="p", scopes=[Scope.ADJUDICATE], days=1, by=dora, at=at)
    study = module.Concord(live_server.url, token=words).study("pond")
    (line,) = study.cases()
    made = study.decide(line["id"], RULING["values"], RULING["reason"], code="text")
    assert (made["id"], made["stands"]) == (case.pk, True)
    assert [one["id"] for one in study.cases("decided")] == [case.pk]
