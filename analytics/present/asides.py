"""What the other pages say of the same judge on the same criterion, in a line each.

Routing, the safety panel and the trust card speak of one judge, so each shows what the others say.
"""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from analytics.present.naming import Naming
from analytics.present.words import tier_name, told
from analytics.routing import words as routing
from analytics.routing.numbers import TARGETS, RoutingReport
from analytics.routing.promises import PromiseTerms, rule
from analytics.safety.numbers import SafetyStanding, Screen, Screened, standing
from analytics.safety.words import STANDINGS
from analytics.stats.verdicts import Verdict
from analytics.trust.words import VERDICTS

_BADGES = {
    SafetyStanding.MISSES: "badge--bad",
    SafetyStanding.FINDS: "badge--done",
    SafetyStanding.NO_BETTER: "badge--bad",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside:
    """Which page it is, a word under a badge, what there is to say, and where it stands."""

    page: str
    word: str
    badge: str
    says: str
    link: str


def badge_of(found: SafetyStanding) -> str:
    """How loudly what the safety panel says is shown."""
    return _BADGES.get(found, "badge--alert")


def of_safety(report: RoutingReport, screen: Screen, naming: Naming) -> Aside:
    """What the safety panel begins with, and by whose flags."""
    found = standing(screen)
    says = _("%(found)s of %(n)s flagged items found; sensitivity %(sensitivity)s by %(tier)s") % {
        "found": f"{screen.found:,}",
        "n": f"{screen.n_positives:,}",
        "tier": tier_name(_screened(report, screen.criterion), screen.reference),
        "sensitivity": told(screen.estimates["sensitivity"]),
    }
    return Aside(
        page=_("Safety panel"),
        word=str(STANDINGS[found]),
        badge=badge_of(found),
        says=says if screen.n_positives else "",
        link=naming.link("agreement_safety", {"criterion": screen.criterion}),
    )


def of_card(verdict: Verdict, criterion: str, judge: int, naming: Naming) -> Aside:
    """The verdict under the rules of the study."""
    label, badge, about = VERDICTS[verdict]
    return Aside(
        page=_("Trust card"),
        word=str(label),
        badge=badge,
        says=str(about),
        link=naming.link("agreement_trust_card", criterion=criterion, judge_id=judge),
    )


def of_routing(
    report: RoutingReport, criterion: str, judge: int, terms: PromiseTerms, naming: Naming
) -> Aside:
    """What may stand without a person by what the page begins with."""
    measurement = _screened(report, criterion).line.measurement
    asked = (criterion, judge, TARGETS[measurement][0])
    line = next(
        (one for one in report.lines if (one.criterion, one.judge, one.target) == asked), None
    )
    ruling = rule(report, line, terms) if line else None
    is_safe = ruling is not None and ruling.accepted is not None
    return Aside(
        page=_("Routing"),
        word=_("Some may stand") if is_safe else _("Nothing may stand"),
        badge="badge--done" if is_safe else "badge--alert",
        says=routing.in_short(ruling, line)
        if line and ruling
        else _("nothing tells how sure the judge is"),
        link=naming.link(
            "agreement_routing",
            {"criterion": criterion} | ({"signal": line.signal.value} if line else {}),
        ),
    )


def _screened(report: RoutingReport, criterion: str) -> Screened:
    return next(one for one in report.screened if one.line.key == criterion)
