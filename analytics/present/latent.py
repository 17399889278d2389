"""Raters beside a truth that nobody knows, as people read it."""

from collections.abc import Iterable, Iterator

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics.agreement.numbers import CriterionLine
from analytics.latent.numbers import LatentFit
from analytics.present.naming import Naming
from analytics.present.tables import Column, Dressed, Line, Plain, Table, count, named, table
from analytics.present.words import flag_name
from analytics.stats.latent import LEAST_ITEMS, LEAST_OF_A_CLASS, STRAINED, Untold

_OF_RATER = ("sensitivity", "specificity")
UNTOLD: dict[Untold, Promise] = {
    Untold.TOO_FEW_RATERS: gettext_lazy(
        "cannot be told: fewer than %(items)s items or dialogues have three raters"
    ),
    Untold.TOO_FEW_OF_A_CLASS: gettext_lazy(
        "cannot be told: one of the two classes, flagged and not flagged, seems to have fewer "
        "than %(of_a_class)s items"
    ),
    Untold.TOO_FEW_TELL: gettext_lazy(
        "cannot be told: fewer than three raters tell flagged items from others better than by lot"
    ),
    Untold.NOT_CONVERGED: gettext_lazy("cannot be told: the model did not come to rest"),
    Untold.SEVERAL_TRUTHS: gettext_lazy(
        "cannot be told: several truths explain these ratings about as well"
    ),
}


def latent_table(
    key: str,
    title: str,
    who: Column,
    fits: Iterable[LatentFit],
    criteria: Iterable[CriterionLine],
    naming: Naming,
) -> Table:
    """A line a rater, or one that says why there is none."""
    lines = {line.key: line for line in criteria}
    return table(
        key,
        title,
        _(
            "The latent class model of Dawid and Skene at the usual cut of each criterion; raters "
            "are taken to err independently. Prevalence: the share of items that are truly to be "
            "flagged. Doubtful: items that are so with a chance between 10 and 90 percent."
        ),
        about=[Column("criterion", _("Criterion")), who],
        columns=[
            Column("cut", _("Flagged where"), is_words=True),
            *named((*_OF_RATER, "prevalence")),
            Column("doubtful", _("Doubtful items")),
            Column("words", _("In words"), is_words=True),
        ],
        lines=(line for one in fits for line in _lines(one, lines[one.criterion], naming)),
    )


def _lines(one: LatentFit, criterion: CriterionLine, naming: Naming) -> Iterator[Line]:
    name = naming.criterion(one.criterion)
    cut = Plain(flag_name(naming.rubric, criterion, one.cut), one.cut.key)
    said = of_fit(one)
    words = Plain(said, one.untold or said) if said else None
    if one.untold:
        who = Plain(_("People"), "people") if one.judge is None else naming.rater(one.judge)
        yield Line(about=(name, who), values=(cut, None, None, None, None, words))
    doubtful = Dressed(value=count(one.n_doubtful), link=_listed(one, naming))
    for rater in one.raters:
        shares = (rater.estimates[name] for name in _OF_RATER)
        yield Line(
            about=(name, naming.rater(rater.rater)),
            values=(cut, *shares, one.prevalence, doubtful, words),
        )


def _listed(one: LatentFit, naming: Naming) -> str:
    """Where its doubtful items are."""
    if not one.n_doubtful:
        return ""
    if one.judge is None:
        return naming.link("agreement_doubtful", criterion=one.criterion)
    return naming.link("agreement_doubtful_judge", criterion=one.criterion, judge_id=one.judge)


def of_fit(one: LatentFit) -> str:
    """Why nothing can be told, or what to doubt of what is told; blank for nothing."""
    if one.untold:
        return str(UNTOLD[one.untold]) % {
            "items": LEAST_ITEMS,
            "of_a_class": f"{LEAST_OF_A_CLASS:g}",
        }
    if one.strain is None:
        return _("three raters only: whether two of them err together cannot be seen")
    if one.strain >= STRAINED:
        return _(
            "two raters agree more often than the model allows (%(n)s standard errors): they may "
            "err together, and the figures flatter them"
        ) % {"n": f"{one.strain:.1f}"}
    return ""
