"""Raters under names that join inside a study's exports, or on its pages, and nowhere else."""

import base64
import hashlib
import hmac

from annotation.models import RaterKind

LETTERS = 10


def pseudonym(release_key: str, rater_id: int) -> str:
    """A person's name in a study's exports: keyed, so that nobody can find it by trying ids."""
    return "R-" + _letters(release_key, rater_id)


def page_name(page_secret: str, rater_id: int) -> str:
    """A person's name on pages, for who sees no single raters: no file that leaves has it."""
    return "P-" + _letters(page_secret, rater_id)


def _letters(secret: str, rater_id: int) -> str:
    digest = hmac.new(bytes.fromhex(secret), str(rater_id).encode(), hashlib.sha256).digest()
    return base64.b32encode(digest).decode("ascii")[:LETTERS]


def public_name(release_key: str, *, rater_id: int, key: str, kind: str) -> str:
    """A judge's key as it is, a person's pseudonym."""
    return key if kind == RaterKind.JUDGE else pseudonym(release_key, rater_id)
