"""Items whose gold is known: which there are for a panel, how well it met them, and who may rate
although they did not."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Q

from accounts import events
from accounts.models import User
from annotation.models import Admission, Assignment, Item, Quarantine, Round, Study, TeamRole
from annotation.queries.ratings import answers_in_round, current_gold
from annotation.rubric.answers import Answer
from annotation.rubric.sentences import sentence
from annotation.rules.lifecycle import AssignmentState
from annotation.rules.qualifying import NOTHING_ASKED, GoldScore, score
from annotation.rules.remarks import problem_with_reason, tidied
from annotation.rules.shuffling import shuffled


class CannotLetIn(Exception):
    """A sentence that says why nobody is let in."""


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


def keep_scores(rating_round: Round) -> dict[int, GoldScore]:
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
    return found


@transaction.atomic
def let_in(*, study_id: int, account: int, reason: str, by: User, at: datetime) -> Admission:
    """Let an annotator rate in ordinary rounds who has not passed. CannotLetIn."""
    study = Study.objects.select_for_update().get(pk=study_id)
    reason = tidied(reason)
    annotates = study.memberships.filter(user=account, roles__contains=[TeamRole.ANNOTATOR])
    refusal = problem_with_reason(reason)
    if not annotates.exists():
        refusal = sentence("Only annotators of the study are let in.")
    if account == by.pk:
        refusal = sentence("Somebody else lets you in.")
    if study.admissions.filter(user=account).exists():
        refusal = sentence("They have been let in already.")
    if refusal:
        raise CannotLetIn(refusal)
    made = Admission.objects.create(
        study=study, user_id=account, reason=reason, let_in_at=at, let_in_by=by
    )
    events.record(
        "rater.let_in",
        subject=f"study:{study_id}",
        by=by,
        at=at,
        facts={"account": account, "admission": made.pk},
    )
    return made
