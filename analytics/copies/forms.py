"""What somebody states about their copies."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from analytics.copies.held import HeldCopy

DESTROYED, NOT_DESTROYED = "yes", "no"


class CopiesForm(forms.Form):
    """A signature under what was done with some of the copies that are not destroyed yet."""

    exports = forms.TypedMultipleChoiceField(
        label=_("Copies of these releases"),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
    )
    is_destroyed = forms.ChoiceField(
        label=_("What you state"),
        choices=[
            (DESTROYED, _("I have destroyed every copy of them, extracts and backups too.")),
            (NOT_DESTROYED, _("I have not, and say why.")),
        ],
        widget=forms.RadioSelect,
    )
    reason = forms.CharField(
        label=_("Why not"),
        required=False,
        max_length=2000,
        help_text=_("Data stewards read it. Do not quote texts."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    language = forms.ChoiceField(choices=settings.LANGUAGES, widget=forms.HiddenInput)
    typed_name = forms.CharField(
        label=_("Your full name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def __init__(
        self, *args: Any, copies: Sequence[HeldCopy], signer_name: str, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        chosen = cast(forms.TypedMultipleChoiceField, self.fields["exports"])
        chosen.choices = [
            (one.export.pk, f"{one.release} · {one.export.study.name}")
            for one in copies
            if not one.is_over
        ]
        chosen.initial = [one.export.pk for one in copies if one.is_owed]
        self.fields["typed_name"].help_text = _(
            "Type it as it stands in your account: %(name)s"
        ) % {"name": signer_name}

    def stated(self) -> dict[str, Any]:
        """As the action takes it."""
        given = self.cleaned_data
        return {**given, "is_destroyed": given["is_destroyed"] == DESTROYED}
