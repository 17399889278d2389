"""What an operation takes and gives, for the description of the API.

drf-spectacular's own `extend_schema` loads at once all that draws the description, and Django's
test client with it: four megabytes of a server that may never be asked for it.
"""

from collections.abc import Callable
from typing import Any, TypeVar

Answer = TypeVar("Answer", bound=Callable[..., Any])

DESCRIBED = "described"


def described(**what: object) -> Callable[[Answer], Answer]:
    """Note what `extend_schema` is given (same names), for whoever draws the description."""

    def note(answer: Answer) -> Answer:
        setattr(answer, DESCRIBED, what)
        return answer

    return note
