"""Jobs of workers as the account that asked for them sees them, or all for whom something is made."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.http import Http404

from accounts.models import User
from annotation.models import FileJob, JobKind, RaterKind, Study
from annotation.models.jobs import FOR_ALL, UNDER_WAY
from annotation.queries import readers
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.readers.values import UNSCORED
from annotation.rubric.sentences import from_json
from annotation.rules.lifecycle import JobState

PLACES_NAMED = 5
_A_LONG_WAIT = timedelta(seconds=20)


ANSWERS = "answers"  # files of what LLMs answered elsewhere


class NoSuchJob(Http404):
    """This account asked for no such job in this study, and it is not for all; or it is forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStatus:
    """A job, and how it stands at one moment."""

    job: FileJob
    at: datetime

    @property
    def number(self) -> str:
        """By which an address names it."""
        return str(self.job.pk)

    @property
    def is_under_way(self) -> bool:
        return self.job.is_under_way

    @property
    def is_waiting(self) -> bool:
        return self.job.state == JobState.WAITING

    @property
    def is_done(self) -> bool:
        return self.job.state == JobState.DONE

    @property
    def is_cancelled(self) -> bool:
        return self.job.state == JobState.CANCELLED

    @property
    def came_to_nothing(self) -> bool:
        return not (self.is_under_way or self.is_done)

    @property
    def is_import(self) -> bool:
        return self.job.kind == JobKind.IMPORT

    @property
    def is_check(self) -> bool:
        return self.job.kind == JobKind.CHECK

    @property
    def is_report(self) -> bool:
        return self.job.kind == JobKind.REPORT

    @property
    def is_verification(self) -> bool:
        return self.job.kind == JobKind.VERIFICATION

    @property
    def counts_rows(self) -> bool:
        """Whether its worker goes through rows; else it counts steps of its own."""
        return self.job.kind not in FOR_ALL

    @property
    def is_being_cancelled(self) -> bool:
        return self.is_under_way and self.job.cancel_asked_at is not None

    @property
    def is_kept_waiting(self) -> bool:
        """Longer than a free worker would let it wait."""
        return self.is_waiting and self.at - self.job.asked_at > _A_LONG_WAIT

    @property
    def is_begun_again(self) -> bool:
        return self.is_under_way and self.job.attempts > (0 if self.is_waiting else 1)

    @property
    def percent(self) -> int | None:
        """How much of it is done, where it is known how much there is."""
        total = self.job.total
        return min(100, 100 * self.job.done // total) if total else None

    @property
    def refusal(self) -> str:
        """Why nothing came of it, in the language of the page."""
        return said(from_json(self.job.reason)) if self.job.reason else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidProblem:
    """A bad row: where it stands, and what to do."""

    place: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidCause:
    """What is wrong with so many rows, and the first of them."""

    field: str
    count: int
    first: list[SaidProblem]

    @property
    def places(self) -> list[str]:
        return [one.place for one in self.first[:PLACES_NAMED]]

    @property
    def words(self) -> str:
        return self.first[0].words


def may_bring(study_access: StudyAccess, what: str) -> bool:
    """Whether an account may import files of this sort: answers of judges take more than others."""
    return study_access.may_coordinate and (what != ANSWERS or study_access.may_run_judges)


def status_of(study_access: StudyAccess, job_id: int, *, at: datetime) -> JobStatus:
    """One job of the account's own, or of those for all who see the figures; NoSuchJob."""
    theirs = Q(asked_by=study_access.access.user_id)
    if readers.reason_not_to_see(study_access) is None:
        theirs |= Q(kind__in=FOR_ALL)
    found = FileJob.objects.select_related("follows").filter(theirs, study=study_access.study)
    job = found.filter(pk=job_id).first()
    if job is None:
        raise NoSuchJob
    return JobStatus(job=job, at=at)


def jobs_under_way(study: Study, what: str, *, asked_by: int, at: datetime) -> list[JobStatus]:
    """What a worker does, or will do, for an account with files of this sort."""
    found = FileJob.objects.filter(study=study, asked_by=asked_by, what=what, state__in=UNDER_WAY)
    return [JobStatus(job=job, at=at) for job in found.order_by("-pk")]


def newest_job(study: Study, what: str, *, asked_by: int, at: datetime) -> JobStatus | None:
    """What an account asked for last, until it is forgotten."""
    found = FileJob.objects.filter(study=study, asked_by=asked_by, what=what)
    job = found.order_by("-pk").first()
    return JobStatus(job=job, at=at) if job else None


def newest_for_all(study: Study, kind: JobKind, what: str, *, at: datetime) -> JobStatus | None:
    """What somebody asked for last on behalf of all, until it is forgotten."""
    job = FileJob.objects.filter(study=study, kind=kind, what=what).order_by("-pk").first()
    return JobStatus(job=job, at=at) if job else None


def asked_by(study: Study, what: str, *, by: User) -> QuerySet[FileJob]:
    """What an account asked for with files of this sort, newest first, until it is forgotten."""
    return FileJob.objects.filter(study=study, asked_by=by, what=what).order_by("-pk")


def imported_by(check: FileJob) -> FileJob | None:
    """The import of a file that was checked, under way or done."""
    return check.followed_by.filter(state__in=[*UNDER_WAY, JobState.DONE]).first()


def shown_result(job: FileJob) -> Mapping[str, Any]:
    """What a worker found in a file, in the language of the page; empty before it is done."""
    if not job.result:
        return {}
    result: dict[str, Any] = job.result
    return result | {
        "causes": [_said_cause(cause) for cause in job.result["causes"]],
        "doubts": [
            one | {"words": said(from_json(one["words"]))} for one in job.result.get("doubts", ())
        ],
        "reasons": _said_reasons(job.result.get("unscored", {})),
        "new_raters": [
            {"key": one["key"], "kind": RaterKind(one["kind"]).label}
            for one in job.result.get("new_raters", ())
        ],
    }


def _said_cause(cause: Mapping[str, Any]) -> SaidCause:
    return SaidCause(
        field=cause["field"],
        count=cause["count"],
        first=[_said_problem(one) for one in cause["first"]],
    )


def _said_problem(one: Mapping[str, Any]) -> SaidProblem:
    return SaidProblem(place=said(from_json(one["place"])), words=said(from_json(one["sentence"])))


def _said_reasons(unscored: Mapping[str, int]) -> list[tuple[str, int]]:
    """(why there is no value, how often), most frequent first."""
    ordered: Iterable[tuple[str, int]] = sorted(unscored.items(), key=lambda pair: -pair[1])
    return [(said(UNSCORED[reason]), count) for reason, count in ordered]
