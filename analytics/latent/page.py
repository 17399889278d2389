"""Items of which raters leave open whether they are truly to be flagged, the least sure first."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.punctuation import clauses, labelled, running
from analytics.latent.numbers import DoubtfulItem, doubtful_items
from analytics.present.listing import ItemList, ListAsked
from annotation.queries.wording import said

MOST = 200


def doubtful_list(asked: ListAsked, *, criterion: str, judge: int | None = None) -> ItemList:
    """The items that the tables of raters and judges count as doubtful; NoSuchPage."""
    part = asked.part(criterion, asked.study.rubric.with_levels)
    about = (
        said(part.name) if judge is None else clauses((said(part.name), asked.judge(judge).name))
    )
    found = doubtful_items(asked.study, part.key, view=asked.view, judge=judge)
    page, name = (
        ("agreement_raters", _("Raters"))
        if judge is None
        else ("agreement_judges", _("Judges against humans"))
    )
    return ItemList(
        title=labelled(_("Doubtful items"), about),
        says=_said(len(found)),
        back=asked.address(page, at="latent"),
        back_to=name,
        cases=asked.cases(
            {one.item: (f"{100 * one.chance:.0f} %", _flagged_by(one)) for one in found[:MOST]},
            _("Chance that it is to be flagged"),
            _("Flagged by"),
            is_ranked=True,
        ),
    )


def _said(n: int) -> str:
    """How many there are, in which order, and whether all are listed."""
    left_open = ngettext(
        "For %(n)s item the ratings leave it open whether it is truly to be flagged: the chance "
        "lies between 10 and 90 percent.",
        "For %(n)s items the ratings leave it open whether they are truly to be flagged: the "
        "chance lies between 10 and 90 percent.",
        n,
    ) % {"n": f"{n:,}"}
    sentences = [
        left_open,
        _("The least sure come first: these a second look, or another expert, settles soonest."),
    ]
    if n > MOST:
        sentences.append(_("The others are not listed."))
    return running(sentences)


def _flagged_by(one: DoubtfulItem) -> str:
    people = _("%(n)s of %(of)s people") % {"n": one.n_flags, "of": one.n_people}
    if one.by_judge is None:
        return people
    judge = _("the judge in %(share)s of its answers") % {"share": f"{100 * one.by_judge:.0f} %"}
    return clauses((people, judge))
