"""The account of a person."""

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    """What an account may do on the whole server; roles in a study are its team's affair."""

    STEWARD = "steward", _("Data steward")
    ADMIN = "admin", _("Administrator")
    AUDITOR = "auditor", _("Auditor")


class UserManager(BaseUserManager):
    def create_user(self, email, password=None, **fields):
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, email):
        return self.get(email=email.lower())


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
    suspended_at = models.DateTimeField(null=True, blank=True)
    suspended_by = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    objects = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = ["full_name"]

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="suspended_at_and_by_go_together",
                condition=models.Q(suspended_at__isnull=True, suspended_by__isnull=True)
                | models.Q(suspended_at__isnull=False, suspended_by__isnull=False),
            )
        ]

    def __str__(self):
        return f"account {self.pk}"
