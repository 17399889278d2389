"""What was decided about identifiers when a file was brought in."""

from django.db import models

from accounts.models import User
from annotation.models.studies import Study


class Screening(models.Model):
    """One import in which identifiers were found: how many of which kind, and what became of them.

    `hits` counts them by kind; `kept` holds the kinds of which some stayed, each with the reason
    that was given. No row changes.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="screenings")
    screened_at = models.DateTimeField()
    screened_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    edition = models.PositiveSmallIntegerField()
    hits = models.JSONField()
    redacted = models.PositiveIntegerField()
    dropped = models.PositiveIntegerField()
    kept = models.JSONField()

    def __str__(self) -> str:
        return f"screening {self.pk}"
