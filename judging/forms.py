"""What is asked to start a judge, on the page and on the command line."""

from typing import Any, cast

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from annotation.models import Study
from judging import standin
from judging.actions.judges import Settings
from judging.actions.runs import MOST_AT_ONCE, MOST_REPEATS
from judging.models import Manner
from judging.queries import showing
from judging.rules import questions
from judging.rules.budget import Limit

PLAIN, JSON = "plain", "json"
ALL = "all"
_MORE = ("language", "temperature", "max_tokens", "concurrency", "own_generators")


class LimitForm(forms.Form):
    """The most that a run may use before it pauses."""

    limit_requests = forms.IntegerField(
        label=_("Requests at most"),
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        help_text=_("Then the run pauses, and can go on with a higher limit. Empty: no limit."),
    )
    limit_tokens = forms.IntegerField(
        label=_("Tokens at most"),
        required=False,
        min_value=1,
        max_value=10**15,
        help_text=_("In prompts and answers together, as the endpoint counts them."),
    )

    def limit(self) -> Limit:
        return Limit(
            requests=self.cleaned_data["limit_requests"], tokens=self.cleaned_data["limit_tokens"]
        )


class StartForm(LimitForm):
    """Which LLM, asked how, about which items, how often, and for how much at most."""

    llm = forms.CharField(
        label=_("LLM"), max_length=200, help_text=_("Its name, as the endpoint knows it.")
    )
    manner = forms.ChoiceField(
        label=_("How it is asked"),
        choices=Manner.choices,
        widget=forms.RadioSelect,
        initial=Manner.FLAT,
    )
    answers = forms.ChoiceField(
        label=_("How it answers"),
        choices=[
            (JSON, _("In JSON, with its reasoning before each value")),
            (PLAIN, _("Plainly, the values and nothing else")),
        ],
        widget=forms.RadioSelect,
        initial=JSON,
    )
    items = forms.ChoiceField(label=_("Items"))
    repeats = forms.IntegerField(
        label=_("Repeats"),
        min_value=1,
        max_value=MOST_REPEATS,
        initial=1,
        help_text=_("How often each item is asked: repeats show how steady the judge is."),
    )
    language = forms.ChoiceField(
        label=_("Language of the prompt"),
        choices=[("en", _("English")), ("zh-hans", _("Simplified Chinese"))],
    )
    temperature = forms.FloatField(
        label=_("Temperature"),
        required=False,
        min_value=0,
        max_value=2,
        initial=0,
        help_text=_("Empty: as the endpoint likes."),
    )
    max_tokens = forms.IntegerField(
        label=_("Longest answer, in tokens"),
        required=False,
        min_value=1,
        max_value=1_000_000,
        help_text=_("Empty: as the endpoint likes. A plain label needs about 10."),
    )
    concurrency = forms.IntegerField(
        label=_("Requests at a time"), min_value=1, max_value=MOST_AT_ONCE, initial=8
    )
    own_generators = forms.MultipleChoiceField(
        label=_("Sources of its own family"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Replies by the same LLM or its kin: agreement on them is not measured."),
    )

    field_order = ["llm", "manner", "answers", "items", "repeats", "limit_requests", "limit_tokens"]

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["language"].initial = study.language
        self.fields["llm"].initial = standin.NAME if settings.DEMO else ""
        items = cast(forms.ChoiceField, self.fields["items"])
        items.choices = [
            (ALL, _("All items")),
            *(
                (str(number), _round_in_words(number, count))
                for number, count in showing.rounds_of(study)
            ),
        ]
        generators = showing.generators_of(study)
        own_generators = cast(forms.MultipleChoiceField, self.fields["own_generators"])
        own_generators.choices = [(name, name) for name in generators]
        if not generators:
            del self.fields["own_generators"]

    @property
    def main_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in _MORE]

    @property
    def more_fields(self) -> list[forms.BoundField]:
        """What is well as it is, most of the time."""
        return [field for field in self if field.name in _MORE]

    @property
    def has_more_to_mend(self) -> bool:
        return any(field.errors for field in self.more_fields)

    @property
    def round_number(self) -> int | None:
        chosen = self.cleaned_data["items"]
        return None if chosen == ALL else int(chosen)

    @property
    def asked_how(self) -> questions.AskingManner:
        return questions.AskingManner(self.cleaned_data["manner"])

    @property
    def as_json(self) -> bool:
        return bool(self.cleaned_data["answers"] == JSON)

    def judge(self) -> Settings:
        """The judge that was asked for, at the endpoint of this server."""
        data = self.cleaned_data
        return Settings(
            llm=data["llm"],
            base_url=settings.LLM_BASE_URL,
            manner=self.asked_how,
            language=data["language"],
            temperature=data["temperature"],
            max_tokens=data["max_tokens"],
            as_json=self.as_json,
            own_generators=frozenset(data.get("own_generators", [])),
        )

    def arguments(self) -> dict[str, Any]:
        """The same as actions.runs.start takes it."""
        data = self.cleaned_data
        return {
            "judge": self.judge(),
            "repeats": data["repeats"],
            "concurrency": data["concurrency"],
            "round_number": self.round_number,
            "limit": self.limit(),
        }


def _round_in_words(number: int, count: int) -> str:
    words = ngettext(
        "Round %(number)s (%(count)s item)", "Round %(number)s (%(count)s items)", count
    )
    return words % {"number": number, "count": count}
