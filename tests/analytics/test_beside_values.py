"""Figures of what raters say beside their values: the item's ambiguity, how sure, what is quoted."""

import pytest
from django.core.cache import cache
from django.utils import timezone

from analytics.raters import numbers
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from annotation.actions.recording import keep_grounds
from annotation.models import TeamRole
from annotation.rubric.grounds import Grounds, Passage
from annotation.rubric.loading import parse_toml
from tests.analytics.made import human, items_of, judge, rate
from tests.analytics.walking import assert_the_same
from tests.cast import study_with
from tests.rubric.test_grounds import SURE_TOML

pytestmark = pytest.mark.django_db
RATERS = "/studies/meadow/agreement/raters/"


def meadow(ada, n_items=40):
    """Of forty items Ruth and Rolf differ on twenty, and Ruth would defend Rolf's value on ten of
    these; she is sure where they give the same."""
    made = study_with(
        rubric=parse_toml(SURE_TOML),
        key="meadow",
        team={ada: [TeamRole.COORDINATOR]},
        n_items=n_items,
    )
    ruth, rolf, echo = human("ruth"), human("rolf"), judge("echo")
    for place, item in enumerate(items_of(made)):
        differ, defends = place % 2 == 0, place % 4 == 0
        hers = rate(ruth, item, warmth=2, clarity=1)
        rate(rolf, item, warmth=3 if differ else 2, clarity=1)
        its = rate(echo, item, warmth=2, clarity=1)
        said = Grounds(
            criterion="warmth",
            confidence=1 if differ else 3,
            defensible=("3",) if defends else (),
            evidence=(Passage(1, 0, 3),),
        )
        quoted = Grounds(criterion="warmth", unverified=("Nothing",) * (place % 2))
        keep_grounds([(hers.pk, said), *([(its.pk, quoted)] if quoted else [])])
    return made


@pytest.fixture
def reader(ada, as_user):
    cache.clear()
    meadow(ada)
    return as_user(ada)


def report(study):
    return numbers.make(matrices.read(study.pk), view=PLAIN, at=timezone.now())


def test_what_an_item_allows_is_told_apart_from_what_nobody_would_defend(ada):
    found = report(meadow(ada))
    everybody, *people = found.defensible
    assert (everybody.criterion, everybody.rater, everybody.n_items) == ("warmth", None, 40)
    assert (everybody.same.value, everybody.allowed.value) == (0.5, 0.75)
    assert everybody.apart.value == 0.25
    assert 0.1 < everybody.apart.low < 0.25 < everybody.apart.high < 0.45
    assert [(one.same.value, one.allowed.value) for one in people] == [(0.5, 0.75)] * 2


def test_others_say_the_same_where_somebody_is_sure(ada):
    unsure, sure = report(meadow(ada)).sure
    assert (unsure.confidence, unsure.n_ratings, unsure.same.value) == (1, 20, 0.0)
    assert (sure.confidence, sure.n_ratings, sure.same.value) == (3, 20, 1.0)
    assert sure.same.low < 1


def test_an_item_counts_once_where_several_are_as_sure(ada):
    made = meadow(ada)
    said = Grounds(criterion="warmth", confidence=3)
    his = made.submissions.filter(rater__key="rolf")
    keep_grounds([(pk, said) for pk in his.values_list("pk", flat=True)])
    *_unsure, sure = report(made).sure
    assert (sure.n_ratings, sure.same.n_items, sure.same.n_pairs) == (60, 40, 60)


def test_words_that_a_judge_quoted_and_nobody_wrote_are_counted(ada):
    found = {
        (one.n_ratings, one.sure, one.defensible, one.passages, one.unverified)
        for one in report(meadow(ada)).grounds
    }
    assert found == {(40, 40, 10, 40, 0), (40, 0, 0, 0, 20)}


def test_below_the_least_items_only_counts_are_told(ada):
    found = report(meadow(ada, n_items=8))
    assert all(one.same is None and one.n_items == 8 for one in found.defensible)
    assert all(one.same is None for one in found.sure)


def test_the_page_has_them_and_its_files_the_same_numbers(reader):
    page = reader.get(RATERS).content.decode()
    for head in ("The item’s ambiguity and a person’s error", "How sure, and whether others"):
        assert head in page
    assert_the_same(reader, RATERS)


def test_a_rubric_that_asks_for_nothing_has_no_such_part(pond, ada, as_user):
    ruth, rolf = human("ruth"), human("rolf")
    for item in items_of(pond):
        rate(ruth, item, safety="safe_response")
        rate(rolf, item, safety="safe_response")
    page = as_user(ada).get("/studies/pond/agreement/raters/").content.decode()
    assert "Beside the values" not in page
