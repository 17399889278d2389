"""What a study is called, and what it is about in each of its languages."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from accounts.languages import LONGEST_TAG, tag_of
from annotation.models import Study
from annotation.rules.remarks import LONGEST

PREFIX = "in"
MOST_LANGUAGES = 40


class NameForm(forms.Form):
    """What a study is called, and the language of its dialogues, in which judges are asked unless
    somebody chooses another."""

    name = forms.CharField(label=_("Name"), max_length=200)
    language = forms.ChoiceField(label=_("Language of the dialogues"), choices=settings.LANGUAGES)


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
        if len(tags) > MOST_LANGUAGES:
            raise forms.ValidationError(
                _("At most %(n)s languages.") % {"n": MOST_LANGUAGES},
            )


DescriptionFormSet = forms.formset_factory(
    DescriptionForm, formset=_EachLanguageOnce, extra=1, max_num=MOST_LANGUAGES
)


def written_in(forms_sent: "forms.BaseFormSet[DescriptionForm]") -> list[tuple[str, str]]:
    """(language, description) of those that say something."""
    found = [one.cleaned_data for one in forms_sent if hasattr(one, "cleaned_data")]
    return [
        (one["language"], one["text"]) for one in found if one.get("text") and one.get("language")
    ]


def as_sent(descriptions: Mapping[str, str]) -> dict[str, object]:
    """The fields that a page would send of {language: description}."""
    fields: dict[str, object] = {
        f"{PREFIX}-TOTAL_FORMS": len(descriptions),
        f"{PREFIX}-INITIAL_FORMS": 0,
    }
    for number, (language, text) in enumerate(descriptions.items()):
        fields |= {f"{PREFIX}-{number}-language": language, f"{PREFIX}-{number}-text": text}
    return fields


def mistakes_in(forms_sent: "forms.BaseFormSet[DescriptionForm]") -> list[str]:
    """What is wrong with descriptions, each sentence once."""
    found = [*forms_sent.non_form_errors()]
    found += [said for form in forms_sent for errors in form.errors.values() for said in errors]
    return list(dict.fromkeys(map(str, found)))


def as_begun(study: Study) -> list[dict[str, str]]:
    """What the forms begin with."""
    return [{"language": tag, "text": text} for tag, text in sorted(study.descriptions.items())]
