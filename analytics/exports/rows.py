"""The rows of an export: read once, in an order that is always the same."""

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any, cast

from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Collate

from analytics.exports.pseudonyms import public_name
from annotation.models import (
    Gold,
    Item,
    Quarantine,
    Rater,
    RaterKind,
    Rating,
    Round,
    Study,
    Submission,
)
from annotation.queries.visibility import rated_now
from annotation.rubric.schema import Rubric
from annotation.rules.lifecycle import RoundState
from annotation.rules.visibility import (
    Author,
    Given,
    Reader,
    phase_of,
    reason_to_withhold,
    reason_to_withhold_judges,
)
from judging.models import Judge, JudgeCall

AT_ONCE = 5000
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
    study: Study, rubric: Rubric, reader: Reader, tally: ExportTally
) -> Iterator[list[Row]]:
    """The ratings of one submission after the other, in the rubric's order."""
    order = {criterion.key: place for place, criterion in enumerate(rubric.criteria)}
    now = _rated_now(study)
    found = (
        Rating.objects.filter(submission__study=study, submission__is_current=True)
        .annotate(item_key=Collate("submission__item__key", "C"))
        .order_by("item_key", "submission_id")
        .values(
            "item_key",
            "submission_id",
            "criterion_key",
            "label",
            "score",
            "off_scale",
            "unscored",
            "submission__repeat",
            "submission__origin",
            dialogue=F("submission__item__dialogue__key"),
            generator=F("submission__item__generator"),
            item_id=F("submission__item_id"),
            rater_id=F("submission__rater_id"),
            rater_key=F("submission__rater__key"),
            rater_kind=F("submission__rater__kind"),
            round_number=F("submission__round__number"),
            round_state=F("submission__round__state"),
            version=F("submission__rubric_version__number"),
        )
    )
    rows_of_study = cast("Iterator[Row]", found.iterator(AT_ONCE))
    for _item, of_item in groupby(rows_of_study, itemgetter("item_key")):
        submissions = [
            [_rating(study, one) for one in sorted(rows, key=lambda one: _place(one, order))]
            for _submission, given in groupby(of_item, itemgetter("submission_id"))
            if (rows := _told(list(given), reader, now, tally))
        ]
        yield from sorted(submissions, key=_of_submission)


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


def _place(row: Row, order: Mapping[str, int]) -> tuple[int, str]:
    return order.get(row["criterion_key"], len(order)), row["criterion_key"]


def _of_submission(rows: Sequence[Row]) -> tuple[str, int, int]:
    first = rows[0]
    return first["rater"], first["round"] or 0, first["repeat"]


def _rating(study: Study, row: Row) -> Row:
    return {
        "item": row["item_key"],
        "dialogue": row["dialogue"],
        "generator": row["generator"],
        "rater": public_name(
            study.release_key,
            rater_id=row["rater_id"],
            key=row["rater_key"],
            kind=row["rater_kind"],
        ),
        "rater_kind": row["rater_kind"],
        "round": row["round_number"],
        "repeat": row["submission__repeat"],
        "origin": row["submission__origin"],
        "rubric_version": row["version"],
        "criterion": row["criterion_key"],
        "label": row["label"],
        "score": row["score"],
        "off_scale": row["off_scale"],
        "unscored": row["unscored"],
    }


def wide(rows: Sequence[Row], rubric: Rubric) -> Row:
    """The ratings of one submission side by side."""
    values = {
        row["criterion"]: row["score"] if row["label"] is None else row["label"] for row in rows
    }
    return (
        dict(rows[0])
        | {criterion.key: values.get(criterion.key) for criterion in rubric.criteria}
        | {
            "off_scale": " ".join(row["criterion"] for row in rows if row["off_scale"]),
            "unscored": " ".join(
                f"{row['criterion']}:{row['unscored']}" for row in rows if row["unscored"]
            ),
        }
    )


def gold(study: Study, reader: Reader) -> Iterator[Row]:
    """Current gold that the reader may see."""
    now = _rated_now(study)
    found = (
        Gold.objects.filter(item__study=study, superseded_at=None)
        .annotate(item_key=Collate("item__key", "C"))
        .order_by("item_key", "criterion_key")
        .values(
            *("item_key", "item_id", "criterion_key", "label", "score", "origin"),
            number=F("round__number"),
            state=F("round__state"),
        )
    )
    for row in found.iterator(AT_ONCE):
        phase = phase_of(row["state"], is_rated_now=row["item_id"] in now)
        if reason_to_withhold(reader, Given(author=Author.GOLD, phase=phase)):
            continue
        yield {
            "item": row["item_key"],
            "criterion": row["criterion_key"],
            "label": row["label"],
            "score": row["score"],
            "origin": row["origin"],
            "round": row["number"],
        }


def items(study: Study) -> Iterator[Row]:
    """Every item without its texts, and whether it is set aside from figures."""
    aside = Quarantine.objects.filter(item=OuterRef("pk"), lifted_at=None)
    for item in (
        _items(study)
        .annotate(is_aside=Exists(aside))
        .values("item_key", "dialogue__key", "position", "generator", "content_sha256", "is_aside")
    ):
        yield {
            "item": item["item_key"],
            "dialogue": item["dialogue__key"],
            "position": item["position"],
            "generator": item["generator"],
            "content_sha256": item["content_sha256"],
            "set_aside": item["is_aside"],
        }


def texts(study: Study) -> Iterator[Row]:
    """Every item's dialogue and reply."""
    for item in _items(study).values("item_key", "dialogue__turns", "reply_speaker", "reply"):
        yield {
            "item": item["item_key"],
            "turns": item["dialogue__turns"],
            "reply_speaker": item["reply_speaker"],
            "reply": item["reply"],
        }


def _items(study: Study) -> QuerySet[Any, Any]:
    return (
        Item.objects.filter(study=study).annotate(item_key=Collate("key", "C")).order_by("item_key")
    )


def rounds(study: Study) -> Iterator[Row]:
    """The closed rounds and what they reached."""
    for one in Round.objects.filter(study=study, state=RoundState.CLOSED).order_by("number"):
        yield {
            "round": one.number,
            "raters_per_item": one.raters_per_item,
            "gate": one.gate,
            "repeat_percent": one.repeat_percent,
            "fleiss_kappa": one.kappa,
            "fleiss_kappa_low": one.kappa_low,
            "fleiss_kappa_high": one.kappa_high,
            "fleiss_kappa_items": one.kappa_items,
            "fleiss_kappa_criterion": one.kappa_criterion,
            "verdict": one.verdict,
        }


def judges(study: Study) -> Iterator[Row]:
    """Every judge that rated, by key; one whose ratings were imported has no settings here."""
    rated = Submission.objects.filter(study=study, is_current=True).values("rater")
    settings = {judge.rater_id: judge for judge in Judge.objects.filter(rater__in=rated)}
    for rater in Rater.objects.filter(pk__in=rated, kind=RaterKind.JUDGE).order_by(
        Collate("key", "C")
    ):
        judge = settings.get(rater.pk)
        known = [
            *("llm", "base_url", "manner", "prompt_language", "prompt_edition"),
            *("temperature", "max_tokens", "json_answer", "is_stand_in"),
        ]
        yield {
            "judge": rater.key,
            "name": rater.name,
            "own_generators": sorted(rater.own_generators),
        } | {name: getattr(judge, name, None) for name in known}


def judge_calls(study: Study, reader: Reader) -> Iterator[Row]:
    """Every call that was answered or given up, with its raw answers."""
    if reason_to_withhold_judges(reader):
        return
    found = (
        JudgeCall.objects.filter(run__study=study)
        .exclude(outcome="")
        .annotate(item_key=Collate("item__key", "C"))
        .order_by("item_key", "run__judge__rater__key", "run_id", "repeat")
        .values(
            "item_key",
            "repeat",
            "outcome",
            "problem",
            "attempts",
            "sent_at",
            "answered_at",
            "prompt_sha256",
            "item_sha256",
            "exchanges",
            judge=F("run__judge__rater__key"),
            version=F("run__rubric_version__number"),
        )
    )
    for call in found.iterator(AT_ONCE):
        row: Row = dict(call)
        yield {
            "judge": row.pop("judge"),
            "item": row.pop("item_key"),
            "rubric_version": row.pop("version"),
        } | row
