"""A whole report as files by name: methods, tables, figures, numbers, and the ratings behind them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zipfile import ZipFile

import numpy as np
from django.conf import settings
from django.utils.translation import get_language, override

from analytics.agreement.numbers import Report
from analytics.exports import zips
from analytics.exports.cells import csv_of
from analytics.exports.checklist import CHECKLIST, ChecklistBasis, checklist
from analytics.present import typesetting
from analytics.present.tables import Table, records
from analytics.ratings.matrices import PLAIN
from analytics.report import (
    basis,
    contents,
    document,
    drawings,
    methods,
    numbers,
    paper,
    parts,
    sums,
    web,
)
from analytics.report.basis import Basis, Files, UnreadableReport
from analytics.report.contents import Contents, Picture
from analytics.report.methods import MethodsBasis
from analytics.report.parts import ReportPart
from analytics.trust.numbers import TrustReport, with_runs
from analytics.trust.policies import Held
from analytics.trust.words import said_of_judges
from annotation.actions.imports.copying import Watch
from annotation.queries.rounds import RoundStatus
from annotation.rubric.sentences import Sentence

TellTotal = Callable[[int], None]

README = "README.md"
LARGEST = 2 << 30  # bytes of a report, all of which are in memory while it is checked
_LANGUAGES = {"en": "en", "zh": "zh-hans"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOrder:
    """What a report is made from, and when its numbers were computed.

    `held`: the policy that the trust cards of the study are held against; `trust`: what the runs
    of its judges tell, which the ratings do not.
    """

    basis: Basis
    name: str
    at: datetime
    judges: Sequence[Mapping[str, object]]
    held: Held
    trust: TrustReport
    verified: str = ""
    protocols: Sequence[tuple[Sequence[Sentence], Sequence[int]]] = ()
    n_to_qualify: int = 0
    audits: Sequence[Sentence] = ()
    rounds: Sequence[RoundStatus] = ()


def write(
    order: ReportOrder, *, watch: Watch = iter, tell_total: TellTotal = lambda _total: None
) -> dict[str, bytes]:
    """Every file of a report, in the language of the page; the methods in both languages.

    The same order always gives the same bytes. `watch` counts parts as they are computed and
    figures as they are drawn; `tell_total` is told how many there are once that is known.
    """
    ratings = order.basis.ratings
    files = basis.files_of(order.basis)
    made = numbers.made(ratings, at=order.at, watch=watch)
    views = numbers.distinct_views(ratings)
    report = made["agreement"][PLAIN]
    files[numbers.FILE] = numbers.as_json(
        order.basis,
        made,
        files,
        at=order.at,
        judges=list(order.judges),
        policy=order.held.policy,
    )
    shown = {**made, "trust": {PLAIN: with_runs(made["trust"][PLAIN], order.trust)}}
    found = parts.parts(
        shown, views, ratings, order.held, pairs=order.basis.pairs, rounds=order.rounds
    )
    for table in (table for part in found for table in part.tables):
        files |= _table_files(table)
    files["tables/every_figure.csv"] = csv_of(*parts.every_figure(made, views)).encode()
    pictures, screens = [], {}
    with drawings.letters():
        wanted = list(drawings.drawings(report, made["judges"][PLAIN], ratings.rubric))
        tell_total(len(made) + len(wanted))
        for drawing in watch(wanted):
            drawn = drawings.rendered(drawing)
            screens[drawing.key] = drawings.on_screen(drawing)
            files |= {f"figures/{drawing.key}.{kind}": file for kind, file in drawn.items()}
            pictures.append(
                Picture(
                    key=drawing.key,
                    title=drawing.title,
                    caption=drawing.caption,
                    kinds=tuple(drawn),
                )
            )
    told = _told(order, made, files, found)
    files |= _methods_files(told)
    files["references.bib"] = "\n".join(one.bibtex for one in methods.references(told)).encode()
    content = _contents(told, found, pictures)
    files[contents.FILE] = contents.as_json(content)
    files[document.FILE] = document.document(order.name, content, found).encode()
    files[web.FILE] = web.page(order.name, content, found, screens).encode()
    files[paper.FILE] = paper.pdf(order.name, content, found, files)
    files[CHECKLIST] = checklist(_for_checklist(order, report)).encode()
    files[README] = _readme(files, told).encode()
    files[sums.FILE] = sums.of(files)
    return files


def without_data(files: Files) -> dict[str, bytes]:
    """The files that say nothing of a single rating."""
    return {name: content for name, content in files.items() if not is_data(name)}


def is_data(name: str) -> bool:
    """Whether a file tells who gave which item which value."""
    return name.startswith(f"{basis.FOLDER}/")


def read(place: Path) -> dict[str, bytes]:
    """The files of a report, a zip or a folder. UnreadableReport says what is wrong with it."""
    try:
        if place.is_dir():  # nothing of a folder that is none, which may be a whole disk
            return dict(_files_in(place)) if (place / numbers.FILE).is_file() else {}
        with zips.opened(place, most=LARGEST) as archive:
            return dict(_files_of(archive))
    except (zips.UnreadableZip, OSError) as problem:
        raise UnreadableReport(str(problem)) from None


def _files_of(archive: ZipFile) -> Iterator[tuple[str, bytes]]:
    for told in archive.infolist():
        with archive.open(told) as file:
            yield told.filename, file.read(told.file_size)  # and no more than it says of itself


def _files_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def _told(
    order: ReportOrder, made: numbers.Made, files: Files, found: Sequence[ReportPart]
) -> MethodsBasis:
    return MethodsBasis(
        study=order.name,
        reports=made["agreement"],
        judges=order.judges,
        tables=frozenset(table.key for part in found for table in part.tables),
        held=order.held,
        n_quarantined=int(order.basis.ratings.quarantined.sum()),
        data_sha256=basis.sha256_of(files),
        verified=order.verified,
        protocols=order.protocols,
        n_to_qualify=order.n_to_qualify,
        audits=order.audits,
        rests_on=said_of_judges(with_runs(made["trust"][PLAIN], order.trust)),
    )


def _for_checklist(order: ReportOrder, report: Report) -> ChecklistBasis:
    ratings = order.basis.ratings
    return ChecklistBasis(
        study=order.name,
        rubric=f"{report.rubric} (SHA-256 {report.rubric_fingerprint})",
        revision=report.revision,
        concord=settings.VERSION,
        n_items=report.n_items,
        n_people=len(ratings.humans),
        judges=order.judges,
        generators=np.unique(ratings.generators).tolist(),
        with_texts=False,
        settled=(),
        files={
            "methods": "`methods.en.md`",
            "figures": "`report.html`, and each table in `tables`.",
            "data": "The ratings are in `data`; texts in releases to who may have them.",
        },
    )


def _contents(
    told: MethodsBasis, found: Sequence[ReportPart], pictures: Sequence[Picture]
) -> Contents:
    """What was written; figures are of agreement."""
    return Contents(
        methods=tuple(methods.paragraphs(told)),
        references=tuple(work.in_words for work in methods.references(told)),
        parts=tuple(
            contents.PartInShort(
                key=part.key,
                title=part.title,
                tables=contents.in_short(part.printed),
                figures=tuple(pictures) if part.key == "agreement" else (),
            )
            for part in found
        ),
        policy=told.held.title,
        policy_sha256=told.held.policy.sha256,
        seeds=numbers.SEEDS,
        versions=numbers.versions(),
    )


def _table_files(table: Table) -> dict[str, bytes]:
    files = {"csv": csv_of(*records(table))}
    if not table.is_for_screen:
        files |= {"md": typesetting.markdown_of(table), "tex": typesetting.latex_of(table)}
    return {f"tables/{table.key}.{kind}": text.encode() for kind, text in files.items()}


def _methods_files(told: MethodsBasis) -> dict[str, bytes]:
    files = {}
    for suffix, language in _LANGUAGES.items():
        with override(language):
            files[f"methods.{suffix}.md"] = methods.markdown_of(told).encode()
            files[f"methods.{suffix}.txt"] = methods.text_of(told).encode()
    return files


def _readme(files: Files, told: MethodsBasis) -> str:
    listed = "\n".join(f"- {name}" for name in sorted(files))
    return f"""# Agreement in “{typesetting.markdown(told.study)}”

Made by Concord from revision {told.reports[PLAIN].revision}, in “{get_language()}”.

- `methods.en.md`, `methods.zh.md`: what was computed, from what, and what was left out.
- `tables`: CSV with every digit, Markdown and LaTeX rounded; each LaTeX file says on top which
  packages it takes. `every_figure.csv` has every number of every part in every view.
- `figures`: SVG, PNG and PDF, readable in black and white, and each as Vega-Lite (JSON) to be
  drawn otherwise.
- `contents.json`: what each table and figure shows, part by part.
- `report.html`, `report.pdf`: all of it to be read, with nothing else at hand.
- `report.tex`: the same for LaTeX: `xelatex report.tex`.
- `references.bib`: the works that the methods cite, for BibTeX.
- `CHART.md`: the reporting checklist for studies of chatbots, filled in with what Concord knows.
- `report.json`: every figure with its interval, n, method and notes; versions; seeds; the policy.
- `data`: the ratings that all of it was computed from, people under pseudonyms, no texts; missing
  where the reader may not see single ratings yet.

`manage.py report --check FILE` computes every number of `report.json` again from `data` and compares
it, and every file with `SHA256SUMS`: what is printed was printed from these numbers.

## Files

{listed}
"""
