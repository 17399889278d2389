"""Figures of ours beside those of packages, and how far a worker is with them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.punctuation import listed
from analytics.comparisons.kinds import SINGLE
from analytics.measures import NAMES
from analytics.models import Verification
from analytics.present.grid import Grid, grid
from analytics.present.making import MakingProgress, progress_of, stands
from analytics.present.places import ComparisonPlace
from analytics.present.tables import Column, Dressed, Line, Plain, Table, Told, table
from analytics.present.viewing import values_of
from analytics.ratings.matrices import View
from analytics.verification.checks import TOLERANCE, Check
from annotation.models import JobKind, Study
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """Figures of ours beside those of packages; those that differ come first in the table."""

    progress: MakingProgress
    summary: str
    n_different: int
    grid: Grid | None


def newest(study: Study, view: View) -> Verification | None:
    """What came of recomputing the figures of a view last."""
    return Verification.objects.filter(
        study=study, with_off_scale=view.with_off_scale, with_quarantined=view.with_quarantined
    ).first()


def verified(study_access: StudyAccess, view: View, *, address: str = "", at: datetime) -> Verified:
    """The figures of a study in a view beside those of packages, or those of one comparison.

    Who sees no single raters gets them without those of single people, who are named there, and to be
    looked at alone, as nothing says how few items a figure rests on.
    """
    study, is_veiled = study_access.study, not study_access.sees_single_raters
    found = newest(study, view)
    checks = [Check(**one) for one in found.checks] if found else []
    chosen = [
        one
        for one in checks
        if (not address or one.address == address) and not (is_veiled and _is_of_single(one))
    ]
    return Verified(
        progress=progress_of(
            found,
            study,
            kind=JobKind.VERIFICATION,
            what=values_of(view),
            stands=stands(found, study),
            at=at,
        ),
        summary=_summary(chosen),
        n_different=sum(not one.is_met for one in chosen),
        grid=grid(_compared(chosen, is_one=bool(address)), by_page=not is_veiled)
        if chosen
        else None,
    )


def _is_of_single(check: Check) -> bool:
    return bool(check.address) and ComparisonPlace(*check.address.split("/")).kind in SINGLE


def verified_in_words(checks: Iterable[Mapping[str, Any]]) -> str:
    """What came of a verification, as its row keeps it."""
    return _summary([Check(**one) for one in checks])


def _summary(checks: Sequence[Check]) -> str:
    compared = [one for one in checks if one.is_compared]
    if not compared:
        return ""
    packages = sorted({f"{one.package} {one.version}" for one in compared})
    met = sum(one.is_met for one in compared)
    words = {
        "met": f"{met:,}",
        "n": f"{len(compared):,}",
        "packages": listed(packages),
        "tolerance": f"{TOLERANCE:g}",
        "greatest": f"{max((one.difference or 0.0 for one in compared), default=0.0):.1e}",
    }
    sentence = ngettext(
        "%(met)s of %(n)s figure recomputed with %(packages)s agrees to %(tolerance)s; the greatest "
        "difference is %(greatest)s.",
        "%(met)s of %(n)s figures recomputed with %(packages)s agree to %(tolerance)s; the greatest "
        "difference is %(greatest)s.",
        len(compared),
    )
    return sentence % words


def _compared(checks: Sequence[Check], *, is_one: bool) -> Table:
    """Of one comparison without saying which."""
    what = [] if is_one else [Column("what", _("What"))]
    return table(
        "verified",
        _("Ours and theirs, figure by figure"),
        "",
        about=[*what, Column("statistic_of", _("Statistic"))],
        columns=[
            Column("ours", _("Ours")),
            Column("theirs", _("Theirs")),
            Column("difference", _("Difference")),
            Column("package", _("Package"), is_words=True),
        ],
        lines=(
            Line(
                about=(
                    *([] if is_one else [_what(one)]),
                    Plain(str(NAMES[one.statistic]), one.statistic),
                ),
                values=_values(one),
            )
            for one in sorted(checks, key=lambda one: one.is_met)
        ),
    )


def _what(one: Check) -> Plain:
    words = {
        "level": _("System level") if one.level == "system" else _("Item level"),
        "criterion": one.criterion,
        "who": one.who,
    }
    text = _("%(level)s: %(criterion)s, %(who)s") % words
    return Plain(text, text)


def _values(one: Check) -> tuple[Told, ...]:
    difference = "–" if one.difference is None else f"{one.difference:.1e}"
    package = f"{one.package} {one.version}" if one.package else "–"
    return (
        Plain(_exact(one.ours), one.ours),
        Plain(_exact(one.theirs) if one.package else "–", one.theirs),
        Dressed(value=Plain(difference, one.difference), badge="" if one.is_met else "flag"),
        Dressed(value=Plain(package, package), small=_(one.reason) if one.reason else ""),
    )


def _exact(value: float | None) -> str:
    return _("not defined") if value is None else decimal(value, 12)
