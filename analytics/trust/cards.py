"""The trust cards as data, for programs and files: under which rules, and line by line."""

from typing import Any

from pydantic import TypeAdapter

from analytics.present.small_cells import left_out_of_card
from analytics.ratings import juries
from analytics.ratings.history import Answerer, HoldOutUsed
from analytics.stats.estimates import Estimate
from analytics.stats.verdicts import TrustCard
from analytics.trust import numbers as trust
from analytics.trust.numbers import Known, TrustReport, card_of
from analytics.trust.policies import Held
from annotation.models import Rater

_CARD = TypeAdapter(TrustCard)
_FIGURE: TypeAdapter[Estimate | None] = TypeAdapter(Estimate | None)
_USED = TypeAdapter(HoldOutUsed | None)
_ANSWERERS = TypeAdapter(tuple[Answerer, ...])


def as_json(
    report: TrustReport, held: Held, *, n_looks: int = 1, with_small_cells: bool = True
) -> dict[str, Any]:
    """The policy with its fingerprint and when it was fixed, and every card under it, with the
    intervals that one of `n_looks` planned looks takes. Without small cells a line says `left_out`
    in the place of a figure that tells of few items, and of one that would give it back."""
    return {
        "study": report.study,
        "revision": report.revision,
        "computed_at": report.computed_at.isoformat(),
        "policy": policy_as_json(held),
        "cards": [
            _card(report, held, known, n_looks, with_small_cells=with_small_cells)
            for known in report.known
        ],
    }


def figures_in(content: dict[str, Any]) -> list[Estimate | None]:
    """Every figure of cards as `as_json` told them."""
    return [
        _FIGURE.validate_python(line["estimate"])
        for card in content["cards"]
        for line in card["lines"]
    ]


def read_used(told: Any) -> HoldOutUsed | None:
    """How a hold-out was used, as a card has it."""
    return _USED.validate_python(told)


def policy_as_json(held: Held) -> dict[str, Any]:
    """The policy in view; `fixed_at` is None where it does not hold in the study."""
    fixed = None if held.is_preview else held.fixed
    return {
        "key": held.policy.key,
        "title": held.policy.title.in_("en"),
        "sha256": held.policy.sha256,
        "fixed_at": fixed and fixed.at.isoformat(),
        "ratings_by_judges_then": fixed and fixed.n_judged,
        "policies_before": fixed and len(held.fixings) - 1,
    }


def _card(
    report: TrustReport, held: Held, known: Known, n_looks: int, *, with_small_cells: bool
) -> dict[str, Any]:
    line = next(one for one in report.criteria if one.key == known.criterion)
    rater = next(one for one in report.raters if one.id == known.judge)
    card = card_of(known, line, held.policy, n_looks=n_looks)
    change = trust.change_under(known, line, held.policy)
    plain = _CARD.dump_python(card, mode="json", exclude={"rules"}) if card else {}
    if card and not with_small_cells:
        figures = [one.estimate for one in card.lines]
        made_of = trust.made_of(known, line, held.policy)
        for place, why in left_out_of_card(figures, made_of).items():
            plain["lines"][place] |= {"estimate": None, "value": None, "left_out": why}
    return {
        "judge": rater.key,
        "criterion": known.criterion,
        "verdict": plain.get("verdict"),
        "is_expired": card is not None and card.is_expired,
        "lines": plain.get("lines", []),
        "tier": known.tiering.tier.value if known.tiering else None,
        "answered_by_another": change and change.value,
        "rests_on": known.rests_on(report).value,
        "n_held_out": report.n_held_out,
        "hold_out_used": _USED.dump_python(known.used, mode="json"),
        "jury": _jury(known),
        "answerers": _ANSWERERS.dump_python(known.answerers, mode="json"),
    }


def _jury(known: Known) -> dict[str, Any] | None:
    """Of a jury that may be told of: how it is made up, and how much was seen when it was named."""
    found = juries.numbered([known.judge]).get(known.judge)
    if found is None:
        return None
    keys = dict(Rater.objects.filter(pk__in=found.members).values_list("pk", "key"))
    return {
        "members": [keys[one] for one in found.members],
        "rule": found.rule,
        "quorum": found.quorum,
        "answers_seen": found.n_seen,
    }
