"""Items that a judge is asked about again, so that a change is noticed."""

from django.db import models

from accounts.models import User
from annotation.models import Study
from judging.models.judges import Judge


class SentinelSet(models.Model):
    """Items that a judge is asked again every so often, to see whether it is still the same.

    `margin`: the share of answers that may change; fixed beforehand, as is all else but the end.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="sentinel_sets")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="sentinel_sets")
    margin = models.FloatField()
    every_days = models.PositiveSmallIntegerField()
    seed = models.CharField(max_length=64)
    set_at = models.DateTimeField()
    set_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    retired_at = models.DateTimeField(null=True, blank=True)
    retired_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "judge"],
                condition=models.Q(retired_at=None),
                name="one_sentinel_set_a_judge",
            ),
            models.CheckConstraint(
                name="a_margin_is_a_share", condition=models.Q(margin__gt=0, margin__lt=1)
            ),
            models.CheckConstraint(
                name="sentinels_are_asked_again", condition=models.Q(every_days__gt=0)
            ),
        ]

    def __str__(self) -> str:
        return f"sentinels {self.pk}"


class Sentinel(models.Model):
    """An item of such a set, and the call that first answered it."""

    sentinels = models.ForeignKey(SentinelSet, on_delete=models.PROTECT, related_name="members")
    call = models.ForeignKey("JudgeCall", on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sentinels", "call"], name="a_sentinel_stands_once")
        ]

    def __str__(self) -> str:
        return f"sentinel {self.pk}"
