"""Tables as CSV and JSON for programs, as Markdown and as LaTeX for people."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from typing import Any, NamedTuple

from accounts.punctuation import headed
from analytics.exports.cells import csv_of
from analytics.present.grid import Grid, GridCell, grid
from analytics.present.tables import Table, records

_A_PAGE = 45  # rows
_UPRIGHT, _LYING = 80, 126  # digits that fit on a line of a page, in footnotesize
_GAP = 2  # digits between two columns
_LONGEST_WORD = 24
_NO_BREAK = "\u00a0"
_SLIM, _BROAD = "ijlt.,:;!'’|()[]", "mw%+−×=<>κω"


def record_of(table: Table) -> dict[str, Any]:
    """The same as its CSV has, a record a figure, with the words around it."""
    columns, values = records(table)
    return {
        "key": table.key,
        "title": table.title,
        "caption": table.caption,
        "notes": list(table.notes),
        "figures": [dict(zip(columns, row, strict=True)) for row in values],
    }


def markdown_of(table: Table) -> str:
    """A heading, the caption, a pipe table, the notes."""
    read = grid(table)
    aligned = ["---:" if head.is_figure else "---" for head in read.heads]
    lines = [f"## {markdown(read.title)}", ""]
    lines += [markdown(read.caption), ""] if read.caption else []
    lines += [_piped(markdown(head.text) for head in read.heads), _piped(aligned)]
    lines += [_piped(map(_marked, row)) for row in grouped(read)]
    for note in read.notes:
        lines += ["", f"{_raised(note.marks)} {markdown(note.text)}".strip()]
    return "\n".join(lines) + "\n"


def latex_of(table: Table) -> str:
    """A table that fits on its page: on its side where it is wide, over pages where it is long.

    The first line says which packages it takes.
    """
    read = grid(table)
    layout = _layout(read)
    title = tex(headed(read.title, read.caption)).strip()
    caption = rf"\caption{{{title}}}\label{{tab:{table.key.replace('_', '-')}}}"
    head = [r"\toprule", _joined(tex(head.text) for head in read.heads), r"\midrule"]
    body = [_joined(map(_typeset, row)) for row in grouped(read)]
    notes = [rf"\par\noindent {_raised_in_tex(note.marks)}{tex(note.text)}" for note in read.notes]
    sized = layout.size + r"\setlength{\tabcolsep}{4pt}"
    if layout.is_lying or len(read.rows) > _A_PAGE:
        lines = [
            r"\begingroup",
            sized,
            rf"\begin{{longtable}}{{{layout.columns}}}",
            caption + r" \\",
            *head,
            r"\endfirsthead",
            *head,
            r"\endhead",
            *body,
            r"\bottomrule",
            r"\end{longtable}",
            *notes,
            r"\par\endgroup",
        ]
    else:
        lines = [
            r"\begin{table}\centering",
            sized,
            caption,
            rf"\begin{{tabular}}{{{layout.columns}}}",
            *head,
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            *notes,
            r"\end{table}",
        ]
    if layout.is_lying:
        lines = [r"\begin{landscape}", *lines, r"\end{landscape}"]
    text = "\n".join(lines) + "\n"
    return "\n".join([*(f"% {line}" for line in preamble(text)), text])


def preamble(text: str) -> Iterator[str]:
    """The lines that LaTeX needs before a document with this text."""
    needed = {
        "array": "arraybackslash",
        "booktabs": r"\toprule",
        "graphicx": r"\includegraphics",
        "longtable": "{longtable}",
        "pdflscape": "{landscape}",
    }
    packages = [name for name, sign in needed.items() if sign in text]
    if packages:
        yield rf"\usepackage{{{','.join(packages)}}}"
    if any(map(_is_wide, set(text))):
        yield r"\usepackage[scheme=plain]{ctex} % takes xelatex or lualatex"


TEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"\char34{}",
    "--": r"-{}-",
    _NO_BREAK: "~",
    "−": r"$-$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "±": r"$\pm$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
    "ε": r"$\varepsilon$",
    "λ": r"$\lambda$",
    "ρ": r"$\rho$",
    "ω": r"$\omega$",
    "τ": r"$\tau$",
}
_OF_TEX = re.compile("|".join(map(re.escape, sorted(TEX, key=len, reverse=True))))


def tex(text: str) -> str:
    """Text that LaTeX prints as it is, on one line; a word too long for a column may be broken."""
    words = re.sub(r"\s+", lambda found: _NO_BREAK if found[0] == _NO_BREAK else " ", text)
    return " ".join(map(_word, words.split(" ")))


def markdown(text: str) -> str:
    """Text on one line that Markdown takes neither for HTML nor for a link."""
    return re.sub(r"[\r\n]+", " ", text).replace("<", "&lt;").replace("](", "]\\(")


def grouped(read: Grid) -> Iterator[list[tuple[str, str]]]:
    """(text, marks) of each cell row by row, headings only where they change."""
    before: tuple[GridCell, ...] = ()
    for row in read.rows:
        same = 0
        while same < read.n_headings - 1 and _texts(row.about[: same + 1]) == _texts(
            before[: same + 1]
        ):
            same += 1
        shown = (*row.about[same:], *row.cells)
        yield [("", "")] * same + [(one.brief, one.marks) for one in shown]
        before = row.about


def _texts(cells: Iterable[GridCell]) -> list[str]:
    return [one.text for one in cells]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """How LaTeX sets the columns of a table, how large, and whether it takes a page on its side."""

    columns: str
    is_lying: bool
    size: str = r"\footnotesize"


def _layout(read: Grid) -> _Layout:
    """As wide as the cells are where that fits, else so narrow that words go below each other."""
    heads = [head.text for head in read.heads]
    by_column = list(zip_longest(heads, *(map(_plain, row) for row in read.cells)))
    wide = [max(map(_width, column)) for column in by_column]
    narrow = [max(map(_longest_word, column)) for column in by_column]
    gaps = _GAP * (len(wide) - 1)
    if sum(wide) + gaps <= _UPRIGHT:
        return _Layout(columns=_columns(read, [""] * len(wide)), is_lying=False)
    is_lying = sum(narrow) + gaps > _UPRIGHT or sum(wide) + gaps > 2 * _UPRIGHT
    if is_lying and sum(wide) + gaps <= _LYING:
        return _Layout(columns=_columns(read, [""] * len(wide)), is_lying=True)
    is_tight = sum(narrow) + gaps > _LYING
    room = (_LYING if is_lying else _UPRIGHT) * (8 / 7 if is_tight else 1) - gaps
    shares = [0.999 * width / room for width in _between(narrow, wide, room)]
    paddings = 2 * (len(shares) - 1)
    widths = [
        rf"p{{\dimexpr {share:.4f}\linewidth-{share * paddings:.4f}\tabcolsep\relax}}"
        for share in shares
    ]
    return _Layout(
        columns=_columns(read, widths),
        is_lying=is_lying,
        size=r"\scriptsize" if is_tight else r"\footnotesize",
    )


def _between(narrow: Sequence[float], wide: Sequence[float], room: float) -> list[float]:
    """Widths that fill the room: none narrower than its longest word while there is room."""
    spare = room - sum(narrow)
    if spare <= 0:
        return [width * room / sum(narrow) for width in narrow]
    wanted = sum(wide) - sum(narrow)
    return [
        low + min(1.0, spare / wanted) * (high - low)
        for low, high in zip(narrow, wide, strict=True)
    ]


def _columns(read: Grid, widths: Sequence[str]) -> str:
    """What goes between the braces: words to the left, figures to the right."""
    sides = ["r" if head.is_figure else "l" for head in read.heads]
    ragged = {"l": r">{\raggedright\arraybackslash}", "r": r">{\raggedleft\arraybackslash}"}
    set_ = [
        ragged[side] + width if width else side for side, width in zip(sides, widths, strict=True)
    ]
    return "@{}" + "".join(set_) + "@{}"


def _typeset(one: tuple[str, str]) -> str:
    text, marks = one
    return tex(_unbroken(text)) + _raised_in_tex(marks)


def _raised_in_tex(marks: str) -> str:
    return rf"\textsuperscript{{{tex(marks)}}}" if marks else ""


def _plain(one: GridCell) -> str:
    return _unbroken(one.brief) + one.marks


def _unbroken(text: str) -> str:
    """The spaces within an interval, and before a percent sign, where no line may end."""
    return re.sub(r"(?<=[\d,]) (?=[\d+−%])", _NO_BREAK, text)


def _word(word: str) -> str:
    if len(word) <= _LONGEST_WORD:
        return _escaped(word)
    return r"\allowbreak{}".join(map(_escaped, word))


def _escaped(text: str) -> str:
    return _OF_TEX.sub(lambda found: TEX[found[0]], text)


def _width(text: str) -> float:
    """How many digits a text is as wide as, a little generously."""
    return sum(map(_width_of, text)) + 0.5


@cache
def _width_of(letter: str) -> float:
    if _is_wide(letter):
        return 2.0
    if letter in _SLIM:
        return 0.6
    return 1.6 if letter.isupper() or letter in _BROAD else 1.05


def _longest_word(text: str) -> float:
    """Of words that a line may not end in: between Chinese characters it may."""
    words = re.split(r" |(?<=[\u2e80-\uffef])|(?=[\u2e80-\uffef])", text)
    return max(min(_width(word), _LONGEST_WORD) for word in words)


def _is_wide(letter: str) -> bool:
    return unicodedata.east_asian_width(letter) in "WF"


def _marked(one: tuple[str, str]) -> str:
    text, marks = one
    return f"{markdown(text)} {_raised(marks)}".strip()


def _raised(marks: str) -> str:
    return f"<sup>{marks}</sup>" if marks else ""


def _piped(cells: Iterable[str]) -> str:
    return "| " + " | ".join(one.replace("|", "\\|") for one in cells) + " |"


def _joined(cells: Iterable[str]) -> str:
    """One row; what begins with a bracket or a star would be taken for an argument of `\\\\`."""
    row = " & ".join(cells)
    return ("{}" if row.startswith(("[", "*")) else "") + row + r" \\"


class FileKind(NamedTuple):
    """How a table is written to a file."""

    content_type: str
    write: Callable[[Table], str]


FILES = {
    "csv": FileKind("text/csv", lambda table: csv_of(*records(table))),
    "tex": FileKind("application/x-tex", latex_of),
    "md": FileKind("text/markdown", markdown_of),
    "json": FileKind(
        "application/json",
        lambda table: json.dumps(record_of(table), ensure_ascii=False, indent=1) + "\n",
    ),
}
