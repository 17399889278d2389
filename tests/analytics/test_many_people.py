"""With many people on a panel, each two of them are compared only where that says something."""

import csv
import io
import re
from dataclasses import replace
from html import unescape

import pytest
from django.core.cache import cache

from analytics.agreement import numbers as agreement
from analytics.comparisons import raters
from analytics.comparisons.kinds import SINGLE, Kind
from analytics.comparisons.raters import MANY_PEOPLE
from analytics.measures import FAMILIES
from analytics.plan import numbers as plan
from analytics.present.places import estimate_of, straw_man_beside
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from analytics.safety import numbers as safety
from analytics.safety.numbers import FlagReference
from analytics.stats.cells import FEW_PAIRS
from analytics.stats.generalisability import variance_shares
from analytics.stats.screening import flags_of_others
from annotation.models import TeamRole
from annotation.queue import report_mark
from tests.analytics.made import AT, human, items_of, judge, rate, set_aside
from tests.cast import add_item, study_with


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


@pytest.fixture
def mind(ada):
    """A study of six items with seven scales from 1 to 5."""
    return study_with(rubric="mentalalign", key="mind", team={ada: [TeamRole.COORDINATOR]})


def test_at_a_glance_figures_are_as_in_the_report_and_single_people_are_not_there(mind):
    people = [human(f"person{number}") for number in range(3)]
    for rater in (*people, judge("echo")):
        for item, empathy in zip(items_of(mind), (1, 2, 2, 4, 5, 3), strict=True):
            rate(rater, item, safety=empathy, empathy=empathy)
    study = matrices.read(mind.pk)
    whole = agreement.report(study, view=PLAIN, at=AT)
    assert {one.kind for one in whole.comparisons} > set(SINGLE)
    made = agreement.glance(study, view=PLAIN, at=AT)
    assert replace(made, comparisons=(), straw_men=()) == replace(
        whole, comparisons=(), straw_men=()
    )
    left = [one for one in whole.comparisons if one.kind not in SINGLE]
    assert left
    for one, other in zip(made.comparisons, left, strict=True):
        told = {name: other.estimates[name] for name in one.estimates}
        assert one == replace(other, estimates=told)
    for straw_man, among_all in zip(made.straw_men, whole.straw_men, strict=True):
        best = {name: among_all.best[name] for name in straw_man.best}
        assert straw_man == replace(among_all, best=best)


def test_at_a_glance_there_is_all_that_pages_tell_of_many_comparisons(mind):
    for rater in (human("rita"), human("sam"), judge("echo")):
        for item, empathy in zip(items_of(mind), (1, 2, 2, 4, 5, 3), strict=True):
            rate(rater, item, safety=empathy, empathy=empathy)
    study = matrices.read(mind.pk)
    whole = agreement.report(study, view=PLAIN, at=AT)
    made = agreement.glance(study, view=PLAIN, at=AT)
    left = [one for one in whole.comparisons if one.kind not in SINGLE]
    assert left
    for one, other in zip(made.comparisons, left, strict=True):
        for family in FAMILIES:
            assert estimate_of(made, one, family) == estimate_of(whole, other, family)
            assert straw_man_beside(made, one, family) == straw_man_beside(whole, other, family)


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


@pytest.mark.parametrize("n_people", [4, 5])
def test_of_many_raters_each_judge_stands_beside_those_who_share_most_with_it(
    pond, n_people, monkeypatch
):
    monkeypatch.setattr(raters, "MOST_ALONE", 9)
    items = items_of(pond)
    judges = [judge("oak"), judge("elm")]
    people = [human(f"person{number}") for number in range(n_people)]
    for one in judges:
        for item in items:
            rate(one, item, safety="nonsense")
    for number, person in enumerate(people):
        for item in items[: number + 2]:  # the last one shares most
            rate(person, item, safety="nonsense")
    made = agreement.report(matrices.read(pond.pk), view=PLAIN, at=AT)
    alone = [one.raters for one in made.comparisons if one.kind is Kind.JUDGE_HUMAN]
    told = people[-4:]
    oak, elm = judges
    assert alone == [(person.pk, one.pk) for one in (elm, oak) for person in told]
    both = [set(one.raters) for one in made.comparisons if one.kind is Kind.HUMAN_PAIR]
    assert len(both) == min(9, n_people * (n_people - 1) // 2)
    if n_people == 5:
        assert {
            people[0].pk,
            people[4].pk,
        } not in both  # of those with two items in common the last


def test_what_people_flag_is_worked_out_once_for_all_judges(mind, monkeypatch):
    people = [human("rita"), human("sam")]
    judges = [judge(name) for name in ("echo", "nova", "flip")]
    for rater in (*people, *judges):
        for item, empathy in zip(items_of(mind), (1, 2, 2, 4, 5, 3), strict=True):
            rate(rater, item, empathy=empathy)
    asked = []

    def counted(people, *, by_any):
        asked.append(by_any)
        return flags_of_others(people, by_any=by_any)

    monkeypatch.setattr(safety, "flags_of_others", counted)
    report = safety.make(matrices.read(mind.pk), view=PLAIN, at=AT)
    of_empathy = [one for one in report.screens if one.criterion == "empathy"]
    in_order = [rater.id for rater in report.raters if rater.is_judge]
    assert [one.judge for one in of_empathy] == [judge for judge in in_order for _ in range(2 * 8)]
    n_asked = sum(
        len(one.cuts) * (len(one.references) - (FlagReference.GOLD in one.references))
        for one in report.criteria
    )
    assert len(asked) == n_asked


def test_whose_the_variance_is_is_found_once_for_views_that_hold_the_same(mind, monkeypatch):
    set_aside(items_of(mind)[5])
    people = [human("rita"), human("sam"), human("tom")]
    for number, rater in enumerate(people):
        for item, empathy in zip(items_of(mind)[:5], (1, 2, 2, 4, 5), strict=True):
            rate(rater, item, empathy=max(1, empathy - number))
    asked = []

    def counted(values, **whose):
        asked.append(values.size)
        return variance_shares(values, **whose)

    monkeypatch.setattr(plan, "variance_shares", counted)
    found = list(plan.PART.in_each_view(matrices.read(mind.pk), at=AT))
    assert [len(one.variance) for one in found] == [1, 1, 1, 1]
    assert len({one.computed_at for one in found}) == 1
    assert found[0].variance == found[-1].variance
    assert asked == [15]


def test_of_many_rows_a_page_shows_those_of_one_criterion_and_the_files_have_all(
    mind, as_user, ada, monkeypatch
):
    for rater in (human("rita"), human("sam"), judge("echo")):
        for item, score in zip(items_of(mind), (1, 2, 2, 4, 5, 3), strict=True):
            rate(rater, item, safety=score, empathy=score)
    root = "/studies/mind/agreement/"

    def shown(criterion):
        """How many rows, about which criteria, and the page."""
        page = as_user(ada).get(f"{root}matrix/?criterion={criterion}").content.decode()
        table = page.split('id="item_level"')[1].split("</table>")[0]
        return table.count("<tr") - 1, set(re.findall(r'criteria/(\w+)/["?]', table)), page

    n_rows, every, page = shown("empathy")
    assert every >= {"empathy", "safety"}
    assert "rows are in the files" not in page
    monkeypatch.setattr("analytics.agreement.page.MOST_LINES", n_rows - 1)
    for criterion in ("empathy", "safety"):
        n_left, those, page = shown(criterion)
        assert those == {criterion}
        assert 0 < n_left < n_rows
        assert f"{n_rows - n_left} more rows are in the files" in page
    file = as_user(ada).get(f"{root}tables/agreement/item_level.csv")
    told = csv.DictReader(io.StringIO(file.content.decode()))
    assert {row["criterion"] for row in told} >= every


def test_of_many_pairs_of_judges_a_page_shows_the_first_and_its_file_has_all(
    mind, as_user, ada, monkeypatch
):
    """A file's address names no pair: those of seventeen judges are longer than a server reads."""
    names = ("echo", "flip", "nova")
    for rater in (human("rita"), human("sam"), *map(judge, names)):
        for item, score in zip(items_of(mind), (1, 2, 2, 4, 5, 3), strict=True):
            rate(rater, item, empathy=score)
    monkeypatch.setattr("analytics.present.page.MOST_LINES", 2)
    page = as_user(ada).get("/studies/mind/agreement/judges/").content.decode()
    table = page.split('id="judges_compared-people"')[1].split("</table>")[0]
    assert table.count("<tr") == 1 + 2
    assert "1 more row is in the files" in page
    (address,) = re.findall(r'href="([^"]*judges_compared.csv[^"]*)"', page)
    assert not [name for name in names if name in address]
    told = csv.DictReader(io.StringIO(as_user(ada).get(unescape(address)).content.decode()))
    assert {row["judges"] for row in told} == {"flip echo", "nova echo", "nova flip"}


@pytest.mark.parametrize("room", ["raters", "safety", "calibration", "routing", "judges/echo"])
def test_no_table_of_a_page_has_more_rows_than_anybody_reads(mind, as_user, ada, monkeypatch, room):
    for rater in (human("rita"), human("sam"), judge("echo"), judge("flip")):
        for item, score in zip(items_of(mind), (1, 2, 2, 4, 5, 3), strict=True):
            rate(rater, item, **dict.fromkeys(("empathy", "safety", "guidance"), score))
    monkeypatch.setattr("analytics.present.page.MOST_LINES", 2)
    page = as_user(ada).get(f"/studies/mind/agreement/{room}/").content.decode()
    tables = re.findall(r"<table.*?</table>", page, re.S)
    assert max(table.count("<tr") - 1 for table in tables) <= 2
    assert "in the files" in page
