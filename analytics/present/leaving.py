"""Figures that leave as a file or through the API, each with a line in the trail.

Who sees single raters may take what they see. For everybody else the same disclosure tests are asked as for
releases, and what rests on few items is left out (ADR 47).
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from accounts import events
from accounts.models import Event, User
from analytics.agreement.numbers import Report
from analytics.exports import rulings
from analytics.exports.disclosing import LEAST_PEOPLE
from analytics.present.charts.parts import Spec
from analytics.present.small_cells import (
    has_small_mark,
    left_out_of_card,
    report_without_small_cells,
    without_small_cells,
)
from analytics.present.tables import Table
from analytics.present.veil import veil_of
from analytics.ratings.matrices import View
from analytics.ratings.slices import gives_back_few
from analytics.stats.estimates import Estimate
from annotation.models import RaterKind, Submission
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import Barred, said
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.small_counts import LEAST_ITEMS

TAKEN = (
    *("figures.downloaded", "figures.read", "agreement.means_downloaded"),
    *("agreement.table_downloaded", "agreement.routing_downloaded"),
)
_ONE_LINE_A = timedelta(minutes=1)  # for a program that asks again and again
# Of an address, what other facts tell, and what chooses no figures.
_TOLD_ELSEWHERE = {"values", "slice", "chart", "table", "as", "drawn", "revision", "page"}
# Choices among keys and numbers of the study or of Concord. Others may name people.
_SAID_PLAINLY = {
    *("criterion", "judge", "reference", "statistic", "statistic_of", "level", "cut", "method"),
    *("policy", "target", "signal", "alpha", "passed", "misses", "audit", "intervals"),
    *("width", "reach", "week"),
}
_KEY_OR_NUMBER = re.compile(r"[\w.:+-]{1,64}", re.ASCII)
_NAME = re.compile(r"[a-z_]{1,32}")
_MOST_CHOICES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class FiguresTaken:
    """Which figures somebody takes, and of which revision (of slices it is not noted).

    `choices` are those of the address, {name: every value}; `more` are facts of these figures alone;
    `chart`: the description, where it is one; `sealed`: the figures of what leaves word for word.
    """

    study_access: StudyAccess
    name: str
    view: View
    revision: int | None
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    more: Mapping[str, object] = field(default_factory=dict)
    chart: Spec | None = None
    sealed: Sequence[Estimate | None] = ()

    @property
    def subject(self) -> str:
        return _subject(self.study_access)

    @property
    def facts(self) -> dict[str, object]:
        """`veiled`: whether people stand under pseudonyms."""
        return {
            "figures": self.name,
            "revision": self.revision,
            "with_off_scale": self.view.with_off_scale,
            "with_quarantined": self.view.with_quarantined,
            "slice": self.view.within,
            "chosen": dict(list(_chosen(self.choices))[:_MOST_CHOICES]),
            "veiled": veil_of(self.study_access) is not None,
            **self.more,
        }


def as_file(
    taken: FiguresTaken, *, by: User, at: datetime, verb: str = "figures.downloaded"
) -> None:
    """A table, a chart or a verdict leaves; PermissionDenied says why it may not."""
    _let_leave(taken, by=by)
    events.record(verb, subject=taken.subject, by=by, at=at, facts=taken.facts)


def by_program(taken: FiguresTaken, *, by: User, at: datetime) -> None:
    """A program is told; the same again within a minute is no line of its own. PermissionDenied."""
    _let_leave(taken, by=by)
    events.record_unless_recent(
        "figures.read",
        subject=taken.subject,
        by=by,
        at=at,
        facts=taken.facts,
        within=_ONE_LINE_A,
    )


def table(found: Table, study_access: StudyAccess) -> Table:
    """A table as it leaves for this account."""
    return found if takes_small_cells(study_access) else without_small_cells(found)


def report(made: Report, study_access: StudyAccess) -> Report:
    """The report of agreement as it leaves for this account."""
    return made if takes_small_cells(study_access) else report_without_small_cells(made)


def takes_small_cells(study_access: StudyAccess) -> bool:
    """Whether figures leave for this account with what rests on few items."""
    return veil_of(study_access) is None


def reason_to_wait(study_access: StudyAccess, *, by: User) -> Sentence | None:
    """Say why no figures leave for this account now, whichever they are, or None."""
    if takes_small_cells(study_access):
        return None
    reason = rulings.reason_to_wait(study_access.study, recipient=by.pk)
    return reason or _reason_of_difference(study_access, by=by)


def reason_to_keep_chart(chart: Spec, study_access: StudyAccess) -> Sentence | None:
    """Say that a chart shows something about few items, or None. A point that was left out would
    leave a gap where it is, so the whole stays."""
    if takes_small_cells(study_access) or not has_small_mark(chart):
        return None
    return sentence(
        "A point of this chart rests on fewer than {least} items, so the chart stays here. In the "
        "files of tables only what is small is left out.",
        least=LEAST_ITEMS,
    )


def chart_kept(chart: Spec, study_access: StudyAccess) -> str:
    """The same in the reader's language, or nothing."""
    return said(reason) if (reason := reason_to_keep_chart(chart, study_access)) else ""


def _let_leave(taken: FiguresTaken, *, by: User) -> None:
    if reason := _reason_to_keep(taken, by=by):
        raise Barred(reason)


def _reason_to_keep(taken: FiguresTaken, *, by: User) -> Sentence | None:
    """Say why these figures do not leave for this account now, or None."""
    kept = reason_to_keep_chart(taken.chart, taken.study_access) if taken.chart else None
    return (
        reason_to_wait(taken.study_access, by=by)
        or kept
        or _reason_to_keep_slice(taken)
        or _reason_to_keep_sealed(taken)
    )


def _reason_to_keep_slice(taken: FiguresTaken) -> Sentence | None:
    within = taken.view.within
    if not within or takes_small_cells(taken.study_access):
        return None
    if not gives_back_few(taken.study_access.study.pk, within):
        return None
    return sentence(
        "Fewer than {least} items lie outside the slices of this attribute, and their figures "
        "could be worked out from those of the whole. So the files of the smallest slice stay "
        "here.",
        least=LEAST_ITEMS,
    )


def _reason_to_keep_sealed(taken: FiguresTaken) -> Sentence | None:
    if takes_small_cells(taken.study_access) or not left_out_of_card(taken.sealed):
        return None
    return sentence(
        "A figure in these verdicts rests on fewer than {least} items. Verdicts leave as they "
        "were sealed or not at all, so the file stays here.",
        least=LEAST_ITEMS,
    )


def _reason_of_difference(study_access: StudyAccess, *, by: User) -> Sentence | None:
    """Say that what this account took before differs from this by the answers of few people, or None."""
    before = (
        Event.objects.filter(subject=_subject(study_access), actor=by, verb__in=TAKEN)
        .order_by("-pk")
        .first()
    )
    if before is None:
        return None
    since = Submission.objects.filter(
        study=study_access.study, rater__kind=RaterKind.HUMAN, submitted_at__gt=before.at
    )
    n = since.values("rater").distinct().count()
    if not 0 < n < LEAST_PEOPLE:
        return None
    return sentence(
        "Since you took figures on {day}, fewer than {least} people have answered: the "
        "difference would show what they answered. It may leave when more people have.",
        day=before.at.date().isoformat(),
        least=LEAST_PEOPLE,
    )


def _subject(study_access: StudyAccess) -> str:
    return f"study:{study_access.study.pk}"


def _chosen(choices: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, list[str]]]:
    """What an address chooses, by name; what may be somebody's name or any text by its hash."""
    for name, values in sorted(choices.items()):
        if name not in _TOLD_ELSEWHERE and _NAME.fullmatch(name):
            yield name, [_said(name, value) for value in values[:_MOST_CHOICES]]


def _said(name: str, value: str) -> str:
    if name in _SAID_PLAINLY and (not value or _KEY_OR_NUMBER.fullmatch(value)):
        return value
    return f"sha256:{hashlib.sha256(value.encode()).hexdigest()}"
