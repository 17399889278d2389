"""Submissions and ratings: one table for people, imported files and judges."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual
from django.utils.translation import gettext_lazy as _

from annotation.models.items import Item
from annotation.models.raters import Rater
from annotation.models.rounds import Assignment, Round
from annotation.models.rubrics import RubricVersion
from annotation.models.studies import Study
from annotation.rubric.grounds import LONGEST_RATIONALE
from annotation.rules.remarks import LONGEST


class Origin(models.TextChoices):
    ROUND = "round", _("Rated in a round")
    IMPORT = "import", _("Imported")
    JUDGE = "judge", _("Given by a judge")


class Submission(models.Model):
    """One rater's complete, immutable set of answers for an item; an edit makes a new one.

    `key` is made by the client before it sends, so that a repeated send is the same submission.
    """

    key = models.UUIDField(unique=True)
    # Where db_index is False, another index begins with the column, or nobody looks up by it.
    study = models.ForeignKey(
        Study, on_delete=models.PROTECT, related_name="submissions", db_index=False
    )
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="submissions")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="submissions")
    rubric_version = models.ForeignKey(RubricVersion, on_delete=models.PROTECT, db_index=False)
    origin = models.CharField(max_length=10, choices=Origin.choices)
    round = models.ForeignKey(
        Round, null=True, blank=True, on_delete=models.PROTECT, related_name="submissions"
    )
    assignment = models.ForeignKey(
        Assignment, null=True, blank=True, on_delete=models.PROTECT, related_name="submissions"
    )
    repeat = models.PositiveSmallIntegerField(default=1)
    submitted_at = models.DateTimeField()
    seconds = models.PositiveIntegerField(null=True, blank=True)
    comment = models.TextField(blank=True)
    is_current = models.BooleanField(default=True)
    supersedes = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="superseded_by"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["rater", "item", "round", "repeat"],
                condition=models.Q(is_current=True),
                nulls_distinct=False,
                name="one_current_submission",
            ),
            models.CheckConstraint(
                name="a_round_submission_has_an_assignment",
                condition=models.Q(origin="round", round__isnull=False, assignment__isnull=False)
                | (
                    ~models.Q(origin="round")
                    & models.Q(round__isnull=True, assignment__isnull=True)
                ),
            ),
            models.CheckConstraint(
                name="a_comment_has_an_end", condition=LessThanOrEqual(Length("comment"), LONGEST)
            ),
        ]
        indexes = [models.Index(fields=["study", "rater"])]

    def __str__(self) -> str:
        return f"submission {self.pk}"


class Rating(models.Model):
    """One answer to one criterion: a label, a score, or the reason why there is neither.

    A value off the scale is kept as it came and flagged `off_scale`. `path` is the way through a
    graph of questions, as `node:option node:option`; a label of a list has one way and needs none.
    """

    submission = models.ForeignKey(
        Submission, on_delete=models.PROTECT, related_name="ratings", db_index=False
    )
    criterion_key = models.CharField(max_length=60)
    label = models.CharField(max_length=60, null=True, blank=True)  # noqa: DJ001 -- null: no label
    score = models.SmallIntegerField(null=True, blank=True)
    unscored = models.CharField(max_length=30, blank=True)
    off_scale = models.BooleanField(default=False)
    path = models.TextField(blank=True, db_default="", default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "criterion_key"], name="one_rating_a_criterion"
            ),
            models.CheckConstraint(
                name="rated_or_the_reason_why_not",
                condition=models.Q(label__isnull=False, score__isnull=True, unscored="")
                | models.Q(label__isnull=True, score__isnull=False, unscored="")
                | (models.Q(label__isnull=True, score__isnull=True) & ~models.Q(unscored="")),
            ),
        ]

    def __str__(self) -> str:
        return f"rating {self.pk}"


class RatingGrounds(models.Model):
    """What a rater said beside the value of one criterion; it is in no agreement.

    `evidence` are passages of the dialogue or the reply, as `turn:start-end`: texts of items never
    change, so the words are not kept twice. `unverified` are words that a judge quoted and that are
    in none of them.
    """

    submission = models.ForeignKey(
        Submission, on_delete=models.PROTECT, related_name="grounds", db_index=False
    )
    criterion_key = models.CharField(max_length=60)
    confidence = models.PositiveSmallIntegerField(null=True, blank=True)
    defensible = ArrayField(models.CharField(max_length=60), default=list, blank=True)
    evidence = ArrayField(models.CharField(max_length=30), default=list, blank=True)
    unverified = ArrayField(models.TextField(), default=list, blank=True)
    rationale = models.TextField(blank=True, default="")

    class Meta:
        verbose_name_plural = "rating grounds"
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "criterion_key"], name="grounds_of_a_rating_once"
            ),
            models.CheckConstraint(
                name="grounds_say_something",
                condition=models.Q(confidence__isnull=False)
                | ~models.Q(defensible=[])
                | ~models.Q(evidence=[])
                | ~models.Q(unverified=[])
                | ~models.Q(rationale=""),
            ),
            models.CheckConstraint(
                name="a_rationale_has_an_end",
                condition=LessThanOrEqual(Length("rationale"), LONGEST_RATIONALE),
            ),
        ]

    def __str__(self) -> str:
        return f"grounds {self.pk}"
