"""What is asked of an endpoint, on the page and on the command line."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from judging.actions.endpoints import EndpointSettings
from judging.models import EndpointDialect, LLMEndpoint, ProcessorClass
from judging.rules.pace import MOST_AT_ONCE

DIALECTS = [one.value for one in EndpointDialect]
PROCESSORS = [one.value for one in ProcessorClass]


class EndpointForm(forms.Form):
    """Where LLMs are asked, in which dialect, with which key."""

    key = forms.SlugField(
        label=_("Key"),
        max_length=60,
        help_text=_("The same key makes its next version, which comes in its place."),
    )
    name = forms.CharField(label=_("Name"), max_length=150)
    base_url = forms.CharField(
        label=_("Address"),
        max_length=300,
        help_text=_("For example https://api.example.org/v1. Azure’s may end with ?api-version=…."),
    )
    dialect = forms.ChoiceField(
        label=_("Dialect"), choices=EndpointDialect.choices, initial=EndpointDialect.OPENAI
    )
    key_reference = forms.CharField(
        label=_("Where its API key is"),
        required=False,
        max_length=120,
        help_text=_(
            "env:CONCORD_LLM_KEY_… or file:NAME, never the key itself. Empty: it wants none."
        ),
    )
    processor = forms.ChoiceField(
        label=_("Whose machines read the dialogues"),
        choices=ProcessorClass.choices,
        initial=ProcessorClass.OTHER,
    )
    most_at_once = forms.IntegerField(
        label=_("Requests at a time for an LLM, of all runs together"),
        required=False,
        min_value=1,
        max_value=16 * MOST_AT_ONCE,
        help_text=_("Empty: as many as it takes."),
    )
    headers = forms.JSONField(
        label=_("Headers of every request, in JSON"),
        initial=dict,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "class": "code"}),
    )
    body = forms.JSONField(
        label=_("Extra fields of every request, in JSON"),
        initial=dict,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "class": "code"}),
        help_text=_("Such as top_p or reasoning_effort."),
    )

    def clean_key(self) -> str:
        return str(self.cleaned_data["key"]).lower()

    def clean_headers(self) -> Mapping[str, Any]:
        return _members(self.cleaned_data["headers"])

    def clean_body(self) -> Mapping[str, Any]:
        return _members(self.cleaned_data["body"])

    def described(self) -> EndpointSettings:
        return EndpointSettings(**self.cleaned_data)

    @staticmethod
    def filled_from(endpoint: LLMEndpoint) -> dict[str, object]:
        """What the form of the next version begins with."""
        return {name: getattr(endpoint, name) for name in EndpointForm.base_fields}


class PriceForm(forms.Form):
    """What a million tokens cost, from a day on."""

    llm = forms.CharField(label=_("LLM"), max_length=200)
    prompt = forms.DecimalField(
        label=_("A million tokens of prompts"), min_value=0, max_digits=12, decimal_places=4
    )
    answer = forms.DecimalField(
        label=_("A million tokens of answers"), min_value=0, max_digits=12, decimal_places=4
    )
    cached = forms.DecimalField(
        label=_("A million tokens of prompts from its cache"),
        required=False,
        min_value=0,
        max_digits=12,
        decimal_places=4,
        help_text=_(
            "Empty: they cost what others do. Limits reckon with the full price beforehand."
        ),
    )
    currency = forms.RegexField(label=_("Currency"), regex=r"^[A-Z]{3}$", initial="USD")
    since = forms.DateField(
        label=_("Since"),
        initial=timezone.localdate,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    is_for_batches = forms.BooleanField(
        label=_("In batches"),
        required=False,
        help_text=_("What is sent in batches has a price of its own, often half of the other."),
    )


def _members(raw: object) -> Mapping[str, Any]:
    """An object in JSON; nothing where nothing was written."""
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        raise forms.ValidationError(_("Write an object, such as {“name”: “value”}."))
    return raw
