"""Calls that are sent together."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from judging.models.runs import JudgeRun
from judging.rules import batches


class BatchState(models.TextChoices):
    """Where a batch is; after `SENDING` it has a name at its endpoint."""

    SENDING = "sending", _("Being sent")
    SENT = "sent", _("At the endpoint")
    ENDED = "ended", _("Taken in")


class BatchEnding(models.TextChoices):
    """What became of a batch at its endpoint."""

    COMPLETED = batches.BatchEnd.COMPLETED.value, _("Completed")
    EXPIRED = batches.BatchEnd.EXPIRED.value, _("Not completed in time")
    CANCELLED = batches.BatchEnd.CANCELLED.value, _("Cancelled")
    FAILED = batches.BatchEnd.FAILED.value, _("Refused by the endpoint")
    LOST = batches.BatchEnd.LOST.value, _("No longer there")
    NOT_SENT = batches.BatchEnd.NOT_SENT.value, _("Never sent")


class LLMBatch(models.Model):
    """Calls of a run that are sent to its endpoint together, and come back together.

    `key` is what it is known by at the endpoint before `remote_id` is noted here. `requests` is
    {custom id: what is set aside for the call and what was asked}, empty once it has ended; a custom
    id names the call and its claim. `n_answered` is as the endpoint counts them.
    """

    run = models.ForeignKey(JudgeRun, on_delete=models.PROTECT, related_name="batches")
    key = models.CharField(max_length=32, unique=True)
    requests = models.JSONField(default=dict)
    n_calls = models.PositiveIntegerField()
    n_answered = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=10, choices=BatchState.choices, default=BatchState.SENDING)
    ended_as = models.CharField(max_length=20, choices=BatchEnding.choices, blank=True)
    problem = models.CharField(max_length=100, blank=True)
    remote_id = models.CharField(max_length=200, blank=True)
    made_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    look_at = models.DateTimeField()
    cancel_asked_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "LLM batch"
        verbose_name_plural = "LLM batches"
        constraints = [
            models.CheckConstraint(
                name="a_batch_that_ended_says_how",
                condition=models.Q(state="ended", ended_at__isnull=False) & ~models.Q(ended_as="")
                | ~models.Q(state="ended") & models.Q(ended_at=None, ended_as=""),
            ),
            models.CheckConstraint(
                name="a_batch_that_was_sent_has_a_name",
                condition=~models.Q(state="sent") | ~models.Q(remote_id=""),
            ),
        ]
        indexes = [
            models.Index(
                fields=["look_at"], condition=~models.Q(state="ended"), name="batches_to_look_at"
            )
        ]

    def __str__(self) -> str:
        return f"batch {self.pk}"
