"""With many people on a panel, each two of them are compared only where that says something."""

import pytest

from analytics.agreement import numbers as agreement
from analytics.agreement.numbers import MANY_PEOPLE, Kind
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from analytics.stats.cells import FEW_PAIRS
from tests.analytics.made import AT, human, items_of, rate
from tests.cast import add_item


@pytest.mark.parametrize(("n_people", "n_pairs"), [(MANY_PEOPLE, 66), (MANY_PEOPLE + 1, 1)])
def test_of_many_people_only_those_are_paired_who_share_enough(pond, n_people, n_pairs):
    for position in range(7, FEW_PAIRS + 1):
        add_item(pond, position)
    items = items_of(pond)
    for number in range(n_people):
        person = human(f"person{number}")
        for item in items if number < 2 else items[:1]:
            rate(person, item, safety="nonsense")
    made = agreement.report(matrices.read(pond.pk), view=PLAIN, at=AT)
    kinds = [comparison.kind for comparison in made.comparisons]
    assert kinds.count(Kind.HUMAN_PAIR) == n_pairs
    assert kinds.count(Kind.HUMANS) == 1
