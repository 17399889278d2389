"""Judges: LLMs that rate."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models import Rater
from judging.models.endpoints import LLMEndpoint
from judging.models.prompts import PromptTemplate
from judging.rules import questions


class Manner(models.TextChoices):
    """How the rubric is asked: all in one request, by criterion, or a taxonomy node by node."""

    FLAT = questions.AskingManner.FLAT.value, _("All at once")
    EACH = questions.AskingManner.EACH.value, _("One criterion at a time")
    SEQUENTIAL = questions.AskingManner.SEQUENTIAL.value, _("Node by node")


class Judge(models.Model):
    """One immutable edition of an LLM rater: which LLM, asked how, with which settings.

    `template` is the prompt that its study wrote; without one it is Concord's own. Without an
    `endpoint` it is asked where the server is set up to ask.
    """

    rater = models.OneToOneField(Rater, on_delete=models.PROTECT, related_name="judge")
    llm = models.CharField(max_length=200)
    base_url = models.CharField(max_length=300)
    endpoint = models.ForeignKey(
        LLMEndpoint, null=True, blank=True, on_delete=models.PROTECT, related_name="judges"
    )
    manner = models.CharField(max_length=20, choices=Manner.choices, default=Manner.FLAT)
    prompt_language = models.CharField(max_length=10, default="en")
    prompt_edition = models.CharField(max_length=20)
    template = models.ForeignKey(
        PromptTemplate, null=True, blank=True, on_delete=models.PROTECT, related_name="judges"
    )
    temperature = models.FloatField(null=True, blank=True)
    max_tokens = models.PositiveIntegerField(null=True, blank=True)
    json_answer = models.BooleanField(default=True)
    is_stand_in = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"judge {self.pk}"
