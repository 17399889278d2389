"""Single sign-on: what an OpenID provider says of a person, and what is believed of it."""

from typing import Any

from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings


class ProviderAdapter(DefaultSocialAccountAdapter):
    """Who comes for the first time finds their name filled in."""

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
