"""How far rounds are, for those who coordinate them."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from accounts.access import who_may_enter
from accounts.models import User
from annotation.models import Assignment, Item, Membership, Opinion, Round, RoundItem, Seat, Study
from annotation.models.permitted import permitted
from annotation.queries import audits
from annotation.queries.wording import decimal, said
from annotation.rubric.schema import Criterion
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules import protocol, qualifying
from annotation.rules.closing import GateVerdict, Progress
from annotation.rules.granting import Action
from annotation.rules.lifecycle import AssignmentState, ItemState, RoundState, RoundStep
from annotation.rules.protocol import GateScope, Protocol, measured_by, steps_of
from annotation.rules.qualifying import NOTHING_ASKED, GoldScore
from annotation.rules.repeating import FIRST

AWAITS_DECISION = Q(state__in=[ItemState.DISAGREED, ItemState.SECOND, ItemState.SPLIT]) & ~Q(
    round__protocol__adjudication=False
)


class NotAnAnnotator(Exception):
    """A sentence that names who is on no panel of this study."""


class NoSuchRound(Http404):
    """The study has no round of this number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundPlace:
    """A rater on the panel."""

    rater_id: int
    account_id: int | None
    name: str
    n_submitted: int
    n_assigned: int
    gold: GoldScore = NOTHING_ASKED
    has_passed: bool = False
    stands_in: bool = False

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
    n_by_two: int = 0
    n_alike: int = 0
    audit: Sentence | None = None

    @property
    def is_open(self) -> bool:
        return self.round.state == RoundState.OPEN

    @property
    def is_closed(self) -> bool:
        return self.round.state == RoundState.CLOSED

    @property
    def is_computing(self) -> bool:
        is_over = self.is_closed or self.round.step == RoundStep.GATE
        return is_over and not self.round.verdict and not self.is_cancelled

    @property
    def has_gold(self) -> bool:
        """Whether gold was mixed in, which is told once the round is closed."""
        return not self.is_open and any(place.gold.of for place in self.panel)

    @property
    def is_cancelled(self) -> bool:
        return self.round.state == RoundState.CANCELLED

    @property
    def light(self) -> tuple[str, str]:
        """How it stands, and the kind of badge around these words."""
        if self.is_open:
            return gettext("Open"), "part"
        if self.is_cancelled:
            return gettext("Cancelled"), "plain"
        if self.round.pass_percent is not None:
            return gettext("Closed"), "done"
        if self.is_computing:
            return gettext("Computing its agreement…"), "waiting"
        return {
            GateVerdict.PASSED: (gettext("Reached its gate"), "done"),
            GateVerdict.BELOW: (gettext("Below its gate"), "alert"),
            GateVerdict.UNDEFINED: (gettext("Agreement undefined"), "alert"),
        }[GateVerdict(self.round.verdict)]

    @property
    def is_overdue(self) -> bool:
        due_on = self.round.due_on
        return self.is_open and due_on is not None and due_on < timezone.localdate()

    @property
    def is_weighed(self) -> bool:
        """Whether its gate has looked, or is about to."""
        return self.is_computing or bool(self.round.verdict)

    @property
    def agreement(self) -> str:
        return "" if self.round.kappa is None else decimal(self.round.kappa)

    @property
    def behind_agreement(self) -> str:
        """Its interval, on how many items both rest, and of which criterion, where there are several."""
        low, high, n = self.round.kappa_low, self.round.kappa_high, self.round.kappa_items
        behind = [gettext("no interval")]
        if low is not None and high is not None:
            limits = {"low": decimal(low), "high": decimal(high)}
            behind = [gettext("95 %% interval %(low)s to %(high)s") % limits]
        if n:
            behind.append(ngettext("%(n)s item", "%(n)s items", n) % {"n": n})
        if self.kappa_criterion:
            behind.append(self.kappa_criterion)
        return gettext(", ").join(behind)

    @property
    def may_end_rating(self) -> bool:
        is_rated = self.round.rules.gate_first and self.round.step == RoundStep.RATING
        return self.is_open and is_rated

    @property
    def n_to_review(self) -> int:
        """How many items wait for their re-review to be opened."""
        waits = self.is_open and self.round.step == RoundStep.RE_REVIEW
        return self.progress.differing if waits else 0

    @property
    def measure(self) -> str:
        """What the agreement that is shown was measured by."""
        criteria = [self._weighed] if self._weighed else self.round.rubric.criteria
        return said(measured_by(self.round.rules, criteria))

    @property
    def protocol(self) -> list[str]:
        """What was agreed for the round, in sentences."""
        return [said(step) for step in steps_of(self.round.rules, self.round.rubric.criteria)]

    @property
    def audited(self) -> str:
        """What came of the sample of items on which all agree, once none of it waits."""
        return said(self.audit) if self.audit else ""

    @property
    def _weighed(self) -> Criterion | None:
        """The criterion whose agreement is shown; None where it is the mean of all, or not known."""
        key = self.round.kappa_criterion
        return self.round.rubric.criterion(key) if key else None

    @property
    def kappa_criterion(self) -> str:
        """The same by its name, where there are several."""
        if self._weighed is None or len(self.round.rubric.criteria) < 2:
            return ""
        return said(self._weighed.name)

    @property
    def about_several(self) -> Iterator[str]:
        """Which of several criteria is shown, and how many have nothing that could be."""
        n_criteria = len(self.round.rubric.criteria)
        if n_criteria > 1:
            is_mean = self.round.rules.scope == GateScope.MEAN
            yield (
                gettext("The mean of all criteria is shown.")
                if is_mean
                else gettext("Of several criteria the lowest is shown.")
            )
        if n := self.round.kappa_undefined:
            yield gettext(
                "Criteria without an agreement that is defined, all answers to one being the same: "
                "%(n)s of %(of)s. The gate looked at the others."
            ) % {"n": n, "of": n_criteria}

    @property
    def has_passed(self) -> bool:
        return self.round.verdict == GateVerdict.PASSED

    @property
    def mark(self) -> str:
        """Changes whenever the page would."""
        return f"{self.revision}.{self.n_assigned}.{self.round.state}.{self.round.step}.{self.round.verdict}.{self.round.due_on}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotator:
    """Somebody who may sit on a panel."""

    account_id: int
    name: str


def reason_to_stay_open(status: RoundStatus) -> Sentence | None:
    """What a round still waits for, in its items and in its protocol."""
    step = RoundStep(status.round.step)
    return protocol.reason_to_stay_open(status.round.rules, step, status.progress)


def progress_of(round_id: int) -> Progress:
    """Count a round's items by what they still wait for."""
    return _progress([round_id])[round_id]


def protocol_of(round_id: int) -> Protocol:
    """What was agreed for a round."""
    return Round.objects.only("protocol").get(pk=round_id).rules


def protocol_of_next_rounds(study: Study) -> dict[str, Any]:
    """What was agreed for a study, and what stands where it was agreed before that was asked."""
    return protocol.as_data(protocol.from_data(study.protocol))


def protocols_of(study: Study) -> list[tuple[tuple[Sentence, ...], list[int]]]:
    """What was agreed for a study's closed rounds, in sentences, and for which numbers."""
    found: dict[tuple[Sentence, ...], list[int]] = {}
    for one in study.rounds.filter(state=RoundState.CLOSED).order_by("number"):
        steps = tuple(steps_of(one.rules, one.rubric.criteria))
        found.setdefault(steps, []).append(one.number)
    return list(found.items())


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
    """The team's annotators by name, of those who may enter and read what they rate now."""
    members = annotating(study).select_related("user").order_by("user__full_name")
    return [Annotator(account_id=member.user_id, name=member.user.full_name) for member in members]


def annotating(study: Study) -> QuerySet[Membership]:
    """Of the team those to whom work may be given now."""
    now = timezone.now()
    return Membership.objects.filter(
        permitted(Action.RATE, OuterRef("user"), study="study", at=now),
        study=study,
        user__in=who_may_enter(at=now).values("pk"),
    )


def accounts_of(study: Study, emails: Collection[str]) -> list[int]:
    """The accounts of annotators by their email addresses; NotAnAnnotator."""
    ids = {one.account_id for one in annotators_of(study)}
    known = dict(User.objects.filter(pk__in=ids).values_list("email", "pk"))
    wanted = [email.strip().lower() for email in emails]
    if strangers := sorted(set(wanted) - known.keys()):
        raise NotAnAnnotator(
            sentence(
                "{email} does not annotate in this study, or may not read its items now.",
                email=strangers[0],
            )
        )
    return [known[email] for email in wanted]


def n_fresh_items(study: Study) -> int:
    """How many items a new round may take."""
    return Item.objects.filter(study=study).for_a_new_round().count()


def _statuses(found: QuerySet[Round], revision: int) -> list[RoundStatus]:
    rounds = list(found.select_related("re_review_of"))
    ids = [one.pk for one in rounds]
    progress, panels, repeats = _progress(ids), _panels(ids), _repeats(ids)
    by_two, audited = _by_two(ids), audits.found_in(ids)
    return [
        RoundStatus(
            round=one,
            revision=revision,
            progress=progress[one.pk],
            panel=panels[one.pk],
            n_submitted=sum(place.n_submitted for place in panels[one.pk]),
            n_assigned=sum(place.n_assigned for place in panels[one.pk]),
            n_by_two=len(by_two.get(one.pk, ())),
            n_alike=sum(by_two.get(one.pk, ())),
            audit=audited.get(one.pk),
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
            awaiting_adjudication=Count("pk", filter=AWAITS_DECISION),
            in_discussion=Count("pk", filter=Q(state=ItemState.DISCUSSED)),
            differing=Count("pk", filter=Q(state=ItemState.DISAGREED)),
        )
    )
    to_audit = audits.n_to_audit(rounds)
    none = Progress(items=0, fully_rated=0, awaiting_adjudication=0)
    return dict.fromkeys(rounds, none) | {
        row["round"]: Progress(
            items=row["items"],
            fully_rated=row["fully_rated"],
            awaiting_adjudication=row["awaiting_adjudication"] + to_audit.get(row["round"], 0),
            in_discussion=row["in_discussion"],
            differing=row["differing"],
        )
        for row in counted
    }


def _panels(rounds: Collection[int]) -> dict[int, tuple[RoundPlace, ...]]:
    """Who rates in each of these rounds, by name."""
    panels: dict[int, tuple[RoundPlace, ...]] = dict.fromkeys(rounds, ())
    seats = Seat.objects.filter(round__in=rounds).order_by("rater__name")
    for seat in seats.select_related("rater", "round"):
        panels[seat.round_id] += (
            RoundPlace(
                rater_id=seat.rater_id,
                account_id=seat.rater.user_id,
                name=seat.rater.name,
                n_submitted=seat.n_submitted,
                n_assigned=seat.n_assigned,
                gold=GoldScore(right=seat.n_right, of=seat.n_gold),
                has_passed=_has_passed(seat),
                stands_in=seat.stands_in,
            ),
        )
    return panels


def _has_passed(seat: Seat) -> bool:
    pass_percent = seat.round.pass_percent
    found = GoldScore(right=seat.n_right, of=seat.n_gold)
    return pass_percent is not None and qualifying.has_passed(found, pass_percent)


def _by_two(rounds: Collection[int]) -> dict[int, list[bool]]:
    """{round: for each item that two adjudicators have decided, whether they did so alike}."""
    given: dict[tuple[int, int], list[dict[str, str]]] = {}
    rows = Opinion.objects.filter(round_item__round__in=rounds)
    for rating_round, item, values in rows.values_list("round_item__round", "round_item", "values"):
        given.setdefault((rating_round, item), []).append(values)
    found: dict[int, list[bool]] = {}
    for (rating_round, _item), opinions in given.items():
        if len(opinions) > 1:
            found.setdefault(rating_round, []).append(opinions[0] == opinions[1])
    return found


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
