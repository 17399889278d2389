"""A program reckons, starts, watches, paces and ends a run, under the rules of the pages."""

import pytest
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Event, Scope
from judging.models import JudgeRun
from tests.judging.conftest import work_until_it_rests

RUNS = "/api/v1/studies/pond/runs/"
pytestmark = pytest.mark.django_db


@pytest.fixture
def asks(client):
    def ask(user, method, path, data=None, scope=Scope.JUDGE, **fields):
        at = timezone.now()
        _token, words = tokens.make(name="p", scopes=[scope], days=1, by=user, at=at)
        headers = {"Authorization": f"Bearer {words}", **fields}
        kind = {} if method == "get" else {"content_type": "application/json"}
        return getattr(client, method)(f"{RUNS}{path}", data, headers=headers, **kind)

    return ask


@pytest.fixture
def wanted(scripted, settings):
    settings.LLM_BASE_URL = scripted.base_url
    return {"llm": "echo", "answers": "plain", "limit_requests": 4}


def test_a_run_is_reckoned_started_once_and_watched_to_its_end(asks, wanted, pond, ada, fast_clock):
    estimate = asks(ada, "post", "estimate/", wanted).json()
    assert (estimate["calls"], estimate["money"]) == (pond.items.count(), None)
    assert not JudgeRun.objects.exists()

    once = {"Idempotency-Key": "a"}
    started = asks(ada, "post", "start/", wanted, **once)
    assert started.status_code == 201
    assert asks(ada, "post", "start/", wanted, **once).json() == started.json()
    run = JudgeRun.objects.get()
    assert run.started_by == ada

    path = f"{run.pk}/"
    work_until_it_rests(run, fast_clock)
    found = asks(ada, "get", path, scope=Scope.READ).json()
    assert (found["run"]["state"], found["used_requests"]) == ("paused", 4)
    assert asks(ada, "post", f"{path}resume/").status_code == 409, "the limit is reached"
    paced = asks(ada, "put", f"{path}pace/", {"concurrency": 2, "limit_requests": None})
    assert paced.json()["concurrency"] == 2
    assert asks(ada, "post", f"{path}resume/").json()["run"]["state"] == "running"
    work_until_it_rests(run, fast_clock)
    found = asks(ada, "get", path, scope=Scope.READ).json()
    assert (found["run"]["state"], found["done"], found["rated"]) == (
        "finished",
        found["total"],
        found["total"],
    )
    verbs = {one.verb for one in Event.objects.filter(subject=f"judge_run:{run.pk}", actor=ada)}
    assert {"judge_run.started", "judge_run.retuned", "judge_run.resumed"} <= verbs


def test_a_run_is_paused_ended_and_what_failed_is_asked_again(
    asks, wanted, pond, ada, scripted, fast_clock
):
    path = f"{asks(ada, 'post', 'start/', wanted).json()['id']}/"
    assert asks(ada, "post", f"{path}pause/").json()["pause_reason"] == "by_hand"
    assert asks(ada, "post", f"{path}finish/").json()["run"]["state"] == "finished"
    assert asks(ada, "post", f"{path}retry/").json()["run"]["id"] == int(path[:-1])
    assert asks(ada, "post", f"{path}forget/").status_code == 404


def test_mistakes_are_named_field_by_field(asks, wanted, pond, ada):
    answer = asks(ada, "post", "start/", wanted | {"items": "7", "repeats": 99, "manner": "shy"})
    assert answer.status_code == 422
    assert set(answer.json()["fields"]) == {"items", "repeats", "manner"}
    assert not JudgeRun.objects.exists()


def test_who_may_not_run_judges_starts_none(asks, wanted, pond, ada, ben, sam):
    assert asks(ben, "post", "start/", wanted).status_code == 403
    assert asks(sam, "post", "start/", wanted).status_code == 404
    assert asks(ada, "post", "start/", wanted, scope=Scope.STEER).status_code == 403
    assert not JudgeRun.objects.exists()
