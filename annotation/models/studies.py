"""A study and the people on its team."""

import secrets
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import BigIntegerField, OuterRef, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Cast, Coalesce
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.models.data_sets import DataSet
from annotation.models.rubrics import RubricVersion
from annotation.rubric.schema import Text, tag_of
from annotation.rules.protocol import AT_ONCE, as_data, from_data


def new_release_key() -> str:
    return secrets.token_hex(32)


def decided_at_once() -> dict[str, Any]:
    return as_data(AT_ONCE)


def revision_of(study: str) -> Coalesce:
    """The revision of the study that a field names, in the same statement as its row."""
    counted = ChangeCount.objects.filter(study=OuterRef(study)).order_by().values("study")
    total = counted.annotate(total=Cast(Sum("n"), BigIntegerField())).values("total")
    return Coalesce(Subquery(total), Value(0), output_field=BigIntegerField())


class StudyManager(models.Manager["Study"]):
    def get_queryset(self) -> QuerySet["Study"]:
        studies = super().get_queryset()
        return studies.annotate(revision=revision_of("pk"))  # type: ignore[no-redef]  # the property

    def revision_now(self, study_id: int) -> int:
        counted = ChangeCount.objects.filter(study=study_id)
        return int(counted.aggregate(total=Sum("n", default=0))["total"])


class Study(models.Model):
    """A question somebody wants answered: a rubric, items and rounds.

    `judges_blinded_at`: since when figures tell no judge's name; `judges_named_at`: since when they
    do again, `judges_named_why` where somebody wanted that before a verdict was sealed.
    """

    data_set = models.ForeignKey(DataSet, on_delete=models.PROTECT, related_name="studies")
    key = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=200)
    # {language: what it is about}, in the languages that somebody wrote it in.
    descriptions = models.JSONField(default=dict, blank=True)
    language = models.CharField(max_length=10, default="en")
    rubric_version = models.ForeignKey(RubricVersion, on_delete=models.PROTECT)
    protocol = models.JSONField(default=decided_at_once)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    release_key = models.CharField(max_length=64, default=new_release_key, editable=False)
    judges_blinded_at = models.DateTimeField(null=True, blank=True)
    judges_named_at = models.DateTimeField(null=True, blank=True)
    judges_named_why = models.CharField(max_length=300, blank=True)

    objects = StudyManager()

    class Meta:
        verbose_name_plural = "studies"
        base_manager_name = "objects"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(judges_named_at=None)
                | models.Q(judges_blinded_at__isnull=False),
                name="only_blinded_judges_are_named",
            ),
            models.CheckConstraint(
                condition=models.Q(judges_named_why="") | models.Q(judges_named_at__isnull=False),
                name="a_reason_to_name_judges_names_them",
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @cached_property
    def revision(self) -> int:
        """How often its ratings have changed: read with its row, or where that came by way of
        another, when it is asked for."""
        return Study.objects.revision_now(self.pk)

    def refresh_from_db(
        self,
        using: str | None = None,
        fields: Iterable[str] | None = None,
        from_queryset: QuerySet["Study"] | None = None,
    ) -> None:
        super().refresh_from_db(using, fields, from_queryset)
        if fields is None:
            self.revision = Study.objects.revision_now(self.pk)

    @property
    def description(self) -> Text:
        return Text(**{tag_of(tag): words for tag, words in self.descriptions.items()})

    @property
    def asks_to_qualify(self) -> bool:
        """Whether its next ordinary rounds are for those only who have passed or were let in."""
        return from_data(self.protocol).qualified_only

    @property
    def judges_are_blinded(self) -> bool:
        return self.judges_blinded_at is not None and self.judges_named_at is None


class ChangeCount(models.Model):
    """Some of the changes of a study's ratings, counted: its revision is the sum.

    Whoever changes ratings holds a row of these until they commit. In a single one all who rate in a
    study would pass one by one; in one a session of the database hardly anybody waits.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="+")
    slot = models.PositiveSmallIntegerField()
    n = models.PositiveBigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "slot"], name="one_count_a_slot")]

    def __str__(self) -> str:
        return f"count of changes {self.pk}"


class TeamRole(models.TextChoices):
    """What an approved account may do in one study."""

    COORDINATOR = "coordinator", _("Coordinator")
    ANNOTATOR = "annotator", _("Annotator")
    ADJUDICATOR = "adjudicator", _("Adjudicator")
    RESEARCHER = "researcher", _("Researcher")
    EXPORTER = "exporter", _("Exporter")


class Membership(models.Model):
    """An account's roles in a study; without one the study does not exist for it."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    roles = ArrayField(models.CharField(max_length=20, choices=TeamRole.choices))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="one_membership_a_study")
        ]

    def __str__(self) -> str:
        return f"membership {self.pk}"
