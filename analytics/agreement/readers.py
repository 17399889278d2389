"""To whom single ratings may be handed now, and which means would be as good as these."""

from collections.abc import Collection

from annotation.models import Gold, Rater, RaterKind, Study, Submission
from annotation.queries.ratings import rater_of
from annotation.queries.studies import StudyAccess
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.blinding import may_show
from annotation.rules.lifecycle import RoundState

LEAST_ITEMS = 10


def least_items(study: Study) -> int:
    """Over how many items a mean has to be told now: that of one item is its rating."""
    return LEAST_ITEMS if study.rounds.filter(state=RoundState.OPEN).exists() else 1


def reason_to_keep_ratings(
    study_access: StudyAccess, *, raters: Collection[int], with_gold: bool
) -> Sentence | None:
    """Say why what these raters gave which item may not be handed to this account now, or None."""
    study = study_access.study
    if study_access.may_rate and _is_a_judge_among(raters):
        return sentence(
            "You annotate in this study, so what judges answered is not handed to you: it could "
            "sway your ratings."
        )
    reader = rater_of(study_access.access.user_id)
    return reason_to_wait(
        study, raters=raters, reader=reader, roles=study_access.roles, with_gold=with_gold
    )


def reason_to_wait(
    study: Study,
    *,
    raters: Collection[int],
    reader: int | None,
    roles: Collection[str],
    with_gold: bool,
) -> Sentence | None:
    """Say which open round still blinds what these raters gave, or None.

    Where all raters of an item agree, its gold is what each of them answered.
    """
    found = Submission.objects.filter(
        study=study, rater__in=raters, is_current=True, round__isnull=False
    ).values_list("rater_id", "round__state", "round__number")
    for owner, state, number in found.distinct():
        if not may_show(owner, reader, roles, RoundState(state)):
            return _still_open(number)
    open_gold = Gold.objects.filter(
        item__study=study, superseded_at=None, round__state=RoundState.OPEN
    ).values_list("round__number", flat=True)
    if with_gold and (number := open_gold.first()):
        return _still_open(number)
    return None


def _is_a_judge_among(raters: Collection[int]) -> bool:
    return Rater.objects.filter(pk__in=raters, kind=RaterKind.JUDGE).exists()


def _still_open(number: int) -> Sentence:
    return sentence(
        "Round {number} is open, and its ratings are in this file: it can be downloaded once the "
        "round is closed.",
        number=number,
    )
