"""The order in which a recipient gets the items: keyed, so that it tells whose copy a file is.

No value is altered and no row added: only the order of the rows is the recipient's own.
"""

import hashlib
import hmac

from django.db.models import BinaryField, F, Func, Value


def order_for(release_key: str, recipient: int) -> str:
    """What the order of an account's copies of a study is made from; a secret of the server."""
    told = f"order of {recipient}".encode()
    return hmac.new(bytes.fromhex(release_key), told, hashlib.sha256).hexdigest()


def place_of(item_key: str, order: str) -> bytes:
    """Items are sorted by this."""
    return hashlib.sha256((order + item_key).encode()).digest()


class PlaceInOrder(Func):
    """`place_of` a key, in SQL."""

    template = "sha256(convert_to(%(expressions)s, 'UTF8'))"
    arg_joiner = " || "
    output_field = BinaryField()

    def __init__(self, key: F, *, order: str) -> None:
        super().__init__(Value(order), key)
