"""Calls of a run by program: listed, looked at, and read by a person where the parser could not."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.answering import taken
from accounts.api.described import described
from accounts.api.once import once
from accounts.api.paging import PAGE_PARAMETERS, page_of, paged_rows
from accounts.gate import ApiRequest, Scope
from annotation.actions.viewing import items_listed
from annotation.api.saying import refusing
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from judging.actions import handreading, viewing
from judging.queries import searching, showing, wording
from judging.queries.entering import run_by, seen_by

if TYPE_CHECKING:
    from judging.models import JudgeCall, JudgeRun


class CallSerializer(serializers.Serializer[Any]):
    """A call that was made, and how it ended; `second`: the other item where two are compared."""

    id = serializers.IntegerField(source="pk")
    item = serializers.CharField(source="item.key")
    second = serializers.CharField(source="second.key", allow_null=True, default=None)
    repeat = serializers.IntegerField()
    outcome = serializers.CharField()
    attempts = serializers.IntegerField()
    answered_at = serializers.DateTimeField()


class UnreadSerializer(serializers.Serializer[Any]):
    """A criterion that the parser found no value for, and the values that a person may read there."""

    criterion = serializers.CharField()
    values = serializers.ListField(child=serializers.CharField())


class HandReadingSerializer(serializers.Serializer[Any]):
    """What a person read in an answer; no figure of the judge knows it."""

    criterion = serializers.CharField(source="criterion_key")
    value = serializers.SerializerMethodField()
    read_at = serializers.DateTimeField()

    def get_value(self, reading: Any) -> str:
        return str(reading.label if reading.score is None else reading.score)


class CallToldSerializer(serializers.Serializer[Any]):
    """A call with what came back; `withheld`: why that is not told."""

    call = CallSerializer()
    withheld = serializers.CharField()
    texts = serializers.ListField(child=serializers.CharField())
    unread = UnreadSerializer(many=True)
    by_hand = HandReadingSerializer(many=True)


class ReadingGiven(serializers.Serializer[Any]):
    criterion = serializers.CharField(max_length=100)
    value = serializers.CharField(max_length=200)


class WordsGiven(serializers.Serializer[Any]):
    """What is looked for, as it was written, without regard to case; and which page of what is found."""

    words = serializers.CharField(max_length=searching.LONGEST_WORDS)
    page = serializers.IntegerField(default=1, min_value=1)


class AnswerFoundSerializer(serializers.Serializer[Any]):
    """A call in whose answers the words stand, with some of what stands around them."""

    run = serializers.IntegerField()
    judge = serializers.CharField()
    call = CallSerializer()
    passage = serializers.CharField()


class AnswersFoundSerializer(serializers.Serializer[Any]):
    count = serializers.IntegerField()
    page = serializers.IntegerField()
    pages = serializers.IntegerField()
    results = AnswerFoundSerializer(many=True)


class Calls(APIView):
    @described(
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter(
                "outcome",
                str,
                description="One outcome, `unscored`, or `waiting`: for a person to read it.",
            ),
        ],
        responses=page_of(CallSerializer),
    )
    def get(self, request: ApiRequest, key: str, run_id: int) -> Response:
        """The calls of a run that were made."""
        study_access = seen_by(request, key)
        found = showing.calls_with(
            _run(study_access, run_id), request.query_params.get("outcome", "")
        )

        def told(shown: list["JudgeCall"]) -> list["JudgeCall"]:
            items_listed(
                study_id=study_access.study.pk,
                items=[one.item_id for one in shown],
                by=request.user,
                at=timezone.now(),
            )
            return shown

        return paged_rows(request, found, CallSerializer, told=told)


class AnswersFound(APIView):
    scope = Scope.READ

    @described(request=WordsGiven, responses=AnswersFoundSerializer)
    def post(self, request: ApiRequest, key: str) -> Response:
        """The calls of all runs in whose answers words stand, of the newest run first. They are posted,
        as words in an address would end in logs."""
        study_access = seen_by(request, key)
        given = taken(WordsGiven, request)
        words = searching.words_asked(given["words"])
        found = searching.found_in_study(study_access, words=words)
        page = searching.page_of(found, page=str(given["page"]))
        items_listed(
            study_id=study_access.study.pk,
            items=[one.item_id for one in page],
            by=request.user,
            at=timezone.now(),
        )
        lines = [
            {
                "run": one.run_id,
                "judge": one.run.judge.rater.key,
                "call": one,
                "passage": searching.passage_with(words, one),
            }
            for one in page
        ]
        pages = {"page": page.number, "pages": page.paginator.num_pages}
        told = {"count": page.paginator.count, **pages, "results": lines}
        return Response(AnswersFoundSerializer(told).data)


class OneCall(APIView):
    @described(responses=CallToldSerializer)
    def get(self, request: ApiRequest, key: str, run_id: int, call_id: int) -> Response:
        """What an LLM answered, word for word, to whom it may be told; each look is noted."""
        shown = _call(seen_by(request, key), run_id, call_id)
        viewing.call_shown(
            call_id=call_id,
            items=[one.pk for one in shown.items],
            by=request.user,
            at=timezone.now(),
        )
        unread = wording.choices_unread(shown)
        return Response(
            CallToldSerializer(
                {
                    "call": shown.call,
                    "withheld": said(shown.withheld) if shown.withheld else "",
                    "texts": [str(one.exchange.get("text") or "") for one in shown.asked],
                    "unread": [
                        {"criterion": key, "values": [value for value, _words in choices]}
                        for key, _name, choices in unread
                    ],
                    "by_hand": shown.by_hand,
                }
            ).data
        )


class ReadByHand(APIView):
    scope = Scope.JUDGE

    @once(request=ReadingGiven, responses={201: HandReadingSerializer})
    def post(self, request: ApiRequest, key: str, run_id: int, call_id: int) -> Response:
        """Keep what a person reads in an answer that the parser could not read."""
        shown = _call(run_by(request, key), run_id, call_id)
        if not shown.asked:
            raise PermissionDenied
        given = taken(ReadingGiven, request)
        if given["criterion"] not in {
            one for one, _name, _choices in wording.choices_unread(shown)
        }:
            raise Http404
        with refusing(handreading.CannotAssign):
            made = handreading.assign(
                call=shown.call,
                criterion_key=given["criterion"],
                raw=given["value"],
                by=request.user,
                at=timezone.now(),
            )
        return Response(HandReadingSerializer(made).data, status=HTTPStatus.CREATED)


def _run(study_access: StudyAccess, run_id: int) -> "JudgeRun":
    return showing.run_of(study_access.study, run_id)


def _call(study_access: StudyAccess, run_id: int, call_id: int) -> showing.CallShown:
    return showing.call_of(_run(study_access, run_id), call_id, study_access)
