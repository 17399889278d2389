"""Items on which people agree and items on which they do not."""

import numpy as np
import pytest

from analytics.stats.dispersion import Stratum, strata

NAN = np.nan


def test_items_fall_where_their_people_put_them():
    people = [[1, 1, 1], [1, 1, 2], [3, NAN, 3], [NAN, NAN, 4], [NAN, NAN, NAN], [NAN, 1, 5]]
    found = strata(people)
    assert found[Stratum.UNANIMOUS].tolist() == [True, False, True, False, False, False]
    assert found[Stratum.SPLIT].tolist() == [False, True, False, False, False, True]


def test_one_column_of_people_has_no_strata():
    found = strata([[1.0], [2.0]])
    assert not any(which.any() for which in found.values())
    with pytest.raises(ValueError, match="items by people"):
        strata([1.0, 2.0])
