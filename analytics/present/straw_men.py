"""The straw man in words: who always says the same, and what it reaches as well as a judge."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from accounts.punctuation import listed
from analytics.measures import NAMES
from analytics.present.naming import Naming
from analytics.present.tables import Dressed, Plain, Told
from analytics.present.words import number, point_names
from analytics.stats.constant import ConstantJudge, comes_as_far
from analytics.stats.estimates import Estimate

KEY = "straw_man"  # what programs read for it in the place of a judge


def named() -> Plain:
    return Plain(_("Straw man: the same to every item"), KEY)


def shown(naming: Naming, criterion: str, straw_man: ConstantJudge | None, name: str) -> Told:
    """What the best one comes to by a statistic, and what it says to get there."""
    if straw_man is None:
        return None
    says = _("always %(answer)s") % {"answer": _answer(naming, criterion, straw_man)}
    return Dressed(value=straw_man.estimates[name], small=says)


def beside(estimate: Estimate, straw_man: ConstantJudge | None, name: str) -> str:
    """Said below a figure that a straw man reaches as well; blank where it does not."""
    if straw_man is None or not comes_as_far(straw_man.estimates[name], estimate):
        return ""
    return _("a straw man comes as far")


def nothing_certified(
    naming: Naming,
    criterion: str,
    straw_man: ConstantJudge | None,
    figures: Iterable[tuple[str, Estimate]],
) -> str:
    """That a figure certifies none of these judges, (name, figure) of each, for a straw man would
    pass as well; blank where all are surely better."""
    if straw_man is None:
        return ""
    ((statistic, best),) = straw_man.estimates.items()
    judges = [name for name, one in figures if comes_as_far(best, one)]
    if not judges:
        return ""
    return _(
        "Nothing is certified by %(statistic)s of %(criterion)s for %(judges)s: a judge that always "
        "says %(answer)s comes to %(value)s, and their intervals do not lie beyond that."
    ) % {
        "statistic": str(NAMES[best.statistic]),
        "criterion": naming.criterion(criterion).text,
        "judges": _listed(judges),
        "answer": _answer(naming, criterion, straw_man),
        "value": number(best.value, statistic),
    }


def _answer(naming: Naming, criterion: str, straw_man: ConstantJudge) -> str:
    (answer,) = point_names(naming.rubric, criterion, [straw_man.says])
    return answer


def _listed(names: Sequence[str]) -> str:
    return listed(dict.fromkeys(names))
