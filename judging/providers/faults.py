"""What can go wrong with a request, by what it means for the run."""

import re
from collections.abc import Mapping

from judging.rules.outcomes import Outcome, Pause

TIMED_OUT = "timeout"  # the code of a request whose answer did not come in time
_PLAIN = re.compile(r"[1-5]\d\d|[A-Za-z_]{1,60}")


class Fault(Exception):
    """A request without an answer. `code` is a short word for the record, never a text.

    Endpoints write into it what they like, the key that they were sent included: a status and plain
    words stay.
    """

    def __init__(self, code: str = "") -> None:
        super().__init__(code)
        self.code = " ".join(word for word in code.split() if _PLAIN.fullmatch(word))[:100]


class RateLimited(Fault):
    """Ask again after `wait` seconds; None where the endpoint does not say."""

    def __init__(self, code: str = "", *, wait: float | None = None) -> None:
        super().__init__(code)
        self.wait = wait


class Transient(Fault):
    """A time-out, a broken connection, a server error: the same request may succeed later.

    `wait` in seconds, before which it will not; 0 where the endpoint does not say.
    """

    def __init__(self, code: str = "", *, wait: float = 0.0) -> None:
        super().__init__(code)
        self.wait = wait


class Missed(Transient):
    """What was sent in a batch never reached an LLM: it can be asked again, and nothing is billed."""


class Unended(Transient):
    """An answer came that its endpoint did not end; `usage` are the tokens that it counted."""

    def __init__(self, code: str = "", *, usage: Mapping[str, int]) -> None:
        super().__init__(code)
        self.usage = usage


class Blocked(Fault):
    """No request will succeed before somebody has changed something."""

    def __init__(self, reason: Pause, code: str = "") -> None:
        super().__init__(code)
        self.reason = reason


class Denied(Blocked):
    """Forbidden, without a word on the key: a filter in between may not let this one text pass."""


class Rejected(Fault):
    """The endpoint will not take this request; `outcome` says what that means for its item."""

    def __init__(self, outcome: Outcome, code: str = "") -> None:
        super().__init__(code)
        self.outcome = outcome


class Withdrawn(Fault):
    """The request was not sent, because the work stops here for now."""
