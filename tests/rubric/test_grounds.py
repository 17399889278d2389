"""What may be said beside a value: read alike from a page and a program, kept to the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.rubric.answers import Answer, Problem, Reason
from annotation.rubric.grounds import LONGEST_RATIONALE, MOST_PASSAGES, Grounds, Passage, read
from annotation.rubric.loading import dump, load, mistakes_in, parse_toml
from annotation.rubric.schema import Ground
from annotation.rubric.versions import breaking_changes
from tests.graphs import CARE_TOML

SURE_TOML = """\
key = "tone"
title.en = "Tone"
instructions.en = "Read the reply."

[[criteria]]
kind = "scale"
key = "warmth"
name.en = "Warmth"
question.en = "How warm is it?"
measurement = "ordinal"
grounds = ["rationale", "evidence", "confidence", "defensible"]
points = [{ value = 1, anchor.en = "Cold" }, { value = 2, anchor.en = "Warm" }, { value = 3, anchor.en = "Close" }]

[[criteria]]
kind = "scale"
key = "clarity"
name.en = "Clarity"
question.en = "Is it clear?"
measurement = "binary"
points = [{ value = 0, anchor.en = "No" }, { value = 1, anchor.en = "Yes" }]
"""
SURE = load(parse_toml(SURE_TOML))
WARMTH, CLARITY = SURE.criteria
GIVEN = Answer(criterion="warmth", score=2)
TEXTS = ["I cannot sleep.", "你还好吗？🙂 我在。", "Tell me more."]


def test_a_definition_comes_back_with_its_grounds_and_without_them_stays_what_it_was():
    assert load(dump(SURE)) == SURE
    assert [one.value for one in WARMTH.grounds] == list(Ground)
    assert "grounds" not in dump(SURE)["criteria"][1]


def test_asking_for_more_breaks_no_rating():
    asked = 'grounds = ["rationale", "evidence", "confidence", "defensible"]\n'
    without = load(parse_toml(SURE_TOML.replace(asked, "")))
    assert breaking_changes(without, SURE) == breaking_changes(SURE, without) == ()


def test_a_misspelt_ground_is_named_with_its_line():
    [mistake] = mistakes_in(SURE_TOML.replace('"confidence"', '"certainty"'))
    assert mistake.line == 11
    assert "must be one of: confidence, defensible, evidence, rationale" in mistake.sentence


def test_nothing_is_said_beside_a_value_that_nobody_is_asked_for():
    walked = 'key = "noticing"\n'
    assert walked in CARE_TOML
    [mistake] = mistakes_in(CARE_TOML.replace(walked, walked + 'grounds = ["evidence"]\n', 1))
    assert "nobody is asked for this scale" in mistake.sentence


def test_words_are_quoted_by_their_characters_whatever_they_are():
    raw = {"confidence": "3", "defensible": ["3", "2"], "evidence": "2:5-6, 2:7-9 1"}
    raw["rationale"] = " It asks.\r\nIt stays. "
    found = read(WARMTH, GIVEN, raw, TEXTS)
    assert found == Grounds(
        criterion="warmth",
        confidence=3,
        defensible=("3",),
        evidence=(Passage(1, 0, 15), Passage(2, 5, 6), Passage(2, 7, 9)),
        rationale="It asks.\nIt stays.",
    )
    assert [one.quoted(TEXTS) for one in found.evidence] == ["I cannot sleep.", "🙂", "我在"]


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ({"confidence": "4"}, "1, 2 or 3"),
        ({"confidence": True}, "1, 2 or 3"),
        ({"defensible": ["9"]}, "is one of: 1, 2, 3"),
        ({"defensible": {"a": 1}}, "is one of: 1, 2, 3"),
        ({"defensible": True}, "is one of: 1, 2, 3"),
        ({"evidence": "the first"}, "the number of a turn"),
        ({"evidence": [True]}, "the number of a turn"),
        ({"evidence": [1.0]}, "the number of a turn"),
        ({"evidence": [[1, 2]]}, "the number of a turn"),
        ({"evidence": "2:10"}, "the number of a turn"),
        ({"evidence": "4"}, "turns 1 to 3"),
        ({"evidence": "0"}, "turns 1 to 3"),
        ({"evidence": "1:3-3"}, "outside of the text"),
        ({"evidence": "1:3-16"}, "outside of the text"),
        ({"evidence": " ".join(f"1:{n}-{n + 1}" for n in range(MOST_PASSAGES + 1))}, "at most 8"),
        ({"rationale": ["It asks."]}, "is a text of at most 2000 characters"),
        ({"rationale": "x" * (LONGEST_RATIONALE + 1)}, "is a text of at most 2000 characters"),
        ({"mood": "low"}, "does not ask for “mood”"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(raw, why):
    found = read(WARMTH, GIVEN, raw, TEXTS)
    assert isinstance(found, Problem)
    assert (found.criterion, found.reason) == ("warmth", Reason.UNKNOWN_OPTION)
    assert why in found.sentence


@pytest.mark.parametrize(
    "said",
    [
        {"confidence": 1},
        {"defensible": ("3",)},
        {"evidence": (Passage(1, 0, 1),)},
        {"unverified": ("I am well.",)},
        {"rationale": "It asks."},
    ],
)
def test_whatever_is_said_beside_a_value_makes_grounds(said):
    assert Grounds(criterion="warmth", **said)
    assert not Grounds(criterion="warmth")


def test_as_many_passages_as_may_be_quoted_are_kept():
    quoted = " ".join(f"1:{n}-{n + 1}" for n in range(MOST_PASSAGES))
    assert len(read(WARMTH, GIVEN, {"evidence": quoted}, TEXTS).evidence) == MOST_PASSAGES


def test_what_a_criterion_does_not_ask_for_is_refused():
    found = read(CLARITY, Answer(criterion="clarity", score=1), {"confidence": 2}, TEXTS)
    assert isinstance(found, Problem)


texts = st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=4)


@given(st.data(), texts)
def test_what_is_kept_can_always_be_quoted_and_read_again(data, written):
    raw = data.draw(st.text(alphabet="0123456789:- ,", max_size=30))
    found = read(WARMTH, GIVEN, {"evidence": raw}, written)
    if isinstance(found, Grounds):
        assert all(one.quoted(written) for one in found.evidence)
        again = {"evidence": [str(one) for one in found.evidence]}
        assert read(WARMTH, GIVEN, again, written) == found
        assert tuple(Passage.from_text(str(one)) for one in found.evidence) == found.evidence


@given(
    st.dictionaries(
        st.sampled_from(list(Ground)),
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(),
            st.text(),
            st.lists(st.text() | st.integers()),
            st.floats(),
            st.dictionaries(st.text(), st.text(), max_size=2),
        ),
    )
)
def test_nothing_that_comes_raises(raw):
    assert isinstance(read(WARMTH, GIVEN, raw, TEXTS), Grounds | Problem)
