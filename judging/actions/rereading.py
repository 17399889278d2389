"""Read stored answers again after the parser has changed: nothing is asked, nothing overwritten.

A call whose answers now say something else gets new ratings that supersede its former ones, which
stay. Calls that the endpoint failed, and those whose questions can no longer be told from their
prompts, stay as they are.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import NAMESPACE_URL, uuid5

from django.db.models import QuerySet

from accounts.models import User
from annotation.actions import recording
from annotation.actions.recording import AnswerSet
from annotation.models import Origin, Rating, Study, Submission
from annotation.queries.grounds import grounds_of
from annotation.readers.values import Value
from annotation.rubric.grounds import Grounds
from judging import parsing
from judging.actions.calls import first_reason, value_of
from judging.models import CallReading, CallState, JudgeCall
from judging.queries.runs import interview_of, item_text
from judging.rules.outcomes import Outcome

_AT_A_TIME = 500
_UNANSWERED = {Outcome.TOO_LONG, Outcome.REQUEST_REFUSED, Outcome.ENDPOINT_ERROR}

Given = tuple[str | None, int | None, str]  # label, score, why there is neither


@dataclass(frozen=True, slots=True, kw_only=True)
class Rereading:
    """What reading again comes to: calls read, those that say something else now, those whose
    questions are not known; and how often (criterion, before, after) occurs among ratings."""

    calls: int = 0
    changed: int = 0
    unknown: int = 0
    changes: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def __add__(self, other: "Rereading") -> "Rereading":
        return Rereading(
            calls=self.calls + other.calls,
            changed=self.changed + other.changed,
            unknown=self.unknown + other.unknown,
            changes=self.changes + other.changes,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reread:
    call: JudgeCall
    submission: Submission
    before: Mapping[str, Given]
    values: Sequence[Value]
    outcome: Outcome
    beside_before: Sequence[Grounds]
    beside: Sequence[Grounds]

    @property
    def changes(self) -> Iterator[tuple[str, str, str]]:
        for value in self.values:
            before, after = self.before.get(value.criterion), _given(value)
            if before != after:
                yield value.criterion, _in_words(before), _in_words(after)
        said = {one.criterion: one for one in self.beside_before}
        says = {one.criterion: one for one in self.beside}
        for criterion in {**said, **says}:
            if said.get(criterion) != says.get(criterion):
                yield criterion, _beside(said.get(criterion)), _beside(says.get(criterion))


def preview(*, study: Study) -> Rereading:
    """Say what reading again would change."""
    total = Rereading()
    for calls in _batches(_outdated(study)):
        total += _summary(calls, _read(calls))
    return total


def reread(*, study: Study, by: User | None, at: datetime) -> Rereading:
    """Read every answer again that an earlier edition of the parser read, in one change."""
    total = Rereading()
    with recording.change(study_id=study.pk) as change:
        for calls in _batches(_outdated(study).select_for_update(of=("self",))):
            found = _read(calls)
            changed = [one for one in found if any(one.changes)]
            submissions = _store(change, changed)
            _keep(found, submissions, by, at)
            total += _summary(calls, found)
        change.record(
            "judge_calls.reread",
            subject=f"study:{study.pk}",
            by=by,
            at=at,
            facts={"edition": parsing.EDITION, "calls": total.calls, "changed": total.changed},
        )
    return total


def _batches(calls: QuerySet[JudgeCall]) -> Iterator[list[JudgeCall]]:
    """Some calls at a time: each holds its answers."""
    ids = list(calls.values_list("pk", flat=True))
    for first in range(0, len(ids), _AT_A_TIME):
        yield list(calls.filter(pk__in=ids[first : first + _AT_A_TIME]))


def _store(change: recording.Recording, changed: Sequence[_Reread]) -> dict[int, Submission]:
    """Store what is read now in the place of what was read before; {call: submission}."""
    stored: dict[int, Submission] = {}
    for version in {one.call.run.rubric_version_id for one in changed}:
        rows = [one for one in changed if one.call.run.rubric_version_id == version]
        made = change.store(
            [_answers(one) for one in rows], origin=Origin.JUDGE, rubric_version=version
        )
        stored |= {one.call.pk: each for one, each in zip(rows, made, strict=True)}
    return stored


def _outdated(study: Study) -> QuerySet[JudgeCall]:
    return (
        JudgeCall.objects.filter(
            run__study=study, state=CallState.DONE, submission__is_current=True
        )
        .exclude(parser_edition=parsing.EDITION)
        .exclude(outcome__in=[each.value for each in _UNANSWERED])
        .exclude(exchanges=[])
        .select_related(
            *("item__dialogue", "submission", "run__judge__rater", "run__judge__template"),
            "run__rubric_version__rubric",
        )
        .order_by("pk")
    )


def _read(calls: Sequence[JudgeCall]) -> list[_Reread]:
    before = _before(calls)
    said = grounds_of([call.submission_id for call in calls if call.submission_id is not None])
    interviews = {call.run_id: interview_of(call.run) for call in calls}
    found = []
    for call in calls:
        interview, item = interviews[call.run_id], item_text(call.item)
        concluded = interview.conclude_again(item, call.exchanges)
        if concluded is not None and call.submission is not None:
            found.append(
                _Reread(
                    call=call,
                    submission=call.submission,
                    before=before.get(call.submission.pk, {}),
                    values=[value_of(key, value) for key, value in concluded.items()],
                    outcome=first_reason(concluded.values()),
                    beside_before=said.get(call.submission.pk, ()),
                    beside=interview.beside(item, call.exchanges, concluded),
                )
            )
    return found


def _before(calls: Sequence[JudgeCall]) -> dict[int, dict[str, Given]]:
    """{submission: {criterion: what was read}}."""
    given: dict[int, dict[str, Given]] = {}
    for rating in Rating.objects.filter(submission__in=[call.submission_id for call in calls]):
        said = (rating.label or None, rating.score, rating.unscored)
        given.setdefault(rating.submission_id, {})[rating.criterion_key] = said
    return given


def _answers(reread: _Reread) -> AnswerSet:
    call = reread.call
    return AnswerSet(
        key=uuid5(NAMESPACE_URL, f"concord:judge-call:{call.pk}:{parsing.EDITION}"),
        item=call.item_id,
        rater=call.run.judge.rater_id,
        values=reread.values,
        submitted_at=call.answered_at or call.run.started_at,
        repeat=call.repeat,
        supersedes=reread.submission.pk,
        grounds=reread.beside,
    )


def _keep(
    found: Sequence[_Reread], submissions: Mapping[int, Submission], by: User | None, at: datetime
) -> None:
    """Write down the reading before and the one now, and point the call to the latter."""
    CallReading.objects.bulk_create(
        [_reading(one.call, one.submission, None, one.call.answered_at or at) for one in found],
        ignore_conflicts=True,
    )
    for one in found:
        one.call.parser_edition = parsing.EDITION
        one.call.outcome = one.outcome.value
        one.call.submission = submissions.get(one.call.pk, one.submission)
    JudgeCall.objects.bulk_update(
        [one.call for one in found], ["submission", "outcome", "parser_edition"]
    )
    CallReading.objects.bulk_create(
        [_reading(one.call, submissions.get(one.call.pk, one.submission), by, at) for one in found]
    )


def _reading(call: JudgeCall, submission: Submission, by: User | None, at: datetime) -> CallReading:
    return CallReading(
        call=call,
        edition=call.parser_edition,
        outcome=call.outcome,
        submission=submission,
        read_at=at,
        read_by=by,
    )


def _summary(calls: Sequence[JudgeCall], found: Sequence[_Reread]) -> Rereading:
    return Rereading(
        calls=len(calls),
        changed=sum(any(one.changes) for one in found),
        unknown=len(calls) - len(found),
        changes=Counter(change for one in found for change in one.changes),
    )


def _given(value: Value) -> Given:
    return (value.label or None, value.score, value.unscored)


def _beside(grounds: Grounds | None) -> str:
    """What was said beside a value, in few words: how sure, what else, how much is quoted."""
    if grounds is None:
        return "—"
    parts = [f"?{grounds.confidence}"] if grounds.confidence else []
    parts += [f"/{value}" for value in grounds.defensible]
    parts += [f"“{len(grounds.evidence)}”"] if grounds.evidence else []
    parts += [f"“{len(grounds.unverified)}”?"] if grounds.unverified else []
    return " ".join([*parts, *(["…"] if grounds.rationale else [])])


def _in_words(given: Given | None) -> str:
    if given is None:
        return "—"
    label, score, unscored = given
    return label or (f"[{unscored}]" if unscored else str(score))
