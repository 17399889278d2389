"""Generators reply to conversations, and their replies become items that nobody can tell apart."""

import json
import re
from collections import Counter
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import Event
from annotation.actions import splits
from annotation.identifiers import Decisions
from annotation.models import (
    DataSet,
    Item,
    OpenItem,
    ProviderPolicy,
    Quarantine,
    Submission,
    TeamRole,
)
from judging.actions import calls, endpoints, generating, runs
from judging.actions.generating import CannotMakeItems, GeneratorSettings
from judging.actions.judges import Settings
from judging.actions.runs import CannotRun
from judging.models import CallState, JudgeCall, JudgeRun, LLMGenerator, Outcome, WrittenReply
from judging.queries import generating as queries
from judging.queries import runs as engine
from judging.queries import showing
from judging.rules.budget import Limit
from judging.writing import EDITION
from tests.cast import study_with
from tests.judging.conftest import failing, work_until_it_rests
from tests.judging.test_endpoints import added
from tests.kept import made_once
from tests.trials import note_trial, tried

pytestmark = pytest.mark.django_db
BASE = "/studies/lake/judges/replies/"
KIND = "I am sorry that the frogs have gone."


@pytest.fixture
@made_once
def lake(ada, ben, gwen):
    """Four conversations that end with the seeker's turn, without a reply."""
    study = study_with(
        rubric="dialogue_safety",
        key="lake",
        team={
            ada: [TeamRole.COORDINATOR],
            ben: [TeamRole.ANNOTATOR],
            gwen: [TeamRole.RESEARCHER],
        },
        n_items=4,
    )
    Item.objects.filter(study=study).update(reply=None)
    return study


@pytest.fixture
def have_written(lake, scripted, fast_clock):
    """have_written("kind", "curt") has generators reply to all of the lake."""

    def written(*names, study=lake, ends=True, **asked):
        made = generating.start(
            study=study,
            generators=[writer(name, scripted) for name in names],
            at=fast_clock(),
            **{"repeats": 1, "concurrency": 2, "by": None} | asked,
        )
        for run in made.runs.all() if ends else ():
            work_until_it_rests(run, fast_clock)
        return made

    return written


def writer(name, scripted, **changes):
    asked = {"llm": name, "base_url": scripted.base_url, "as_json": False, "temperature": 0.5}
    return GeneratorSettings(
        name=name,
        system=f"You are {name}.",
        asked=tried(Settings(prompt_edition=EDITION, **asked | changes)),
    )


def answering(text, finish="stop", refusal=None):
    """What an endpoint answers that says why it ended."""
    message = {"role": "assistant", "content": text, "refusal": refusal}
    told = {"model": "echo-1", "choices": [{"message": message, "finish_reason": finish}]}
    return 200, {}, json.dumps({"id": "c1", **told}).encode()


def items_of(generation):
    return Item.objects.filter(written_as__call__run__generation=generation).order_by("position")


def test_each_generator_replies_once_to_each_conversation_and_is_sent_it_as_a_chat(
    lake, scripted, have_written
):
    scripted.answer = lambda body, number: f"{body['model']} {KIND}"
    made = have_written("kind", "curt", repeats=2)

    asked = Counter(
        (call.item.key, call.run.judge.generator.name, call.repeat) for call in calls_of(made)
    )
    assert len(asked) == 4 * 2 * 2
    assert set(asked.values()) == {1}
    assert len(scripted.requests) == 16
    first = next(body for body in scripted.requests if body["model"] == "kind")
    assert [one["role"] for one in first["messages"]] == ["system", "user", "assistant", "user"]
    assert first["messages"][0]["content"] == "You are kind."
    assert first["messages"][2]["content"] == "What do you miss most?"
    assert first["temperature"] == 0.5
    assert {call.outcome for call in calls_of(made)} == {Outcome.WRITTEN}
    assert Submission.objects.count() == 0, "what generators write is no rating"
    assert showing.runs_of(lake) == [], "a generator is no judge of the study"


def calls_of(generation):
    return list(
        JudgeCall.objects.filter(run__generation=generation).select_related(
            "item", "run__judge__generator"
        )
    )


def test_items_tell_nothing_of_their_generator_and_keep_where_they_come_from(
    lake, scripted, have_written
):
    scripted.answer = lambda body, number: f"{KIND} ({number})"
    made = have_written("kind", "curt", repeats=3)
    assert generating.take_in(generation=made, by=None, at=timezone.now()) == 24

    items = list(items_of(made))
    assert Counter(item.generator for item in items) == {"kind": 12, "curt": 12}
    assert not any(name in item.key for item in items for name in ("kind", "curt"))
    assert len({item.key for item in items}) == 24
    halves = Counter(item.generator for item in items[:12])
    assert len(halves) == 2, "the order does not tell them apart"
    for item in items:
        call = item.written_as.call
        assert item.reply == call.exchanges[0]["text"]
        assert item.generator == call.run.judge.generator.name
        assert item.dialogue_id == call.item.dialogue_id
        assert re.fullmatch("[0-9a-f]{64}", call.prompt_sha256)
        assert call.run.judge.base_url == scripted.base_url


def test_replies_are_taken_in_once_and_the_conversations_are_rated_no_more(lake, have_written):
    made = have_written("kind")
    generating.take_in(generation=made, by=None, at=timezone.now())
    revision = type(lake).objects.get(pk=lake.pk).revision

    assert generating.take_in(generation=made, by=None, at=timezone.now()) == 0
    assert type(lake).objects.get(pk=lake.pk).revision == revision
    assert list(lake.items.for_a_new_round().order_by("position")) == list(items_of(made))
    assert Event.objects.get(verb="generation.taken_in").facts["items"] == 4
    again = have_written("curt")
    assert again.runs.get().calls.count() == 4, "others may still write to the same conversations"


SAID = [
    ("", "stop", None, Outcome.EMPTY, None),
    ("  \n", "stop", None, Outcome.EMPTY, None),
    ("nan", "stop", None, Outcome.WRITTEN, None),
    ("The frogs", "length", None, Outcome.TRUNCATED, ["cut_off"]),
    (None, "stop", "I cannot talk about frogs.", Outcome.REFUSED, ["refusal"]),
    ("I'm sorry, but I can't help with that.", "stop", None, Outcome.WRITTEN, ["refusal"]),
    ("Dear {{name}}, they come back.<|im_end|>", "stop", None, Outcome.WRITTEN, ["residue"]),
    (KIND, "stop", None, Outcome.WRITTEN, []),
    ("They ask for", "sensitive", None, Outcome.REFUSED, ["refusal"]),
    ("<think>\nThey ask for frogs.\n</think>", "stop", None, Outcome.ONLY_REASONING, None),
    ("<think>\nThey ask for", "length", None, Outcome.TRUNCATED, None),
]


@pytest.mark.parametrize(("text", "finish", "refusal", "outcome", "doubts"), SAID)
def test_what_looks_wrong_is_set_aside_and_what_is_nothing_is_no_item(
    lake, scripted, have_written, text, finish, refusal, outcome, doubts
):
    scripted.answer = lambda body, number: answering(text, finish, refusal)
    made = have_written("kind", conversations=1)
    assert [call.outcome for call in calls_of(made)] == [outcome]
    (told,) = queries.status_of(made).writers
    assert told.done == told.written + told.cut_off + told.refused + told.empty == 1

    n_items = generating.take_in(generation=made, by=None, at=timezone.now())

    assert n_items == (doubts is not None)
    assert [one.doubts for one in WrittenReply.objects.all()] == (
        [] if doubts is None else [doubts]
    )
    aside = Quarantine.objects.filter(item__in=items_of(made))
    assert bool(doubts) == aside.exists()


@pytest.mark.parametrize("thought", [
    "<think>\nThe seeker is sad. I am kind, so I say:\n</think>\n\n",
    "The seeker is sad.\n</think>\n\n",
    "<|channel|>analysis<|message|>The seeker is sad.<|end|><|start|>assistant<|channel|>final<|message|>",
], ids=["tags", "no opening tag", "channels"])  # fmt: skip
def test_a_reply_is_not_what_was_thought_before_it(lake, scripted, have_written, thought):
    said = "They come back — <em>each</em> spring.\u200b"
    scripted.answer = lambda body, number: answering(f"{thought}{said}")
    made = have_written("kind", conversations=1)
    generating.take_in(generation=made, by=None, at=timezone.now())

    assert [item.reply for item in items_of(made)] == [said]
    (call,) = calls_of(made)
    assert thought.strip() in call.exchanges[0]["text"], "all that came is kept"


def test_a_worker_that_dies_writes_nothing_twice(lake, scripted, have_written, fast_clock):
    made = have_written("kind", "curt", ends=False)
    for run in made.runs.all():
        lost = engine.run_with_judge(run.pk)
        calls.claim(run=lost, interview=engine.asking_of(lost), most=3, at=fast_clock())
    assert JudgeCall.objects.filter(state=CallState.LEASED).count() == 6

    for run in made.runs.all():
        work_until_it_rests(run, fast_clock)

    assert len(scripted.requests) == 8
    assert generating.take_in(generation=made, by=None, at=timezone.now()) == 8


def test_nothing_is_taken_in_while_somebody_writes(lake, have_written):
    made = have_written("kind", ends=False)
    with pytest.raises(CannotMakeItems, match="still writing"):
        generating.take_in(generation=made, by=None, at=timezone.now())

    assert generating.end(generation=made, by=None, at=timezone.now())
    assert not generating.end(generation=made, by=None, at=timezone.now())
    assert generating.take_in(generation=made, by=None, at=timezone.now()) == 0


def test_what_the_endpoint_failed_at_is_asked_again(lake, scripted, have_written, fast_clock):
    scripted.answer = lambda body, number: failing(400) if number == 2 else KIND
    made = have_written("kind", concurrency=1)
    assert Counter(call.outcome for call in calls_of(made)) == {"written": 3, "request_refused": 1}

    scripted.answer = lambda body, number: KIND
    again = runs.retry_failed(run_id=made.runs.get().pk, by=None, at=fast_clock())
    work_until_it_rests(again, fast_clock)

    assert again.generation == made
    assert runs.retry_failed(run_id=again.retry_of_id, by=None, at=fast_clock()) is None
    assert generating.take_in(generation=made, by=None, at=timezone.now()) == 4


def test_nothing_is_asked_again_once_items_were_made(lake, scripted, have_written, fast_clock):
    scripted.answer = lambda body, number: failing(400) if number == 2 else KIND
    made = have_written("kind", concurrency=1)
    assert generating.take_in(generation=made, by=None, at=timezone.now()) == 3

    assert runs.retry_failed(run_id=made.runs.get().pk, by=None, at=fast_clock()) is None


def test_a_name_stands_for_one_generator(lake, scripted, have_written):
    generating.take_in(generation=have_written("kind"), by=None, at=timezone.now())
    have_written("kind")
    assert LLMGenerator.objects.count() == 1
    assert {call.repeat for call in JudgeCall.objects.all()} == {1, 2}, "replies are numbered on"

    with pytest.raises(CannotRun, match="other settings"):
        generating.start(
            study=lake,
            generators=[writer("kind", scripted, temperature=1.0)],
            repeats=1,
            concurrency=1,
            by=None,
            at=timezone.now(),
        )
    Item.objects.filter(study=lake, position=1).update(reply=KIND, generator="brought")
    with pytest.raises(CannotRun, match="brought in"):
        have_written("brought")


def test_the_data_set_says_where_conversations_may_go(lake, settings, have_written):
    DataSet.objects.filter(pk=lake.data_set_id).update(provider_policy=ProviderPolicy.NONE)
    with pytest.raises(CannotRun, match="no LLM"):
        have_written("kind")
    assert not JudgeRun.objects.exists()


def test_a_conversation_that_ends_with_the_supporter_waits_for_nobody(lake, have_written):
    dialogue = lake.dialogues.first()
    dialogue.turns = dialogue.turns[:2]
    dialogue.save()

    assert have_written("kind").runs.get().calls.count() == 3


def test_a_limit_pauses_each_generator(lake, have_written):
    made = have_written("kind", limit=Limit(requests=2))
    [status] = queries.status_of(made).writers

    assert (status.run.pause_reason, status.written) == ("limit_reached", 2)


def test_a_reply_is_in_the_split_of_its_conversation(lake, sam, have_written):
    splits.divide(
        data_set_id=lake.data_set_id, open_percent=50, seed="9", by=sam, at=timezone.now()
    )
    was_open = set(OpenItem.objects.values_list("item__dialogue", flat=True))
    made = have_written("kind")
    generating.take_in(generation=made, by=None, at=timezone.now())

    now_open = set(items_of(made).filter(opened__isnull=False).values_list("dialogue", flat=True))
    assert now_open == was_open != set()


FORM = {
    "conversations": "",
    "repeats": "1",
    "concurrency": "2",
    "generator-TOTAL_FORMS": "8",
    "generator-INITIAL_FORMS": "0",
    "generator-0-name": "kind",
    "generator-0-llm": "echo",
    "generator-0-system": "Be kind.",
    "generator-1-name": "curt",
    "generator-1-llm": "echo",
}


def test_a_preview_shows_what_is_sent_and_what_it_costs(as_user, ada, lake, elsewhere):
    record = added(elsewhere)
    endpoints.set_price(
        endpoint=record,
        llm="echo",
        prompt=Decimal(10),
        answer=Decimal(20),
        currency="EUR",
        since=timezone.now().date(),
        by=None,
        at=timezone.now(),
    )
    form = FORM | {
        f"generator-{n}-{one}": value
        for n in (0, 1)
        for one, value in (("endpoint", record.key), ("max_tokens", "100"))
    }
    shown = as_user(ada).post(f"{BASE}write/", form | {"preview": "1"}).content.decode()

    assert "Be kind." in shown
    assert "The frogs, I think." in shown
    assert re.search(r"4 replies, some \d+ tokens each with its prompt", shown)
    assert re.search(r"about 0\.002\d+ EUR a call, 0\.00\d\d EUR in all", shown)
    assert not JudgeRun.objects.exists()


def test_a_coordinator_has_replies_written_and_makes_items_of_them(
    as_user, ada, gwen, lake, scripted, fast_clock
):
    browser = as_user(ada)
    answer = browser.post(f"{BASE}write/", FORM)
    made = lake.generations.get()
    assert answer.url == f"{BASE}{made.pk}/"
    assert made.runs.count() == 2
    assert browser.get(f"/studies/lake/judges/{made.runs.first().pk}/").url == answer.url
    for run in made.runs.all():
        work_until_it_rests(run, fast_clock)

    page = browser.get(answer.url).content.decode()
    assert "Make items of the replies" in page
    assert "Make items of the replies" not in as_user(gwen).get(answer.url).content.decode()
    assert as_user(gwen).post(f"{answer.url}take-in/").status_code == 403
    assert browser.post(f"{answer.url}take-in/").status_code == 302
    assert "8 replies are items of the study." in browser.get(answer.url).content.decode()
    assert browser.get(reverse("generations", kwargs={"key": "lake"})).status_code == 200


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"generator-0-name": "", "generator-0-llm": "", "generator-0-system": "", "generator-1-name": "", "generator-1-llm": ""}, "This field is required."),
        ({"generator-1-llm": ""}, "This field is required."),
        ({"generator-1-name": "kind"}, "each by its own name"),
        ({"repeats": "0"}, "greater than or equal to 1"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_and_nobody_writes(as_user, ada, lake, scripted, change, words):
    answer = as_user(ada).post(f"{BASE}write/", FORM | change)

    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert not JudgeRun.objects.exists()
    assert not LLMGenerator.objects.exists()


CALLABLE = "Call Dr. Frogley on 13812345678, at any hour."


def test_replies_are_screened_and_nothing_is_made_before_it_is_decided(
    lake, scripted, have_written
):
    scripted.answer = lambda body, number: CALLABLE if number % 2 else KIND
    made = have_written("kind")
    with pytest.raises(CannotMakeItems, match="phone"):
        generating.take_in(generation=made, by=None, at=timezone.now())
    assert not items_of(made).exists()
    made.refresh_from_db()
    assert made.taken_in_at is None

    told = generating.identifiers_in(made)
    assert (dict(told["kinds"])["phone"], told["hits"]) == (1, [])
    by_kind = dict.fromkeys(dict(told["kinds"]), "redact")
    n_items = generating.take_in(
        generation=made, identifiers=Decisions(by_kind=by_kind), by=None, at=timezone.now()
    )

    assert n_items == 4
    replies = sorted(items_of(made).values_list("reply", flat=True))
    assert all("13812345678" not in reply for reply in replies)
    assert sum("[phone]" in reply for reply in replies) == 2
    screening = lake.screenings.get()
    assert (screening.hits["phone"], screening.dropped) == (1, 0)
    facts = Event.objects.get(verb="generation.taken_in").facts
    assert facts["redacted"] == screening.redacted
    made.refresh_from_db()
    assert generating.identifiers_in(made) == {}


def test_replies_that_are_dropped_become_no_items_and_are_counted(lake, scripted, have_written):
    scripted.answer = lambda body, number: CALLABLE if number % 2 else KIND
    made = have_written("kind")
    kinds = dict(generating.identifiers_in(made)["kinds"])
    dropped = Decisions(by_kind=dict.fromkeys(kinds, "drop"))
    at = timezone.now()
    assert generating.take_in(generation=made, identifiers=dropped, by=None, at=at) == 2
    assert set(items_of(made).values_list("reply", flat=True)) == {KIND}
    assert lake.screenings.get().dropped == 2
    assert generating.take_in(generation=made, by=None, at=at) == 0


def test_the_page_asks_what_is_to_become_of_each_kind(as_user, ada, lake, scripted, fast_clock):
    scripted.answer = lambda body, number: CALLABLE
    browser = as_user(ada)
    address = browser.post(f"{BASE}write/", FORM).url
    made = lake.generations.get()
    for run in made.runs.all():
        work_until_it_rests(run, fast_clock)

    page = browser.get(address).content.decode()
    assert "What could say who somebody is" in page
    assert "13812345678" not in page, "places are not shown, and so nothing is read"
    fields = {f"kind_{kind}": "redact" for kind, _n in generating.identifiers_in(made)["kinds"]}
    kept = browser.post(f"{address}take-in/", fields | {"kind_phone": "keep"})
    assert kept.status_code == 422
    assert "Say why they may stay." in kept.content.decode()
    assert not items_of(made).exists()
    assert browser.post(f"{address}take-in/", fields).status_code == 302
    assert items_of(made).count() == 8


GENERATORS = """
[[generator]]
name = "kind"
llm = "echo-1"
system = "You are kind."
temperature = 0.5

[[generator]]
name = "curt"
llm = "echo-2"
max_tokens = 60
"""


@pytest.fixture
def described(tmp_path):
    """described(text) is a file that describes generators."""

    def put(text=GENERATORS):
        (tmp_path / "generators.toml").write_text(text, encoding="utf-8")
        return str(tmp_path / "generators.toml")

    return put


def generate(capsys, *words):
    call_command("generate", *words)
    return capsys.readouterr().out


@pytest.mark.django_db(transaction=True)
def test_replies_are_written_and_taken_in_from_the_command_line(
    lake, scripted, described, capsys, ada
):
    scripted.answer = lambda body, number: CALLABLE if body["model"] == "echo-2" else KIND
    note_trial("echo-1", scripted.base_url)
    note_trial("echo-2", scripted.base_url)
    words = ["lake", described(), "--conversations", "3", "--inline", "--by", ada.email]
    out = generate(capsys, "start", *words)
    made = lake.generations.get()
    assert made.started_by == ada
    assert "kind: 3 of 3 calls, finished; written 3" in out
    assert {body.get("max_tokens") for body in scripted.requests} == {None, 60}
    assert generate(capsys, "show", "lake", str(made.pk)) == out.partition("\n")[2]

    with pytest.raises(CommandError, match="Say what is to become of them"):
        generate(capsys, "take-in", "lake", str(made.pk))
    with pytest.raises(CommandError, match="Say with --because"):
        generate(capsys, "take-in", "lake", str(made.pk), "--keep", "all")
    out = generate(capsys, "take-in", "lake", str(made.pk), "--redact", "all", "--by", ada.email)
    assert "Replies that are items now: 6." in out
    assert not items_of(made).filter(reply__contains="13812345678").exists()
    with pytest.raises(CommandError, match="had ended already"):
        generate(capsys, "end", "lake", str(made.pk))


REFUSED = [
    ("no TOML", "cannot be read as TOML"),
    ("name = 'kind'", "describes no generators"),
    ("[[generator]]\nname = 'kind'\nllm = 'e'\ncolour = 'green'", "is called colour"),
    ("[[generator]]\nname = 'kind'", "llm: This field is required"),
    ("[[generator]]\nname = 'kind'\nllm = 'e'\ntemperature = 9", "temperature: Ensure"),
]


@pytest.mark.parametrize(("text", "words"), REFUSED)
def test_a_mistake_in_the_file_is_named_and_nobody_writes_for_it(
    lake, scripted, described, capsys, text, words
):
    with pytest.raises(CommandError, match=words):
        generate(capsys, "start", "lake", described(text))
    assert not LLMGenerator.objects.exists()
    with pytest.raises(CommandError, match="no generation 7"):
        generate(capsys, "show", "lake", "7")


def test_many_generations_ask_as_little_as_one_and_each_is_told_its_own(lake, have_written):
    first = have_written("kind", "curt")
    generating.take_in(generation=first, by=None, at=timezone.now())
    with CaptureQueriesContext(connection) as of_one:
        assert len(queries.of_study(lake)) == 1
    for _time in range(3):
        lake.generations.create(seed="9", started_at=timezone.now(), started_by=None)
    with CaptureQueriesContext(connection) as of_four:
        told = queries.of_study(lake)
    assert len(of_four) == len(of_one)
    assert [one.n_items for one in told] == [0, 0, 0, 8]
    assert [one.written for one in told[-1].writers] == [4, 4]
    assert told[-1] == queries.status_of(first)
