"""How many requests may be under way: quickly more at first, half after a rate limit."""

from dataclasses import dataclass

MOST_AT_ONCE = 64
_FIRST = 4.0
_SHORTEST_CLOSURE = 1.0  # seconds
_LONGEST_CLOSURE = 60.0  # seconds


@dataclass(slots=True, kw_only=True)
class Pace:
    """The pace against one endpoint; all times are seconds of one monotonic clock.

    Slow start until the first rate limit, then additive increase and multiplicative decrease.
    Answers of requests sent before the last cut belong to the same episode and cut no further.
    """

    ceiling: int
    limit: float = _FIRST
    closed_until: float = 0.0
    episodes: int = 0
    _last_cut: float = float("-inf")
    _closure: float = _SHORTEST_CLOSURE

    def __post_init__(self) -> None:
        self.limit = min(self.limit, float(self.ceiling))

    def allow(self, ceiling: int) -> None:
        """Take another ceiling; a higher one is reached as the first one was."""
        self.ceiling = ceiling
        self.limit = min(self.limit, float(ceiling))

    def room(self, under_way: int, *, now: float) -> bool:
        """Say whether one more request may be sent."""
        return now >= self.closed_until and under_way < int(self.limit)

    def answered(self, under_way: int) -> None:
        """Take note of an answer; the limit grows only if it was what held requests back."""
        self._closure = _SHORTEST_CLOSURE
        if under_way + 1 < int(self.limit):
            return
        step = 1.0 if self.episodes == 0 else 1.0 / self.limit
        self.limit = min(float(self.ceiling), self.limit + step)

    def limited(self, *, sent: float, now: float, wait: float | None) -> float:
        """Take note of a rate limit and return the seconds to wait; halve once an episode."""
        if sent >= self._last_cut:
            self.limit = max(1.0, self.limit / 2)
            self.episodes += 1
            self._last_cut = now
            if wait is None:
                wait, self._closure = self._closure, min(_LONGEST_CLOSURE, self._closure * 2)
        self.closed_until = max(self.closed_until, now + (wait or 0.0))
        return self.closed_until - now
