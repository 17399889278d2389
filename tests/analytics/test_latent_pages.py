"""Raters beside a truth that nobody knows: on the pages of raters and of judges."""

import re

import numpy as np
import pytest

from analytics.items import page as items_page
from analytics.latent import numbers as latent
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from tests.analytics.made import human, items_of, judge, rate
from tests.analytics.reading import table_in
from tests.analytics.walking import assert_as_written, drawn_by
from tests.analytics.weekly import study_of

RATERS = "/studies/lake/agreement/raters/?criterion=safety"
JUDGES = "/studies/lake/agreement/judges/"
FLAG, SAFE = "nonsense", "safe_response"


def text_of(response) -> str:
    return re.sub(r"\s+", " ", response.content.decode())


@pytest.fixture
def study(ada, ben, cleo, finn):
    return study_of("dialogue_safety", ada, ben, cleo, finn, n_items=60)


def rated(study, people, judges=()):
    """Every third item is to be flagged; each rater misses as many in ten, and nothing else."""
    raters = [(human(name), share) for name, share in people.items()]
    raters += [(judge(name), share) for name, share in dict(judges).items()]
    rng = np.random.default_rng(1)
    for item in items_of(study):
        for rater, share in raters:
            flags = item.position % 3 == 0 and rng.random() < share
            rate(rater, item, safety=FLAG if flags else SAFE)


def test_three_people_have_sensitivity_with_interval_and_n(study, ada, as_user):
    rated(study, {"anna": 0.95, "bert": 0.9, "carl": 0.5})
    page = as_user(ada).get(RATERS)
    found = table_in(text_of(page), "raters_latent")
    shown = {who: float(found.row(who)["Sensitivity"].order) for who in ("Anna", "Bert", "Carl")}
    assert shown["Anna"] > 0.75 > 0.7 > shown["Carl"]
    assert "three raters only" in found.row("Carl")["In words"].text
    assert "err independently of each other" in text_of(page)


def test_of_two_people_nothing_can_be_told_but_a_judge_is_a_third(study, ada, as_user):
    rated(study, {"anna": 0.95, "bert": 0.9}, {"machine": 0.6})
    people = table_in(text_of(as_user(ada).get(RATERS)), "raters_latent")
    assert "have three raters" in people.row("People")["In words"].text
    judges = table_in(text_of(as_user(ada).get(JUDGES)), "judges_latent")
    assert 0.3 < float(judges.row("Safety", "Machine")["Sensitivity"].order) < 0.8


def test_judges_with_the_same_blind_spot_do_not_outvote_people(study, ada):
    """Each is weighed by itself: twins change nothing for each other."""
    rated(study, {"anna": 0.95, "bert": 0.9, "carl": 0.9}, {"one": 0.5})
    (alone,) = latent.of_judges(matrices.read(study.pk), view=PLAIN)
    twin = judge("two")
    given = {row.item_id: row for row in study.submissions.filter(rater__key="one")}
    for item in items_of(study):
        rate(twin, item, safety=given[item.pk].ratings.get().label)
    one, two = latent.of_judges(matrices.read(study.pk), view=PLAIN)
    assert one == alone
    assert two.raters[0].estimates == alone.raters[0].estimates


def test_doubtful_items_are_listed_least_sure_first_for_who_may_see_items(
    study, ada, as_user, monkeypatch
):
    rated(study, {"anna": 0.95, "bert": 0.9, "carl": 0.5})
    browser = as_user(ada)
    counted = table_in(text_of(browser.get(RATERS)), "raters_latent").row("Carl")["Doubtful items"]
    drawn = drawn_by(items_page, monkeypatch)
    page = text_of(browser.get(counted.link))
    assert assert_as_written(page, drawn) == {"items"}
    listed = table_in(page, "items")
    assert 0 < len(listed.rows) == int(counted.text)
    chances = [float(row[3].text.rstrip(" %")) for row in listed.rows]
    assert chances == sorted(chances, key=lambda chance: abs(chance - 50))
    assert all(10 <= chance <= 90 for chance in chances)
    assert {row[4].text for row in listed.rows} <= {f"{n} of 3 people" for n in range(4)}
    assert browser.get(listed.rows[0][0].link).status_code == 200


def test_those_of_a_judge_say_how_often_it_flags_them(study, ada, as_user, monkeypatch):
    rated(study, {"anna": 0.8, "bert": 0.7}, {"machine": 0.6})
    browser = as_user(ada)
    counted = table_in(text_of(browser.get(JUDGES)), "judges_latent").row("Safety", "Machine")
    drawn = drawn_by(items_page, monkeypatch)
    page = text_of(browser.get(counted["Doubtful items"].link))
    assert assert_as_written(page, drawn) == {"items"}
    listed = table_in(page, "items")
    assert len(listed.rows) == int(counted["Doubtful items"].text) > 0
    assert all("the judge in" in row[4].text for row in listed.rows)


def test_doubtful_items_are_kept_from_who_annotates_and_of_nothing_there_is_no_list(
    study, ada, ben, as_user
):
    rated(study, {"anna": 0.95, "bert": 0.9, "carl": 0.5})
    address = "/studies/lake/agreement/doubtful/"
    assert as_user(ben).get(f"{address}safety/").status_code == 403
    assert as_user(ada).get(f"{address}nothing/").status_code == 404
    assert as_user(ada).get(f"{address}safety/1/").status_code == 404
