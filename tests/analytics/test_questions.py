"""Labels question by question: for pairs, a judge and gold, and panels; on the page in words."""

import re

import pytest

from analytics.agreement import numbers as agreement
from analytics.agreement.questions import questions
from analytics.comparisons.kinds import Kind
from analytics.present.places import place_of
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from annotation.rubric.loading import parse_toml
from tests.analytics.made import AT, decide, human, items_of, judge, rate
from tests.analytics.reading import table_in, text_of
from tests.cast import study_with
from tests.graphs import CARE_TOML
from tests.kept import made_once

pytestmark = pytest.mark.usefixtures("empty_cache")

KEY = "safety"
SAFE, NONSENSE, MIMICRY, NEGLECT = (
    "safe_response",
    "nonsense",
    "humanoid_mimicry",
    "linguistic_neglect",
)
NODES = ("nonsense", "humanoid_mimicry", "linguistic_neglect", "risk")


@pytest.fixture
@made_once
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


def test_a_judge_is_compared_with_each_of_several_people_and_they_not_with_one_another(rated):
    found = found_of(rated, Kind.JUDGE_HUMANS)
    # Of twelve pairs ruth and echo part on 2 and 6, rolf and echo on 4 and 6.
    assert shares(found) == pytest.approx([1 / 12, 2 / 12, 1 / 12, 0, 8 / 12], abs=1e-3)
    assert [one.n_items for one in found.asked] == [6, 5, 3, 2]
    assert found.parting.node == "humanoid_mimicry"
    first = found.asked[0]
    assert first.given == ((3, 9), (1, 5))
    assert {one.n_items for one in first.estimates.values()} == {6}


def test_who_reaches_a_question_and_how_they_answer_it(rated):
    found = found_of(rated, Kind.HUMANS)
    assert [one.n_reached for one in found.asked] == [(12,), (9,), (7,), (6,)]
    assert [one.given for one in found.asked] == [
        ((3, 9),),
        ((2, 7),),
        ((1, 6),),
        ((6, 0, 0, 0, 0),),
    ]
    assert found.parting.node == "nonsense"


# The third rater comes to the question after all, by another way than the first two.
WAYS = [
    ("partly", "no", "no"),
    ("partly", "partly", "no"),
    ("yes", "no", "yes"),
    (None, "no", "no"),
]


def way(missed, tone):
    if missed is None:
        return {"risk": "no", "tone": tone}
    more = {} if missed == "yes" else {"resources": "no"}
    return {"risk": "yes", "missed": missed, **more, "tone": tone}


@pytest.fixture
@made_once
def walked(ada):
    """Two people, a judge and gold of four items, along a graph of questions."""
    study = study_with(
        rubric=parse_toml(CARE_TOML), key="crisis", team={ada: ["coordinator"]}, n_items=4
    )
    ruth, rolf, echo = human("ruth"), human("rolf"), judge("echo")
    for item, (one, other, tone) in zip(items_of(study), WAYS, strict=True):
        rate(ruth, item, walk=way(one, tone))
        rate(rolf, item, walk=way(other, "no"))
        rate(echo, item, walk=way("no", "no"))
    study.refresh_from_db()
    return study


def test_in_a_graph_those_who_reach_a_question_are_compared_there_whatever_way_they_came(walked):
    found = found_of(walked, Kind.HUMANS)
    assert found.is_graph
    at = {one.node: one for one in found.asked}
    assert {node: one.n_items for node, one in at.items()} == {
        "risk": 4,
        "missed": 3,
        "resources": 2,
        "tone": 4,
    }
    assert at["tone"].n_reached == (8,)
    assert at["tone"].given == ((1, 7),)
    assert at["missed"].given == ((1, 3, 3),)
    exact = {node: one.estimates["exact"].value for node, one in at.items()}
    assert exact == pytest.approx({"risk": 3 / 4, "missed": 1 / 3, "resources": 1, "tone": 3 / 4})
    assert at["missed"].estimates["alpha_nominal"].n_items == 3


def test_in_a_graph_a_pair_parts_where_its_ways_first_differ(walked):
    found = found_of(walked, Kind.HUMANS)
    parting = {one.node: one.part.value for one in found.asked} | {None: found.never.value}
    assert parting == pytest.approx(
        {"risk": 1 / 4, "missed": 2 / 4, "resources": 0, "tone": 0, None: 1 / 4}
    )
    assert found.parting.node == "missed"
    beside_judge = found_of(walked, Kind.JUDGE_HUMANS)
    assert beside_judge.never.value == pytest.approx(3 / 8)
    assert (beside_judge.never.n_items, beside_judge.never.n_pairs) == (4, 8)


def test_the_page_of_a_graph_names_where_most_part(walked, as_user, ada):
    found = matrices.read(walked.pk)
    report = agreement.report(found, view=PLAIN, at=AT)
    people = next(one for one in report.comparisons if one.kind is Kind.HUMANS)
    address = "/".join(place_of(people))
    page = as_user(ada).get(f"/studies/crisis/agreement/criteria/{address}/")
    assert "Most pairs part at “Does the reply pass over it?”: 50.0 %" in text_of(page)
    shown = table_in(page.text, "questions")
    row = shown.row("Does the reply pass over it?")
    assert row["Answers there"].text == "7"
    assert row["How they answered"].text == "Yes 1, In part 3, No 3"
    assert row["Most part here"].text == "yes"
    assert shown.row("They do not part: the same way")["Pairs that part here"].text.startswith(
        "25.0 %"
    )


def test_ways_that_are_not_known_are_left_out(walked):
    quiet = human("quiet")
    for item in items_of(walked):
        rate(quiet, item, walk="warm")  # as a release without ways has it
    walked.refresh_from_db()
    assert found_of(walked, Kind.HUMANS).asked[0].n_reached == (8,)


def test_scales_have_no_questions(ada):
    mind = study_with(rubric="mentalalign", key="mind", team={ada: ["coordinator"]})
    for rater in (human("ruth"), human("rolf")):
        rate(rater, items_of(mind)[0], safety=4)
    assert found_of(mind, Kind.HUMANS) is None


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
