"""Values as cells of a table that a spreadsheet opens without running them."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

_STARTS_A_FORMULA = tuple("=+-@|\t\r\n\0＝＋－＠｜")
_UNSEEN = " \ufeff\u200b\u200c\u200d\u2060\xa0\u3000"
# They turn the direction in which a text is read, so that it shows as something else.
_TURNS_TEXT = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]|⟨(?=U\\+)")
_TOLD = re.compile(r"⟨U\+([0-9A-F]{4})⟩")


def csv_of(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """One header line, every digit, UTF-8, LF."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(cell, row) for row in rows)
    return text.getvalue()


def cell(value: object) -> str:
    """One value as text; text that a spreadsheet would take for a formula gets a quote before it.

    So does text that begins with such a quote of its own, for `text_in` to give it back. A sign
    that turns the direction of text is told by its number, ⟨U+202E⟩. Numbers are no danger and
    stay numbers, a truth value is true or false, nothing is empty.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return str(value)
    text = _TURNS_TEXT.sub(lambda sign: f"⟨U+{ord(sign[0]):04X}⟩", value)
    return "'" + text if _is_formula(text) else text


def text_in(cell_: str) -> str:
    """The text that `cell` made a cell of."""
    text = cell_[1:] if cell_.startswith("'") and _is_formula(cell_) else cell_
    return _TOLD.sub(lambda told: chr(int(told[1], 16)), text)


def _is_formula(text: str) -> bool:
    """Whether a spreadsheet would run it, or would once what stands before it is gone."""
    return text.lstrip("'").lstrip(_UNSEEN).startswith(_STARTS_A_FORMULA)
