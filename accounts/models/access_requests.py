"""The confidentiality agreement, who signed it, and who asked for access."""

import hashlib
from collections.abc import Mapping
from datetime import UTC

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.languages import LONGEST_TAG, spoken_for
from accounts.models.users import User


class Terms(models.Model):
    """One edition of the confidentiality agreement; the newest published one is in force.

    The database refuses to change or delete a published edition.
    """

    number = models.PositiveIntegerField(unique=True)
    # {language: {"title": its title, "body": blocks divided by blank lines}}, one or more.
    texts = models.JSONField(default=dict)
    # What the first editions were signed in. They stay, as their digests are of these columns.
    title_en = models.CharField(max_length=200, blank=True)
    title_zh_hans = models.CharField(max_length=200, blank=True)
    body_en = models.TextField(blank=True)
    body_zh_hans = models.TextField(blank=True)
    sha256 = models.CharField(max_length=64, unique=True)
    valid_days = models.PositiveIntegerField(default=365)
    published_at = models.DateTimeField()
    # Until then a signature under the edition before still counts; None: from its publication on.
    resign_by = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "terms"

    def __str__(self) -> str:
        return f"terms {self.number}"

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that it is written in, as BCP 47 tags in lower case."""
        return tuple(sorted(self._written))

    def spoken_for(self, language: str) -> str:
        """The language in which who reads `language` reads and signs it."""
        return spoken_for(language, self._written)

    def title(self, language: str) -> str:
        return self._written[self.spoken_for(language)]["title"]

    def body(self, language: str) -> str:
        """Blocks divided by blank lines; one that begins with "## " is a heading."""
        return self._written[self.spoken_for(language)]["body"]

    @property
    def _written(self) -> Mapping[str, Mapping[str, str]]:
        return self.texts or {
            "en": {"title": self.title_en, "body": self.body_en},
            "zh-hans": {"title": self.title_zh_hans, "body": self.body_zh_hans},
        }


class TermsAcceptance(models.Model):
    """A signature: insert-only, the database refuses to change or delete it."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="acceptances")
    terms = models.ForeignKey(Terms, on_delete=models.PROTECT, related_name="acceptances")
    typed_name = models.CharField(max_length=150)
    affiliation = models.CharField(max_length=200, blank=True)
    language = models.CharField(max_length=LONGEST_TAG)
    text_sha256 = models.CharField(max_length=64)
    accepted_at = models.DateTimeField()
    effective_until = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["user", "terms", "effective_until"])]

    def __str__(self) -> str:
        return f"acceptance {self.pk}"

    def text(self) -> str:
        """What was signed, with all that was filled in; the same to the byte for ever."""
        signed_at = timezone.localtime(self.accepted_at, UTC).isoformat(timespec="seconds")
        return (
            f"{self.terms.title(self.language)}\n\n{self.terms.body(self.language)}\n\n---\n"
            f"edition: {self.terms.number}\nedition sha256: {self.terms.sha256}\n"
            f"language: {self.language}\nsigned by: {self.typed_name}\n"
            f"affiliation: {self.affiliation}\nsigned at: {signed_at}\n"
        )

    def computed_sha256(self) -> str:
        return hashlib.sha256(self.text().encode()).hexdigest()


class Decision(models.TextChoices):
    OPEN = "open", _("Waiting for a decision")
    APPROVED = "approved", _("Approved")
    REFUSED = "refused", _("Refused")


class AccessRequest(models.Model):
    """An account asks to be approved; a data steward decides and says why."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="access_requests")
    purpose = models.TextField()
    requested_at = models.DateTimeField()
    decision = models.CharField(max_length=20, choices=Decision.choices, default=Decision.OPEN)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    reason = models.TextField(blank=True)
    granted_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user"],
                condition=models.Q(decision="open"),
                name="one_open_request_an_account",
            ),
            models.CheckConstraint(
                name="a_decision_has_a_time_and_a_person",
                condition=models.Q(
                    decision="open", decided_at__isnull=True, decided_by__isnull=True
                )
                | (
                    ~models.Q(decision="open")
                    & models.Q(decided_at__isnull=False, decided_by__isnull=False)
                ),
            ),
            models.CheckConstraint(
                name="approval_has_an_end",
                condition=models.Q(decision="approved", granted_until__isnull=False)
                | (~models.Q(decision="approved") & models.Q(granted_until__isnull=True)),
            ),
            models.CheckConstraint(
                name="refusal_has_a_reason",
                condition=~models.Q(decision="refused") | ~models.Q(reason=""),
            ),
            models.CheckConstraint(
                name="nobody_decides_their_own_request",
                condition=models.Q(decided_by__isnull=True)
                | ~models.Q(decided_by=models.F("user")),
            ),
        ]

    def __str__(self) -> str:
        return f"access request {self.pk}"
