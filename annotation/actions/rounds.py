"""Open rounds, close them, and keep the agreement they reached."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from accounts import events
from accounts.models import User
from annotation import queue
from annotation.actions import repeats
from annotation.actions.moving import move_one
from annotation.actions.studies import note_change
from annotation.actions.teams import rater_of
from annotation.models import Assignment, Item, Round, RoundItem, Seat, Study, TeamRole
from annotation.queries.rounds import progress_of
from annotation.rubric.sentences import sentence
from annotation.rules import assigning, closing, repeating
from annotation.rules.lifecycle import ROUND_MOVES, RoundState, problem_with_move

DEFAULT_GATE = 0.4
ROWS_AT_ONCE = 2000


class CannotOpen(Exception):
    """A sentence that says why no round opens."""


class CannotClose(Exception):
    """A sentence that says what the round still waits for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kappa:
    """Fleiss' kappa of one criterion in a round, its 95 % interval, and from how many items."""

    criterion: str
    value: float
    low: float | None
    high: float | None
    n_items: int


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
    repeat_percent: int = 0,
    override_reason: str = "",
) -> Round:
    """Give every item of a new round `raters_per_item` of the panel (account ids).

    The items are the next `n_items` that were in no round yet and are not set aside (None: all of
    these), or those of the earlier round `re_review_of`, to be rated again independently.
    `repeat_percent` of each rater's items come back to the same rater, unmarked and far behind.
    """
    study = Study.objects.select_for_update().get(pk=study_id)
    if reason := reason_not_to_open(
        study, re_review_of=re_review_of, override_reason=override_reason
    ):
        raise CannotOpen(reason)
    raters = _raters_of_panel(study, panel)
    if reason := assigning.reason_not_to_spread(raters, raters_per_item):
        raise CannotOpen(reason)
    items = _items_for(study, n_items=n_items, re_review_of=re_review_of)
    if not items:
        raise CannotOpen(sentence("Every item of the study has been in a round already."))
    fewest = len(items) * raters_per_item // len(raters)
    if reason := repeating.reason_not_to_repeat(repeat_percent, fewest):
        raise CannotOpen(reason)
    rating_round = Round.objects.create(
        study=study,
        number=_next_number(study),
        rubric_version=study.rubric_version,
        raters_per_item=raters_per_item,
        gate=gate,
        repeat_percent=repeat_percent,
        opened_at=at,
        opened_by=by,
        re_review_of_id=re_review_of,
        override_reason=override_reason.strip(),
    )
    _assign(rating_round, items, raters)
    events.record(
        "round.opened",
        subject=f"round:{rating_round.pk}",
        by=by,
        at=at,
        facts={
            "study": study.pk,
            "items": len(items),
            "raters": list(raters),
            "raters_per_item": raters_per_item,
            "re_review_of": re_review_of,
            "repeat_percent": repeat_percent,
            "overridden": bool(rating_round.override_reason),
        },
    )
    return rating_round


def reason_not_to_open(
    study: Study, *, re_review_of: int | None = None, override_reason: str = ""
) -> str | None:
    """Say what stands between the study's last round and the next one, or None."""
    previous = study.rounds.order_by("-number").first()
    if previous is None:
        return None
    if previous.state != RoundState.CLOSED:
        return sentence("Round {number} is not closed yet.", number=previous.number)
    if not previous.verdict and not override_reason.strip():
        return sentence(
            "The agreement of round {number} is still being computed. Try again in a moment.",
            number=previous.number,
        )
    verdict = closing.GateVerdict(previous.verdict) if previous.verdict else None
    return closing.reason_not_to_open_next(
        verdict, override_reason, same_items=re_review_of == previous.pk
    )


@transaction.atomic
def close(*, round_id: int, by: User, at: datetime) -> Round:
    """End a round whose items are all rated and decided; its agreement is computed next.

    It does not wait for hidden repeats; those that are still open lapse.
    """
    rating_round = Round.objects.select_for_update(no_key=True).get(pk=round_id)
    state = RoundState(rating_round.state)
    reason = problem_with_move(ROUND_MOVES, state, RoundState.CLOSED) or (
        closing.reason_to_stay_open(progress_of(round_id), to_a_rater=_rates_in(rating_round, by))
    )
    if reason:
        raise CannotClose(reason)
    move_one(rating_round, RoundState.CLOSED, closed_at=at, closed_by=by)
    lapsed = repeats.release(round_id)
    events.record(
        "round.closed",
        subject=f"round:{round_id}",
        by=by,
        at=at,
        facts={"lapsed_repeats": lapsed},
    )
    queue.report_on_round(round_id=round_id)
    return rating_round


@transaction.atomic
def record_kappa(*, round_id: int, kappa: Kappa | None, at: datetime) -> closing.GateVerdict:
    """Keep a closed round's Fleiss kappa (None: undefined) and how it compares with the gate."""
    rating_round = Round.objects.select_for_update(no_key=True).get(pk=round_id)
    verdict = closing.gate_verdict(kappa.value if kappa else None, rating_round.gate)
    if kappa and verdict is not closing.GateVerdict.UNDEFINED:
        rating_round.kappa = kappa.value
        rating_round.kappa_low = kappa.low
        rating_round.kappa_high = kappa.high
        rating_round.kappa_items = kappa.n_items
        rating_round.kappa_criterion = kappa.criterion
    rating_round.verdict = verdict
    rating_round.save(
        update_fields=[
            *("kappa", "kappa_low", "kappa_high", "kappa_items", "kappa_criterion"),
            "verdict",
        ]
    )
    events.record(
        "round.kappa_recorded",
        subject=f"round:{round_id}",
        by=None,
        at=at,
        facts={"kappa": rating_round.kappa, "verdict": verdict.value},
    )
    note_change(study_id=rating_round.study_id)
    return verdict


def _rates_in(rating_round: Round, account: User) -> bool:
    seats = Seat.objects.filter(round=rating_round, rater__user=account, n_assigned__gt=0)
    return seats.exists()


def _raters_of_panel(study: Study, panel: Collection[int]) -> list[int]:
    accounts = User.objects.filter(
        pk__in=panel,
        memberships__study=study,
        memberships__roles__contains=[TeamRole.ANNOTATOR],
    ).order_by("pk")
    if len(accounts) < len(set(panel)):
        raise CannotOpen(sentence("Only annotators of the study can sit on a panel."))
    return [rater_of(account).pk for account in accounts]


def _items_for(study: Study, *, n_items: int | None, re_review_of: int | None) -> list[int]:
    if re_review_of is not None:
        earlier = RoundItem.objects.filter(round=re_review_of, round__study=study)
        return list(earlier.order_by("position").values_list("item_id", flat=True))
    fresh = Item.objects.filter(study=study).for_a_new_round().order_by("position", "pk")
    return list(fresh.values_list("pk", flat=True)[:n_items])


def _next_number(study: Study) -> int:
    highest = study.rounds.aggregate(highest=Max("number"))["highest"]
    return (highest or 0) + 1


def _assign(rating_round: Round, items: Sequence[int], raters: Sequence[int]) -> None:
    places = assigning.spread(items, raters, rating_round.raters_per_item, seed=rating_round.number)
    slots: dict[int, dict[int, int]] = {rater: {} for rater in raters}
    for place in places:
        slots[place.rater][place.item] = place.slot
    assignments = [one for rater in raters for one in _in_order(rating_round, rater, slots[rater])]
    owed = Counter(assignment.rater_id for assignment in assignments)
    Seat.objects.bulk_create(
        Seat(round=rating_round, rater_id=rater, n_assigned=owed[rater]) for rater in raters
    )
    RoundItem.objects.bulk_create(
        (
            RoundItem(round=rating_round, item_id=item, position=position)
            for position, item in enumerate(items, start=1)
        ),
        batch_size=ROWS_AT_ONCE,
    )
    Assignment.objects.bulk_create(assignments, batch_size=ROWS_AT_ONCE)


def _in_order(rating_round: Round, rater: int, slots: Mapping[int, int]) -> Iterator[Assignment]:
    """What one rater owes, {item: slot}, as it comes: ids and positions do not tell repeats."""
    turns = repeating.with_repeats(
        list(slots),
        rating_round.repeat_percent,
        seed=f"{rating_round.study.release_key}:{rating_round.pk}:{rater}",
    )
    for position, turn in enumerate(turns, start=1):
        yield Assignment(
            round=rating_round,
            item_id=turn.item,
            rater_id=rater,
            slot=slots[turn.item],
            repeat=turn.repeat,
            position=position,
        )
