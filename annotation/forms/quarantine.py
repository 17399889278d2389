"""What is asked to set items aside from figures."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.importing import ItemsFileForm
from annotation.readers.quarantine import MOST_CHARACTERS_A_REASON


class QuarantineForm(forms.Form):
    """One item, and why it should not count."""

    item = forms.CharField(label=_("Key of the item"), max_length=160)
    reason = forms.CharField(
        label=_("Reason"),
        help_text=_("Stays in the history for ever. Do not quote the dialogue."),
        max_length=MOST_CHARACTERS_A_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class QuarantineFileForm(ItemsFileForm):
    """A list of items, and the reason of those that the list gives none."""

    reason = forms.CharField(
        label=_("Reason"),
        help_text=_("For the rows of the list that give no reason themselves."),
        max_length=MOST_CHARACTERS_A_REASON,
        required=False,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].help_text = _("A table: .xlsx, or CSV in UTF-8.")
        self.fields["file"].widget.attrs["accept"] = ".csv,.tsv,.xlsx"
