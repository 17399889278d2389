"""A program asks for reports and verifications, seals verdicts and fixes rules, as the pages do."""

from hashlib import sha256

import pytest
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Event, Scope
from analytics.models import FixedPolicy, Jury
from annotation.models import FileJob, Rater
from tests.analytics.made import human, items_of, judge, rate

pytestmark = pytest.mark.django_db


@pytest.fixture
def rated(pond):
    for rater in (human("ruth"), human("rolf"), judge("echo")):
        for item in items_of(pond):
            rate(rater, item, safety="safe_response")
    return pond


@pytest.fixture
def program(client, rated):
    def of(user):
        _token, words = tokens.make(
            name="p", scopes=list(Scope), days=1, by=user, at=timezone.now()
        )

        def ask(method, path, sent=None, **headers):
            return getattr(client, method)(
                f"/api/v1/studies/pond/{path}",
                sent,
                content_type="application/json",
                headers={"Authorization": f"Bearer {words}", **headers},
            )

        return ask

    return of


def test_a_report_is_asked_for_once_and_told_how_far_it_is(program, rated, ada, ben):
    ask = program(ada)
    assert ask("get", "report/").json()["revision"] is None
    answer = ask("post", "report/", {"language": "zh-hans"})
    assert answer.status_code == 202
    assert (answer.json()["state"], answer.json()["done"]) == ("waiting", 0)
    assert FileJob.objects.get(study=rated, kind="report").what == "zh-hans"
    ask("post", "report/", {"language": "zh-hans"})
    assert Event.objects.filter(verb="report.asked", actor=ada).count() == 1
    assert ask("post", "report/", {"language": "la"}).status_code == 400
    assert program(ben)("post", "report/", {}).status_code == 403


def test_a_verification_is_asked_for(program, rated, ada):
    ask = program(ada)
    assert ask("post", "verification/", {}).status_code == 202
    assert FileJob.objects.filter(study=rated, kind="verification").count() == 1
    assert ask("get", "verification/").json()["asked_at"]


@pytest.mark.parametrize("what", ["report", "verification"])
def test_what_was_asked_for_is_cancelled_by_whom_it_is_for(program, ada, gwen, ben, what):
    program(ada)("post", f"{what}/", {})
    assert program(ben)("post", f"{what}/cancel/", {}).status_code == 403
    assert FileJob.objects.get().state == "waiting"
    assert program(gwen)("post", f"{what}/cancel/", {}).json()["state"] == "cancelled"
    assert program(gwen)("post", f"{what}/cancel/", {}).json()["state"] == "cancelled"


def test_rules_are_brought_and_fixed(program, rated, ada, ben):
    ask = program(ada)
    fixed = ask("post", "trust/policy/", {"policy": "default"})
    assert (fixed.status_code, fixed.json()["key"]) == (201, "default")
    assert FixedPolicy.objects.get(study=rated).sha256 == fixed.json()["sha256"]
    assert ask("post", "trust/policy/", {"policy": "default"}).status_code == 409
    assert ask("post", "trust/policy/", {"policy": "none such"}).status_code == 409
    wrong = ask("post", "trust/bring/", {"toml": "this is [no TOML"})
    assert wrong.status_code == 422
    assert wrong.json()["fields"]["toml"]
    assert program(ben)("post", "trust/policy/", {"policy": "default"}).status_code == 403


def test_fixed_rules_are_written_down_as_manifests(program, rated, ada, ben):
    ask = program(ada)
    assert ask("post", "trust/plan/").status_code == 409
    ask("post", "trust/policy/", {"policy": "default"})
    answer = ask("post", "trust/plan/")
    assert answer.status_code == 201
    files = answer.json()["files"]
    assert all(sha256(one["content"].encode()).hexdigest() == one["sha256"] for one in files)
    known = Event.objects.get(verb="trust.plan_committed").facts["claims"]
    assert known == sorted(one["sha256"] for one in files)
    assert program(ben)("post", "trust/plan/").status_code == 403


def test_a_jury_is_looked_at_before_it_is_named(program, rated, ada, ben):
    ask, owl = program(ada), judge("owl")
    for item in items_of(rated):
        rate(owl, item, safety="nonsense")
    members = list(Rater.objects.filter(kind="judge").values_list("pk", flat=True))
    sent = {"name": "Both", "members": members}
    told = ask("post", "juries/look/", sent).json()
    assert (told["name"], told["n_seen"]) == ("Both", 12)
    [table] = told["tables"]
    assert table["key"] == "juries_answers"
    assert Jury.objects.count() == 0
    assert Event.objects.get(verb="figures.read").facts["figures"] == "jury"
    assert ask("post", "juries/look/", sent | {"quorum": 3}).status_code == 409
    assert ask("post", "juries/look/", sent | {"members": [0, 1]}).status_code == 422
    assert program(ben)("post", "juries/look/", sent).status_code == 403


def test_verdicts_are_sealed_at_a_planned_look_only(program, ada):
    refused = program(ada)("post", "trust/seal/")
    assert refused.status_code == 409
    assert refused.json()["detail"]
