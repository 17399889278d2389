"""The next item as a fragment whose lasting part is written once: each item fills in its gaps.

The templates stay the one place that says how an item looks. Of a dialogue what lasts is how many
turns it has, and whether its reply is withheld or waits behind a note.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from annotation.queries.items import ItemShown, TurnShown

# Between characters for private use, which no template and no translation has.
GAP = re.compile("\ue000(\\w+)\ue001")


def filled(context: Mapping[str, Any]) -> str:
    """What `annotation/_work.html` says of `key`, `work`, `questions`, `dialogue`,
    `submission_key` and `saved` (or None)."""
    work, saved = context["work"], context["saved"]
    values = {
        "csrf_token": "",  # the page has one, and what takes the place of its form has the same
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
    return _joined(_pieces(context["key"], get_language(), saved is not None), values)


def dialogue(item: ItemShown, *, is_read: bool = False) -> SafeString:
    """What `annotation/_turns.html` says of an item; once it is read its note hides nothing."""
    said = {
        "content_note": item.content_note,
        "speaker": item.speaker,
        "speaker_name": item.speaker_name,
        "reply": item.reply or "",
    }
    for turn in item.turns:
        said[f"speaker{turn.number}"] = turn.speaker
        said[f"name{turn.number}"] = turn.name
        said[f"text{turn.number}"] = turn.text
    pieces = _pieces_of_dialogue(
        get_language(), len(item.turns), item.reply is None, item.content_note != "", is_read
    )
    return SafeString(_joined(pieces, {name: escape(one) for name, one in said.items()}))


def _joined(pieces: tuple[str, ...], values: Mapping[str, str]) -> str:
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


@lru_cache(maxsize=256)
def _pieces_of_dialogue(
    language: str, n_turns: int, is_withheld: bool, has_note: bool, is_read: bool
) -> tuple[str, ...]:
    item = ItemShown(
        turns=tuple(
            TurnShown(
                number=number,
                speaker=_gap(f"speaker{number}"),
                name=_gap(f"name{number}"),
                text=_gap(f"text{number}"),
            )
            for number in range(1, n_turns + 1)
        ),
        reply=None if is_withheld else _gap("reply"),
        speaker=_gap("speaker"),
        speaker_name=_gap("speaker_name"),
        content_note=_gap("content_note") if has_note else "",
    )
    return tuple(
        GAP.split(render_to_string("annotation/_turns.html", {"item": item, "is_read": is_read}))
    )


def _gap(name: str) -> str:
    return f"\ue000{name}\ue001"
