"""What a page that follows figures tells the web server, which has it wait (`config.web.waiting`)."""

from typing import NamedTuple

from django.http import HttpRequest

FOLLOWS = "concord.follows"  # where it stands in the environment of a request
HAS_WAITED = "over"  # what the header says of a request that has waited


class Following(NamedTuple):
    """Of which study a page shows figures, under which address it asks for newer ones, and
    whether this answer has some."""

    study: int
    address: str
    is_new: bool


def has_waited(request: HttpRequest) -> bool:
    """Whether it is one of the few requests at a time that are taken up after they had waited."""
    return request.headers.get("Concord-Waits") == HAS_WAITED
