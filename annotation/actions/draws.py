"""Which items a new round has, in its order."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from annotation.actions import qualifying
from annotation.models import Item, Round, RoundItem, Study
from annotation.rubric.sentences import sentence
from annotation.rules import drawing
from annotation.rules.qualifying import mixed_in


class NothingToDraw(Exception):
    """A sentence that says why there are no such items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What `annotation.actions.rounds.open_round` is asked for; a round that is not ordinary is one
    to qualify, and has `n_items` whose gold is known."""

    n_items: int | None
    re_review_of: int | None
    listed: Mapping[str, float]
    audit_percent: int
    chosen: Sequence[int]
    n_gold: int
    is_ordinary: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """{item: the chance that it had to be in the round}; those of them mixed in for their `gold`;
    from how many it was drawn, where that is known; with what seed items beside a list were."""

    chances: Mapping[int, float]
    gold: Collection[int] = frozenset()
    drawn_from: int | None = None
    audit_percent: int = 0
    audit_seed: str = ""


def draw(study: Study, raters: Sequence[int], wanted: Wanted, *, number: int) -> Draw:
    """The items of round `number` of a study, for raters who sit in it. NothingToDraw."""
    seed = f"{study.key}:{number}"
    drawn_from = _drawn_from(study, wanted)
    chances = _asked_for(study, wanted, seed)
    gold: list[int] = []
    if not wanted.is_ordinary:
        gold = _gold_for(study, raters, wanted.n_items, seed)
        chances = dict.fromkeys(gold, 1.0)
    elif wanted.n_gold:
        gold = _gold_for(study, raters, wanted.n_gold, seed, but=chances)
        order = mixed_in(list(chances), gold, seed=f"{study.release_key}:{number}")
        chances = {item: chances.get(item, 1.0) for item in order}
    if not chances:
        raise NothingToDraw(sentence("Every item of the study has been in a round already."))
    audit_percent = wanted.audit_percent if wanted.listed else 0
    return Draw(
        chances=chances,
        gold=frozenset(gold),
        drawn_from=drawn_from,
        audit_percent=audit_percent,
        audit_seed=seed if audit_percent else "",
    )


def _drawn_from(study: Study, wanted: Wanted) -> int | None:
    if wanted.re_review_of:
        return Round.objects.values_list("drawn_from", flat=True).get(pk=wanted.re_review_of)
    return _fresh(study).count() if wanted.listed else None


def _asked_for(study: Study, wanted: Wanted, seed: str) -> dict[int, float]:
    if wanted.listed:
        return _listed(study, wanted.listed, wanted.audit_percent, seed)
    if wanted.chosen:
        return dict.fromkeys(wanted.chosen, 1.0)
    if wanted.re_review_of is not None:
        earlier = RoundItem.objects.filter(
            round=wanted.re_review_of,
            round__study=study,
            item__in=study.items.not_set_aside(),
        )
        return dict(earlier.order_by("position").values_list("item_id", "probability"))
    return dict.fromkeys(_fresh(study).values_list("pk", flat=True)[: wanted.n_items], 1.0)


def _listed(
    study: Study, listed: Mapping[str, float], audit_percent: int, seed: str
) -> dict[int, float]:
    """The items of a list and those drawn beside it, in the order of the study."""
    fresh = {key: pk for pk, key in _fresh(study).values_list("pk", "key")}
    if strangers := [key for key in listed if key not in fresh]:
        raise NothingToDraw(
            sentence(
                "{count} of the listed items are not in the study, were in a round already or are "
                "set aside, the first of them “{item}”.",
                count=len(strangers),
                item=strangers[0][:60],
            )
        )
    chances = {fresh[key]: chance for key, chance in listed.items()}
    if reason := drawing.reason_not_to_audit(chances, audit_percent):
        raise NothingToDraw(reason)
    others = [pk for pk in fresh.values() if pk not in chances]
    found = drawing.with_audit(chances, others, audit_percent, seed=seed)
    return {pk: found[pk] for pk in fresh.values() if pk in found}


def _fresh(study: Study) -> QuerySet[Item]:
    return Item.objects.filter(study=study).for_a_new_round().order_by("position", "pk")


def _gold_for(
    study: Study,
    raters: Sequence[int],
    wanted: int | None,
    seed: str,
    *,
    but: Collection[int] = (),
) -> list[int]:
    """So many items with gold that nobody of the panel knows (None: all of them)."""
    found = qualifying.items_with_gold(study, raters, seed=f"{study.release_key}:{seed}")
    free = [item for item in found if item not in but]
    if not free or (wanted is not None and len(free) < wanted):
        raise NothingToDraw(
            sentence("Items with gold that this panel does not know: {count}.", count=len(free))
        )
    return free[:wanted]
