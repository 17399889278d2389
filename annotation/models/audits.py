"""Items that all raters agree on and an adjudicator decides as well."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual

from accounts.models import User
from annotation.models.rounds import Round, RoundItem
from annotation.rules.remarks import LONGEST


class GoldAudit(models.Model):
    """One item of the sample, which looks to who decides it like one that raters differ on.

    `drawn_in`: the round whose gate drew it. `values`: {criterion: value, or that it is ambiguous}
    once it is decided, `ways`: {graph: the way through it}. It changes no gold: it says how far unanimous gold is right.
    """

    round_item = models.OneToOneField(
        RoundItem, on_delete=models.PROTECT, related_name="gold_audit"
    )
    drawn_in = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="gold_audits")
    criteria = ArrayField(models.CharField(max_length=60))
    drawn_at = models.DateTimeField()
    decided_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    values = models.JSONField(null=True, blank=True)
    ways = models.JSONField(blank=True, default=dict, db_default={})
    reason = models.TextField(blank=True)
    code = models.CharField(max_length=20, blank=True)
    is_overturned = models.BooleanField(null=True, blank=True)

    stands = False  # the item is decided already

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="an_audit_is_decided_whole",
                condition=models.Q(
                    decided_by__isnull=True,
                    decided_at__isnull=True,
                    values__isnull=True,
                    reason="",
                    code="",
                    is_overturned__isnull=True,
                )
                | models.Q(
                    decided_by__isnull=False,
                    decided_at__isnull=False,
                    values__isnull=False,
                    is_overturned__isnull=False,
                )
                & ~models.Q(reason="")
                & ~models.Q(code=""),
            ),
            models.CheckConstraint(
                name="an_audit_s_reason_has_an_end",
                condition=LessThanOrEqual(Length("reason"), LONGEST),
            ),
        ]

    def __str__(self) -> str:
        return f"gold audit {self.pk}"
