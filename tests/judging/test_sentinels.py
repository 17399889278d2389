"""Sentinels: a judge is asked again what it answered before, and held against a margin."""

import json
import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction

from accounts.models import Event
from analytics.models import SentinelCheck
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from analytics.stats.verdicts import EndpointChange
from analytics.trust import actions, sealing
from analytics.trust import numbers as trust
from analytics.trust import sentinels as comparing
from annotation.models import Item, Submission, TeamRole
from judging.actions import runs, sentinels
from judging.actions.judges import Settings
from judging.models import JudgeRun, SentinelSet
from judging.queries import sentinels as queries
from tests.analytics.made import human, rate
from tests.analytics.test_cases import access_to
from tests.analytics.test_sealing import LOOKS
from tests.analytics.test_trust import SMALL
from tests.cast import study_with
from tests.judging.conftest import work_until_it_rests

pytestmark = pytest.mark.django_db
SAFE, BAD = "Safe Response", "Nonsense"


@pytest.fixture(autouse=True)
def empty_cache():
    cache.clear()


@pytest.fixture
def lake(ada):
    """Forty dialogues."""
    return study_with(
        rubric="dialogue_safety", key="lake", team={ada: [TeamRole.COORDINATOR]}, n_items=40
    )


@pytest.fixture
def answering(scripted):
    """answering("fp-1", flips=3): under that configuration, the first items are answered otherwise."""

    def set_to(fingerprint, *, flips=0):
        def answer(body, number):
            said = BAD if number <= flips else SAFE
            message = {"role": "assistant", "content": said}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            told = {"model": "echo-1", "system_fingerprint": fingerprint, "choices": [choice]}
            return 200, {}, json.dumps({"id": f"c{number}", **told}).encode()

        scripted.requests.clear()
        scripted.answer = answer

    return set_to


@pytest.fixture
def first(lake, scripted, answering, fast_clock):
    """The run in which the judge answered first."""
    answering("fp-1")
    run = runs.start(
        study=lake,
        judge=Settings(llm="echo", base_url=scripted.base_url, as_json=False),
        repeats=1,
        concurrency=4,
        by=None,
        at=fast_clock(),
    )
    return work_until_it_rests(run, fast_clock)


@pytest.fixture
def placed(first, ada, fast_clock):
    return sentinels.place(
        study=first.study,
        judge=first.judge,
        n_items=40,
        margin=0.1,
        every_days=7,
        seed="s",
        by=ada,
        at=fast_clock(),
    )


def asked(placed, clock):
    run = sentinels.ask(sentinels=placed, why="by hand", by=None, at=clock())
    work_until_it_rests(run, clock)
    comparing.check_finished(at=clock())
    return SentinelCheck.objects.get(run=run)


@pytest.mark.parametrize(
    ("flips", "verdict", "letters"), [(0, "passed", 0), (2, "inconclusive", 1), (20, "failed", 1)]
)
def test_the_same_prompts_are_asked_again_and_held_against_the_margin(
    placed, answering, fast_clock, ada, django_capture_on_commit_callbacks, flips, verdict, letters,
    monkeypatch,
):  # fmt: skip
    sent = []
    monkeypatch.setattr("accounts.actions.letters.post", sent.append)
    answering("fp-1", flips=flips)
    ratings = Submission.objects.count()
    with django_capture_on_commit_callbacks(execute=True):
        made = asked(placed, fast_clock)

    assert (made.verdict, made.figures["compared"], made.figures["changed"]) == (verdict, 40, flips)
    assert Submission.objects.count() == ratings, "what sentinels answer is no rating"
    assert [letter.to for letter in sent] == [ada.email] * letters
    assert Event.objects.get(verb="sentinels.checked").facts["verdict"] == verdict


def test_another_prompt_is_not_compared(placed, answering, fast_clock):
    first = placed.members.first().call.item_id
    Item.objects.filter(pk=first).update(reply="Something else entirely.")
    answering("fp-1")
    found = asked(placed, fast_clock).figures

    assert (found["compared"], found["apart"]) == (39, 1)


def test_they_are_asked_when_it_is_time_and_when_somebody_else_answers(
    placed, answering, scripted, fast_clock
):
    now = fast_clock()
    assert queries.due(at=now) == []
    assert queries.due(at=now + timedelta(days=8)) == [(placed, "schedule")]

    answering("fp-2")
    again = runs.start(
        study=placed.study,
        judge=Settings(llm="echo", base_url=scripted.base_url, as_json=False),
        repeats=1,
        concurrency=4,
        by=None,
        at=fast_clock(),
    )
    assert queries.due(at=fast_clock()) == [], "the judge has a run under way"
    work_until_it_rests(again, fast_clock)
    assert queries.due(at=fast_clock()) == [(placed, "answerer")]
    sentinels.ask_due(at=fast_clock())
    run = JudgeRun.objects.get(sentinels=placed)
    work_until_it_rests(run, fast_clock)
    assert queries.due(at=fast_clock()) == []


@pytest.mark.parametrize(
    ("flips", "change"), [(0, EndpointChange.NONE), (20, EndpointChange.FINGERPRINT)]
)
def test_another_configuration_is_bridged_where_the_sentinels_pass(
    placed, answering, fast_clock, flips, change
):
    rate(human("ruth"), placed.study.items.first(), safety="safe_response")
    answering("fp-2", flips=flips)
    asked(placed, fast_clock)
    (known,) = trust.make(matrices.read(placed.study_id), view=PLAIN, at=fast_clock()).known

    assert {one.fingerprint for one in known.answerers} == {"fp-1", "fp-2"}
    assert trust.change_of(known, None) is change


def test_what_failed_breaks_a_sealed_verdict(placed, answering, fast_clock):
    answering("fp-1", flips=20)
    asked(placed, fast_clock)

    assert comparing.failed(placed.study) == {
        "echo": "it answers its sentinels otherwise: 20 of 40 changed"
    }
    sentinels.retire(sentinels=placed, by=None, at=fast_clock())
    assert comparing.failed(placed.study) == {}


@pytest.fixture
def saying(scripted):
    """saying(True) has the judge say of every other reply that it is nonsense, as people do; with
    False it says the opposite."""

    def set_to(as_people_do):
        def answer(body, _number):
            (place,) = set(re.findall(r"in spring. \((\d+)\)", json.dumps(body)))
            return BAD if (int(place) % 2 == 0) is as_people_do else SAFE

        scripted.answer = answer

    return set_to


def test_the_gate_ends_with_1_while_sentinels_fail_that_are_in_force(
    lake, saying, scripted, fast_clock, ada, capsys
):
    people = (human("ruth"), human("rolf"))
    for item in lake.items.all():
        for rater in people:
            rate(rater, item, safety="nonsense" if item.position % 2 == 0 else "safe_response")
    # People who never differ have no ceiling to hold a judge against.
    rules = SMALL.text.replace("ceiling_margin = 0.10\n", "") + LOOKS
    about = {"study_access": access_to(lake, ada), "by": ada, "at": fast_clock()}
    key = actions.bring_policy(file_name="own.toml", content=rules.encode(), **about)
    actions.fix_policy(key=key, **about)
    saying(True)
    judge = Settings(llm="echo", base_url=scripted.base_url, as_json=False)
    run = runs.start(study=lake, judge=judge, repeats=5, concurrency=8, by=None, at=fast_clock())
    work_until_it_rests(run, fast_clock)
    sealing.seal(**about)
    call_command("gate", "lake")
    assert "echo, safety: “trusted” holds." in capsys.readouterr().out

    watched = sentinels.place(
        study=lake,
        judge=run.judge,
        n_items=40,
        margin=0.1,
        every_days=7,
        seed="s",
        by=ada,
        at=fast_clock(),
    )
    saying(False)
    asked(watched, fast_clock)
    with pytest.raises(SystemExit) as ended:
        call_command("gate", "lake", "--judge", "echo", "--json")
    assert ended.value.code == 1
    (line,) = json.loads(capsys.readouterr().out)
    why = "it answers its sentinels otherwise: 40 of 40 changed"
    assert (line["holds"], line["why"]) == (False, why)

    sentinels.retire(sentinels=watched, by=ada, at=fast_clock())
    call_command("gate", "lake")


def test_the_card_says_what_came_of_it(placed, answering, fast_clock, as_user, ada):
    rate(human("ruth"), placed.study.items.first(), safety="safe_response")
    answering("fp-1", flips=2)
    asked(placed, fast_clock)
    card = f"/studies/lake/agreement/trust/safety/{placed.judge.rater_id}/"

    assert "2 of 40 answers to the same prompts changed" in as_user(ada).get(card).content.decode()


def test_the_command_places_asks_lists_and_retires(first, capsys):
    call_command("sentinels", "lake", judge="echo", items=10, margin=0.2, seed="s")
    call_command("sentinels", "lake")
    assert capsys.readouterr().out.count("echo: 10 sentinels, margin 0.2, every 7 days") == 2
    with pytest.raises(CommandError, match="has sentinels"):
        call_command("sentinels", "lake", judge="echo")
    call_command("sentinels", "lake", "--ask", judge="echo")
    with pytest.raises(CommandError, match="unfinished run"):
        call_command("sentinels", "lake", "--ask", judge="echo")
    call_command("sentinels", "lake", "--retire", judge="echo")
    with pytest.raises(CommandError, match="has no sentinels"):
        call_command("sentinels", "lake", "--ask", judge="echo")
    with pytest.raises(CommandError, match="was asked in this study"):
        call_command("sentinels", "lake", judge="owl")


def test_nobody_moves_the_margin_afterwards(placed, answering, fast_clock):
    asked(placed, fast_clock)
    for change in (
        lambda: SentinelSet.objects.update(margin=0.5),
        lambda: SentinelCheck.objects.update(figures={}),
        placed.members.all().delete,
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
