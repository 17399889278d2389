"""The audit trail."""

from django.db import models

from accounts.models.users import User


class Event(models.Model):
    """One line of the audit trail; the database refuses to change or delete it."""

    verb = models.CharField(max_length=60)
    actor = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="events"
    )
    subject = models.CharField(max_length=100)
    at = models.DateTimeField()
    facts = models.JSONField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["subject", "at"]), models.Index(fields=["actor", "at"])]

    def __str__(self) -> str:
        return f"event {self.pk}"
