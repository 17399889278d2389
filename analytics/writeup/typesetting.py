"""Tables as CSV for programs, as Markdown and as LaTeX for people."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analytics.exports.cells import cell

_A_PAGE = 45


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table, as people read it and as programs do.

    `head` and `rows` are words and rounded numbers, `notes` stand below; `columns` and `values`
    are the same with every digit. The first `n_headings` cells of a row say what it is about.
    """

    key: str
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_headings: int = 1
    notes: tuple[str, ...] = ()
    columns: tuple[str, ...]
    values: tuple[tuple[object, ...], ...]


def csv_of(table: Table) -> str:
    """Every digit, one header line, UTF-8, LF."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(map(_exact, row) for row in table.values)
    return text.getvalue()


def markdown_of(table: Table) -> str:
    """A heading, a pipe table, the notes."""
    aligned = ["---" if place < table.n_headings else "---:" for place in range(len(table.head))]
    lines = [f"## {markdown(table.title)}", "", _piped(table.head), _piped(aligned)]
    lines += [_piped(row) for row in _grouped(table)]
    lines += [line for note in table.notes for line in ("", markdown(note))]
    return "\n".join(lines) + "\n"


def latex_of(table: Table) -> str:
    """A table for the package booktabs, one longer than a page also for longtable.

    Chinese needs XeLaTeX or LuaLaTeX.
    """
    columns = "@{}" + "l" * table.n_headings + "r" * (len(table.head) - table.n_headings) + "@{}"
    title = rf"\caption{{{tex(table.title)}}}\label{{tab:{table.key.replace('_', '-')}}}"
    body = [r"\midrule", *(_joined(row) for row in _grouped(table)), r"\bottomrule"]
    notes = [rf"\par\noindent {tex(note)}" for note in table.notes]
    if len(table.rows) > _A_PAGE:
        lines = [
            r"% \usepackage{booktabs,longtable}",
            r"\begingroup\footnotesize",
            rf"\begin{{longtable}}{{{columns}}}",
            title + r" \\",
            r"\toprule",
            _joined(table.head),
            r"\endhead",
            *body,
            r"\end{longtable}",
            *notes,
            r"\endgroup",
        ]
    else:
        lines = [
            r"% \usepackage{booktabs}",
            r"\begin{table}\centering\footnotesize",
            title,
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            _joined(table.head),
            *body,
            r"\end{tabular}",
            *notes,
            r"\end{table}",
        ]
    return "\n".join(lines) + "\n"


_TEX = {
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
    "−": r"$-$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "±": r"$\pm$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
    "ε": r"$\varepsilon$",
    "ρ": r"$\rho$",
    "ω": r"$\omega$",
    "τ": r"$\tau$",
}


def tex(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return re.sub("|".join(map(re.escape, _TEX)), lambda found: _TEX[found[0]], text)


def markdown(text: str) -> str:
    """Text on one line that Markdown takes neither for HTML nor for a link."""
    return re.sub(r"[\r\n]+", " ", text).replace("<", "&lt;").replace("](", "]\\(")


def _exact(value: object) -> str:
    return repr(value) if isinstance(value, float) else cell(value)


def _piped(cells: Iterable[str]) -> str:
    return "| " + " | ".join(markdown(one).replace("|", "\\|") for one in cells) + " |"


def _joined(cells: Iterable[str]) -> str:
    return " & ".join(map(tex, cells)) + r" \\"


def _grouped(table: Table) -> Iterable[Sequence[str]]:
    """The rows, a first heading only where it changes."""
    before = None
    for row in table.rows:
        yield ("", *row[1:]) if table.n_headings > 1 and row[0] == before else row
        before = row[0]
