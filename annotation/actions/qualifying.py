"""Items whose gold is known: which there are for a panel, and how well it met them."""

from collections.abc import Sequence

from django.db.models import Count, Q

from annotation.models import Assignment, Item, Quarantine, Round, Study
from annotation.queries.ratings import answers_in_round, current_gold
from annotation.rubric.answers import Answer
from annotation.rules.lifecycle import AssignmentState
from annotation.rules.qualifying import NOTHING_ASKED, GoldScore, score
from annotation.rules.shuffling import shuffled


def items_with_gold(study: Study, raters: Sequence[int], *, seed: str) -> list[int]:
    """The items that have gold for every criterion and that none of these raters knows, drawn."""
    keys = [criterion.key for criterion in study.rubric_version.content.criteria]
    known = Assignment.objects.filter(rater__in=raters, round__study=study).exclude(
        state=AssignmentState.RELEASED
    )
    aside = Quarantine.objects.filter(item__study=study, lifted_at=None)
    of_gold = Q(gold__superseded_at=None, gold__criterion_key__in=keys)
    found = (
        Item.objects.filter(study=study)
        .exclude(pk__in=known.values("item"))
        .exclude(pk__in=aside.values("item"))
        .annotate(n_gold=Count("gold", filter=of_gold))
        .filter(n_gold=len(keys))
        .order_by("position", "pk")
    )
    return list(shuffled(found.values_list("pk", flat=True), seed))


def keep_scores(rating_round: Round) -> None:
    """Count, of a round that closes, how many answers each rater got right."""
    places = rating_round.round_items.filter(is_gold=True)
    found: dict[int, GoldScore] = {}
    for item in places.values_list("item_id", flat=True):
        gold = {
            key: Answer(criterion=key, label=one.label, score=one.score)
            for key, one in current_gold(item).items()
        }
        for rater, given in answers_in_round(rating_round.pk, item).items():
            one = score(rating_round.rubric, given, gold)
            found[rater] = found.get(rater, NOTHING_ASKED) + one
    for rater, total in found.items():
        rating_round.seats.filter(rater=rater).update(n_gold=total.of, n_right=total.right)
