"""Rubrics and their immutable editions."""

from functools import lru_cache

from django.db import models

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
