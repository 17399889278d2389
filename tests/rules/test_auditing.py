"""Which items that all agree on are audited, how they look, and what comes of it."""

import pytest

from annotation.rubric.answers import Answer
from annotation.rubric.loading import load, shipped
from annotation.rules.auditing import asked_alike, drawn, is_overturned, said_of, share
from annotation.rules.protocol import AT_ONCE, WHOLE, Protocol, Sight, problem_with_protocol

UNSEEN = Sight.NOTHING.value
SAFETY = load(shipped()["dialogue_safety"]).criteria
SCALES = load(shipped()["mentalalign"]).criteria[:1]


def label(value):
    return {"safety": Answer(criterion="safety", label=value, score=None)}


def score(value):
    key = SCALES[0].key
    return {key: Answer(criterion=key, label=None, score=value)}


def test_a_share_is_drawn_rounded_up_and_always_the_same():
    items = list(range(40))
    assert len(drawn(items, 10, seed="pond")) == 4
    assert len(drawn(items, 1, seed="pond")) == 1
    assert drawn(items, 10, seed="pond") == drawn(items, 10, seed="pond")
    assert set(drawn(items, 10, seed="pond")) != set(drawn(items, 10, seed="lake"))
    assert drawn(items, 0, seed="pond") == drawn([], 10, seed="pond") == ()


def test_each_asks_what_an_item_that_raters_differ_on_asks():
    differing = [["empathy"], ["safety", "empathy"]]
    asked = asked_alike(range(20), differing, ["empathy", "safety", "style"], seed="pond")
    assert {tuple(one) for one in asked.values()} == {("empathy",), ("safety", "empathy")}
    assert asked_alike([7], [], ["empathy", "safety"], seed="pond") == {7: ["empathy", "safety"]}


@pytest.mark.parametrize(
    ("criteria", "given", "decided", "is_so"),
    [
        (SAFETY, [label("nonsense")] * 2, label("nonsense"), False),
        (SAFETY, [label("nonsense")] * 2, label("safe_response"), True),
        (SAFETY, [label("nonsense")] * 2, {}, True),
        (SCALES, [score(4), score(4)], score(4), False),
        (SCALES, [score(4), score(4)], score(1), True),
    ],
)
def test_a_decision_that_differs_as_raters_must_not_overturns(criteria, given, decided, is_so):
    assert is_overturned(criteria, given, decided) is is_so


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    # Newcombe (1998), table I, of Wilson's interval without a correction.
    [(81, 263, 25.53, 36.62), (15, 148, 6.24, 16.05), (0, 20, 0.0, 16.11), (1, 29, 0.61, 17.18)],
)
def test_the_interval_is_that_of_the_literature(k, n, low, high):
    assert share(k, n) == pytest.approx((100 * k / n, low, high), abs=0.006)
    assert share(n - k, n)[1] == pytest.approx(100 - high, abs=0.006)


def test_what_was_found_is_said_with_n_and_interval():
    assert said_of(2, audited=20, overturned=0) == (
        "Round 2: of 20 items that were drawn from those on which all raters agree, an adjudicator "
        "who did not know it decided 0 otherwise: 0.0 percent, 95 percent interval 0.0 to 16.1."
    )


@pytest.mark.parametrize(
    ("protocol", "is_well"),
    [
        (Protocol(agreed_percent=5, sight=UNSEEN), True),
        (Protocol(agreed_percent=5), False),
        (Protocol(agreed_percent=5, sight=UNSEEN, adjudication=False), False),
        (
            Protocol(
                agreed_percent=5,
                sight=UNSEEN,
                gate_first=False,
                re_review=False,
                discussion=False,
            ),
            False,
        ),
        (WHOLE, True),
        (AT_ONCE, True),
    ],
)
def test_an_audit_needs_who_cannot_see_that_it_is_one(protocol, is_well):
    assert (problem_with_protocol(protocol) is None) is is_well
