"""The whole report as one LaTeX document, which takes its tables and figures from their files."""

from collections.abc import Iterator, Sequence

from accounts.punctuation import headed
from analytics.present.typesetting import latex_of, preamble, tex
from analytics.report.contents import Contents, Picture
from analytics.report.parts import ReportPart

FILE = "report.tex"


def document(name: str, shown: Contents, parts: Sequence[ReportPart]) -> str:
    """Methods, then every part with its tables and figures, then references."""
    body = "\n".join(_body(name, shown))
    tables = "".join(latex_of(table) for part in parts for table in part.printed)
    lines = [
        "% In the folder of the report: xelatex report.tex, twice.",
        r"\documentclass[a4paper]{article}",
        r"\usepackage[margin=2cm]{geometry}",
        *preamble(body + tables),
        r"\begin{document}",
        body,
        r"\end{document}",
    ]
    return "\n".join(lines) + "\n"


def _body(name: str, shown: Contents) -> Iterator[str]:
    yield rf"\title{{{tex(name)}}}\author{{}}\date{{}}\maketitle"
    for paragraph in shown.methods:
        yield rf"\subsection*{{{tex(paragraph.title)}}}"
        yield tex(paragraph.text)
    for part in shown.parts:
        yield rf"\clearpage\section*{{{tex(part.title)}}}"
        yield from (rf"\input{{tables/{table.key}}}" for table in part.tables)
        yield from map(_figure, part.figures)
    yield r"\clearpage\begin{thebibliography}{99}"
    yield from (rf"\bibitem{{{place}}} {tex(work)}" for place, work in enumerate(shown.references))
    yield r"\end{thebibliography}"


def _figure(picture: Picture) -> str:
    return "\n".join(
        [
            r"\begin{figure}\centering",
            rf"\includegraphics[width=\linewidth]{{figures/{picture.key}.pdf}}",
            rf"\caption{{{tex(headed(picture.title, picture.caption))}}}",
            r"\end{figure}",
        ]
    )
