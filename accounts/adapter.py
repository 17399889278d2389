"""Where allauth asks us: how accounts are stored and how its secrets are kept."""

import secrets
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context as allauth_context
from allauth.mfa.adapter import DefaultMFAAdapter
from django.contrib.sites.shortcuts import get_current_site
from django.core.mail import EmailMultiAlternatives
from django.http import HttpRequest
from django.urls import reverse

from accounts import ciphers, limits, post, providers, sign_ins
from accounts.models import User


class AccountAdapter(DefaultAccountAdapter):
    """Accounts are known by a lower-case email address."""

    def clean_email(self, email: str) -> str:
        return super().clean_email(email).lower()

    def get_client_ip(self, request: HttpRequest) -> str:
        return limits.address_of(request)

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """allauth lets everybody go on who has neither a password nor a factor here."""
        is_required: bool = super().is_reauthentication_required(app=app, **kwargs)
        if is_required:
            providers.ask_unless_just_asked(allauth_context.request)
        return is_required

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        if methods or not isinstance(user, User) or providers.asks(user) is None:
            return methods
        return [{"id": "again", "description": "", "url": reverse("again")}]

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Ours are the limits: allauth's would let a stranger shut an account's door."""

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        email = str(credentials.get("email", ""))
        attempt = limits.attempt(request, email)
        if attempt.is_refused:
            if attempt.is_first_refused:
                sign_ins.held_back(email)
            raise self.validation_error("too_many_login_attempts")
        account = super().authenticate(request, **credentials)
        if not isinstance(account, User):
            return None
        attempt.forgive()
        return account

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        message = self.render_mail(template_prefix, email, self._letter_context(email, context))
        html = (
            next((str(part) for part, _ in message.alternatives), "")
            if isinstance(message, EmailMultiAlternatives)
            else ""
        )
        post.post(
            post.Letter(to=email, subject=str(message.subject), text=str(message.body), html=html)
        )

    def send_account_already_exists_mail(self, email: str) -> None:
        """Signing up under an address that has an account takes the work of making one."""
        User().set_password(secrets.token_urlsafe())
        super().send_account_already_exists_mail(email)

    def _letter_context(self, email: str, context: dict[str, Any]) -> dict[str, Any]:
        request = allauth_context.request
        return {
            "request": request,
            "email": email,
            "current_site": get_current_site(request),
        } | context


class MFAAdapter(DefaultMFAAdapter):
    """Seeds of second factors are encrypted at rest."""

    def encrypt(self, text: str) -> str:
        return ciphers.of_factors().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return ciphers.of_factors().decrypt(encrypted_text.encode()).decode()
