"""The account of a person."""

import unicodedata
from typing import TYPE_CHECKING

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from accounts.access import Facts


class Role(models.TextChoices):
    """What an account may do on the whole server; roles in a study are its team's affair."""

    STEWARD = "steward", _("Data steward")
    ADMIN = "admin", _("Administrator")
    AUDITOR = "auditor", _("Auditor")


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: object) -> "User":
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, email: str | None) -> "User":
        return self.get(email=(email or "").lower())


class User(AbstractBaseUser):
    """One person. Never deleted: an account that leaves is deactivated."""

    email = models.EmailField(_("email address"), unique=True)
    full_name = models.CharField(_("full name"), max_length=150)
    affiliation = models.CharField(_("affiliation"), max_length=200, blank=True)
    roles = ArrayField(
        models.CharField(max_length=20, choices=Role.choices), default=list, blank=True
    )
    is_active = models.BooleanField(default=True)
    date_joined = models.DateTimeField(auto_now_add=True)
    approved_until = models.DateTimeField(null=True, blank=True)

    # Only on the account of a request: `accounts.backend` looks both up at once.
    facts: "Facts"

    objects = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = ["full_name"]

    def __str__(self) -> str:
        return f"account {self.pk}"

    def is_called(self, typed_name: str) -> bool:
        """Whether `typed_name` is this person's name, whatever its width, spaces and case."""
        return _folded(typed_name) == _folded(self.full_name)


class Suspension(models.Model):
    """A time during which an account may do nothing; only another person ends it."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="suspensions")
    suspended_at = models.DateTimeField()
    suspended_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField()
    reinstated_at = models.DateTimeField(null=True, blank=True)
    reinstated_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user"],
                condition=models.Q(reinstated_at__isnull=True),
                name="one_suspension_at_a_time",
            ),
            models.CheckConstraint(
                name="nobody_suspends_themself",
                condition=~models.Q(suspended_by=models.F("user")),
            ),
            models.CheckConstraint(
                name="another_person_reinstates",
                condition=models.Q(reinstated_by__isnull=True)
                | (
                    ~models.Q(reinstated_by=models.F("user"))
                    & ~models.Q(reinstated_by=models.F("suspended_by"))
                ),
            ),
            models.CheckConstraint(
                name="reinstated_at_and_by_go_together",
                condition=models.Q(reinstated_at__isnull=True, reinstated_by__isnull=True)
                | models.Q(reinstated_at__isnull=False, reinstated_by__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"suspension {self.pk}"


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).split()).casefold()
