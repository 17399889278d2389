"""Bring a file of ratings into a study: all of them or none, and never twice."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import uuid4

from django.db import IntegrityError, transaction

from accounts import events
from accounts.models import User
from annotation.actions.imports.copying import (
    Watch,
    copy_in,
    in_batches,
    one_import_at_a_time,
    take_ids,
    tell_planner,
)
from annotation.actions.imports.items import BATCH, ROWS_SHOWN, ItemsReport, ItemWriter
from annotation.actions.imports.raters import RaterGiven, Raters
from annotation.actions.imports.refusals import (
    CHANGED_MEANWHILE,
    NO_ROWS,
    CannotImport,
    Problems,
    without_problems,
)
from annotation.actions.imports.sets import in_sets
from annotation.actions.studies import note_change
from annotation.models import (
    Dialogue,
    Item,
    Origin,
    Rating,
    Study,
    Submission,
)
from annotation.readers.items import ItemFile
from annotation.readers.problems import Place, Problem, Reason
from annotation.readers.ratings import RatingFile, RatingSet
from annotation.readers.records import Source
from annotation.readers.texts import dialogue_sha256
from annotation.readers.values import Value
from annotation.rubric.sentences import Sentence, sentence


@dataclass(slots=True, kw_only=True)
class RatingsReport:
    """What a file of ratings came to, or, on a dry run, would come to.

    A set is all that one rater says of one item. `scored` counts ratings by criterion,
    `unscored` by the reason why there is no value, `off_scale` by the released value.
    `other_texts` counts conversations whose text in the file is not the study's.
    """

    layout: str
    raters: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    scored: Counter[str] = field(default_factory=Counter)
    unscored: Counter[str] = field(default_factory=Counter)
    off_scale: Counter[int] = field(default_factory=Counter)
    other_texts: int = 0
    items: ItemsReport | None = None
    ignored: Collection[str] = ()
    problems: Problems = field(default_factory=Problems)
    first: list[RatingSet] = field(default_factory=list)
    is_written: bool = False

    @property
    def sets(self) -> int:
        return self.new + self.changed + self.unchanged

    @property
    def n_scored(self) -> int:
        return self.scored.total()

    @property
    def ratings(self) -> int:
        return self.n_scored + self.unscored.total()

    @property
    def changes_something(self) -> bool:
        return bool(self.new or self.changed or (self.items and self.items.new))


def import_ratings(
    *,
    study_id: int,
    source: Source,
    rater: RaterGiven | None,
    by: User | None,
    at: datetime,
    with_items: bool = False,
    skip_bad: bool = False,
    dry_run: bool = False,
    watch: Watch = iter,
) -> RatingsReport:
    """Import a file. With bad rows nothing is written, unless they are to be skipped.

    `rater` is whose ratings these are; a table with a column for it needs none. `with_items`
    first creates the items that a workbook speaks of and the study lacks. A dry run is the import
    itself, undone at the end. `watch` wraps the rows, to show progress. CannotRead or
    CannotImport where the file as a whole, or the moment, is wrong.
    """
    try:
        with transaction.atomic():
            one_import_at_a_time(study_id)
            study = Study.objects.select_related("rubric_version").get(pk=study_id)
            items = _missing_items(study, source, at) if with_items else None
            report = _read_into(study, source, rater, by, at, watch)
            report.items = items
            if dry_run or (report.problems.count and not skip_bad):
                transaction.set_rollback(True)
                return report
            report.is_written = True
            _record(study, report, by=by, at=at)
    except IntegrityError as error:
        raise CannotImport(CHANGED_MEANWHILE) from error
    return report


def _missing_items(study: Study, source: Source, at: datetime) -> ItemsReport:
    if not source.is_workbook:
        raise CannotImport(
            sentence("Only a workbook brings its items along. Import the items first.")
        )
    file = ItemFile(source, study.rubric_version.content)
    report = ItemsReport(layout=file.layout)
    writer = ItemWriter(study, report, at=at, only_missing=True)
    for batch in in_batches(without_problems(file, report.problems), BATCH):
        writer.take(batch)
    return report


def _read_into(
    study: Study,
    source: Source,
    given: RaterGiven | None,
    by: User | None,
    at: datetime,
    watch: Watch,
) -> RatingsReport:
    file = RatingFile(source, study.rubric_version.content)
    if given is None and source.is_workbook:
        raise CannotImport(
            sentence("A workbook holds the ratings of one rater, so say which: give its key.")
        )
    raters = Raters(study, given, kind_in_file=file.kind, by=by)
    report = RatingsReport(layout=file.layout)
    rows = without_problems(watch(file), report.problems)
    sets = rows if source.is_workbook else in_sets(rows, given, report.problems)
    writer = RatingWriter(study, raters, report, at=at)
    for batch in in_batches(sets, BATCH):
        report.first += batch[: ROWS_SHOWN - len(report.first)]
        writer.take(batch)
    if not report.sets and not report.problems.count:
        raise CannotImport(NO_ROWS)
    report.raters = raters.count
    report.ignored = sorted(file.ignored)
    return report


def _record(study: Study, report: RatingsReport, *, by: User | None, at: datetime) -> None:
    events.record(
        "ratings.imported",
        subject=f"study:{study.pk}",
        by=by,
        at=at,
        facts={
            "layout": report.layout,
            "new": report.new,
            "changed": report.changed,
            "unchanged": report.unchanged,
            "ratings": report.ratings,
            "unscored": report.unscored.total(),
            "off_scale": report.off_scale.total(),
            "new_items": report.items.new if report.items else 0,
            "skipped": report.problems.count,
        },
    )
    if report.changes_something:
        tell_planner(Dialogue, Item, Submission, Rating)
        note_change(study_id=study.pk)


class RatingWriter:
    """Writes batches of sets into a study and keeps the report up to date."""

    def __init__(
        self, study: Study, raters: Raters, report: RatingsReport, *, at: datetime
    ) -> None:
        self._study = study
        self._raters = raters
        self._report = report
        self._at = at
        self._seen: dict[tuple[int, int], Place] = {}
        self._compared: set[str] = set()

    def take(self, sets: Sequence[RatingSet]) -> None:
        self._compare_texts(sets)
        found = Item.objects.filter(study=self._study, key__in={one.item_key for one in sets})
        items = dict(found.values_list("key", "pk"))
        targets = [
            _Target(self._raters.id_of(one.rater), items[one.item_key], one)
            for one in sets
            if self._is_known(one, items)
        ]
        targets = [target for target in targets if self._is_first(target)]
        for target in targets:
            self._count(target.given)
        self._write(self._changes_of(targets))

    def _compare_texts(self, sets: Sequence[RatingSet]) -> None:
        """Notice conversations that were rated under another text than the study's."""
        texts = {one.dialogue_key: one.dialogue_sha256 for one in sets if one.dialogue_key}
        fresh = texts.keys() - self._compared
        self._compared |= fresh
        stored = Dialogue.objects.filter(study=self._study, key__in=fresh)
        self._report.other_texts += sum(
            dialogue_sha256(turns) != texts[key]
            for key, turns in stored.values_list("key", "turns")
        )

    def _is_known(self, one: RatingSet, items: Collection[str]) -> bool:
        return one.item_key in items or self._refuse(
            one,
            Reason.UNKNOWN_ITEM,
            sentence(
                "The study has no item “{key}”. Import the items first, or correct the key.",
                key=one.item_key,
            ),
        )

    def _is_first(self, target: "_Target") -> bool:
        place = target.given.place
        earlier = self._seen.setdefault((target.rater, target.item), place)
        return earlier is place or self._refuse(
            target.given,
            Reason.DUPLICATE,
            sentence(
                "The item “{key}” was rated before, at {place}. Keep one of the two.",
                key=target.given.item_key,
                place=earlier.words,
            ),
        )

    def _refuse(self, one: RatingSet, reason: Reason, why: Sentence) -> bool:
        self._report.problems.add(Problem(one.place, one.field, reason, why))
        return False

    def _count(self, one: RatingSet) -> None:
        for value in one.values:
            if value.unscored:
                self._report.unscored[value.unscored] += 1
            else:
                self._report.scored[value.criterion] += 1
            if value.off_scale:
                self._report.off_scale[value.score] += 1

    def _changes_of(self, targets: Sequence["_Target"]) -> list["_Change"]:
        """What is new, and what differs from the ratings that the study has now.

        Criteria that the file says nothing of keep their value.
        """
        current = _current_sets(targets)
        changes = []
        for target in targets:
            supersedes, values = current.get((target.rater, target.item), (None, {}))
            wanted = values | {value.criterion: value for value in target.given.values}
            if supersedes is None:
                self._report.new += 1
            elif wanted == values:
                self._report.unchanged += 1
                continue
            else:
                self._report.changed += 1
            changes.append(_Change(target, supersedes, tuple(wanted.values())))
        return changes

    def _write(self, changes: Sequence["_Change"]) -> None:
        outdated = [change.supersedes for change in changes if change.supersedes is not None]
        Submission.objects.filter(pk__in=outdated).update(is_current=False)
        ids = take_ids(Submission, len(changes))
        of_all = {
            "study_id": self._study.pk,
            "rubric_version_id": self._study.rubric_version_id,
            "origin": Origin.IMPORT.value,
            "submitted_at": self._at,
        }
        copy_in(
            Submission,
            ["id", "key", "item_id", "rater_id", "supersedes_id", *of_all],
            (
                (
                    *(pk, uuid4(), change.target.item, change.target.rater, change.supersedes),
                    *of_all.values(),
                )
                for pk, change in zip(ids, changes, strict=True)
            ),
        )
        copy_in(
            Rating,
            ["submission_id", "criterion_key", "label", "score", "unscored", "off_scale"],
            (
                (pk, *value)
                for pk, change in zip(ids, changes, strict=True)
                for value in change.values
            ),
        )


class _Target(NamedTuple):
    """A set with the ids of its rater and item."""

    rater: int
    item: int
    given: RatingSet


class _Change(NamedTuple):
    """A submission to write, and the one it takes the place of."""

    target: _Target
    supersedes: int | None
    values: tuple[Value, ...]


def _current_sets(
    targets: Sequence[_Target],
) -> dict[tuple[int, int], tuple[int, dict[str, Value]]]:
    """{(rater, item): (submission, {criterion: value})} as the study has them now."""
    submissions = {
        pk: (rater, item)
        for pk, rater, item in Submission.objects.filter(
            rater__in={target.rater for target in targets},
            item__in=[target.item for target in targets],
            origin=Origin.IMPORT,
            is_current=True,
        ).values_list("pk", "rater_id", "item_id")
    }
    values: dict[int, dict[str, Value]] = {pk: {} for pk in submissions}
    ratings = Rating.objects.filter(submission__in=submissions)
    for pk, *columns in ratings.values_list(
        "submission_id", "criterion_key", "label", "score", "unscored", "off_scale"
    ):
        values[pk][columns[0]] = Value(*columns)
    return {target: (pk, values[pk]) for pk, target in submissions.items()}
