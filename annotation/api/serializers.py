"""What the API takes and gives, field by field."""

from typing import Any

from rest_framework import serializers

from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.rules.remarks import LONGEST, problem_with_comment
from annotation.rules.repeating import MOST_PERCENT

CANNOT_JUDGE = "cannot_judge"
ROLES = ("coordinator", "annotator", "adjudicator", "researcher", "exporter")
EXPORTER = "exporter"


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


class ItemSerializer(serializers.Serializer[Any]):
    """An item without its texts."""

    key = serializers.CharField()
    dialogue = serializers.CharField(source="dialogue.key")
    position = serializers.IntegerField()
    generator = serializers.CharField()
    content_note = serializers.CharField()
    content_sha256 = serializers.CharField()


class ItemPageSerializer(serializers.Serializer[Any]):
    """Items by key; `next` is the `after` of the page behind it, null on the last."""

    results = ItemSerializer(source="items", many=True)
    next = serializers.CharField(allow_null=True)


class RoundSerializer(serializers.Serializer[Any]):
    """A round and what it reached, once it is closed."""

    number = serializers.IntegerField()
    state = serializers.CharField()
    rubric_version = serializers.IntegerField(source="rubric_version.number")
    raters_per_item = serializers.IntegerField()
    repeat_percent = serializers.IntegerField()
    gate = serializers.FloatField()
    opened_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)
    kappa = serializers.FloatField(allow_null=True)
    kappa_low = serializers.FloatField(allow_null=True)
    kappa_high = serializers.FloatField(allow_null=True)
    verdict = serializers.CharField()


class MemberSerializer(serializers.Serializer[Any]):
    """An account on the team of a study."""

    account = serializers.IntegerField(source="account_id")
    name = serializers.CharField()
    email = serializers.EmailField()
    roles = serializers.ListField(child=serializers.CharField())


class MemberGiven(serializers.Serializer[Any]):
    """Whom to give which roles in a study."""

    email = serializers.EmailField()
    roles = serializers.ListField(child=serializers.ChoiceField(choices=ROLES))


class RoundGiven(serializers.Serializer[Any]):
    """What a round is opened with."""

    panel = serializers.ListField(child=serializers.EmailField(), max_length=1_000)
    raters_per_item = serializers.IntegerField(min_value=1, max_value=100)
    n_items = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=1, max_value=10_000_000
    )
    gate = serializers.FloatField(required=False, default=0.4, min_value=-1, max_value=1)
    repeat_percent = serializers.IntegerField(
        required=False, default=0, min_value=0, max_value=MOST_PERCENT
    )
    override_reason = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=LONGEST
    )


class AsideGiven(serializers.Serializer[Any]):
    """Which item to set aside, and why."""

    item = serializers.CharField(max_length=160)
    reason = serializers.CharField(max_length=LONGEST)


class AsideSerializer(serializers.Serializer[Any]):
    """An item that figures leave out, until it is lifted."""

    id = serializers.IntegerField(source="pk")
    item = serializers.CharField(source="item.key")
    reason = serializers.CharField()
    quarantined_at = serializers.DateTimeField()
    lifted_at = serializers.DateTimeField(allow_null=True)
