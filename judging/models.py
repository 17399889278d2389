"""Judges, their runs over items, and each request that was made."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.models import Item, Rater, RubricVersion, Study, Submission


class Manner(models.TextChoices):
    """How the rubric is asked: all of it in one request, or a taxonomy node by node."""

    FLAT = "flat", _("All at once")
    SEQUENTIAL = "sequential", _("Node by node")


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

    def __str__(self):
        return f"judge {self.pk}"


class RunState(models.TextChoices):
    RUNNING = "running", _("Running")
    PAUSED = "paused", _("Paused")
    FINISHED = "finished", _("Finished")


class JudgeRun(models.Model):
    """One pass of a judge over the items of a study, with r repeats one after the other."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="judge_runs")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="runs")
    rubric_version = models.ForeignKey(RubricVersion, on_delete=models.PROTECT)
    repeats = models.PositiveSmallIntegerField(default=1)
    concurrency = models.PositiveSmallIntegerField(default=8)
    state = models.CharField(max_length=20, choices=RunState.choices, default=RunState.RUNNING)
    pause_reason = models.CharField(max_length=300, blank=True)
    started_at = models.DateTimeField()
    started_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "judge"],
                condition=~models.Q(state="finished"),
                name="one_unfinished_run_a_judge",
            )
        ]

    def __str__(self):
        return f"run {self.pk}"


class CallState(models.TextChoices):
    PENDING = "pending", _("Pending")
    LEASED = "leased", _("Under way")
    DONE = "done", _("Done")


class JudgeCall(models.Model):
    """One request for one item and repeat, with its raw answer and all that explains it."""

    run = models.ForeignKey(JudgeRun, on_delete=models.PROTECT, related_name="calls")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="judge_calls")
    repeat = models.PositiveSmallIntegerField()
    position = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=CallState.choices, default=CallState.PENDING)
    leased_until = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    outcome = models.CharField(max_length=30, blank=True)
    problem = models.CharField(max_length=300, blank=True)
    submission = models.OneToOneField(
        Submission, null=True, blank=True, on_delete=models.PROTECT, related_name="judge_call"
    )
    prompt_sha256 = models.CharField(max_length=64, blank=True)
    item_sha256 = models.CharField(max_length=64, blank=True)
    raw = models.TextField(blank=True)
    answer = models.JSONField(
        default=dict,
        help_text="What the endpoint said of its answer: id, model, fingerprint, usage, finish.",
    )
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

    def __str__(self):
        return f"call {self.pk}"
