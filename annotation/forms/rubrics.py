"""What is asked to publish an edition of a rubric, and to go on under it."""

from collections.abc import Mapping

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.queries.wording import said
from annotation.rubric.loading import RubricError, load, parse_toml

MOST_BYTES = 500_000
FATE = "fate."


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
        file = self.cleaned_data["file"]
        if file.size > MOST_BYTES:
            raise forms.ValidationError(_("The file is too large for a rubric."))
        try:
            definition = parse_toml(file.read().decode("utf-8"))
            rubric = load(definition)
        except UnicodeDecodeError:
            raise forms.ValidationError(_("The file is not UTF-8.")) from None
        except RubricError as error:
            raise forms.ValidationError([said(problem) for problem in error.problems]) from None
        if rubric.key != self._key:
            raise forms.ValidationError(
                _("This is another rubric: its key is not “%(key)s”."), params={"key": self._key}
            )
        return definition


def plan_of(data: Mapping[str, str]) -> dict[str, str]:
    """What each old value becomes, as a page sends it."""
    return {name.removeprefix(FATE): value for name, value in data.items() if name.startswith(FATE)}
