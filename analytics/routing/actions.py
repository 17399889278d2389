"""Hand out the list of items that go to a person: what to do, and no figures."""

import math
from collections.abc import Iterator
from datetime import datetime

from accounts.models import User
from analytics.exports.cells import csv_of
from analytics.present import leaving
from analytics.present.files import TableFile
from analytics.present.leaving import FiguresTaken
from analytics.ratings.matrices import View
from analytics.routing.numbers import Why
from analytics.routing.page import Sorted
from annotation.models import Item
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import reader_of, withheld_items

HEAD = ("item", "dialogue", "generator", "why", "how_sure", "probability")


def hand_out(
    *, study_access: StudyAccess, found: Sorted, view: View, by: User, at: datetime
) -> TableFile:
    """The list as CSV: keys, reasons, and with what probability each was drawn; no text, no answer.

    Items of an open round are with people already, and to be missing here would tell of one that
    somebody has rated it.
    """
    study, page = study_access.study, found.page
    hidden = withheld_items(study, reader_of(study_access, takes_away=True))
    name = f"{page.criterion}-for-people-{found.judge}.csv"
    taken = FiguresTaken(
        study_access=study_access,
        name=name,
        view=view,
        revision=found.revision,
        choices={name: [value] for name, value in page.typed.items()},
        more={
            "criterion": page.criterion,
            "judge": found.judge,
            "target": page.target.value,
            "signal": page.signal.value,
            "alpha": page.alpha,
            "audited": page.audited,
            "n_items": len(found.whys.keys() - hidden),
        },
    )
    leaving.as_file(taken, by=by, at=at, verb="agreement.routing_downloaded")
    return TableFile(
        name=f"{study.key}-r{found.revision}-{name}",
        text=csv_of(HEAD, _rows(study.pk, found, hidden)),
    )


def _rows(study_id: int, found: Sorted, hidden: set[int]) -> Iterator[tuple[object, ...]]:
    items = Item.objects.filter(study=study_id).order_by("position", "pk")
    for item, *keys in items.values_list("pk", "key", "dialogue__key", "generator"):
        if item in found.whys and item not in hidden:
            why, sure = found.whys[item], found.sure[item]
            drawn = found.page.audited if why is Why.AUDIT else 1
            yield *keys, why.value, None if math.isnan(sure) else f"{sure:.6g}", f"{drawn:g}"
