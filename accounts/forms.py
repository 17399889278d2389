"""The forms of accounts."""

from datetime import datetime, time
from typing import Any, cast

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from accounts.access import current_terms
from accounts.actions import people
from accounts.languages import LONGEST_TAG
from accounts.models import Role, Scope, User
from accounts.queries.people import account_exists


class PersonForm(forms.Form):
    """Who somebody is."""

    full_name = forms.CharField(
        label=_("Full name"),
        max_length=150,
        help_text=_("Your own name: you sign the confidentiality agreement with it."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    affiliation = forms.CharField(
        label=_("Affiliation"),
        max_length=200,
        help_text=_("The hospital, university or team that you work for."),
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )


class SignupForm(PersonForm):
    """What allauth's sign-up form asks besides email address and password."""

    field_order = ["email", "full_name", "affiliation", "password1", "password2"]

    def signup(self, request: HttpRequest, user: User) -> None:
        people.introduce(
            user=user,
            full_name=self.cleaned_data["full_name"],
            affiliation=self.cleaned_data["affiliation"],
            at=timezone.now(),
        )


class FirstRunForm(PersonForm):
    """The first data steward of a new server."""

    field_order = ["token", "email", "full_name", "affiliation", "password"]

    token = forms.CharField(
        label=_("Token"),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    email = forms.EmailField(label=_("Email address"))
    password = forms.CharField(
        label=_("Password"),
        help_text=_("At least 15 characters."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    again = forms.CharField(
        label=_("Password (again)"),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"].lower()
        if account_exists(email):
            raise forms.ValidationError(_("There is an account with this address already."))
        return email

    def clean(self) -> dict[str, Any]:
        given = {**(super().clean() or {})}
        account = User(email=given.get("email", ""), full_name=given.get("full_name", ""))
        if given.get("password") != given.get("again"):
            self.add_error("again", _("The two passwords differ."))
        elif given.get("password"):
            try:
                validate_password(given["password"], account)
            except forms.ValidationError as problem:
                self.add_error("password", problem)
        return given

    def account(self) -> dict[str, str]:
        return {name: value for name, value in self.cleaned_data.items() if name != "again"}


class SignForm(forms.Form):
    """A signature: a typed name under a text that was shown, in the language it was shown in."""

    number = forms.IntegerField(widget=forms.HiddenInput)
    language = forms.CharField(max_length=LONGEST_TAG, widget=forms.HiddenInput)
    typed_name = forms.CharField(
        label=_("Your full name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    affiliation = forms.CharField(
        label=_("Affiliation"),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )
    agree = forms.BooleanField(
        label=_("I have read the agreement in full and I agree to it."),
        error_messages={"required": _("Tick the box if you agree; without it nothing is signed.")},
    )

    def __init__(self, *args: Any, signer: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.signer = signer
        self.fields["typed_name"].help_text = _(
            "Type it as it stands in your account: %(name)s"
        ) % {"name": signer.full_name}

    def clean_language(self) -> str:
        language: str = self.cleaned_data["language"]
        terms = current_terms()
        if terms is not None and language not in terms.languages:
            raise forms.ValidationError(
                _("The agreement is not written in that language. Read it again.")
            )
        return language

    def clean_typed_name(self) -> str:
        typed_name: str = self.cleaned_data["typed_name"]
        if not self.signer.is_called(typed_name):
            raise forms.ValidationError(
                _("This is not the name in your account. Type: %(name)s"),
                params={"name": self.signer.full_name},
            )
        return typed_name


class RequestForm(forms.Form):
    purpose = forms.CharField(
        label=_("What you need access for"),
        max_length=2000,
        help_text=_("Which study, which part you have in it, and who invited you."),
        widget=forms.Textarea(attrs={"rows": 5}),
    )


class LastDayForm(forms.Form):
    """The last day `until` which something is granted, in the server's time zone; never after `latest`."""

    def __init__(self, *args: Any, latest: datetime, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.latest = latest
        self.last_day = timezone.localdate(latest)
        self.fields["until"].initial = self.last_day
        self.fields["until"].widget = forms.DateInput(
            attrs={"type": "date", "max": self.last_day.isoformat()}, format="%Y-%m-%d"
        )

    def end_of_term(self) -> datetime:
        day = self.cleaned_data["until"]
        if day == self.last_day:
            return self.latest
        return timezone.make_aware(datetime.combine(day, time.max))


class ApproveForm(LastDayForm):
    """The last day of access."""

    until = forms.DateField(label=_("Access until the end of"))

    def __init__(self, *args: Any, latest: datetime, **kwargs: Any) -> None:
        super().__init__(*args, latest=latest, **kwargs)
        self.fields["until"].help_text = _(
            "At the latest %(day)s: a year, and no longer than the signature."
        ) % {"day": date_format(self.last_day)}


class RefuseForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason, for the applicant to read"),
        max_length=2000,
        help_text=_("Say what is missing, so that they can ask again."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class SuspendForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason, for other stewards to read"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


ROLES = [role.value for role in Role]


class RolesForm(forms.Form):
    roles = forms.MultipleChoiceField(
        label=_("Roles on this server"),
        choices=Role.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )


class TokenForm(forms.Form):
    """What a program gets a token for, and for how long."""

    name = forms.CharField(label=_("What it is for"), max_length=100)
    scopes = forms.MultipleChoiceField(
        label=_("What it may do"), choices=Scope.choices, widget=forms.CheckboxSelectMultiple
    )
    days = forms.IntegerField(label=_("For how many days"), min_value=1, max_value=90, initial=30)


class AccountField(forms.ModelChoiceField):  # type: ignore[type-arg]  # no generic at run time
    """One of all accounts, chosen from a list: the address that asks holds its number, no name."""

    def __init__(self, **options: Any) -> None:
        everybody = User.objects.order_by("full_name", "pk")
        super().__init__(everybody, required=False, empty_label=_("Anybody"), **options)

    def label_from_instance(self, account: User) -> str:
        return f"{account.full_name} ({account.email})"


class EventFilterForm(forms.Form):
    """Which lines of the audit trail to show; all of it when empty."""

    subject = forms.CharField(
        label=_("About"),
        required=False,
        max_length=100,
        widget=forms.TextInput(attrs={"placeholder": "account:3"}),
    )
    actor = AccountField(label=_("Done by"))
    verb = forms.ChoiceField(label=_("What"), required=False)
    before = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, verbs: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        verb_field = cast(forms.ChoiceField, self.fields["verb"])
        verb_field.choices = [("", _("Anything")), *((verb, verb) for verb in verbs)]
