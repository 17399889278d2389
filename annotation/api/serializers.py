"""What the API takes and gives, field by field."""

from typing import Any

from rest_framework import serializers

from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.rubric.answers import Problem
from annotation.rules.granting import DataLevel
from annotation.rules.remarks import LONGEST, problem_with_comment
from annotation.rules.repeating import MOST_PERCENT

CANNOT_JUDGE = "cannot_judge"
ROLES = ("coordinator", "annotator", "adjudicator", "researcher", "exporter")
EXPORTER = "exporter"
LEVELS = [level.value for level in DataLevel]


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


class GroundsGiven(serializers.Serializer[Any]):
    """What is said beside a value, where the rubric asks for it; all of it may be left out.

    `confidence`: 1 to 3; `defensible`: other values; `evidence`: `TURN` or `TURN:START-END`, turns
    counted from 1, the reply after the last, characters from 0.
    """

    confidence = serializers.IntegerField(required=False, min_value=1, max_value=3)
    defensible = serializers.ListField(child=serializers.CharField(), required=False)
    evidence = serializers.ListField(child=serializers.CharField(), required=False)
    rationale = serializers.CharField(required=False, allow_blank=True)


class SubmissionSerializer(serializers.Serializer[Any]):
    """Answers by criterion: a value as the rubric takes it, or {"cannot_judge": reason}."""

    key = serializers.UUIDField()
    answers = serializers.DictField()
    grounds = serializers.DictField(child=GroundsGiven(), required=False, default=dict)
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
    """What an answer lacks, and where."""

    criterion = serializers.CharField()
    node = serializers.CharField(allow_null=True)
    reason = serializers.CharField()
    sentence = serializers.SerializerMethodField()

    def get_sentence(self, problem: Problem) -> str:
        return said(problem.sentence)


class ItemSerializer(serializers.Serializer[Any]):
    """An item without its texts."""

    key = serializers.CharField()
    dialogue = serializers.CharField(source="dialogue.key")
    position = serializers.IntegerField()
    generator = serializers.CharField()
    content_note = serializers.CharField()
    attributes = serializers.DictField(child=serializers.CharField())
    content_sha256 = serializers.CharField()


class ItemPageSerializer(serializers.Serializer[Any]):
    """Items by key; `next` is the `after` of the page behind it, null on the last."""

    results = ItemSerializer(source="items", many=True)
    next = serializers.CharField(allow_null=True)


class RoundSerializer(serializers.Serializer[Any]):
    """A round and what it reached, once it is closed; `kappa` is by `measure`."""

    number = serializers.IntegerField()
    state = serializers.CharField()
    rubric_version = serializers.IntegerField(source="rubric_version.number")
    raters_per_item = serializers.IntegerField()
    repeat_percent = serializers.IntegerField()
    gate = serializers.FloatField()
    measure = serializers.CharField(source="rules.measure")
    opened_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)
    kappa = serializers.FloatField(allow_null=True)
    kappa_low = serializers.FloatField(allow_null=True)
    kappa_high = serializers.FloatField(allow_null=True)
    kappa_items = serializers.IntegerField(allow_null=True)
    kappa_criterion = serializers.CharField()
    kappa_undefined = serializers.IntegerField(allow_null=True)
    verdict = serializers.CharField()


class PanelSerializer(serializers.Serializer[Any]):
    """A rater of a round: how much they have and owe; `account`: of a person who has one."""

    account = serializers.IntegerField(source="account_id", allow_null=True)
    submitted = serializers.IntegerField(source="n_submitted")
    assigned = serializers.IntegerField(source="n_assigned")


class RoundStatusSerializer(serializers.Serializer[Any]):
    """A round and how far its panel is."""

    round = RoundSerializer()
    due_on = serializers.DateField(source="round.due_on", allow_null=True)
    step = serializers.CharField(source="round.step")
    submitted = serializers.IntegerField(source="n_submitted")
    assigned = serializers.IntegerField(source="n_assigned")
    panel = PanelSerializer(many=True)


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
    also = serializers.ListField(
        child=serializers.ChoiceField(choices=LEVELS), required=False, default=list
    )


class RoundGiven(serializers.Serializer[Any]):
    """What a round is opened with."""

    panel = serializers.ListField(child=serializers.EmailField(), max_length=1_000)
    raters_per_item = serializers.IntegerField(min_value=1, max_value=100)
    n_items = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=1, max_value=10_000_000
    )
    gate = serializers.FloatField(required=False, default=0.4, min_value=-1, max_value=1)
    repeat_percent = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=0, max_value=MOST_PERCENT
    )
    override_reason = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=LONGEST
    )
    due_on = serializers.DateField(required=False, allow_null=True, default=None)


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


class ReasonGiven(serializers.Serializer[Any]):
    """Why something is done; it stays in the history."""

    reason = serializers.CharField(max_length=LONGEST)


class DueGiven(serializers.Serializer[Any]):
    """Until when a round should be rated; null: no such day."""

    due_on = serializers.DateField(allow_null=True)


class HandOnGiven(serializers.Serializer[Any]):
    """Which account of the panel leaves, if one does, and to which annotators its work goes."""

    leaver = serializers.IntegerField(required=False, allow_null=True, default=None)
    to = serializers.ListField(child=serializers.EmailField(), min_length=1, max_length=1_000)


class StudyGiven(serializers.Serializer[Any]):
    """A new study: with the key of a shipped rubric, or with one of your own as TOML."""

    key = serializers.CharField(max_length=60)
    name = serializers.CharField(max_length=200)
    description = serializers.CharField(required=False, allow_blank=True, default="")
    language = serializers.CharField(required=False, default="en")
    rubric = serializers.CharField(required=False, allow_blank=True, default="")
    rubric_toml = serializers.CharField(required=False, allow_blank=True, default="")
    coordinator = serializers.EmailField()


class StudySettingsSerializer(serializers.Serializer[Any]):
    """What a study is called, the language of its dialogues, and what it is about in each language
    that somebody wrote it in, by BCP 47 tag."""

    name = serializers.CharField(max_length=200)
    language = serializers.CharField()
    descriptions = serializers.DictField(child=serializers.CharField(max_length=LONGEST))


class StudyMadeSerializer(serializers.Serializer[Any]):
    """A study that was made; who is on its team sees more of it."""

    key = serializers.CharField()
    name = serializers.CharField()


class EditionSerializer(serializers.Serializer[Any]):
    """An edition of the rubric; the study is under one of them."""

    number = serializers.IntegerField()
    published_at = serializers.DateTimeField()
    is_in_force = serializers.BooleanField()


class EditionGiven(serializers.Serializer[Any]):
    """The whole rubric as TOML, with the key that it has now."""

    toml = serializers.CharField(max_length=500_000, trim_whitespace=False)


class FateSerializer(serializers.Serializer[Any]):
    """An old value, and what its ratings may become; `chosen`, where a plan says nothing."""

    place = serializers.CharField()
    criterion = serializers.CharField()
    n_ratings = serializers.IntegerField()
    n_items = serializers.IntegerField()
    choices = serializers.SerializerMethodField()
    chosen = serializers.CharField()

    def get_choices(self, fate: Any) -> list[str]:
        return [value for value, _words in fate.choices]


class ChangeSerializer(serializers.Serializer[Any]):
    """What going on under an edition would change."""

    number = serializers.IntegerField()
    breaking = serializers.ListField(child=serializers.CharField())
    fates = FateSerializer(many=True)
    n_ratings = serializers.IntegerField()


class ChangeMadeSerializer(serializers.Serializer[Any]):
    """That the study went on under another edition; the one that `is_last` can be taken back."""

    id = serializers.IntegerField()
    before = serializers.IntegerField()
    after = serializers.IntegerField()
    made_at = serializers.DateTimeField(source="at")
    made_by = serializers.CharField(source="by")
    n_carried = serializers.IntegerField()
    n_again = serializers.IntegerField()
    undone_at = serializers.DateTimeField(allow_null=True)
    is_last = serializers.BooleanField()


class PlanGiven(serializers.Serializer[Any]):
    """What each old value becomes: {place: choice}."""

    plan = serializers.DictField(child=serializers.CharField(), required=False, default=dict)


class GrantSerializer(serializers.Serializer[Any]):
    """A level of a data set that somebody has or had, or that was asked for."""

    id = serializers.IntegerField(source="grant.pk")
    account = serializers.IntegerField(source="grant.person_id")
    level = serializers.CharField(source="grant.level")
    stage = serializers.CharField(source="grant.stage")
    since = serializers.DateTimeField(source="grant.since", allow_null=True)
    until = serializers.DateTimeField(source="grant.until", allow_null=True)
    revoked_at = serializers.DateTimeField(source="grant.revoked_at", allow_null=True)
    purpose = serializers.CharField(source="grant.purpose")


class HolderSerializer(GrantSerializer):
    """The same with whose it is (`person`: what addresses ask by), their teams, and who decided."""

    person = serializers.IntegerField(source="grant.person.pk")
    email = serializers.EmailField(source="grant.person.email")
    roles = serializers.ListField(child=serializers.CharField())
    decided_by = serializers.ListField(child=serializers.CharField())


class DataSetSerializer(serializers.Serializer[Any]):
    """A data set as those see it who govern."""

    key = serializers.CharField()
    name = serializers.CharField()
    steward = serializers.EmailField(source="steward.email", allow_null=True, default=None)
    longest_days = serializers.IntegerField()
    least_raters = serializers.IntegerField()
    provider_policy = serializers.CharField()
    processors = serializers.ListField(child=serializers.CharField())
    waiting = serializers.IntegerField(source="n_waiting")


class RulesGiven(serializers.Serializer[Any]):
    """All rules of a data set. `steward`: an email address, empty: any steward decides;
    `processors`: the hosts that texts may be sent to, where the policy says that they are listed."""

    steward = serializers.EmailField(allow_blank=True)
    longest_days = serializers.IntegerField()
    least_raters = serializers.IntegerField()
    provider_policy = serializers.CharField()
    processors = serializers.ListField(
        child=serializers.CharField(max_length=253), required=False, default=list, max_length=1_000
    )


class RulesSerializer(serializers.Serializer[Any]):
    """The rules that a data set is under."""

    key = serializers.CharField()
    steward = serializers.EmailField(source="steward.email", allow_null=True, default=None)
    longest_days = serializers.IntegerField()
    least_raters = serializers.IntegerField()
    provider_policy = serializers.CharField()
    processors = serializers.ListField(child=serializers.CharField())


class WaitingSerializer(serializers.Serializer[Any]):
    """What waits for one person in a data set; `refusal`: why this account cannot decide it."""

    account = serializers.IntegerField(source="person.pk")
    email = serializers.EmailField(source="person.email")
    levels = serializers.SerializerMethodField()
    purpose = serializers.CharField(source="first.purpose")
    asked_at = serializers.DateTimeField(source="first.asked_at")
    refusal = serializers.CharField(source="reason_not_to_decide")

    def get_levels(self, waiting: Any) -> list[str]:
        return [grant.level for grant in waiting.grants]


class LevelsGiven(serializers.Serializer[Any]):
    """Which levels of the data set, and what for."""

    levels = serializers.ListField(child=serializers.ChoiceField(choices=LEVELS), min_length=1)
    purpose = serializers.CharField(max_length=2000)


class DecisionGiven(serializers.Serializer[Any]):
    """Approve until a day, or return or refuse with a reason."""

    decision = serializers.ChoiceField(choices=["approve", "return", "refuse"])
    until = serializers.DateField(required=False, allow_null=True, default=None)
    reason = serializers.CharField(required=False, allow_blank=True, default="", max_length=2000)
