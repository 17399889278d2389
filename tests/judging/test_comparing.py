"""Judges say which of two replies they put higher, in the runs that ask judges everything else."""

import json
import re
from collections import Counter

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.actions import quarantine
from annotation.models import DataSet, Item, ProviderPolicy, Submission, TeamRole
from annotation.rubric.loading import load, shipped
from judging import standin
from judging.actions import comparing, runs, templates
from judging.actions.judges import Settings
from judging.actions.runs import CannotRun
from judging.comparing import EDITION, Comparing, PairFound, asked_of_pairs
from judging.interviews import Interview
from judging.models import JudgeCall, JudgeRun, Outcome, Preference
from judging.prompts import PairText
from judging.prompts.template import PromptSubject, built_in
from judging.queries import runs as engine
from judging.queries import showing
from judging.rules.budget import Limit
from judging.rules.comparing import PairsWanted
from judging.rules.questions import AskingManner, Unreadable
from tests.analytics.reading import table_in
from tests.analytics.walking import assert_the_same
from tests.cast import study_with
from tests.judging.conftest import failing, work_until_it_rests
from tests.kept import made_once

RUBRIC = load(shipped()["psycrisis"])
WRITERS = ("kind", "curt", "long")


def replies_to(study, n_conversations, writers=WRITERS):
    """Each of the writers has replied to each conversation."""
    found = list(Item.objects.filter(study=study).select_related("dialogue").order_by("position"))
    for item in found[:n_conversations]:
        for place, writer in enumerate(writers):
            reply = f"{writer.capitalize()} words about {item.dialogue.key}."
            Item.objects.create(
                study=study,
                dialogue=item.dialogue,
                key=f"{item.dialogue.key}/{writer}",
                position=100 * item.position + place,
                reply=reply,
                generator=writer,
                content_sha256=f"{item.pk}{writer}".ljust(64, "0"),
            )


@pytest.fixture
@made_once
def meadow(ada, ben, gwen):
    """Four conversations, to each of which three generators have replied."""
    study = study_with(
        rubric="psycrisis",
        key="meadow",
        team={
            ada: [TeamRole.COORDINATOR],
            ben: [TeamRole.ANNOTATOR],
            gwen: [TeamRole.RESEARCHER],
        },
        n_items=4,
    )
    replies_to(study, 4)
    return study


@pytest.fixture
def compare(meadow, scripted, fast_clock):
    """compare(ties=False) has a judge compare replies of the meadow until it rests."""

    def compared(*, by=None, repeats=1, limit=None, judge=None, study=meadow, **wanted):
        run = comparing.start(
            study=study,
            judge=Settings(llm="echo", base_url=scripted.base_url, **(judge or {})),
            wanted=PairsWanted(seed="frogs", **wanted),
            repeats=repeats,
            concurrency=2,
            by=by,
            at=fast_clock(),
            limit=limit or Limit(),
        )
        return work_until_it_rests(run, fast_clock)

    return compared


def asked_for(body):
    """The form that a request asks to be filled in."""
    user = body["messages"][-1]["content"]
    return json.loads(user[user.rindex('\n{"') :])


def verdicts(body, choose):
    """An answer that says choose(reply A, reply B) to all that is asked."""
    user = body["messages"][-1]["content"]
    parts = re.split(r"=== .+ [0-9a-f]{12} ===\n", user)
    chosen = choose(parts[2], parts[3])
    return json.dumps({key: {"reasoning": "…", "answer": chosen} for key in asked_for(body)})


def by_kindness(body, number):
    """Always the kind reply, wherever it stands; between the others neither."""
    return verdicts(
        body,
        lambda a, b: "reply_a" if "Kind" in a else "reply_b" if "Kind" in b else "tie",
    )


def item_text(first="Kind words.", second="Curt words."):
    return PairText(
        turns=[{"speaker": "seeker", "text": "I cannot sleep."}],
        reply=first,
        reply_speaker="supporter",
        second=second,
        second_speaker="supporter",
        sha256="0" * 64,
    )


def interview(*, overall=False, ties=True, **asked):
    rubric = asked_of_pairs(RUBRIC, overall=overall, ties=ties)
    return Comparing(rubric=rubric, template=built_in(subject=PromptSubject.PAIR, **asked))


@pytest.mark.pure
@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('{"overall": {"reasoning": "…", "answer": "reply_b"}}', "reply_b"),
        ('{"overall": {"reasoning": "A listens.", "answer": "A"}}', "reply_a"),
        ('{"overall": {"reasoning": "…", "answer": "Tie"}}', "tie"),
        ('{"overall": "Reply A"}', "reply_a"),
        ('{"overall": {"reasoning": "…", "answer": "C"}}', Outcome.NO_ANSWER),
        ('{"overall": {"reasoning": "…", "answer": "reply_a or reply_b"}}', Outcome.AMBIGUOUS),
        ("", Outcome.EMPTY),
        ("I'm sorry, but I can't help with that.", Outcome.REFUSED),
    ],
)
def test_a_preference_in_json_is_read_or_has_a_true_reason(text, read):
    exchange = {"text": text, "finish": "stop", "refusal": False}
    found = interview(overall=True).conclude([exchange])["overall"]
    assert (found.reason if isinstance(found, Unreadable) else found.label) == read


@pytest.mark.pure
@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("A", "reply_a"),
        ("[[B]]", "reply_b"),
        ("Overall: B", "reply_b"),
        ("overall: Reply A", "reply_a"),
        ("回复 B", "reply_b"),
        ("回复A", "reply_a"),
        ("答案：B", "reply_b"),
        ("平手", "tie"),
        ("A reply that listens is what counts here.", Outcome.NO_ANSWER),
        ("Reply A or Reply B, I cannot decide.", Outcome.AMBIGUOUS),
    ],
)
def test_a_plain_preference_is_read_and_an_article_is_no_letter(text, read):
    exchange = {"text": text, "finish": "stop", "refusal": False}
    found = interview(overall=True, as_json=False).conclude([exchange])["overall"]
    assert (found.reason if isinstance(found, Unreadable) else found.label) == read


def of_both(**asked):
    rubric = asked_of_pairs(RUBRIC, overall=False, ties=True, values=True)
    return Comparing(rubric=rubric, template=built_in(subject=PromptSubject.PAIR, **asked))


@pytest.mark.pure
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_of_both_replies_a_value_is_asked_for_on_each_scale(language):
    asked = of_both(language=language)
    (questions,) = asked.requests()
    assert [one.key for one in questions[:2]] == ["empathy_a", "empathy_b"]
    assert len(questions) == 2 * len(RUBRIC.asked)
    told = asked.first_prompt(item_text()).messages[0]["content"]
    for reply in ("A", "B"):
        name = {"en": f"of reply {reply}", "zh-hans": f"回复 {reply} 的"}[language]
        assert told.count(name) >= len(RUBRIC.asked)
    one_by_one = of_both(manner=AskingManner.EACH, language=language)
    assert [len(request) for request in one_by_one.requests()] == [2] * len(RUBRIC.asked)


@pytest.mark.pure
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("empathy_a: 1\nempathy_b: 0", PairFound(preferred="first", first=1, second=0)),
        ("empathy_a: 0; empathy_b: 1", PairFound(preferred="second", first=0, second=1)),
        (
            "Empathy and collaboration of reply A: 1\nEmpathy and collaboration of reply B: 1",
            PairFound(preferred="tie", first=1, second=1),
        ),
        ("回复 A 的共情与合作：0\n回复 B 的共情与合作：1",
         PairFound(preferred="second", first=0, second=1)),
        ('{"empathy_a": {"reasoning": "B waits.", "answer": 0}, "empathy_b": {"answer": 1}}',
         PairFound(preferred="second", first=0, second=1)),
        # Of one of them alone nobody knows whether it is the higher one.
        ("empathy_a: 1", Unreadable(reason=Outcome.NO_ANSWER)),
        ("empathy_a: 1\nempathy_b: 7", Unreadable(reason=Outcome.OUT_OF_RANGE)),
        ("empathy_a: 1 or 0\nempathy_b: 0", Unreadable(reason=Outcome.AMBIGUOUS)),
        ("empathy: 1", Unreadable(reason=Outcome.NO_ANSWER)),
        ("", Unreadable(reason=Outcome.EMPTY)),
    ],
)  # fmt: skip
def test_the_higher_of_both_values_is_preferred_or_there_is_a_true_reason(text, found):
    exchange = {"text": text, "finish": "stop", "refusal": False}
    assert of_both(as_json=False).found_in([exchange])["empathy"] == found


@pytest.mark.django_db
def test_values_of_both_replies_are_kept_beside_the_preference_and_are_no_ratings(
    compare, scripted, ada, as_user
):
    def as_the_first(body, _number):
        """The kind reply has a 1 everywhere, the others only where they stand first."""
        form = asked_for(body)
        parts = re.split(r"=== .+ [0-9a-f]{12} ===\n", body["messages"][-1]["content"])
        values = {"a": 1, "b": int("Kind" in parts[3])}
        return json.dumps({key: {"reasoning": "…", "answer": values[key[-1]]} for key in form})

    scripted.answer = as_the_first
    run = compare(values=True)

    assert set(run.calls.values_list("outcome", flat=True)) == {"rated"}
    assert not Submission.objects.exists()
    scores = Preference.objects.values_list("preferred", "first_score", "second_score")
    assert set(scores) == {("first", 1, 0), ("tie", 1, 1)}
    place, *_others = showing.status_of(run, at=timezone.now()).places
    # Of twelve pairs in both orders each curt or long reply has a point more as the first.
    assert place.shift == pytest.approx(16 / 24)
    assert (place.higher_as_first.value, place.higher_as_first.of) == (1.0, 16)
    page = as_user(ada).get(f"/studies/meadow/judges/{run.pk}/").text
    assert set(table_in(page, "pairs_values").column("Points more as the first")) == {"+0.67"}
    assert len(assert_the_same(as_user(ada), f"/studies/meadow/judges/{run.pk}/")) == 3
    call = as_user(ada).get(f"/studies/meadow/judges/{run.pk}/calls/{run.calls.first().pk}/").text
    assert "(1 and " in call


@pytest.mark.pure
def test_a_tie_is_no_answer_where_none_is_allowed():
    exchange = {"text": '{"overall": {"answer": "tie"}}', "finish": "stop", "refusal": False}
    without = interview(overall=True, ties=False)
    assert isinstance(without.conclude([exchange])["overall"], Unreadable)
    assert "tie" not in without.first_prompt(item_text()).messages[1]["content"]


@pytest.mark.pure
@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize("manner", [AskingManner.FLAT, AskingManner.EACH])
def test_the_stand_in_compares_however_it_is_asked(manner, as_json, language):
    asked = interview(manner=manner, as_json=as_json, language=language)
    exchanges = []
    while prompt := asked.next_prompt(item_text(), exchanges):
        system, user = (message["content"] for message in prompt.messages)
        text = standin.answer_to(system, user)
        exchanges.append({"text": text, "finish": "stop", "refusal": False})
    assert len(exchanges) == (1 if manner is AskingManner.FLAT else len(RUBRIC.asked))
    found = asked.conclude(exchanges)
    assert set(found) == {one.key for one in RUBRIC.asked}
    assert not any(isinstance(one, Unreadable) for one in found.values())


@pytest.mark.pure
def test_two_replies_stand_in_a_prompt_under_letters():
    (system, user) = interview().first_prompt(item_text()).messages
    parts = re.split(r"=== (.+) [0-9a-f]{12} ===\n", user["content"])
    assert parts[1::2][:3] == ["DIALOGUE", "REPLY A", "REPLY B"]
    assert "Kind words." in parts[4]
    assert "Curt words." in parts[6]
    assert "drawn by lot" in system["content"]


@pytest.mark.django_db
def test_each_pair_is_asked_about_in_both_orders(compare, scripted):
    scripted.answer = by_kindness
    run = compare()
    assert run.state == "finished"
    assert run.comparison.n_pairs == 12
    calls = JudgeCall.objects.filter(run=run).values_list("item", "second")
    assert len(calls) == 24
    assert {(second, first) for first, second in calls} == set(calls)
    kind = Preference.objects.filter(call__run=run, criterion_key=RUBRIC.asked[0].key)
    stood = Counter(
        (one.call.item.generator, one.call.second.generator, one.preferred)
        for one in kind.select_related("call__item", "call__second")
    )
    assert stood["kind", "curt", "first"] == stood["curt", "kind", "second"] == 4
    assert stood["long", "curt", "tie"] == 4


@pytest.mark.django_db
def test_which_reply_stands_first_is_drawn_by_the_seed(compare, scripted):
    scripted.answer = by_kindness
    once = compare(both_orders=False)
    again = compare(both_orders=False)
    orders = [
        list(run.calls.order_by("position").values_list("item", "second")) for run in (once, again)
    ]
    assert orders[0] == orders[1]
    firsts = Counter(once.calls.values_list("item__generator", flat=True))
    assert len(firsts) == 3, "whoever is listed first does not stand first each time"


@pytest.mark.django_db
def test_a_judge_that_compares_has_rated_nothing(compare, scripted, meadow):
    scripted.answer = by_kindness
    run = compare()
    assert not Submission.objects.filter(study=meadow).exists()
    assert run.judge.prompt_edition == EDITION
    again = runs.start(
        study=meadow,
        judge=Settings(llm="echo", base_url=scripted.base_url),
        repeats=1,
        concurrency=1,
        by=None,
        at=timezone.now(),
    )
    assert again.judge != run.judge


@pytest.mark.django_db
def test_pairs_can_be_those_with_one_generator_or_a_few_by_lot(compare, scripted):
    scripted.answer = by_kindness
    against = compare(reference="kind", both_orders=False)
    assert against.comparison.n_pairs == 8
    assert all(
        "kind" in (call.item.generator, call.second.generator) for call in against.calls.all()
    )
    assert compare(most=5, both_orders=False).calls.count() == 5


@pytest.mark.django_db
def test_the_source_of_a_reply_is_never_sent(compare, scripted, meadow):
    Item.objects.filter(study=meadow, generator="kind").update(generator="gpt-secret")
    scripted.answer = by_kindness
    compare()
    assert not any("gpt-secret" in text for text in scripted.texts())


@pytest.mark.django_db
def test_what_cannot_be_read_is_unscored_with_its_reason(compare, scripted):
    scripted.answer = lambda body, number: "Both have their merits."
    run = compare(both_orders=False)
    assert set(run.calls.values_list("outcome", flat=True)) == {Outcome.SCHEMA_INVALID}
    stored = Preference.objects.filter(call__run=run)
    assert stored.count() == 12 * len(RUBRIC.asked)
    assert set(stored.values_list("preferred", "unscored")) == {("", "schema_invalid")}


@pytest.mark.django_db
def test_only_what_the_endpoint_failed_at_is_asked_again(compare, scripted, fast_clock):
    scripted.answer = lambda body, number: (
        failing(400, "bad") if number == 3 else by_kindness(body, number)
    )
    run = compare()
    failed = list(engine.failed_calls(run))
    assert len(failed) == 1
    scripted.answer = by_kindness
    again = runs.retry_failed(run_id=run.pk, by=None, at=timezone.now())
    work_until_it_rests(again, fast_clock)
    (call,) = again.calls.all()
    assert (call.item, call.second) == (failed[0].item, failed[0].second)
    assert call.preferences.exclude(preferred="").count() == len(RUBRIC.asked)
    assert again.comparison == run.comparison


@pytest.mark.django_db
def test_a_limit_holds_for_comparisons_too(compare, scripted):
    scripted.answer = by_kindness
    run = compare(limit=Limit(requests=5))
    assert (run.state, run.pause_reason) == ("paused", "limit_reached")
    assert len(scripted.requests) == 5


@pytest.mark.django_db
def test_the_rules_of_the_data_set_hold_for_comparisons(compare, scripted, meadow):
    DataSet.objects.filter(studies=meadow).update(provider_policy=ProviderPolicy.NONE)
    with pytest.raises(CannotRun):
        compare()
    assert not JudgeRun.objects.exists()
    assert not scripted.requests


@pytest.mark.django_db
def test_replies_that_are_set_aside_are_not_compared(compare, scripted, meadow, ada):
    scripted.answer = by_kindness
    for item in Item.objects.filter(study=meadow, generator="kind"):
        quarantine.quarantine(
            study_id=meadow.pk, item_key=item.key, reason="cut off", by=ada, at=timezone.now()
        )
    assert compare(both_orders=False).comparison.n_pairs == 4


@pytest.mark.django_db
def test_a_rubric_of_labels_is_compared_on_the_whole(ada, compare, scripted):
    study = study_with(
        rubric="dialogue_safety", key="labels", team={ada: [TeamRole.COORDINATOR]}, n_items=2
    )
    replies_to(study, 2)
    with pytest.raises(CannotRun, match="on the whole"):
        compare(study=study)
    scripted.answer = by_kindness
    run = compare(study=study, overall=True)
    assert set(Preference.objects.values_list("criterion_key", flat=True)) == {"overall"}
    assert run.calls.count() == 12


@pytest.mark.django_db
def test_one_source_leaves_nothing_to_compare(compare, meadow):
    Item.objects.filter(study=meadow).update(generator="kind")
    with pytest.raises(CannotRun, match="different sources"):
        compare()


@pytest.mark.django_db
def test_a_prompt_of_the_study_may_compare_and_then_rates_nothing(compare, scripted, meadow):
    scripted.answer = by_kindness
    text = """
    subject = "pair"
    system = "Compare both for {{title}}.\\n\\n{{criteria}}"
    user = "{{item}}\\n\\n{{answer_form}}"
    """
    own = templates.write(
        study=meadow, name="pairs", text=text, note="", by=None, at=timezone.now()
    )
    run = compare(judge={"template": own.pk})
    assert scripted.requests[0]["messages"][0]["content"].startswith("Compare both for")
    assert run.judge.template == own
    with pytest.raises(CannotRun, match="compares two replies"):
        runs.start(
            study=meadow,
            judge=Settings(llm="echo", base_url=scripted.base_url, template=own.pk),
            repeats=1,
            concurrency=1,
            by=None,
            at=timezone.now(),
        )


@pytest.mark.django_db
def test_a_prompt_about_two_replies_must_have_both_in_it(meadow):
    text = 'subject = "pair"\nsystem = "Compare."\nuser = "{{dialogue}} {{reply_a}}"'
    with pytest.raises(templates.CannotWrite, match="both replies"):
        templates.write(study=meadow, name="half", text=text, note="", by=None, at=timezone.now())


@pytest.mark.django_db(transaction=True)
def test_the_command_compares_and_says_how_many_calls(meadow, scripted, capsys):
    scripted.answer = by_kindness
    asked = ("judge", "start", "meadow", "--llm", "echo", "--pairs", "--against", "kind")
    call_command(*asked, "--one-order", "--pairs-seed", "frogs", "--inline")
    assert "8 calls" in capsys.readouterr().out
    run = JudgeRun.objects.get()
    assert (run.comparison.reference, run.comparison.seed) == ("kind", "frogs")
    assert showing.outcomes_of(run) == [(Outcome.RATED, 8)]
    with pytest.raises(CommandError, match="--pairs"):
        call_command("judge", "start", "meadow", "--llm", "echo", "--against", "kind")


@pytest.mark.pure
def test_a_comparison_is_an_interview():
    """The engine knows no other way to ask a judge."""
    assert isinstance(interview(), Interview)
