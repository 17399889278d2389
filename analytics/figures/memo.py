"""What a process has computed is not computed again while the ratings behind it are the same.

A change of one rating leaves most comparisons as they were. Results are kept by the content of the
arrays that they were computed from: a process that starts anew is slower at first, never wrong.

Some take so long that while ratings come in quickly they are brought up to date by turns, and the
others stand a little longer as they were, which whoever asks for them is told.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

MOST = 6_144  # 20 kB each; four views of Safety with 12 judges have 4,728
T = TypeVar("T")

Key = tuple[Hashable, ...]
Place = tuple[Hashable, ...]  # of which report, and which of its figures

_known: OrderedDict[Key, Any] = OrderedDict()
_lock = Lock()


class _Newest(NamedTuple):
    """What stands in a place: from which arrays, when it was that last, and how long it took."""

    key: Key
    value: Any
    at: float
    took: float


@dataclass(slots=True)
class Turns:
    """Of which report figures are computed, whose turn it is, and where an earlier one was left."""

    report: Place
    due: frozenset[Place]
    left: set[Place] = field(default_factory=set)


_newest: OrderedDict[Place, _Newest] = OrderedDict()
_owed: dict[Place, float] = {}  # seconds that turns took beyond what they had
_turns: ContextVar[Turns | None] = ContextVar("turns", default=None)
_before_each: ContextVar[Callable[[], object]] = ContextVar("before_each", default=bool)


def remembered(
    compute: Callable[..., T], *arrays: npt.NDArray[Any] | None, **options: Hashable
) -> T:
    """compute(*arrays, **options), a pure function whose result nobody changes."""
    return _remembered(_key(compute, arrays, options), compute, arrays, options)


def remembered_each(
    compute: Callable[..., Sequence[T]],
    each: Sequence[npt.NDArray[Any]],
    *shared: npt.NDArray[Any] | None,
    **options: Hashable,
) -> list[T]:
    """compute(each, *shared, **options), which gives a result for each of several arrays, the same
    whichever others it has beside it: those that are not known are computed together."""
    of_all = _key(compute, shared, options)
    keys = [(*of_all, _content(one)) for one in each]
    with _lock:
        found: dict[Key, T] = {key: _known[key] for key in keys if key in _known}
    missing = {key: one for key, one in zip(keys, each, strict=True) if key not in found}
    if missing:
        _before_each.get()()
        made = compute([*missing.values()], *shared, **options)
        found |= dict(zip(missing, made, strict=True))
    for key in keys:
        _keep(key, found[key])
    return [found[key] for key in keys]


@contextmanager
def asking(before_each: Callable[[], object]) -> Iterator[None]:
    """Call this before each result that is computed: it ends the work, which takes minutes for some
    parts, by raising."""
    token = _before_each.set(before_each)
    try:
        yield
    finally:
        _before_each.reset(token)


@contextmanager
def by_turns(*report: Hashable, seconds: float) -> Iterator[Turns]:
    """Compute of what the report has `remembered_by_turns` so much as takes so many seconds on
    average: what has waited longest. One that takes longer has the next turns do without. The rest
    is left as it was, once it was computed."""
    with _lock:
        waiting = [
            (one.at, place, one.took) for place, one in _newest.items() if place[0] == report
        ]
        seconds -= _owed.get(report, 0.0)
        due: set[Place] = set()
        for _at, place, took in sorted(waiting, key=lambda one: one[0]):
            if seconds <= 0:
                break
            seconds -= took
            due.add(place)
        _owed[report] = max(-seconds, 0.0)
    turns = Turns(report, frozenset(due))
    token = _turns.set(turns)
    try:
        yield turns
    finally:
        _turns.reset(token)


def remembered_by_turns(
    place: Place,
    compute: Callable[..., T],
    *arrays: npt.NDArray[Any] | None,
    **options: Hashable,
) -> tuple[T, bool]:
    """As `remembered`, and whether it is what was computed for this place from earlier arrays. A
    report has each place once."""
    key, turns = _key(compute, arrays, options), _turns.get()
    if turns is None:
        return _remembered(key, compute, arrays, options), False
    place = (turns.report, *place)
    with _lock:
        before = _newest.get(place)
    if before and before.key != key and place not in turns.due:
        turns.left.add(place)
        return before.value, True
    began = time.perf_counter()
    made = _remembered(key, compute, arrays, options)
    took = time.perf_counter() - began
    if before and before.key == key:
        took = before.took
    with _lock:
        _newest[place] = _Newest(key, made, began, took)
        _newest.move_to_end(place)
        if len(_newest) > MOST:
            _newest.popitem(last=False)
    return made, False


def _remembered(
    key: Key, compute: Callable[..., T], arrays: tuple[Any, ...], options: dict[str, Hashable]
) -> T:
    with _lock:
        if key in _known:
            _known.move_to_end(key)
            found: T = _known[key]
            return found
    _before_each.get()()
    made = compute(*arrays, **options)
    _keep(key, made)
    return made


def _keep(key: Key, value: Any) -> None:
    with _lock:
        _known[key] = value
        _known.move_to_end(key)
        if len(_known) > MOST:
            _known.popitem(last=False)


def _key(compute: Callable[..., Any], arrays: tuple[Any, ...], options: dict[str, Hashable]) -> Key:
    return (compute, *map(_content, arrays), *sorted(options.items()))


def _content(array: npt.NDArray[Any] | None) -> Hashable:
    if array is None:
        return None
    whole = np.ascontiguousarray(array)
    return whole.shape, str(whole.dtype), blake2b(whole.data, digest_size=16).digest()
