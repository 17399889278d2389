"""Agreement in words: how statistics can be made, which values are in, and where raters part."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.punctuation import listed
from analytics.agreement.numbers import RaterLine, Report
from analytics.comparisons.kinds import Comparison
from analytics.comparisons.raters import MOST_ALONE
from analytics.present.viewing import Doubtful

INTERVALS: Mapping[str, Promise] = {
    "": gettext_lazy("Those that suit, as on the matrix"),
    "jackknife": gettext_lazy("All statistics; intervals by jackknife"),
    "bootstrap": gettext_lazy("All statistics; intervals by bootstrap (1,000, fixed weights)"),
    "f": gettext_lazy("All statistics; intervals of ICCs from the F distribution"),
}
_OFF_SCALE = {
    False: gettext_lazy("Values off the scale are left out."),
    True: gettext_lazy("Values off the scale are in."),
}
_QUARANTINED = {
    False: gettext_lazy("Items set aside are left out."),
    True: gettext_lazy("Items set aside are in."),
}


def held_by(report: Report) -> Doubtful:
    """How many doubtful values the study of a report holds."""
    return Doubtful(report.n_off_scale, report.n_quarantined)


def values_in(report: Report) -> list[str]:
    """What becomes of doubtful values, for those kinds that the study holds."""
    view, held = report.view, held_by(report)
    said_of = [
        (held.n_off_scale, view.with_off_scale, _OFF_SCALE),
        (held.n_quarantined, view.with_quarantined, _QUARANTINED),
    ]
    return [str(words[is_in]) for n, is_in, words in said_of if n]


def left_out(report: Report) -> str:
    """The same of both kinds, whether the study holds any or not."""
    if report.view.is_released:
        return _("Values off the scale and items that were set aside are in.")
    if report.view.with_off_scale:
        return _("Values off the scale are in.")
    if report.view.with_quarantined:
        return _("Items that were set aside are in.")
    return _("Values off the scale and items that were set aside are left out.")


def of_many_raters(report: Report) -> list[str]:
    """Which single raters stand beside each other where there are too many to compare each two."""
    n_judges = sum(rater.is_judge for rater in report.raters)
    n_people = len(report.raters) - n_judges
    if max(n_people * (n_people - 1) // 2, n_people * n_judges) <= MOST_ALONE:
        return []
    return [
        _(
            "There are too many raters to compare every two: shown are at most %(n)s pairs of "
            "people, and as many pairs of a judge and a person, of those who share most items."
        )
        % {"n": MOST_ALONE}
    ]


def of_its_own(comparison: Comparison) -> str:
    """How many items its own family wrote; blank where it wrote none."""
    n = comparison.own_left_out
    return _("%(n)s of its own left out") % {"n": f"{n:,}"} if n else ""


def own_items(comparison: Comparison) -> str:
    """The same in a sentence."""
    n = comparison.own_left_out
    if not n:
        return ""
    return ngettext(
        "%(n)s item is left out because the judge’s own family wrote it.",
        "%(n)s items are left out because the judge’s own family wrote them.",
        n,
    ) % {"n": f"{n:,}"}


def own_generators(judge: RaterLine) -> str:
    """Which generators a judge is not measured on; blank where none is named as its own."""
    if not judge.own_generators:
        return ""
    return _("without %(left_out)s") % {"left_out": listed(judge.own_generators)}
