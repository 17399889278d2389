"""Open rounds, close them, and keep the agreement they reached."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from django.db import transaction
from django.db.models import Max

from accounts import events
from accounts.models import User
from annotation import queue
from annotation.actions import drafts, draws, protocol, qualifying, repeats
from annotation.actions.imports.copying import copy_in
from annotation.actions.moving import move_one
from annotation.actions.studies import note_change
from annotation.actions.teams import rater_of
from annotation.models import Assignment, Item, Round, RoundItem, Seat, Study
from annotation.queries.qualified import problem_with_panel
from annotation.queries.rounds import annotating, progress_of
from annotation.rubric.sentences import sentence
from annotation.rules import assigning, closing, repeating
from annotation.rules.lifecycle import ROUND_MOVES, RoundState, RoundStep, problem_with_move
from annotation.rules.mixing import mixed
from annotation.rules.protocol import TO_QUALIFY, GateBound, as_data, reason_to_stay_open
from annotation.rules.qualifying import GoldScore

DEFAULT_GATE = 0.4


class CannotOpen(Exception):
    """A sentence that says why no round opens."""


class CannotClose(Exception):
    """A sentence that says what the round still waits for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kappa:
    """The agreement on one criterion in a round by the measure of its gate, its 95 % interval, and
    from how many items; `criterion` is empty for the mean of all. `n_undefined` criteria have no
    agreement that is defined: the gate looks at the others."""

    criterion: str
    value: float
    low: float | None
    high: float | None
    n_items: int
    n_undefined: int = 0


@transaction.atomic
def open_round(
    *,
    study_id: int,
    panel: Collection[int],
    raters_per_item: int,
    by: User,
    at: datetime,
    n_items: int | None = None,
    re_review_of: int | None = None,
    gate: float = DEFAULT_GATE,
    repeat_percent: int | None = 0,
    override_reason: str = "",
    listed: Mapping[str, float] | None = None,
    audit_percent: int = 0,
    due_on: date | None = None,
    chosen: Sequence[int] = (),
    n_gold: int = 0,
    pass_percent: int | None = None,
) -> Round:
    """Give every item of a new round `raters_per_item` of the panel (account ids).

    The items are the next `n_items` that were in no round yet and are not set aside (None: all of
    these), or those of the earlier round `re_review_of`, to be rated again independently.
    Or those `listed`, {key: the chance that it had to be on the list}, and beside them, drawn at
    random, `audit_percent` of the items that are not; the chance of each is kept with it.
    Or those `chosen` (ids), which a change of the rubric has left to be rated again.
    `repeat_percent` of each rater's items come back to the same rater, unmarked and far behind;
    None: as many as is usual, and none in a round to qualify.
    `n_gold` items whose gold is known are mixed in, unmarked. With a `pass_percent` there are no
    others, all of the panel rate all of them, and whoever gets so many right is qualified.
    """
    study = Study.objects.select_for_update().get(pk=study_id)
    if reason := reason_not_to_open(
        study,
        re_review_of=re_review_of,
        override_reason=override_reason,
        is_chosen=bool(chosen),
    ):
        raise CannotOpen(reason)
    is_ordinary = pass_percent is None
    raters = _raters_of_panel(study, panel, is_ordinary=is_ordinary)
    raters_per_item = raters_per_item if is_ordinary else len(raters)
    if reason := assigning.reason_not_to_spread(raters, raters_per_item):
        raise CannotOpen(reason)
    number = _next_number(study)
    wanted = draws.Wanted(
        n_items=n_items,
        re_review_of=re_review_of,
        listed=listed or {},
        audit_percent=audit_percent,
        chosen=chosen,
        n_gold=n_gold,
        is_ordinary=is_ordinary,
    )
    try:
        drawn = draws.draw(study, raters, wanted, number=number)
    except draws.NothingToDraw as problem:
        raise CannotOpen(*problem.args) from None
    rating_round = Round.objects.create(
        study=study,
        number=number,
        rubric_version=study.rubric_version,
        raters_per_item=raters_per_item,
        gate=gate,
        repeat_percent=_percent_to_repeat(
            repeat_percent,
            fewest=len(drawn.chances) * raters_per_item // len(raters),
            is_ordinary=is_ordinary,
        ),
        protocol=study.protocol if is_ordinary else as_data(TO_QUALIFY),
        pass_percent=pass_percent,
        opened_at=at,
        opened_by=by,
        re_review_of_id=re_review_of,
        override_reason=override_reason.strip(),
        due_on=due_on,
        drawn_from=drawn.drawn_from,
        audit_percent=drawn.audit_percent,
        draw_seed=drawn.audit_seed,
    )
    _assign(rating_round, drawn, raters)
    _note_opened(
        rating_round,
        drawn,
        by=by,
        at=at,
        raters=raters,
        raters_per_item=raters_per_item,
        repeat_percent=rating_round.repeat_percent,
        drawn_from=rating_round.drawn_from,
        audit_percent=rating_round.audit_percent,
        gold=len(drawn.gold),
        pass_percent=pass_percent,
        overridden=bool(rating_round.override_reason),
    )
    return rating_round


@transaction.atomic
def open_re_review(*, round_id: int, by: User, at: datetime) -> Round:
    """Have the items on which a round differs rated once more by its panel, independently.

    The round before stays open, so that nobody is told what was answered or decided in it.
    """
    before = Round.objects.select_for_update(no_key=True).get(pk=round_id)
    items = protocol.items_to_review(before)
    study = Study.objects.select_for_update().get(pk=before.study_id)
    raters = list(before.seats.filter(n_assigned__gt=0).values_list("rater_id", flat=True))
    again = Round.objects.create(
        study=study,
        number=_next_number(study),
        rubric_version_id=before.rubric_version_id,
        raters_per_item=before.raters_per_item,
        gate=before.gate,
        protocol=as_data(replace(before.rules, re_review=False)),
        opened_at=at,
        opened_by=by,
        re_review_of=before,
    )
    chances = dict(before.round_items.values_list("item_id", "probability"))
    drawn = draws.Draw(chances={item: chances[item] for item in items})
    _assign(again, drawn, raters)
    _note_opened(again, drawn, by=by, at=at)
    return again


def reason_not_to_open(
    study: Study,
    *,
    re_review_of: int | None = None,
    override_reason: str = "",
    is_chosen: bool = False,
) -> str | None:
    """Say what stands between the study's last round and the next one, or None."""
    previous = study.rounds.exclude(state=RoundState.CANCELLED).order_by("-number").first()
    if previous is None:
        return None
    if previous.state != RoundState.CLOSED:
        return sentence("Round {number} is not closed yet.", number=previous.number)
    previous = (
        study.rounds.exclude(state=RoundState.CANCELLED)
        .filter(pass_percent=None)
        .order_by("-number")
        .first()
    )
    if previous is None:
        return None
    if not previous.verdict and not override_reason.strip():
        return sentence(
            "The agreement of round {number} is still being computed. Try again in a moment.",
            number=previous.number,
        )
    verdict = closing.GateVerdict(previous.verdict) if previous.verdict else None
    return closing.reason_not_to_open_next(
        verdict, override_reason, same_items=is_chosen or re_review_of == previous.pk
    )


@transaction.atomic
def close(*, round_id: int, by: User, at: datetime) -> Round:
    """End a round whose items are all rated and decided; its agreement is computed next.

    It does not wait for hidden repeats; those that are still open lapse.
    """
    rating_round = Round.objects.select_for_update(no_key=True).get(pk=round_id)
    state = RoundState(rating_round.state)
    progress = progress_of(round_id)
    reason = problem_with_move(ROUND_MOVES, state, RoundState.CLOSED) or reason_to_stay_open(
        rating_round.rules,
        RoundStep(rating_round.step),
        progress,
        to_a_rater=_rates_in(rating_round, by),
    )
    if reason:
        raise CannotClose(reason)
    _close(rating_round, by=by, at=at)
    if before := rating_round.re_review_of:
        _close_with_re_review(before.pk, by=by, at=at)
    if not rating_round.verdict:
        queue.report_on_round(round_id=round_id)
    return rating_round


@transaction.atomic
def set_due(*, round_id: int, due_on: date | None, by: User, at: datetime) -> Round:
    """Say until when an open round should be rated, or that there is no such day."""
    rating_round = Round.objects.select_for_update(no_key=True).get(pk=round_id)
    if rating_round.state != RoundState.OPEN:
        raise CannotClose(sentence("The round is closed."))
    rating_round.due_on = due_on
    rating_round.save(update_fields=["due_on"])
    events.record(
        "round.due_day_set",
        subject=f"round:{round_id}",
        by=by,
        at=at,
        facts={"due_on": due_on.isoformat() if due_on else None},
    )
    return rating_round


def _close(rating_round: Round, *, by: User, at: datetime) -> None:
    scores = qualifying.keep_scores(rating_round)
    move_one(rating_round, RoundState.CLOSED, closed_at=at, closed_by=by)
    lapsed = repeats.release(rating_round.pk)
    drafts.forget(round=rating_round)
    events.record(
        "round.closed",
        subject=f"round:{rating_round.pk}",
        by=by,
        at=at,
        facts={"lapsed_repeats": lapsed} | _said_of(scores),
    )
    if rating_round.verdict:
        note_change(study_id=rating_round.study_id)


def _said_of(scores: Mapping[int, GoldScore]) -> dict[str, object]:
    """What the ledger keeps of who has passed: seats change with every answer, and are not noted."""
    told = {str(rater): [score.right, score.of] for rater, score in scores.items()}
    return {"gold_scores": told} if told else {}


def _close_with_re_review(round_id: int, *, by: User, at: datetime) -> None:
    """Close a round whose protocol ends with that of its re-review."""
    before = Round.objects.select_for_update(no_key=True).get(pk=round_id)
    if before.state == RoundState.OPEN and before.step == RoundStep.RE_REVIEW:
        _close(before, by=by, at=at)


@transaction.atomic
def record_kappa(*, round_id: int, kappa: Kappa | None, at: datetime) -> closing.GateVerdict:
    """Keep the agreement of a round (None: undefined) and how it compares with the gate.

    A round that has its verdict keeps it: what is decided after the gate does not move it.
    """
    rating_round = Round.objects.select_for_update(no_key=True).get(pk=round_id)
    if rating_round.rules.gate_first and rating_round.verdict:
        return closing.GateVerdict(rating_round.verdict)
    verdict = closing.gate_verdict(_held_against_gate(rating_round, kappa), rating_round.gate)
    if kappa and verdict is not closing.GateVerdict.UNDEFINED:
        rating_round.kappa = kappa.value
        rating_round.kappa_low = kappa.low
        rating_round.kappa_high = kappa.high
        rating_round.kappa_items = kappa.n_items
        rating_round.kappa_criterion = kappa.criterion
        rating_round.kappa_undefined = kappa.n_undefined
    rating_round.verdict = verdict
    rating_round.save(
        update_fields=[
            *("kappa", "kappa_low", "kappa_high", "kappa_items", "kappa_criterion"),
            *("kappa_undefined", "verdict"),
        ]
    )
    events.record(
        "round.kappa_recorded",
        subject=f"round:{round_id}",
        by=None,
        at=at,
        facts={"kappa": rating_round.kappa, "verdict": verdict.value},
    )
    protocol.after_gate(rating_round, verdict, at=at)
    note_change(study_id=rating_round.study_id)
    return verdict


def _held_against_gate(rating_round: Round, kappa: Kappa | None) -> float | None:
    if kappa is None:
        return None
    return kappa.low if rating_round.rules.bound == GateBound.LOW else kappa.value


def _rates_in(rating_round: Round, account: User) -> bool:
    seats = Seat.objects.filter(round=rating_round, rater__user=account, n_assigned__gt=0)
    return seats.exists()


def _raters_of_panel(study: Study, panel: Collection[int], *, is_ordinary: bool) -> list[int]:
    found = User.objects.filter(pk__in=panel, memberships__in=annotating(study)).order_by("pk")
    accounts = list(found)
    if len(accounts) < len(set(panel)):
        raise CannotOpen(
            sentence("Only annotators of the study who may read its items now sit on a panel.")
        )
    raters = [rater_of(account).pk for account in accounts]
    if is_ordinary and study.asks_to_qualify and (reason := problem_with_panel(study, panel)):
        raise CannotOpen(reason)
    return raters


def _percent_to_repeat(percent: int | None, *, fewest: int, is_ordinary: bool) -> int:
    """None: as many as is usual where somebody rates `fewest` items, and none to qualify."""
    if percent is None:
        percent = repeating.usual_percent(fewest) if is_ordinary else 0
    if reason := repeating.reason_not_to_repeat(percent, fewest):
        raise CannotOpen(reason)
    return percent


def _next_number(study: Study) -> int:
    highest = study.rounds.aggregate(highest=Max("number"))["highest"]
    return (highest or 0) + 1


def _note_opened(
    rating_round: Round, drawn: draws.Draw, *, by: User, at: datetime, **facts: object
) -> None:
    facts |= {
        "study": rating_round.study_id,
        "items": len(drawn.chances),
        "re_review_of": rating_round.re_review_of_id,
    }
    events.record("round.opened", subject=f"round:{rating_round.pk}", by=by, at=at, facts=facts)


def _assign(rating_round: Round, drawn: draws.Draw, raters: Sequence[int]) -> None:
    places = assigning.spread(
        list(drawn.chances), raters, rating_round.raters_per_item, seed=rating_round.number
    )
    slots: dict[int, dict[int, int]] = {rater: {} for rater in raters}
    for place in places:
        slots[place.rater][place.item] = place.slot
    heavy = set(
        Item.objects.filter(pk__in=drawn.chances)
        .exclude(content_note="")
        .values_list("pk", flat=True)
    )
    owed = {rater: list(_in_order(rating_round, rater, slots[rater], heavy)) for rater in raters}
    Seat.objects.bulk_create(
        Seat(round=rating_round, rater_id=rater, n_assigned=len(owed[rater])) for rater in raters
    )
    copy_in(
        RoundItem,
        ("round_id", "item_id", "position", "probability", "is_gold"),
        (
            (rating_round.pk, item, position, chance, item in drawn.gold)
            for position, (item, chance) in enumerate(drawn.chances.items(), start=1)
        ),
    )
    copy_in(
        Assignment,
        ("round_id", "rater_id", "item_id", "slot", "repeat", "position"),
        ((rating_round.pk, rater, *turn) for rater, turns in owed.items() for turn in turns),
    )


def _in_order(
    rating_round: Round, rater: int, slots: Mapping[int, int], heavy: Collection[int]
) -> Iterator[tuple[int, int, int, int]]:
    """What one rater owes, {item: slot}, as it comes, as (item, slot, repeat, position): ids and
    positions do not tell repeats."""
    turns = repeating.with_repeats(
        mixed(list(slots), heavy),
        rating_round.repeat_percent,
        seed=f"{rating_round.study.release_key}:{rating_round.pk}:{rater}",
    )
    for position, turn in enumerate(turns, start=1):
        yield turn.item, slots[turn.item], turn.repeat, position
