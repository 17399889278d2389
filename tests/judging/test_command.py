"""The command `judge`."""

import json

import pytest
from django.core.management import CommandError, call_command

from judging.models import JudgeRun, RunState
from tests.judging.conftest import failing


def judge(capsys, *words):
    call_command("judge", *words)
    return capsys.readouterr().out


@pytest.mark.django_db(transaction=True)
def test_inline_a_run_is_made_without_a_worker(pond, scripted, capsys):
    out = judge(capsys, "start", "pond", "--llm", "echo", "--plain", "--repeats", "2", "--inline")

    run = JudgeRun.objects.get()
    assert run.state == RunState.FINISHED
    assert "12 calls to echo" in out
    assert "Calls made: 12 of 12" in out


@pytest.mark.django_db(transaction=True)
def test_a_run_that_is_paused_ends_the_command_with_what_to_do(pond, scripted, capsys):
    scripted.answer = lambda body, number: failing(401)

    with pytest.raises(CommandError, match="CONCORD_LLM_API_KEY"):
        judge(capsys, "start", "pond", "--llm", "echo", "--plain", "--inline")

    scripted.answer = lambda body, number: "Safe Response"
    run = JudgeRun.objects.get()
    out = judge(capsys, "resume", str(run.pk), "--inline")
    assert "Calls made: 6 of 6" in out


@pytest.mark.django_db(transaction=True)
def test_a_limit_ends_the_command_and_a_higher_one_lets_it_go_on(pond, scripted, capsys):
    with pytest.raises(CommandError, match="higher limit"):
        judge(
            capsys,
            *["start", "pond", "--llm", "echo", "--plain", "--limit-requests", "4", "--inline"],
        )

    run = JudgeRun.objects.get()
    with pytest.raises(CommandError, match="used 4 requests already"):
        judge(capsys, "resume", str(run.pk), "--inline")
    with pytest.raises(CommandError, match="--limit-requests: Enter a whole number"):
        judge(capsys, "resume", str(run.pk), "--limit-requests", "many")
    out = judge(capsys, "resume", str(run.pk), "--limit-requests", "6", "--inline")
    assert "Used: 6 requests" in out


@pytest.mark.django_db
def test_without_watching_the_command_says_how_to(pond, scripted, capsys):
    out = judge(capsys, "start", "pond", "--llm", "echo")

    assert f"judge watch {JudgeRun.objects.get().pk}" in out


@pytest.mark.django_db
def test_a_run_is_paused_ended_and_shown(pond, scripted, capsys):
    judge(capsys, "start", "pond", "--llm", "echo", "--by", "ada@example.org")
    run = JudgeRun.objects.get()
    number = str(run.pk)

    assert run.started_by.email == "ada@example.org"
    assert "is paused" in judge(capsys, "pause", number)
    with pytest.raises(CommandError, match="is not running"):
        judge(capsys, "pause", number)
    assert "Paused" in judge(capsys, "show", number)
    assert "has ended" in judge(capsys, "end", number)
    shown = json.loads(judge(capsys, "show", number, "--json"))
    assert shown["state"] == "finished"
    assert (shown["calls"], shown["calls_made"]) == (6, 0)


@pytest.mark.django_db
def test_pace_and_limits_are_set_otherwise_as_a_run_goes_on(pond, scripted, capsys):
    """What is not named stays as it was."""
    judge(capsys, "start", "pond", "--llm", "echo", "--limit-requests", "50")
    run = JudgeRun.objects.get()
    number = str(run.pk)

    assert "follows this from now on" in judge(capsys, "retune", number, "--concurrency", "3")
    run.refresh_from_db()
    assert (run.concurrency, run.limit_requests) == (3, 50)
    with pytest.raises(CommandError, match="--concurrency: Ensure this value is less than"):
        judge(capsys, "retune", number, "--concurrency", "9999")
    with pytest.raises(CommandError, match="money"):
        judge(capsys, "retune", number, "--limit-money", "1")
    judge(capsys, "end", number)
    with pytest.raises(CommandError, match=f"Run {number} has ended"):
        judge(capsys, "retune", number, "--concurrency", "2")
    run.refresh_from_db()
    assert (run.concurrency, run.limit_money) == (3, None)


@pytest.mark.django_db(transaction=True)
def test_only_what_the_endpoint_failed_at_is_asked_again(pond, scripted, capsys):
    as_ever = scripted.answer
    scripted.answer = lambda body, number: failing(400) if number > 2 else as_ever(body, number)
    start = ["start", "pond", "--llm", "echo", "--plain", "--concurrency", "1", "--inline"]
    assert "Calls made: 6 of 6" in judge(capsys, *start)
    number = str(JudgeRun.objects.get().pk)
    scripted.answer = as_ever
    out = judge(capsys, "retry", number, "--inline")
    assert "asks 4 calls again" in out
    assert "Calls made: 4 of 4" in out
    again = JudgeRun.objects.latest("pk")
    with pytest.raises(CommandError, match="the endpoint failed at nothing in it"):
        judge(capsys, "retry", str(again.pk))


MISTAKES = [
    (["start", "lake", "--llm", "echo"], "There is no study “lake”. The studies are: pond."),
    (["start", "pond", "--llm", "echo", "--repeats", "x"], "--repeats: Enter a whole number."),
    (["start", "pond", "--llm", "echo", "--manner", "x"], "--manner: Select a valid choice."),
    (["start", "pond", "--llm", "echo", "--round", "5"], "--round: Select a valid choice."),
    (["start", "pond", "--llm", "echo", "--temperature", "9"], "--temperature: Ensure"),
    (["start", "pond", "--llm", "echo", "--by", "x@y.org"], "No account has the email"),
    (["show", "999"], "There is no run 999."),
    (["start", "pond", "--llm", "echo", "--hold-out"], "Nothing is held out in this study"),
    (
        ["start", "pond", "--llm", "echo", "--replaces", "nova"],
        "“nova” has no sentinels in this study.",
    ),
    (
        ["start", "pond", "--llm", "echo", "--prompt", "mine"],
        "--prompt: the study has no prompt mine.",
    ),
    (["watch", "999"], "There is no run 999."),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("words", "sentence"), MISTAKES)
def test_a_mistake_is_named_and_nothing_is_started(pond, scripted, capsys, words, sentence):
    with pytest.raises(CommandError) as mistake:
        judge(capsys, *words)

    assert sentence in str(mistake.value)
    assert not JudgeRun.objects.exists()
