"""What is asked to hold items out, and to give them up."""

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.actions.holding_out import LEAST, MOST


class DrawForm(forms.Form):
    """Which share is held out, and with which seed."""

    percent = forms.IntegerField(
        label=_("Share of the dialogues, in percent"),
        min_value=LEAST,
        max_value=MOST,
        initial=40,
        help_text=_(
            "Of each source and gold the same share; the items of a dialogue stay together."
        ),
    )
    seed = forms.CharField(
        label=_("Seed"),
        required=False,
        max_length=64,
        help_text=_("The same seed, share and items draw the same. Empty: drawn anew."),
    )


class EndForm(forms.Form):
    """Why the hold-out ends."""

    reason = forms.CharField(label=_("Why it ends"), max_length=300)
