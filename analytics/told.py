"""The tables of a part of a study as they are now, for files and for programs."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _

from analytics.agreement import numbers as agreement
from analytics.exports.pseudonyms import page_name
from analytics.figures import store
from analytics.parts import PARTS
from analytics.present.basis import TableBasis
from analytics.present.naming import of_parts
from analytics.present.tables import Table, only
from analytics.present.veil import Veil, veiled, veiled_each, veiled_ratings
from analytics.present.viewing import Doubtful, distinct_views
from analytics.ratings import slices
from analytics.ratings.matrices import View
from analytics.ratings.slices import NoSuchSlice
from analytics.rooms import Room
from analytics.trust import policies
from annotation.models import Study
from annotation.queries.rounds import rounds_of


class NoSuchTable(Http404):
    """The part has no table of this key now, or none of what was asked for."""


def told(
    study: Study,
    room: Room,
    view: View,
    *,
    choices: Mapping[str, str],
    veil: Veil | None,
    at: datetime,
    pieces: Collection[str] | None = None,
) -> TableBasis:
    """What the tables of a room are made from, brought up to date first. Behind a veil no rounds:
    agreement on two answers gives back how few gave one of them, and that is not kept with it. `pieces`:
    what is wanted of those that are kept apart."""
    if view.within and room.certifies:
        raise NoSuchSlice(_("Nothing is certified on a slice: ask for the whole study."))
    asked: Mapping[str, Any] = {"study_id": study.pk, "at": at, "within": view.within}
    reports = veiled_each(store.for_readers(part=room.part, pieces=(), **asked), veil)
    figures = veiled(store.for_readers(part=agreement.GLANCE, **asked)[view], veil)
    held = Doubtful(figures.n_off_scale, figures.n_quarantined)
    others = distinct_views(held, view.within)
    return TableBasis(
        reports={one: reports[one] for one in (view, *reversed(others))},
        naming=of_parts(
            study.rubric_version.content, figures.raters, called=page_name if veil else None
        ),
        held=policies.held(study, preview=choices.get("policy", "")),
        read=lambda: veiled_ratings(slices.read(study.pk, view.within), veil),
        choices=choices,
        rounds=() if veil else rounds_of(study),
        beside={
            key: veiled(store.for_readers(part=PARTS[key], **asked)[view], veil)
            for key in room.beside
        },
        read_whole=lambda: veiled(
            store.for_readers(part=room.part, only=view, pieces=pieces, **asked)[view], veil
        ),
    )


def tables(
    study: Study,
    room: Room,
    view: View,
    *,
    choices: Mapping[str, str],
    veil: Veil | None,
    at: datetime,
    pieces: Collection[str] | None = None,
) -> Iterator[Table]:
    """Every table of a room that has a line, as it is told through a veil."""
    basis = told(study, room, view, choices=choices, veil=veil, at=at, pieces=pieces)
    return (one for one in room.tables(basis) if one.lines)


def table(
    study: Study,
    room: Room,
    key: str,
    view: View,
    *,
    chosen: Mapping[str, Sequence[str]],
    veil: Veil | None,
    at: datetime,
) -> Table:
    """One of them, or of its lines only those that are chosen by what they are about; as a file
    stands alone, its lines still say all of that."""
    choices = {name: values[-1] for name, values in chosen.items() if values}
    apart = room.part.apart
    pieces = chosen.get(apart.about) if apart else None
    every = tables(study, room, view, choices=choices, veil=veil, at=at, pieces=pieces)
    found = next((one for one in every if one.key == key), None)
    if found is None:
        raise NoSuchTable
    heads = {column.key for column in found.about}
    wanted = {name: values for name, values in chosen.items() if name in heads}
    left = only(found, **wanted) if wanted else found
    if not left.lines:
        raise NoSuchTable
    return left
