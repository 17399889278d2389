"""Decide items whose raters disagree."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User
from annotation.actions import audits, drafts, viewing
from annotation.actions.moving import move_one
from annotation.actions.settling import supersede
from annotation.actions.studies import note_change
from annotation.models import (
    Adjudication,
    Gold,
    GoldAudit,
    GoldOrigin,
    Membership,
    Opinion,
    RoundItem,
)
from annotation.queries.cases import opinions_that_may_change
from annotation.queries.ratings import answers_in_round, rater_of, raters_of_item
from annotation.rubric.answers import Answer, Problem
from annotation.rubric.sentences import Sentence, sentence
from annotation.rubric.taxonomy import path_as_text
from annotation.rubric.versions import breaking_changes
from annotation.rules.deciding import (
    AMBIGUOUS,
    DecidedBy,
    Ruled,
    RulingRead,
    as_ruled,
    problem_with_code,
    read_ruling,
    reason_not_to_revise,
)
from annotation.rules.disagreement import differ
from annotation.rules.drawing import is_drawn
from annotation.rules.eligibility import reason_not_to_adjudicate
from annotation.rules.lifecycle import (
    ITEM_MOVES,
    ItemState,
    RoundState,
    RoundStep,
    problem_with_move,
)
from annotation.rules.protocol import reason_not_to_decide_now
from annotation.rules.remarks import problem_with_reason, tidied
from annotation.rules.seconding import needs_second, reason_not_to_second


class CannotAdjudicate(Exception):
    """A sentence that says why the item is not this account's to decide now."""


class Undecided(Exception):
    """What the decision lacks: `problems` name the criteria, `about_reason` says the rest."""

    def __init__(self, problems: Sequence[Problem], *, about_reason: Sentence | None) -> None:
        self.problems = tuple(problems)
        self.about_reason = about_reason
        super().__init__(*problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRuling:
    """What somebody decides, why, and in whose words."""

    values: Ruled
    reason: str
    code: str = DecidedBy.OTHER.value


@dataclass(frozen=True, slots=True, kw_only=True)
class _DecisionRead:
    """A ruling that fits the criteria in conflict, each of which is in it."""

    ruling: RulingRead
    reason: str
    code: str

    @property
    def answers(self) -> Sequence[Answer]:
        return self.ruling.answers

    @property
    def values(self) -> dict[str, str]:
        return self.ruling.values


@transaction.atomic
def decide(
    *, study_id: int, round_item_id: int, ruling: CaseRuling, by: User, at: datetime
) -> Adjudication | Opinion | GoldAudit:
    """Give the criteria in conflict their values, or none where they are ambiguous.

    Where the protocol has two decide, what comes first is an opinion, and there is no gold yet.
    """
    round_item = _locked(study_id, round_item_id)
    ruling = replace(ruling, reason=tidied(ruling.reason))
    if earlier := _sent_before(round_item, ruling, by) or _opinion_before(round_item, ruling, by):
        return earlier
    if audit := audits.of_item(round_item):
        return _audit(round_item, audit, ruling, by=by, at=at)
    rating_round = round_item.round
    state, protocol = ItemState(round_item.state), rating_round.rules
    opinions = list(round_item.opinions.order_by("pk"))
    refusal = (
        _reason_not_to_adjudicate(round_item, by)
        or problem_with_move(ITEM_MOVES, state, ItemState.ADJUDICATED)
        or reason_not_to_decide_now(
            protocol, RoundState(rating_round.state), RoundStep(rating_round.step)
        )
        or reason_not_to_second(
            state,
            protocol,
            by.pk,
            [one.decided_by_id for one in opinions],
            is_anyone_left=opinions_that_may_change(round_item.pk).exists(),
        )
    )
    if refusal:
        raise CannotAdjudicate(refusal)
    decision = _read(round_item, ruling)
    if state is ItemState.DISAGREED and _needs_second(round_item, decision):
        return _keep_opinion(round_item, decision, ItemState.SECOND, by=by, at=at)
    if state is ItemState.SECOND and opinions[0].values != decision.values:
        return _keep_opinion(round_item, decision, ItemState.SPLIT, by=by, at=at)
    if state is ItemState.SECOND:
        _opinion_of(round_item, decision, by=by, at=at)
    adjudication = _store(round_item, decision, by=by, at=at)
    move_one(round_item, ItemState.ADJUDICATED)
    _note(round_item, adjudication, "item.adjudicated")
    return adjudication


def _audit(
    round_item: RoundItem, audit: GoldAudit, ruling: CaseRuling, *, by: User, at: datetime
) -> GoldAudit:
    """Take what somebody decides on an item of the sample as if raters differed on it."""
    kept = as_ruled(round_item.round.rubric, audit.values or {}, audit.ways)
    if audit.decided_by_id == by.pk and (audit.reason, kept) == (ruling.reason, _sent(ruling)):
        return audit
    refusal = _reason_not_to_adjudicate(round_item, by)
    if audit.decided_at:
        refusal = refusal or problem_with_move(
            ITEM_MOVES, ItemState.ADJUDICATED, ItemState.ADJUDICATED
        )
    if refusal:
        raise CannotAdjudicate(refusal)
    decision = _read(round_item, ruling, audited=audit.criteria)
    audits.decide(
        audit,
        decided={answer.criterion: answer for answer in decision.answers},
        values=decision.values,
        ways=decision.ruling.ways,
        reason=decision.reason,
        code=decision.code,
        by=by,
        at=at,
    )
    drafts.forget(round_item=round_item)
    note_change(study_id=round_item.round.study_id)
    return audit


@transaction.atomic
def revise(
    *, study_id: int, round_item_id: int, ruling: CaseRuling, by: User, at: datetime
) -> Adjudication:
    """Decide an item anew; the decision before is kept, and so is the gold that it made."""
    round_item = _locked(study_id, round_item_id)
    ruling = replace(ruling, reason=tidied(ruling.reason))
    if earlier := _sent_before(round_item, ruling, by):
        return earlier
    refusal = _reason_not_to_adjudicate(round_item, by) or reason_not_to_revise(
        RoundState(round_item.round.state),
        ItemState(round_item.state),
        is_rated_later=_is_rated_later(round_item),
        has_other_rubric=_has_other_rubric(round_item),
        is_decided_by_two=round_item.opinions.exists(),
    )
    if refusal:
        raise CannotAdjudicate(refusal)
    decision = _read(round_item, ruling)
    if _needs_second(round_item, decision):
        raise CannotAdjudicate(
            sentence(
                "The protocol of this round asks for a second adjudicator where the decision is "
                "like this one: have the item rated again."
            )
        )
    standing = _standing(round_item)
    adjudication = _store(round_item, decision, by=by, at=at, supersedes=standing)
    _note(round_item, adjudication, "item.decided_anew")
    return adjudication


def _locked(study_id: int, round_item_id: int) -> RoundItem:
    """The item, whose round is read once the lock is held: it may have been cancelled meanwhile."""
    items = RoundItem.objects.select_for_update(of=("self",))
    round_item = items.filter(pk=round_item_id, round__study=study_id).first()
    if round_item is None:
        raise CannotAdjudicate(sentence("The study has no such case."))
    return round_item


def _reason_not_to_adjudicate(round_item: RoundItem, by: User) -> Sentence | None:
    return reason_not_to_adjudicate(
        raters_of_item(round_item.item_id),
        rater_of(by.pk),
        _roles(by, round_item.round.study_id),
    )


def _read(
    round_item: RoundItem, ruling: CaseRuling, *, audited: Collection[str] = ()
) -> _DecisionRead:
    """What the ruling comes to for the criteria in conflict, or those audited; Undecided."""
    given = answers_in_round(round_item.round_id, round_item.item_id)
    in_conflict = [
        criterion
        for criterion in round_item.round.rubric.criteria
        if criterion.key in audited
        or differ(criterion, [answers.get(criterion.key) for answers in given.values()])
    ]
    found = read_ruling(round_item.round.rubric, in_conflict, ruling.values)
    about_reason = problem_with_code(ruling.code) or problem_with_reason(ruling.reason)
    if found.problems or about_reason:
        raise Undecided(found.problems, about_reason=about_reason)
    return _DecisionRead(ruling=found, reason=ruling.reason, code=ruling.code)


def _needs_second(round_item: RoundItem, decision: _DecisionRead) -> bool:
    rating_round = round_item.round
    return needs_second(
        rating_round.rules,
        list(answers_in_round(rating_round.pk, round_item.item_id).values()),
        decision.values,
        is_drawn=is_drawn(
            round_item.pk,
            rating_round.rules.second_percent,
            seed=f"{rating_round.study.release_key}:second",
        ),
    )


def _keep_opinion(
    round_item: RoundItem, decision: _DecisionRead, state: ItemState, *, by: User, at: datetime
) -> Opinion:
    """Keep what one of two decides, after which the item waits for another adjudicator."""
    opinion = _opinion_of(round_item, decision, by=by, at=at)
    move_one(round_item, state)
    note_change(study_id=round_item.round.study_id)
    return opinion


def _opinion_of(
    round_item: RoundItem, decision: _DecisionRead, *, by: User, at: datetime
) -> Opinion:
    opinion = Opinion.objects.create(
        round_item=round_item,
        decided_by=by,
        decided_at=at,
        values=decision.values,
        ways=decision.ruling.ways,
        reason=decision.reason,
        code=decision.code,
    )
    drafts.forget(round_item=round_item, user=by)
    events.record(
        "item.opinion_given",
        subject=f"round_item:{round_item.pk}",
        by=by,
        at=at,
        facts={"opinion": opinion.pk},
    )
    return opinion


def _store(
    round_item: RoundItem,
    decision: _DecisionRead,
    *,
    by: User,
    at: datetime,
    supersedes: Adjudication | None = None,
) -> Adjudication:
    """Keep a decision and the gold that it makes."""
    adjudication = Adjudication.objects.create(
        round=round_item.round,
        item_id=round_item.item_id,
        decided_by=by,
        decided_at=at,
        reason=decision.reason,
        code=decision.code,
        ambiguous=list(decision.ruling.ambiguous),
        supersedes=supersedes,
    )
    _give_gold(adjudication, decision.answers)
    return adjudication


def _note(round_item: RoundItem, adjudication: Adjudication, verb: str) -> None:
    drafts.forget(round_item=round_item)
    events.record(
        verb,
        subject=f"round_item:{round_item.pk}",
        by=adjudication.decided_by,
        at=adjudication.decided_at,
        facts={
            "adjudication": adjudication.pk,
            "criteria": adjudication.gold.count(),
            "ambiguous": len(adjudication.ambiguous),
            "code": adjudication.code,
            "after_judges": viewing.has_seen_judges(
                round_item_id=round_item.pk, by=adjudication.decided_by
            ),
        },
    )
    note_change(study_id=round_item.round.study_id)


def _standing(round_item: RoundItem) -> Adjudication:
    """The decision of a decided item that no other has superseded."""
    return Adjudication.objects.get(
        round=round_item.round_id, item=round_item.item_id, superseded_by=None
    )


def _is_rated_later(round_item: RoundItem) -> bool:
    """Whether a later round decides the item: neither one that was cancelled, nor one in which its
    gold is known."""
    later = RoundItem.objects.filter(
        item=round_item.item_id, round__number__gt=round_item.round.number, is_gold=False
    )
    return later.exclude(round__state=RoundState.CANCELLED).exists()


def _has_other_rubric(round_item: RoundItem) -> bool:
    now = round_item.round.study.rubric_version.content
    return bool(breaking_changes(round_item.round.rubric, now))


def _sent_before(round_item: RoundItem, ruling: CaseRuling, by: User) -> Adjudication | None:
    """The same decision of the same person, whose receipt was lost on the way."""
    found = Adjudication.objects.filter(
        round=round_item.round_id,
        item=round_item.item_id,
        decided_by=by,
        reason=ruling.reason,
        code=ruling.code,
        superseded_by=None,
    ).first()
    if found is None:
        return None
    made = list(Gold.objects.filter(adjudication=found))
    values = dict.fromkeys(found.ambiguous, AMBIGUOUS) | {
        gold.criterion_key: gold.label if gold.label is not None else str(gold.score)
        for gold in made
    }
    ways = {gold.criterion_key: gold.path for gold in made if gold.path}
    return found if as_ruled(round_item.round.rubric, values, ways) == _sent(ruling) else None


def _opinion_before(round_item: RoundItem, ruling: CaseRuling, by: User) -> Opinion | None:
    """The same for what one of two has decided."""
    found = round_item.opinions.filter(decided_by=by, reason=ruling.reason, code=ruling.code)
    rubric, sent = round_item.round.rubric, _sent(ruling)
    return next((one for one in found if as_ruled(rubric, one.values, one.ways) == sent), None)


def _sent(ruling: CaseRuling) -> dict[str, str | dict[str, str]]:
    return {
        key: dict(value) if isinstance(value, Mapping) else str(value)
        for key, value in ruling.values.items()
    }


def _give_gold(adjudication: Adjudication, answers: Sequence[Answer]) -> None:
    decided = [*(answer.criterion for answer in answers), *adjudication.ambiguous]
    earlier = Gold.objects.filter(
        item=adjudication.item_id, criterion_key__in=decided, superseded_at=None
    )
    supersede(list(earlier), at=adjudication.decided_at)
    Gold.objects.bulk_create(
        Gold(
            item_id=adjudication.item_id,
            criterion_key=answer.criterion,
            label=answer.label,
            score=answer.score,
            path=path_as_text(answer.path),
            origin=GoldOrigin.ADJUDICATED,
            round_id=adjudication.round_id,
            adjudication=adjudication,
            decided_at=adjudication.decided_at,
        )
        for answer in answers
    )


def _roles(user: User, study_id: int) -> list[str]:
    membership = Membership.objects.filter(user=user, study=study_id).first()
    return membership.roles if membership else []
