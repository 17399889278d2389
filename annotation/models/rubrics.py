"""Rubrics and their immutable editions."""

from functools import lru_cache

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.models import User
from annotation.rubric import schema
from annotation.rubric.loading import load


class Rubric(models.Model):
    """The ordered criteria of a study, under one name through all editions."""

    key = models.SlugField(max_length=60, unique=True)

    def __str__(self) -> str:
        return self.key


class RubricVersion(models.Model):
    """One edition of a rubric; the database refuses to change or delete it."""

    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    definition = models.JSONField()
    fingerprint = models.CharField(max_length=64)
    published_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rubric", "number"], name="one_version_a_number"),
            models.UniqueConstraint(fields=["rubric", "fingerprint"], name="one_version_a_text"),
        ]

    def __str__(self) -> str:
        return f"{self.rubric_id}.{self.number}"

    @property
    def content(self) -> schema.Rubric:
        """The edition as the rubric engine knows it."""
        return content_of(self.pk)


@lru_cache(maxsize=64)
def content_of(rubric_version_id: int) -> schema.Rubric:
    """Read an edition once a process: it never changes."""
    definition = RubricVersion.objects.values_list("definition", flat=True).get(
        pk=rubric_version_id
    )
    return load(definition)


class RubricDraft(models.Model):
    """The next edition of a study's rubric as one person writes it, as TOML, with its mistakes.

    It holds no text of items and is read by nobody else. `earlier` is what it was before it was
    begun anew from something else.
    """

    study = models.ForeignKey(
        "annotation.Study", on_delete=models.CASCADE, related_name="rubric_drafts"
    )
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="rubric_drafts")
    words = models.TextField()
    earlier = models.TextField(blank=True)
    writer = models.UUIDField()
    version = models.PositiveIntegerField()
    kept_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="one_rubric_draft_a_writer"),
        ]

    def __str__(self) -> str:
        return f"rubric draft {self.pk}"


class RubricChange(models.Model):
    """That a study went on under another edition of its rubric, and what became of its ratings.

    `plan` says what each old value became. What was carried over stands in submissions of its own
    (`carried`); those that it stands for, and those of which nothing could be carried over, are
    `withdrawn`. Nothing is deleted, so all of it can be taken back. `again` are the items that are
    to be rated once more.
    """

    study = models.ForeignKey(
        "annotation.Study", on_delete=models.PROTECT, related_name="rubric_changes"
    )
    before = models.ForeignKey(RubricVersion, on_delete=models.PROTECT, related_name="+")
    after = models.ForeignKey(RubricVersion, on_delete=models.PROTECT, related_name="+")
    plan = models.JSONField()
    carried = ArrayField(models.BigIntegerField(), default=list)
    withdrawn = ArrayField(models.BigIntegerField(), default=list)
    gold_made = ArrayField(models.BigIntegerField(), default=list)
    gold_retired = ArrayField(models.BigIntegerField(), default=list)
    again = ArrayField(models.BigIntegerField(), default=list)
    made_at = models.DateTimeField()
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="undone_at_and_by_go_together",
                condition=models.Q(undone_at__isnull=True, undone_by__isnull=True)
                | models.Q(undone_at__isnull=False, undone_by__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"change {self.pk}"
