"""The work that happens later, by name."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from zlib import crc32

from celery import current_app
from django.core.cache import cache
from django.db import transaction
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from annotation.queue import report_mark, watch_mark

log = logging.getLogger(__name__)

OF_FIGURES = "live"
_LOOKS_FOR = 30  # seconds that a reader is taken to look on
_FAILED_FOR = 10  # seconds
_AFTER_OTHERS = 9  # a priority, of which 0 is the first
LONG = 60.0  # seconds of making a part, in which the figures of every other study wait
_KNOWN_FOR = 24 * 3600  # seconds after which a part that took long is tried among the others again


class TakesLong(Exception):
    """A part is not to be made where the figures of every other study wait for it."""


def want_part(*, study_id: int, part: str) -> None:
    """Have a part of a study's figures brought up to date, once for many readers, and again with
    each change while they look.

    The task clears the mark before it reads, so a change during its work queues the next one.
    """
    look_on(study_id=study_id)
    have_part(study_id=study_id, part=part)


def look_on(*, study_id: int) -> None:
    """Have figures brought up to date with each change for a while: somebody looks."""
    with suppress(RedisError):
        cache.set(watch_mark(study_id), 1, timeout=_LOOKS_FOR)


def is_looked_at(*, study_id: int) -> bool:
    """Whether figures are brought up to date with each change."""
    with suppress(RedisError):
        return bool(cache.get(watch_mark(study_id)))
    return False


def have_part(*, study_id: int, part: str) -> None:
    """Have a part of a study's figures brought up to date once, whoever looks."""
    try:
        if cache.add(report_mark(study_id, part), 1, timeout=30):
            current_app.signature(
                "analytics.tasks.refresh_report", kwargs={"study_id": study_id, "part": part}
            ).apply_async()
    except (RedisError, OperationalError):
        log.warning("Part %s of study %s could not be queued: Redis is away.", part, study_id)


def forget_part(*, study_id: int, part: str) -> None:
    """A change from now on queues the next report."""
    try:
        cache.delete(report_mark(study_id, part))
    except RedisError:
        return


@contextmanager
def seldom_where_it_fails(*, study_id: int, part: str, within: str = "") -> Iterator[None]:
    """Around making a part, or a slice of it: where that fails, nobody has it made again for a
    while, though the page that waits asks each second."""
    try:
        yield
    except TakesLong:
        raise
    except Exception:
        mark = _slice_mark(study_id, part, within) if within else report_mark(study_id, part)
        with suppress(RedisError):
            cache.set(mark, 1, timeout=_FAILED_FOR)
        raise


@contextmanager
def noting_how_long(*, study_id: int, part: str) -> Iterator[None]:
    """Around making a part: when that was begun is forgotten where it was soon done, and stays where
    it took long, or where the process was ended by force before it was done."""
    mark, began = _begun_mark(study_id, part), time.monotonic()
    with suppress(RedisError):
        cache.add(mark, time.time(), timeout=_KNOWN_FOR)
    try:
        yield
    finally:
        if time.monotonic() - began < LONG:
            with suppress(RedisError):
                cache.delete(mark)


def until_it_takes_long() -> Callable[[], None]:
    """What is asked now and then while a part is made: TakesLong once that has gone on for long."""
    end = time.monotonic() + LONG

    def ask() -> None:
        if time.monotonic() >= end:
            raise TakesLong

    return ask


def takes_long(*, study_id: int, part: str) -> bool:
    """Whether the part is to be made where figures of other studies do not wait for it."""
    with suppress(RedisError):
        began = cache.get(_begun_mark(study_id, part))
        return began is not None and time.time() - began >= LONG
    return False


def have_at_length(*, study_id: int, part: str, within: str = "") -> None:
    """Have a part, or a slice of it, made among files, once until it is begun there, and after what
    somebody waits for who brings a file or takes one."""
    try:
        if cache.add(_at_length_mark(study_id, part, within), 1, timeout=_KNOWN_FOR):
            current_app.signature(
                "analytics.tasks.refresh_at_length",
                kwargs={"study_id": study_id, "part": part, "within": within},
            ).apply_async(priority=_AFTER_OTHERS)
    except (RedisError, OperationalError):
        log.warning("Part %s of study %s could not be queued: Redis is away.", part, study_id)


def begun_at_length(*, study_id: int, part: str, within: str = "") -> None:
    """Whoever asks from now on has it made once more."""
    with suppress(RedisError):
        cache.delete(_at_length_mark(study_id, part, within))


def want_slice(*, study_id: int, part: str, within: str) -> None:
    """Have the figures of a slice computed, once for all who wait for them."""
    try:
        if cache.add(_slice_mark(study_id, part, within), 1, timeout=30):
            current_app.signature(
                "analytics.tasks.refresh_slice",
                kwargs={"study_id": study_id, "part": part, "within": within},
            ).apply_async()
    except (RedisError, OperationalError):
        log.warning("A slice of study %s could not be queued: Redis is away.", study_id)


def forget_slice(*, study_id: int, part: str, within: str) -> None:
    """Whoever asks from now on queues the slice again."""
    try:
        cache.delete(_slice_mark(study_id, part, within))
    except RedisError:
        return


def _slice_mark(study_id: int, part: str, within: str) -> str:
    return f"slice-wanted:{study_id}:{part}:{crc32(within.encode())}"


def _begun_mark(study_id: int, part: str) -> str:
    return f"report-begun:{study_id}:{part}"


def _at_length_mark(study_id: int, part: str, within: str) -> str:
    return f"report-at-length:{study_id}:{part}:{crc32(within.encode())}"


def tell_of_sentinels(*, check_id: int) -> None:
    """After the commit, have those told outside who look after judges."""
    transaction.on_commit(lambda: _tell_of_sentinels(check_id))


def _tell_of_sentinels(check_id: int) -> None:
    try:
        current_app.signature(
            "analytics.tasks.tell_of_sentinels", kwargs={"check_id": check_id}
        ).apply_async()
    except (RedisError, OperationalError):
        log.warning("Nobody is told of sentinel check %s: Redis is away.", check_id)
