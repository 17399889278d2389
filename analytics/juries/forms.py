"""What is asked to name a jury, and to end it."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from analytics.juries.proposing import LONGEST_NAME, candidates
from analytics.stats.juries import JuryRule
from annotation.models import Study

_RULES = (
    (
        JuryRule.MEDIAN.value,
        _("Most votes; on a scale the median, which is always a level that a member gave"),
    ),
    (JuryRule.MAJORITY.value, _("Most votes, on scales too")),
    (
        JuryRule.WEIGHTED.value,
        _("Votes weighed by how reliable each judge is on items that are not held out"),
    ),
)


class JuryForm(forms.Form):
    """Who sits in a jury of a study, and how they come to one answer."""

    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME)
    members = forms.MultipleChoiceField(
        label=_("Members"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Two or more. An odd number is tied less often."),
    )
    rule = forms.ChoiceField(
        label=_("How they come to one answer"),
        choices=_RULES,
        initial=JuryRule.MEDIAN.value,
        widget=forms.RadioSelect,
    )
    quorum = forms.IntegerField(
        label=_("Quorum"),
        min_value=1,
        required=False,
        help_text=_(
            "So many members must have given a value that can be read; else the item has none. Empty: "
            "more than half of them."
        ),
    )

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        members = self.fields["members"]
        if isinstance(members, forms.MultipleChoiceField):
            members.choices = [(str(one.pk), one.name) for one in candidates(study)]

    def arguments(self) -> dict[str, Any]:
        """What a jury is named with."""
        members = [int(one) for one in self.cleaned_data["members"]]
        return {
            "name": self.cleaned_data["name"],
            "members": members,
            "rule": JuryRule(self.cleaned_data["rule"]),
            "quorum": self.cleaned_data["quorum"] or len(members) // 2 + 1,
        }


class EndJuryForm(forms.Form):
    """Why a jury ends."""

    reason = forms.CharField(label=_("Why it ends"), max_length=300)
