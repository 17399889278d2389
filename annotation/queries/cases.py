"""The queue of items on which raters differ: which of them wait, and in which order."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from accounts.access import who_may_enter
from annotation.models import Adjudication, Dispute, Item, Opinion, RoundItem
from annotation.models.permitted import permitted
from annotation.queries.audits import TO_AUDIT, criteria_to_audit
from annotation.queries.ratings import items_of_rater, rater_of
from annotation.queries.rounds import AWAITS_DECISION
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import reader_of
from annotation.queries.voices import Voices, answers_to, raises_a_flag, to_decide, voices_of
from annotation.queries.wording import said
from annotation.rubric.schema import Criterion, Taxonomy
from annotation.rules.disagreement import gap_between, parting_node
from annotation.rules.granting import Action
from annotation.rules.lifecycle import ItemState, RoundState, RoundStep
from annotation.rules.protocol import OnSplit

CASES_ON_A_PAGE = 50
NOT_SEEN = -1  # of a case that is decided unseen: it comes last, whatever the order


class CaseOrder(StrEnum):
    """What an adjudicator takes up first."""

    ROUND = "round"
    GAP = "gap"
    NODE = "node"


@dataclass(frozen=True, slots=True, kw_only=True)
class CasesWanted:
    """What an adjudicator looks for: codes and numbers, which may stand in an address.

    `node` is `CRITERION:NUMBER`, the question at which the ways of two raters part.
    """

    criterion: str = ""
    node: str = ""
    least_gap: int = 0
    is_flagged: bool = False
    is_decided: bool = False
    is_disputed: bool = False
    order: CaseOrder = CaseOrder.ROUND

    @property
    def looks_into_answers(self) -> bool:
        asks = self.criterion or self.node or self.least_gap or self.is_flagged
        return bool(asks) or self.order is not CaseOrder.ROUND


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """On what the raters of a case differ: by how many points, or from which question of the `walk`
    on that decides on it."""

    criterion: Criterion
    gap: int | None
    walk: Taxonomy | None
    node: int | None

    @property
    def name(self) -> str:
        return said(self.criterion.name)

    @property
    def question(self) -> str:
        """The question at which the ways part."""
        if self.node is None or self.walk is None:
            return ""
        return said(self.walk.nodes[self.node].question)

    @property
    def place(self) -> str:
        """The same as `CasesWanted` names it."""
        return f"{self.walk.key}:{self.node}" if self.walk else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One line of the queue. Of a case that is decided unseen only the criteria are told."""

    round_item_id: int
    item_id: int
    round_number: int
    position: int
    differs_on: tuple[Difference, ...]
    is_flagged: bool = False
    is_unseen: bool = False

    @property
    def widest(self) -> int:
        if self.is_unseen:
            return NOT_SEEN
        return max((one.gap for one in self.differs_on if one.gap is not None), default=0)

    @property
    def earliest(self) -> int:
        """The first question at which ways part; those without questions come after."""
        if self.is_unseen:
            return 10_000
        return min((one.node for one in self.differs_on if one.node is not None), default=1_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseQueue:
    """What an adjudicator may decide, and how many others wait for somebody else.

    Who rates in the round is not told of others: these are the ones on which they differ.
    """

    waiting: list[Waiting]
    n_waiting: int
    n_for_others: int
    n_disputed: int
    page: "Page[Waiting] | Page[RoundItem]"


def queue(
    study_access: StudyAccess, wanted: CasesWanted | None = None, page: str = "1"
) -> CaseQueue:
    """The cases that this adjudicator may decide, or those that are decided."""
    wanted = wanted or CasesWanted()
    found = _decided(study_access) if wanted.is_decided else _decidable(study_access)
    disputed = _disputed(study_access)
    if wanted.is_disputed:
        found = disputed
    shown: Page[Waiting] | Page[RoundItem]
    if wanted.looks_into_answers:
        shown = Paginator(_looked_for(found, wanted), CASES_ON_A_PAGE).get_page(page)
        waiting = list(shown)
    else:
        shown = Paginator(found.select_related("round"), CASES_ON_A_PAGE).get_page(page)
        waiting = as_lines(list(shown))
    n_mine = _decidable(study_access).count() if wanted != CasesWanted() else shown.paginator.count
    rates_now = reader_of(study_access).rates_now
    return CaseQueue(
        waiting=waiting,
        n_waiting=shown.paginator.count,
        n_for_others=0 if rates_now else waiting_in(study_access).count() - n_mine,
        n_disputed=disputed.count(),
        page=shown,
    )


class CaseSort(StrEnum):
    """Which cases of a study an adjudicator asks for."""

    WAITING = "waiting"
    DECIDED = "decided"
    DISPUTED = "disputed"


def of_sort(study_access: StudyAccess, sort: CaseSort) -> QuerySet[RoundItem]:
    """The cases of a sort that this adjudicator may decide, or that are decided."""
    found: dict[CaseSort, Callable[[StudyAccess], QuerySet[RoundItem]]] = {
        CaseSort.WAITING: _decidable,
        CaseSort.DECIDED: _decided,
        CaseSort.DISPUTED: _disputed,
    }
    return found[sort](study_access).select_related("round")


def is_case(study_access: StudyAccess, round_item_id: int) -> bool:
    """Whether it waits for an adjudicator of the study, whoever that may be, or is decided."""
    both = waiting_in(study_access) | decided_in(study_access)
    return both.filter(pk=round_item_id).exists()


def n_to_decide(study_access: StudyAccess) -> int:
    """How many items wait for this adjudicator."""
    return _decidable(study_access).count()


def numbers_to_decide(studies: Sequence[StudyAccess]) -> Counter[int]:
    """{study: how many items wait there for this adjudicator}, of studies of one account."""
    found = _decidable(*studies).order_by().values("round__study")
    return Counter(dict(found.annotate(n=Count("pk")).values_list("round__study", "n")))


def rounds_to_decide(study_access: StudyAccess) -> set[int]:
    """The rounds in which items wait for this adjudicator."""
    return set(_decidable(study_access).order_by().values_list("round", flat=True).distinct())


def next_case(study_access: StudyAccess, wanted: CasesWanted | None = None) -> int | None:
    """The case to go on with, or None when nothing waits for this adjudicator."""
    waiting = _decidable(study_access)
    if wanted is None or not wanted.looks_into_answers:
        return waiting.values_list("pk", flat=True).first()
    return next((one.round_item_id for one in _looked_for(waiting, wanted)), None)


def waiting_in(*studies: StudyAccess) -> QuerySet[RoundItem]:
    """The items that wait for an adjudicator, whoever that may be, in studies of one account."""
    if not studies:
        return RoundItem.objects.none()
    decides_now = Q(round__step=RoundStep.DECIDING) | Q(round__protocol__gate_first=False)
    return RoundItem.objects.filter(
        (decides_now & AWAITS_DECISION) | TO_AUDIT,
        round__study__in=[one.study for one in studies],
        round__state=RoundState.OPEN,
        item__in=Item.objects.visible_to(studies[0].access),
    )


def decided_in(study_access: StudyAccess) -> QuerySet[RoundItem]:
    """The items of a study that an adjudicator has decided."""
    return RoundItem.objects.filter(
        round__study=study_access.study,
        round__state__in=[RoundState.OPEN, RoundState.CLOSED],
        state=ItemState.ADJUDICATED,
        item__in=Item.objects.visible_to(study_access.access),
    )


def last_decided(study_access: StudyAccess) -> RoundItem | None:
    """The item that this account decided last: a slip is seen once the next one is there."""
    own = Adjudication.objects.filter(
        round__study=study_access.study, decided_by=study_access.access.user_id
    )
    made = own.order_by("-pk").first()
    if made is None:
        return None
    found = decided_in(study_access).filter(round=made.round_id, item=made.item_id)
    return found.select_related("round").first()


def _decidable(*studies: StudyAccess) -> QuerySet[RoundItem]:
    waiting = waiting_in(*studies).order_by("round__number", "position")
    if not studies:
        return waiting
    account = studies[0].access.user_id
    return _not_rated_by(account, _to_second(account, waiting))


def _to_second(account: int | None, waiting: QuerySet[RoundItem]) -> QuerySet[RoundItem]:
    """Those for which `reason_not_to_second` has nothing to say."""
    mine = Exists(Opinion.objects.filter(round_item=OuterRef("pk"), decided_by=account))
    talked_of = Q(state=ItemState.SPLIT, round__protocol__on_split=OnSplit.TALK.value) & Q(
        Exists(opinions_that_may_change(OuterRef("pk")))
    )
    return waiting.filter((talked_of & Q(mine)) | (~talked_of & ~Q(mine)))


def opinions_that_may_change(round_item: int | OuterRef) -> QuerySet[Opinion]:
    """What was decided of an item by those who may still adjudicate, and so talk of it."""
    now = timezone.now()
    return Opinion.objects.filter(
        permitted(
            Action.ADJUDICATE, OuterRef("decided_by"), study="round_item__round__study", at=now
        ),
        round_item=round_item,
        decided_by__in=who_may_enter(at=now).values("pk"),
    )


def _decided(study_access: StudyAccess) -> QuerySet[RoundItem]:
    decided = decided_in(study_access).order_by("-round__number", "position")
    return _not_rated_by(study_access.access.user_id, decided)


def _disputed(study_access: StudyAccess) -> QuerySet[RoundItem]:
    """The decided items to which a rater objects and was not answered."""
    waiting = Dispute.objects.filter(round_item=OuterRef("pk"), answered_at=None)
    return _decided(study_access).filter(Exists(waiting))


def _not_rated_by(account: int | None, found: QuerySet[RoundItem]) -> QuerySet[RoundItem]:
    rater = rater_of(account)
    return found if rater is None else found.exclude(item__in=items_of_rater(rater))


def _looked_for(found: QuerySet[RoundItem], wanted: CasesWanted) -> list[Waiting]:
    """The cases that are wanted, in the order that is wanted."""
    lines = [
        one for one in as_lines(list(found.select_related("round"))) if _is_wanted(one, wanted)
    ]
    if wanted.order is CaseOrder.GAP:
        return sorted(lines, key=lambda line: -line.widest)
    if wanted.order is CaseOrder.NODE:
        return sorted(lines, key=lambda line: line.earliest)
    return lines


def _is_wanted(line: Waiting, wanted: CasesWanted) -> bool:
    if wanted.is_flagged and not line.is_flagged:
        return False
    if wanted.least_gap and line.widest < wanted.least_gap:
        return False
    on = [one for one in line.differs_on if wanted.criterion in ("", one.criterion.key)]
    if wanted.node:
        on = [one for one in on if one.place == wanted.node]
    return bool(on)


def as_lines(cases: Sequence[RoundItem]) -> list[Waiting]:
    """The same as the queue tells them."""
    voices = voices_of(cases)
    to_audit = criteria_to_audit([one.pk for one in cases])
    return [_as_line(one, voices[one.item_id].values(), to_audit.get(one.pk, ())) for one in cases]


def _as_line(case: RoundItem, voices: Voices, to_audit: Collection[str]) -> Waiting:
    is_unseen = case.round.rules.decides_unseen and case.state != ItemState.ADJUDICATED
    return Waiting(
        round_item_id=case.pk,
        item_id=case.item_id,
        round_number=case.round.number,
        position=case.position,
        differs_on=tuple(_differences(case, voices, to_audit, is_unseen=is_unseen)),
        is_flagged=not is_unseen and raises_a_flag(case.round.rubric, voices),
        is_unseen=is_unseen,
    )


def _differences(
    case: RoundItem, voices: Voices, to_audit: Collection[str], *, is_unseen: bool
) -> Iterator[Difference]:
    for criterion in to_decide(case.round.rubric, voices, to_audit):
        answers = [] if is_unseen else answers_to(criterion, voices)
        walk = case.round.rubric.walk_of(criterion)
        ways = answers_to(walk, voices) if walk and not is_unseen else []
        about = None if criterion is walk else criterion.key
        yield Difference(
            criterion=criterion,
            gap=gap_between(criterion, answers),
            walk=walk,
            node=parting_node(walk, ways, about=about),
        )
