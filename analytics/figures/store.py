"""Reports as they were computed: kept, fetched, and brought up to date once for many readers."""

import json
import logging
import math
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from functools import partial
from threading import Lock
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import F, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from accounts.models.prepared import Prepared
from accounts.operations import heartbeat
from analytics import queue
from analytics.figures import bell, genuine, memo, slice_store
from analytics.figures.on_the_way import FiguresOnTheWay, seconds_since_asked
from analytics.figures.part import Part, R
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

logger = logging.getLogger(__name__)
_known: OrderedDict[tuple[str, str], Any] = OrderedDict()
_reading = Lock()


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


def newest(study_id: int, part: Part[R], *views: View) -> dict[View, R]:
    """{view: report}, all of one revision, of these views or all; empty where none is stored.

    FiguresOnTheWay where somebody else had stored them, so that a worker makes them anew.
    """
    wanted = views or VIEWS
    if wanted[0].within:
        texts = slice_store.newest(study_id, part, wanted)
        return {view: replace(_read(part, text), view=view) for view, text in texts.items()}
    stored = _stored(study_id, part, wanted)
    if not all(genuine.is_genuine(row, row.text) for row in stored.values()):
        if any(genuine.is_forged(row, row.text) for row in stored.values()):
            logger.error("Figures of study %s were not kept by this application", study_id)
        _make_anew(study_id, part)
        stored = _stored(study_id, part, wanted)
    found: dict[View, R] = {}
    for view in wanted:
        if view in stored:
            told = stored[view].same_as
            same = View(**told) if told else view
            if same not in found:
                found[same] = _read(part, stored[same].text)
            found[view] = replace(found[same], view=view)
    return {view: found[view] for view in wanted if view in found}


def _stored(study_id: int, part: Part[Any], wanted: Sequence[View]) -> dict[View, Any]:
    return {
        View(with_off_scale=row.with_off_scale, with_quarantined=row.with_quarantined): row
        for row in Snapshot.objects.filter(
            study=study_id,
            part=part.key,
            edition=part.fingerprint,
            with_off_scale__in={False, *(view.with_off_scale for view in wanted)},
            with_quarantined__in={False, *(view.with_quarantined for view in wanted)},
        )
        .defer("report")
        .annotate(same_as=F(f"report__{_SAME_AS}"), text=Cast("report", TextField()))
    }


def _make_anew(study_id: int, part: Part[Any]) -> None:
    """What stands there was kept by somebody else, or under a key of before: there is none then."""
    Snapshot.objects.filter(study=study_id, part=part.key).delete()
    revision = Study.objects.revision_now(study_id)
    keep_fresh(study_id=study_id, part=part, revision=revision, at=timezone.now())


def _read(part: Part[R], text: str) -> R:
    """A report from its text: read once a process for all who look at it, and never changed. Not for
    long where it is large: what is read takes five times the memory of its text."""
    key = (part.key, text)
    with _reading:
        if key in _known:
            _known.move_to_end(key)
            found: R = _known[key]
            return found
    made = part.from_text(text)
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
    stored = Snapshot.objects.filter(study=study_id, part=part.key, **_columns(PLAIN))
    computed_at = stored.values_list("computed_at", flat=True).first()
    return max(computed_at + PACE - at, timedelta()) if computed_at else timedelta()


def up_to_date(*, study_id: int, part: Part[R], at: datetime) -> dict[View, R]:
    """The reports of the study as it is now, computed first where they are behind: for commands and
    workers, which have the time."""
    refresh(study_id=study_id, part=part, at=at)
    try:
        return newest(study_id, part)
    except FiguresOnTheWay:  # by nobody but this process
        refresh(study_id=study_id, part=part, at=at)
        return newest(study_id, part)


def for_readers(
    *, study_id: int, part: Part[R], at: datetime, within: str = "", only: View | None = None
) -> dict[View, R]:
    """The reports that a request answers with, or `only` that of one view, for all of a large study
    take much memory: as new as a worker made them within a moment.

    Computed here where no worker is; FiguresOnTheWay where there are none yet.
    """
    revision = Study.objects.revision_now(study_id)
    if within or _waits_for_a_worker(study_id, part):
        _wait_a_moment(study_id=study_id, part=part, revision=revision, at=at, within=within)
    elif not refresh(study_id=study_id, part=part, at=at, wait=False):
        keep_fresh(study_id=study_id, part=part, revision=revision, at=at)
    return newest(study_id, part, *((only,) if only else views_within(within)))


def in_view(*, study_id: int, part: Part[R], view: View, at: datetime) -> R:
    """The one report that a request answers with, in its view and slice."""
    return for_readers(study_id=study_id, part=part, at=at, within=view.within, only=view)[view]


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
                view: part.as_text(part.compute(study, view=view, at=at))
                if view == (effective := study.effective(view))
                else json.dumps({_SAME_AS: asdict(effective)})
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
    stored = Snapshot.objects.filter(study=study, part=part, **_columns(PLAIN))
    return stored.values_list("revision", "edition", "has_earlier")


def _store(
    study: StudyRatings,
    part: Part[Any],
    texts: Mapping[View, str],
    *,
    at: datetime,
    has_earlier: bool,
) -> None:
    Snapshot.objects.bulk_create(
        [
            genuine.signed(
                Snapshot(
                    study_id=study.study_id,
                    part=part.key,
                    edition=part.fingerprint,
                    revision=study.revision,
                    computed_at=at,
                    has_earlier=has_earlier,
                    **_columns(view),
                ),
                text,
            )
            for view, text in texts.items()
        ],
        batch_size=1,  # a large one takes PostgreSQL many times its size
        update_conflicts=True,
        unique_fields=["study", "part", "with_off_scale", "with_quarantined"],
        update_fields=["edition", "revision", "computed_at", "has_earlier", "report", "mark"],
    )


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
