"""The limit that workers and runs share: a real Redis, and an endpoint that counts."""

import asyncio
from collections import Counter
from uuid import uuid4

import pytest

from config import environment
from judging.providers.faults import Withdrawn
from judging.providers.gate import Ended, Gate, SharedLimit
from judging.rules.pace import Pace
from tests.services import LONGEST

LEASE = 20.0


@pytest.fixture
def place(monkeypatch):
    """A place in Redis that no other test uses; a busy machine may answer late."""
    patient = dict.fromkeys(environment.PATIENCE_WITH_REDIS, 60.0)
    monkeypatch.setattr(environment, "PATIENCE_WITH_REDIS", patient)
    return f"http://{uuid4().hex}/v1"


def gate(place, run="1", *, most=0, redis_url=None, lease=LEASE):
    shared = SharedLimit(
        redis_url=redis_url or environment.redis("REDIS_URL"),
        base_url=place,
        llm="echo",
        run=run,
        most=most,
        lease=lease,
    )
    return Gate(shared, pace=Pace(ceiling=8))


def played(story):
    """What comes of a story, which has an end."""
    return asyncio.run(asyncio.wait_for(story(), LONGEST))


async def within(seconds, coming):
    """What has come of it within so many seconds; None where nothing has."""
    done, _waiting = await asyncio.wait([coming], timeout=seconds)
    return next(iter(done)).result() if done else None


async def until(is_so):
    while not is_so():
        await asyncio.sleep(0.02)


async def entered(*gates, wanted=40):
    """The permits that come of those wanted of each gate: a trade gives all that there are."""
    waiting = [asyncio.create_task(one.enter()) for one in gates for _number in range(wanted)]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.sleep(0.1)
    given = [task.result() for task in waiting if task.done()]
    for task in waiting:
        task.cancel()
    return given


def test_two_workers_together_are_let_in_no_more_than_one_would_be(place):
    async def story():
        one, two = gate(place), gate(place, run="2")
        given = await entered(one, two)
        await asyncio.gather(one.close(), two.close())
        return len(given)

    assert played(story) == 4


def test_answers_let_in_more_until_the_endpoint_has_enough(place):
    async def story():
        one = gate(place)
        for _round in range(12):
            for permit in await entered(one):
                one.leave(permit, Ended.ANSWERED)
        grown = one.limit
        for permit in await entered(one):
            one.leave(permit, Ended.LIMITED, wait=0.05)
        await asyncio.sleep(0.2)
        await entered(one, wanted=1)
        told = (grown, one.limit, one.episodes)
        await one.close()
        return told

    grown, after, episodes = played(story)
    assert grown > 8
    assert after <= grown
    assert episodes == 1


def test_an_error_of_the_endpoint_shrinks_nothing(place):
    async def story():
        one = gate(place)
        for permit in await entered(one):
            one.leave(permit, Ended.FAILED)
        again = await entered(one)
        await one.close()
        return len(again), one.episodes

    assert played(story) == (4, 0)


def test_what_one_worker_is_told_to_wait_all_wait(place):
    async def story():
        one, two = gate(place), gate(place, run="2")
        permit = await one.enter()
        one.leave(permit, Ended.LIMITED, wait=30.0)
        await one.close()
        coming, now = asyncio.create_task(two.enter()), asyncio.get_running_loop().time
        await until(lambda: two.closed_for(now()))
        came = await within(0.3, coming)
        closed = two.closed_for(now())
        await two.close()
        return came, closed

    came, closed = played(story)
    assert came is None
    assert 20 < closed <= 30


def test_a_run_that_comes_later_gets_its_share(place):
    async def story():
        first, second = gate(place, run="first"), gate(place, run="second")
        counts = Counter()

        async def go_on(one, name):
            while True:
                permit = await one.enter()
                counts[name] += 1
                await asyncio.sleep(0.02)
                one.leave(permit, Ended.ANSWERED)

        busy = [asyncio.create_task(go_on(first, "first")) for _number in range(60)]
        await until(lambda: counts["first"] > 100)
        counts.clear()
        busy += [asyncio.create_task(go_on(second, "second")) for _number in range(60)]
        await until(lambda: counts.total() > 400)
        for task in busy:
            task.cancel()
        await asyncio.gather(*busy, return_exceptions=True)
        await asyncio.gather(first.close(), second.close())
        return counts

    counts = played(story)
    assert counts["second"] > counts["first"] / 3


def test_no_more_go_in_than_the_endpoint_is_said_to_take(place):
    async def story():
        one = gate(place, most=2)
        given = await entered(one)
        await one.close()
        return len(given)

    assert played(story) == 2


def test_permits_of_a_worker_that_died_lapse(place):
    async def story():
        dead, other = gate(place, run="dead", lease=0.5), gate(place, run="other")
        lost = await entered(dead, wanted=4)
        came = await other.enter()
        await asyncio.gather(dead.close(), other.close())
        return len(lost), came.sent - lost[0].sent

    lost, milliseconds = played(story)
    assert lost == 4
    assert milliseconds >= 500


def test_who_takes_a_run_over_has_the_permits_of_a_worker_that_died(place):
    async def story():
        dead, heir, other = gate(place), gate(place), gate(place, run="other")
        lost = await entered(dead)
        at_once = await entered(heir)
        besides = await within(0.3, asyncio.create_task(other.enter()))
        await asyncio.gather(dead.close(), heir.close(), other.close())
        return len(lost), len(at_once), besides

    assert played(story) == (4, 4, None)


def test_a_rate_limit_before_any_answer_tells_no_rate(place):
    """Else a run would ask once in five seconds from then on."""

    async def story():
        one = gate(place)
        for permit in await entered(one):
            one.leave(permit, Ended.LIMITED, wait=0.05)
        await asyncio.sleep(0.1)
        for _round in range(12):
            for permit in await entered(one):
                one.leave(permit, Ended.ANSWERED)
        told = (one.episodes, one.rate, one.limit)
        await one.close()
        return told

    episodes, rate, limit = played(story)
    assert (episodes, rate) == (1, 0)
    assert limit > 8


def test_time_in_which_no_worker_was_there_lowers_no_rate(place):
    async def story():
        answers, now = [], asyncio.get_running_loop().time
        for rest in (0.0, 4.0):
            one, began = gate(f"{place}{rest}"), now()
            for _round in range(6):
                for permit in await entered(one):
                    one.leave(permit, Ended.ANSWERED)
            await asyncio.sleep(rest)
            for permit in await entered(one):
                one.leave(permit, Ended.LIMITED, wait=0.05)
            await until(lambda told=one: told.episodes)
            answers.append(one.rate * (now() - began - rest))
            await one.close()
        return answers

    without, after_rest = played(story)
    assert after_rest > 0.8 * without


def test_without_redis_a_worker_keeps_its_own_pace(place):
    async def story():
        alone = gate(place, redis_url="redis://127.0.0.1:1/0")
        given = await entered(alone)
        await alone.close()
        return [permit.sent for permit in given]

    assert played(story) == [None] * 4


def test_what_goes_wrong_while_nobody_waits_is_told_to_who_comes_next(place):
    async def story():
        one = gate(place)
        permit, asks = await one.enter(), one._ask

        async def fails(_want):
            raise ZeroDivisionError

        one._ask = fails
        one.leave(permit, Ended.ANSWERED)
        await asyncio.wait([one._pump])
        with pytest.raises(ZeroDivisionError):
            await one.enter()
        one._ask = asks
        await one.close()

    played(story)


def test_who_waits_is_turned_away_when_the_work_stops(place):
    async def story():
        one = gate(place)
        await entered(one)
        waiting = asyncio.create_task(one.enter())
        await asyncio.sleep(0.05)
        one.turn_away()
        with pytest.raises(Withdrawn):
            await waiting
        await one.close()

    played(story)
