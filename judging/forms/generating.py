"""What is asked to have generators write replies."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from annotation.models import Study
from judging import standin, writing
from judging.actions.generating import MOST_GENERATORS, GeneratorSettings
from judging.actions.judges import Settings
from judging.actions.runs import MOST_REPEATS
from judging.forms.starting import LimitForm, endpoint_choices
from judging.models import LLMEndpoint
from judging.queries import endpoints
from judging.rules.pace import MOST_AT_ONCE


class GenerationForm(LimitForm):
    """About how many conversations, how often, and for how much at most for each generator."""

    conversations = forms.IntegerField(
        label=_("Conversations"),
        required=False,
        min_value=1,
        max_value=100_000,
        help_text=_("The first so many of those that wait for a reply. Empty: all of them."),
    )
    repeats = forms.IntegerField(
        label=_("Replies to each conversation"),
        min_value=1,
        max_value=MOST_REPEATS,
        initial=1,
        help_text=_("By each generator."),
    )
    concurrency = forms.IntegerField(
        label=_("Requests at a time"), min_value=1, max_value=MOST_AT_ONCE, initial=8
    )

    field_order = ("conversations", "repeats", "concurrency")

    def arguments(self) -> dict[str, Any]:
        """The same as actions.generating.start takes it."""
        known = {name: self.cleaned_data[name] for name in self.field_order}
        return {**known, "limit": self.limit()}


class GeneratorForm(forms.Form):
    """One generator: an LLM, asked where and how; `tried` is what came of its trial, in words."""

    tried: Sequence[tuple[str, str]] = ()

    name = forms.CharField(
        label=_("Name of the source"),
        max_length=100,
        help_text=_("Figures by source have the replies by this name. Raters never see it."),
    )
    endpoint = forms.ChoiceField(label=_("Endpoint"), required=False)
    llm = forms.CharField(
        label=_("LLM"), max_length=200, help_text=_("Its name, as the endpoint knows it.")
    )
    system = forms.CharField(
        label=_("System prompt"),
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("It is sent before the turns of the conversation. Empty: none."),
    )
    temperature = forms.FloatField(
        label=_("Temperature"),
        required=False,
        min_value=0,
        max_value=2,
        help_text=_("Empty: as the endpoint likes."),
    )
    max_tokens = forms.IntegerField(
        label=_("Longest reply, in tokens"),
        required=False,
        min_value=1,
        max_value=1_000_000,
        help_text=_("Empty: as the endpoint likes."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["llm"].initial = standin.NAME if settings.DEMO else ""
        places = cast(forms.ChoiceField, self.fields["endpoint"])
        places.choices = endpoint_choices()
        if len(places.choices) == 1:
            places.widget = forms.HiddenInput()
            self.initial.setdefault("endpoint", places.choices[0][0])

    def has_changed(self) -> bool:
        """Where it is asked, which may be given, makes no generator yet."""
        return bool(set(self.changed_data) - {"endpoint"})

    def clean_endpoint(self) -> LLMEndpoint | None:
        chosen = self.cleaned_data["endpoint"]
        return endpoints.keyed(chosen) if chosen else None

    def generator(self, study: Study) -> GeneratorSettings:
        """The generator that was asked for."""
        data = self.cleaned_data
        endpoint = data["endpoint"]
        return GeneratorSettings(
            name=data["name"],
            system=data["system"],
            asked=Settings(
                llm=data["llm"],
                base_url=endpoint.base_url if endpoint else settings.LLM_BASE_URL,
                endpoint=endpoint.pk if endpoint else None,
                language=study.language,
                temperature=data["temperature"],
                max_tokens=data["max_tokens"],
                as_json=False,
                prompt_edition=writing.EDITION,
            ),
        )


GeneratorFormSet = forms.formset_factory(
    GeneratorForm,
    extra=MOST_GENERATORS - 1,
    min_num=1,
    max_num=MOST_GENERATORS,
    validate_min=True,
    validate_max=True,
)


def filled(writers: "forms.BaseFormSet[GeneratorForm]") -> list[GeneratorForm]:
    """The generators that were named; what is left empty is none."""
    return [form for form in writers.forms if form.has_changed()]
