"""What the API takes and gives, field by field."""

from typing import Any

from rest_framework import serializers

from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.rules.remarks import problem_with_comment

CANNOT_JUDGE = "cannot_judge"


class StudySerializer(serializers.Serializer[Any]):
    key = serializers.CharField(source="study.key")
    name = serializers.CharField(source="study.name")
    language = serializers.CharField(source="study.language")
    roles = serializers.SerializerMethodField()

    def get_roles(self, study_access: StudyAccess) -> list[str]:
        return sorted(study_access.roles)


class RubricSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    fingerprint = serializers.CharField()
    definition = serializers.DictField()


class TurnSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    speaker = serializers.CharField()
    text = serializers.CharField()


class WorkSerializer(serializers.Serializer[Any]):
    """An item to rate; who or what wrote the reply is not told."""

    assignment = serializers.IntegerField(source="owed.assignment_id")
    round = serializers.IntegerField(source="owed.round_number")
    number = serializers.IntegerField()
    of = serializers.IntegerField(source="n_assigned")
    turns = TurnSerializer(source="item.turns", many=True)
    reply = serializers.CharField(source="item.reply", allow_null=True)
    content_note = serializers.CharField(source="item.content_note")


class SubmissionSerializer(serializers.Serializer[Any]):
    """Answers by criterion: a value as the rubric takes it, or {"cannot_judge": reason}."""

    key = serializers.UUIDField()
    answers = serializers.DictField()
    comment = serializers.CharField(required=False, allow_blank=True, default="")
    seconds = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=0, max_value=24 * 60 * 60
    )

    def validate_comment(self, text: str) -> str:
        if problem := problem_with_comment(text):
            raise serializers.ValidationError(said(problem))
        return text

    def split_answers(self) -> tuple[dict[str, object], dict[str, str]]:
        """The values, and the reasons why there is none."""
        answers = self.validated_data["answers"]
        excused = {
            key: str(value[CANNOT_JUDGE])
            for key, value in answers.items()
            if isinstance(value, dict) and value.keys() == {CANNOT_JUDGE}
        }
        return {key: value for key, value in answers.items() if key not in excused}, excused


class ReceiptSerializer(serializers.Serializer[Any]):
    submission = serializers.IntegerField(source="submission_id")
    submitted_at = serializers.DateTimeField()


class ProblemSerializer(serializers.Serializer[Any]):
    criterion = serializers.CharField()
    node = serializers.CharField(allow_null=True)
    reason = serializers.CharField()
    sentence = serializers.CharField()
