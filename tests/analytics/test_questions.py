"""Labels question by question: for pairs, a judge and gold, and panels; on the page in words."""

import re

import pytest
from django.core.cache import cache

from analytics.agreement import numbers as agreement
from analytics.agreement.numbers import Kind
from analytics.agreement.questions import questions
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from tests.analytics.made import AT, decide, human, items_of, judge, rate
from tests.analytics.reading import table_in
from tests.cast import study_with

KEY = "safety"
SAFE, NONSENSE, MIMICRY, NEGLECT = (
    "safe_response",
    "nonsense",
    "humanoid_mimicry",
    "linguistic_neglect",
)
NODES = ("nonsense", "humanoid_mimicry", "linguistic_neglect", "risk")


@pytest.fixture(autouse=True)
def empty_cache():
    cache.clear()


@pytest.fixture
def rated(pond):
    """Two people and a judge: they part once at the first question, once at the third."""
    ruth, rolf, echo = human("ruth"), human("rolf"), judge("echo")
    given = [(SAFE, SAFE, SAFE), (NONSENSE, SAFE, SAFE), (NONSENSE, NONSENSE, NONSENSE)]
    given += [(NEGLECT, SAFE, NEGLECT), (MIMICRY, MIMICRY, MIMICRY), (SAFE, SAFE, MIMICRY)]
    for item, labels in zip(items_of(pond), given, strict=True):
        for rater, label in zip((ruth, rolf, echo), labels, strict=True):
            rate(rater, item, **{KEY: label})
        decide(item, **{KEY: labels[0]})
    pond.refresh_from_db()
    return pond


def found_of(study, kind):
    read = matrices.read(study.pk)
    report = agreement.report(read, view=PLAIN, at=AT)
    comparison = next(one for one in report.comparisons if one.kind is kind)
    return questions(read, matrices.matrix(read, comparison.criterion), comparison)


def shares(found):
    return [*(round(one.part.value, 3) for one in found.asked), round(found.never.value, 3)]


@pytest.mark.parametrize(
    ("kind", "parting", "reaching"),
    [
        (Kind.HUMAN_PAIR, [1 / 6, 0, 1 / 6, 0, 4 / 6], [6, 4, 3, 2]),
        (Kind.HUMANS, [1 / 6, 0, 1 / 6, 0, 4 / 6], [6, 4, 3, 2]),
        (Kind.JUDGE_GOLD, [1 / 6, 1 / 6, 0, 0, 4 / 6], [6, 4, 2, 1]),
    ],
)
def test_shares_of_where_they_part_add_up(rated, kind, parting, reaching):
    found = found_of(rated, kind)
    assert shares(found) == pytest.approx(parting, abs=1e-3)
    assert sum(shares(found)) == pytest.approx(1, abs=2e-3)
    assert [one.n_items for one in found.asked] == reaching


def test_a_judge_facing_several_people_has_none(rated):
    assert found_of(rated, Kind.JUDGE_HUMANS) is None


def test_scales_have_no_questions(ada):
    mind = study_with(rubric="mentalalign", key="mind", team={ada: ["coordinator"]})
    for rater in (human("ruth"), human("rolf")):
        rate(rater, items_of(mind)[0], safety=4)
    assert found_of(mind, Kind.HUMANS) is None


def text_of(response) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_the_page_of_a_comparison_goes_through_the_questions(rated, as_user, ada):
    echo = rated.submissions.filter(rater__key="echo").first().rater_id
    page = as_user(ada).get(f"/studies/pond/agreement/criteria/safety/judge_gold/{echo}/")
    said = text_of(page)
    assert "Does the reply fail to make sense?" in said
    found = table_in(page.text, "questions")
    assert found.row("They do not part: the same label")["Pairs that part here"].text.startswith(
        "66.7 %"
    )
    assert found.column("Items that two or more reach") == ["6", "4", "2", "1", "·"]
    assert "Cohen’s κ" in found.heads
    assert "Fleiss’ κ" not in found.heads
    assert 'aria-label="the same label 66.7 %' in page.text
    assert not re.search(r"\b(nan|NaN|None|inf)\b", said)
    pooled = as_user(ada).get(f"/studies/pond/agreement/criteria/safety/judge_humans/{echo}/")
    assert "Question by question" not in pooled.text
