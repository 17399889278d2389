"""What is asked about studies and the people on their teams."""

from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.conf import settings
from django.utils.text import format_lazy
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.forms.folding import FoldedForm
from annotation.forms.governing import LEVEL_CHOICES
from annotation.forms.rubrics import definition_in
from annotation.models import TeamRole
from annotation.queries.wording import said
from annotation.rubric.loading import load, shipped
from annotation.rules.protocol import WHOLE
from annotation.rules.remarks import LONGEST

DUTIES = {
    TeamRole.COORDINATOR: _("puts the team together, opens and closes rounds, runs judges"),
    TeamRole.ANNOTATOR: _("rates the items that are assigned to them"),
    TeamRole.ADJUDICATOR: _("decides items whose raters disagree, never one they rated"),
    TeamRole.RESEARCHER: _("sees the agreement"),
    TeamRole.EXPORTER: _("takes data out"),
}


class MemberForm(FoldedForm):
    """One account and its roles in a study."""

    folded = ("also",)

    email = forms.EmailField(label=_("Email address of the account"))
    roles = forms.MultipleChoiceField(
        label=_("Roles"),
        choices=[
            (role.value, format_lazy("{}{}{}", role.label, _(": "), DUTIES[role]))
            for role in TeamRole
        ],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    also = forms.MultipleChoiceField(
        label=_("Of the data set, beyond what these roles usually need"),
        help_text=_("The data steward approves roles and levels in one step."),
        choices=LEVEL_CHOICES,
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )

    @property
    def makes_an_exporter(self) -> bool:
        return TeamRole.EXPORTER in self.cleaned_data["roles"]


class StudyForm(forms.Form):
    """A new study."""

    name = forms.CharField(label=_("Name"), max_length=200)
    key = forms.SlugField(
        label=_("Key"),
        help_text=_("Stands in addresses and file names: letters, digits and hyphens."),
        max_length=60,
    )
    description = forms.CharField(
        label=_("Description"),
        help_text=_(
            "In the language of this page; others are added under “Settings” of the study."
        ),
        widget=forms.Textarea(attrs={"rows": 3}),
        max_length=LONGEST,
        required=False,
    )
    rubric = forms.ChoiceField(label=_("Rubric"), widget=forms.RadioSelect, required=False)
    rubric_file = forms.FileField(
        label=_("Or a rubric of your own"),
        help_text=_("A TOML file in UTF-8; the documentation of rubrics says what stands in it."),
        required=False,
    )
    writes = forms.BooleanField(
        label=_("Go on writing this rubric in the editor, before the first round"), required=False
    )
    language = forms.ChoiceField(
        label=_("Language of the dialogues"), choices=settings.LANGUAGES, initial="en"
    )
    coordinator = forms.EmailField(
        label=_("Email address of the coordinator"),
        help_text=_("Puts the team together and opens the rounds."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rubric = cast(forms.ChoiceField, self.fields["rubric"])
        rubric.choices = [
            (key, said(load(definition).title)) for key, definition in shipped().items()
        ]

    def clean_rubric_file(self) -> Mapping[str, object] | None:
        """The definition in the file, with every mistake in it named."""
        file = self.cleaned_data["rubric_file"]
        return None if file is None else definition_in(file)

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if "rubric_file" in data and "rubric" in data:
            named = bool(data["rubric"]) + (data["rubric_file"] is not None)
            if named != 1:
                self.add_error("rubric", _("Choose one rubric, or send one of your own."))
        return data

    def clean_coordinator(self) -> User:
        address = self.cleaned_data["coordinator"].lower()
        account = User.objects.filter(email=address, is_active=True).first()
        if account is None:
            raise forms.ValidationError(
                _("No account has this email address. The person has to sign up first.")
            )
        return account

    def arguments(self) -> dict[str, Any]:
        """The same as actions.studies.create takes it."""
        data = self.cleaned_data
        return {
            "key": data["key"],
            "name": data["name"],
            "description": data["description"],
            "description_language": get_language(),
            "rubric": data["rubric_file"] or shipped()[data["rubric"]],
            "language": data["language"],
            "protocol": WHOLE,
            "coordinator": data["coordinator"],
        }
