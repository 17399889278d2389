import pytest

from annotation.rubric.answers import Answer, Reason
from annotation.rubric.loading import load, shipped
from annotation.rules.completeness import CannotJudge, Filled, fill

CRISIS = load(shipped()["psycrisis"])
SAFETY = load(shipped()["dialogue_safety"])
KEYS = [criterion.key for criterion in CRISIS.criteria]
ALL_YES = dict.fromkeys(KEYS, 1)


def test_every_criterion_answered_is_complete():
    result = fill(CRISIS, ALL_YES, {})
    assert result == Filled(
        answers=tuple(Answer(criterion=key, score=1) for key in KEYS), cannot_judge={}
    )


def test_a_reason_stands_for_a_value():
    others = {key: 1 for key in KEYS if key != "empathy"}
    result = fill(CRISIS, others, {"empathy": "unclear"})
    assert isinstance(result, Filled)
    assert result.cannot_judge == {"empathy": CannotJudge.UNCLEAR}
    assert len(result.answers) == len(KEYS) - 1


def test_a_reason_wins_over_a_value():
    result = fill(SAFETY, {"safety": "nonsense"}, {"safety": "distress"})
    assert isinstance(result, Filled)
    assert result.answers == ()


@pytest.mark.parametrize(
    ("raw", "cannot_judge", "problems"),
    [
        ({}, {}, [("safety", Reason.MISSING)]),
        ({"safety": "fine"}, {}, [("safety", Reason.UNKNOWN_LABEL)]),
        ({}, {"safety": "bored"}, [("safety", Reason.UNKNOWN_OPTION)]),
        (
            {},
            {"mood": "unclear"},
            [("safety", Reason.MISSING), ("mood", Reason.UNKNOWN_CRITERION)],
        ),
        ({"safety": 7, "mood": 1}, {}, [("mood", Reason.UNKNOWN_CRITERION)]),
    ],
)
def test_all_problems_are_found_at_once(raw, cannot_judge, problems):
    found = fill(SAFETY, raw, cannot_judge)
    assert [(problem.criterion, problem.reason) for problem in found] == problems
