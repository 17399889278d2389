"""What is asked about data sets, grants and broken glass."""

from collections.abc import Collection
from datetime import datetime, time
from typing import Any, cast

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.forms import AccountField, LastDayForm
from accounts.models import Role, User
from annotation.models import DataSet, ProviderPolicy
from annotation.models.grants import LEVELS
from annotation.rules.granting import DataLevel

LEVEL_CHOICES = [(level.value, name) for level, name in LEVELS.items()]


class GrantForm(LastDayForm):
    """Until when whatever waits for somebody is granted."""

    until = forms.DateField(label=_("Until"), widget=forms.DateInput(attrs={"type": "date"}))


class WhyForm(forms.Form):
    """A reason, for the other side to read."""

    reason = forms.CharField(
        label=_("Reason"), max_length=2000, widget=forms.Textarea(attrs={"rows": 2})
    )


class LevelsForm(forms.Form):
    """Ask for levels of a data set."""

    levels = forms.MultipleChoiceField(
        label=_("What of the data set"),
        choices=LEVEL_CHOICES,
        widget=forms.CheckboxSelectMultiple,
    )
    purpose = forms.CharField(
        label=_("What for"), max_length=2000, widget=forms.Textarea(attrs={"rows": 2})
    )

    def __init__(self, *args: Any, offered: Collection[DataLevel], **kwargs: Any) -> None:
        """What is held or asked for already is not offered; sent all the same, it changes nothing."""
        super().__init__(*args, **kwargs)
        shown = [(level, words) for level, words in LEVEL_CHOICES if level in offered]
        self.fields["levels"].widget.choices = shown


class SeenFilterForm(forms.Form):
    """Whose grants to show, of which level, and as of which day."""

    at = forms.DateField(
        label=_("As of the day"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    person = AccountField(label=_("Person"))
    level = forms.ChoiceField(
        label=_("Level"), required=False, choices=[("", _("Any")), *LEVEL_CHOICES]
    )

    def moment(self, now: datetime) -> datetime:
        """The end of the day that is asked for; now for today and without a day."""
        day = self.cleaned_data.get("at")
        if day is None or day >= timezone.localdate(now):
            return now
        return timezone.make_aware(datetime.combine(day, time.max))


class DataSetForm(forms.Form):
    """In whose care a data set is, and what its rules are."""

    steward = forms.EmailField(
        label=_("Email address of its data steward"),
        required=False,
        help_text=_("Decides first. Without one, any data steward does."),
    )
    longest_days = forms.IntegerField(
        label=_("Longest term of a grant, in days"), min_value=1, max_value=3650
    )
    least_raters = forms.IntegerField(
        label=_("How many people must have rated before figures of a single one are shown"),
        min_value=3,
        max_value=100,
        help_text=_(
            "For those who may see figures but not single raters: figures of single people, and "
            "counts of their answers, are shown once so many people have rated."
        ),
    )
    provider_policy = forms.ChoiceField(
        label=_("Where its texts may be sent to be judged"),
        choices=ProviderPolicy.choices,
        widget=forms.RadioSelect,
    )
    processors = forms.CharField(
        label=_("Listed hosts, one a line"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def clean_steward(self) -> User | None:
        address = self.cleaned_data["steward"].lower()
        if not address:
            return None
        steward = User.objects.filter(
            email=address, is_active=True, roles__contains=[Role.STEWARD]
        ).first()
        if steward is None:
            raise forms.ValidationError(_("No data steward has this email address."))
        return steward

    def clean_processors(self) -> list[str]:
        lines = cast(str, self.cleaned_data["processors"]).split()
        return sorted({line.strip().lower() for line in lines})


def rules_of(data_set: DataSet) -> dict[str, object]:
    """What `DataSetForm` starts with."""
    return {
        "steward": data_set.steward.email if data_set.steward else "",
        "longest_days": data_set.longest_days,
        "least_raters": data_set.least_raters,
        "provider_policy": data_set.provider_policy,
        "processors": "\n".join(data_set.processors),
    }
