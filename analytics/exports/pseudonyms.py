"""Raters under names that join inside a study's exports, or on its pages, and nowhere else."""

import base64
import hashlib
import hmac

from annotation.models import RaterKind

LETTERS = 10


def pseudonym(release_key: str, rater_id: int) -> str:
    """A person's name in a study's exports: keyed, so that nobody can find it by trying ids."""
    return "R-" + _letters(release_key, rater_id)


def page_number(page_secret: str, rater_id: int) -> int:
    """A person's id in addresses and in the API, for who sees no single raters; below 2**50, which
    JSON can hold."""
    return int.from_bytes(_digest(page_secret, rater_id)[:8], "big") >> 64 - 5 * LETTERS


def page_name(number: int) -> str:
    """A person's name on pages, for who sees no single raters: their number, in letters. No file
    that leaves has it."""
    return (
        "P-" + base64.b32encode((number << 64 - 5 * LETTERS).to_bytes(8, "big")).decode()[:LETTERS]
    )


def _letters(secret: str, rater_id: int) -> str:
    return base64.b32encode(_digest(secret, rater_id)).decode("ascii")[:LETTERS]


def _digest(secret: str, rater_id: int) -> bytes:
    return hmac.new(bytes.fromhex(secret), str(rater_id).encode(), hashlib.sha256).digest()


def public_name(release_key: str, *, rater_id: int, key: str, kind: str) -> str:
    """A judge's key as it is, a person's pseudonym."""
    return key if kind == RaterKind.JUDGE else pseudonym(release_key, rater_id)
