"""What a rater holds against a decision, once it was told, and what came of it."""

from django.db import models
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual

from accounts.models import User
from annotation.models.raters import Rater
from annotation.models.rounds import RoundItem
from annotation.rules.remarks import LONGEST


class Dispute(models.Model):
    """One rater's objection to the decision on one item, and its answer."""

    round_item = models.ForeignKey(RoundItem, on_delete=models.PROTECT, related_name="disputes")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    raised_at = models.DateTimeField()
    answer = models.TextField(blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round_item", "rater"], name="a_rater_disputes_a_decision_once"
            ),
            models.CheckConstraint(name="a_dispute_says_why", condition=~models.Q(text="")),
            models.CheckConstraint(
                name="a_dispute_has_an_end",
                condition=LessThanOrEqual(Length("text"), LONGEST)
                & LessThanOrEqual(Length("answer"), LONGEST),
            ),
            models.CheckConstraint(
                name="a_dispute_is_answered_in_words",
                condition=models.Q(answer="", answered_at__isnull=True, answered_by__isnull=True)
                | (
                    ~models.Q(answer="")
                    & models.Q(answered_at__isnull=False, answered_by__isnull=False)
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"dispute {self.pk}"
