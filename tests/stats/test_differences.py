"""Two judges against the same people: the difference has an interval of its own."""

import numpy as np
import pytest

from analytics.stats.agreement import two_raters
from analytics.stats.differences import differences
from analytics.stats.estimates import Note

FIVE = (1, 2, 3, 4, 5)


def rated(seed=1, n=240):
    rng = np.random.default_rng(seed)
    x = rng.integers(1, 6, n).astype(float)
    one, other = (np.clip(x + rng.integers(-spread, spread + 1, n), 1, 5) for spread in (2, 1))
    return x, one, other, np.arange(n) // 6


@pytest.mark.parametrize("measurement", ["nominal", "binary", "ordinal"])
@pytest.mark.parametrize("alone", [False, True])
def test_a_difference_is_the_difference_of_the_two_values(measurement, alone):
    x, one, other, dialogues = rated()
    options = {"points": FIVE, "measurement": measurement}
    options["clusters"] = None if alone else dialogues
    first, second = two_raters(x, one, **options), two_raters(x, other, **options)
    between = differences(x, one, other, **options)
    assert between
    for name, found in between.items():
        assert found.value == pytest.approx(second[name].value - first[name].value), name
        assert found.low < found.value < found.high


def test_its_interval_is_the_plain_jackknife_of_the_difference():
    x, one, other, dialogues = rated(2)
    options = {"points": FIVE, "measurement": "ordinal", "only": ["icc_a1"]}
    found = differences(x, one, other, clusters=dialogues, **options)["icc_a1"]

    def compute(kept):
        values = [two_raters(x[kept], y[kept], **options)["icc_a1"].value for y in (one, other)]
        return values[1] - values[0]

    left = np.array([compute(dialogues != name) for name in range(40)])
    error = np.sqrt(39 / 40 * ((left - left.mean()) ** 2).sum())
    assert (found.high - found.low) / 2 == pytest.approx(2.0226909 * error, rel=1e-6)


def test_it_is_narrower_than_two_separate_intervals_when_judges_err_alike():
    x, one, _, dialogues = rated(3)
    other = one.copy()
    other[::9] = x[::9]
    options = {"points": FIVE, "measurement": "ordinal", "clusters": dialogues}
    found = differences(x, one, other, **options)["icc_a1"]
    alone = two_raters(x, one, **options)["icc_a1"]
    assert found.low > 0
    assert found.high - found.low < 0.7 * (alone.high - alone.low)


def test_only_items_that_all_three_rated_count():
    x, one, other, _ = rated(4)
    short = differences(x[60:], one[60:], other[60:], points=FIVE, measurement="ordinal")
    one[:30], other[30:60] = np.nan, np.nan
    assert differences(x, one, other, points=FIVE, measurement="ordinal") == short
    assert short["bias"].n_items == 180


def test_judges_who_are_as_often_right_differ_by_no_share():
    x, one, other = np.tile((np.arange(40) < 20).astype(float), (3, 1))
    one[:4], other[4:8] = 0, 0
    found = differences(x, one, other, points=(0, 1), measurement="binary")["exact"]
    assert (found.value, found.low) == (0, pytest.approx(-found.high))
    assert found.low < 0


def test_what_hangs_on_few_rare_answers_has_no_interval():
    x, one, other = np.zeros((3, 200))
    x[:14], one[2:16], other[4:14] = 1, 1, 1
    found = differences(x, one, other, points=(0, 1), measurement="binary")
    for name in ("kappa", "exact", "ac1"):
        assert (found[name].low, found[name].note) == (None, Note.TOO_FEW_RARE_ANSWERS)
    x[:40], one[2:40], other[4:44] = 1, 1, 1
    found = differences(x, one, other, points=(0, 1), measurement="binary")
    assert all(found[name].low is not None for name in ("kappa", "exact", "ac1"))


@pytest.mark.parametrize(
    ("x", "one", "other", "note"),
    [
        ([], [], [], Note.NO_OVERLAP),
        ([1.0], [2.0], [1.0], Note.ONE_ITEM),
        ([1.0, 2, 3], [2.0, 2, 3], [2.0, 2, 3], Note.NO_DISAGREEMENT),
    ],
)
def test_where_nothing_differs_there_is_no_interval(x, one, other, note):
    found = differences(x, one, other, points=FIVE, measurement="ordinal")
    assert found["icc_a1"].note is note
    assert found["icc_a1"].low is None
