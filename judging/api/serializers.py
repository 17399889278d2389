"""What the API takes and gives of runs."""

from typing import Any

from rest_framework import serializers

from judging.queries.showing import RunStatus
from judging.rules.preferences import PlaceEffect, SourceWins


class RunSerializer(serializers.Serializer[Any]):
    """A run of a judge over the items of a study."""

    id = serializers.IntegerField(source="pk")
    judge_id = serializers.IntegerField(source="judge.rater_id")
    judge = serializers.CharField(source="judge.rater.key")
    llm = serializers.CharField(source="judge.llm")
    state = serializers.CharField()
    repeats = serializers.IntegerField()
    started_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class ShareSerializer(serializers.Serializer[Any]):
    """A share with its interval of 95 %, and of how many."""

    value = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()
    of = serializers.IntegerField()


class PreferredSerializer(serializers.Serializer[Any]):
    """What gives a small count back is null for who sees no single raters, and named in `withheld`."""

    withheld = serializers.SerializerMethodField()

    def get_withheld(self, found: PlaceEffect | SourceWins) -> list[str]:
        return [] if self.context["sees_single_raters"] else sorted(found.small)

    def to_representation(self, found: PlaceEffect | SourceWins) -> dict[str, Any]:
        told = super().to_representation(found)
        return told | dict.fromkeys(told["withheld"])


class PlaceEffectSerializer(PreferredSerializer):
    """What the place of a reply decided in a run that compares: the first preferred among the calls that
    preferred one, surely not half of them where `is_by_place`; and pairs that were read in both orders.
    Where values of both were asked for, `shift` is by how many points the same reply has more as the
    first, and `higher_as_first` how often it has, of those whose value the place changed."""

    criterion = serializers.CharField()
    calls = serializers.IntegerField()
    unread = serializers.IntegerField()
    ties = serializers.IntegerField()
    first = ShareSerializer(allow_null=True)
    both_orders = serializers.IntegerField()
    same = serializers.IntegerField(allow_null=True)
    first_twice = serializers.IntegerField(allow_null=True)
    second_twice = serializers.IntegerField(allow_null=True)
    tie_once = serializers.IntegerField(allow_null=True)
    is_by_place = serializers.BooleanField()
    shift = serializers.FloatField(allow_null=True)
    higher_as_first = ShareSerializer(allow_null=True)


class SourceWinsSerializer(PreferredSerializer):
    """How often replies of one generator were preferred to those of another; `left_out`: pairs of which
    not every order was asked and read."""

    criterion = serializers.CharField()
    generator = serializers.CharField(source="source")
    against = serializers.CharField(source="other")
    won = serializers.IntegerField(allow_null=True)
    lost = serializers.IntegerField(allow_null=True)
    undecided = serializers.IntegerField(allow_null=True)
    left_out = serializers.IntegerField()
    share = ShareSerializer(allow_null=True)


class QuotationCountSerializer(serializers.Serializer[Any]):
    """Words that a judge quoted: `found` in the texts of their item, `unverified` in none."""

    found = serializers.IntegerField()
    unverified = serializers.IntegerField()


class RunStatusSerializer(serializers.Serializer[Any]):
    """A run and how far it is; `unscored`: how many calls ended without a value, by the reason.
    `places` and `wins` are those of a run that compares replies and has ended, and `quotations` of one
    whose rubric asks for evidence, for who may see figures; who sees no single raters is not told what in
    them gives a small count back."""

    run = RunSerializer()
    pause_reason = serializers.CharField(source="run.pause_reason")
    concurrency = serializers.IntegerField(source="run.concurrency")
    done = serializers.IntegerField(source="progress.done")
    total = serializers.IntegerField(source="progress.total")
    rated = serializers.IntegerField(source="progress.rated")
    unscored = serializers.SerializerMethodField()
    used_requests = serializers.IntegerField(source="run.used_requests")
    used_tokens = serializers.IntegerField(source="run.used_tokens")
    used_money = serializers.DecimalField(
        source="run.used_money", max_digits=None, decimal_places=None
    )
    currency = serializers.CharField(source="run.currency")
    is_worker_there = serializers.BooleanField(source="worker.is_there")
    quotations = QuotationCountSerializer(allow_null=True)
    places = PlaceEffectSerializer(many=True)
    wins = SourceWinsSerializer(many=True)

    def get_unscored(self, status: RunStatus) -> dict[str, int]:
        return {reason.value: count for reason, count in status.unscored}


class EstimateSerializer(serializers.Serializer[Any]):
    """What a run would come to: requests at most, tokens and money about; money null: no price. Where
    replies are compared, `items` are pairs. `is_tried`: a trial has shown what the LLM takes."""

    items = serializers.IntegerField()
    without_reply = serializers.IntegerField()
    calls = serializers.IntegerField()
    most_requests = serializers.IntegerField()
    tokens = serializers.IntegerField()
    money = serializers.DecimalField(max_digits=None, decimal_places=None, allow_null=True)
    currency = serializers.CharField()
    is_tried = serializers.BooleanField(allow_null=True)


class ProbeSerializer(serializers.Serializer[Any]):
    """What an endpoint made of a made-up dialogue: what was tried, and what came of each."""

    llm = serializers.CharField()
    findings = serializers.DictField(child=serializers.CharField())
    seconds = serializers.FloatField()
    made_at = serializers.DateTimeField()


class LimitsGiven(serializers.Serializer[Any]):
    """The most that a run may use before it pauses; null: no limit."""

    limit_requests = serializers.IntegerField(required=False, allow_null=True)
    limit_tokens = serializers.IntegerField(required=False, allow_null=True)
    limit_money = serializers.DecimalField(
        required=False, allow_null=True, max_digits=12, decimal_places=4
    )


class PaceGiven(LimitsGiven):
    """How many requests at a time, and the limits from now on."""

    concurrency = serializers.IntegerField()


class RunGiven(LimitsGiven):
    """What the page asks to start a judge. `endpoint`: its key, empty: the server's own; `prompt`:
    NAME/NUMBER of the study's, empty: Concord's; `items`: all, hold_out, or a round's number;
    `about`: rate, or scales, values or overall to compare pairs, of which `against` names a generator that is in
    each."""

    llm = serializers.CharField(max_length=200)
    endpoint = serializers.CharField(required=False, allow_blank=True, default="")
    prompt = serializers.CharField(required=False, allow_blank=True, default="")
    manner = serializers.CharField(required=False, default="flat")
    answers = serializers.CharField(required=False, default="json")
    items = serializers.CharField(required=False, default="all")
    hold_out_reason = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=300
    )
    repeats = serializers.IntegerField(required=False, default=1)
    language = serializers.CharField(required=False, default="en")
    temperature = serializers.FloatField(required=False, allow_null=True, default=0)
    max_tokens = serializers.IntegerField(required=False, allow_null=True, default=None)
    concurrency = serializers.IntegerField(required=False, default=8)
    by_batch = serializers.BooleanField(required=False, default=False)
    own_generators = serializers.ListField(
        child=serializers.CharField(), required=False, default=list
    )
    about = serializers.CharField(required=False, default="rate")
    against = serializers.CharField(required=False, allow_blank=True, default="")
    most_pairs = serializers.IntegerField(required=False, allow_null=True, default=None)
    both_orders = serializers.BooleanField(required=False, default=True)
    ties = serializers.BooleanField(required=False, default=True)
