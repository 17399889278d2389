"""What a page says once something was done, or was not."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages

from accounts.gate import Request
from annotation.queries.wording import said


@contextmanager
def saying(request: Request, *refusals: type[Exception], done: str = "") -> Iterator[None]:
    """Around an action: the next page says that it is `done`, or the sentence of its refusal."""
    try:
        yield
    except refusals as refusal:
        messages.error(request, said(refusal.args[0]))
    else:
        if done:
            messages.success(request, done)
