"""Replies that may be held against each other."""

from collections.abc import Sequence
from statistics import fmean, mean

from accounts.models import User
from annotation.models import Item, Quarantine, Study
from judging.comparing import Comparing, NothingToCompareOn, asked_of_pairs
from judging.prompts.template import Template
from judging.queries.runs import granted_to, items_to_judge, pair_text
from judging.queries.showing import SAMPLED, CostEstimate
from judging.rules.budget import Price
from judging.rules.comparing import Pair, ReplyToPair


def replies_of(
    study: Study, round_number: int | None, *, by: User | None, of_hold_out: bool
) -> list[ReplyToPair]:
    """The replies in a study, or in one of its rounds, whose source is known, that somebody may have
    judged; none that is set aside."""
    found = granted_to(by, study, items_to_judge(study, round_number, of_hold_out=of_hold_out))
    aside = Quarantine.objects.filter(lifted_at=None).values("item")
    found = found.exclude(generator="").exclude(pk__in=aside)
    return [
        ReplyToPair(item=pk, conversation=dialogue, source=generator)
        for pk, dialogue, generator in found.values_list("pk", "dialogue", "generator")
    ]


def estimate(
    study: Study,
    pairs: Sequence[Pair],
    *,
    n_orders: int,
    repeats: int,
    overall: bool,
    ties: bool,
    template: Template,
    max_tokens: int | None,
    price: Price | None,
) -> CostEstimate | None:
    """What asking about these pairs would come to; None where the rubric has nothing to ask."""
    try:
        asked = asked_of_pairs(study.rubric_version.content, overall=overall, ties=ties)
    except NothingToCompareOn:
        return None
    interview = Comparing(rubric=asked, template=template)
    sample = pairs[:: -(-len(pairs) // SAMPLED) or 1]
    items = Item.objects.select_related("dialogue").in_bulk(
        {one for pair in sample for one in pair}
    )
    uses = [
        interview.likely_use(
            pair_text(items[pair.first], items[pair.second]), max_tokens=max_tokens, price=price
        )
        for pair in sample
    ]
    calls = len(pairs) * n_orders * repeats
    return CostEstimate(
        items=len(pairs),
        without_reply=0,
        calls=calls,
        most_requests=calls * len(interview.requests()),
        tokens_a_call=round(fmean(use.tokens for use in uses)) if uses else 0,
        sampled=len({one for pair in sample for one in pair}),
        money_a_call=mean(use.money for use in uses) if uses and price else None,
        currency=price.currency if price else "",
    )
