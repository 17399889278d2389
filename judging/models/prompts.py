"""Prompts that studies wrote, and what was sent."""

from django.db import models

from accounts.models import User
from annotation.models import Study


class PromptTemplate(models.Model):
    """One version of a prompt that a study wrote: TOML, word for word, never changed."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="prompt_templates")
    name = models.SlugField(max_length=60)
    number = models.PositiveIntegerField()
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    note = models.CharField(max_length=200, blank=True)
    written_at = models.DateTimeField()
    written_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name", "number"], name="a_prompt_has_a_version_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.number}"


class SentText(models.Model):
    """A text that was sent to an LLM, kept once under its SHA-256; insert-only.

    The exchanges of a call name the texts of their messages by these.
    """

    sha256 = models.CharField(max_length=64, primary_key=True)
    text = models.TextField()

    def __str__(self) -> str:
        return f"sent text {self.sha256[:12]}"
