"""The plan in words: what a comparison, or a sensitivity, takes."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics.plan.numbers import AgreementNow, PositivesNow
from analytics.stats.planning import Needed, needed_for_width, positives_for_miss_rate


def headline(found: Sequence[AgreementNow], width: float) -> str:
    """The one sentence: what the comparison farthest from the width takes."""
    known = [one for one in (needed_for_width(each.estimate, width) for each in found) if one]
    if not known:
        return _("Nothing can be planned yet: no comparison has an interval.")
    most = max(known, key=lambda one: one.more_items)
    if not most.more_items:
        return _("Every interval there is, is already no wider than %(width)s.") % {
            "width": f"{width:g}"
        }
    open_ones = sum(one.more_items > 0 for one in known)
    return ngettext(
        "%(open)s of %(all)s comparisons needs more: about %(more)s.",
        "%(open)s of %(all)s comparisons need more, the one farthest from the width most: about "
        "%(more)s.",
        open_ones,
    ) % {"open": open_ones, "all": len(known), "more": more(most)}


def it_takes(one: AgreementNow, needed: Needed | None) -> str:
    """What a comparison takes, or why that cannot be told."""
    if needed is None and one.estimate.low is not None:
        return _("Out of reach: more items than anyone will rate.")
    if needed is None:
        reason = _(one.estimate.notes[0].sentence) if one.estimate.notes else ""
        return _("Cannot be planned yet.") + " " + reason
    if not needed.more_items:
        return _("Narrow enough already.")
    return _("About %(more)s.") % {"more": more(needed)}


def more(needed: Needed) -> str:
    """“120 more items in 40 more dialogues”."""
    items = ngettext("%(n)s more item", "%(n)s more items", needed.more_items) % {
        "n": f"{needed.more_items:,}"
    }
    if needed.n_items == needed.n_clusters:
        return items
    return ngettext(
        "%(items)s in %(n)s more dialogue",
        "%(items)s in %(n)s more dialogues",
        needed.more_clusters,
    ) % {"items": items, "n": f"{needed.more_clusters:,}"}


def more_positives(one: PositivesNow, n_more: int) -> str:
    """How many more flagged items, and how many items that means."""
    if not n_more:
        return _("Known well enough already.")
    if not one.prevalence:
        return _("None has been flagged yet: look for such items on purpose.")
    at_random = round(n_more / one.prevalence)
    return _(
        "%(more)s more: about %(items)s more items drawn at random, as %(share)s are flagged."
    ) % {"more": f"{n_more:,}", "items": f"{at_random:,}", "share": percent(one.prevalence)}


def no_miss(one: PositivesNow, rate: float) -> str:
    """Whether a share of misses can still be ruled out by items without a miss."""
    seen = one.sensitivity.n_items
    if one.n_missed:
        return _("No longer possible: %(missed)s of %(n)s were missed.") % {
            "missed": f"{one.n_missed:,}",
            "n": f"{seen:,}",
        }
    found = one.sensitivity.n_clusters
    n_more = positives_for_miss_rate(rate) - found
    if n_more <= 0:
        return _("Reached.")
    if found < seen:
        return _("%(n)s more, each in another dialogue, without a miss.") % {"n": f"{n_more:,}"}
    return _("%(n)s more, without a miss.") % {"n": f"{n_more:,}"}


def percent(share: float) -> str:
    return f"{100 * share:.3g} %"
