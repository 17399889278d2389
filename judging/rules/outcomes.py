"""What can become of a call, and why a run can stop."""

from enum import StrEnum


class Outcome(StrEnum):
    """How a call ended: every criterion rated, or why the first unrated one is not; or a reply.

    All but `RATED` and `WRITTEN` are also the reasons of unscored ratings.
    """

    RATED = "rated"
    WRITTEN = "written"
    EMPTY = "empty"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    NO_ANSWER = "no_answer"
    AMBIGUOUS = "ambiguous"
    HEDGED = "hedged"
    QUOTED = "quoted"
    ONLY_REASONING = "only_reasoning"
    SCHEMA_INVALID = "schema_invalid"
    OUT_OF_RANGE = "out_of_range"
    TOO_LONG = "too_long"
    REQUEST_REFUSED = "request_refused"
    ENDPOINT_ERROR = "endpoint_error"


# What the endpoint failed at, and may do once it works; nothing was said about the item.
FAILED = (Outcome.ENDPOINT_ERROR, Outcome.REQUEST_REFUSED)


# Endpoints' words for why an answer ended that they did not bring to an end.
BROKEN_OFF = ("abort", "error", "insufficient_system_resource", "network_error")


class Taken(StrEnum):
    """Whether an endpoint took what was tried with it."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class Pause(StrEnum):
    """Why a run makes no calls until somebody resumes it."""

    BY_HAND = "by_hand"
    ACCESS_LOST = "access_lost"
    DATA_SET_SAYS_NO = "data_set_says_no"
    ENDPOINT_CHANGED = "endpoint_changed"
    ENDPOINT_NOT_ALLOWED = "endpoint_not_allowed"
    KEY_REFUSED = "key_refused"
    OUT_OF_QUOTA = "out_of_quota"
    NOT_FOUND = "not_found"
    REDIRECTED = "redirected"
    REQUESTS_REFUSED = "requests_refused"
    NO_ANSWERS = "no_answers"
    LIMIT_REACHED = "limit_reached"
