"""Who would rather have no letters about work."""

from django.db import models

from accounts.models import User


class LetterChoice(models.Model):
    """Whether somebody is written to when work waits; without a row they are."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="letter_choice")
    wants_letters = models.BooleanField(default=True)

    def __str__(self) -> str:
        return f"letters to {self.user_id}"
