"""Juries in words: their rules, who sits in them, and whether they were chosen after looking."""

from collections.abc import Iterable, Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.punctuation import listed
from analytics.models import Jury
from analytics.stats.juries import JuryRule
from annotation.models import Rater

RULES: Mapping[JuryRule, Promise] = {
    JuryRule.MAJORITY: gettext_lazy("most votes"),
    JuryRule.MEDIAN: gettext_lazy("most votes on labels, the median on scales"),
    JuryRule.WEIGHTED: gettext_lazy("votes weighed by reliability"),
}


def said_jury(jury: Jury) -> str:
    """Of whom it is made up and how they come to one answer."""
    names = dict(Rater.objects.filter(pk__in=jury.members).values_list("pk", "name"))
    return said_members([names[one] for one in jury.members], JuryRule(jury.rule), jury.quorum)


def said_members(names: Iterable[str], rule: JuryRule, quorum: int) -> str:
    """The same of these members."""
    return _("jury of %(members)s: %(rule)s, at least %(quorum)s read") % {
        "members": listed(names),
        "rule": RULES[rule],
        "quorum": quorum,
    }


def said_chosen(n_seen: int) -> str:
    """Whether a jury was fixed before its members answered what it is measured on."""
    if not n_seen:
        return _("Fixed beforehand: none of its members had answered what it is measured on.")
    return ngettext(
        "Chosen after looking: %(n)s answer of its members to what it is measured on was in when "
        "it was named.",
        "Chosen after looking: %(n)s answers of its members to what it is measured on were in when "
        "it was named.",
        n_seen,
    ) % {"n": f"{n_seen:,}"}
