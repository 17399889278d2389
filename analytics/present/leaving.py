"""Figures that leave as a file or through the API, each with a line in the trail."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from accounts import events
from accounts.models import User
from analytics.present.veil import veil_of
from analytics.ratings.matrices import View
from annotation.queries.studies import StudyAccess

_ONE_LINE_A = timedelta(minutes=1)  # for a program that asks again and again
# Of an address, what other facts tell, and what chooses no figures.
_TOLD_ELSEWHERE = {"values", "slice", "chart", "as", "drawn", "revision", "page"}
# Choices among keys and numbers of the study or of Concord. Others may name people.
_SAID_PLAINLY = {
    *("criterion", "judge", "reference", "statistic", "statistic_of", "level", "cut", "method"),
    *("policy", "target", "signal", "alpha", "passed", "misses", "audit", "intervals"),
    *("width", "reach", "week"),
}
_KEY_OR_NUMBER = re.compile(r"[\w.:+-]{1,64}", re.ASCII)
_NAME = re.compile(r"[a-z_]{1,32}")
_MOST_CHOICES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class FiguresTaken:
    """Which figures somebody takes, and of which revision (of slices it is not noted).

    `choices` are those of the address, {name: every value}; `more` are facts of these figures alone.
    """

    study_access: StudyAccess
    name: str
    view: View
    revision: int | None
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    more: Mapping[str, object] = field(default_factory=dict)

    @property
    def facts(self) -> dict[str, object]:
        """`veiled`: whether people stand under pseudonyms."""
        return {
            "figures": self.name,
            "revision": self.revision,
            "with_off_scale": self.view.with_off_scale,
            "with_quarantined": self.view.with_quarantined,
            "slice": self.view.within,
            "chosen": dict(list(_chosen(self.choices))[:_MOST_CHOICES]),
            "veiled": veil_of(self.study_access) is not None,
            **self.more,
        }


def as_file(
    taken: FiguresTaken, *, by: User, at: datetime, verb: str = "figures.downloaded"
) -> None:
    """A table, a chart or a verdict leaves."""
    subject = f"study:{taken.study_access.study.pk}"
    events.record(verb, subject=subject, by=by, at=at, facts=taken.facts)


def by_program(taken: FiguresTaken, *, by: User, at: datetime) -> None:
    """A program is told; the same again within a minute is no line of its own."""
    events.record_unless_recent(
        "figures.read",
        subject=f"study:{taken.study_access.study.pk}",
        by=by,
        at=at,
        facts=taken.facts,
        within=_ONE_LINE_A,
    )


def _chosen(choices: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, list[str]]]:
    """What an address chooses, by name; what may be somebody's name or any text by its hash."""
    for name, values in sorted(choices.items()):
        if name not in _TOLD_ELSEWHERE and _NAME.fullmatch(name):
            yield name, [_said(name, value) for value in values[:_MOST_CHOICES]]


def _said(name: str, value: str) -> str:
    if name in _SAID_PLAINLY and (not value or _KEY_OR_NUMBER.fullmatch(value)):
        return value
    return f"sha256:{hashlib.sha256(value.encode()).hexdigest()}"
