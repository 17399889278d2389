"""How many requests were answered, by the name of the page and the status: of all web processes.

Addresses may hold what somebody typed, so none is counted. Processes of one server count in files
of one folder, which PROMETHEUS_MULTIPROC_DIR names before this is loaded.
"""

import os

from prometheus_client import CollectorRegistry, Counter, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

TOGETHER = "PROMETHEUS_MULTIPROC_DIR"
_OWN = CollectorRegistry()
_ANSWERED = Counter(
    "concord_requests", "Requests that were answered", ["page", "status"], registry=_OWN
)


def answered(page: str, status: int) -> None:
    """Count one request."""
    _ANSWERED.labels(page, str(status)).inc()


def exposed() -> bytes:
    """The counts, in the text format."""
    if TOGETHER not in os.environ:
        return generate_latest(_OWN)
    of_all = CollectorRegistry()
    MultiProcessCollector(of_all)  # type: ignore[no-untyped-call]  # it has no types
    return generate_latest(of_all)
