"""Go on under another edition of a rubric, with the ratings that there are, and take it back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import uuid4

from django.db import transaction
from django.db.models import Q

from accounts import events
from accounts.models import User
from annotation.actions import recording, rubrics
from annotation.actions.recording import AnswerSet, Recording
from annotation.actions.settling import supersede
from annotation.actions.studies import note_change
from annotation.models import (
    Gold,
    Origin,
    Rating,
    RubricChange,
    RubricVersion,
    Study,
    Submission,
)
from annotation.queries.grounds import grounds_of
from annotation.queries.rubric_changes import is_unused
from annotation.readers.values import Value
from annotation.rubric.grounds import Grounds
from annotation.rubric.loading import load
from annotation.rubric.schema import Criterion, Rubric
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules import carrying
from annotation.rules.carrying import AGAIN, Plan, fate_of
from annotation.rules.lifecycle import RoundState

SETS_AT_ONCE = 2_000


class CannotChangeEdition(Exception):
    """A sentence that says why the study stays under its edition."""


@transaction.atomic
def publish_next(
    *, study_id: int, definition: Mapping[str, object], is_judged: bool, by: User, at: datetime
) -> RubricVersion:
    """Publish what was written for a study. One that nothing was done in yet, by people or judges,
    goes on under it at once; elsewhere it changes nothing before `change_edition`."""
    study = Study.objects.select_for_update().get(pk=study_id)
    rubric, before = load(definition), study.rubric_version
    is_free = not is_judged and is_unused(study)
    if rubric == before.content:
        raise CannotChangeEdition(sentence("The study is under this edition already."))
    if not is_free and rubric.key != before.content.key:
        raise CannotChangeEdition(
            sentence(
                "The study was begun under this rubric, so the key stays “{key}”.",
                key=before.content.key,
            )
        )
    version = rubrics.publish(definition=definition, by=by, at=at)
    if is_free:
        study.rubric_version = version
        study.save(update_fields=["rubric_version"])
        events.record(
            "study.rubric_chosen",
            subject=f"study:{study_id}",
            by=by,
            at=at,
            facts={"before": before.pk, "after": version.pk},
        )
        note_change(study_id=study_id)
    return version


@transaction.atomic
def change_edition(
    *, study_id: int, version_id: int, plan: Plan, by: User, at: datetime
) -> RubricChange:
    """Have a study go on under another edition: ratings that it changes are carried over by the
    plan, and those that cannot be are withdrawn until their items are rated again."""
    study = Study.objects.select_for_update().get(pk=study_id)
    old, new = study.rubric_version, RubricVersion.objects.get(pk=version_id)
    refusal = _reason_to_wait(study) or carrying.problem_with_plan(plan, old.content, new.content)
    if refusal is None and old == new:
        refusal = sentence("The study is under this edition already.")
    if refusal:
        raise CannotChangeEdition(refusal)
    plan = carrying.completed(plan, old.content, new.content)
    with recording.change(study_id=study_id) as change:
        made = RubricChange(study=study, before=old, after=new, plan=plan, made_at=at, made_by=by)
        again = _carry_ratings(change, made)
        _carry_gold(made, at=at)
        if carrying.all_again(plan):
            again |= set(study.items.values_list("pk", flat=True))
        made.again = sorted(again)
        made.save()
        study.rubric_version = new
        study.save(update_fields=["rubric_version"])
        change.count()
        change.record(
            "study.edition_changed",
            subject=f"study:{study_id}",
            by=by,
            at=at,
            facts={
                "change": made.pk,
                "before": old.pk,
                "after": new.pk,
                "carried": len(made.carried),
                "withdrawn": len(made.withdrawn),
                "again": len(made.again),
            },
        )
    return made


@transaction.atomic
def take_back(*, study_id: int, change_id: int, by: User, at: datetime) -> RubricChange:
    """Go on under the edition before, every rating as it was; what was carried over is kept."""
    study = Study.objects.select_for_update().get(pk=study_id)
    made = RubricChange.objects.select_for_update().filter(pk=change_id, study=study).first()
    refusal = _reason_to_wait(study) or _reason_not_to_take_back(study, made)
    if made is None or refusal:
        raise CannotChangeEdition(refusal)
    with recording.change(study_id=study_id) as change:
        change.withdraw(made.carried)
        change.bring_back(made.withdrawn)
        supersede(list(Gold.objects.filter(pk__in=made.gold_made)), at=at)
        Gold.objects.filter(pk__in=made.gold_retired).update(superseded_at=None)
        made.undone_at, made.undone_by = at, by
        made.save(update_fields=["undone_at", "undone_by"])
        study.rubric_version = made.before
        study.save(update_fields=["rubric_version"])
        change.record(
            "study.edition_taken_back",
            subject=f"study:{study_id}",
            by=by,
            at=at,
            facts={"change": made.pk, "before": made.after_id, "after": made.before_id},
        )
    return made


def _reason_to_wait(study: Study) -> Sentence | None:
    still_open = study.rounds.filter(state=RoundState.OPEN).first()
    if still_open is None:
        return None
    return sentence(
        "Round {number} is open: close or cancel it first, so that nobody rates under two editions.",
        number=still_open.number,
    )


def _reason_not_to_take_back(study: Study, made: RubricChange | None) -> Sentence | None:
    if made is None or made.undone_at or made.after_id != study.rubric_version_id:
        return sentence("Only the last change can be taken back.")
    since = Submission.objects.filter(study=study, rubric_version=made.after, is_current=True)
    if since.exclude(pk__in=made.carried).exclude(submitted_at__lt=made.made_at).exists():
        return sentence(
            "Items were rated under this edition since: publish another edition instead."
        )
    brought = Gold.objects.filter(item__study=study, round=None, superseded_at=None)
    if brought.filter(decided_at__gt=made.made_at).exists():
        return sentence(
            "Gold was imported under this edition since: publish another edition instead."
        )
    return None


def _carry_ratings(change: Recording, made: RubricChange) -> set[int]:
    """Carry over what the plan changes; the items of which something has to be rated again."""
    again: set[int] = set()
    for submissions in _changed(made):
        values = _values_of(submissions)
        heirs = {one.pk: [_heir(made, value) for value in values[one.pk]] for one in submissions}
        again |= {one.item_id for one in submissions if None in heirs[one.pk]}
        withdrawn = [one.pk for one in submissions if heirs[one.pk] != values[one.pk]]
        change.withdraw(withdrawn)
        made.withdrawn += withdrawn
        gone, beside = set(withdrawn), grounds_of(withdrawn)
        for origin in Origin:
            kept = [
                _as_set(one, left, _still_said(made, beside.get(one.pk, ()), values[one.pk], left))
                for one in submissions
                if one.origin == origin and one.pk in gone
                for left in [[heir for heir in heirs[one.pk] if heir is not None]]
                if left
            ]
            stored = change.store(kept, origin=origin, rubric_version=made.after_id)
            made.carried += [submission.pk for submission in stored]
    return again


def _changed(made: RubricChange) -> Iterator[Sequence[Submission]]:
    """The current submissions with a value that the plan changes, some at a time."""
    places = Q()
    for place in made.plan:
        criterion, _is, value = place.partition("=")
        if value:
            places |= Q(criterion_key=criterion, label=value)
        if _is_number(value):
            places |= Q(criterion_key=criterion, score=int(value))
    if not places:
        return
    touched = Rating.objects.filter(
        places, submission__study=made.study, submission__is_current=True
    )
    ids = sorted(set(touched.values_list("submission_id", flat=True)))
    for start in range(0, len(ids), SETS_AT_ONCE):
        yield list(Submission.objects.filter(pk__in=ids[start : start + SETS_AT_ONCE]))


def _is_number(value: str) -> bool:
    return value.removeprefix("-").isdigit()


def _values_of(submissions: Sequence[Submission]) -> dict[int, list[Value]]:
    found: dict[int, list[Value]] = {one.pk: [] for one in submissions}
    rows = Rating.objects.filter(submission__in=found).order_by("pk")
    for pk, *value in rows.values_list(
        *("submission_id", "criterion_key", "label", "score", "unscored", "off_scale", "path")
    ):
        found[pk].append(Value(*value))
    return found


def _heir(made: RubricChange, value: Value) -> Value | None:
    """What a value is under the new edition; None where that has to be rated again."""
    old = value.label if value.label is not None else str(value.score)
    fate = fate_of(made.plan, value.criterion, old)
    if fate is None or value.unscored or value.off_scale:
        return value
    if fate == AGAIN:
        return None
    answer = carrying.as_new(_criteria(made.after.content)[value.criterion], fate)
    return Value(value.criterion, label=answer.label, score=answer.score)


def _criteria(rubric: Rubric) -> dict[str, Criterion]:
    return {criterion.key: criterion for criterion in rubric.criteria}


def _still_said(
    made: RubricChange, beside: Sequence[Grounds], before: Sequence[Value], after: Sequence[Value]
) -> tuple[Grounds, ...]:
    """What was said beside values that stay as they are; of what else could be defended, what it is
    under the new edition."""
    given = {one.criterion: one for one in before if one in after}
    return tuple(
        replace(one, defensible=_others(made, one, given[one.criterion]))
        for one in beside
        if one.criterion in given
    )


def _others(made: RubricChange, beside: Grounds, given: Value) -> tuple[str, ...]:
    own = str(given.score) if given.label is None else given.label
    fates = {
        value: fate_of(made.plan, beside.criterion, value) or value for value in beside.defensible
    }
    return tuple(dict.fromkeys(one for one in fates.values() if one not in (AGAIN, own)))


def _as_set(one: Submission, values: Sequence[Value], grounds: Sequence[Grounds]) -> AnswerSet:
    return AnswerSet(
        key=uuid4(),
        item=one.item_id,
        rater=one.rater_id,
        values=values,
        submitted_at=one.submitted_at,
        repeat=one.repeat,
        seconds=one.seconds,
        comment=one.comment,
        round=one.round_id,
        assignment=one.assignment_id,
        grounds=grounds,
    )


def _carry_gold(made: RubricChange, *, at: datetime) -> None:
    retired, heirs = [], []
    for gold in Gold.objects.filter(item__study=made.study, superseded_at=None):
        value = Value(gold.criterion_key, label=gold.label, score=gold.score)
        heir = _heir(made, value)
        if heir == value:
            continue
        retired.append(gold)
        if heir is not None:
            heirs.append(
                Gold(
                    item_id=gold.item_id,
                    criterion_key=gold.criterion_key,
                    label=heir.label,
                    score=heir.score,
                    origin=gold.origin,
                    round_id=gold.round_id,
                    adjudication_id=gold.adjudication_id,
                    decided_at=at,
                )
            )
    supersede(retired, at=at)
    made.gold_retired = [gold.pk for gold in retired]
    made.gold_made = [gold.pk for gold in Gold.objects.bulk_create(heirs)]
