"""The rows of an export: read once, in an order that is always the same for a recipient."""

import json
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from heapq import merge
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Collate

from analytics.exports.columns import JUDGES, OF_A_JUDGE, names
from analytics.exports.order import PlaceInOrder, place_of
from analytics.exports.pseudonyms import public_name
from analytics.pairs.numbers import numbered
from analytics.ratings import juries
from analytics.ratings.blinding import cover_of
from annotation.models import (
    Adjudication,
    BroughtAmbiguity,
    Gold,
    GoldOrigin,
    Item,
    Quarantine,
    Rater,
    RaterKind,
    Rating,
    RatingGrounds,
    Round,
    RoundItem,
    Study,
    Submission,
)
from annotation.queries.visibility import in_splits, rated_now
from annotation.rubric.answers import Answer
from annotation.rubric.derived import derived
from annotation.rubric.schema import Rubric, Taxonomy
from annotation.rules.granting import Split
from annotation.rules.lifecycle import RoundState
from annotation.rules.repeating import FIRST
from annotation.rules.visibility import (
    Author,
    Given,
    Reader,
    phase_of,
    reason_to_withhold,
    reason_to_withhold_judges,
)
from judging.models import Judge, JudgeCall, JudgeRun, Preference, ReplyComparison
from judging.queries.runs import which_rate

AT_ONCE = 5000
TEXTS_AT_ONCE = 500
Row = dict[str, Any]


@dataclass(slots=True)
class ExportTally:
    """What went in, and what stayed out because the reader may not see it yet."""

    ratings: int = 0
    off_scale: int = 0
    unscored: dict[str, int] = field(default_factory=dict)
    raters: dict[str, set[str]] = field(
        default_factory=lambda: {kind: set() for kind in RaterKind.values}
    )
    blinded: int = 0
    derived: dict[str, int] = field(default_factory=dict)
    incomplete: dict[str, int] = field(default_factory=dict)

    def count_derived(self, row: Row) -> None:
        counts = self.incomplete if row["lacks"] else self.derived
        counts[row["derived"]] = counts.get(row["derived"], 0) + 1

    def count(self, row: Row) -> None:
        self.ratings += 1
        self.off_scale += bool(row["off_scale"])
        if reason := row["unscored"]:
            self.unscored[reason] = self.unscored.get(reason, 0) + 1
        self.raters[row["rater_kind"]].add(row["rater"])


@contextmanager
def one_moment() -> Iterator[None]:
    """All that is read inside is as it was at one moment, whoever writes meanwhile."""
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def ratings(
    study: Study,
    rubric: Rubric,
    reader: Reader,
    tally: ExportTally,
    *,
    order: str,
    items: Sequence[int] | None = None,
) -> Iterator[list[Row]]:
    """The ratings of one submission after the other, in the rubric's order; of some `items` with
    what a file without texts has beside them, or of every one."""
    asked = {criterion.key: place for place, criterion in enumerate(rubric.criteria)}
    found, columns = _given(Rating, study, reader, order), _RATING
    if items is not None:
        found = found.filter(submission__item__in=items).annotate(**_BESIDE)
        columns = columns | {name: name for name in _BESIDE}
    for told in _by_item(found, columns, study, reader, tally):
        yield from sorted(
            (sorted(rows, key=lambda one: _place(one, asked)) for rows in told),
            key=_of_submission,
        )


_SAID = RatingGrounds.objects.filter(
    submission=OuterRef("submission"), criterion_key=OuterRef("criterion_key")
)
_BESIDE = {name: Subquery(_SAID.values(name)) for name in ("confidence", "defensible")}
_ONLY_IN_WORDS = Q(confidence=None, defensible=[])  # said with texts alone


def has_grounds(study: Study, *, with_texts: bool) -> bool:
    """Whether anything was said beside a value that a file would hold."""
    said = RatingGrounds.objects.filter(submission__study=study)
    return (said if with_texts else said.exclude(_ONLY_IN_WORDS)).exists()


def has_rationales(study: Study) -> bool:
    return RatingGrounds.objects.filter(submission__study=study).exclude(rationale="").exists()


def grounds(study: Study, reader: Reader, *, order: str, with_texts: bool) -> Iterator[Row]:
    """What was said beside the ratings that are told, item by item as these; `with_texts`, and what
    it quotes, with the texts themselves for who looks through them."""
    told = _given(RatingGrounds, study, reader, order)
    found = told if with_texts else told.exclude(_ONLY_IN_WORDS)
    columns = _GROUNDS_QUOTED if with_texts else _GROUNDS
    for of_item in _by_item(found, columns, study, reader, ExportTally()):
        in_order = sorted(of_item, key=_of_submission)
        yield from map(_in_words, chain.from_iterable(in_order))


def _in_words(row: Row) -> Row:
    """What was said, its lists parted by blanks; with the texts of the item, where it quotes them."""
    said = row | {name: " ".join(row[name]) for name in ("defensible", "evidence") if name in row}
    if "evidence" in row:
        turns = [turn["text"] for turn in said.pop("turns")]
        said["texts"] = [*turns, said.pop("reply") or ""]
    return said


def _alike(*names: str) -> dict[str, str]:
    """Columns that are named as their fields."""
    return {name: name for name in names}


_WHOSE = {
    "item": "submission__item__key",
    "dialogue": "submission__item__dialogue__key",
    "generator": "submission__item__generator",
    "rater_kind": "submission__rater__kind",
    "round": "submission__round__number",
    "repeat": "submission__repeat",
    "origin": "submission__origin",
    "rubric_version": "submission__rubric_version__number",
    "criterion": "criterion_key",
}
_RATING = _WHOSE | _alike("label", "score", "off_scale", "unscored", "path")
_GROUNDS = _WHOSE | _alike("confidence", "defensible")
_GROUNDS_QUOTED = (
    _GROUNDS
    | _alike("evidence", "unverified", "rationale")
    | {"turns": "submission__item__dialogue__turns", "reply": "submission__item__reply"}
)
# Whether and where a row is told, which is not told with it.
_OF_TELLING = {
    "submission": "submission_id",
    "item_id": "submission__item_id",
    "rater_id": "submission__rater_id",
    "rater_key": "submission__rater__key",
    "round_state": "submission__round__state",
}


def _given(
    model: type[Rating] | type[RatingGrounds], study: Study, reader: Reader, order: str
) -> QuerySet[Any, Any]:
    """What current submissions have, item after item in the recipient's order."""
    return (
        model.objects.filter(submission__study=study, submission__is_current=True)
        .filter(in_splits(reader.splits, "submission__item"))
        .order_by(
            PlaceInOrder(F("submission__item__key"), order=order), "submission_id", "criterion_key"
        )
    )


def _named(
    found: QuerySet[Any, Any], columns: Mapping[str, str], *, at_once: int = AT_ONCE
) -> Iterator[Row]:
    """The rows of a query, {column: field}."""
    for values in found.values_list(*columns.values()).iterator(at_once):
        yield dict(zip(columns, values, strict=True))


def _by_item(
    found: QuerySet[Any, Any],
    columns: Mapping[str, str],
    study: Study,
    reader: Reader,
    tally: ExportTally,
) -> Iterator[list[list[Row]]]:
    """The rows of each submission that the reader may see, item by item."""
    now = _rated_now(study)
    rows_of_study = _named(found, {**columns, **_OF_TELLING})
    for _item, of_item in groupby(rows_of_study, itemgetter("item")):
        yield [
            [_public(study, row, columns) for row in rows]
            for _submission, given in groupby(of_item, itemgetter("submission"))
            if (rows := _told(list(given), reader, now, tally))
        ]


def _public(study: Study, row: Row, columns: Mapping[str, str]) -> Row:
    """What is told of a row, its rater by the name that is told."""
    rater = public_name(
        study.release_key, rater_id=row["rater_id"], key=row["rater_key"], kind=row["rater_kind"]
    )
    return {name: row[name] for name in columns} | {"rater": rater}


def _rated_now(study: Study) -> set[int]:
    return set(rated_now(study).values_list("item", flat=True))


def _told(rows: list[Row], reader: Reader, now: Container[int], tally: ExportTally) -> list[Row]:
    """The ratings of a submission if the reader may see them; `now`: items in an open round."""
    one = rows[0]
    phase = phase_of(one["round_state"], is_rated_now=one["item_id"] in now)
    given = Given(author=Author(one["rater_kind"]), rater=one["rater_id"], phase=phase)
    if reason_to_withhold(reader, given) is None:
        return rows
    tally.blinded += len(rows)
    return []


def _place(row: Row, asked: Mapping[str, int]) -> tuple[int, str]:
    return asked.get(row["criterion"], len(asked)), row["criterion"]


def _of_submission(rows: Sequence[Row]) -> tuple[str, int, int]:
    first = rows[0]
    return first["rater"], first["round"] or 0, first["repeat"]


def derived_of(rows: Sequence[Row], rubric: Rubric) -> Iterator[Row]:
    """The derived scores of one submission; those that lack a part name what they lack."""
    given = [answer for row in rows if (answer := _answer(row, rubric))]
    has = {answer.criterion for answer in given}
    for key, score in derived(rubric, given).items():
        lacks = [part for part in rubric.made_of(key) if part not in has]
        yield dict(rows[0]) | {"derived": key, "score": score, "lacks": " ".join(lacks)}


def _answer(row: Row, rubric: Rubric) -> Answer | None:
    """A rating that counts in figures: on the scale, or a label that the rubric knows."""
    key, label, score = row["criterion"], row["label"], row["score"]
    criterion = next((one for one in rubric.criteria if one.key == key), None)
    if criterion is None or row["off_scale"] or row["unscored"]:
        return None
    if isinstance(criterion, Taxonomy) and label not in {one.key for one in criterion.labels}:
        return None
    return Answer(criterion=key, label=label, score=score)


def wide(rows: Sequence[Row], rubric: Rubric) -> Row:
    """The ratings of one submission side by side, and what is derived from them."""
    values = {
        row["criterion"]: row["score"] if row["label"] is None else row["label"] for row in rows
    }
    return (
        dict(rows[0])
        | {criterion.key: values.get(criterion.key) for criterion in rubric.criteria}
        | {row["derived"]: row["score"] for row in derived_of(rows, rubric)}
        | {
            "off_scale": " ".join(row["criterion"] for row in rows if row["off_scale"]),
            "unscored": " ".join(
                f"{row['criterion']}:{row['unscored']}" for row in rows if row["unscored"]
            ),
        }
    )


def gold(
    study: Study, reader: Reader, *, order: str, items: Sequence[int] | None = None
) -> Iterator[Row]:
    """Current gold that the reader may see, and what is truly ambiguous, with the distribution."""
    values = _gold_values(study, reader, order=order, items=items)
    ambiguous = _ambiguous(study, reader, order=order, items=items)
    yield from merge(values, ambiguous, key=lambda row: place_of(row["item"], order))


def _gold_values(
    study: Study, reader: Reader, *, order: str, items: Sequence[int] | None
) -> Iterator[Row]:
    now = _rated_now(study)
    found = (
        Gold.objects.filter(item__study=study, superseded_at=None)
        .filter(in_splits(reader.splits, "item"))
        .order_by(PlaceInOrder(F("item__key"), order=order), "criterion_key")
    )
    if items is not None:
        found = found.filter(item__in=items)
    for row in _named(found, _GOLD):
        phase = phase_of(row.pop("state"), is_rated_now=row.pop("item_id") in now)
        if reason_to_withhold(reader, Given(author=Author.GOLD, phase=phase)) is None:
            yield row | {"ambiguous": False, "distribution": None}


_GOLD = {
    "item": "item__key",
    "criterion": "criterion_key",
    **_alike("label", "score", "path", "origin", "item_id"),
    "round": "round__number",
    "state": "round__state",
}


def _ambiguous(
    study: Study, reader: Reader, *, order: str, items: Sequence[int] | None
) -> list[Row]:
    """What has no gold because an adjudicator found it ambiguous, here or where it came from."""
    now = _rated_now(study)
    found = [*_found_ambiguous(study, reader, items), *_brought_ambiguous(study, reader, items)]
    decided = set(
        Gold.objects.filter(item__in={one.item for one in found}, superseded_at=None).values_list(
            "item_id", "criterion_key"
        )
    )
    told: dict[tuple[int, str], Row] = {}
    for one in found:
        phase = phase_of(one.state, is_rated_now=one.item in now)
        is_withheld = reason_to_withhold(reader, Given(author=Author.GOLD, phase=phase))
        if is_withheld or (one.item, one.criterion) in decided | told.keys():
            continue
        told[one.item, one.criterion] = {
            "item": one.key,
            "criterion": one.criterion,
            "label": None,
            "score": None,
            "origin": GoldOrigin.ADJUDICATED if one.state else GoldOrigin.IMPORTED,
            "round": one.number,
            "ambiguous": True,
            "distribution": one.distribution,
            "path": "",
        }
    return sorted(told.values(), key=lambda row: (place_of(row["item"], order), row["criterion"]))


class _Open(NamedTuple):
    """A criterion on which an item is ambiguous; of no round where a release brought it."""

    item: int
    key: str
    criterion: str
    distribution: str
    number: int | None = None
    state: str | None = None


def _found_ambiguous(study: Study, reader: Reader, items: Sequence[int] | None) -> Iterator[_Open]:
    """Of decisions that stand, the newest first."""
    standing = (
        Adjudication.objects.filter(round__study=study, superseded_by=None)
        .exclude(ambiguous=[])
        .exclude(round__state=RoundState.CANCELLED)
        .filter(in_splits(reader.splits, "item"))
        .order_by("-pk")
    )
    if items is not None:
        standing = standing.filter(item__in=items)
    decisions = standing.values_list(
        *("item_id", "item__key", "ambiguous", "round_id", "round__number", "round__state")
    )
    answers = _distributions(standing)
    for item, key, criteria, in_round, number, state in decisions:
        for criterion in criteria:
            told = " ".join(
                f"{value}:{n}" for value, n in sorted(answers[in_round, item, criterion].items())
            )
            yield _Open(item, key, criterion, told, number, state)


def _distributions(
    decisions: QuerySet[Adjudication, Any],
) -> Mapping[tuple[int, int, str], Counter[str]]:
    """{(round, item, criterion): how many of its raters gave which value, or why they gave none}."""
    found: defaultdict[tuple[int, int, str], Counter[str]] = defaultdict(Counter)
    rated = Rating.objects.filter(
        submission__round__in=decisions.values("round"),
        submission__item__in=decisions.values("item"),
        submission__is_current=True,
        submission__repeat=FIRST,
    ).values_list(
        *("submission__round", "submission__item", "criterion_key", "label", "score", "unscored")
    )
    for in_round, item, criterion, label, score, unscored in rated:
        value = score if label is None else label
        found[in_round, item, criterion][unscored if value is None else str(value)] += 1
    return found


def _brought_ambiguous(
    study: Study, reader: Reader, items: Sequence[int] | None
) -> Iterator[_Open]:
    brought = BroughtAmbiguity.objects.filter(in_splits(reader.splits, "item"), item__study=study)
    if items is not None:
        brought = brought.filter(item__in=items)
    for told in brought.order_by("pk").values_list(
        "item_id", "item__key", "criterion_key", "distribution"
    ):
        yield _Open(*told)


def items(study: Study, reader: Reader, *, order: str) -> Iterator[Row]:
    """The items without their texts: their split, whether they are set aside from figures, and the
    chance that each had to be drawn for people, once the round that it was drawn for is closed."""
    aside = Quarantine.objects.filter(item=OuterRef("pk"), lifted_at=None)
    drawn = RoundItem.objects.filter(item=OuterRef("pk"), round__state=RoundState.CLOSED)
    chance = Subquery(drawn.order_by("round__number").values("probability")[:1])
    found = _items(study, reader, order).annotate(set_aside=Exists(aside), probability=chance)
    for item in _named(found, _ITEM):
        told = item.pop("attributes")
        yield item | {
            "attributes": json.dumps(told, ensure_ascii=False, sort_keys=True) if told else "",
            "split": Split.OPEN.value if item.pop("opened") else Split.RESTRICTED.value,
        }


_ITEM = {
    "item": "key",
    "dialogue": "dialogue__key",
    **_alike("position", "generator", "content_note", "attributes", "content_sha256"),
    **_alike("set_aside", "probability", "opened"),
}


def texts(study: Study, reader: Reader, *, order: str) -> Iterator[Row]:
    """The items' dialogues and replies."""
    columns = {"item": "key", "turns": "dialogue__turns"}
    columns |= _alike("reply_speaker", "reply")
    return _named(_items(study, reader, order), columns, at_once=TEXTS_AT_ONCE)


def _items(study: Study, reader: Reader, order: str) -> QuerySet[Any, Any]:
    granted = Item.objects.filter(in_splits(reader.splits), study=study)
    return granted.order_by(PlaceInOrder(F("key"), order=order))


def rounds(study: Study) -> Iterator[Row]:
    """The closed rounds and what they reached."""
    closed = Round.objects.filter(study=study, state=RoundState.CLOSED).order_by("number")
    columns = {"round": "number", "measure": "protocol__measure"}
    columns |= _alike("raters_per_item", "gate", "repeat_percent", "verdict")
    columns |= _alike("drawn_from", "audit_percent")
    columns |= {
        f"fleiss_kappa{end}": f"kappa{end}"
        for end in ("", "_low", "_high", "_items", "_criterion", "_undefined")
    }
    return _named(closed, columns)


def judges(study: Study, *, with_comparing: bool = False) -> Iterator[Row]:
    """Every judge that rated, or with them those that compared replies, by key, and the juries; one whose ratings were
    imported has no settings here, and one that is blinded neither settings nor a name."""
    if (cover := cover_of(study.pk)) is not None:
        nothing: Row = dict.fromkeys(names(JUDGES))
        seated = {juries.number_of(jury) for jury in juries.in_force(study.pk)}
        for number, one in sorted(cover.judges.items(), key=lambda both: both[1].id):
            if juries.is_number(number) and number not in seated:
                continue
            who = {"judge": one.key, "name": one.name, "own_generators": []}
            yield nothing | who | {"is_jury": juries.is_number(number)}
        return
    rated = Submission.objects.filter(study=study, is_current=True).values("rater")
    answered = Q(pk__in=rated)
    if with_comparing:
        answered |= Q(pk__in=Judge.objects.filter(runs__comparison__study=study).values("rater"))
    raters = Rater.objects.filter(answered, kind=RaterKind.JUDGE).order_by(Collate("key", "C"))
    known_here = Judge.objects.filter(rater__in=raters).select_related("template", "endpoint")
    settings = {judge.rater_id: judge for judge in known_here}
    for rater in raters:
        judge = settings.get(rater.pk)
        template, endpoint = (judge.template, judge.endpoint) if judge else (None, None)
        asked = {
            "endpoint": getattr(endpoint, "key", None),
            "endpoint_version": getattr(endpoint, "number", None),
            "dialect": getattr(endpoint, "dialect", None),
            "processor": getattr(endpoint, "processor", None),
            "prompt": getattr(template, "name", None),
            "prompt_version": getattr(template, "number", None),
            "template_sha256": getattr(template, "sha256", None),
            "prompt_text": getattr(template, "text", None),
        }
        settled = {name: getattr(judge, name, None) for name in OF_A_JUDGE}
        known_of: Row = {"judge": rater.key, "name": rater.name, "is_jury": False}
        known_of["own_generators"] = sorted(rater.own_generators)
        yield dict.fromkeys(_OF_JURY) | known_of | settled | asked
    yield from _juries(study)


_OF_JURY = (
    *("jury_members", "jury_rule", "jury_quorum", "jury_weights"),
    *("jury_answers_seen", "jury_named_at"),
)


def _juries(study: Study) -> Iterator[Row]:
    """The juries in force: of whom, by which rule, with which weights."""
    nothing: Row = dict.fromkeys(names(JUDGES))
    for jury in juries.in_force(study.pk):
        members = Rater.objects.filter(pk__in=jury.members)
        keys = {one.pk: one.key for one in members}
        yield nothing | {
            "judge": jury.key,
            "name": jury.name,
            "own_generators": sorted({name for one in members for name in one.own_generators}),
            "is_jury": True,
            "jury_members": [keys[one] for one in jury.members],
            "jury_rule": jury.rule,
            "jury_quorum": jury.quorum,
            "jury_weights": {
                criterion: {keys[int(one)]: found for one, found in weights.items()}
                for criterion, weights in jury.weights.items()
            },
            "jury_answers_seen": jury.n_seen,
            "jury_named_at": jury.named_at.isoformat(),
        }


def has_pairs(study: Study) -> bool:
    """Whether judges were asked to compare replies."""
    return ReplyComparison.objects.filter(study=study).exists()


def comparisons(study: Study, reader: Reader) -> Iterator[Row]:
    """What was asked in each comparison, and of whom."""
    if reason_to_withhold_judges(reader):
        return iter(())
    asked = JudgeRun.objects.filter(comparison__study=study, retry_of=None).order_by("comparison")
    return _numbered(study, _named(asked, _COMPARISON))


_COMPARISON = {
    "comparison": "comparison",
    "judge": "judge__rater__key",
    "rubric_version": "rubric_version__number",
    "most_pairs": "comparison__most",
    **{
        name: f"comparison__{name}"
        for name in ("reference", "both_orders", "overall", "values", "ties", "n_pairs", "seed")
    },
}


def _numbered(study: Study, rows: Iterable[Row]) -> Iterator[Row]:
    """Comparisons by their place in the study, which says nothing of others."""
    numbers = numbered(study.pk)
    return (row | {"comparison": numbers[row["comparison"]]} for row in rows)


def preferences(study: Study, reader: Reader, *, order: str) -> Iterator[Row]:
    """What each call about a pair came to, by its newest reading; of what was asked again where the
    endpoint had failed, what came of that."""
    asked_again = _pair_calls(study, reader, order).filter(
        run__comparison=OuterRef("call__run__comparison"),
        **{name: OuterRef(f"call__{name}") for name in ("item", "second", "repeat")},
        pk__gt=OuterRef("call"),
    )
    found = (
        Preference.objects.filter(
            call__in=_pair_calls(study, reader, order).order_by().values("pk"),
            edition=F("call__parser_edition"),
        )
        .exclude(Exists(asked_again.order_by()))
        .order_by(
            PlaceInOrder(F("call__item__key"), order=order),
            *("call__run__comparison", "call__second__key", "call__repeat", "pk"),
        )
    )
    return _numbered(study, _named(found, _PREFERENCE))


_PREFERENCE = {
    "comparison": "call__run__comparison",
    "judge": "call__run__judge__rater__key",
    "item": "call__item__key",
    "second": "call__second__key",
    "repeat": "call__repeat",
    "criterion": "criterion_key",
    "parser_edition": "edition",
    **_alike("preferred", "first_score", "second_score", "unscored"),
}


def pair_calls(study: Study, reader: Reader, *, order: str) -> Iterator[Row]:
    """Every call about a pair that was answered or given up, with its raw answers."""
    return _numbered(study, _named(_pair_calls(study, reader, order), _PAIR_CALL))


def _pair_calls(study: Study, reader: Reader, order: str) -> QuerySet[JudgeCall]:
    """Those about two replies that the reader may both see, in the recipient's order."""
    calls = JudgeCall.objects.filter(
        in_splits(reader.splits, "item"),
        in_splits(reader.splits, "second"),
        run__study=study,
        run__comparison__isnull=False,
    ).exclude(outcome="")
    if reason_to_withhold_judges(reader):
        calls = calls.none()
    return calls.order_by(
        PlaceInOrder(F("item__key"), order=order),
        *("run__comparison", "run_id", "second__key", "repeat"),
    )


_CALL = {
    "judge": "run__judge__rater__key",
    "item": "item__key",
    **_alike("repeat", "outcome", "problem", "parser_edition", "attempts"),
    **_alike("sent_at", "answered_at", "prompt_sha256", "item_sha256"),
    "exchanges": "exchanges",
}
_PAIR_CALL = _CALL | {"comparison": "run__comparison", "second": "second__key"}
_JUDGE_CALL = _CALL | {"rubric_version": "run__rubric_version__number"}


def judge_calls(study: Study, reader: Reader, *, order: str) -> Iterator[Row]:
    """Every call that was answered or given up, with its raw answers."""
    if reason_to_withhold_judges(reader):
        return iter(())
    found = (
        JudgeCall.objects.filter(
            in_splits(reader.splits, "item"), which_rate("run__"), run__study=study
        )
        .exclude(outcome="")
        .order_by(
            PlaceInOrder(F("item__key"), order=order), "run__judge__rater__key", "run_id", "repeat"
        )
    )
    return _named(found, _JUDGE_CALL)
