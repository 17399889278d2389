"""What is asked to let somebody rate who has not passed."""

from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.queries.qualified import Qualified
from annotation.rules.remarks import LONGEST


class AdmissionForm(forms.Form):
    """Whom, and why."""

    account = forms.ChoiceField(label=_("Who is let in"))
    reason = forms.CharField(
        label=_("Reason"),
        help_text=_("It stands in the record of the study."),
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, found: list[Qualified], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        account = cast(forms.ChoiceField, self.fields["account"])
        account.choices = [(str(one.account_id), one.name) for one in found if not one.may_rate]

    @property
    def has_anybody(self) -> bool:
        return bool(cast(forms.ChoiceField, self.fields["account"]).choices)
