"""How pages say what is worked out, wherever it stands."""

import pytest

from annotation.queries.wording import decimal


@pytest.mark.pure
@pytest.mark.parametrize(
    ("value", "digits", "sign", "said"),
    [
        (0.5, 2, "", "0.50"),
        (-0.5, 2, "", "−0.50"),
        (-0.004, 2, "", "0.00"),
        (0.5, 2, "+", "+0.50"),
        (-0.5, 2, "+", "−0.50"),
        (-0.004, 2, "+", "+0.00"),
        (-1e-13, 12, "", "0.000000000000"),
        (20033.4, 0, "", "20,033"),
    ],
)
def test_a_number_has_a_true_minus_and_none_where_it_rounds_to_nothing(value, digits, sign, said):
    assert decimal(value, digits, sign=sign) == said
