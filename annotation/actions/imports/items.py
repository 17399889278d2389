"""Bring the items of a file into a study: all of them or none."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from operator import attrgetter
from typing import NamedTuple

from django.db.models import Max

from accounts.models import User
from annotation.actions.imports.copying import Watch, copy_in, take_ids
from annotation.actions.imports.doubts import Doubts
from annotation.actions.imports.refusals import without_problems
from annotation.actions.imports.running import ImportReport, run_import, take_all
from annotation.actions.imports.screening import Sieve
from annotation.actions.recording import Recording
from annotation.actions.settling import supersede
from annotation.models import Dialogue, Gold, GoldOrigin, Item, Study
from annotation.queries.ambiguities import decided_ambiguous
from annotation.readers.items import ItemFile, ItemRow
from annotation.readers.problems import FilePlace, FileProblem, FileReason
from annotation.readers.records import Source
from annotation.rubric.answers import Answer
from annotation.rubric.sentences import Sentence, sentence

CONTENT = ("key", "content_sha256", "reply", "reply_speaker", "generator", "content_note")
content_of = attrgetter(*CONTENT)


@dataclass(slots=True, kw_only=True)
class ItemsReport(ImportReport):
    """What a file of items came to, or, on a dry run, would come to.

    `repeated` counts rows that say again what an earlier one says, and `kept_gold` gold of the file
    that stands back behind what a round decided.
    """

    verb = "items.imported"
    grows = (Dialogue, Item, Gold)

    new_dialogues: int = 0
    repeated: int = 0
    without_reply: int = 0
    new_gold: int = 0
    changed_gold: int = 0
    kept_gold: int = 0
    has_keys: bool = True
    doubts: Doubts = field(default_factory=Doubts)
    sieve: Sieve | None = None

    @property
    def rows(self) -> int:
        return self.new + self.unchanged + self.repeated + self.problems.count

    @property
    def changes_something(self) -> bool:
        return bool(self.new or self.new_gold or self.changed_gold)

    def shown(self) -> dict[str, object]:
        return ImportReport.shown(self) | {
            "new_dialogues": self.new_dialogues,
            "repeated": self.repeated,
            "without_reply": self.without_reply,
            "new_gold": self.new_gold,
            "changed_gold": self.changed_gold,
            "kept_gold": self.kept_gold,
            "has_keys": self.has_keys,
            "doubts": self.doubts.shown(),
            "identifiers": self.sieve.shown() if self.sieve else {},
        }

    def facts(self) -> dict[str, str | int]:
        gold = {"gold": self.new_gold + self.changed_gold}
        return ImportReport.facts(self) | gold | (self.sieve.facts() if self.sieve else {})


def import_items(
    *,
    study_id: int,
    source: Source,
    by: User | None,
    at: datetime,
    skip_bad: bool = False,
    dry_run: bool = False,
    watch: Watch = iter,
    sieve: Sieve | None = None,
) -> ItemsReport:
    """Import a file, as `run_import` does; `watch` wraps the rows, to show progress.

    `sieve` looks for identifiers, and does with them what was decided.
    """

    def read(study: Study, _change: Recording) -> ItemsReport:
        file = ItemFile(source, study.rubric_version.content)
        report = read_items(study, file, at=at, watch=watch, sieve=sieve)
        if sieve:
            sieve.settle(study, by=by, at=at)
        return report

    return run_import(
        study_id=study_id, read=read, by=by, at=at, skip_bad=skip_bad, dry_run=dry_run
    )


def read_items(
    study: Study,
    file: ItemFile,
    *,
    at: datetime,
    only_missing: bool = False,
    watch: Watch = iter,
    sieve: Sieve | None = None,
) -> ItemsReport:
    """Write the items of a file; with `only_missing` those that the study has are passed over."""
    report = ItemsReport(layout=file.layout, has_keys=file.has_keys, sieve=sieve)
    writer = _Writer(study, report, at=at, only_missing=only_missing)
    rows = sieve.over(watch(file)) if sieve else watch(file)
    take_all(without_problems(rows, report.problems), writer.take, report=report)
    report.ignored = sorted(file.ignored)
    return report


def _used_before(row: ItemRow, earlier: FilePlace) -> Sentence:
    if row.generator:
        return sentence(
            "The key “{key}” was used before, at {place}. Give the row another one or, where it is "
            "the key of a dialogue with several replies, say NAME = ConvID instead of NAME = key.",
            key=row.key,
            place=earlier.words,
        )
    return sentence(
        "The key “{key}” was used before, at {place}. Give the row another one.",
        key=row.key,
        place=earlier.words,
    )


class _Stored(NamedTuple):
    """An item that the study has already."""

    pk: int
    dialogue_key: str
    content_sha256: str
    generator: str
    content_note: str
    attributes: Mapping[str, str]


class _Writer:
    """Writes batches of rows into a study and keeps the report up to date.

    Rows whose key the study has already are compared with it; with `only_missing` they are
    passed over instead.
    """

    def __init__(
        self, study: Study, report: ItemsReport, *, at: datetime, only_missing: bool
    ) -> None:
        self._study = study
        self._report = report
        self._at = at
        self._only_missing = only_missing
        self._seen: dict[str, tuple[FilePlace, bytes]] = {}
        self._position = study.items.aggregate(last=Max("position"))["last"] or 0
        self._last_before = self._position

    def take(self, rows: Sequence[ItemRow]) -> None:
        rows = [row for row in rows if self._is_first_of_its_key(row)]
        stored = self._stored_items(rows)
        gold = self._write([row for row in rows if row.key not in stored])
        known = [(stored[row.key], row) for row in rows if row.key in stored]
        if not self._only_missing:
            known = [(item, row) for item, row in known if self._is_the_same(item, row)]
            gold += self._gold_to_change(known)
        self._report.unchanged += len(known)
        copy_in(
            Gold,
            ["item_id", "criterion_key", "label", "score", "origin", "decided_at"],
            (
                (item, one.criterion, one.label, one.score, GoldOrigin.IMPORTED.value, self._at)
                for item, one in gold
            ),
        )

    def _is_first_of_its_key(self, row: ItemRow) -> bool:
        """Whether no row before has the key; one with all the same is passed over, as a file has it
        that holds a rating a row, and any other refused."""
        whole = _digest(row)
        earlier, before = self._seen.setdefault(row.key, (row.place, whole))
        if earlier is not row.place and before == whole:
            self._report.repeated += 1
            return False
        return earlier is row.place or self._refuse(
            row, "key", FileReason.DUPLICATE, _used_before(row, earlier)
        )

    def _stored_items(self, rows: Sequence[ItemRow]) -> dict[str, _Stored]:
        found = Item.objects.filter(study=self._study, key__in=[row.key for row in rows])
        columns = ("pk", "dialogue__key", "content_sha256", *_Stored._fields[3:])
        return {key: _Stored(*rest) for key, *rest in found.values_list("key", *columns)}

    def _is_the_same(self, item: _Stored, row: ItemRow) -> bool:
        if (item.content_sha256, item.dialogue_key) != (row.content_sha256, row.dialogue_key):
            return self._refuse_change(row, "dialogue")
        if item.generator != row.generator:
            return self._refuse_change(row, "generator")
        if item.content_note != row.content_note:
            return self._refuse_change(row, "content_note")
        if item.attributes != row.attributes:
            return self._refuse_change(row, "attributes")
        return True

    def _write(self, rows: Sequence[ItemRow]) -> list[tuple[int, Answer]]:
        """Write new items and the dialogues they need; return (item id, gold)."""
        dialogues = self._stored_dialogues(rows)
        rows = [row for row in rows if self._has_its_text(row, dialogues)]
        keys = self._keys_of_texts(rows, dialogues)
        for row in rows:
            self._report.doubts.take(row, known_as=keys.get(row.content_sha256))
        ids = {key: dialogue.pk for key, dialogue in dialogues.items()}
        ids |= self._write_dialogues([row for row in rows if row.dialogue_key not in ids])
        items = list(zip(take_ids(Item, len(rows)), rows, strict=True))
        copy_in(
            Item,
            ["id", "study_id", "dialogue_id", "position", "attributes", *CONTENT],
            (
                (
                    *(pk, self._study.pk, ids[row.dialogue_key], position),
                    *(json.dumps(row.attributes, ensure_ascii=False), *content_of(row)),
                )
                for position, (pk, row) in enumerate(items, start=self._position + 1)
            ),
        )
        gold = [(pk, answer) for pk, row in items for answer in row.gold]
        self._position += len(items)
        self._report.new += len(items)
        self._report.new_gold += len(gold)
        self._report.without_reply += sum(row.reply is None for row in rows)
        return gold

    def _stored_dialogues(self, rows: Sequence[ItemRow]) -> dict[str, Dialogue]:
        keys = {row.dialogue_key for row in rows}
        return {one.key: one for one in Dialogue.objects.filter(study=self._study, key__in=keys)}

    def _keys_of_texts(
        self, rows: Sequence[ItemRow], dialogues: Mapping[str, Dialogue]
    ) -> dict[str, str]:
        """{text: the key of an item that had it before this file}, of the texts of the rows."""
        found = Item.objects.filter(
            dialogue__in=dialogues.values(),
            position__lte=self._last_before,
            content_sha256__in=[row.content_sha256 for row in rows],
        )
        return dict(found.values_list("content_sha256", "key"))

    def _has_its_text(self, row: ItemRow, dialogues: Mapping[str, Dialogue]) -> bool:
        dialogue = dialogues.get(row.dialogue_key)
        if self._only_missing or dialogue is None or dialogue.turns == list(row.turns):
            return True
        return self._refuse_change(row, "dialogue")

    def _write_dialogues(self, rows: Sequence[ItemRow]) -> dict[str, int]:
        turns = {row.dialogue_key: row.turns for row in rows}
        ids = dict(zip(turns, take_ids(Dialogue, len(turns)), strict=True))
        copy_in(
            Dialogue,
            ["id", "study_id", "key", "turns"],
            (
                (ids[key], self._study.pk, key, json.dumps(said, ensure_ascii=False))
                for key, said in turns.items()
            ),
        )
        self._report.new_dialogues += len(turns)
        return ids

    def _gold_to_change(self, known: Sequence[tuple[_Stored, ItemRow]]) -> list[tuple[int, Answer]]:
        """Retire imported gold that the file has otherwise; return what takes its place."""
        current = {
            (gold.item_id, gold.criterion_key): gold
            for gold in Gold.objects.filter(
                item__in=[item.pk for item, row in known if row.gold], superseded_at=None
            )
        }
        ambiguous = decided_ambiguous([item.pk for item, row in known if row.gold])
        outdated: list[Gold] = []
        new: list[tuple[int, Answer]] = []
        for item, row in known:
            for answer in row.gold:
                gold = current.get((item.pk, answer.criterion))
                if gold is None and (item.pk, answer.criterion) in ambiguous:
                    self._report.kept_gold += 1
                    continue
                if gold is None:
                    self._report.new_gold += 1
                elif (gold.label, gold.score) == (answer.label, answer.score):
                    continue
                elif gold.origin == GoldOrigin.IMPORTED:
                    outdated.append(gold)
                else:
                    self._report.kept_gold += 1
                    continue
                new.append((item.pk, answer))
        supersede(outdated, at=self._at)
        self._report.changed_gold += len(outdated)
        return new

    def _refuse_change(self, row: ItemRow, field: str) -> bool:
        return self._refuse(
            row,
            field,
            FileReason.OTHER_CONTENT,
            sentence(
                "The study has an item “{key}” with another content, and items never change. "
                "Give the row another key, or drop it.",
                key=row.key,
            ),
        )

    def _refuse(self, row: ItemRow, field: str, reason: FileReason, why: Sentence) -> bool:
        self._report.problems.add(FileProblem(row.place, field, reason, why))
        return False


def _digest(row: ItemRow) -> bytes:
    """What two rows of one key have in common where they say the same."""
    gold = [(one.criterion, one.label, one.score) for one in row.gold]
    content = (row.content_sha256, row.dialogue_key, row.generator, row.content_note)
    return sha256(json.dumps([content, sorted(row.attributes.items()), gold]).encode()).digest()
