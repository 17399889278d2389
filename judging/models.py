"""Judges, their runs over items, and each request that was made."""

from django.db import models
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.models import Item, Rater, Round, RubricVersion, Study, Submission
from judging.rules import outcomes, questions
from judging.rules.budget import Limit, Use


class Manner(models.TextChoices):
    """How the rubric is asked: all of it in one request, or a taxonomy node by node."""

    FLAT = questions.AskingManner.FLAT.value, _("All at once")
    SEQUENTIAL = questions.AskingManner.SEQUENTIAL.value, _("Node by node")


class Outcome(models.TextChoices):
    """How a call ended: rated, or why not."""

    RATED = outcomes.Outcome.RATED.value, _("Rated")
    EMPTY = outcomes.Outcome.EMPTY.value, _("Empty answer")
    REFUSED = outcomes.Outcome.REFUSED.value, _("Declined to rate")
    TRUNCATED = outcomes.Outcome.TRUNCATED.value, _("Cut off before an answer")
    NO_ANSWER = outcomes.Outcome.NO_ANSWER.value, _("No answer in the text")
    AMBIGUOUS = outcomes.Outcome.AMBIGUOUS.value, _("Several answers")
    SCHEMA_INVALID = outcomes.Outcome.SCHEMA_INVALID.value, _("Not the JSON asked for")
    OUT_OF_RANGE = outcomes.Outcome.OUT_OF_RANGE.value, _("Off the scale")
    TOO_LONG = outcomes.Outcome.TOO_LONG.value, _("Too long for the LLM")
    REQUEST_REFUSED = outcomes.Outcome.REQUEST_REFUSED.value, _("Request refused")
    ENDPOINT_ERROR = outcomes.Outcome.ENDPOINT_ERROR.value, _("Endpoint failed")


class Judge(models.Model):
    """One immutable edition of an LLM rater: which LLM, asked how, with which settings."""

    rater = models.OneToOneField(Rater, on_delete=models.PROTECT, related_name="judge")
    llm = models.CharField(max_length=200)
    base_url = models.CharField(max_length=300)
    manner = models.CharField(max_length=20, choices=Manner.choices, default=Manner.FLAT)
    prompt_language = models.CharField(max_length=10, default="en")
    prompt_edition = models.CharField(max_length=20)
    temperature = models.FloatField(null=True, blank=True)
    max_tokens = models.PositiveIntegerField(null=True, blank=True)
    json_answer = models.BooleanField(default=True)
    is_stand_in = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"judge {self.pk}"


class Probe(models.Model):
    """What an endpoint and its LLM made of a made-up dialogue; insert-only.

    `findings` is {what was tried: what came of it}; `seconds` are those of the first request.
    """

    llm = models.CharField(max_length=200)
    base_url = models.CharField(max_length=300)
    findings = models.JSONField()
    seconds = models.FloatField()
    made_at = models.DateTimeField()
    made_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        indexes = [models.Index(fields=["llm", "base_url"])]

    def __str__(self) -> str:
        return f"probe {self.pk}"

    @property
    def has_answered(self) -> bool:
        return "json" in self.findings


class RunState(models.TextChoices):
    RUNNING = "running", _("Running")
    PAUSED = "paused", _("Paused")
    FINISHED = "finished", _("Finished")


class JudgeRun(models.Model):
    """One pass of a judge over the items of a study, with r repeats one after the other.

    Calls are made under the access of `authority`: who started the run, then who last resumed it;
    None where it was a command on the server. `round` is set where only its items are asked.
    `used_…` counts what was asked and what is set aside for the calls under way; a worker that
    dies leaves there what it had set aside, for it may have been asked. `probe` is the newest
    one of the LLM at the start.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="judge_runs")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="runs")
    rubric_version = models.ForeignKey(RubricVersion, on_delete=models.PROTECT)
    round = models.ForeignKey(
        Round, null=True, blank=True, on_delete=models.PROTECT, related_name="judge_runs"
    )
    repeats = models.PositiveSmallIntegerField(default=1)
    concurrency = models.PositiveSmallIntegerField(default=8)
    limit_requests = models.PositiveIntegerField(null=True, blank=True)
    limit_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    used_requests = models.PositiveIntegerField(default=0)
    used_tokens = models.PositiveBigIntegerField(default=0)
    probe = models.ForeignKey(
        Probe, null=True, blank=True, on_delete=models.PROTECT, related_name="runs"
    )
    state = models.CharField(max_length=20, choices=RunState.choices, default=RunState.RUNNING)
    pause_reason = models.CharField(max_length=30, blank=True)
    started_at = models.DateTimeField()
    started_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    authority = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "judge"],
                condition=~models.Q(state="finished"),
                name="one_unfinished_run_a_judge",
            ),
            models.CheckConstraint(
                name="a_paused_run_says_why",
                condition=models.Q(state="paused") & ~models.Q(pause_reason="")
                | ~models.Q(state="paused") & models.Q(pause_reason=""),
            ),
            models.CheckConstraint(
                name="finished_at_goes_with_finished",
                condition=models.Q(state="finished", finished_at__isnull=False)
                | ~models.Q(state="finished") & models.Q(finished_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.pk}"

    @property
    def limit(self) -> Limit:
        return Limit(requests=self.limit_requests, tokens=self.limit_tokens)

    @property
    def used(self) -> Use:
        return Use(requests=self.used_requests, tokens=self.used_tokens)


class CallState(models.TextChoices):
    PENDING = "pending", _("Pending")
    LEASED = "leased", _("Under way")
    DONE = "done", _("Done")


def _of_the_last_exchange(name: str) -> models.GeneratedField:
    """What the endpoint said of its last answer; null as long as there is none."""
    return models.GeneratedField(
        expression=KeyTextTransform(name, KeyTransform("-1", "exchanges")),
        output_field=models.TextField(null=True),
        db_persist=True,
    )


class JudgeCall(models.Model):
    """One item put to a judge once, with its raw answers and all that explains them.

    `attempts` counts claims; a claim that has been overtaken by another may no longer write.
    `set_aside` is no column: what its worker holds of the run's limit for it.
    `answered_llm` and `answered_fingerprint` are who answered, by the endpoint's own account.
    """

    set_aside = Use()

    run = models.ForeignKey(JudgeRun, on_delete=models.PROTECT, related_name="calls")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="judge_calls")
    repeat = models.PositiveSmallIntegerField()
    position = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=CallState.choices, default=CallState.PENDING)
    leased_until = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    outcome = models.CharField(max_length=30, choices=Outcome.choices, blank=True)
    problem = models.CharField(max_length=100, blank=True)
    submission = models.OneToOneField(
        Submission, null=True, blank=True, on_delete=models.PROTECT, related_name="judge_call"
    )
    prompt_sha256 = models.CharField(max_length=64, blank=True)
    item_sha256 = models.CharField(max_length=64, blank=True)
    exchanges = models.JSONField(
        default=list,
        help_text=(
            "Each request in turn: what it asked, the hash of its prompt, the raw text, and what "
            "the endpoint said of it: id, LLM, fingerprint, usage, how it ended."
        ),
    )
    answered_llm = _of_the_last_exchange("llm")
    answered_fingerprint = _of_the_last_exchange("fingerprint")
    sent_at = models.DateTimeField(null=True, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "item", "repeat"], name="an_item_once_a_repeat"),
            models.CheckConstraint(
                name="a_done_call_has_an_outcome",
                condition=models.Q(state="done") & ~models.Q(outcome="")
                | ~models.Q(state="done") & models.Q(outcome=""),
            ),
        ]
        indexes = [
            models.Index(
                fields=["run", "repeat", "position"],
                condition=~models.Q(state="done"),
                name="calls_still_to_make",
            )
        ]

    def __str__(self) -> str:
        return f"call {self.pk}"
