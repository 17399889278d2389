"""Whether what was sealed of judges still holds, by the rules that it was sealed under."""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from analytics.figures import store
from analytics.models import SealedVerdicts
from analytics.policies.loading import read
from analytics.ratings.matrices import PLAIN
from analytics.stats.verdicts import Verdict
from analytics.trust import cards, sentinels
from analytics.trust.numbers import PART
from analytics.trust.policies import Held
from annotation.models import Study

_TRUSTED = (Verdict.TRUSTED, Verdict.TRUSTED_WITH_CALIBRATION)  # the stronger one first
Card = Mapping[str, Any]


class NothingSealed(Exception):
    """There is no sealed verdict that could hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLine:
    """A sealed verdict about a judge and a criterion, and why it holds no longer; empty: it does."""

    judge: str
    criterion: str
    sealed: Verdict
    broken: str


def gate(study: Study, *, judges: Collection[str], at: datetime) -> list[GateLine]:
    """Hold the newest sealed verdicts against today's ratings: of some judges, or of all.

    NothingSealed where there are none, or none that lets one of these judges be used.
    """
    sealed = SealedVerdicts.objects.filter(study=study).order_by("-pk").first()
    if sealed is None:
        raise NothingSealed("No verdict of this study has been sealed.")
    if hashlib.sha256(sealed.content.encode()).hexdigest() != sealed.sha256:
        raise NothingSealed("What was sealed is no longer what its name says.")
    content = json.loads(sealed.content)
    promised = [card for card in content["cards"] if card["verdict"] in _TRUSTED]
    if unknown := set(judges) - {card["judge"] for card in promised}:
        raise NothingSealed(f"Nothing was sealed that lets one use {', '.join(sorted(unknown))}.")
    if not promised:
        raise NothingSealed("No sealed verdict lets one use a judge.")
    now = _cards_now(study, content, at)
    moved = sentinels.failed(study)
    return [
        GateLine(
            judge=card["judge"],
            criterion=card["criterion"],
            sealed=Verdict(card["verdict"]),
            broken=moved.get(card["judge"], "")
            or reason_broken(card, now.get((card["judge"], card["criterion"]))),
        )
        for card in promised
        if not judges or card["judge"] in judges
    ]


def reason_broken(sealed: Card, now: Card | None) -> str:
    """Why a sealed verdict no longer holds; empty where it does."""
    if now is None or now["verdict"] is None:
        return "there is no verdict now"
    if now["is_expired"]:
        return "it has expired: another LLM or configuration answers"
    order = list(Verdict)
    if order.index(Verdict(now["verdict"])) > order.index(Verdict(sealed["verdict"])):
        return f"it is now: {now['verdict']}"
    return ""


def _cards_now(study: Study, content: Mapping[str, Any], at: datetime) -> dict[Any, Card]:
    """Today's cards under the rules that were sealed, by judge and criterion."""
    report = store.up_to_date(study_id=study.pk, part=PART, at=at)[PLAIN]
    rules = Held(policy=read("sealed", content["rules"]), fixings=[], is_preview=True)
    told = cards.as_json(report, rules, n_looks=content["of_looks"])
    return {(card["judge"], card["criterion"]): card for card in told["cards"]}
