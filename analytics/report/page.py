"""What the report page shows: how far a worker is with it, its files, and what was verified."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from django.conf import settings
from django.db.models.functions import Length
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics.measures import NAMES
from analytics.models import Errand, FixedPolicy, Verification, Writeup
from analytics.ratings.matrices import View
from analytics.verification.checks import TOLERANCE, Check
from annotation.models import Study
from judging.queries.showing import Worker, worker

PATIENCE = timedelta(seconds=150)  # longer than any task may take
_EVERY_FIGURE = "tables/every_figure.csv"
_DATA = "data"

State = Literal["none", "waiting", "lost", "done"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingProgress:
    """How far something is that a worker was asked for.

    `revision`: of the ratings in what there is, None where there is nothing; `is_behind`: the
    study has newer ones; `may_ask`: asking would bring something new.
    """

    state: State
    asked_at: datetime | None
    done_at: datetime | None
    revision: int | None
    is_behind: bool
    may_ask: bool
    worker: Worker


@dataclass(frozen=True, slots=True, kw_only=True)
class FileListed:
    """One file of a report; `is_data` where it tells single ratings."""

    name: str
    is_data: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportShown:
    """A report as its page shows it: `files` are those that belong to no single table or figure."""

    progress: WritingProgress
    sha256: str
    n_bytes: int
    files: tuple[FileListed, ...]

    @property
    def has_files(self) -> bool:
        return bool(self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRow:
    """One figure, ours and theirs, as text."""

    what: str
    statistic: str
    ours: str
    theirs: str
    difference: str
    package: str
    reason: str
    is_met: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    progress: WritingProgress
    summary: str
    n_different: int
    rows: tuple[CheckRow, ...]


def stands(errand: Errand | None, study: Study, *, at: datetime) -> bool:
    """Whether to ask again would bring nothing new: a worker may still be at it, or this Concord
    made it from the ratings as they are."""
    if errand is None:
        return False
    if errand.done_at is None:
        return at - errand.asked_at < PATIENCE
    return errand.revision == study.revision and errand.concord == settings.VERSION


def report_stands(writeup: Writeup | None, study: Study, *, at: datetime) -> bool:
    """The same for a report, which says what came of verifying its figures, and has the verdicts
    of the policy that holds."""
    if writeup is None or not stands(writeup, study, at=at):
        return False
    verified_since = Verification.objects.filter(
        study=study,
        revision=writeup.revision,
        with_off_scale=False,
        with_quarantined=False,
        done_at__gt=writeup.asked_at,
    )
    fixed_since = FixedPolicy.objects.filter(study=study, fixed_at__gt=writeup.asked_at)
    return writeup.done_at is None or not (verified_since.exists() or fixed_since.exists())


def shown(study: Study, *, language: str, at: datetime) -> ReportShown:
    """The report of a study in a language."""
    found = Writeup.objects.filter(study=study, language=language)
    writeup = found.defer("archive").annotate(n_bytes=Length("archive")).first()
    return ReportShown(
        progress=_progress(writeup, study, may_ask=not report_stands(writeup, study, at=at), at=at),
        sha256=writeup.sha256 if writeup else "",
        n_bytes=writeup.n_bytes if writeup else 0,
        files=tuple(_whole_files(writeup.listing)) if writeup else (),
    )


def verified(study: Study, view: View, *, address: str = "", at: datetime) -> Verified:
    """The figures of a study in a view beside those of packages, or those of one comparison."""
    found = Verification.objects.filter(
        study=study, with_off_scale=view.with_off_scale, with_quarantined=view.with_quarantined
    ).first()
    checks = [Check(**one) for one in found.checks] if found else []
    chosen = [one for one in checks if not address or one.address == address]
    return Verified(
        progress=_progress(found, study, may_ask=not stands(found, study, at=at), at=at),
        summary=_summary(chosen),
        n_different=sum(not one.is_met for one in chosen),
        rows=tuple(map(_row, sorted(chosen, key=lambda one: one.is_met))),
    )


def verified_in_words(checks: Iterable[Mapping[str, Any]]) -> str:
    """What came of a verification, as its row keeps it."""
    return _summary([Check(**one) for one in checks])


def _progress(
    errand: Errand | None, study: Study, *, may_ask: bool, at: datetime
) -> WritingProgress:
    revision = errand.revision if errand else None
    return WritingProgress(
        state=_state(errand, at=at),
        asked_at=errand.asked_at if errand else None,
        done_at=errand.done_at if errand else None,
        revision=revision,
        is_behind=revision is not None and revision < study.revision,
        may_ask=may_ask,
        worker=worker(at=at),
    )


def _state(errand: Errand | None, *, at: datetime) -> State:
    if errand is None:
        return "none"
    if errand.done_at is not None:
        return "done"
    return "waiting" if at - errand.asked_at < PATIENCE else "lost"


def _whole_files(names: Iterable[str]) -> Iterable[FileListed]:
    for name in sorted(names):
        folder = name.rpartition("/")[0]
        if folder in ("", _DATA) or name == _EVERY_FIGURE:
            yield FileListed(name=name, is_data=folder == _DATA)


def _summary(checks: Sequence[Check]) -> str:
    compared = [one for one in checks if one.is_compared]
    if not compared:
        return ""
    packages = sorted({f"{one.package} {one.version}" for one in compared})
    met = sum(one.is_met for one in compared)
    words = {
        "met": f"{met:,}",
        "n": f"{len(compared):,}",
        "packages": ", ".join(packages),
        "tolerance": f"{TOLERANCE:g}",
        "greatest": f"{max((one.difference or 0.0 for one in compared), default=0.0):.1e}",
    }
    return (
        ngettext(
            "%(met)s of %(n)s figure recomputed with %(packages)s agrees to %(tolerance)s; the greatest "
            "difference is %(greatest)s.",
            "%(met)s of %(n)s figures recomputed with %(packages)s agree to %(tolerance)s; the greatest "
            "difference is %(greatest)s.",
            len(compared),
        )
        % words
    )


def _row(one: Check) -> CheckRow:
    return CheckRow(
        what=_("%(level)s: %(criterion)s, %(who)s")
        % {
            "level": _("System level") if one.level == "system" else _("Item level"),
            "criterion": one.criterion,
            "who": one.who,
        },
        statistic=str(NAMES[one.statistic]),
        ours=_exact(one.ours),
        theirs=_exact(one.theirs) if one.package else "–",
        difference="–" if one.difference is None else f"{one.difference:.1e}",
        package=f"{one.package} {one.version}" if one.package else "–",
        reason=_(one.reason) if one.reason else "",
        is_met=one.is_met,
    )


def _exact(value: float | None) -> str:
    return _("not defined") if value is None else f"{value:.12f}".replace("-", "−")
