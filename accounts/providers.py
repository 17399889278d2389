"""Single sign-on: what an OpenID provider says of a person, and what is believed of it."""

from typing import Any

from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.base.constants import AuthProcess
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from accounts.models import User


class ProviderAdapter(DefaultSocialAccountAdapter):
    """Who comes for the first time finds their name filled in."""

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Sign somebody in, and do nothing else: a link on another site could connect a stranger's
        sign-on to the account of whoever follows it."""
        if sociallogin.state.get("process") != AuthProcess.LOGIN:
            raise PermissionDenied

    def authenticate_by_email(self, sociallogin: SocialLogin) -> tuple[Any, str] | None:
        """The account whose own address the provider has verified; one that an account is only to
        be changed to may be anybody's."""
        verified = [one.email.lower() for one in sociallogin.email_addresses if one.verified]
        account = User.objects.filter(email__in=verified).order_by("pk").first()
        return (account, account.email) if account else None

    def get_signup_form_initial_data(self, sociallogin: SocialLogin) -> dict[str, Any]:
        initial: dict[str, Any] = super().get_signup_form_initial_data(sociallogin)
        return initial | {"full_name": str(_claims(sociallogin).get("name", ""))}


def vouches(sociallogin: SocialLogin) -> bool:
    """Whether the provider says, in words that are believed, that it asked for a second factor."""
    token = sociallogin.account.extra_data.get("id_token") or {}
    methods = token.get("amr") or []
    said = {*(methods if isinstance(methods, list) else [methods]), token.get("acr")}
    return bool(said & set(settings.SSO_SECOND_FACTOR))


def _claims(sociallogin: SocialLogin) -> dict[str, Any]:
    extra = sociallogin.account.extra_data
    return dict(extra.get("userinfo") or extra.get("id_token") or {})
