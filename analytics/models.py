"""Figures as they were computed, and files that left."""

from django.db import models

from accounts.models import User
from annotation.models import Study


class Snapshot(models.Model):
    """One part of what is known of a study, in one view, at one revision of its ratings.

    `edition` is that of the report's form: one written by another edition is computed anew.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="snapshots")
    part = models.CharField(max_length=30)
    with_off_scale = models.BooleanField()
    with_quarantined = models.BooleanField()
    revision = models.PositiveBigIntegerField()
    edition = models.PositiveIntegerField()
    computed_at = models.DateTimeField()
    report = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "part", "with_off_scale", "with_quarantined"],
                name="one_snapshot_a_view",
            )
        ]

    def __str__(self):
        return f"snapshot {self.pk}"


class Export(models.Model):
    """A file that left, and the record of what was in it."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="exports")
    exported_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="exports")
    exported_at = models.DateTimeField()
    revision = models.PositiveBigIntegerField()
    manifest = models.JSONField()
    sha256 = models.CharField(max_length=64)

    def __str__(self):
        return f"export {self.pk}"
