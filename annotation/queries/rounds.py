"""How far rounds are, for those who coordinate them."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from annotation.models import Assignment, Item, Round, RoundItem, Seat, Study, TeamRole
from annotation.queries.wording import said
from annotation.rules.closing import GateVerdict, Progress
from annotation.rules.lifecycle import AssignmentState, ItemState, RoundState
from annotation.rules.repeating import FIRST


class NoSuchRound(Exception):
    """The study has no round of this number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundPlace:
    """A rater on the panel."""

    rater_id: int
    name: str
    n_submitted: int
    n_assigned: int

    @property
    def n_open(self) -> int:
        return self.n_assigned - self.n_submitted


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStatus:
    """A round as its page shows it, computed at one revision of the study."""

    round: Round
    revision: int
    progress: Progress
    panel: tuple[RoundPlace, ...]
    n_submitted: int
    n_assigned: int
    n_repeats: int
    n_repeats_submitted: int

    @property
    def is_open(self) -> bool:
        return self.round.state == RoundState.OPEN

    @property
    def is_computing(self) -> bool:
        return self.round.state == RoundState.CLOSED and not self.round.verdict

    @property
    def kappa_criterion(self) -> str:
        """The criterion whose kappa is shown, where there are several."""
        criteria = self.round.rubric.criteria
        if len(criteria) < 2 or not self.round.kappa_criterion:
            return ""
        return said(self.round.rubric.criterion(self.round.kappa_criterion).name)

    @property
    def has_passed(self) -> bool:
        return self.round.verdict == GateVerdict.PASSED

    @property
    def mark(self) -> str:
        """Changes whenever the page would."""
        return f"{self.revision}.{self.n_assigned}.{self.round.state}.{self.round.verdict}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotator:
    """Somebody who may sit on a panel."""

    account_id: int
    name: str


def progress_of(round_id: int) -> Progress:
    """Count a round's items by what they still wait for."""
    return _progress([round_id])[round_id]


def rounds_of(study: Study) -> list[RoundStatus]:
    """A study's rounds, the newest first."""
    return _statuses(study.rounds.order_by("-number"), study.revision)


def round_status(study: Study, number: int) -> RoundStatus:
    """One round of a study; NoSuchRound."""
    found = _statuses(study.rounds.filter(number=number), study.revision)
    if not found:
        raise NoSuchRound
    return found[0]


def annotators_of(study: Study) -> list[Annotator]:
    """The team's annotators by name."""
    members = study.memberships.filter(roles__contains=[TeamRole.ANNOTATOR])
    return [
        Annotator(account_id=member.user_id, name=member.user.full_name)
        for member in members.select_related("user").order_by("user__full_name")
    ]


def n_fresh_items(study: Study) -> int:
    """How many items a new round may take."""
    return Item.objects.filter(study=study).for_a_new_round().count()


def _statuses(found: QuerySet[Round], revision: int) -> list[RoundStatus]:
    rounds = list(found.select_related("re_review_of"))
    ids = [one.pk for one in rounds]
    progress, panels, repeats = _progress(ids), _panels(ids), _repeats(ids)
    return [
        RoundStatus(
            round=one,
            revision=revision,
            progress=progress[one.pk],
            panel=panels[one.pk],
            n_submitted=sum(place.n_submitted for place in panels[one.pk]),
            n_assigned=sum(place.n_assigned for place in panels[one.pk]),
            **repeats[one.pk],
        )
        for one in rounds
    ]


def _progress(rounds: Collection[int]) -> dict[int, Progress]:
    """How far each of these rounds is."""
    counted = (
        RoundItem.objects.filter(round__in=rounds)
        .values("round")
        .annotate(
            items=Count("pk"),
            fully_rated=Count("pk", filter=~Q(state=ItemState.RATING)),
            awaiting_adjudication=Count("pk", filter=Q(state=ItemState.DISAGREED)),
        )
    )
    none = Progress(items=0, fully_rated=0, awaiting_adjudication=0)
    return dict.fromkeys(rounds, none) | {
        row["round"]: Progress(
            items=row["items"],
            fully_rated=row["fully_rated"],
            awaiting_adjudication=row["awaiting_adjudication"],
        )
        for row in counted
    }


def _panels(rounds: Collection[int]) -> dict[int, tuple[RoundPlace, ...]]:
    """Who rates in each of these rounds, by name."""
    panels: dict[int, tuple[RoundPlace, ...]] = dict.fromkeys(rounds, ())
    seats = Seat.objects.filter(round__in=rounds).order_by("rater__name")
    for seat in seats.select_related("rater"):
        panels[seat.round_id] += (
            RoundPlace(
                rater_id=seat.rater_id,
                name=seat.rater.name,
                n_submitted=seat.n_submitted,
                n_assigned=seat.n_assigned,
            ),
        )
    return panels


def _repeats(rounds: Collection[int]) -> dict[int, dict[str, int]]:
    """How many items come back to a rater, and how many have been rated once more."""
    counted = (
        Assignment.objects.filter(round__in=rounds, repeat__gt=FIRST)
        .exclude(state=AssignmentState.RELEASED)
        .values("round")
        .annotate(
            n_repeats=Count("pk"),
            n_repeats_submitted=Count("pk", filter=Q(state=AssignmentState.SUBMITTED)),
        )
    )
    none = {"n_repeats": 0, "n_repeats_submitted": 0}
    return dict.fromkeys(rounds, none) | {
        row["round"]: {
            "n_repeats": row["n_repeats"],
            "n_repeats_submitted": row["n_repeats_submitted"],
        }
        for row in counted
    }
