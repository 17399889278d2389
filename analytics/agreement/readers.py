"""To whom single ratings may be handed now, and which means would be as good as these."""

from collections.abc import Collection, Iterator

from analytics.ratings.blinding import is_alias
from analytics.ratings.juries import numbered
from annotation.models import Gold, Rater, Study, Submission
from annotation.queries.visibility import held_out, rated_now
from annotation.rubric.sentences import Sentence
from annotation.rules.lifecycle import RoundState
from annotation.rules.visibility import (
    Author,
    Given,
    Phase,
    Reader,
    phase_of,
    reason_to_withhold,
    reason_to_withhold_splits,
)

LEAST_ITEMS = 10


def least_items(study: Study) -> int:
    """Over how many items a mean has to be told now: that of one item is its rating."""
    return LEAST_ITEMS if study.rounds.filter(state=RoundState.OPEN).exists() else 1


def reason_to_keep_ratings(
    study: Study, reader: Reader, *, raters: Collection[int], with_gold: bool
) -> Sentence | None:
    """Say why what these raters gave which item may not be handed to this reader now, or None. What
    a jury gave is what its members gave.

    Where all raters of an item agree, its gold is what each of them answered.
    """
    if reason := reason_to_withhold_splits(reader):
        return reason
    reasons = (reason_to_withhold(reader, given) for given in _given_by(study, raters, with_gold))
    return next((reason for reason in reasons if reason), None)


def _given_by(study: Study, raters: Collection[int], with_gold: bool) -> Iterator[Given]:
    """What is in the file, one for each case that the rule tells apart."""
    apart = Submission.objects.filter(study=study, is_current=True, item__in=held_out(study))
    on_held_out = set(apart.values_list("rater", flat=True))
    if any(map(is_alias, raters)):
        yield Given(author=Author.JUDGE, phase=Phase.SETTLED)
    sat = {one for jury in numbered(raters).values() for one in jury.members}
    raters = {*raters, *sat}
    for rater, kind in Rater.objects.filter(pk__in=raters).values_list("pk", "kind"):
        yield Given(
            author=Author(kind),
            rater=rater,
            phase=Phase.SETTLED,
            is_held_out=rater in on_held_out,
        )
    submissions = Submission.objects.filter(
        study=study, rater__in=raters, is_current=True, item__in=rated_now(study)
    ).values_list("rater", "rater__kind", "round__state")
    for rater, kind, state in submissions.order_by("rater", "round__state").distinct():
        phase = phase_of(state, is_rated_now=True)
        yield Given(author=Author(kind), rater=rater, phase=phase)
    if not with_gold:
        return
    gold = Gold.objects.filter(item__in=rated_now(study), superseded_at=None)
    for state in gold.values_list("round__state", flat=True).distinct():
        yield Given(author=Author.GOLD, phase=phase_of(state, is_rated_now=True))
