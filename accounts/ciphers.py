"""What is kept encrypted: under the first key it is written, under any of them it is read."""

import base64
import hashlib
from functools import lru_cache

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings


def of_factors() -> MultiFernet:
    """For the seeds of second factors.

    Their own keys come first. What was written before there were any was keyed by the server's
    SECRET_KEY, or by one that it had before.
    """
    return _cipher("concord.mfa:", (*settings.SECOND_FACTOR_KEYS, *_server_keys()))


def of_letters() -> MultiFernet:
    """For letters on their way to a worker: they hold addresses, and keys that open accounts."""
    return _cipher("concord.letters:", _server_keys())


def of_cache() -> MultiFernet:
    """For what Redis keeps for a while."""
    return _cipher("concord.cache:", _server_keys())


def _server_keys() -> tuple[str, ...]:
    return (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)


@lru_cache(maxsize=8)
def _cipher(purpose: str, keys: tuple[str, ...]) -> MultiFernet:
    """Made once a process: making one takes as long as using it."""
    return MultiFernet(
        Fernet(base64.urlsafe_b64encode(hashlib.sha256((purpose + key).encode()).digest()))
        for key in keys
    )
