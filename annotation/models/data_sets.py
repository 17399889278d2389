"""Data sets: what is governed, in whose care, and what may be sent where."""

import secrets

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import User


def new_secret() -> str:
    return secrets.token_hex(32)


class ProviderPolicy(models.TextChoices):
    """To which LLMs the texts of a data set may be sent."""

    NONE = "none", _("To no LLM")
    SELF_HOSTED = "self_hosted", _("Only to servers of one's own")
    LISTED = "listed", _("Only to the listed hosts")


class DataSet(models.Model):
    """The unit of governance: grants are given for it, and every study belongs to one.

    `steward` is who decides first, None: any data steward. `page_secret` makes the pseudonyms of
    pages, which are not those of any release; `least_raters` is how many a figure needs for who
    sees no single raters.
    """

    key = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=200)
    steward = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    longest_days = models.PositiveIntegerField(default=365)
    provider_policy = models.CharField(
        max_length=20, choices=ProviderPolicy.choices, default=ProviderPolicy.SELF_HOSTED
    )
    processors = ArrayField(models.CharField(max_length=200), default=list, blank=True)
    least_raters = models.PositiveSmallIntegerField(default=5)
    page_secret = models.CharField(max_length=64, default=new_secret, editable=False)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="provider_policy_is_known",
                condition=models.Q(provider_policy__in=ProviderPolicy.values),
            ),
            models.CheckConstraint(
                name="a_grant_lasts_a_day_at_least", condition=models.Q(longest_days__gt=0)
            ),
        ]

    def __str__(self) -> str:
        return self.key
