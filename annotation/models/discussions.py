"""What is said about an item on which raters differ, and how they vote after it."""

from django.db import models
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual

from accounts.models import User
from annotation.models.raters import Rater
from annotation.models.rounds import RoundItem
from annotation.rules.remarks import LONGEST


class DiscussionRemark(models.Model):
    """One thing that a rater or moderator said; it is never changed or deleted."""

    round_item = models.ForeignKey(RoundItem, on_delete=models.PROTECT, related_name="remarks")
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    written_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(name="a_remark_says_something", condition=~models.Q(text="")),
            models.CheckConstraint(
                name="a_remark_has_an_end", condition=LessThanOrEqual(Length("text"), LONGEST)
            ),
        ]

    def __str__(self) -> str:
        return f"remark {self.pk}"


class SecondVote(models.Model):
    """What a rater answers to one criterion after the discussion; the newest counts.

    The independent answer stays as it is, and is what agreement is computed from.
    """

    round_item = models.ForeignKey(RoundItem, on_delete=models.PROTECT, related_name="votes")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="+")
    criterion_key = models.CharField(max_length=60)
    label = models.CharField(max_length=60, null=True, blank=True)  # noqa: DJ001 -- null: no label
    score = models.SmallIntegerField(null=True, blank=True)
    given_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="a_vote_is_a_label_or_a_score",
                condition=models.Q(label__isnull=False, score__isnull=True)
                | models.Q(label__isnull=True, score__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"vote {self.pk}"
