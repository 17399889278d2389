"""Where allauth asks us: how accounts are stored and how its secrets are kept."""

import base64
import hashlib

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet
from django.conf import settings


class AccountAdapter(DefaultAccountAdapter):
    """Accounts are known by a lower-case email address."""

    def clean_email(self, email: str) -> str:
        return super().clean_email(email).lower()


class MFAAdapter(DefaultMFAAdapter):
    """Seeds of second factors are encrypted at rest."""

    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return _cipher().decrypt(encrypted_text.encode()).decode()


def _cipher() -> Fernet:
    key = hashlib.sha256(b"concord.mfa:" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
