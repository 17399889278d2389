"""What is asked to set sentinels for a judge."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.actions.sentinels import FEWEST

MARGIN = 10  # in per cent, as the form proposes


class SentinelsForm(forms.Form):
    """How many, which share of answers may change, and how often they are asked again."""

    n_items = forms.IntegerField(
        label=_("Items at most"), min_value=FEWEST, max_value=1_000, initial=60
    )
    margin = forms.DecimalField(
        label=_("Answers that may change, in per cent"),
        min_value=1,
        max_value=90,
        decimal_places=1,
        max_digits=3,
        initial=MARGIN,
        help_text=_("More than a steady judge changes by itself, which repeats tell beforehand."),
    )
    every_days = forms.IntegerField(
        label=_("Days from one time to the next"), min_value=1, max_value=366, initial=7
    )

    def arguments(self) -> dict[str, Any]:
        """The same as actions.sentinels.place takes it."""
        data = self.cleaned_data
        return {**data, "margin": float(data["margin"]) / 100}
