"""Which items of a data set are in its open split; all others are in the restricted one."""

from django.db import models

from accounts.models import User
from annotation.models.data_sets import DataSet


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
