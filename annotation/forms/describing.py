"""What a study is called, and what it is about in each of its languages."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.languages import LONGEST_TAG, tag_of
from annotation.models import Study
from annotation.rules.remarks import LONGEST

PREFIX = "in"


class NameForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=200)


class DescriptionForm(forms.Form):
    """The description in one language; left empty, there is none in it."""

    language = forms.CharField(
        label=_("Language"),
        help_text=_("Its BCP 47 tag, such as en, zh-Hans or pt-BR."),
        max_length=LONGEST_TAG,
        required=False,
    )
    text = forms.CharField(
        label=_("Description"),
        widget=forms.Textarea(attrs={"rows": 4}),
        max_length=LONGEST,
        required=False,
    )

    def clean_language(self) -> str:
        written: str = self.cleaned_data["language"]
        tag = tag_of(written)
        if written and tag is None:
            raise forms.ValidationError(_("This is not the tag of a language."))
        return tag or ""

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("text") and not data.get("language") and "language" not in self.errors:
            self.add_error("language", _("Say in which language this is."))
        return data


if TYPE_CHECKING:
    _Descriptions = forms.BaseFormSet[DescriptionForm]
else:
    _Descriptions = forms.BaseFormSet


class _EachLanguageOnce(_Descriptions):
    def clean(self) -> None:
        tags = [tag for tag, _text in written_in(self)]
        if len(tags) > len(set(tags)):
            raise forms.ValidationError(_("A language stands here twice."))


DescriptionFormSet = forms.formset_factory(
    DescriptionForm, formset=_EachLanguageOnce, extra=1, max_num=40
)


def written_in(forms_sent: "forms.BaseFormSet[DescriptionForm]") -> list[tuple[str, str]]:
    """(language, description) of those that say something."""
    found = [one.cleaned_data for one in forms_sent if hasattr(one, "cleaned_data")]
    return [
        (one["language"], one["text"]) for one in found if one.get("text") and one.get("language")
    ]


def as_begun(study: Study) -> list[dict[str, str]]:
    """What the forms begin with."""
    return [{"language": tag, "text": text} for tag, text in sorted(study.descriptions.items())]
