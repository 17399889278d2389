"""Words in what was answered: in a run or in all of a study, for whom it may be told."""

from datetime import datetime

from django.core.paginator import Page, Paginator
from django.db.models import Exists, Func, OuterRef, Q, QuerySet, TextField

from annotation.models import Item
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import held_out, reader_of
from annotation.rules.visibility import reason_to_withhold_judges
from judging.models import (
    AnswerPieces,
    BatchState,
    CallState,
    JudgeCall,
    JudgeRun,
    LLMBatch,
    RunState,
)
from judging.rules.searching import pieces

LONGEST_WORDS = 200  # characters
CALLS_ON_A_PAGE = 50
_AROUND = 80  # characters on either side of words that were looked for


class _Said(Func):
    """The texts of all answers of a call, with single blanks."""

    template = (
        r"regexp_replace(array_to_string(array(SELECT jsonb_path_query(%(expressions)s, "
        r"'$[*].text') #>> '{}'), ' '), '\s+', ' ', 'g')"
    )
    output_field = TextField()


def words_asked(raw: object) -> str:
    """What somebody looks for, as it is looked for."""
    return " ".join(str(raw or "").replace("\x00", "").split())[:LONGEST_WORDS]


def saying(
    calls: QuerySet[JudgeCall], words: str, study_access: StudyAccess
) -> QuerySet[JudgeCall]:
    """Those in whose answers words stand, of all whose answers an account is told."""
    told = _told(calls, study_access).annotate(said=_Said("exchanges"))
    return told.filter(said__icontains=words)


def found_in_study(study_access: StudyAccess, *, words: str) -> QuerySet[JudgeCall]:
    """The calls of all runs in whose answers words stand, of the newest run first.

    What is in the index is found by its pieces; runs that go on, and words without a piece, are
    looked through.
    """
    study = study_access.study
    calls = JudgeCall.objects.filter(run__study=study, state=CallState.DONE)
    if wanted := pieces(words):
        of_runs = JudgeRun.objects.filter(study=study)
        has_pieces = Exists(AnswerPieces.objects.filter(run=OuterRef("pk")))
        others = list(of_runs.exclude(has_pieces).values_list("pk", flat=True))
        known = AnswerPieces.objects.filter(pieces__contains=sorted(wanted)).values("call")
        calls = calls.filter(Q(pk__in=known) | Q(run__in=others) if others else Q(pk__in=known))
    found = saying(calls, words, study_access).select_related("item", "second", "run__judge__rater")
    return found.order_by("-run", "repeat", "position", "pk")


def runs_to_index(*, ended_before: datetime) -> QuerySet[JudgeRun]:
    """Runs that are over and whose answers are not in the index, of which there are some."""
    has_pieces = Exists(AnswerPieces.objects.filter(run=OuterRef("pk")))
    was_answered = Exists(_answered().filter(run=OuterRef("pk")))
    under_way = Exists(LLMBatch.objects.filter(run=OuterRef("pk")).exclude(state=BatchState.ENDED))
    over = JudgeRun.objects.filter(state=RunState.FINISHED, finished_at__lt=ended_before)
    return over.filter(was_answered, ~has_pieces, ~under_way).order_by("pk")


def answered_in(run: JudgeRun) -> QuerySet[JudgeCall]:
    return _answered().filter(run=run)


def _answered() -> QuerySet[JudgeCall]:
    return JudgeCall.objects.filter(state=CallState.DONE).exclude(exchanges=[])


def page_of(calls: QuerySet[JudgeCall], *, page: str) -> Page[JudgeCall]:
    return Paginator(calls, CALLS_ON_A_PAGE).get_page(page)


def passage_with(words: str, call: JudgeCall) -> str:
    """Where words stand in what was answered, with some of it around them."""
    for exchange in call.exchanges:
        text = " ".join(exchange["text"].split())
        if (place := text.casefold().find(words.casefold())) >= 0:
            first, last = max(0, place - _AROUND), place + len(words) + _AROUND
            return f"{'…' * (first > 0)}{text[first:last]}{'…' * (last < len(text))}"
    return ""


def may_search(study_access: StudyAccess) -> bool:
    """Whether anything is told of what judges answered."""
    return reason_to_withhold_judges(reader_of(study_access)) is None


def _told(calls: QuerySet[JudgeCall], study_access: StudyAccess) -> QuerySet[JudgeCall]:
    """Those whose answers an account may be told; what generators wrote is no judge's."""
    study, reader = study_access.study, reader_of(study_access)
    if reason_to_withhold_judges(reader):
        calls = calls.exclude(run__generation=None)
    visible = Item.objects.visible_to(study_access.access).filter(study=study).values("pk")
    told = calls.filter(Q(second=None) | Q(second__in=visible), item__in=visible)
    if reason_to_withhold_judges(reader, is_held_out=True):
        apart = held_out(study).values("item")
        told = told.exclude(item__in=apart).exclude(second__in=apart)
    return told
