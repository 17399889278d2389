"""What is asked to write a rubric, to publish an edition of it, and to go on under it."""

from collections.abc import Mapping
from pathlib import Path

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from annotation.actions.drafts import HalfFilled
from annotation.forms.drafts import half_filled
from annotation.queries.wording import said
from annotation.rubric.flows import FlowError, flow_as_toml, is_flow, key_from
from annotation.rubric.loading import load, mistakes_in, parse_toml

MOST_BYTES = 500_000
FATE = "fate."


def text_in(file: "UploadedFile[bytes]") -> str:
    """The text of a file that somebody sent; ValidationError."""
    if (file.size or 0) > MOST_BYTES:
        raise forms.ValidationError(_("The file is too large for a rubric."))
    try:
        return text_of(file.read().decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise forms.ValidationError(_("The file is not UTF-8.")) from None


def definition_in(file: "UploadedFile[bytes]") -> Mapping[str, object]:
    """The rubric in a file; ValidationError names every mistake in it with its line."""
    text = text_in(file)
    if mistakes := mistakes_in(text):
        raise forms.ValidationError([said(mistake.in_words) for mistake in mistakes])
    return parse_toml(text)


class EditionForm(forms.Form):
    """A new edition of the rubric of a study, as a file."""

    file = forms.FileField(
        label=_("The new edition"),
        help_text=_("The whole rubric as a TOML file in UTF-8, with the key that it has now."),
    )

    def __init__(self, *args: object, key: str, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]  # as Django's forms take them
        self._key = key

    def clean_file(self) -> Mapping[str, object]:
        """The definition in the file, with every mistake in it named."""
        definition = definition_in(self.cleaned_data["file"])
        if load(definition).key != self._key:
            raise forms.ValidationError(
                _("This is another rubric: its key is not “%(key)s”."), params={"key": self._key}
            )
        return definition


class RubricFileForm(forms.Form):
    """A file to go on writing with, whatever mistakes are in it; a flow of questions in the layout of
    VERA-MH becomes a rubric."""

    file = forms.FileField(label=_("A TOML file, or a flow of questions as VERA-MH has it"))

    def clean_file(self) -> str:
        """The text of the file."""
        file = self.cleaned_data["file"]
        text = text_in(file)
        if not is_flow(text):
            return text
        name = Path(str(file.name)).stem
        try:
            return flow_as_toml(text, key=key_from(name), title=name)
        except FlowError as error:
            raise forms.ValidationError([said(problem) for problem in error.problems]) from None


def written(data: Mapping[str, str]) -> HalfFilled:
    """The rubric that a page has written so far, its words None where the page could not read them
    any more; NotAForm."""
    return half_filled(data, {}, text_of(data["text"]) if "text" in data else None)


def text_of(typed: str) -> str:
    """What was typed, with the line ends of a file. What is too long for a rubric is a mistake in
    it as others are, and none of it is cut."""
    return typed.replace("\r\n", "\n").replace("\x00", "")


def plan_of(data: Mapping[str, str]) -> dict[str, str]:
    """What each old value becomes, as a page sends it."""
    return {name.removeprefix(FATE): value for name, value in data.items() if name.startswith(FATE)}
