"""Figures of slices: made by a worker when somebody looks, and kept for an hour.

A study has dozens of slices, and nearly all of them nobody looks at. So none is computed before it
is asked for, and none by the web server, which has pages to answer meanwhile.
"""

import zlib
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from zlib import crc32

from django.core.cache import cache
from redis.exceptions import RedisError

from analytics import queue
from analytics.figures import bell
from analytics.figures.on_the_way import FiguresOnTheWay, seconds_since_asked
from analytics.figures.part import Part, Texts
from analytics.ratings import slices
from analytics.ratings.matrices import View, views_within
from annotation.models import Study

PACE = timedelta(seconds=10)
KEPT_FOR = 3_600  # seconds


class _Head(NamedTuple):
    revision: int
    computed_at: datetime


class _Packed(NamedTuple):
    """A report as texts, each compressed."""

    body: bytes
    pieces: Mapping[str, bytes]


class _Body(NamedTuple):
    """The reports of one revision as texts, and which of them is that of a view."""

    texts: tuple[_Packed, ...]
    places: Mapping[View, int]


def newest(
    study_id: int, part: Part[Any], views: Sequence[View], pieces: Collection[str] | None
) -> dict[View, Texts]:
    """{view: the report as texts, with these of its pieces or all} of these views, all of one slice;
    empty where none is kept."""
    body: _Body | None = _kept(_place(study_id, part, views[0].within, "body"))
    if body is None:
        return {}
    return {view: _unpacked(body.texts[body.places[view]], pieces) for view in views}


def sizes(study_id: int, part: Part[Any], views: Sequence[View]) -> dict[str, int]:
    """{piece: bytes, compressed} of what is kept apart of these views, all of one slice."""
    body: _Body | None = _kept(_place(study_id, part, views[0].within, "body"))
    if body is None:
        return {}
    packed = (body.texts[place] for place in {body.places[view] for view in views})
    return {name: len(text) for one in packed for name, text in one.pieces.items()}


def keep_fresh(*, study_id: int, part: Part[Any], within: str, revision: int, at: datetime) -> int:
    """The revision that is kept, after a worker was asked for a newer one where it is behind.

    FiguresOnTheWay where nothing is kept yet, NoSuchSlice where nothing ever will be.
    """
    head: _Head | None = _kept(_place(study_id, part, within, "head"))
    if head is None:
        slices.items_in(study_id, within)
        queue.want_slice(study_id=study_id, part=part.key, within=within)
        raise FiguresOnTheWay(seconds_since_asked(_place(study_id, part, within, "asked"), at=at))
    if head.revision < revision and head.computed_at + PACE <= at:
        queue.want_slice(study_id=study_id, part=part.key, within=within)
    return head.revision


def refresh(*, study_id: int, part: Part[Any], within: str, at: datetime) -> None:
    """Compute every view of a slice, unless it is kept as it is now or is none any more."""
    queue.forget_slice(study_id=study_id, part=part.key, within=within)
    revision = Study.objects.revision_now(study_id)
    head: _Head | None = _kept(_place(study_id, part, within, "head"))
    if head is not None and head.revision >= revision:
        return
    with suppress(slices.NoSuchSlice):
        study = slices.read(study_id, within)
        effective = {view: study.effective(view) for view in views_within(within)}
        distinct = list(dict.fromkeys(effective.values()))
        reports = (part.compute(study, view=view, at=at) for view in distinct)
        body = _Body(
            texts=tuple(_packed(part.as_texts(one)) for one in reports),
            places={view: distinct.index(same) for view, same in effective.items()},
        )
        _keep(_place(study_id, part, within, "body"), body)
        _keep(_place(study_id, part, within, "head"), _Head(study.revision, at))
        bell.ring(study_id)


def _packed(texts: Texts) -> _Packed:
    pieces = {name: zlib.compress(text.encode()) for name, text in texts.pieces.items()}
    return _Packed(zlib.compress(texts.body.encode()), pieces)


def _unpacked(packed: _Packed, pieces: Collection[str] | None) -> Texts:
    chosen = {
        name: zlib.decompress(text).decode()
        for name, text in packed.pieces.items()
        if pieces is None or name in pieces
    }
    return Texts(zlib.decompress(packed.body).decode(), chosen)


def _place(study_id: int, part: Part[Any], within: str, what: str) -> str:
    """Under what Redis keeps it: what was computed otherwise is not found any more."""
    return f"slice:{study_id}:{part.key}:{part.fingerprint}:{crc32(within.encode())}:{what}"


def _kept(name: str) -> Any:
    with suppress(RedisError):
        return cache.get(name)
    return None


def _keep(name: str, value: object) -> None:
    with suppress(RedisError):
        cache.set(name, value, timeout=KEPT_FOR)
