"""How far rounds are, for those who coordinate them."""

from dataclasses import dataclass

from django.db.models import Count, Q

from annotation.models import Assignment, Item, Round, RoundItem, Seat, Study, TeamRole
from annotation.queries.wording import said
from annotation.rules.closing import GateVerdict, Progress, reason_to_stay_open
from annotation.rules.lifecycle import AssignmentState, ItemState, RoundState
from annotation.rules.repeating import FIRST


class NoSuchRound(Exception):
    """The study has no round of this number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
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
    panel: tuple[Place, ...]
    n_submitted: int
    n_assigned: int
    n_repeats: int
    n_repeats_submitted: int

    @property
    def reason_to_stay_open(self) -> str | None:
        return reason_to_stay_open(self.progress)

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
    counts = RoundItem.objects.filter(round=round_id).aggregate(
        items=Count("pk"),
        fully_rated=Count("pk", filter=~Q(state=ItemState.RATING)),
        awaiting_adjudication=Count("pk", filter=Q(state=ItemState.DISAGREED)),
    )
    return Progress(**counts)


def rounds_of(study: Study) -> list[RoundStatus]:
    """A study's rounds, the newest first."""
    found = study.rounds.select_related("re_review_of").order_by("-number")
    return [_status(rating_round, study.revision) for rating_round in found]


def round_status(study: Study, number: int) -> RoundStatus:
    """One round of a study; NoSuchRound."""
    rating_round = study.rounds.filter(number=number).select_related("re_review_of").first()
    if rating_round is None:
        raise NoSuchRound
    return _status(rating_round, study.revision)


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


def _status(rating_round: Round, revision: int) -> RoundStatus:
    seats = Seat.objects.filter(round=rating_round).select_related("rater")
    panel = tuple(
        Place(
            rater_id=seat.rater_id,
            name=seat.rater.name,
            n_submitted=seat.n_submitted,
            n_assigned=seat.n_assigned,
        )
        for seat in seats.order_by("rater__name")
    )
    return RoundStatus(
        round=rating_round,
        revision=revision,
        progress=progress_of(rating_round.pk),
        panel=panel,
        n_submitted=sum(place.n_submitted for place in panel),
        n_assigned=sum(place.n_assigned for place in panel),
        **_repeats(rating_round),
    )


def _repeats(rating_round: Round) -> dict[str, int]:
    """How many items come back to a rater, and how many have been rated once more."""
    standing = Assignment.objects.filter(round=rating_round, repeat__gt=FIRST).exclude(
        state=AssignmentState.RELEASED
    )
    return standing.aggregate(
        n_repeats=Count("pk"),
        n_repeats_submitted=Count("pk", filter=Q(state=AssignmentState.SUBMITTED)),
    )
