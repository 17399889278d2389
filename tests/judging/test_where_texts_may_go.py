"""The rules of a data set say where its texts may go: asked wherever something could be sent."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Scope
from annotation.models import DataSet, Item, ProviderPolicy
from judging.actions import generating, runs, sentinels, work
from judging.actions.generating import GeneratorSettings
from judging.actions.judges import Settings
from judging.actions.runs import CannotRun
from judging.models import CallState, JudgeRun
from judging.rules.outcomes import Pause
from judging.writing import EDITION
from tests.judging.conftest import failing, work_until_it_rests
from tests.judging.test_pages import BASE, FORM

pytestmark = pytest.mark.django_db
POLICIES = [
    ({"provider_policy": ProviderPolicy.NONE}, "no LLM"),
    ({"provider_policy": ProviderPolicy.LISTED, "processors": ["elsewhere.example"]}, "steward"),
]


@pytest.fixture(params=POLICIES, ids=["none", "listed"])
def keep(request, pond):
    """keep() has the data set send its texts there no more; it returns the reason that is given."""
    rules, words = request.param

    def kept():
        DataSet.objects.filter(studies=pond).update(**rules)
        return words

    return kept


def judge(scripted, **changes):
    return Settings(**{"llm": "echo", "base_url": scripted.base_url, "as_json": False} | changes)


def start(study, scripted, clock=timezone.now):
    return runs.start(
        study=study, judge=judge(scripted), repeats=1, concurrency=1, by=None, at=clock()
    )


def by_page(as_user, client, ada, pond, scripted):
    return as_user(ada).post(f"{BASE}start/", FORM).text


def try_by_page(as_user, client, ada, pond, scripted):
    return as_user(ada).post(f"{BASE}start/try/", FORM).text


def by_program(as_user, client, ada, pond, scripted):
    _token, words = tokens.make(name="p", scopes=[Scope.JUDGE], days=1, by=ada, at=timezone.now())
    return client.post(
        "/api/v1/studies/pond/runs/start/",
        {"llm": "echo"},
        content_type="application/json",
        headers={"Authorization": f"Bearer {words}"},
    ).text


def by_command(as_user, client, ada, pond, scripted):
    with pytest.raises(CommandError) as refusal:
        call_command("judge", "start", "pond", "--llm", "echo", "--inline")
    return str(refusal.value)


def probe_by_command(as_user, client, ada, pond, scripted):
    with pytest.raises(CommandError) as refusal:
        call_command("judge", "probe", "pond", "--llm", "echo")
    return str(refusal.value)


def replies(as_user, client, ada, pond, scripted):
    Item.objects.filter(study=pond).update(reply=None)
    with pytest.raises(CannotRun) as refusal:
        generating.start(
            study=pond,
            generators=[
                GeneratorSettings(
                    name="kind", system="Be kind.", asked=judge(scripted, prompt_edition=EDITION)
                )
            ],
            repeats=1,
            concurrency=1,
            by=None,
            at=timezone.now(),
        )
    return str(refusal.value)


DOORS = [by_page, try_by_page, by_program, by_command, probe_by_command, replies]


@pytest.mark.parametrize("door", DOORS, ids=lambda one: one.__name__)
def test_nothing_is_begun(door, keep, as_user, client, ada, pond, scripted):
    words = keep()
    assert words in door(as_user, client, ada, pond, scripted)
    assert not scripted.requests
    assert not JudgeRun.objects.exists()


def test_what_is_under_way_stops_and_does_not_go_on(keep, pond, scripted, fast_clock):
    run = start(pond, scripted, fast_clock)
    words = keep()
    work_until_it_rests(run, fast_clock)
    assert (run.state, run.pause_reason) == ("paused", Pause.DATA_SET_SAYS_NO)
    assert not scripted.requests
    with pytest.raises(CannotRun, match=words):
        runs.resume(run_id=run.pk, by=None, at=fast_clock())


@pytest.mark.django_db(transaction=True)
def test_a_run_that_is_asking_sends_no_more(keep, pond, scripted, fast_clock):
    """The rules change while the second item is asked about."""
    run = start(pond, scripted, fast_clock)

    def answer(body, number):
        if number == 2:
            keep()
            connection.close()  # that of the endpoint's thread
        return "Safe Response"

    scripted.answer = answer
    while work.work_on(run_id=run.pk, clock=fast_clock):
        pass
    run.refresh_from_db()
    assert run.pause_reason == Pause.DATA_SET_SAYS_NO
    done = run.calls.filter(state=CallState.DONE).count()
    assert 2 <= done <= len(scripted.requests) < run.calls.count()


def test_what_failed_is_not_asked_again(keep, pond, scripted, fast_clock):
    scripted.answer = lambda body, number: failing(400, "bad") if number == 2 else "Safe Response"
    run = work_until_it_rests(start(pond, scripted, fast_clock), fast_clock)
    words = keep()
    with pytest.raises(CannotRun, match=words):
        runs.retry_failed(run_id=run.pk, by=None, at=fast_clock())


def test_sentinels_are_not_asked_about(keep, pond, scripted, fast_clock):
    run = work_until_it_rests(start(pond, scripted, fast_clock), fast_clock)
    placed = sentinels.place(
        study=pond,
        judge=run.judge,
        n_items=6,
        margin=0.2,
        every_days=1,
        seed="s",
        by=None,
        at=fast_clock(),
    )
    words = keep()
    n_asked = len(scripted.requests)
    with pytest.raises(CannotRun, match=words):
        sentinels.ask(sentinels=placed, why="by hand", by=None, at=fast_clock())
    assert len(scripted.requests) == n_asked


def test_where_an_item_could_be_sent_from_is_known():
    """Whoever makes a client anew is to be asked for here, and to ask the data set's rules."""
    makers = ("Crew(", "BatchDesk(", "probing.probe(")
    found = {
        path.name
        for path in Path("judging").rglob("*.py")
        if path.parent.name != "providers"
        and any(f" {maker}" in path.read_text(encoding="utf-8") for maker in makers)
    }
    assert found == {"work.py", "batching.py", "probes.py"}
    assert all(
        "reason_to_" in (Path("judging/actions") / name).read_text(encoding="utf-8")
        for name in found
    )
