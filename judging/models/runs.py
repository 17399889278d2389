"""Runs of judges over items."""

from decimal import Decimal

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.models import HoldOut, Round, RubricVersion, Study
from judging.models.comparisons import ReplyComparison
from judging.models.endpoints import Probe
from judging.models.generations import Generation
from judging.models.judges import Judge
from judging.models.sentinels import SentinelSet
from judging.rules.budget import Limit, Price, Use


class RunState(models.TextChoices):
    RUNNING = "running", _("Running")
    PAUSED = "paused", _("Paused")
    FINISHED = "finished", _("Finished")


class JudgeRun(models.Model):
    """One pass of a judge over the items of a study, with r repeats, the first begun first.

    Calls are made under the access of `authority`: who started the run, then who last resumed it;
    None where it was a command on the server. `round` is set where only its items are asked, and
    `retry_of` where only what the endpoint failed at in another run is. What a run of `sentinels` is
    answered is compared and is no rating; what one of a `generation` is answered is a reply, and what
    one of a `comparison` is answered a preference.
    `used_…` counts what was asked and what is set aside for the calls under way; a worker that
    dies leaves there what it had set aside, for it may have been asked. `price_…` are of the day
    of the start, for a million tokens. `probe` is the newest one of the LLM at the start. `by_batch`
    calls are sent in batches, not one by one.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="judge_runs")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="runs")
    rubric_version = models.ForeignKey(RubricVersion, on_delete=models.PROTECT)
    round = models.ForeignKey(
        Round, null=True, blank=True, on_delete=models.PROTECT, related_name="judge_runs"
    )
    retry_of = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="retries"
    )
    sentinels = models.ForeignKey(
        SentinelSet, null=True, blank=True, on_delete=models.PROTECT, related_name="runs"
    )
    generation = models.ForeignKey(
        Generation, null=True, blank=True, on_delete=models.PROTECT, related_name="runs"
    )
    comparison = models.ForeignKey(
        ReplyComparison, null=True, blank=True, on_delete=models.PROTECT, related_name="runs"
    )
    repeats = models.PositiveSmallIntegerField(default=1)
    concurrency = models.PositiveSmallIntegerField(default=8)
    by_batch = models.BooleanField(default=False)
    limit_requests = models.PositiveIntegerField(null=True, blank=True)
    limit_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    limit_money = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    used_requests = models.PositiveIntegerField(default=0)
    used_tokens = models.PositiveBigIntegerField(default=0)
    used_money = models.DecimalField(max_digits=16, decimal_places=8, default=Decimal(0))
    price_prompt = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    price_answer = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    price_cached = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    currency = models.CharField(max_length=3, blank=True)
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
                name="money_is_limited_where_it_has_a_price",
                condition=models.Q(limit_money=None)
                | models.Q(price_prompt__isnull=False, price_answer__isnull=False),
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
        return Limit(requests=self.limit_requests, tokens=self.limit_tokens, money=self.limit_money)

    @property
    def used(self) -> Use:
        return Use(requests=self.used_requests, tokens=self.used_tokens, money=self.used_money)

    @property
    def price(self) -> Price | None:
        """What the LLM cost when the run began; None where nobody had said."""
        if self.price_prompt is None or self.price_answer is None:
            return None
        return Price(
            prompt=self.price_prompt,
            answer=self.price_answer,
            cached=self.price_cached,
            currency=self.currency,
        )


class HoldOutUse(models.Model):
    """A run that asked a judge about the hold-out of a study; insert-only.

    `family`: whose prompt it was, "" for Concord's own; versions of one prompt are one family, as
    each was written by somebody who knew what came of those before. `reason`: why the hold-out was
    used again, "" the first time.
    """

    hold_out = models.ForeignKey(HoldOut, on_delete=models.PROTECT, related_name="uses")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="hold_out_uses")
    run = models.OneToOneField(JudgeRun, on_delete=models.PROTECT, related_name="hold_out_use")
    family = models.CharField(max_length=60, blank=True)
    n_items = models.PositiveIntegerField()
    reason = models.CharField(max_length=300, blank=True)
    used_at = models.DateTimeField()
    used_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    def __str__(self) -> str:
        return f"use {self.pk} of a hold-out"


class RunAnswerer(models.Model):
    """Who answered calls of a run by the endpoint's own account, and when first.

    The database writes it as calls end, so that nobody has to look through all of them for it;
    `fingerprint` is "" where none was named. `first_call` is the lowest number of these calls.
    """

    run = models.ForeignKey(JudgeRun, on_delete=models.CASCADE, related_name="answerers")
    llm = models.TextField()
    fingerprint = models.TextField(blank=True)
    first_at = models.DateTimeField(null=True)
    first_call = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "llm", "fingerprint"], name="an_answerer_of_a_run_once"
            )
        ]

    def __str__(self) -> str:
        return f"answerer {self.pk} of a run"
