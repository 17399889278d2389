"""The tables of a part of a study as they are now, for files and for programs."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from analytics.agreement import curves
from analytics.agreement import numbers as agreement
from analytics.figures import store
from analytics.present.naming import of_raters
from analytics.present.tables import Table, only
from analytics.ratings import matrices
from analytics.ratings.matrices import View
from analytics.rooms import Room, TableBasis
from analytics.trust import policies
from annotation.models import Study


class NoSuchTable(Exception):
    """The part has no table of this key now, or none of what was asked for."""


def told(
    study: Study, room: Room, view: View, *, choices: Mapping[str, str], at: datetime
) -> TableBasis:
    """What the tables of a room are made from, brought up to date first."""
    reports = store.up_to_date(study_id=study.pk, part=room.part, at=at)
    figures = store.up_to_date(study_id=study.pk, part=agreement.PART, at=at)[view]
    is_agreement = room.part is agreement.PART
    return TableBasis(
        reports={view: reports[view]},
        naming=of_raters(study.rubric_version.content, figures.raters),
        held=policies.held(study, preview=choices.get("policy", "")),
        curves=list(curves.curves(matrices.read(study.pk), figures)) if is_agreement else (),
        choices=choices,
    )


def tables(
    study: Study, room: Room, view: View, *, choices: Mapping[str, str], at: datetime
) -> list[Table]:
    """Every table of a room that has a line."""
    return [
        one for one in room.tables(told(study, room, view, choices=choices, at=at)) if one.lines
    ]


def table(
    study: Study,
    room: Room,
    key: str,
    view: View,
    *,
    chosen: Mapping[str, Sequence[str]],
    at: datetime,
) -> Table:
    """One of them, or of its lines only those that are chosen by what they are about; as a file
    stands alone, its lines still say all of that."""
    choices = {name: values[-1] for name, values in chosen.items() if values}
    try:
        every = tables(study, room, view, choices=choices, at=at)
    except policies.NoSuchPolicy:
        raise NoSuchTable from None
    found = next((one for one in every if one.key == key), None)
    if found is None:
        raise NoSuchTable
    heads = {column.key for column in found.about}
    wanted = {name: values for name, values in chosen.items() if name in heads}
    left = only(found, **wanted) if wanted else found
    if not left.lines:
        raise NoSuchTable
    return left
