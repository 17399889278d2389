"""Which items are apart: in the open split of a data set, or held out in a study.

The split says who may read an item, for good; a hold-out what judges are asked about, and when.
"""

from django.db import models

from accounts.models import User
from annotation.models.data_sets import DataSet
from annotation.models.studies import Study


class Division(models.Model):
    """One drawing of items into the open split: with which seed, and which share of each stratum.

    The same seed, share and items give the same split.
    """

    data_set = models.ForeignKey(DataSet, on_delete=models.PROTECT, related_name="divisions")
    seed = models.CharField(max_length=64)
    open_percent = models.PositiveSmallIntegerField()
    divided_at = models.DateTimeField()
    divided_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="a_share_is_of_a_hundred", condition=models.Q(open_percent__lte=100)
            )
        ]

    def __str__(self) -> str:
        return f"division {self.pk}"


class OpenItem(models.Model):
    """An item of the open split; it stays there, as what was open once cannot be closed."""

    item = models.OneToOneField("annotation.Item", on_delete=models.PROTECT, related_name="opened")
    division = models.ForeignKey(Division, on_delete=models.PROTECT, related_name="open_items")

    def __str__(self) -> str:
        return f"open item {self.pk}"


class HoldOut(models.Model):
    """Items of a study about which no judge is asked while its prompt is being worked on.

    Drawn once, with a seed, the same share of each stratum; only its end is written later.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="hold_outs")
    seed = models.CharField(max_length=64)
    percent = models.PositiveSmallIntegerField()
    drawn_at = models.DateTimeField()
    drawn_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    end_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study"],
                condition=models.Q(ended_at=None),
                name="one_hold_out_at_a_time",
            ),
            models.CheckConstraint(
                name="a_hold_out_is_a_part", condition=models.Q(percent__gt=0, percent__lt=100)
            ),
            models.CheckConstraint(
                name="a_hold_out_ends_with_a_reason",
                condition=models.Q(ended_at=None, end_reason="")
                | models.Q(ended_at__isnull=False) & ~models.Q(end_reason=""),
            ),
        ]

    def __str__(self) -> str:
        return f"hold-out {self.pk}"


class HeldOutItem(models.Model):
    """An item of a hold-out."""

    hold_out = models.ForeignKey(HoldOut, on_delete=models.PROTECT, related_name="held_out_items")
    item = models.ForeignKey(
        "annotation.Item", on_delete=models.PROTECT, related_name="held_out_in"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["hold_out", "item"], name="an_item_is_held_out_once")
        ]

    def __str__(self) -> str:
        return f"held-out item {self.pk}"
