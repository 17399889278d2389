"""Anyone or anything that rates."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import User


class RaterKind(models.TextChoices):
    HUMAN = "human", _("Human")
    JUDGE = "judge", _("LLM judge")


class Rater(models.Model):
    """A person or a judge, as the author of ratings; has at most one account.

    `own_generators` are the sources a judge must not be measured on: its own family.
    """

    key = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=150)
    kind = models.CharField(max_length=10, choices=RaterKind.choices)
    user = models.OneToOneField(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="rater"
    )
    own_generators = ArrayField(models.CharField(max_length=100), default=list, blank=True)

    def __str__(self) -> str:
        return f"rater {self.pk}"
