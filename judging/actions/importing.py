"""Bring in answers that LLMs gave elsewhere, as calls of a judge, and read them as its own."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from django.utils.translation import gettext

from accounts.models import User
from annotation.actions.imports.refusals import (
    CannotImport,
    refuse_counting_from_1,
    without_problems,
)
from annotation.actions.imports.running import ImportReport, run_import, take_all
from annotation.actions.recording import Recording
from annotation.models import Item, Study
from annotation.queries.visibility import held_out
from annotation.readers.problems import FileProblem, FileReason
from annotation.readers.records import Source
from annotation.rubric.sentences import Sentence, sentence
from judging.actions import calls, holding_out, judges
from judging.actions.judges import Settings
from judging.interviews import Interview
from judging.models import JudgeCall, JudgeRun, RunState
from judging.queries.holding_out import is_of_hold_out
from judging.queries.runs import interview_of
from judging.recorded import RECORDED
from judging.recorded.completions import Completion
from judging.recorded.files import RecordedLayout, completions_in, layout_of
from judging.rules.outcomes import Outcome

Watch = Callable[[Iterable[Completion]], Iterable[Completion]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedJudge:
    """Whose answers they are and how they were asked; without `llm` the file says whose."""

    llm: str = ""
    language: str = "en"
    as_json: bool = False
    own_generators: frozenset[str] = field(default_factory=frozenset)


@dataclass(slots=True, kw_only=True)
class CompletionsReport(ImportReport):
    """What a file of answers came to: calls, how they ended, and the runs made for them."""

    verb: ClassVar[str] = "completions.imported"

    outcomes: Counter[str] = field(default_factory=Counter)
    runs: list[int] = field(default_factory=list)
    llms: set[str] = field(default_factory=set)
    tells_outcomes: bool = True  # not while the judges of the study are under letters

    def shown(self) -> dict[str, object]:
        read = self.outcomes[Outcome.RATED.value]
        told = {"read": read, "unread": self.new - read} if self.tells_outcomes else {}
        return {**ImportReport.shown(self), "llms": sorted(self.llms), **told}

    def facts(self) -> dict[str, str | int]:
        return {**ImportReport.facts(self), "runs": ", ".join(map(str, self.runs))}


def import_completions(
    *,
    study_id: int,
    source: Source,
    judge: RecordedJudge,
    by: User | None,
    at: datetime,
    layout: RecordedLayout | None = None,
    by_position: bool = False,
    skip_bad: bool = False,
    dry_run: bool = False,
    watch: Watch = iter,
) -> CompletionsReport:
    """Add the answers of a file to a study: all of them or, if one is wrong, nothing.

    An answer that is there already is passed over, so a file may come again. With `by_position`
    the file counts items from 0 in the order of the study, instead of naming their keys.
    """

    def read(study: Study, change: Recording) -> CompletionsReport:
        known = layout or layout_of(source)
        report = CompletionsReport(layout=known.value, tells_outcomes=not study.judges_are_blinded)
        bringing = _Bringing(study, change, judge, report, by, at, by_position=by_position)
        rows = without_problems(completions_in(source, known), report.problems)
        take_all(watch(rows), bringing.take, report=report)
        refuse_counting_from_1(
            bringing.named - bringing.items.keys(),
            is_item=bringing.items.__contains__,
            is_named=bringing.named.__contains__,
        )
        report.first = []
        return report

    return run_import(
        study_id=study_id, read=read, by=by, at=at, skip_bad=skip_bad, dry_run=dry_run
    )


def import_answers(options: Mapping[str, object], **given: Any) -> CompletionsReport:
    """The same for an uploaded file; `options` are what the form of its page asked."""
    own = (source.strip() for source in str(options["own_sources"]).split(","))
    return import_completions(
        judge=RecordedJudge(
            llm=str(options["llm"]),
            language=str(options["language"]) or "en",
            as_json=bool(options["as_json"]),
            own_generators=frozenset(source for source in own if source),
        ),
        by_position=bool(options["by_position"]),
        **given,
    )


class _Bringing:
    """The answers of one file on their way into a study, batch by batch."""

    def __init__(
        self,
        study: Study,
        change: Recording,
        judge: RecordedJudge,
        report: CompletionsReport,
        by: User | None,
        at: datetime,
        *,
        by_position: bool,
    ) -> None:
        self.study, self.change, self.judge = study, change, judge
        self.report, self.by, self.at = report, by, at
        items = list(Item.objects.filter(study=study).order_by("position", "pk"))
        self.items = {
            str(number) if by_position else item.key: item for number, item in enumerate(items)
        }
        self.named: set[str] = set()
        self.runs: dict[str, JudgeRun] = {}
        self.interviews: dict[str, Interview] = {}
        self.there: dict[str, dict[tuple[int, int], str]] = {}
        self.given: Counter[tuple[str, str]] = Counter()

    def take(self, batch: Sequence[Completion]) -> None:
        new: dict[str, list[JudgeCall]] = {}
        for completion in batch:
            llm = self.judge.llm or completion.llm
            if not llm:
                raise CannotImport(
                    sentence("The file does not say which LLM answered. Name the LLM as well.")
                )
            if call := self._call(llm, completion):
                new.setdefault(llm, []).append(call)
        for llm, made in new.items():
            calls.keep_recorded(
                self.change,
                run=self.runs[llm],
                interview=self.interviews[llm],
                calls=made,
                at=self.at,
            )
            self._count_use(self.runs[llm], made)
            self.report.new += len(made)
            self.report.outcomes.update(call.outcome for call in made)

    def _call(self, llm: str, completion: Completion) -> JudgeCall | None:
        """The call that an answer makes, or None where it is there already or cannot be one."""
        item = self.items.get(completion.item)
        self.named.add(completion.item)
        if item is None:
            self._refuse(completion, "item", FileReason.UNKNOWN_ITEM, _NO_SUCH_ITEM)
            return None
        if not (item.reply or "").strip():
            self._refuse(completion, "item", FileReason.EMPTY_REPLY, _NO_REPLY)
            return None
        self.given[llm, completion.item] += 1
        repeat = completion.repeat or self.given[llm, completion.item]
        there = self._there(llm)
        if (before := there.get((item.pk, repeat))) is not None:
            if before == completion.text:
                self.report.unchanged += 1
            else:
                self._refuse(completion, "", FileReason.OTHER_CONTENT, _ANOTHER_ANSWER)
            return None
        there[item.pk, repeat] = completion.text
        return JudgeCall(
            run=self._run(llm, repeat),
            item=item,
            repeat=repeat,
            position=item.position,
            attempts=1,
            exchanges=[completion.exchange],
            answered_at=completion.answered_at,
        )

    def _count_use(self, run: JudgeRun, made: Sequence[JudgeCall]) -> None:
        """Answers from elsewhere about what is held out are a use of it, whoever asked for them."""
        apart = held_out(self.study).filter(item__in=[call.item_id for call in made])
        items = list(apart.values_list("item", flat=True))
        if items and not is_of_hold_out(run):
            because = gettext("Answers that were recorded elsewhere were imported.")
            holding_out.spend(run=run, items=items, reason=because, by=self.by, at=self.at)

    def _refuse(self, completion: Completion, name: str, reason: FileReason, why: Sentence) -> None:
        self.report.problems.add(FileProblem(completion.place, name, reason, why))

    def _there(self, llm: str) -> dict[tuple[int, int], str]:
        """{(item, repeat): what the judge answered} as far as the study has it already."""
        if llm not in self.there:
            rows = JudgeCall.objects.filter(
                run__study=self.study, run__judge__in=[self._judge(llm)]
            ).values_list("item", "repeat", "exchanges__0__text")
            self.there[llm] = {(item, repeat): text for item, repeat, text in rows}
        return self.there[llm]

    def _judge(self, llm: str) -> int:
        self.report.llms.add(llm)
        return judges.edition_of(
            Settings(
                llm=llm,
                base_url="",
                language=self.judge.language,
                as_json=self.judge.as_json,
                prompt_edition=RECORDED,
                own_generators=self.judge.own_generators,
            ),
            at=self.at,
        ).pk

    def _run(self, llm: str, repeat: int) -> JudgeRun:
        """The run that holds the new answers of one LLM: made once there is one, and finished."""
        if llm not in self.runs:
            run = JudgeRun.objects.create(
                study=self.study,
                judge_id=self._judge(llm),
                rubric_version_id=self.study.rubric_version_id,
                repeats=repeat,
                concurrency=1,
                state=RunState.FINISHED,
                started_at=self.at,
                started_by=self.by,
                authority=self.by,
                finished_at=self.at,
            )
            self.runs[llm], self.interviews[llm] = run, interview_of(run)
            self.report.runs.append(run.pk)
        run = self.runs[llm]
        if repeat > run.repeats:
            run.repeats = repeat
            run.save(update_fields=["repeats"])
        return run


_NO_SUCH_ITEM = sentence("The study has no such item.")
_NO_REPLY = sentence("The item has no reply to rate.")
_ANOTHER_ANSWER = sentence("This judge has given another answer to the same item and repeat.")
