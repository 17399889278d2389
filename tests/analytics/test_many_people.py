"""With many people on a panel, each two of them are compared only where that says something."""

from dataclasses import replace

import pytest
from django.core.cache import cache

from analytics.agreement import numbers as agreement
from analytics.agreement.numbers import MANY_PEOPLE, Kind
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from analytics.stats.cells import FEW_PAIRS
from annotation.queue import report_mark
from tests.analytics.made import AT, human, items_of, judge, rate
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


def test_at_a_glance_all_is_as_in_the_report_but_single_people_are_not_there(pond):
    add_item(pond, 7)
    people = [human(f"person{number}") for number in range(3)]
    for rater in (*people, judge("echo")):
        for item in items_of(pond)[:4]:
            rate(rater, item, safety="nonsense")
    study = matrices.read(pond.pk)
    whole = agreement.report(study, view=PLAIN, at=AT)
    alone = {Kind.HUMAN_PAIR, Kind.JUDGE_HUMAN}
    assert {one.kind for one in whole.comparisons} > alone
    left = tuple(one for one in whole.comparisons if one.kind not in alone)
    assert agreement.glance(study, view=PLAIN, at=AT) == replace(whole, comparisons=left)


def test_whoever_opens_a_criterion_has_the_figures_of_single_people_computed(pond, as_user, ada):
    rita, sam = human("rita"), human("sam")
    address = "/studies/pond/agreement/criteria/safety/"
    for person in (rita, sam):
        rate(person, items_of(pond)[0], safety="nonsense")
    assert b"Rita" in as_user(ada).get(address).content
    rate(rita, items_of(pond)[1], safety="nonsense")
    cache.delete(report_mark(pond.pk, agreement.PART.key))
    as_user(ada).get(address)
    assert report_mark(pond.pk, agreement.PART.key) in cache
