"""What the tables of a room are made from, whoever reads them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from analytics.present.naming import Naming
from analytics.ratings.matrices import StudyRatings, View
from analytics.trust.policies import Held
from annotation.queries.rounds import RoundStatus


@dataclass(frozen=True, kw_only=True)
class TableBasis:
    """The reports of a part in the views that differ, the one in view first; `held` are the rules
    of the trust cards; `read` gives the ratings to the few tables that are computed from these;
    `choices` are those of the reader of a page; `rounds` are those that may be told; `beside` holds
    the report of every other part that the tables speak of. `read_whole` gives the first report with
    what is kept apart of it, or of it what the reader chose, where `reports` are without."""

    reports: Mapping[View, Any]
    naming: Naming
    held: Held
    read: Callable[[], StudyRatings]
    choices: Mapping[str, str] = field(default_factory=dict)
    rounds: Sequence[RoundStatus] = ()
    beside: Mapping[str, Any] = field(default_factory=dict)
    read_whole: Callable[[], Any] | None = None

    @property
    def report(self) -> Any:
        return next(iter(self.reports.values()))

    @cached_property
    def whole(self) -> Any:
        return self.read_whole() if self.read_whole else self.report

    @cached_property
    def ratings(self) -> StudyRatings:
        return self.read()
