"""Safety in words: what a judge misses, what few flagged items allow to say, and the loud sentence."""

from collections.abc import Mapping
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics.present.words import counted, figure, number, reference_name, tier_name, told
from analytics.safety.numbers import (
    FINDS_ENOUGH,
    SafetyReport,
    SafetyStanding,
    Screen,
    Screened,
    contradicts,
    on_values_of,
    standing,
)
from analytics.stats.constant import ConstantJudge

_RARE = 0.2


class Which(StrEnum):
    """The four fields of reference against judge, as they are named in addresses."""

    MISSED = "missed"
    ALARMS = "alarms"
    FOUND = "found"
    PASSED = "passed"

    @property
    def flags(self) -> tuple[bool, bool]:
        """Whether the reference flags these items, and whether the judge does."""
        return self in (Which.MISSED, Which.FOUND), self in (Which.ALARMS, Which.FOUND)


STANDINGS: Mapping[SafetyStanding, Promise] = {
    SafetyStanding.MISSES: gettext_lazy("Misses too many"),
    SafetyStanding.FINDS: gettext_lazy("Finds enough"),
    SafetyStanding.NO_BETTER: gettext_lazy("No better than flagging by lot"),
    SafetyStanding.OPEN: gettext_lazy("Cannot be told yet"),
    SafetyStanding.NOTHING_FLAGGED: gettext_lazy("Nothing is flagged"),
}
_VERDICTS: Mapping[SafetyStanding, Promise] = {
    SafetyStanding.MISSES: gettext_lazy(
        "%(judge)s misses too many: %(found)s of %(n)s flagged items found, sensitivity "
        "%(sensitivity)s by %(tier)s, and %(least)s is asked."
    ),
    SafetyStanding.FINDS: gettext_lazy(
        "%(judge)s finds enough: %(found)s of %(n)s flagged items, sensitivity %(sensitivity)s by "
        "%(tier)s, and tells them from others better than flagging by lot."
    ),
    SafetyStanding.NO_BETTER: gettext_lazy(
        "%(judge)s finds %(found)s of %(n)s flagged items, sensitivity %(sensitivity)s by %(tier)s, "
        "but flags so many others that whoever flags as many by lot finds as many."
    ),
    SafetyStanding.OPEN: gettext_lazy(
        "Whether %(judge)s finds enough cannot be told yet: %(found)s of %(n)s flagged items found, "
        "sensitivity %(sensitivity)s by %(tier)s; %(least)s is asked."
    ),
    SafetyStanding.NOTHING_FLAGGED: gettext_lazy(
        "Nothing is flagged here by %(tier)s, so nothing is known of what %(judge)s misses."
    ),
}
FIELDS: Mapping[Which, Promise] = {
    Which.MISSED: gettext_lazy("Missed"),
    Which.ALARMS: gettext_lazy("False alarms"),
    Which.FOUND: gettext_lazy("Found"),
    Which.PASSED: gettext_lazy("Rightly not flagged"),
}


def straw_man(judge: ConstantJudge) -> tuple[str, str]:
    """Who flags all or nothing, for people and for programs."""
    if judge.says:
        return _("Always flags"), "always-flags"
    return _("Never flags"), "never-flags"


def verdict_of(screened: Screened, screen: Screen, judge: str) -> str:
    """What the panel says of a judge, and by whose flags."""
    words = {
        "judge": judge,
        "found": f"{screen.found:,}",
        "n": f"{screen.n_positives:,}",
        "sensitivity": told(screen.estimates["sensitivity"]),
        "least": number(FINDS_ENOUGH, "sensitivity"),
        "tier": tier_name(screened, screen.reference),
    }
    return str(_VERDICTS[standing(screen)]) % words


def said_beside_people(screened: Screened, screen: Screen) -> str:
    """What people find of what the others flag, beside the judge on the same items."""
    found, beside = screen.people.get("sensitivity"), screen.beside.get("sensitivity")
    if found is None or beside is None or found.value is None:
        if screened.people_an_item > 1:
            return _(
                "No flagged item was rated by enough people to show how much one finds of "
                "what the others flag."
            )
        return _(
            "One person rated each item: how many of the flagged items a second person would find "
            "is not known, so a low sensitivity may be the judge’s or the person’s."
        )
    return _(
        "People measured by the same flags: sensitivity %(people)s; the judge on the same items: "
        "%(judge)s."
    ) % {
        "people": told(found),
        "judge": told(beside),
    }


def warning_of(report: SafetyReport, screened: Screened, screen: Screen, judge: str) -> str:
    """The loud sentence where AC looks good beside misses; empty where they go together."""
    good = contradicts(screen, on_values_of(report, screen))
    if good is None:
        return ""
    ac = figure(good)
    misses = _(
        "%(judge)s misses %(missed)s of the %(n)s items flagged by %(reference)s (sensitivity "
        "%(sensitivity)s), while %(statistic)s is %(ac)s."
    ) % {
        "judge": judge,
        "missed": f"{screen.missed:,}",
        "n": f"{screen.n_positives:,}",
        "reference": reference_name(screened, screen.reference),
        "sensitivity": number(screen.estimates["sensitivity"].value, "sensitivity"),
        "statistic": ac.name,
        "ac": ac.value,
    }
    prevalence = screen.estimates["prevalence"].value
    if prevalence is None or prevalence >= _RARE:
        return misses
    rare = _(
        "Only %(share)s of the items are flagged, so whoever flags nothing agrees almost always."
    ) % {"share": number(prevalence, "prevalence")}
    return f"{misses} {rare}"


def positives(screen: Screen) -> str:
    return _("%(found)s of %(n)s found") % {
        "found": f"{screen.found:,}",
        "n": f"{screen.n_positives:,}",
    }


def left_out(n: int) -> str:
    """How many items a judge is not measured on, for they are its own."""
    if not n:
        return ""
    words = ngettext("%(n)s item of its own left out", "%(n)s items of its own left out", n)
    return words % {"n": f"{n:,}"}


def few(screen: Screen) -> str:
    """What few flagged items, or a record without a miss, allow to say."""
    sensitivity = screen.estimates["sensitivity"]
    if not screen.n_positives:
        return _("Nothing is flagged here, so nothing is known about misses.")
    if sensitivity.low is None:
        return _("Flagged items from %(n)s dialogues: too few to tell how many are missed.") % {
            "n": sensitivity.n_clusters
        }
    if sensitivity.value != 1:
        return ""
    words = {
        "items": counted(screen.n_positives, sensitivity.n_clusters),
        "reach": number(1 - sensitivity.low, "sensitivity"),
    }
    text = _(
        "No miss in what is flagged (%(items)s): up to %(reach)s could still be missed (95 %% "
        "limit; items of one dialogue count as one)."
    )
    return text % words


def elsewhere(screen: Screen, judge: str) -> str:
    """How common flagged items are where only the judge looked."""
    there = screen.elsewhere
    if there is None:
        return ""
    words = {
        "judge": judge,
        "n": f"{there.n_items:,}",
        "share": number(there.flagged / there.n_items, "flagged"),
        "youden": number(there.youden, "youden"),
        "value": number(there.value, "prevalence"),
        "low": number(there.low, "prevalence"),
        "high": number(there.high, "prevalence"),
    }
    flagged = _("On %(n)s items without a reference %(judge)s flags %(share)s.") % words
    if there.youden is None:
        return flagged
    if there.is_refused:
        refused = _(
            "That cannot be corrected for its misses and false alarms: sensitivity and "
            "specificity add up to %(youden)s more than chance, and below 0.10 a correction "
            "multiplies every error."
        )
        return f"{flagged} {refused % words}"
    if there.note:
        return f"{flagged} {_(there.note.sentence)}"
    if there.value is None:
        differ = _("They differ too much from the items with a reference to be corrected by them.")
        return f"{flagged} {differ}"
    corrected = _(
        "Corrected for its misses and false alarms, %(value)s are to be expected (95 %% interval "
        "%(low)s to %(high)s, Rogan-Gladen with the limits of Lang and Reiczigel), if it is wrong "
        "there as often as on the items with a reference."
    )
    if there.design_effect is None:
        return f"{flagged} {corrected % words}"
    alike = _(
        "Items of one dialogue are alike: the interval is that of %(effect)s times fewer items "
        "that stand alone (design effect, leaving out one dialogue at a time)."
    )
    effect = {"effect": number(there.design_effect, "", 1)}
    return f"{flagged} {corrected % words} {alike % effect}"
