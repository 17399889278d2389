"""Raters in words: too few items, who rates higher or lower, and who has moved."""

from collections.abc import Sequence
from datetime import date

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics.present.words import items, number, would_have_been_seen
from analytics.raters.numbers import LEAST_ITEMS, PersonLine
from analytics.stats.estimates import Estimate
from analytics.stats.raters import Course, Trend
from analytics.stats.several import Family


def too_few(n_items: int) -> str:
    if n_items == 0:
        return _("no shared item yet")
    return ngettext(
        "%(n)s item: too few to say anything", "%(n)s items: too few to say anything", n_items
    ) % {"n": n_items}


def of_severity(severity: Estimate | None, together: Family) -> str:
    """What a severity tells, one of all that are looked at together, without a judgement on who is
    right."""
    if severity is None or severity.value is None:
        return ""
    if severity not in together.clear:
        seen = would_have_been_seen(severity, "severity", n_tests=together.n)
        return (
            _("no difference can be told. %(seen)s") % {"seen": seen}
            if seen
            else _("no difference can be told")
        )
    return (
        _("rates higher than the others")
        if severity.value > 0
        else _("rates lower than the others")
    )


def of_course(line: PersonLine, *, has_order: bool) -> str:
    """Where somebody has gone over the weeks."""
    n_items = sum(week.n_items for week in line.weeks)
    if n_items < LEAST_ITEMS:
        return too_few(n_items)
    if line.trend is None and len(line.weeks) == 1:
        return _("All within one week: drift cannot be told yet.")
    if line.trend is None:
        return _("Shares too few items with those who have not moved: drift cannot be told.")
    match line.trend.course, has_order, line.trend.n_others == 1:
        case Course.UP, True, False:
            return _("Has moved up beside the others.")
        case Course.DOWN, True, False:
            return _("Has moved down beside the others.")
        case Course.UP, False, False:
            return _("Gives the same as the others more often than at first.")
        case Course.DOWN, False, False:
            return _("Gives the same as the others less often than at first.")
        case Course.UP, True, True:
            return _("Has moved up beside the only one to compare with, or that one down.")
        case Course.DOWN, True, True:
            return _("Has moved down beside the only one to compare with, or that one up.")
        case Course.UP, False, True:
            return _(
                "Gives the same as the only one to compare with more often than at first: which "
                "of the two has moved cannot be told."
            )
        case Course.DOWN, False, True:
            return _(
                "Gives the same as the only one to compare with less often than at first: which "
                "of the two has moved cannot be told."
            )
    return _("No drift can be told.")


def of_courses(trends: Sequence[Trend]) -> str:
    """How many have moved beside the others: of two who have only each other, one."""
    moved = [one for one in trends if one.course is not Course.NOT_TOLD]
    if not moved:
        return _("No drift can be told.")
    n_moved = sum(one.n_others > 1 for one in moved) + any(one.n_others == 1 for one in moved)
    return ngettext("%(moved)s of %(n)s has moved", "%(moved)s of %(n)s have moved", n_moved) % {
        "moved": n_moved,
        "n": len(trends),
    }


def of_change(slope: Estimate, *, has_order: bool) -> str:
    """The change a week with its interval and n, in points or in percentage points."""
    if slope.value is None or slope.low is None or slope.high is None:
        return ""
    scale, digits = (1, 2) if has_order else (100, 1)
    value, low, high = (
        number(scale * one, "change_a_week", digits) for one in (slope.value, slope.low, slope.high)
    )
    words = {"value": value, "low": low, "high": high, "items": items(slope.n_items)}
    if has_order:
        return _("Change a week: %(value)s, 95 %% interval %(low)s to %(high)s, %(items)s.") % words
    sentence = _(
        "Change a week in percentage points: %(value)s, 95 %% interval %(low)s to "
        "%(high)s, %(items)s."
    )
    return sentence % words


def day(at: date) -> str:
    return date_format(at, "DATE_FORMAT")


def end_of_axis(value: float, statistic: str) -> str:
    """“20 %”, “+0.5”, “0”: as an axis has it."""
    label = number(value, statistic) or ""
    if label.endswith("%"):
        return label.replace(".0 %", " %")
    short = label.rstrip("0").rstrip(".")
    return "0" if short == "+0" else short
