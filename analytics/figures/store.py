"""Reports as they were computed: kept, fetched, and brought up to date once for many readers."""

import json
import logging
import math
import time
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from functools import partial
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

from django.db import connection, transaction
from django.db.models import F, Func, IntegerField, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from accounts.models.prepared import Prepared
from accounts.operations import heartbeat
from analytics import queue
from analytics.figures import bell, genuine, memo, slice_store
from analytics.figures.on_the_way import FiguresOnTheWay, seconds_since_asked
from analytics.figures.part import Part, R, Texts
from analytics.models import Snapshot
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN, VIEWS, StudyRatings, View, views_within
from annotation.models import Study

PATIENCE = 3.0
_MOMENT = 1.0  # seconds that a request waits for a worker: what is small is computed in them
_LOOK_EVERY = 0.05
PACE = timedelta(milliseconds=200)
A_TURN = 0.02  # seconds of a refresh for what is brought up to date by turns
_SAME_AS = "same_as"
MOST_KNOWN = 16_000_000  # characters of the reports that a process keeps
MOST_AT_ONCE = 500_000  # bytes, compressed, of what is kept apart that a request reads

logger = logging.getLogger(__name__)
_known: OrderedDict[tuple[str, str], Any] = OrderedDict()
_reading = Lock()


class TooMuchAtOnce(Exception):
    """One request reads some of these pieces at most, each about one value of the column `about`."""

    def __init__(self, about: str, pieces: Sequence[str]) -> None:
        super().__init__(about, pieces)
        self.about, self.pieces = about, pieces


class KeptFigures(NamedTuple):
    """The newest stored revision, whether no worker had answered to compute it, and whether some of
    its figures are of earlier ratings."""

    revision: int | None
    computed_here: bool = False
    has_earlier: bool = False

    @property
    def mark(self) -> str:
        """By what a page that shows these asks for newer ones."""
        return f"{self.revision}~" if self.has_earlier else f"{self.revision}"

    @classmethod
    def marked(cls, mark: str) -> "KeptFigures":
        """What a mark tells."""
        number = mark.removesuffix("~")
        return cls(int(number) if number.isdecimal() else None, has_earlier=mark != number)

    def is_older_than(self, other: "KeptFigures") -> bool:
        def age(one: KeptFigures) -> tuple[int, bool]:
            return (-1 if one.revision is None else one.revision, not one.has_earlier)

        return age(self) < age(other)

    def is_behind(self, revision: int) -> bool:
        return self.revision is None or self.revision < revision or self.has_earlier


def newest(
    study_id: int, part: Part[R], *views: View, pieces: Collection[str] | None = None
) -> dict[View, R]:
    """{view: report}, all of one revision, of these views or all; empty where none is stored. Of what
    is kept apart it has these `pieces`, where they are named: all of a large study take much memory.

    FiguresOnTheWay where somebody else had stored them, so that a worker makes them anew.
    """
    wanted = views or VIEWS
    if wanted[0].within:
        kept = slice_store.newest(study_id, part, wanted, pieces)
        return {view: replace(_read(part, texts), view=view) for view, texts in kept.items()}
    stored = _stored(study_id, part, wanted, pieces)
    if not _are_whole(stored, pieces):
        rows = [row for of_view in stored.values() for row in of_view.values()]
        if any(genuine.is_forged(row, row.text) for row in rows):
            logger.error("Figures of study %s were not kept by this application", study_id)
        _make_anew(study_id, part)
        stored = _stored(study_id, part, wanted, pieces)
    found: dict[View, R] = {}
    for view in wanted:
        if view in stored:
            told = stored[view][""].same_as
            same = View(**told) if told else view
            if same not in found:
                found[same] = _read(part, _texts(stored[same]))
            found[view] = replace(found[same], view=view)
    return {view: found[view] for view in wanted if view in found}


Rows: TypeAlias = dict[str, Any]
"""{piece: its row} of a view, the row without pieces under no name."""


def _stored(
    study_id: int, part: Part[Any], wanted: Sequence[View], pieces: Collection[str] | None
) -> dict[View, Rows]:
    rows = _rows(study_id, part, wanted)
    if pieces is not None:
        rows = rows.filter(piece__in={"", *pieces})
    found: dict[View, Rows] = {}
    for row in rows.defer("report").annotate(
        same_as=F(f"report__{_SAME_AS}"), text=Cast("report", TextField())
    ):
        view = View(with_off_scale=row.with_off_scale, with_quarantined=row.with_quarantined)
        found.setdefault(view, {})[row.piece] = row
    return found


def _rows(study_id: int, part: Part[Any], views: Sequence[View]) -> QuerySet[Snapshot]:
    return Snapshot.objects.filter(
        study=study_id,
        part=part.key,
        edition=part.fingerprint,
        with_off_scale__in={False, *(view.with_off_scale for view in views)},
        with_quarantined__in={False, *(view.with_quarantined for view in views)},
    )


def _are_whole(stored: Mapping[View, Rows], pieces: Collection[str] | None) -> bool:
    """Whether the application kept all that is there, at once, and all is there that it kept."""
    kept = {(row.revision, row.has_earlier) for rows in stored.values() for row in rows.values()}
    return len(kept) <= 1 and all(
        "" in rows
        and all(genuine.is_genuine(row, row.text) for row in rows.values())
        and all(name in rows for name in rows[""].pieces if pieces is None or name in pieces)
        for rows in stored.values()
    )


def _texts(rows: Rows) -> Texts:
    names = (name for name in rows[""].pieces if name in rows)
    return Texts(rows[""].text, {name: rows[name].text for name in names})


def _make_anew(study_id: int, part: Part[Any]) -> None:
    """What stands there was kept by somebody else, or under a key of before: there is none then."""
    Snapshot.objects.filter(study=study_id, part=part.key).delete()
    revision = Study.objects.revision_now(study_id)
    keep_fresh(study_id=study_id, part=part, revision=revision, at=timezone.now())


def _read(part: Part[R], texts: Texts) -> R:
    """A report from its texts; what is kept apart is read for whoever asks for it, and let go."""
    return part.joined(_read_body(part, texts.body), texts.pieces.values())


def _read_body(part: Part[R], text: str) -> R:
    """Read once a process for all who look at it, and never changed. Not for long where it is large:
    what is read takes five times the memory of its text."""
    key = (part.key, text)
    with _reading:
        if key in _known:
            _known.move_to_end(key)
            found: R = _known[key]
            return found
    made = part.from_body(text)
    if len(text) > MOST_KNOWN:
        return made
    with _reading:
        _known[key] = made
        while sum(len(known) for _part, known in _known) > MOST_KNOWN:
            _known.popitem(last=False)
    return made


def newest_revision(study_id: int, part: Part[Any]) -> int | None:
    return newest_kept(study_id, part).revision


def newest_kept(study_id: int, part: Part[Any]) -> KeptFigures:
    row = _REVISION.first(study=study_id, part=part.key)
    if row is None or row[1] != part.fingerprint:
        return KeptFigures(None)
    return KeptFigures(row[0], has_earlier=row[2])


def rest(*, study_id: int, part: Part[Any], at: datetime) -> timedelta:
    """How long a worker had better wait: what changes until then is computed with it."""
    stored = Snapshot.objects.filter(study=study_id, part=part.key, piece="", **_columns(PLAIN))
    computed_at = stored.values_list("computed_at", flat=True).first()
    return max(computed_at + PACE - at, timedelta()) if computed_at else timedelta()


def up_to_date(
    *,
    study_id: int,
    part: Part[R],
    at: datetime,
    only: View | None = None,
    pieces: Collection[str] | None = None,
) -> dict[View, R]:
    """The reports of the study as it is now, or that of one view, computed first where they are behind:
    for commands and workers, which have the time."""
    refresh(study_id=study_id, part=part, at=at)
    views = (only,) if only else ()
    try:
        return newest(study_id, part, *views, pieces=pieces)
    except FiguresOnTheWay:  # by nobody but this process
        refresh(study_id=study_id, part=part, at=at)
        return newest(study_id, part, *views, pieces=pieces)


def for_readers(
    *,
    study_id: int,
    part: Part[R],
    at: datetime,
    within: str = "",
    only: View | None = None,
    pieces: Collection[str] | None = None,
) -> dict[View, R]:
    """The reports that a request answers with, or `only` that of one view and some pieces: as new as
    a worker made them within a moment.

    Computed here where no worker is; FiguresOnTheWay where there are none yet, TooMuchAtOnce where the
    pieces, all if none are named, are those of a study in which many are compared.
    """
    revision = Study.objects.revision_now(study_id)
    if within or _waits_for_a_worker(study_id, part):
        _wait_a_moment(study_id=study_id, part=part, revision=revision, at=at, within=within)
    elif not refresh(study_id=study_id, part=part, at=at, wait=False):
        keep_fresh(study_id=study_id, part=part, revision=revision, at=at)
    views = (only,) if only else views_within(within)
    if part.apart is not None and (pieces is None or len(pieces) > 1):
        sizes = _sizes(study_id, part, views, pieces)
        if len(sizes) > 1 and sum(sizes.values()) > MOST_AT_ONCE:
            raise TooMuchAtOnce(part.apart.about, list(sizes))
    return newest(study_id, part, *views, pieces=pieces)


def _sizes(
    study_id: int, part: Part[Any], views: Sequence[View], pieces: Collection[str] | None
) -> dict[str, int]:
    """{piece: bytes, compressed} of these pieces, or of all."""
    if views[0].within:
        sizes = slice_store.sizes(study_id, part, views)
    else:
        size = Func(F("report"), function="pg_column_size", output_field=IntegerField())
        rows = _rows(study_id, part, views).exclude(piece="").order_by("pk")
        sizes = dict(rows.values_list("piece", size))
    return {name: size for name, size in sizes.items() if pieces is None or name in pieces}


def in_view(
    *,
    study_id: int,
    part: Part[R],
    view: View,
    at: datetime,
    pieces: Collection[str] | None = None,
) -> R:
    """The one report that a request answers with, in its view and slice."""
    found = for_readers(
        study_id=study_id, part=part, at=at, within=view.within, only=view, pieces=pieces
    )
    return found[view]


def _wait_a_moment(
    *, study_id: int, part: Part[Any], revision: int, at: datetime, within: str
) -> None:
    until = time.monotonic() + _MOMENT
    while True:
        is_last = time.monotonic() > until
        with nullcontext() if is_last else suppress(FiguresOnTheWay):
            kept = keep_fresh(study_id=study_id, part=part, revision=revision, at=at, within=within)
            if is_last or (kept.revision or 0) >= revision:
                return
        time.sleep(_LOOK_EVERY)


def refresh(
    *, study_id: int, part: Part[Any], at: datetime, wait: bool = True, by_turns: bool = False
) -> bool:
    """Bring a stored part up to date; False where another process is at it already.

    One process computes at a time; the next finds its work done. An older revision never
    replaces a newer one. `by_turns`: what takes long may stand as it is kept where there are newer
    ratings; a worker is asked for it while somebody looks, else the scheduler comes back to it.
    """
    with transaction.atomic():
        if not _lock(study_id, part, wait=wait):
            return False
        queue.forget_part(study_id=study_id, part=part.key)
        revision = Study.objects.revision_now(study_id)
        kept = newest_kept(study_id, part)
        if not kept.is_behind(revision):
            return True
        study = matrices.read_folding(study_id)
        seconds = math.inf if kept.revision in (None, study.revision) else A_TURN
        spared = memo.by_turns(study_id, part.key, seconds=seconds) if by_turns else nullcontext()
        with spared as turns:
            texts = {
                view: part.as_texts(part.compute(study, view=view, at=at))
                if view == (effective := study.effective(view))
                else Texts(json.dumps({_SAME_AS: asdict(effective)}), {})
                for view in VIEWS
            }
        has_earlier = turns is not None and bool(turns.left)
        _store(study, part, texts, at=at, has_earlier=has_earlier)
        transaction.on_commit(partial(bell.ring, study_id))
    if has_earlier and queue.is_looked_at(study_id=study_id):
        queue.have_part(study_id=study_id, part=part.key)
    return True


def keep_fresh(
    *, study_id: int, part: Part[Any], revision: int, at: datetime, within: str = ""
) -> KeptFigures:
    """Have a part that is behind `revision` computed: by a worker, or here if none answers.

    FiguresOnTheWay where a worker, or another request, is at the first ones. Those of a slice always
    wait for one; some never will be: NoSuchSlice.
    """
    if within:
        found = slice_store.keep_fresh(
            study_id=study_id, part=part, within=within, revision=revision, at=at
        )
        return KeptFigures(found)
    kept = newest_kept(study_id, part)
    if not kept.is_behind(revision):
        return kept
    stored = kept.revision
    mark = f"report-behind:{study_id}:{part.key}:{stored}"
    is_for_a_worker = _waits_for_a_worker(study_id, part)
    if not is_for_a_worker and (stored is None or seconds_since_asked(mark, at=at) >= PATIENCE):
        # Nobody stands still while another request is at it: soon all would.
        refresh(study_id=study_id, part=part, at=at, wait=False)
        anew = newest_kept(study_id, part)
        if anew.revision is not None:
            return anew._replace(computed_here=anew != kept and stored is not None)
    queue.want_part(study_id=study_id, part=part.key)
    if stored is None:
        raise FiguresOnTheWay(seconds_since_asked(mark, at=at))
    return kept


def _waits_for_a_worker(study_id: int, part: Part[Any]) -> bool:
    """Whether a worker makes it: where none is there, what takes long still waits for one."""
    return heartbeat.is_there(queue.OF_FIGURES) or queue.takes_long(
        study_id=study_id, part=part.key
    )


def _revision(study: int, part: str) -> QuerySet[Snapshot, Any]:
    stored = Snapshot.objects.filter(study=study, part=part, piece="", **_columns(PLAIN))
    return stored.values_list("revision", "edition", "has_earlier")


def _store(
    study: StudyRatings,
    part: Part[Any],
    made: Mapping[View, Texts],
    *,
    at: datetime,
    has_earlier: bool,
) -> None:
    rows = [
        genuine.signed(
            Snapshot(
                study_id=study.study_id,
                part=part.key,
                edition=part.fingerprint,
                revision=study.revision,
                computed_at=at,
                has_earlier=has_earlier,
                piece=name,
                pieces=[] if name else list(texts.pieces),
                **_columns(view),
            ),
            text,
        )
        for view, texts in made.items()
        for name, text in {"": texts.body, **texts.pieces}.items()
    ]
    Snapshot.objects.bulk_create(
        rows,
        batch_size=1,  # a large one takes PostgreSQL many times its size
        update_conflicts=True,
        unique_fields=["study", "part", "with_off_scale", "with_quarantined", "piece"],
        update_fields=[
            *("edition", "revision", "computed_at", "has_earlier", "report", "mark", "pieces")
        ],
    )
    for view, texts in made.items() if part.apart else ():
        Snapshot.objects.filter(study=study.study_id, part=part.key, **_columns(view)).exclude(
            piece__in=["", *texts.pieces]
        ).delete()


def _columns(view: View) -> dict[str, bool]:
    return {"with_off_scale": view.with_off_scale, "with_quarantined": view.with_quarantined}


def _lock(study_id: int, part: Part[Any], *, wait: bool) -> bool:
    asked: list[str | int] = [f"report {part.key}", study_id]
    with connection.cursor() as cursor:
        if wait:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s), %s)", asked)
            return True
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtext(%s), %s)", asked)
        is_ours: bool = cursor.fetchone()[0]
        return is_ours


# Asked with every poll of a live page, so prepared.
_REVISION = Prepared(_revision)
