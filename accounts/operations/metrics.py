"""The state of a server as Prometheus reads it."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from accounts.operations import counting
from accounts.operations.state import ServerState, state


def exposed() -> bytes:
    """All figures, in the text format."""
    registry = CollectorRegistry()
    registry.register(_OfState(state()))
    return generate_latest(registry) + counting.exposed()


class _OfState(Collector):
    """One state as gauges; nothing in it names a person or a study."""

    def __init__(self, known: ServerState) -> None:
        self._known = known

    def collect(self) -> Iterator[Metric]:
        known = self._known
        up = GaugeMetricFamily("concord_up", "Whether PostgreSQL and Redis answer", labels=["name"])
        for name in ("database", "redis"):
            up.add_metric([name], name not in known.away)
        yield up
        waiting = GaugeMetricFamily("concord_queue_waiting", "Tasks that wait", labels=["queue"])
        workers = GaugeMetricFamily("concord_workers", "Workers that answer", labels=["queue"])
        for queue in known.queues:
            waiting.add_metric([queue.name], queue.waiting)
            workers.add_metric([queue.name], len(queue.workers))
        yield waiting
        yield workers
        for name, told, value in (
            ("disk_free_bytes", "Room on the disk of the home", known.disk_free),
            ("disk_size_bytes", "Size of the disk of the home", known.disk_size),
            ("database_bytes", "Size of the database", known.database_bytes),
            ("ledger_sequence", "The last row of the ledger", known.checkpoint),
            ("ledger_unsealed", "Lines that wait to be sealed", known.unsealed),
        ):
            if value is not None:
                yield GaugeMetricFamily(f"concord_{name}", told, value=value)
        for name, told, at in (
            ("backup_time_seconds", "When the last backup was made", known.backed_up_at),
            ("ledger_sealed_time_seconds", "When the ledger was last sealed", known.sealed_at),
        ):
            if at is not None:
                yield GaugeMetricFamily(f"concord_{name}", told, value=at.timestamp())
