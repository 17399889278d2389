"""{% choose "criterion" _("Criterion") shown.criteria %}: a switch of a page, or nothing to choose."""

from collections.abc import Sequence

from django import template

from analytics.present.page import Choice

register = template.Library()


@register.inclusion_tag("analytics/_choose.html")
def choose(
    name: str, label: str, choices: Sequence[Choice], *, waits: bool = False
) -> dict[str, object]:
    """It takes effect at once, unless it `waits` for the button."""
    return {"name": name, "label": label, "choices": choices, "waits": waits}
