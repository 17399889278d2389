"""What is asked about the protocol of a study."""

from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.punctuation import labelled
from annotation.queries.adjudicating import possible_of
from annotation.queries.wording import said
from annotation.rubric.schema import Rubric
from annotation.rubric.sentences import Sentence
from annotation.rules.protocol import (
    BOUNDS,
    MEASURES,
    ON_SPLIT,
    SCOPES,
    SIGHTS,
    Protocol,
    problem_with_protocol,
)


class ProtocolForm(forms.Form):
    """The steps of the next rounds, and what their gate looks at."""

    qualified_only = forms.BooleanField(
        label=_("Raters qualify first"),
        help_text=_("Who has not passed a round to qualify gets no work of other rounds."),
        required=False,
    )
    gate_first = forms.BooleanField(
        label=_("The gate looks first"),
        help_text=_("Nobody reads or decides a disagreement before all raters have answered."),
        required=False,
    )
    re_review = forms.BooleanField(
        label=_("Re-review below the gate"),
        help_text=_("The panel rates the items it differs on once more, independently."),
        required=False,
    )
    discussion = forms.BooleanField(
        label=_("Discussion"),
        help_text=_("The raters of an item see each other’s answers, discuss it and vote again."),
        required=False,
    )
    adjudication = forms.BooleanField(
        label=_("Adjudication"),
        help_text=_("An adjudicator decides what is left."),
        required=False,
    )
    sight = forms.ChoiceField(label=_("The adjudicator decides"), widget=forms.RadioSelect)
    agreed_percent = forms.IntegerField(
        label=_("An audit of so many percent of the items on which all raters agree"),
        help_text=_(
            "An adjudicator decides them among the others and does not know it. It needs a gate that "
            "looks first and an adjudicator who decides on their own."
        ),
        min_value=0,
        max_value=100,
        required=False,
    )
    second_overruling = forms.BooleanField(
        label=_("A second adjudicator where the first decides against most raters"),
        help_text=_("Neither knows of the other; where they decide the same, that stands."),
        required=False,
    )
    second_percent = forms.IntegerField(
        label=_("A second adjudicator for so many percent of the items, drawn at random"),
        min_value=0,
        max_value=100,
        required=False,
    )
    second_values = forms.MultipleChoiceField(
        label=_("A second adjudicator where a rater or the first adjudicator chose one of these"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    on_split = forms.ChoiceField(
        label=_("Where two adjudicators decide differently"), widget=forms.RadioSelect
    )
    measure = forms.ChoiceField(label=_("What the gate measures"), widget=forms.RadioSelect)
    scope = forms.ChoiceField(label=_("Which criteria must reach it"), widget=forms.RadioSelect)
    bound = forms.ChoiceField(label=_("What is compared with the gate"), widget=forms.RadioSelect)

    def __init__(self, rubric: Rubric, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        values = cast(forms.MultipleChoiceField, self.fields["second_values"])
        values.choices = [
            (f"{one.key}:{possible.value}", labelled(said(one.name), possible.words))
            for one in rubric.criteria
            for possible in possible_of(one)
        ]
        choices: dict[str, Mapping[Any, Sentence]] = {
            "sight": SIGHTS,
            "measure": MEASURES,
            "scope": SCOPES,
            "bound": BOUNDS,
            "on_split": ON_SPLIT,
        }
        for name, words in choices.items():
            field = cast(forms.ChoiceField, self.fields[name])
            field.choices = [(one.value, said(sentence)) for one, sentence in words.items()]

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        data["agreed_percent"] = data.get("agreed_percent") or 0
        data["second_percent"] = data.get("second_percent") or 0
        data["second_values"] = tuple(data.get("second_values", ()))
        if not self.errors and (problem := problem_with_protocol(Protocol(**data))):
            raise forms.ValidationError(said(problem))
        return data

    def protocol(self) -> Protocol:
        """The same as actions.protocol.agree takes it."""
        return Protocol(**self.cleaned_data)
