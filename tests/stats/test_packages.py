"""What published packages are asked, where there is little to ask them about."""

import numpy as np
import pytest

from analytics.verification.packages import REFUSES, references

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("rated", [[], [1.0, 2.0, 3.0]])
def test_of_raters_without_an_answer_a_package_says_nothing(rated):
    values = np.full((3, 2), np.nan)
    values[: len(rated), 0] = rated
    asked = ["pearson", "spearman", "kendall_b", "bias"]
    found = dict(references(asked, values, (1.0, 2.0, 3.0)))
    assert {one.value for one in found.values()} == {None}
    assert found["pearson"].reason == REFUSES
