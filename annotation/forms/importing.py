"""What is asked to import a file."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.actions.imports.uploads import most_bytes
from annotation.models import RaterKind


class ItemsFileForm(forms.Form):
    """A file of items."""

    file = forms.FileField(
        label=_("File"),
        help_text=_("A table (.xlsx, or CSV in UTF-8), JSON or JSON Lines."),
        max_length=200,
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.jsonl,.ndjson,.json,.xlsx"}),
    )

    def __init__(self, *args: Any, is_too_large: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if is_too_large:
            self.fields["file"].error_messages["required"] = _(
                "The file is larger than %(most)s MB. Split it, or import it with the command."
            ) % {"most": most_bytes() // 2**20}

    def options(self) -> dict[str, object]:
        """What is kept with the file until it is imported, as JSON can hold it."""
        return {name: value for name, value in self.cleaned_data.items() if name != "file"}


class RatingsFileForm(ItemsFileForm):
    """A file of ratings, and whose they are."""

    rater = forms.SlugField(
        label=_("Key of the rater"),
        help_text=_(
            "Letters, digits and hyphens, such as expert-1. Leave it empty only for a table that "
            "names the rater in each row."
        ),
        max_length=100,
        required=False,
    )
    name = forms.CharField(label=_("Name of the rater"), max_length=150, required=False)
    kind = forms.ChoiceField(
        label=_("Kind of rater"),
        choices=[("", _("As the file says")), *RaterKind.choices],
        help_text=_("MentalAlign says it. The raters of other tables are people, unless you say."),
        required=False,
    )
    own_sources = forms.CharField(
        label=_("The rater’s own sources"),
        help_text=_(
            "For a judge: the sources of replies that its own family wrote, separated by commas. It "
            "is not measured on them."
        ),
        max_length=500,
        required=False,
    )
    with_items = forms.BooleanField(
        label=_("Create the items that a MentalAlign file speaks of and the study lacks"),
        required=False,
    )

    field_order = ["file", "rater", "name", "kind", "own_sources", "with_items"]

    def clean(self) -> dict[str, object]:
        data = super().clean() or {}
        if not data.get("rater") and (data.get("name") or data.get("own_sources")):
            self.add_error("rater", _("Give the rater a key as well."))
        return data
