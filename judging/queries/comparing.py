"""Replies that may be held against each other."""

from collections.abc import Sequence
from statistics import fmean, mean

from django.db.models import QuerySet

from accounts.models import User
from annotation.models import Item, Study
from judging.comparing import Comparing, asked_of_pairs
from judging.prompts import PairText
from judging.prompts.template import Template
from judging.queries.runs import granted_to, items_to_judge, pair_text
from judging.queries.showing import SAMPLED, CostEstimate
from judging.rules.budget import Price
from judging.rules.comparing import Pair, PairsWanted, ReplyToPair, pairs_of


def replies_of(
    study: Study, round_number: int | None, *, by: User | None, of_hold_out: bool
) -> list[ReplyToPair]:
    """The replies in a study, or in one of its rounds, whose source is known, that somebody may have
    judged; none that is set aside."""
    found = granted_to(by, study, items_to_judge(study, round_number, of_hold_out=of_hold_out))
    found = found.exclude(generator="").filter(pk__in=study.items.not_set_aside().values("pk"))
    return [
        ReplyToPair(item=pk, conversation=dialogue, source=generator)
        for pk, dialogue, generator in found.values_list("pk", "dialogue", "generator")
    ]


def pairs_to_ask(
    study: Study,
    wanted: PairsWanted,
    *,
    round_number: int | None,
    by: User | None,
    of_hold_out: bool,
) -> list[Pair]:
    """The pairs that somebody wants a judge to be asked about, each in the order drawn for it."""
    replies = replies_of(study, round_number, by=by, of_hold_out=of_hold_out)
    return pairs_of(replies, reference=wanted.reference, most=wanted.most, seed=wanted.seed)


def estimate(
    study: Study,
    wanted: PairsWanted,
    *,
    by: User | None,
    round_number: int | None,
    repeats: int,
    template: Template,
    max_tokens: int | None,
    price: Price | None = None,
    of_hold_out: bool = False,
) -> CostEstimate:
    """What asking about these pairs would come to; NothingToCompareOn."""
    rubric = study.rubric_version.content
    asked = asked_of_pairs(rubric, overall=wanted.overall, ties=wanted.ties, values=wanted.values)
    pairs = pairs_to_ask(study, wanted, round_number=round_number, by=by, of_hold_out=of_hold_out)
    interview = Comparing(rubric=asked, template=template)
    sample = pairs[:: -(-len(pairs) // SAMPLED) or 1]
    uses = [
        interview.likely_use(text, max_tokens=max_tokens, price=price) for text in _texts(sample)
    ]
    calls = len(pairs) * (1 + wanted.both_orders) * repeats
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


def _texts(pairs: Sequence[Pair]) -> list[PairText]:
    involved = {one for pair in pairs for one in pair}
    items = Item.objects.select_related("dialogue").in_bulk(involved)
    return [pair_text(items[pair.first], items[pair.second]) for pair in pairs]


def other_reply(item: Item, among: QuerySet[Item]) -> Item | None:
    """A reply of another source to the same conversation, to which one can be held."""
    others = among.filter(dialogue=item.dialogue_id).exclude(generator__in=["", item.generator])
    return others.select_related("dialogue").first() if item.generator else None
