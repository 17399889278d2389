"""What the planner says: how far the data reach, and what a narrower interval takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from analytics.plan import tables, words
from analytics.plan.goals import Goals, goals
from analytics.plan.numbers import PlanReport
from analytics.present.grid import Grid
from analytics.present.naming import Naming
from analytics.present.page import FiguresPage, shown
from analytics.present.words import counted, without_a_miss


@dataclass(frozen=True, kw_only=True)
class Plan(FiguresPage):
    """The planner for a width, a reach of sensitivity and a miss rate."""

    room: ClassVar[str] = "plan"
    report: PlanReport
    goals: Goals

    variance = shown(tables.variance)

    @property
    def asked(self) -> dict[str, str]:
        return {goal.name: goal.typed for goal in self.goals.all}

    @property
    def made_of(self) -> str:
        report = self.report
        return counted(report.n_items, report.n_dialogues, n_set_aside=report.n_set_aside)

    @property
    def headline(self) -> str:
        return words.headline(self.report.agreement, self.goals.width.value)

    @cached_property
    def agreement(self) -> Grid | None:
        return self.grid(tables.agreement(self.report, self.naming, self.goals))

    @cached_property
    def positives(self) -> Grid | None:
        return self.grid(tables.positives(self.report, self.naming, self.goals))

    @property
    def without_a_miss(self) -> str:
        return without_a_miss(self.goals.miss.value)


def plan(report: PlanReport, naming: Naming, choices: Mapping[str, str]) -> Plan:
    """The planner with the reader's numbers, or the usual ones."""
    return Plan(report=report, naming=naming, goals=goals(choices))
