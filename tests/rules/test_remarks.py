"""How long comments and reasons may be."""

import pytest

from annotation.rules.remarks import LONGEST, problem_with_comment, problem_with_reason


@pytest.mark.parametrize("problem_with", [problem_with_comment, problem_with_reason])
def test_a_text_is_kept_up_to_its_longest_and_one_sign_more_is_counted(problem_with):
    assert problem_with("写") is None
    assert problem_with("写" * LONGEST) is None
    said = problem_with("写" * (LONGEST + 1))
    assert "10,001" in said
    assert "10,000" in said
    assert "写" not in said


def test_a_reason_is_written_and_a_comment_may_be_left_out():
    assert problem_with_comment("") is None
    assert problem_with_reason("")
