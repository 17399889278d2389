"""The facts that the rule of visibility asks for, and what it comes to for many items at once."""

from collections.abc import Collection
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models.prepared import Prepared
from annotation.models import Assignment, HeldOutItem, Rater, RoundItem, Study
from annotation.queries.studies import StudyAccess
from annotation.rules.granting import DataLevel, Split
from annotation.rules.lifecycle import AssignmentState, RoundState
from annotation.rules.visibility import Reader, reason_to_withhold_item


def reader_of(study_access: StudyAccess, *, takes_away: bool = False) -> Reader:
    """An account as a reader of what was answered in a study."""
    asked = {"account": study_access.access.user_id, "study": study_access.study.pk}
    rater, rates_now = _RATER.first(**asked) or (None, False)
    return Reader(
        rater=rater,
        roles=study_access.roles,
        rates_now=rates_now,
        takes_away=takes_away,
        has_single=study_access.sees_single_raters,
        has_gold=DataLevel.MAJORITY in study_access.levels,
        splits=study_access.splits,
        judges_are_blinded=study_access.study.judges_are_blinded,
    )


def in_splits(splits: Collection[Split], item: str = "") -> Q:
    """Rows whose item, at this path, is in one of these splits."""
    is_open = Q(**{f"{item}__opened__isnull" if item else "opened__isnull": False})
    if len(set(splits)) == len(Split):
        return Q()
    if not splits:
        return Q(pk__in=[])
    return is_open if Split.OPEN in splits else ~is_open


def rated_now(study: Study) -> QuerySet[RoundItem, Any]:
    """The items of a study that are in an open round, to be used inside of queries."""
    in_open_round = RoundItem.objects.filter(round__study=study, round__state=RoundState.OPEN)
    return in_open_round.values("item")


def held_out(study: Study) -> QuerySet[HeldOutItem, Any]:
    """The items of the hold-out of a study, to be used inside of queries; none once it has ended."""
    of_study = HeldOutItem.objects.filter(hold_out__study=study, hold_out__ended_at=None)
    return of_study.values("item")


def withheld_items(study: Study, reader: Reader) -> set[int]:
    """The items for which `reason_to_withhold_item` has a reason, those of other splits, and those
    that are held out."""
    if reason_to_withhold_item(reader, is_rated_now=False):
        return set(study.items.values_list("pk", flat=True))
    hidden = set(
        study.items.filter(in_splits(set(Split) - reader.splits)).values_list("pk", flat=True)
    )
    hidden |= set(held_out(study).values_list("item", flat=True))
    if reason_to_withhold_item(reader, is_rated_now=True):
        hidden |= set(rated_now(study).values_list("item", flat=True))
    return hidden


def _rater(account: int, study: int) -> QuerySet[Rater, Any]:
    owed_or_given = Assignment.objects.filter(
        rater=OuterRef("pk"), round__study=study, round__state=RoundState.OPEN
    ).exclude(state=AssignmentState.RELEASED)
    known = Rater.objects.filter(user=account).annotate(rates_now=Exists(owed_or_given))
    return known.values_list("pk", "rates_now")[:1]


# Asked with every poll of a live page, so prepared.
_RATER = Prepared(_rater)
