"""Draw a sample of the items on which all raters agree, and keep what is decided on it."""

from collections.abc import Mapping
from datetime import datetime

from accounts import events
from accounts.models import User
from annotation.models import GoldAudit, Round, RoundItem
from annotation.queries.ratings import answers_in_round
from annotation.queries.voices import in_conflict, voices_of
from annotation.rubric.answers import Answer
from annotation.rules.auditing import asked_alike, drawn, is_overturned
from annotation.rules.lifecycle import ItemState, RoundState


def draw(rating_round: Round, *, at: datetime) -> None:
    """Draw what the protocol asks for, once the gate has left nothing to rate again: of what a
    re-review and the round before it agree on. The caller holds the lock on the round."""
    percent = rating_round.rules.agreed_percent
    of_rounds = [rating_round.pk, rating_round.re_review_of_id]
    rated = RoundItem.objects.filter(round__in=[one for one in of_rounds if one], is_gold=False)
    rated = rated.filter(gold_audit=None)  # a re-review before, which was cancelled, drew others
    agreed = rated.filter(state=ItemState.AGREED).order_by("pk").values_list("pk", flat=True)
    seed = f"{rating_round.study.release_key}:{rating_round.pk}:agreed"
    sample = drawn(list(agreed), percent, seed=seed)
    if not sample:
        return
    differing = list(rated.filter(round=rating_round, state=ItemState.DISAGREED).order_by("pk"))
    voices, rubric = voices_of(differing), rating_round.rubric
    alike = asked_alike(
        sample,
        [
            [one.key for one in in_conflict(rubric, voices[place.item_id].values())]
            for place in differing
        ],
        [one.key for one in rubric.criteria],
        seed=seed,
    )
    GoldAudit.objects.bulk_create(
        GoldAudit(round_item_id=item, drawn_in=rating_round, criteria=criteria, drawn_at=at)
        for item, criteria in alike.items()
    )
    events.record(
        "round.audit_drawn",
        subject=f"round:{rating_round.pk}",
        by=None,
        at=at,
        facts={"items": len(sample), "of": len(agreed)},
    )


def of_item(round_item: RoundItem) -> GoldAudit | None:
    """The place of an item in the sample of an open round, locked; None for one that is in none."""
    found = GoldAudit.objects.select_for_update(of=("self",))
    return found.filter(round_item=round_item, drawn_in__state=RoundState.OPEN).first()


def decide(
    audit: GoldAudit,
    *,
    decided: Mapping[str, Answer],
    values: Mapping[str, str],
    ways: Mapping[str, str],
    reason: str,
    code: str,
    by: User,
    at: datetime,
) -> None:
    """Keep what somebody decided on an item of the sample; its gold stays what it is."""
    place = audit.round_item
    given = answers_in_round(place.round_id, place.item_id)
    asked = [one for one in place.round.rubric.criteria if one.key in audit.criteria]
    audit.decided_by, audit.decided_at = by, at
    audit.values, audit.ways = dict(values), dict(ways)
    audit.reason, audit.code = reason, code
    audit.is_overturned = is_overturned(asked, list(given.values()), decided)
    audit.save()
    events.record(
        "item.audited",
        subject=f"round_item:{place.pk}",
        by=by,
        at=at,
        facts={"audit": audit.pk, "criteria": len(asked)},
    )
