"""One name, one number: what a judge comes to beside single people and beside their consensus has
another value, so it has another name wherever it stands."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from analytics.agreement import numbers as agreement
from analytics.agreement import tables as of_agreement
from analytics.comparisons.kinds import Kind
from analytics.figures import store
from analytics.judges import numbers as judges
from analytics.judges import tables as of_judges
from analytics.judges.numbers import Reference
from analytics.present import naming as names
from analytics.present.tables import Dressed, Table, bare, exact
from analytics.ratings.matrices import PLAIN
from analytics.stats.estimates import Estimate
from analytics.trust import numbers as trust
from annotation.models import TeamRole
from tests.analytics.made import AT
from tests.analytics.meadow import meadow


@pytest.fixture
def reports(ada):
    cache.clear()
    study = meadow({ada: [TeamRole.COORDINATOR]})
    return {
        part.key: store.up_to_date(study_id=study.pk, part=part, at=AT)[PLAIN]
        for part in (agreement.PART, judges.PART, trust.PART)
    }, study.rubric_version.content


def held(reports) -> Iterator[tuple[str, int, Estimate]]:
    """(criterion, judge, figure) of a judge beside people, wherever programs read one."""
    for one in reports["agreement"].comparisons:
        if one.kind is Kind.JUDGE_HUMANS:
            yield from ((one.criterion, one.raters[-1], each) for each in one.estimates.values())
    for one in reports["judges"].against:
        if one.reference is Reference.PEOPLE:
            yield from ((one.criterion, one.judge, each) for each in one.item.estimates.values())
    for one in reports["judges"].beside:
        yield from ((one.criterion, one.judge, each.judge) for each in one.ceiling.values())
    for one in reports["trust"].known:
        yield from ((one.criterion, one.judge, each.judge) for each in one.ceilings.values())
        for measured in one.measured:
            if not measured.is_gold:
                yield from ((one.criterion, one.judge, each) for each in measured.pair.values())


def test_programs_read_one_number_under_one_name(reports):
    found: dict[tuple[str, int, str], set[float]] = {}
    for criterion, judge, estimate in held(reports[0]):
        if estimate.value is not None:
            place = (criterion, judge, estimate.statistic)
            found.setdefault(place, set()).add(round(estimate.value, 9))
    assert any("consensus" in name for _criterion, _judge, name in found)
    several = {place: values for place, values in found.items() if len(values) > 1}
    assert not several


def shown(table: Table, judge_keys: set[str]) -> Iterator[tuple[tuple[str, str, str], float]]:
    """((criterion, judge, what the figure is called), its value) of the lines beside people."""
    about = {column.key: place for place, column in enumerate(table.about)}
    for line in table.lines:
        told = {key: line.about[place] for key, place in about.items()}
        if "reference" in told and exact(told["reference"])[1] != "people":
            continue
        beside = told.get("judge") or told.get("who")
        whom = str(exact(beside)[1]) if beside else ""
        for column, value in zip(table.columns, line.values, strict=False):
            estimate = bare(value)
            judge = column.key if column.key in judge_keys else whom
            if not isinstance(estimate, Estimate) or estimate.value is None:
                continue
            name = _called(told, column.head, value)
            yield (str(exact(told["criterion"])[1]), judge, name), round(estimate.value, 9)


def _called(told, head, value) -> str:
    statistic = told.get("statistic_of")
    if statistic is None:
        return head
    apart = isinstance(value, Dressed) and "over all pairs" in value.small
    return str(exact(statistic)[1]) if apart else bare(statistic).text


def test_people_read_one_number_under_one_name(reports):
    made, rubric = reports
    naming = names.of_raters(rubric, made["judges"].raters)
    keys = {rater.key for rater in made["judges"].raters if rater.is_judge}
    found: dict[tuple[str, str, str], set[float]] = {}
    for table in (
        of_judges.glance(made["judges"], naming),
        *of_judges.item_level(made["judges"], naming),
        of_agreement.item_level(made["agreement"], naming),
    ):
        for (criterion, whom, name), value in shown(table, keys):
            judge = whom.split()[-1] if whom.startswith("judge_humans") else whom
            if judge in keys:
                found.setdefault((criterion, judge, name), set()).add(value)
    assert any("consensus" in name for _criterion, _judge, name in found)
    several = {place: values for place, values in found.items() if len(values) > 1}
    assert not several
