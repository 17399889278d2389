"""The items behind a step of the caution curve: what people gave, and whether the judge held back."""

from collections.abc import Iterator

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.punctuation import labelled, listed
from analytics.judges import words
from analytics.judges.numbers import disputed_beside
from analytics.present.listing import ItemList, ListAsked
from analytics.present.page import NoSuchPage
from analytics.ratings import matrices
from analytics.ratings.matrices import Matrix, RaterColumn
from annotation.queries.wording import said


def disputed_list(asked: ListAsked, *, criterion: str, judge: int, dispute: str) -> ItemList:
    """The items on which people differ `dispute`, “0.5-1”; NoSuchPage."""
    rater = asked.judge(judge)
    part = asked.part(criterion, asked.study.rubric.criteria)
    table = asked.table(part.key)
    low, high = _ends(dispute)
    differing = disputed_beside(asked.study, table, rater)
    found = {
        int(asked.study.items[place]): (
            listed(_by_people(asked, table, place)),
            _answered(asked, table, rater, place),
        )
        for place in np.flatnonzero((differing >= low) & (differing <= high)).tolist()
    }
    n = len(found)
    says = ngettext(
        "%(n)s item that the judge answered, on which people differ by %(dispute)s.",
        "%(n)s items that the judge answered, on which people differ by %(dispute)s.",
        n,
    )
    return ItemList(
        title=labelled(said(part.name), rater.name),
        says=says % {"n": f"{n:,}", "dispute": words.dispute(low, high).text},
        back=asked.address("agreement_judge", rater.key, at="caution", criterion=criterion),
        back_to=rater.name,
        cases=asked.cases(found, _("People"), rater.name),
    )


def written(low: float, high: float) -> str:
    """How much people differ, as an address has it."""
    return f"{low}-{high}"


def _ends(dispute: str) -> tuple[float, float]:
    low, _to, high = dispute.partition("-")
    try:
        return float(low), float(high)
    except ValueError:
        raise NoSuchPage from None


def _by_people(asked: ListAsked, table: Matrix, place: int) -> Iterator[str]:
    for person in asked.study.humans:
        if answered := _answered(asked, table, person, place):
            yield labelled(person.name, answered)


def _answered(asked: ListAsked, table: Matrix, rater: RaterColumn, place: int) -> str:
    """The value that counts, and how many of all answers have none."""
    answered = [asked.words(table.key, [table.of(rater)[place]])]
    answers = matrices.without_value(asked.study, table.key, [rater.id])[place]
    without = int(np.nansum(answers))
    if without:
        words_of = {"without": without, "n": int(np.isfinite(answers).sum())}
        answered.append(_("%(without)s of %(n)s answers without a value") % words_of)
    return listed(filter(None, answered))
