"""Bring a file of ratings into a study: all of them or none, and never twice."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import uuid4

from accounts.models import User
from annotation.actions.imports.copying import Watch
from annotation.actions.imports.items import ItemsReport, read_items
from annotation.actions.imports.raters import RaterGiven, Raters
from annotation.actions.imports.refusals import (
    CannotImport,
    refuse_counting_from_1,
    without_problems,
)
from annotation.actions.imports.running import ImportReport, run_import, take_all
from annotation.actions.imports.screening import Sieve
from annotation.actions.imports.sets import in_sets
from annotation.actions.recording import AnswerSet, Recording
from annotation.models import (
    Dialogue,
    Item,
    Origin,
    Rater,
    Rating,
    Study,
    Submission,
)
from annotation.readers.items import ItemFile
from annotation.readers.problems import FilePlace, FileProblem, FileReason
from annotation.readers.ratings import RatingFile, RatingSet
from annotation.readers.records import Source
from annotation.readers.texts import dialogue_sha256
from annotation.readers.values import UNSCORED, Value
from annotation.rubric.sentences import Sentence, sentence


@dataclass(slots=True, kw_only=True)
class RatingsReport(ImportReport):
    """What a file of ratings came to, or, on a dry run, would come to.

    A set is all that one rater says of one item at one repeat; `repeats` is the highest of them.
    `scored` counts ratings by criterion, `values` those on the scale by criterion and value,
    `unscored` by the reason why there is no value, `off_scale` by the released value.
    `other_texts` counts conversations whose text in the file is not the study's.
    `without_family` are judges whose own sources nobody has named, `llms_as_people` new people who
    are called as an LLM is, `known_raters` who had ratings here before, `called_alike` raters who may
    be one. `declined` counts answers that were rejected or skipped by whoever was to give them.
    """

    verb = "ratings.imported"
    grows = (Dialogue, Item, Submission, Rating)

    raters: int = 0
    repeats: int = 1
    new_raters: Sequence[Rater] = ()
    known_raters: Sequence[str] = ()
    redescribed: int = 0
    without_family: Sequence[str] = ()
    llms_as_people: Sequence[str] = ()
    called_alike: Sequence[tuple[str, ...]] = ()
    changed: int = 0
    asked: set[str] = field(default_factory=set)
    scored: Counter[str] = field(default_factory=Counter)
    values: dict[str, Counter[str | int]] = field(default_factory=dict)
    unscored: Counter[str] = field(default_factory=Counter)
    off_scale: Counter[int] = field(default_factory=Counter)
    other_texts: int = 0
    declined: int = 0
    items: ItemsReport | None = None

    @property
    def sets(self) -> int:
        return self.new + self.changed + self.unchanged

    @property
    def rows(self) -> int:
        return self.sets + self.problems.count

    @property
    def n_scored(self) -> int:
        return self.scored.total()

    @property
    def ratings(self) -> int:
        return self.n_scored + self.unscored.total()

    @property
    def without_values(self) -> list[str]:
        """Criteria that the file is about and gives no value for: is one spelt otherwise?"""
        return sorted(self.asked - self.scored.keys())

    @property
    def new_items(self) -> int:
        return self.items.new if self.items else 0

    @property
    def changes_something(self) -> bool:
        return bool(self.new or self.changed or self.redescribed or self.new_items)

    def shown(self) -> dict[str, object]:
        return ImportReport.shown(self) | {
            "new_items": self.new_items,
            "identifiers": self.items.shown()["identifiers"] if self.items else {},
            "raters": self.raters,
            "repeats": self.repeats,
            "new_raters": [{"key": one.key, "kind": one.kind} for one in self.new_raters],
            "known_raters": list(self.known_raters),
            "redescribed": self.redescribed,
            "without_family": list(self.without_family),
            "llms_as_people": list(self.llms_as_people),
            "called_alike": [" = ".join(keys) for keys in self.called_alike],
            "without_values": self.without_values,
            "changed": self.changed,
            "n_changed": self.new + self.changed,
            "n_scored": self.n_scored,
            "given": [(key, sorted(counts.items())) for key, counts in self.values.items()],
            "unscored": dict(self.unscored),
            "off_scale": sorted(self.off_scale.items()),
            "other_texts": self.other_texts,
            "declined": self.declined,
        }

    def facts(self) -> dict[str, str | int]:
        return ImportReport.facts(self) | {
            "changed": self.changed,
            "ratings": self.ratings,
            "unscored": self.unscored.total(),
            "off_scale": self.off_scale.total(),
            "new_items": self.new_items,
            **({"declined": self.declined} if self.declined else {}),
        }


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
    sieve: Sieve | None = None,
) -> RatingsReport:
    """Import a file, as `run_import` does; `watch` wraps the rows, to show progress.

    `rater` is whose ratings these are; a table with a column for it needs no key. `with_items`
    first creates the items that a MentalAlign file speaks of and the study lacks; `sieve` looks
    for identifiers in them.
    """

    def read(study: Study, change: Recording) -> RatingsReport:
        rubric = study.rubric_version.content
        file = RatingFile(source, rubric)
        items = None
        if with_items:
            if not file.is_of_one_rater:
                raise CannotImport(
                    sentence(
                        "Only the MentalAlign layout brings its items along. Import the items "
                        "first."
                    )
                )
            items = read_items(
                study, ItemFile(source, rubric), at=at, only_missing=True, sieve=sieve
            )
            if sieve:
                sieve.settle(study, by=by, at=at)
        report = _read_ratings(study, file, change, rater, by, at, watch)
        report.items = items
        return report

    return run_import(
        study_id=study_id, read=read, by=by, at=at, skip_bad=skip_bad, dry_run=dry_run
    )


def _read_ratings(
    study: Study,
    file: RatingFile,
    change: Recording,
    given: RaterGiven | None,
    by: User | None,
    at: datetime,
    watch: Watch,
) -> RatingsReport:
    if file.is_of_one_rater and not (given and given.key):
        raise CannotImport(
            sentence("This layout holds the ratings of one rater, so say which: give its key.")
        )
    raters = Raters(study, given, kind_in_file=file.kind, by=by)
    report = RatingsReport(layout=file.layout)
    rows = without_problems(watch(file), report.problems)
    sets = rows if file.is_of_one_rater else in_sets(rows, given, report.problems)
    writer = RatingWriter(study, change, raters, report, at=at)
    take_all(sets, writer.take, report=report)
    refuse_counting_from_1(
        writer.unknown,
        is_item=lambda key: Item.objects.filter(study=study, key=key).exists(),
        is_named=writer.named.__contains__,
    )
    if not report.problems.count:
        raters.check_judges()
    report.raters = raters.count
    report.new_raters = raters.new
    report.known_raters = raters.known
    report.redescribed = raters.redescribed
    report.without_family = raters.without_family
    report.llms_as_people = raters.llms_as_people
    report.called_alike = raters.called_alike
    report.ignored = sorted(file.ignored)
    report.declined = file.declined
    if file.is_of_one_rater and report.sets and not report.n_scored:
        [(reason, _count)] = report.unscored.most_common(1)
        raise CannotImport(
            sentence(
                "Not one rating could be read, mostly for this reason: {reason} The cells must "
                "hold JSON that names the criteria: {criteria}.",
                reason=UNSCORED[reason],
                criteria=", ".join(sorted(report.asked)),
            )
        )
    return report


class RatingWriter:
    """Writes batches of sets into a study and keeps the report up to date."""

    def __init__(
        self,
        study: Study,
        change: Recording,
        raters: Raters,
        report: RatingsReport,
        *,
        at: datetime,
    ) -> None:
        self._study = study
        self._change = change
        self._raters = raters
        self._report = report
        self._at = at
        self.unknown: set[str] = set()  # whether one key alone is no item's
        self.named: set[str] = set()  # whether “0” is among the keys
        self._seen: dict[_Whose, FilePlace] = {}
        self._compared: set[str] = set()

    def take(self, sets: Sequence[RatingSet]) -> None:
        self._compare_texts(sets)
        found = Item.objects.filter(study=self._study, key__in={one.item_key for one in sets})
        items = dict(found.values_list("key", "pk"))
        self.named |= {"0"} & items.keys()
        if len(self.unknown) < 2:
            self.unknown |= {one.item_key for one in sets} - items.keys()
        targets = [
            _Target(self._raters.id_of(one.rater), items[one.item_key], one)
            for one in sets
            if self._is_known(one, items)
        ]
        targets = [target for target in targets if self._is_first(target)]
        for target in targets:
            self._count(target.given)
        self._change.copy(
            self._changes_of(targets),
            origin=Origin.IMPORT,
            rubric_version=self._study.rubric_version_id,
        )

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
            FileReason.UNKNOWN_ITEM,
            sentence(
                "The study has no item “{key}”. Import the items first, or correct the key.",
                key=one.item_key,
            ),
        )

    def _is_first(self, target: "_Target") -> bool:
        place = target.given.place
        earlier = self._seen.setdefault(target.whose, place)
        return earlier is place or self._refuse(
            target.given,
            FileReason.DUPLICATE,
            sentence(
                "The item “{key}” was rated before, at {place}. Keep one of the two.",
                key=target.given.item_key,
                place=earlier.words,
            ),
        )

    def _refuse(self, one: RatingSet, reason: FileReason, why: Sentence) -> bool:
        self._report.problems.add(FileProblem(one.place, one.field, reason, why))
        return False

    def _count(self, one: RatingSet) -> None:
        self._report.repeats = max(self._report.repeats, one.repeat)
        for value in one.values:
            self._report.asked.add(value.criterion)
            if value.unscored:
                self._report.unscored[value.unscored] += 1
            else:
                self._report.scored[value.criterion] += 1
            if value.off_scale and value.score is not None:
                self._report.off_scale[value.score] += 1
            elif (given := value.score if value.label is None else value.label) is not None:
                self._report.values.setdefault(value.criterion, Counter())[given] += 1

    def _changes_of(self, targets: Sequence["_Target"]) -> list[AnswerSet]:
        """What is new, and what differs from the ratings that the study has now.

        Criteria that the file says nothing of keep their value, and a comment stays.
        """
        current = _current_sets(targets)
        changes = []
        for target in targets:
            now = current.get(target.whose, _Current(None, "", {}))
            wanted = now.values | {value.criterion: value for value in target.given.values}
            comment = target.given.comment or now.comment
            if now.submission is None:
                self._report.new += 1
            elif (wanted, comment) == (now.values, now.comment):
                self._report.unchanged += 1
                continue
            else:
                self._report.changed += 1
            changes.append(
                AnswerSet(
                    key=uuid4(),
                    item=target.item,
                    rater=target.rater,
                    values=tuple(wanted.values()),
                    submitted_at=self._at,
                    repeat=target.given.repeat,
                    comment=comment,
                    supersedes=now.submission,
                )
            )
        return changes


class _Whose(NamedTuple):
    """Whose answers to what they are: ids, and at which repeat."""

    rater: int
    item: int
    repeat: int


class _Target(NamedTuple):
    """A set with the ids of its rater and item."""

    rater: int
    item: int
    given: RatingSet

    @property
    def whose(self) -> _Whose:
        return _Whose(self.rater, self.item, self.given.repeat)


class _Current(NamedTuple):
    """What the study has of a rater and an item at a repeat now."""

    submission: int | None
    comment: str
    values: dict[str, Value]


def _current_sets(targets: Sequence[_Target]) -> dict[_Whose, _Current]:
    """{whose: what the study has now}, for those of which it has something."""
    found = {
        pk: (_Whose(*whose), _Current(pk, comment, {}))
        for pk, comment, *whose in Submission.objects.filter(
            rater__in={target.rater for target in targets},
            item__in=[target.item for target in targets],
            origin=Origin.IMPORT,
            is_current=True,
        ).values_list("pk", "comment", "rater_id", "item_id", "repeat")
    }
    ratings = Rating.objects.filter(submission__in=found)
    for pk, *given in ratings.values_list(
        *("submission_id", "criterion_key", "label", "score", "unscored", "off_scale", "path")
    ):
        value = Value(*given)
        found[pk][1].values[value.criterion] = value
    return dict(found.values())
