"""Adjudicating by program: what waits, one case under the blinding of the page, and its decision."""

from http import HTTPStatus
from typing import Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.answering import Mistaken, taken
from accounts.api.described import described
from accounts.api.once import once
from accounts.api.paging import PAGE_PARAMETERS, page_of, paged
from accounts.gate import ApiRequest, Scope
from annotation.actions import adjudications, disputes, viewing
from annotation.api.saying import refusing
from annotation.api.serializers import ProblemSerializer, TurnSerializer
from annotation.queries import adjudicating, cases
from annotation.queries.entering import study_to
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.rules.deciding import CODES, DecidedBy
from annotation.rules.granting import Action
from annotation.rules.remarks import LONGEST

SORTS = [sort.value for sort in cases.CaseSort]


class DifferenceSerializer(serializers.Serializer[Any]):
    """A criterion on which raters differ, by how many points if it is a scale."""

    criterion = serializers.CharField(source="criterion.key")
    gap = serializers.IntegerField(allow_null=True)
    question = serializers.CharField()


class CaseLineSerializer(serializers.Serializer[Any]):
    """A case of the queue; of one that is decided unseen nothing but its criteria is told."""

    id = serializers.IntegerField(source="round_item_id")
    round = serializers.IntegerField(source="round_number")
    position = serializers.IntegerField()
    differs_on = DifferenceSerializer(many=True)
    is_flagged = serializers.BooleanField()
    is_unseen = serializers.BooleanField()


class ChoiceSerializer(serializers.Serializer[Any]):
    """A value that may be given, and the letters of the raters who gave it."""

    value = serializers.CharField()
    words = serializers.CharField()
    raters = serializers.ListField(source="letters", child=serializers.CharField())


class ExcusedSerializer(serializers.Serializer[Any]):
    """A rater who gave no value, and why."""

    rater = serializers.CharField(source="letter")
    reason = serializers.CharField(source="words")


class PairSerializer(serializers.Serializer[Any]):
    """A criterion and its value, in words."""

    criterion = serializers.CharField()
    value = serializers.CharField()

    def to_representation(self, pair: tuple[str, str]) -> dict[str, str]:
        name, words = pair
        return {"criterion": name, "value": words}


class StepSerializer(serializers.Serializer[Any]):
    """An answered question on a way; `parts_here`: others answered it differently."""

    question = serializers.CharField()
    answer = serializers.CharField()
    parts_here = serializers.BooleanField()


class WaySerializer(serializers.Serializer[Any]):
    """The way that a rater took through a graph, and what it comes to."""

    rater = serializers.CharField(source="letter")
    steps = StepSerializer(many=True)
    comes_to = PairSerializer(many=True)


class ConflictSerializer(serializers.Serializer[Any]):
    """A criterion to decide; a graph of questions, `is_walked`, is answered question by question."""

    criterion = serializers.CharField(source="key")
    name = serializers.CharField()
    given = ChoiceSerializer(many=True)
    others = ChoiceSerializer(many=True)
    is_walked = serializers.BooleanField()
    ways = WaySerializer(many=True)
    parting = serializers.CharField()
    excused = ExcusedSerializer(many=True)


class CommentSerializer(serializers.Serializer[Any]):
    """What a rater added."""

    rater = serializers.CharField(source="letter")
    text = serializers.CharField()


class SaidBesideSerializer(serializers.Serializer[Any]):
    """What was said beside a value; `quotes` are words of the dialogue with their turn, `unverified`
    what a judge quoted and is in no text."""

    criterion = serializers.CharField()
    confidence = serializers.CharField()
    defensible = serializers.ListField(child=serializers.CharField())
    quotes = serializers.SerializerMethodField()
    unverified = serializers.ListField(child=serializers.CharField())
    rationale = serializers.CharField()

    def get_quotes(self, grounds: Any) -> list[str]:
        return [f"{turn}: {words}" for turn, words in grounds.quotes]


class GroundsSerializer(SaidBesideSerializer):
    """The same of a rater, under their letter."""

    rater = serializers.CharField(source="who")


class DecisionSerializer(serializers.Serializer[Any]):
    """A decision that stands or stood, or an opinion of one of two."""

    by = serializers.CharField()
    at = serializers.DateTimeField()
    values = PairSerializer(many=True)
    code = serializers.CharField()
    reason = serializers.CharField()


class DisputeSerializer(serializers.Serializer[Any]):
    """What a rater holds against the decision."""

    id = serializers.IntegerField()
    rater = serializers.CharField(source="letter")
    text = serializers.CharField()
    answer = serializers.CharField()


class CaseSerializer(serializers.Serializer[Any]):
    """An item to decide or decided, its raters under letters; `standing`: the values in force."""

    id = serializers.IntegerField(source="round_item_id")
    round = serializers.IntegerField(source="round_number")
    position = serializers.IntegerField()
    turns = TurnSerializer(source="item.turns", many=True)
    reply = serializers.CharField(source="item.reply", allow_null=True)
    content_note = serializers.CharField(source="item.content_note")
    conflicts = ConflictSerializer(many=True)
    agreed = PairSerializer(many=True)
    comments = CommentSerializer(many=True)
    grounds = GroundsSerializer(many=True)
    is_unseen = serializers.BooleanField()
    is_decided = serializers.BooleanField()
    decisions = DecisionSerializer(many=True)
    opinions = DecisionSerializer(many=True)
    disputes = DisputeSerializer(many=True)
    standing = serializers.DictField()
    reason_to_withhold_judges = serializers.CharField()


class RulingOnCaseGiven(serializers.Serializer[Any]):
    """{criterion: value as the rubric takes it, of a graph {question: answer}, or `~` where it is
    ambiguous} for each that is to be decided, why, and what the disagreement came from. `revises`: a
    decision that stands is made anew."""

    values = serializers.DictField()
    reason = serializers.CharField(max_length=LONGEST)
    code = serializers.ChoiceField(choices=[one.value for one in CODES], default="other")
    revises = serializers.BooleanField(default=False)


class CaseDecidedSerializer(serializers.Serializer[Any]):
    """`stands`: false where the protocol has somebody else decide as well."""

    id = serializers.IntegerField()
    stands = serializers.BooleanField()
    decided_at = serializers.DateTimeField()


class JudgeToldSerializer(serializers.Serializer[Any]):
    """What a judge answers to the criteria of a case, and says beside it."""

    judge = serializers.CharField(source="name")
    answers = PairSerializer(source="words", many=True)
    grounds = SaidBesideSerializer(many=True)


class AnswerGiven(serializers.Serializer[Any]):
    """What comes of an objection, for the rater to read."""

    answer = serializers.CharField(max_length=LONGEST)


class Cases(APIView):
    scope = Scope.ADJUDICATE

    @described(
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter("sort", {"type": "string", "enum": SORTS, "default": "waiting"}),
        ],
        responses=page_of(CaseLineSerializer),
    )
    def get(self, request: ApiRequest, key: str) -> Response:
        """The cases that this account may decide, or those that are decided or disputed."""
        study_access = _adjudicated(request, key)
        asked = serializers.ChoiceField(choices=SORTS).run_validation(
            request.query_params.get("sort", "waiting")
        )

        def told(shown: list[Any]) -> list[cases.Waiting]:
            viewing.items_listed(
                study_id=study_access.study.pk,
                items=[one.item_id for one in shown],
                by=request.user,
                at=timezone.now(),
            )
            return cases.as_lines(shown)

        found = cases.of_sort(study_access, cases.CaseSort(asked))
        return paged(request, found, CaseLineSerializer, key=lambda one: one.pk, told=told)


class CaseView(APIView):
    scope = Scope.ADJUDICATE

    @described(responses=CaseSerializer)
    def get(self, request: ApiRequest, key: str, round_item_id: int) -> Response:
        """An item and what its raters answered, who stay under letters; each look is noted."""
        found = adjudicating.case(_adjudicated(request, key), round_item_id)
        viewing.case_shown(round_item_id=round_item_id, by=request.user, at=timezone.now())
        return Response(CaseSerializer(found).data)


class CaseDecided(APIView):
    scope = Scope.ADJUDICATE

    @once(request=RulingOnCaseGiven, responses={201: CaseDecidedSerializer})
    def post(self, request: ApiRequest, key: str, round_item_id: int) -> Response:
        """Give the criteria in conflict their values, or decide anew what was decided."""
        study_access, at = _adjudicated(request, key), timezone.now()
        if not cases.is_case(study_access, round_item_id):
            raise Http404
        asked = taken(RulingOnCaseGiven, request)
        act = adjudications.revise if asked["revises"] else adjudications.decide
        ruling = adjudications.CaseRuling(
            values=asked["values"], reason=asked["reason"], code=DecidedBy(asked["code"]).value
        )
        try:
            with refusing(adjudications.CannotAdjudicate):
                decided = act(
                    study_id=study_access.study.pk,
                    round_item_id=round_item_id,
                    ruling=ruling,
                    by=request.user,
                    at=at,
                )
        except adjudications.Undecided as lacking:
            raise _lacking(lacking) from None
        made = {
            "id": round_item_id,
            "stands": bool(decided.stands),
            "decided_at": decided.decided_at or at,
        }
        return Response(CaseDecidedSerializer(made).data, status=HTTPStatus.CREATED)


class CaseJudges(APIView):
    scope = Scope.ADJUDICATE

    @described(request=None, responses=JudgeToldSerializer(many=True))
    def post(self, request: ApiRequest, key: str, round_item_id: int) -> Response:
        """What judges answer to a case that is decided; that this account was told is noted."""
        told = adjudicating.judges_on(_adjudicated(request, key), round_item_id)
        viewing.judges_revealed(
            round_item_id=round_item_id, judges=len(told), by=request.user, at=timezone.now()
        )
        return Response(JudgeToldSerializer(told, many=True).data)


class DisputeAnswered(APIView):
    scope = Scope.ADJUDICATE

    @once(request=AnswerGiven, responses=DisputeSerializer(many=True))
    def post(self, request: ApiRequest, key: str, round_item_id: int, dispute_id: int) -> Response:
        """Say what comes of a rater's objection; the answer is what is held against the decision."""
        study_access = _adjudicated(request, key)
        if dispute_id not in {
            one.id for one in adjudicating.case(study_access, round_item_id).disputes
        }:
            raise Http404
        given = taken(AnswerGiven, request)
        with refusing(disputes.CannotDispute):
            disputes.answer(
                study_id=study_access.study.pk,
                dispute_id=dispute_id,
                text=given["answer"],
                by=request.user,
                at=timezone.now(),
            )
        return Response(
            DisputeSerializer(
                adjudicating.case(study_access, round_item_id).disputes, many=True
            ).data
        )


def _adjudicated(request: ApiRequest, key: str) -> StudyAccess:
    return study_to(request, key, Action.ADJUDICATE)


def _lacking(lacking: adjudications.Undecided) -> Mistaken:
    """What the decision lacks."""
    reason = lacking.about_reason
    return Mistaken(
        {"reason": [said(reason)]} if reason else None,
        problems=ProblemSerializer(lacking.problems, many=True).data,
    )
