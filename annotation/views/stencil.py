"""The next item as a fragment whose lasting part is written once: each item fills in its gaps.

The template stays the one place that says how an item looks.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils.translation import get_language

# Between characters for private use, which no template and no translation has.
GAP = re.compile("\ue000(\\w+)\ue001")


def filled(request: HttpRequest, context: Mapping[str, Any]) -> str:
    """What `annotation/_work.html` says of `key`, `work`, `questions`, `dialogue`,
    `submission_key` and `saved` (or None)."""
    work, saved = context["work"], context["saved"]
    values = {
        "csrf_token": get_token(request),
        "assignment": str(work.owed.assignment_id),
        "submission_key": str(context["submission_key"]),
        "round": str(work.owed.round_number),
        "number": str(work.number),
        "submitted": str(work.n_submitted),
        "assigned": str(work.n_assigned),
        "moment": saved["moment"] if saved else "",
        "clock": saved["clock"] if saved else "",
        "dialogue": context["dialogue"],
        "questions": context["questions"],
    }
    pieces = _pieces(context["key"], get_language(), saved is not None)
    return "".join(values[piece] if place % 2 else piece for place, piece in enumerate(pieces))


@lru_cache(maxsize=256)
def _pieces(key: str, language: str, is_saved: bool) -> tuple[str, ...]:
    """Text, the name of a gap, text, and so on, in the language that is active."""
    context = {
        "key": key,
        "csrf_token": _gap("csrf_token"),
        "work": {
            "owed": {"assignment_id": _gap("assignment"), "round_number": _gap("round")},
            "number": _gap("number"),
            "n_submitted": _gap("submitted"),
            "n_assigned": _gap("assigned"),
        },
        "submission_key": _gap("submission_key"),
        "saved": {"moment": _gap("moment"), "clock": _gap("clock")} if is_saved else None,
        "dialogue": _gap("dialogue"),
        "questions": _gap("questions"),
    }
    return tuple(GAP.split(render_to_string("annotation/_work.html", context)))


def _gap(name: str) -> str:
    return f"\ue000{name}\ue001"
