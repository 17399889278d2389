"""What a coordinator sets about care."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.rules.remarks import LONGEST


class CareForm(forms.Form):
    """Breaks, the most of a day, and what the support panel says."""

    break_after = forms.IntegerField(
        label=_("Offer a break after so many heavy items"),
        help_text=_("An item is heavy if it has a content note. 0: never."),
        min_value=0,
        max_value=1_000,
    )
    most_a_day = forms.IntegerField(
        label=_("Heavy items a day, at most"),
        help_text=_("Then only others are shown until the next day. Empty: no limit."),
        min_value=1,
        max_value=1_000,
        required=False,
    )
    support = forms.CharField(
        label=_("Support"),
        help_text=_("Whom to talk to, and how: shown beside every item."),
        widget=forms.Textarea(attrs={"rows": 5}),
        max_length=LONGEST,
        required=False,
    )
