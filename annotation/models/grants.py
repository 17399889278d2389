"""Grants: what of a data set a person may have, from request to end; and the decision in SQL."""

from datetime import datetime

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.models.data_sets import DataSet
from annotation.rules.granting import DataLevel, GrantStage

LEVELS = {
    DataLevel.AGGREGATES: _("Aggregate figures"),
    DataLevel.OPEN_SPLIT: _("Open split"),
    DataLevel.RESTRICTED_SPLIT: _("Restricted split"),
    DataLevel.MAJORITY: _("Gold"),
    DataLevel.PER_RATER: _("Ratings by rater"),
    DataLevel.COMMENTS: _("Comments"),
    DataLevel.ITEM_TEXT: _("Texts"),
    DataLevel.TEXT_AWAY: _("Texts in exports"),
}
STAGES = {
    GrantStage.REQUESTED: _("Waits for the data steward"),
    GrantStage.ESCALATED: _("Waits for any data steward"),
    GrantStage.RETURNED: _("Returned with a question"),
    GrantStage.REFUSED: _("Refused"),
    GrantStage.APPROVED: _("Approved"),
}


class GrantQuerySet(models.QuerySet["Grant"]):
    def in_force(self, at: datetime | models.Expression) -> "GrantQuerySet":
        """What is approved and holds at this moment."""
        not_revoked = Q(revoked_at=None) | Q(revoked_at__gt=at)
        return self.filter(not_revoked, stage=GrantStage.APPROVED, since__lte=at, until__gt=at)


class Grant(models.Model):
    """One level of a data set for one person, with its purpose and its end.

    `proposed_by` is who asked for it: the person, or a coordinator; None: the server's console.
    A renewed grant is a new row, and so is the answer to one that was returned.
    """

    data_set = models.ForeignKey(DataSet, on_delete=models.PROTECT, related_name="grants")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="grants")
    level = models.CharField(max_length=20, choices=[(one.value, LEVELS[one]) for one in DataLevel])
    purpose = models.TextField()
    proposed_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    asked_at = models.DateTimeField()
    stage = models.CharField(
        max_length=20,
        choices=[(one.value, STAGES[one]) for one in GrantStage],
        default=GrantStage.REQUESTED.value,
    )
    since = models.DateTimeField(null=True, blank=True)
    until = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    objects = GrantQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["person", "data_set", "level"])]
        constraints = [
            models.UniqueConstraint(
                fields=["person", "data_set", "level"],
                condition=Q(stage__in=["requested", "escalated"]),
                name="one_open_request_a_level",
            ),
            models.CheckConstraint(
                name="grant_level_is_known",
                condition=Q(level__in=[level.value for level in DataLevel]),
            ),
            models.CheckConstraint(
                name="what_is_approved_has_its_term",
                condition=Q(stage="approved", since__isnull=False, until__gt=F("since"))
                | (~Q(stage="approved") & Q(since__isnull=True, until__isnull=True)),
            ),
            models.CheckConstraint(
                name="only_what_was_approved_is_revoked",
                condition=Q(revoked_at__isnull=True) | Q(stage="approved"),
            ),
        ]

    def __str__(self) -> str:
        return f"grant {self.pk}"


class GrantDecision(models.Model):
    """One act on a request for a grant; insert-only. Without `by` it was the server's console."""

    grant = models.ForeignKey(Grant, on_delete=models.PROTECT, related_name="decisions")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    what = models.CharField(
        max_length=20,
        choices=[(one, one) for one in ("revoked", *(state.value for state in GrantStage))],
    )
    by = models.ForeignKey(User, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["grant", "by"],
                condition=Q(what="approved"),
                name="two_approvals_are_of_two_people",
            ),
            models.CheckConstraint(
                name="nobody_approves_a_grant_of_their_own",
                condition=~Q(what="approved") | Q(by__isnull=True) | ~Q(by=F("person")),
            ),
            models.CheckConstraint(
                name="a_refused_grant_has_a_reason",
                condition=~Q(what__in=["refused", "returned"]) | ~Q(reason=""),
            ),
        ]

    def __str__(self) -> str:
        return f"grant decision {self.pk}"


class BrokenGlass(models.Model):
    """An hour in which a person without a grant reads a data set, with a witness and a reason.

    It holds from the moment at which the witness, another person, has agreed.
    """

    data_set = models.ForeignKey(DataSet, on_delete=models.PROTECT, related_name="broken_glasses")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="broken_glasses")
    reason = models.TextField()
    asked_at = models.DateTimeField()
    witness = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    since = models.DateTimeField(null=True, blank=True)
    until = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "broken glasses"
        constraints = [
            models.CheckConstraint(
                name="nobody_witnesses_themself",
                condition=Q(witness__isnull=True) | ~Q(witness=F("person")),
            ),
            models.CheckConstraint(
                name="glass_breaks_before_a_witness",
                condition=Q(witness__isnull=True, since__isnull=True, until__isnull=True)
                | Q(witness__isnull=False, since__isnull=False, until__gt=F("since")),
            ),
            models.CheckConstraint(name="glass_breaks_for_a_reason", condition=~Q(reason="")),
        ]

    def __str__(self) -> str:
        return f"broken glass {self.pk}"
