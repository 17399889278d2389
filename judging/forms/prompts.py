"""What is asked to keep a version of a prompt."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.rubric.sentences import sentence
from judging.prompts import loading

NO_SECOND_REPLY = sentence(
    "The prompt compares two replies, and no other source has replied to this conversation."
)


class PromptForm(forms.Form):
    """A version of a prompt: as a text, or as a file, which then counts."""

    name = forms.SlugField(
        label=_("Name"),
        max_length=60,
        help_text=_("Of lower-case letters, digits and hyphens. The same name: its next version."),
    )
    text = forms.CharField(
        label=_("Prompt, in TOML"),
        required=False,
        strip=False,
        max_length=loading.MOST_BYTES,
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "false", "class": "code"}),
    )
    file = forms.FileField(label=_("Or a file"), required=False)
    note = forms.CharField(label=_("What is new in it"), required=False, max_length=200)
    item = forms.ChoiceField(label=_("Item to preview it on"), required=False)

    def __init__(self, *args: Any, items: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen = cast(forms.ChoiceField, self.fields["item"])
        chosen.choices = [(key, key) for key in items]

    def clean_name(self) -> str:
        return str(self.cleaned_data["name"]).lower()

    def clean_file(self) -> str:
        """The text of the file, if there is one."""
        file = self.cleaned_data["file"]
        try:
            return file.read(loading.MOST_BYTES + 1).decode() if file else ""
        except UnicodeDecodeError:
            raise forms.ValidationError(_("The file is not in UTF-8. Save it as UTF-8.")) from None

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not data.get("text") and not data.get("file"):
            self.add_error("text", _("Write a prompt, or choose a file."))
        return data

    @property
    def written(self) -> str:
        """The text that counts."""
        return str(self.cleaned_data.get("file") or self.cleaned_data.get("text", ""))
