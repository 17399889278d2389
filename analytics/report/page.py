"""What the report page shows: how far a worker is with it, its files, and its parts in short."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.urls import reverse
from django.utils.translation import ngettext

from accounts.punctuation import in_turn
from analytics.models import FixedPolicy, Verification, Writeup
from analytics.present.grid import Grid
from analytics.present.making import MakingProgress, progress_of, stands
from analytics.report import shelf
from analytics.report.contents import Contents, Picture, to_read
from annotation.models import JobKind, Study

_TABLES = "tables"
_DATA = "data"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileListed:
    """One file of a report; `is_data` where it tells single ratings."""

    name: str
    is_data: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportShown:
    """A report as its page shows it: `files` are those that belong to no single table or figure."""

    progress: MakingProgress
    sha256: str
    n_bytes: int
    files: tuple[FileListed, ...]

    @property
    def has_files(self) -> bool:
        return bool(self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartShown:
    """What a report says of one matter."""

    key: str
    title: str
    grids: tuple[Grid, ...]
    figures: tuple[Picture, ...]

    @property
    def inside(self) -> str:
        """What there is to open it for."""
        titles = [grid.title for grid in self.grids]
        n = len(self.figures)
        drawn = [ngettext("%(n)s figure", "%(n)s figures", n) % {"n": n}] if n else []
        return in_turn([*titles, *drawn])


def report_stands(writeup: Writeup | None, study: Study) -> bool:
    """Whether to write it again would bring nothing new: it says what came of verifying its
    figures, and has the verdicts of the policy that holds."""
    if writeup is None or not stands(writeup, study):
        return False
    verified_since = Verification.objects.filter(
        study=study,
        revision=writeup.revision,
        with_off_scale=False,
        with_quarantined=False,
        done_at__gt=writeup.asked_at,
    )
    fixed_since = FixedPolicy.objects.filter(study=study, fixed_at__gt=writeup.asked_at)
    return not (verified_since.exists() or fixed_since.exists())


def shown(study: Study, *, language: str, at: datetime) -> ReportShown:
    writeup = Writeup.objects.filter(study=study, language=language).first()
    n_bytes = shelf.size_of(writeup.folder, shelf.WHOLE) if writeup else None
    return ReportShown(
        progress=progress_of(
            writeup,
            study,
            kind=JobKind.REPORT,
            what=language,
            stands=report_stands(writeup, study),
            at=at,
        ),
        sha256=writeup.sha256 if writeup else "",
        n_bytes=n_bytes or 0,
        files=tuple(_whole_files(writeup.listing)) if writeup else (),
    )


def chapters(study: Study, contents: Contents | None, *, has_files: bool) -> list[PartShown]:
    """The parts of a report with its tables in short."""
    address = partial(_file_of, study.key) if has_files else None
    return [
        PartShown(
            key=part.key,
            title=part.title,
            grids=tuple(to_read(table, address) for table in part.tables),
            figures=part.figures,
        )
        for part in (contents.parts if contents else ())
    ]


def _file_of(study: str, name: str) -> str:
    return reverse("agreement_report_file", kwargs={"key": study, "name": name})


def _whole_files(names: Collection[str]) -> Iterable[FileListed]:
    for name in sorted(names):
        folder = name.rpartition("/")[0]
        is_unprinted = folder == _TABLES and name.replace(".csv", ".tex") not in names
        if folder in ("", _DATA) or is_unprinted:
            yield FileListed(name=name, is_data=folder == _DATA)
