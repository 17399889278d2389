"""Items that are set aside from figures, and why."""

from django.db import models

from accounts.models import User
from annotation.models.items import Item


class Quarantine(models.Model):
    """An item that does not count in figures, from when until when; kept after it is lifted."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="quarantines")
    reason = models.TextField()
    quarantined_at = models.DateTimeField()
    quarantined_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        verbose_name_plural = "quarantine"
        constraints = [
            models.UniqueConstraint(
                fields=["item"],
                condition=models.Q(lifted_at__isnull=True),
                name="one_open_quarantine_an_item",
            ),
            models.CheckConstraint(
                name="a_quarantine_has_a_reason", condition=~models.Q(reason="")
            ),
            models.CheckConstraint(
                name="quarantine_lifted_at_and_by_go_together",
                condition=models.Q(lifted_at__isnull=True, lifted_by__isnull=True)
                | models.Q(lifted_at__isnull=False, lifted_by__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"quarantine {self.pk}"
