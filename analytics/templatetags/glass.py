"""{% glass "kappa" %}: a symbol that says what it means, to pointer, touch and keyboard.

A button opens a popover, which takes no script. The popovers stand once at the end of the page, so
they stay when a fragment is swapped.
"""

from typing import Any

from django import template

from analytics.present.glossary import ENTRIES

register = template.Library()


@register.inclusion_tag("analytics/_glass.html")
def glass(key: str) -> dict[str, object]:
    """The symbol as a button."""
    return {"entry": ENTRIES[key]}


@register.inclusion_tag("analytics/_glass_mark.html")
def glass_mark(key: str) -> dict[str, object]:
    """A mark beside words that say more than the symbol."""
    return {"entry": ENTRIES[key]}


@register.inclusion_tag("analytics/_glasses.html", takes_context=True)
def glasses(context: dict[str, Any]) -> dict[str, object]:
    """What all of them say, each with a way to the glossary."""
    return {"entries": ENTRIES.values(), "key": context["study_access"].study.key}
