"""Where LLMs are asked, at what price, and what a trial of them found."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from judging.rules import endpoints


class ProcessorClass(models.TextChoices):
    """Whose machines read the dialogues."""

    OWN = "own", _("A server of one’s own")
    CONTRACTED = "contracted", _("A processor under contract")
    OTHER = "other", _("Somebody else")


class EndpointDialect(models.TextChoices):
    """Whose form of the OpenAI protocol is spoken."""

    OPENAI = endpoints.Dialect.OPENAI.value, "OpenAI"
    AZURE = endpoints.Dialect.AZURE.value, "Azure OpenAI"
    VLLM = endpoints.Dialect.VLLM.value, "vLLM"
    OLLAMA = endpoints.Dialect.OLLAMA.value, "Ollama"
    ANTHROPIC = endpoints.Dialect.ANTHROPIC.value, "Anthropic"
    GEMINI = endpoints.Dialect.GEMINI.value, "Gemini"


class LLMEndpoint(models.Model):
    """One version of where LLMs are asked; only its end is written later.

    `key_reference` says where the key is, “env:NAME” or “file:NAME”: no key is in the database.
    `headers` and `body` go along with every request. `most_at_once` is for all runs together.
    """

    key = models.SlugField(max_length=60)
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=150)
    base_url = models.CharField(max_length=300)
    dialect = models.CharField(
        max_length=20, choices=EndpointDialect.choices, default=EndpointDialect.OPENAI
    )
    key_reference = models.CharField(max_length=120, blank=True)
    headers = models.JSONField(default=dict, blank=True)
    body = models.JSONField(default=dict, blank=True)
    processor = models.CharField(
        max_length=20, choices=ProcessorClass.choices, default=ProcessorClass.OTHER
    )
    most_at_once = models.PositiveSmallIntegerField(null=True, blank=True)
    added_at = models.DateTimeField()
    added_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    retired_at = models.DateTimeField(null=True, blank=True)
    retired_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        verbose_name = "LLM endpoint"
        constraints = [
            models.UniqueConstraint(fields=["key", "number"], name="an_endpoint_version_once"),
            models.UniqueConstraint(
                fields=["key"],
                condition=models.Q(retired_at=None),
                name="one_version_of_an_endpoint_in_use",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class LLMPrice(models.Model):
    """What an endpoint takes for an LLM from a day on, for a million tokens; insert-only.

    `is_for_batches`: what is sent in batches has a price of its own. `cached`: that of prompts which
    the endpoint had in its cache; None where it is none of its own.
    """

    endpoint = models.ForeignKey(LLMEndpoint, on_delete=models.PROTECT, related_name="prices")
    llm = models.CharField(max_length=200)
    prompt = models.DecimalField(max_digits=12, decimal_places=4)
    answer = models.DecimalField(max_digits=12, decimal_places=4)
    cached = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    currency = models.CharField(max_length=3, default="USD")
    since = models.DateField()
    is_for_batches = models.BooleanField(default=False)
    added_at = models.DateTimeField()
    added_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        verbose_name = "LLM price"
        constraints = [
            models.CheckConstraint(
                name="a_price_is_not_below_nothing",
                condition=models.Q(prompt__gte=0, answer__gte=0)
                & (models.Q(cached=None) | models.Q(cached__gte=0)),
            )
        ]

    def __str__(self) -> str:
        return f"price {self.pk}"


class Probe(models.Model):
    """What an endpoint and its LLM made of a made-up dialogue; insert-only.

    `findings` is {what was tried: what came of it}; `seconds` are those of the first request.
    """

    llm = models.CharField(max_length=200)
    base_url = models.CharField(max_length=300)
    endpoint = models.ForeignKey(
        LLMEndpoint, null=True, blank=True, on_delete=models.PROTECT, related_name="probes"
    )
    findings = models.JSONField()
    seconds = models.FloatField()
    made_at = models.DateTimeField()
    made_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        indexes = [models.Index(fields=["llm", "base_url"])]

    def __str__(self) -> str:
        return f"probe {self.pk}"

    @property
    def has_answered(self) -> bool:
        return "json" in self.findings
