"""Which doubtful values a reader asks to see figures with, as it stands in addresses."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics.agreement import numbers as agreement
from analytics.models import Snapshot
from analytics.ratings.matrices import PLAIN, RELEASED, VIEWS, View

NAMED: Mapping[str, View] = {
    "": PLAIN,
    "off-scale": View(with_off_scale=True),
    "quarantined": View(with_quarantined=True),
    "released": RELEASED,
}
_VALUES = {view: values for values, view in NAMED.items()}


class Doubtful(NamedTuple):
    """How many doubtful values a study holds."""

    n_off_scale: int = 0
    n_quarantined: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of a switch: the end of an address."""

    name: str
    address: str
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """One kind of doubtful values, left out or let in."""

    about: str
    sides: tuple[Side, Side]


def view_named(values: str) -> View:
    """The view of an address; the plain one where it names none that there is."""
    return NAMED.get(values, PLAIN)


def view_asked(choices: Mapping[str, str]) -> View:
    """The view of an address with its slice, which may be none that there is."""
    return replace(view_named(choices.get("values", "")), within=choices.get("slice", ""))


def values_of(view: View) -> str:
    """The values of a view as an address names them; `view_named` reads it."""
    return _VALUES[replace(view, within="")]


def asked_of(view: View) -> dict[str, str]:
    """A view as an address asks for it; `view_asked` reads it."""
    found = {"values": values_of(view), "slice": view.within}
    return {name: value for name, value in found.items() if value}


def items_of(view: View, *place: object, **chosen: str) -> str:
    """The items behind a figure at this place, as seen from the overview of the figures."""
    return looked_at(view, "criteria", *place, "items", **chosen)


def looked_at(view: View, *place: object, **chosen: str) -> str:
    """The page at this place, as seen from the overview of the figures, in a view."""
    choices = {**chosen, **asked_of(view)}
    path = "/".join(map(str, place))
    return f"{path}/" + (f"?{urlencode(choices)}" if choices else "")


def doubtful(study_id: int) -> Doubtful:
    """What of a study's newest figures is doubtful; nothing before there are any."""
    stored = Snapshot.objects.filter(
        study=study_id, part=agreement.GLANCE.key, edition=agreement.GLANCE.fingerprint
    ).values_list("report__n_off_scale", "report__n_quarantined")
    return Doubtful(*(stored.first() or ()))


def distinct_views(held: Doubtful, within: str = "") -> tuple[View, ...]:
    """The views that differ, from as released to the plain one."""
    return tuple(
        replace(view, within=within)
        for view in reversed(VIEWS)
        if (held.n_off_scale or not view.with_off_scale)
        and (held.n_quarantined or not view.with_quarantined)
    )


def view_name(view: View, held: Doubtful) -> str:
    """What a view leaves out, in words."""
    off_scale = bool(held.n_off_scale) and not view.with_off_scale
    quarantined = bool(held.n_quarantined) and not view.with_quarantined
    if off_scale and quarantined:
        return _("without either")
    if off_scale:
        return _("without off-scale values")
    return _("without items set aside") if quarantined else _("as released")


def switches(choices: Mapping[str, str], held: Doubtful) -> list[Switch]:
    """A switch for each kind of doubtful values that the study holds; the others keep still."""
    view = view_named(choices.get("values", ""))
    found = []
    if held.n_off_scale:
        about = ngettext("%(n)s off-scale value", "%(n)s off-scale values", held.n_off_scale)
        found.append(_switch(about, "with_off_scale", view, choices, held.n_off_scale))
    if held.n_quarantined:
        about = ngettext("%(n)s item set aside", "%(n)s items set aside", held.n_quarantined)
        found.append(_switch(about, "with_quarantined", view, choices, held.n_quarantined))
    return found


def _switch(about: str, kind: str, view: View, choices: Mapping[str, str], n: int) -> Switch:
    is_in = getattr(view, kind)
    left_out: dict[str, Any] = {kind: False}
    let_in: dict[str, Any] = {kind: True}
    return Switch(
        about=about % {"n": f"{n:,}"},
        sides=(
            Side(
                name=_("left out"),
                address=_address(choices, replace(view, **left_out)),
                is_current=not is_in,
            ),
            Side(
                name=_("let in"),
                address=_address(choices, replace(view, **let_in)),
                is_current=is_in,
            ),
        ),
    )


def _address(choices: Mapping[str, str], view: View) -> str:
    kept = {name: value for name, value in choices.items() if name not in ("revision", "values")}
    return urlencode(kept | ({"values": values_of(view)} if values_of(view) else {}))
