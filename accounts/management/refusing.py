"""What is refused ends a command with the sentence that says why."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError


@contextmanager
def refusing(*refusals: type[Exception], about: str = "") -> Iterator[None]:
    """Around an action; `about` stands before the sentence."""
    try:
        yield
    except refusals as refusal:
        raise CommandError(f"{about}{refusal}") from None
