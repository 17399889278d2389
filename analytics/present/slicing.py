"""What a reader is told of slices: which there are, which is looked at, and how little it says."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from django.core.cache import cache
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from redis.exceptions import RedisError

from analytics.present.page import Choice, choices
from analytics.ratings.slices import FEW, Sliceable, sliceable

# Pages of which figures follow a slice, and those that certify or report, which never do.
SLICED = frozenset(
    {
        "agreement_overview",
        "agreement",
        "agreement_criterion",
        "agreement_comparison",
        "agreement_comparison_items",
        "agreement_judges",
        "agreement_judge",
        "agreement_caution",
        "agreement_doubtful",
        "agreement_doubtful_judge",
        "agreement_safety",
        "agreement_safety_items",
        "agreement_raters",
        "agreement_raters_apart",
        "agreement_raters_again",
        "agreement_raters_week",
        "agreement_calibration",
        "agreement_plan",
    }
)
WHOLE = frozenset(
    {
        "agreement_trust",
        "agreement_trust_card",
        "agreement_routing",
        "agreement_routing_items",
        "agreement_report",
        "agreement_verification",
    }
)

ATTRIBUTES: Mapping[str, Promise] = {
    "generator": gettext_lazy("Generator"),
    "language": gettext_lazy("Language"),
    "round": gettext_lazy("Round"),
    "length": gettext_lazy("Length of the reply"),
    "note": gettext_lazy("Content note"),
}
_VALUES: Mapping[tuple[str, str], Promise] = {
    ("language", "zh"): gettext_lazy("Chinese"),
    ("language", "other"): gettext_lazy("other than Chinese"),
    ("length", "short"): gettext_lazy("the shortest third"),
    ("length", "middle"): gettext_lazy("the middle third"),
    ("length", "long"): gettext_lazy("the longest third"),
    ("note", "with"): gettext_lazy("with a note"),
    ("note", "without"): gettext_lazy("without a note"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceChoice:
    """The control: every slice under its attribute, and what to know of the current one."""

    current: str
    groups: tuple[tuple[str, tuple[Choice, ...]], ...]
    kept: Mapping[str, str]
    said: str


def slice_choice(study_id: int, chosen: Mapping[str, str], page: str) -> SliceChoice | None:
    """What a page offers; nothing where the items of the study do not differ."""
    current = chosen.get("slice", "")
    if page in WHOLE:
        return SliceChoice(current="", groups=(), kept={}, said=_whole()) if current else None
    if page not in SLICED or not (found := _sliceable(study_id)):
        return None
    left_out = ("slice", "revision", "chart", "page")
    return SliceChoice(
        current=current,
        groups=tuple(
            (str(ATTRIBUTES.get(one.attribute, one.attribute)), _options(one, current))
            for one in found
        ),
        kept={name: value for name, value in chosen.items() if name not in left_out},
        said=_said(found, current) if current else "",
    )


def _sliceable(study_id: int) -> list[Sliceable]:
    """Asked with every page, and told for a minute as it was."""
    name = f"sliceable:{study_id}"
    with suppress(RedisError):
        known: list[Sliceable] | None = cache.get(name)
        if known is not None:
            return known
    found = sliceable(study_id)
    with suppress(RedisError):
        cache.set(name, found, timeout=60)
    return found


def _options(one: Sliceable, current: str) -> tuple[Choice, ...]:
    named = (
        (f"{one.attribute}:{value}", f"{_value_name(one.attribute, value)} ({n:,})")
        for value, n in one.sizes.items()
    )
    return tuple(choices(named, current))


def _said(found: list[Sliceable], current: str) -> str:
    attribute, _colon, value = current.partition(":")
    n = next((one.sizes.get(value, 0) for one in found if one.attribute == attribute), 0)
    told = ngettext(
        "A slice of %(n)s item; nothing is certified on it.",
        "A slice of %(n)s items; nothing is certified on it.",
        n,
    ) % {"n": f"{n:,}"}
    if n >= FEW:
        return told
    return _("%(told)s Too few to tell it from the others: below %(few)s, chance decides.") % {
        "told": told,
        "few": FEW,
    }


def _whole() -> str:
    return _(
        "This page speaks of the whole study: nothing is certified on a slice unless the rules "
        "planned it, and these did not."
    )


def _value_name(attribute: str, value: str) -> str:
    return str(_VALUES.get((attribute, value), value))
