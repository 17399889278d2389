"""What is asked of the trail."""

from enum import StrEnum
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms import AccountField


class AuditQuestion(StrEnum):
    """Which of an ethics board's questions is answered."""

    DIALOGUE = "dialogue"
    PERSON = "person"
    LEFT = "left"
    COULD = "could"


QUESTIONS = [
    (AuditQuestion.LEFT.value, _("What left, to whom")),
    (AuditQuestion.DIALOGUE.value, _("Who read a dialogue")),
    (AuditQuestion.PERSON.value, _("What a person read")),
    (AuditQuestion.COULD.value, _("Who could see what on a day, by whose decision")),
]


class AuditForm(forms.Form):
    """A question, and for which study, dialogue, person and days."""

    question = forms.ChoiceField(label=_("Question"), choices=QUESTIONS, required=False)
    study = forms.SlugField(label=_("Study (its key)"), required=False)
    dialogue = forms.CharField(label=_("Dialogue (its key)"), required=False, max_length=100)
    person = AccountField(label=_("Person"))
    since = forms.DateField(
        label=_("From the day"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label=_("To the day"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )

    def clean(self) -> dict[str, Any]:
        asked: dict[str, Any] = super().clean() or self.cleaned_data
        asked["question"] = AuditQuestion(asked.get("question") or AuditQuestion.LEFT)
        if asked["question"] == AuditQuestion.DIALOGUE and not (
            asked.get("study") and asked.get("dialogue")
        ):
            raise forms.ValidationError(_("Name the study and the dialogue."))
        if asked["question"] == AuditQuestion.COULD and not asked.get("study"):
            raise forms.ValidationError(_("Name the study."))
        if asked["question"] == AuditQuestion.PERSON and not asked.get("person"):
            raise forms.ValidationError(_("Choose the person."))
        return asked
