"""Replies that are put to a judge two by two."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.models import Study
from judging.rules import comparing


class PairingChoice(models.TextChoices):
    """Which replies to a conversation are held against each other."""

    ALL = comparing.Pairing.ALL.value, _("Every two of different sources")
    REFERENCE = comparing.Pairing.REFERENCE.value, _("Each against those of one source")


class ReplyComparison(models.Model):
    """Pairs of replies to the same conversations, put to a judge; never changed.

    `seed` draws the pairs, where only `most` of them are asked about, and which reply stands first.
    `both_orders`: each pair is asked about the other way round as well. `overall`: which is better
    on the whole, instead of on each scale of the rubric. `values`: a value for each of both on each
    scale, of which the higher is preferred. `ties`: whether neither may be the answer.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="comparisons")
    pairing = models.CharField(
        max_length=20, choices=PairingChoice.choices, default=PairingChoice.ALL
    )
    reference = models.CharField(max_length=100, blank=True)
    most = models.PositiveIntegerField(null=True, blank=True)
    both_orders = models.BooleanField(default=True)
    overall = models.BooleanField(default=False)
    values = models.BooleanField(default=False)
    ties = models.BooleanField(default=True)
    seed = models.CharField(max_length=64)
    n_pairs = models.PositiveIntegerField()
    started_at = models.DateTimeField()
    started_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="a_reference_is_named_where_there_is_one",
                condition=models.Q(pairing="reference") & ~models.Q(reference="")
                | ~models.Q(pairing="reference") & models.Q(reference=""),
            ),
            models.CheckConstraint(
                name="values_are_on_scales", condition=~models.Q(overall=True, values=True)
            ),
        ]

    def __str__(self) -> str:
        return f"comparison {self.pk}"
