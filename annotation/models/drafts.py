"""Half-filled forms. A draft is no rating: nobody but its writer reads it, and it never leaves."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.models.rounds import Assignment, Round, RoundItem


class DraftForm(models.TextChoices):
    """Which form was begun."""

    RATING = "rating", _("Rating")
    CORRECTION = "correction", _("Correction")
    ADJUDICATION = "adjudication", _("Adjudication")
    REVISION = "revision", _("Revision")
    REMARK = "remark", _("Discussion")


OF_A_CASE = (DraftForm.ADJUDICATION, DraftForm.REVISION, DraftForm.REMARK)


class Draft(models.Model):
    """What somebody has filled in of one form and not sent; it ends with the form or its round.

    The table is a logged one: a draft is written once a pause in typing, which costs little, and
    what was typed should outlive a crash of the database too.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="drafts")
    form = models.CharField(max_length=20, choices=DraftForm.choices)
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="drafts")
    assignment = models.ForeignKey(
        Assignment,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="drafts",
        db_index=False,
    )
    round_item = models.ForeignKey(
        RoundItem,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="drafts",
        db_index=False,
    )
    fields = models.JSONField(default=dict)
    words = models.TextField(blank=True)
    writer = models.UUIDField()
    version = models.PositiveIntegerField()
    kept_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "form", "user"], name="one_draft_an_assignment"
            ),
            models.UniqueConstraint(fields=["round_item", "form", "user"], name="one_draft_a_case"),
            models.CheckConstraint(
                name="a_draft_is_of_one_form",
                condition=models.Q(
                    form__in=[form.value for form in OF_A_CASE],
                    assignment__isnull=True,
                    round_item__isnull=False,
                )
                | models.Q(
                    form__in=["rating", "correction"],
                    assignment__isnull=False,
                    round_item__isnull=True,
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"draft {self.pk}"
