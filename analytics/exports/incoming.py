"""Bring a release of Concord's into a server as a study of its own: the same figures follow.

What was rated in rounds comes in as imported. Where somebody rated an item in several rounds, the
latest answer is the one that counts, as it was; the earlier ones are kept behind it. A release
without texts makes items without them, under the hashes of their content.
"""

import json
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from django.db import DataError, IntegrityError, transaction

from accounts.models import User
from analytics.exports import signing, zips
from analytics.exports.bundle import FORMAT, MANIFEST, SIGNATURE
from analytics.exports.columns import OF_A_JUDGE
from analytics.exports.incoming_items import TextsOfOthers, bring, ids_of
from analytics.exports.jsonlines import LONGEST_LINE, NoRow, lines_of
from analytics.exports.writers import sha256_of
from analytics.exports.zips import UnreadableZip
from annotation.actions import recording, rubrics, studies
from annotation.actions.imports.copying import check_references, copy_in, in_batches
from annotation.actions.recording import AnswerSet, Recording
from annotation.models import (
    BroughtAmbiguity,
    Gold,
    GoldOrigin,
    Origin,
    Rater,
    RaterKind,
    Study,
)
from annotation.readers.values import Value
from annotation.rubric.grounds import Grounds, Passage
from annotation.rubric.loading import RubricError
from annotation.rubric.sentences import sentence
from judging.models import Judge, PromptTemplate
from judging.prompts.loading import fingerprint

RATINGS = "ratings.jsonl"
NEEDED = ("rubric.json", "items.jsonl", "gold.jsonl", "judges.jsonl", RATINGS)
TEXTS = "texts.jsonl"
GROUNDS = "grounds.jsonl"
AT_ONCE = 200  # items, with all that is rated on them
GOLD_AT_ONCE = 5_000
IN_MEMORY = (MANIFEST, SIGNATURE, "rubric.json")
_MISREAD = (
    *(LookupError, TypeError, ValueError, AttributeError, RecursionError),
    *(RubricError, DataError, IntegrityError),
)
_WHOSE = itemgetter("item", "rater", "round", "repeat")

ReleaseRow = dict[str, Any]
Rows = list[ReleaseRow]


class CannotTakeIn(Exception):
    """A sentence that says why this file comes in as no study."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenIn:
    """The study that a release became, and what came along; `signed_by`: the key of its server."""

    study: Study
    release: str
    signed_by: str
    items: int
    ratings: int


class _Incoming(NamedTuple):
    """What a release's keys are here; `items`: those that a batch is about."""

    study: Study
    folder: Path
    items: Mapping[str, int]
    raters: Mapping[str, int]
    editions: Mapping[int, int]
    at: datetime

    def about(self, keys: Iterable[str]) -> "_Incoming":
        return self._replace(items=ids_of(self.study, {*keys}))


def take_in(
    *, archive: Path, key: str, name: str, coordinator: User | None, by: User | None, at: datetime
) -> TakenIn:
    """Make a study of a release: all of it or nothing. CannotTakeIn, or KeyTaken."""
    folder = Path(tempfile.mkdtemp(prefix="release-"))
    try:
        manifest = _unpacked(archive, folder)
        with transaction.atomic():
            return _take_in(folder, manifest, key, name, coordinator, by, at)
    except (UnreadableZip, NoRow) as problem:
        raise CannotTakeIn(str(problem)) from None
    except _MISREAD as problem:
        raise CannotTakeIn(
            "The release is not as Concord writes one: "
            f"{type(problem).__name__}, {str(problem).partition(chr(10))[0]}."
        ) from problem
    finally:
        shutil.rmtree(folder)


def _take_in(
    folder: Path,
    manifest: Mapping[str, Any],
    key: str,
    name: str,
    coordinator: User | None,
    by: User | None,
    at: datetime,
) -> TakenIn:
    told = json.loads((folder / "rubric.json").read_text(encoding="utf-8"))
    definitions = {one["number"]: one["definition"] for one in told["versions"]}
    study = studies.create(
        key=key,
        name=name or manifest["study"]["name"],
        rubric=definitions[told["in_force"]],
        language=manifest["study"]["language"],
        coordinator=coordinator,
        by=by,
        at=at,
    )
    editions = {
        number: rubrics.publish(definition=definition, by=by, at=at).pk
        for number, definition in definitions.items()
    }
    release = manifest["release"]
    with recording.change(study_id=study.pk) as change:
        items = _items(study, folder, release, at)
        raters = _raters(study, folder, at)
        incoming = _Incoming(study, folder, {}, raters, editions, at)
        ratings = _ratings(incoming, change)
        _gold(incoming)
        check_references()
        signed_by = manifest["signed_by"]
        facts = {"release": release, "signed_by": signed_by, "items": items, "ratings": ratings}
        change.record("release.taken_in", subject=f"study:{study.pk}", by=by, at=at, facts=facts)
        change.count()
    return TakenIn(study=study, release=release, signed_by=signed_by, items=items, ratings=ratings)


def _unpacked(archive: Path, folder: Path) -> dict[str, Any]:
    """The manifest, as it was signed, and the files that are needed, each as the manifest has it."""
    with zips.opened(archive) as found:
        there = set(found.namelist())
        if missing := sorted({MANIFEST, SIGNATURE, *NEEDED} - there):
            raise CannotTakeIn(sentence("The archive lacks {files}.", files=", ".join(missing)))
        for name in (MANIFEST, SIGNATURE, *NEEDED, *({TEXTS, GROUNDS} & there)):
            if name in IN_MEMORY and found.getinfo(name).file_size > LONGEST_LINE:
                raise CannotTakeIn(f"{name} is larger than any of Concord's.")
            with found.open(name) as source, (folder / name).open("xb") as target:
                shutil.copyfileobj(source, target)
    manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_bytes())
    if manifest.get("format") != FORMAT:
        raise CannotTakeIn(sentence("The archive is no release in the format {name}.", name=FORMAT))
    if not signing.is_signed(
        (folder / MANIFEST).read_bytes(),
        signature=(folder / SIGNATURE).read_text(encoding="utf-8"),
        key=manifest["signed_by"],
    ):
        raise CannotTakeIn(f"{MANIFEST} is not as it was signed.")
    for name in (*NEEDED, TEXTS, GROUNDS):
        told = manifest["files"].get(name, {}).get("sha256")
        if told != (sha256_of(folder / name) if name in there else None):
            raise CannotTakeIn(
                sentence("{file} does not match the manifest of the release.", file=name)
            )
    return manifest


def _items(study: Study, folder: Path, release: str, at: datetime) -> int:
    try:
        return bring(
            study,
            items=folder / "items.jsonl",
            texts=folder / TEXTS,
            release=release,
            at=at,
        )
    except TextsOfOthers as wrong:
        raise CannotTakeIn(wrong.reason) from None


def _raters(study: Study, folder: Path, at: datetime) -> dict[str, int]:
    """{name in the release: id} of everybody who rated; a key that is taken gets the study's."""
    judges = {row["judge"]: row for row in lines_of(folder / "judges.jsonl")}
    kinds = {row["rater"]: row["rater_kind"] for row in lines_of(folder / RATINGS)}
    taken = set(Rater.objects.filter(key__in=kinds).values_list("key", flat=True))
    made = _made(judges, kinds, taken, study)
    ids = {name: rater.pk for name, rater in zip(sorted(kinds), made, strict=True)}
    _settings(study, [judges[name] for name in sorted(judges.keys() & ids.keys())], ids, at)
    return ids


def _made(
    judges: Mapping[str, ReleaseRow], kinds: Mapping[str, str], taken: Collection[str], study: Study
) -> list[Rater]:
    return Rater.objects.bulk_create(
        Rater(
            key=f"{study.key}-{name}"[:100] if name in taken else name,
            name=judges[name]["name"] if name in judges else name,
            kind=RaterKind(kind),
            own_generators=judges[name]["own_generators"] if name in judges else [],
        )
        for name, kind in sorted(kinds.items())
    )


def _settings(study: Study, rows: Rows, raters: Mapping[str, int], at: datetime) -> None:
    """What judges were: asked where, how and with which prompt, as far as the release says.

    The endpoint is told and not made: nobody here may be asked by what a file says.
    """
    known = [row for row in rows if row["llm"] is not None]
    Judge.objects.bulk_create(
        Judge(
            rater_id=raters[row["judge"]],
            template=_prompt(study, row, at) if row.get("prompt_text") else None,
            created_at=at,
            **{name: row[name] for name in OF_A_JUDGE},
        )
        for row in known
    )


def _prompt(study: Study, row: ReleaseRow, at: datetime) -> PromptTemplate:
    """The version of the prompt, word for word; judges share it."""
    if fingerprint(row["prompt_text"]) != row["template_sha256"]:
        raise CannotTakeIn(
            sentence("The prompt of “{judge}” does not match its SHA-256.", judge=row["judge"])
        )
    found, _is_new = PromptTemplate.objects.get_or_create(
        study=study,
        name=row["prompt"],
        number=row["prompt_version"],
        defaults={
            "text": row["prompt_text"],
            "sha256": row["template_sha256"],
            "written_at": at,
        },
    )
    return found


def _ratings(incoming: _Incoming, change: Recording) -> int:
    """Store every answer as it stands in the release; how many ratings there were."""
    count, beside = 0, _beside(incoming.folder / GROUNDS)
    sets = ([*rows] for _whose, rows in groupby(lines_of(incoming.folder / RATINGS), key=_WHOSE))
    # The rows of an item stand together, so no rater's answers to it are parted.
    items = (
        _with_grounds([*of_item], beside(item))
        for item, of_item in groupby(sets, key=lambda rows: rows[0]["item"])
    )
    for batch in in_batches(items, AT_ONCE):
        here = incoming.about(of_item[0][0]["item"] for of_item in batch)
        once, again = _parted(set_ for of_item in batch for set_ in of_item)
        for (edition, origin), alike in _alike(once).items():
            answers = [_answers(here, rows) for rows in alike]
            change.copy(answers, origin=origin, rubric_version=here.editions[edition])
        for several in again:
            _store_in_turn(here, change, several)
        count += sum(len(rows) for of_item in batch for rows in of_item)
    return count


def _beside(path: Path) -> Callable[[str], Rows]:
    """What was said beside the ratings of an item; asked for item by item, as both files have them."""
    groups = groupby(lines_of(path) if path.exists() else (), key=itemgetter("item"))
    ahead = ((item, [*rows]) for item, rows in groups)
    waiting = next(ahead, None)

    def of_item(item: str) -> Rows:
        nonlocal waiting
        if waiting is None or waiting[0] != item:
            return []
        _item, rows = waiting
        waiting = next(ahead, None)
        return rows

    return of_item


def _with_grounds(sets: list[Rows], beside: Rows) -> list[Rows]:
    """Each set of answers, with what was said beside it in its first row."""
    said = {whose: [*rows] for whose, rows in groupby(beside, key=_WHOSE)}
    for rows in sets if said else ():
        rows[0]["grounds"] = said.get(_WHOSE(rows[0]), [])
    return sets


def _parted(sets: Iterable[Rows]) -> tuple[list[Rows], list[list[Rows]]]:
    """Answers that are the only ones of their rater to their item, and those of several rounds."""
    found: dict[tuple[str, str, int], list[Rows]] = {}
    for rows in sets:
        first = rows[0]
        found.setdefault((first["item"], first["rater"], first["repeat"]), []).append(rows)
    once = [given[0] for given in found.values() if len(given) == 1]
    return once, [given for given in found.values() if len(given) > 1]


def _alike(sets: Iterable[Rows]) -> dict[tuple[int, Origin], list[Rows]]:
    """Answers by what they have in common: the edition, and whether a judge of a run gave them."""
    found: dict[tuple[int, Origin], list[Rows]] = {}
    for rows in sets:
        found.setdefault(_kind(rows), []).append(rows)
    return found


def _kind(rows: Rows) -> tuple[int, Origin]:
    is_of_a_run = rows[0]["origin"] == Origin.JUDGE
    return rows[0]["rubric_version"], Origin.JUDGE if is_of_a_run else Origin.IMPORT


def _store_in_turn(incoming: _Incoming, change: Recording, several: Sequence[Rows]) -> None:
    """Each round's answer takes the place of the one before."""
    earlier = None
    for rows in sorted(several, key=lambda rows: rows[0]["round"] or 0):
        edition, origin = _kind(rows)
        answers = _answers(incoming, rows)._replace(supersedes=earlier)
        number = incoming.editions[edition]
        (stored,) = change.store([answers], origin=origin, rubric_version=number)
        earlier = stored.pk


def _answers(incoming: _Incoming, rows: Rows) -> AnswerSet:
    first = rows[0]
    return AnswerSet(
        key=uuid4(),
        item=incoming.items[first["item"]],
        rater=incoming.raters[first["rater"]],
        values=tuple(
            Value(
                *(row["criterion"], row["label"], row["score"]),
                *(row["unscored"], row["off_scale"], row.get("path", "")),
            )
            for row in rows
        ),
        submitted_at=incoming.at,
        repeat=first["repeat"],
        grounds=tuple(filter(None, map(_grounds, first.get("grounds", ())))),
    )


def _grounds(row: ReleaseRow) -> Grounds:
    return Grounds(
        criterion=row["criterion"],
        confidence=row["confidence"],
        defensible=tuple(row["defensible"].split()),
        evidence=tuple(map(Passage.from_text, row.get("evidence", "").split())),
        unverified=tuple(row.get("unverified", ())),
        rationale=row.get("rationale", ""),
    )


def _gold(incoming: _Incoming) -> None:
    """Gold as it was decided; what an adjudicator decided elsewhere is imported here, and what one
    found ambiguous keeps how its raters answered."""
    for told in in_batches(lines_of(incoming.folder / "gold.jsonl"), GOLD_AT_ONCE):
        _gold_of(incoming.about(row["item"] for row in told), told)


def _gold_of(incoming: _Incoming, told: Rows) -> None:
    copy_in(
        BroughtAmbiguity,
        ["item_id", "criterion_key", "distribution", "brought_at"],
        (
            (incoming.items[row["item"]], row["criterion"], row["distribution"], incoming.at)
            for row in told
            if row.get("ambiguous")
        ),
    )
    origins = {GoldOrigin.ADJUDICATED.value: GoldOrigin.IMPORTED.value}
    copy_in(
        Gold,
        ["item_id", "criterion_key", "label", "score", "path", "origin", "decided_at"],
        (
            (
                *(incoming.items[row["item"]], row["criterion"], row["label"], row["score"]),
                row.get("path", ""),
                *(origins.get(row["origin"], row["origin"]), incoming.at),
            )
            for row in told
            if not row.get("ambiguous")
        ),
    )
