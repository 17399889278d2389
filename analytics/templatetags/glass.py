"""{% glass "kappa" %}: a symbol that says what it means, to pointer, touch and keyboard.

A button opens a popover, which takes no script. The popovers stand once at the end of the page, so
they stay when a fragment is swapped.
"""

import re
from typing import Any

from django import template
from django.template.loader import render_to_string
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

from analytics.present.glossary import A_SYMBOL, ENTRIES, SYMBOLS

register = template.Library()


@register.inclusion_tag("analytics/_glass.html")
def glass(key: str) -> dict[str, object]:
    """The symbol as a button."""
    return {"entry": ENTRIES[key]}


@register.filter
def glassed(prose: str) -> SafeString:
    """Plain prose in which each symbol, where it stands first, is a button that says what it is."""
    seen: set[str] = set()

    def button(found: re.Match[str]) -> str:
        key = SYMBOLS[found[0]]
        if key in seen:
            return found[0]
        seen.add(key)
        shown = {"entry": ENTRIES[key], "symbol": found[0]}
        return render_to_string("analytics/_glass.html", shown)

    return mark_safe(A_SYMBOL.sub(button, conditional_escape(prose)))  # noqa: S308 -- escaped above


@register.inclusion_tag("analytics/_glasses.html", takes_context=True)
def glasses(context: dict[str, Any]) -> dict[str, object]:
    """What all of them say, each with a way to the glossary."""
    return {"entries": ENTRIES.values(), "key": context["study_access"].study.key}
