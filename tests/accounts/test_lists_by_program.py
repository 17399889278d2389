"""Every list of the API comes a page at a time, and the client of the server puts it together."""

import sys
from importlib import import_module

import pytest
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Scope
from annotation.actions import grants
from annotation.models import Membership
from annotation.rules.granting import DataLevel
from tests.cast import approved, study_with
from tests.services import ROOT

pytestmark = pytest.mark.django_db

# What takes no key, and why.
HAS_NO_KEY = {
    "/api/v1/studies/{key}/prompts/preview/": "nothing is written, and each look is noted",
    "/api/v1/studies/{key}/cases/{round_item_id}/judges/": "each time that they are told is noted",
    "/api/v1/assignments/{assignment_id}/submission/": "what is sent has a key of its own",
    "/api/v1/studies/{key}/releases/{job_id}/link/": "a link is told once and never kept",
    "/api/v1/studies/{key}/runs/estimate/": "nothing is written",
    "/api/v1/studies/{key}/runs/answers/": "words are looked for, and nothing is written",
    "/api/v1/studies/{key}/runs/try/": "nothing is begun, and each trial is noted",
    "/api/v1/studies/{key}/juries/look/": "nothing is kept",
}


@pytest.fixture
def reads(client):
    def read(user, path, **query):
        at, every = timezone.now(), list(Scope)
        _token, words = tokens.make(name="p", scopes=every, days=1, by=user, at=at)
        return client.get(f"/api/v1/{path}", query, headers={"Authorization": f"Bearer {words}"})

    return read


def walked(reads, user, path, limit):
    """The pages of a list, and how many lines each has."""
    after, pages = "", []
    while after is not None:
        told = reads(user, path, after=after, limit=limit).json()
        pages.append(told["results"])
        after = told["next"]
    return pages


@pytest.fixture
def asked(pond, ada):
    """Every level, which ada asked for one after the other."""
    made = []
    for level in DataLevel:
        made += grants.propose(
            data_set_id=pond.data_set_id,
            person=ada,
            levels=[level],
            purpose="To see.",
            by=ada,
            at=timezone.now(),
        )
    return made


def test_a_list_is_walked_newest_first_with_no_line_lost_or_told_twice(reads, asked, ada):
    path = "studies/pond/grants/"
    whole = [one["id"] for one in reads(ada, path).json()["results"]]
    assert {one.pk for one in asked} <= set(whole)
    assert whole == sorted(whole, reverse=True)
    pages = walked(reads, ada, path, limit=2)
    assert [one["id"] for page in pages for one in page] == whole
    assert {len(page) for page in pages[:-1]} == {2}


def test_lines_that_come_and_go_meanwhile_move_no_other_one(reads, pond, ada, ben, cleo):
    first = reads(ada, "studies/pond/team/", limit=2).json()
    seen = [one["account"] for one in first["results"]]
    rest = set(pond.memberships.values_list("user", flat=True)) - set(seen)
    Membership.objects.filter(study=pond, user=seen[-1]).delete()
    behind = reads(ada, "studies/pond/team/", after=first["next"]).json()
    assert {one["account"] for one in behind["results"]} == rest
    assert behind["next"] is None


def test_lists_by_name_go_on_behind_a_name(reads, terms):
    nora = approved("nora", terms)
    for key in ("lake", "creek", "moor"):
        study_with(rubric="dialogue_safety", key=key, team={nora: ["coordinator"]}, n_items=1)
    pages = walked(reads, nora, "studies/", limit=1)
    assert [one["key"] for page in pages for one in page] == ["creek", "lake", "moor"]


@pytest.mark.parametrize("query", [{"limit": 0}, {"limit": 1001}, {"after": "a frog"}])
def test_a_page_that_cannot_be_is_refused(reads, pond, ada, query):
    assert reads(ada, "studies/pond/team/", **query).status_code == 400


def test_every_list_says_in_the_description_that_it_is_paged_and_every_write_takes_a_key(
    as_user, ben
):
    schema = as_user(ben).get("/api/v1/schema/").json()
    lists, without = [], set()
    for path, methods in schema["paths"].items():
        for method, told in methods.items():
            answer = next(one for status, one in told["responses"].items() if status[0] == "2")
            fields = next((one["schema"] for one in answer.get("content", {}).values()), {})
            if method == "get" and fields.get("type") == "array":
                lists.append(path)
            named = {one["name"] for one in told.get("parameters", [])}
            if method == "post" and "Idempotency-Key" not in named:
                without.add(path)
    assert lists == []
    assert without == set(HAS_NO_KEY)


def test_the_client_follows_the_pages(live_server, asked, ada, monkeypatch, transactional_db):
    monkeypatch.syspath_prepend(ROOT / "static")
    monkeypatch.delitem(sys.modules, "concord_client", raising=False)
    module = import_module("concord_client")
    monkeypatch.setattr(module, "PAGE", 1)
    monkeypatch.setattr(module, "pd", None)
    at = timezone.now()
    _token, words = tokens.make(name="p", scopes=list(Scope), days=1, by=ada, at=at)
    concord = module.Concord(live_server.url, token=words)
    assert len(concord.studies()) == 1
    own = [one["id"] for one in concord.study("pond").grants()]
    assert {one.pk for one in asked} <= set(own)
    assert len(own) == len(set(own)) > 2
