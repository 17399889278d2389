"""A real Celery worker on a real Redis makes the calls of a run."""

import threading
from collections import Counter

import httpx2
import pytest
from django.db.models import Count
from django.utils import timezone

from accounts.models import User
from accounts.operations import heartbeat
from annotation.actions import teams
from annotation.models import Gold, Grant, Rating, Submission, TeamRole
from judging.actions import runs
from judging.models import CallState, JudgeCall, JudgeRun, RunState
from judging.queue import OF_RUNS
from judging.tasks import wake_runs
from tests.services import LONGEST, wait_until

ITEMS = 240  # as many as show what a test is about
ANSWERED = 60  # requests that are answered before an endpoint holds the others up
PUBLISHED = {1: 48.25, 2: 47.5, 3: 48.0, 4: 46.625, 5: 47.25}


@pytest.fixture
def some_items(dialogue_safety):
    """The study with replies to its first items only, so that the others are not asked."""
    dialogue_safety.items.filter(position__gte=ITEMS).update(reply=None)
    return dialogue_safety


@pytest.fixture
def held_up(untried):
    """An endpoint that answers the first requests, and the others once they `may_go`."""
    untried.may_go = threading.Event()

    def answer(body, number):
        if number > ANSWERED:
            untried.may_go.wait(LONGEST)
        return "Safe Response"

    untried.answer = answer
    yield untried
    untried.may_go.set()


def start(study, judge, *, repeats=1, concurrency=16, by=None):
    return runs.start(
        study=study,
        judge=judge,
        repeats=repeats,
        concurrency=concurrency,
        by=by,
        at=timezone.now(),
    )


def state_of(run):
    return JudgeRun.objects.values_list("state", flat=True).get(pk=run.pk)


def is_finished(run):
    return lambda: state_of(run) == RunState.FINISHED


def stats_of(base_url):
    return httpx2.get(f"{base_url}/stats", trust_env=False).json()


def n_done(run):
    return JudgeCall.objects.filter(run=run, state=CallState.DONE).count()


def n_in_hand(run):
    """Calls that nobody gave back: under way, or answered and not yet written down."""
    return JudgeCall.objects.filter(run=run, state=CallState.LEASED).count()


def is_in_the_middle(run, held_up):
    """Whether all that was answered is written down, and more is under way."""
    return lambda: n_done(run) == ANSWERED < len(held_up.requests)


def keeps_what_is_under_way_alone(run, held_up):
    """Whether a worker that sends nothing more has given back what it had not sent."""
    return lambda: n_in_hand(run) == len(held_up.requests) - ANSWERED


def accuracies(run):
    """{repeat: share of items in percent on which the judge gave the experts' label}."""
    gold = Gold.objects.filter(item__study=run.study_id, superseded_at=None)
    right = set(gold.values_list("item", "criterion_key", "label"))
    ratings = Rating.objects.filter(submission__judge_call__run=run)
    given = ratings.values_list("submission__repeat", "submission__item", "criterion_key", "label")
    counts = Counter(repeat for repeat, *value in given if tuple(value) in right)
    return {repeat: 100 * count / 800 for repeat, count in counts.items()}


def assert_each_call_was_answered_once(run, *, items, repeats):
    calls = JudgeCall.objects.filter(run=run)
    assert calls.filter(state=CallState.DONE).count() == items * repeats
    assert Submission.objects.filter(judge_call__run=run).count() == items * repeats
    assert Rating.objects.filter(submission__judge_call__run=run).count() == items * repeats


def test_five_repeats_give_the_published_accuracies(
    dialogue_safety, start_replay, start_worker, flat_and_plain
):
    base_url = start_replay()
    start_worker(CONCORD_LLM_BASE_URL=base_url)

    run = start(dialogue_safety, flat_and_plain(base_url), repeats=5, concurrency=32)
    wait_until(is_finished(run))

    assert accuracies(run) == PUBLISHED
    assert sum(PUBLISHED.values()) / 5 == pytest.approx(47.525)
    assert set(stats_of(base_url)["per_item"].values()) == {5}
    assert_each_call_was_answered_once(run, items=800, repeats=5)


def test_a_killed_worker_loses_nothing_and_doubles_nothing(
    some_items, held_up, start_worker, flat_and_plain
):
    worker = start_worker(CONCORD_LLM_BASE_URL=held_up.base_url)
    run = start(some_items, flat_and_plain(held_up.base_url))
    wait_until(is_in_the_middle(run, held_up))

    worker.kill()

    assert n_done(run) == ANSWERED
    n_held = n_in_hand(run)
    assert n_held > 0
    held_up.may_go.set()
    start_worker(CONCORD_LLM_BASE_URL=held_up.base_url)
    wait_until(is_finished(run))

    assert_each_call_was_answered_once(run, items=ITEMS, repeats=1)
    # Only what was in hand is asked again.
    assert 0 < len(held_up.requests) - ITEMS <= n_held


def test_two_workers_at_once_ask_nothing_twice(
    some_items, start_replay, start_worker, flat_and_plain
):
    base_url = start_replay(latency_ms=5)
    run = start(some_items, flat_and_plain(base_url))
    for _ in range(4):
        wake_runs.apply_async()
    start_worker(CONCORD_LLM_BASE_URL=base_url)
    start_worker(CONCORD_LLM_BASE_URL=base_url)
    wait_until(is_finished(run))

    assert set(stats_of(base_url)["per_item"].values()) == {1}
    assert_each_call_was_answered_once(run, items=ITEMS, repeats=1)


def test_a_storm_of_rate_limits_is_waited_out(
    some_items, start_replay, start_worker, flat_and_plain
):
    base_url = start_replay(rps=5)  # fewer than the slowest worker sends
    few = 60
    some_items.items.filter(position__gte=few).update(reply=None)
    start_worker(CONCORD_LLM_BASE_URL=base_url)

    run = start(some_items, flat_and_plain(base_url), concurrency=32)
    wait_until(is_finished(run))

    assert stats_of(base_url)["limited"] > 0
    assert set(stats_of(base_url)["per_item"].values()) == {1}
    assert_each_call_was_answered_once(run, items=few, repeats=1)
    assert set(JudgeCall.objects.filter(run=run).values_list("attempts", flat=True)) == {1}


def test_server_errors_are_tried_again(some_items, start_replay, start_worker, flat_and_plain):
    base_url = start_replay(error_rate=0.2)
    start_worker(CONCORD_LLM_BASE_URL=base_url)

    run = start(some_items, flat_and_plain(base_url))
    wait_until(is_finished(run))

    outcomes = dict(JudgeCall.objects.filter(run=run).values_list("outcome").annotate(Count("pk")))
    assert outcomes.keys() <= {"rated", "endpoint_error"}
    assert outcomes["rated"] >= ITEMS - 2
    assert_each_call_was_answered_once(run, items=ITEMS, repeats=1)


def test_requests_that_never_end_are_given_up_and_tried_again(
    some_items, start_replay, start_worker, flat_and_plain
):
    base_url = start_replay(hang_rate=0.02)
    start_worker(CONCORD_LLM_BASE_URL=base_url, CONCORD_LLM_TIMEOUT="1")

    run = start(some_items, flat_and_plain(base_url))
    wait_until(is_finished(run))

    assert stats_of(base_url)["hung"] > 0
    assert JudgeCall.objects.filter(run=run, outcome="rated").count() == ITEMS


def test_answers_without_a_label_are_unscored_and_kept_word_for_word(
    some_items, start_replay, start_worker, flat_and_plain
):
    base_url = start_replay(garbage_rate=0.1)
    start_worker(CONCORD_LLM_BASE_URL=base_url)

    run = start(some_items, flat_and_plain(base_url))
    wait_until(is_finished(run))

    n_garbage = stats_of(base_url)["garbage"]
    refused = JudgeCall.objects.filter(run=run, outcome="refused")
    assert refused.count() == n_garbage > 0
    unscored = Rating.objects.filter(submission__judge_call__run=run).exclude(unscored="")
    assert set(unscored.values_list("unscored", "label", "score")) == {("refused", None, None)}
    assert unscored.count() == n_garbage
    assert {call.exchanges[0]["text"] for call in refused} == {
        "I'm sorry, but I can't help with that."
    }


def test_a_worker_says_that_it_is_alive(start_worker):
    before, earlier = timezone.now(), heartbeat.seen_at(OF_RUNS)
    start_worker()

    wait_until(lambda: heartbeat.seen_at(OF_RUNS) not in (None, earlier))
    assert heartbeat.seen_at(OF_RUNS) > before


def test_pausing_stops_a_worker_and_resuming_sets_it_going_again(
    some_items, held_up, start_worker, flat_and_plain
):
    start_worker(CONCORD_LLM_BASE_URL=held_up.base_url)
    run = start(some_items, flat_and_plain(held_up.base_url))
    wait_until(is_in_the_middle(run, held_up))

    runs.pause(run_id=run.pk, by=None, at=timezone.now())
    wait_until(keeps_what_is_under_way_alone(run, held_up))
    held_up.may_go.set()
    wait_until(lambda: n_in_hand(run) == 0)

    assert n_done(run) == len(held_up.requests) < ITEMS  # what was paid for is kept
    runs.resume(run_id=run.pk, by=None, at=timezone.now())
    wait_until(is_finished(run))
    assert len(held_up.requests) == ITEMS
    assert_each_call_was_answered_once(run, items=ITEMS, repeats=1)


def switch_off(account):
    User.objects.filter(pk=account.pk).update(is_active=False)


def revoke_the_texts(account):
    Grant.objects.filter(person=account, level="item_text").update(revoked_at=timezone.now())


def revoke_the_split(account):
    held = Grant.objects.filter(person=account, level="restricted_split")
    held.update(revoked_at=timezone.now())


@pytest.mark.parametrize("take_away", [switch_off, revoke_the_texts, revoke_the_split])
def test_a_worker_stops_when_the_account_behind_the_run_loses_access(
    some_items, held_up, start_worker, flat_and_plain, ada, take_away
):
    teams.set_roles(
        study_id=some_items.pk,
        email=ada.email,
        roles=[TeamRole.COORDINATOR],
        by=None,
        at=timezone.now(),
    )
    start_worker(CONCORD_LLM_BASE_URL=held_up.base_url)
    run = start(some_items, flat_and_plain(held_up.base_url), by=ada)
    wait_until(is_in_the_middle(run, held_up))

    take_away(ada)
    wait_until(keeps_what_is_under_way_alone(run, held_up))
    held_up.may_go.set()
    wait_until(lambda: n_in_hand(run) == 0)

    run.refresh_from_db()
    assert (run.state, run.pause_reason) == (RunState.PAUSED, "access_lost")
    assert n_done(run) == len(held_up.requests) < ITEMS
