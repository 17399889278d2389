"""What is asked to import a file."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.actions.imports.uploads import most_bytes
from annotation.forms.folding import FoldedForm
from annotation.models import RaterKind
from annotation.queries.wording import said
from annotation.readers.calling import called_in
from annotation.readers.problems import CannotRead


class ItemsFileForm(FoldedForm):
    """A file of items."""

    folded: tuple[str, ...] = ("called",)

    file = forms.FileField(
        label=_("File"),
        help_text=_("A table (.xlsx, or CSV in UTF-8), JSON or JSON Lines."),
        max_length=200,
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.jsonl,.ndjson,.json,.xlsx"}),
    )
    called = forms.CharField(
        label=_("Fields that the file calls otherwise"),
        help_text=_(
            "One a line, such as question_id = item. A * stands for any name, the same on both "
            "sides: safety_* = safety.*"
        ),
        max_length=5000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(
        self,
        *args: Any,
        is_too_large: bool = False,
        before: Mapping[str, object] | None = None,
        **kwargs: Any,
    ) -> None:
        """`before` is what was said of a file that comes again, or of the one before this."""
        super().__init__(*args, **kwargs)
        if before is not None:
            self.initial = dict(before)
            shown = {"called", *(name for name, said in before.items() if said)}
            self.folded = tuple(name for name in self.folded if name not in shown)
        if is_too_large:
            self.fields["file"].error_messages["required"] = _(
                "The file is larger than %(most)s MB. Split it, or import it with the command."
            ) % {"most": most_bytes() // 2**20}

    def clean_called(self) -> str:
        text = str(self.cleaned_data["called"])
        try:
            called_in(text)
        except CannotRead as error:
            raise forms.ValidationError(said(error.sentence)) from None
        return text

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
    judges = forms.CharField(
        label=_("Judges among the raters"),
        help_text=_(
            "Where a table has ratings of people and of LLMs: the keys of those who are judges, "
            "separated by commas."
        ),
        max_length=2000,
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

    folded = ("called", "name", "judges", "own_sources", "with_items")
    field_order = ["file", "rater", "kind", *folded]

    def clean(self) -> dict[str, object]:
        data = super().clean() or {}
        if not data.get("rater") and (data.get("name") or data.get("own_sources")):
            self.add_error("rater", _("Give the rater a key as well."))
        return data


class AnswersFileForm(ItemsFileForm):
    """A file of what LLMs answered elsewhere, and how they were asked."""

    llm = forms.CharField(
        label=_("LLM"),
        help_text=_("Who answered, where the file does not say."),
        max_length=200,
        required=False,
    )
    language = forms.ChoiceField(
        label=_("Language of the prompts"),
        choices=[("en", _("English")), ("zh-hans", _("Simplified Chinese"))],
        required=False,
    )
    as_json = forms.BooleanField(label=_("They were asked for JSON"), required=False)
    by_position = forms.BooleanField(
        label=_("The file counts the study’s items from 0 instead of naming their keys"),
        required=False,
    )
    own_sources = forms.CharField(
        label=_("Sources of its own family"),
        help_text=_(
            "The sources of replies that the LLM or its kin wrote, separated by commas. It is not "
            "measured on them."
        ),
        max_length=500,
        required=False,
    )

    folded = ("called", "by_position", "own_sources")
    field_order = ["file", "llm", "language", "as_json", *folded]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].help_text = _(
            "JSON Lines, JSON, a log of inspect_ai (.json, .eval) or results.csv of VERA-MH."
        )
        self.fields["file"].widget.attrs["accept"] = ".jsonl,.ndjson,.json,.eval,.csv"
