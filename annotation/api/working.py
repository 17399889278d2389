"""Rating by program: what comes next, what was submitted, and all that a rater does with an item."""

from functools import partial
from http import HTTPStatus
from typing import Any

from django.http import Http404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.answering import Mistaken, taken
from accounts.api.described import described
from accounts.api.once import once
from accounts.api.paging import PAGE_PARAMETERS, page_of, paged_rows
from accounts.gate import ApiRequest, Scope
from annotation.actions import assignments, disputes, passing_on, submissions, viewing
from annotation.api.saying import refusing
from annotation.api.serializers import (
    CANNOT_JUDGE,
    ProblemSerializer,
    ReceiptSerializer,
    SubmissionSerializer,
    TurnSerializer,
    WorkSerializer,
)
from annotation.queries import caring, work
from annotation.queries import done as queries
from annotation.queries.entering import study_to
from annotation.queries.items import ItemShown, texts_of
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.rubric.answers import Answer
from annotation.rules.completeness import Filled, SaidBeside, fill
from annotation.rules.granting import Action
from annotation.rules.remarks import LONGEST


class CorrectionGiven(SubmissionSerializer):
    """The same, in the place of the submission that it `supersedes`."""

    supersedes = serializers.IntegerField()


class DoneSerializer(serializers.Serializer[Any]):
    """What this account answered to an item, and the decision once it may be seen; `fixed_because`:
    why the answers stay as they are. `changed_too_late_at`: when the round is closed, at what time
    other answers came that do not count, because the item had been decided."""

    assignment = serializers.IntegerField(source="owed.assignment_id")
    round = serializers.IntegerField(source="owed.round_number")
    submission = serializers.IntegerField(source="submission_id")
    submitted_at = serializers.DateTimeField()
    changed_too_late_at = serializers.DateTimeField(allow_null=True)
    answers = serializers.SerializerMethodField()
    comment = serializers.CharField()
    fixed_because = serializers.SerializerMethodField()
    gold = serializers.SerializerMethodField()
    decision = serializers.CharField(allow_null=True)

    def get_answers(self, done: queries.Done) -> dict[str, Any]:
        excused = {key: {CANNOT_JUDGE: reason} for key, reason in done.cannot_judge.items()}
        return {key: _value(answer) for key, answer in done.answers.items()} | excused

    def get_fixed_because(self, done: queries.Done) -> str:
        return said(done.fixed_because) if done.fixed_because else ""

    def get_gold(self, done: queries.Done) -> dict[str, Any]:
        return {key: _value(answer) for key, answer in done.gold.items()}


class ItemDoneSerializer(serializers.Serializer[Any]):
    """The same with the item, and what this account holds against the decision."""

    done = DoneSerializer()
    turns = TurnSerializer(source="item.turns", many=True)
    reply = serializers.CharField(source="item.reply", allow_null=True)
    content_note = serializers.CharField(source="item.content_note")
    dispute = serializers.CharField(source="done.dispute.text", allow_null=True, default=None)
    dispute_answer = serializers.CharField(
        source="done.dispute.answer", allow_null=True, default=None
    )


class PassedOnSerializer(serializers.Serializer[Any]):
    """`is_with_somebody`: whether somebody of the team rates it now; else it waits behind all others."""

    assignment = serializers.IntegerField()
    is_with_somebody = serializers.BooleanField()


class AssignmentSerializer(serializers.Serializer[Any]):
    assignment = serializers.IntegerField()


class ObjectionGiven(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=LONGEST)


class ObjectionSerializer(serializers.Serializer[Any]):
    """What is held against a decision; an adjudicator answers."""

    text = serializers.CharField()
    raised_at = serializers.DateTimeField()


class NextWork(APIView):
    scope = Scope.WORK

    @described(responses={200: WorkSerializer, 204: None})
    def get(self, request: ApiRequest, key: str) -> Response:
        """The item to rate next; 204 when nothing is left."""
        study_access = study_to(request, key, Action.RATE)
        following = work.next_work(
            request.access,
            study_access.study.pk,
            today=caring.start_of_day(timezone.now()),
        )
        if following is None:
            return Response(status=HTTPStatus.NO_CONTENT)
        viewing.assignment_shown(
            assignment_id=following.owed.assignment_id, by=request.user, at=timezone.now()
        )
        return Response(WorkSerializer(following).data)


class DoneView(APIView):
    scope = Scope.WORK

    @described(parameters=PAGE_PARAMETERS, responses=page_of(DoneSerializer))
    def get(self, request: ApiRequest, key: str) -> Response:
        """What this account has rated in a study."""
        study = _rated(request, key).study

        def told(shown: list[queries.Submitted]) -> list[queries.Done]:
            viewing.work_listed(
                study_id=study.pk,
                assignments=[one.pk for one in shown],
                by=request.user,
                at=timezone.now(),
            )
            return queries.as_done(shown)

        found = queries.submitted_in(request.access, study.pk)
        return paged_rows(request, found, DoneSerializer, told=told)


class SubmissionView(APIView):
    scope = Scope.WORK

    @described(request=SubmissionSerializer, responses=ReceiptSerializer)
    def post(self, request: ApiRequest, assignment_id: int) -> Response:
        """Store the answers; the same again gets the same receipt and changes nothing. Others under
        its key are refused."""
        owed, sent = _owed(request, assignment_id), _sent(SubmissionSerializer, request)
        with refusing(submissions.NotTaken):
            receipt = submissions.submit(
                owed=owed, answers=_answers(owed, sent), by=request.user, at=timezone.now()
            )
        return Response(ReceiptSerializer(receipt).data)


class OwnAnswers(APIView):
    scope = Scope.WORK

    @described(responses=ItemDoneSerializer)
    def get(self, request: ApiRequest, assignment_id: int) -> Response:
        """What this account answered to an item; that the item was shown is in the trail."""
        done, item = _done(request, assignment_id)
        viewing.assignment_shown(assignment_id=assignment_id, by=request.user, at=timezone.now())
        return Response(ItemDoneSerializer({"done": done, "item": item}).data)

    @described(request=CorrectionGiven, responses=ReceiptSerializer)
    def put(self, request: ApiRequest, assignment_id: int) -> Response:
        """Answer otherwise while the round is rated; the same again gets the same receipt. What
        comes after the item was decided is kept and does not count: that is told when the round is
        closed."""
        owed, sent = _owed(request, assignment_id), _sent(CorrectionGiven, request)
        with refusing(submissions.NotTaken):
            receipt = submissions.correct(
                owed=owed,
                supersedes=sent.validated_data["supersedes"],
                answers=_answers(owed, sent),
                by=request.user,
                at=timezone.now(),
            )
        return Response(ReceiptSerializer(receipt).data)


class Deferred(APIView):
    scope = Scope.WORK

    @once(request=None, responses=AssignmentSerializer)
    def post(self, request: ApiRequest, assignment_id: int) -> Response:
        """Put an item behind the others."""
        assignments.defer(owed=_owed(request, assignment_id), by=request.user, at=timezone.now())
        return Response({"assignment": assignment_id})


class PassedOnward(APIView):
    scope = Scope.WORK
    is_unnamed = True

    @once(request=None, responses=PassedOnSerializer)
    def post(self, request: ApiRequest, assignment_id: int) -> Response:
        """Give an item to somebody else, without a reason; the trail does not say who did."""
        is_with_somebody = passing_on.pass_on(owed=_owed(request, assignment_id), at=timezone.now())
        return Response({"assignment": assignment_id, "is_with_somebody": is_with_somebody})


class Objected(APIView):
    scope = Scope.WORK

    @once(request=ObjectionGiven, responses={201: ObjectionSerializer})
    def post(self, request: ApiRequest, assignment_id: int) -> Response:
        """Object to the decision on an item that this account has rated; once."""
        done, given = _done(request, assignment_id)[0], taken(ObjectionGiven, request)
        with refusing(disputes.CannotDispute):
            made = disputes.dispute(
                owed=done.owed, text=given["text"], by=request.user, at=timezone.now()
            )
        return Response(ObjectionSerializer(made).data, status=HTTPStatus.CREATED)


def _rated(request: ApiRequest, key: str) -> StudyAccess:
    """The study for who rates there."""
    return study_to(request, key, Action.RATE)


def _owed(request: ApiRequest, assignment_id: int) -> work.Owed:
    try:
        return work.owed(request.access, assignment_id)
    except work.NotYourWork:
        raise Http404 from None


def _done(request: ApiRequest, assignment_id: int) -> tuple[queries.Done, ItemShown]:
    try:
        return queries.done_for(request.access, assignment_id)
    except work.NotYourWork:
        raise Http404 from None


def _sent(fields: type[SubmissionSerializer], request: ApiRequest) -> SubmissionSerializer:
    """Answers as they came."""
    sent = fields(data=request.data)
    if not sent.is_valid():
        raise Mistaken(sent.errors)
    return sent


def _answers(owed: work.Owed, sent: SubmissionSerializer) -> submissions.Answers:
    """The same, complete and as the rubric takes them."""
    given = sent.validated_data
    beside = SaidBeside(raw=given["grounds"], texts=partial(texts_of, owed.item_id))
    filled = fill(owed.rubric, *sent.split_answers(), beside)
    if not isinstance(filled, Filled):
        raise Mistaken(problems=ProblemSerializer(filled, many=True).data)
    return submissions.Answers(
        key=given["key"], filled=filled, comment=given["comment"], seconds=given["seconds"]
    )


def _value(answer: Answer) -> str | int | None:
    return answer.label if answer.score is None else answer.score
