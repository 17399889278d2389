"""Which doubtful values a reader asks to see figures with, as it stands in addresses."""

from collections.abc import Mapping

from analytics.matrices import PLAIN, RELEASED, View

NAMED: Mapping[str, View] = {
    "": PLAIN,
    "off-scale": View(with_off_scale=True),
    "quarantined": View(with_quarantined=True),
    "released": RELEASED,
}


def view_named(values: str) -> View:
    """The view of an address; the plain one where it names none that there is."""
    return NAMED.get(values, PLAIN)
