"""Which keys a person has put in the place of the usual ones."""

from django.db import models

from accounts.models import User


class OwnKeys(models.Model):
    """{usual key: own key}, of those that are not as usual."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="own_keys")
    keys = models.JSONField(default=dict)

    class Meta:
        verbose_name_plural = "own keys"

    def __str__(self) -> str:
        return f"keys of {self.user_id}"
