"""Items under discussion, for their raters and for who leads it: all under letters, not names."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext

from annotation.models import Assignment, DiscussionRemark, Item, RoundItem
from annotation.queries.adjudicating import Possible, possible_of
from annotation.queries.grounds import GroundsShown, grounds_shown
from annotation.queries.items import ItemShown, shown
from annotation.queries.ratings import (
    answers_in_round,
    rater_of,
    second_votes,
    submissions_in_round,
)
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said, worded
from annotation.rubric.answers import Answer
from annotation.rubric.schema import Criterion
from annotation.rules.blinding import blinded_order
from annotation.rules.deciding import value_of
from annotation.rules.disagreement import differ
from annotation.rules.discussing import (
    Votes,
    is_settled,
    may_moderate,
    reason_not_to_take_part,
    votes_now,
)
from annotation.rules.lifecycle import AssignmentState, ItemState, RoundState

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

DISCUSSED_ON_A_PAGE = 100
REMARKS_IN_VIEW = 10


class _OfRemarks(TypedDict):
    """What the list tells of an item besides."""

    n_remarks: int
    newest_at: datetime | None


Discussed: TypeAlias = "WithAnnotations[RoundItem, _OfRemarks]"


class NoSuchDiscussion(Http404):
    """Nothing is discussed there, or not by this account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """What a rater answered independently, and what they answer now."""

    who: str
    before: str
    now: str
    has_changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteOnCriterion:
    """One criterion of an item under discussion; `mine` is the value of who reads, if they vote."""

    key: str
    name: str
    differs: bool
    votes: tuple[Vote, ...]
    mine: str
    possible: tuple[Possible, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RemarkShown:
    who: str
    text: str
    written_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Discussion:
    """An item under discussion as one who takes part in it reads it; `earlier` remarks are folded."""

    round_item_id: int
    round_number: int
    position: int
    item: ItemShown
    differing: tuple[VoteOnCriterion, ...]
    agreed: tuple[VoteOnCriterion, ...]
    grounds: tuple[GroundsShown, ...]
    earlier: tuple[RemarkShown, ...]
    newest: tuple[RemarkShown, ...]
    may_vote: bool
    may_end: bool
    is_settled: bool


def discussed(study_access: StudyAccess) -> QuerySet[RoundItem]:
    """The items that this account discusses, by round and position."""
    return _open(study_access).order_by("round__number", "position").select_related("round")


def page_of_discussed(study_access: StudyAccess, page: str) -> "Page[Discussed]":
    """Some of them at once, with how many remarks there are and when the newest was made."""
    found = discussed(study_access).annotate(
        n_remarks=Count("remarks"), newest_at=Max("remarks__written_at")
    )
    return Paginator(found, DISCUSSED_ON_A_PAGE).get_page(page)


def n_to_discuss(study_access: StudyAccess) -> int:
    return _open(study_access).count()


def numbers_to_discuss(studies: Sequence[StudyAccess]) -> Counter[int]:
    """{study: how many items its account discusses there}, of studies of one account."""
    found = _open(*studies).order_by().values("round__study")
    return Counter(dict(found.annotate(n=Count("pk")).values_list("round__study", "n")))


def rounds_to_discuss(study_access: StudyAccess) -> set[int]:
    """The rounds in which this account discusses items now."""
    return set(_open(study_access).order_by().values_list("round", flat=True).distinct())


def round_under_discussion(study_access: StudyAccess, round_item_id: int) -> int | None:
    """The round of an item that this account discusses now, or None."""
    found = _open(study_access).filter(pk=round_item_id)
    return found.values_list("round_id", flat=True).first()


def discussion(study_access: StudyAccess, round_item_id: int) -> Discussion:
    """One item under discussion; NoSuchDiscussion."""
    round_item = (
        _open(study_access)
        .filter(pk=round_item_id)
        .select_related("round", "item__dialogue")
        .first()
    )
    if round_item is None:
        raise NoSuchDiscussion
    given = answers_in_round(round_item.round_id, round_item.item_id)
    reader = rater_of(study_access.access.user_id)
    if reason_not_to_take_part(given, reader, study_access.roles):
        raise NoSuchDiscussion
    now = votes_now(given, second_votes(round_item.pk))
    names = _names(round_item, list(given), reader, secret=study_access.study.release_key)
    item = round_item.item
    rubric = round_item.round.rubric
    in_view = shown(item.dialogue.turns, item.reply, item.reply_speaker, item.content_note)
    sent = submissions_in_round(round_item.round_id, round_item.item_id)
    remarks = tuple(_remarks(round_item, names))
    criteria = [_criterion(one, given, now, names, reader) for one in rubric.criteria]
    return Discussion(
        round_item_id=round_item.pk,
        round_number=round_item.round.number,
        position=round_item.position,
        item=in_view,
        differing=tuple(one for one in criteria if one.differs),
        agreed=tuple(one for one in criteria if not one.differs),
        grounds=grounds_shown(
            rubric,
            {sent[rater]: who for rater, who in names.items() if rater in sent},
            in_view.texts,
        ),
        earlier=remarks[:-REMARKS_IN_VIEW],
        newest=remarks[-REMARKS_IN_VIEW:],
        may_vote=reader in given,
        may_end=may_moderate(given, reader, study_access.roles),
        is_settled=is_settled(rubric, now.values()),
    )


def _open(*studies: StudyAccess) -> QuerySet[RoundItem]:
    """In studies of one account."""
    if not studies:
        return RoundItem.objects.none()
    access = studies[0].access
    found = RoundItem.objects.filter(
        round__study__in=[one.study for one in studies],
        round__state=RoundState.OPEN,
        state=ItemState.DISCUSSED,
        item__in=Item.objects.visible_to(access),
    )
    leads = [one.study for one in studies if one.may_adjudicate or one.may_coordinate]
    if len(leads) == len(studies):
        return found
    mine = Assignment.objects.filter(
        round=OuterRef("round"),
        item=OuterRef("item"),
        rater__user=access.user_id,
        state=AssignmentState.SUBMITTED,
    )
    return found.filter(Exists(mine) | Q(round__study__in=leads))


def _names(
    round_item: RoundItem, raters: Sequence[int], reader: int | None, *, secret: str
) -> Mapping[int, str]:
    """{rater: under which letter all know them, or “you”}, in the order of the letters."""
    order = blinded_order(raters, round_item.item_id, None, secret=secret)
    names = {
        rater: gettext("Rater %(letter)s") % {"letter": chr(ord("A") + place)}
        for place, rater in enumerate(order)
    }
    return names | {
        rater: gettext("You (%(name)s)") % {"name": name}
        for rater, name in names.items()
        if rater == reader
    }


def _criterion(
    criterion: Criterion,
    given: Mapping[int, Votes],
    now: Mapping[int, Votes],
    names: Mapping[int, str],
    reader: int | None,
) -> VoteOnCriterion:
    mine = now.get(reader, {}).get(criterion.key) if reader is not None else None
    return VoteOnCriterion(
        key=criterion.key,
        name=said(criterion.name),
        differs=differ(criterion, [votes.get(criterion.key) for votes in given.values()]),
        votes=tuple(
            Vote(
                who=names[rater],
                before=_words(criterion, given[rater].get(criterion.key)),
                now=_words(criterion, now[rater].get(criterion.key)),
                has_changed=given[rater].get(criterion.key) != now[rater].get(criterion.key),
            )
            for rater in names
        ),
        mine=value_of(mine) if mine else "",
        possible=possible_of(criterion),
    )


def _words(criterion: Criterion, answer: Answer | None) -> str:
    return worded(criterion, answer) if answer else gettext("cannot judge")


def _remarks(round_item: RoundItem, names: Mapping[int, str]) -> list[RemarkShown]:
    found = DiscussionRemark.objects.filter(round_item=round_item).order_by("pk")
    return [
        RemarkShown(
            who=names.get(rater_of(one.author_id) or 0, gettext("Who leads the discussion")),
            text=one.text,
            written_at=one.written_at,
        )
        for one in found
    ]
