"""The human ceiling: everybody against the others, the judge against the same others."""

from dataclasses import replace

import numpy as np
import pytest

from analytics.stats import icc, moments
from analytics.stats.agreement import two_raters
from analytics.stats.ceiling import NO_WORSE, CeilingStanding, ceiling, standing
from analytics.stats.estimates import Note
from analytics.stats.intervals import METHODS

FIVE = (1, 2, 3, 4, 5)
NAN = np.nan


def rated(seed=1, n=120, people=4, missing=0.0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, n)
    given = [np.clip(truth + rng.integers(-1, 2, n), 1, 5).astype(float) for _ in range(people)]
    table = np.stack(given, axis=1)
    table[rng.random(table.shape) < missing] = NAN
    judge = np.clip(truth + rng.integers(-1, 3, n), 1, 5).astype(float)
    return judge, table, np.arange(n) // 4


def told_plainly(judge, people, compute):
    """Mean over people of compute(consensus of the others, rater), of the people and the judge."""
    found = []
    for person in range(people.shape[1]):
        others = np.delete(people, person, axis=1)
        used = np.isfinite(judge) & np.isfinite(people[:, person]) & np.isfinite(others).any(axis=1)
        mean = np.nanmean(others[used], axis=1)
        found.append([compute(mean, rater[used]) for rater in (people[:, person], judge)])
    return np.mean(found, axis=0)


def agreement(x, y):
    return float(icc.agreement(icc.mean_squares(np.stack([x, y], axis=1))))


PLAIN = {
    "icc_a1": agreement,
    "icc_c1": lambda x, y: float(icc.consistency(icc.mean_squares(np.stack([x, y], axis=1)))),
    "pearson": lambda x, y: np.corrcoef(x, y)[0, 1],
    "mae": lambda x, y: np.abs(x - y).mean(),
    "rmse": lambda x, y: np.sqrt(((x - y) ** 2).mean()),
}


@pytest.mark.parametrize("missing", [0, 0.3])
@pytest.mark.parametrize("name", PLAIN)
def test_against_the_mean_of_the_others(name, missing):
    judge, people, dialogues = rated(missing=missing)
    found = ceiling(judge, people, clusters=dialogues, points=FIVE, measurement="ordinal")[name]
    of_people, of_judge = told_plainly(judge, people, PLAIN[name])
    assert found.people.value == pytest.approx(of_people)
    assert found.judge.value == pytest.approx(of_judge)
    assert found.difference.value == pytest.approx(of_judge - of_people)
    assert found.share.value == pytest.approx(of_judge / of_people)
    for estimate in (found.people, found.judge, found.difference, found.share):
        assert estimate.low < estimate.value < estimate.high
        assert estimate.method in METHODS
    assert np.mean([one.of_person for one in found.each]) == pytest.approx(of_people)


@pytest.mark.parametrize("measurement", ["nominal", "binary"])
def test_against_the_majority_of_the_others(measurement):
    points = (0, 1) if measurement == "binary" else (0, 1, 2)
    rng = np.random.default_rng(3)
    truth = rng.integers(0, len(points), 90)
    judge, *people = (
        np.where(rng.random(90) < 0.3, rng.integers(0, len(points), 90), truth) for _ in range(3)
    )
    people.append(people[1])  # the others of person 0 never disagree
    found = ceiling(judge, np.stack(people, 1), points=points, measurement=measurement)
    assert found
    for name, estimates in found.items():
        first = estimates.each[0]
        options = {"points": points, "measurement": measurement, "only": [name]}
        for side, rater in ((first.of_person, people[0]), (first.of_judge, judge)):
            assert side == pytest.approx(two_raters(people[1], rater, **options)[name].value), name


def test_a_tie_of_the_others_counts_half_for_either():
    judge = np.array([0.0] * 6 + [1.0] * 6)
    people = np.tile([0.0, 1.0, 0.0], (12, 1))
    found = ceiling(judge, people, points=(0, 1), measurement="nominal", only=["exact"])["exact"]
    assert [one.of_person for one in found.each] == [0.5, 0, 0.5]
    assert [one.of_judge for one in found.each] == [0.5, 0.5, 0.5]


def test_intervals_are_those_of_leaving_every_dialogue_out():
    judge, people, dialogues = rated(5)
    found = ceiling(judge, people, clusters=dialogues, points=FIVE, measurement="ordinal")
    found = found["icc_a1"]

    def both(kept):
        return told_plainly(judge[kept], people[kept], agreement)

    left = np.array([both(dialogues != name) for name in range(30)])
    apart = left[:, 1] - left[:, 0]
    error = np.sqrt(29 / 30 * ((apart - apart.mean()) ** 2).sum())
    assert (found.difference.high - found.difference.low) / 2 == pytest.approx(2.0452296 * error)
    alone = np.hypot(found.people.high - found.people.low, found.judge.high - found.judge.low)
    assert found.difference.high - found.difference.low < alone


def test_a_judge_who_repeats_a_person_cannot_be_told_from_people():
    _, people, dialogues = rated(2, people=5)
    found = ceiling(people[:, 0], people, clusters=dialogues, points=FIVE, measurement="ordinal")[
        "icc_a1"
    ]
    assert found.each[0].of_person == pytest.approx(found.each[0].of_judge)
    assert standing(found, margin=0.2) in NO_WORSE


def test_people_with_few_shared_items_are_left_aside():
    judge, people, _ = rated(2, people=4)
    people[9:, 3] = NAN
    found = ceiling(judge, people, points=FIVE, measurement="ordinal")["icc_a1"]
    assert [one.person for one in found.each] == [0, 1, 2]
    assert Note.PEOPLE_LEFT_OUT in found.people.notes
    assert found.people.n_raters == 4


@pytest.mark.parametrize(("n_shared", "kept"), [(9, [0, 1]), (10, [0, 1, 2])])
def test_ten_shared_items_are_enough(n_shared, kept):
    judge, people, _ = rated(2, people=3)
    people[n_shared:, 2] = NAN
    found = ceiling(judge, people, points=FIVE, measurement="ordinal")["icc_a1"]
    assert [(one.person, one.n_items) for one in found.each] == [
        (person, 120 if person < 2 else n_shared) for person in kept
    ]
    assert (Note.PEOPLE_LEFT_OUT in found.people.notes) is (len(kept) < 3)


def test_each_figure_says_what_it_is_and_what_it_was_made_of():
    judge, people, dialogues = rated(4, people=3)
    people[:40, 0] = NAN  # these items count for two people, beside one other each
    people[40:60, 1:] = NAN  # these for nobody
    asked = {"points": FIVE, "measurement": "ordinal", "only": ("icc_a1",)}
    found = ceiling(judge, people, clusters=dialogues, **asked)["icc_a1"]
    alone = ceiling(judge, people, **asked)["icc_a1"]
    names = [one.statistic for one in (found.people, found.judge, found.difference, found.share)]
    assert names == ["icc_a1_consensus", "icc_a1_consensus", "icc_a1", "icc_a1"]
    for one in (found.people, found.judge, found.difference, found.share):
        assert (one.n_items, one.n_pairs, one.n_raters) == (100, 60 + 100 + 100, 4)
        assert one.n_clusters == 25
        assert Note.NO_CONSENSUS not in one.notes
    assert alone.people.n_clusters == 100


def test_intervals_lie_on_the_scale_of_their_figure():
    """Of an ICC on Fisher's z, of a difference as it is, of a share on logarithms."""
    judge, people, dialogues = rated(6)
    found = ceiling(judge, people, clusters=dialogues, points=FIVE, measurement="ordinal")["icc_a1"]
    plain = {"people": np.arctanh, "judge": np.arctanh, "difference": np.asarray, "share": np.log}
    for side, scale in plain.items():
        one = getattr(found, side)
        low, value, high = (float(scale(number)) for number in (one.low, one.value, one.high))
        assert high - value == pytest.approx(value - low), side


def test_two_people_have_no_consensus_and_one_no_ceiling():
    judge, people, _ = rated(2)
    pair = ceiling(judge, people[:, :2], points=FIVE, measurement="ordinal")["icc_a1"]
    assert Note.NO_CONSENSUS in pair.people.notes
    assert pair.people.value is not None
    alone = ceiling(judge, people[:, :1], points=FIVE, measurement="ordinal")["icc_a1"]
    assert (alone.people.value, alone.people.note) == (None, Note.NO_OVERLAP)
    assert standing(alone, margin=0.1) is CeilingStanding.UNDECIDED


def test_where_people_agree_on_nothing_a_share_of_it_is_not_shown():
    people = np.stack([np.tile([1.0, 5], 40), np.tile([5.0, 1], 40), np.tile([1.0, 5], 40)], 1)
    found = ceiling(people[:, 0], people, points=FIVE, measurement="ordinal")["icc_c1"]
    assert found.people.value < 0
    assert (found.share.value, found.share.note) == (None, Note.NO_CEILING)
    assert found.difference.value is not None


@pytest.mark.parametrize(
    ("statistic", "limits", "margin", "expected"),
    [
        ("icc_a1", (-0.04, 0.1), 0.05, CeilingStanding.NOT_INFERIOR),
        ("icc_a1", (0.01, 0.1), 0.05, CeilingStanding.BETTER),
        ("mae", (-0.1, -0.01), 0.05, CeilingStanding.BETTER),
        ("icc_a1", (-0.06, 0.1), 0.05, CeilingStanding.UNDECIDED),
        ("icc_a1", (-0.3, -0.06), 0.05, CeilingStanding.INFERIOR),
        ("icc_a1", (-0.3, -0.06), None, CeilingStanding.NOT_GRADED),
        ("mae", (-0.1, 0.04), 0.05, CeilingStanding.NOT_INFERIOR),
        ("mae", (-0.1, 0.06), 0.05, CeilingStanding.UNDECIDED),
        ("mae", (0.06, 0.3), 0.05, CeilingStanding.INFERIOR),
        ("icc_a1", (None, None), 0.05, CeilingStanding.UNDECIDED),
        ("icc_a1", (None, 0.1), 0.05, CeilingStanding.UNDECIDED),
        ("icc_a1", (-0.3, 0.02), 0.05, CeilingStanding.UNDECIDED),
        # On a bound nothing is shown: neither more than people nor less than the margin below.
        ("icc_a1", (0.0, 0.1), 0.05, CeilingStanding.NOT_INFERIOR),
        ("icc_a1", (-0.05, 0.1), 0.05, CeilingStanding.UNDECIDED),
        ("icc_a1", (-0.1, -0.05), 0.05, CeilingStanding.UNDECIDED),
        ("icc_a1", (-0.1, -0.01), 0.0, CeilingStanding.INFERIOR),
    ],
)
def test_how_the_judge_stands_is_decided_by_the_interval(statistic, limits, margin, expected):
    judge, people, _ = rated()
    found = ceiling(judge, people, points=FIVE, measurement="ordinal")[statistic]
    given = replace(found, difference=replace(found.difference, low=limits[0], high=limits[1]))
    assert standing(given, margin=margin) is expected


def test_a_margin_below_nought_is_refused():
    judge, people, _ = rated()
    found = ceiling(judge, people, points=FIVE, measurement="ordinal")["icc_a1"]
    with pytest.raises(ValueError, match="margin"):
        standing(found, margin=-0.1)
    with pytest.raises(ValueError, match="items by people"):
        ceiling(judge, judge, points=FIVE, measurement="ordinal")


def test_statistics_from_sums_are_those_of_the_values():
    rng = np.random.default_rng(8)
    x, y = rng.normal(3, 1, 50), rng.normal(3.5, 1, 50)
    sums = moments.rows(x, y, centre=3).sum(axis=0)
    squares = icc.mean_squares(np.stack([x, y], axis=1))
    found = moments.mean_squares(sums)
    assert found.rows == pytest.approx(squares.rows)
    assert found.columns == pytest.approx(squares.columns)
    assert found.error == pytest.approx(squares.error)
    assert found.within == pytest.approx(squares.within)
    compute = {name: known.compute(sums) for name, known in moments.STATISTICS.items()}
    apart = y - x
    assert compute["bias"] == pytest.approx(apart.mean())
    gap = x.var() + y.var() + apart.mean() ** 2
    assert compute["ccc"] == pytest.approx(2 * np.cov(x, y, ddof=0)[0, 1] / gap)


def test_values_that_are_equal_up_to_rounding_have_no_spread():
    x = np.full(9, 0.1) + 4.2
    sums = moments.rows(x, x, centre=3).sum(axis=0)
    found = moments.mean_squares(sums)
    assert (found.rows, found.error) == (0, 0)
    assert np.isnan(moments.pearson(sums))
    assert moments.reasons(x, x) == {Note.ALL_EQUAL}
    y = np.linspace(1, 4, 9) / 3
    assert moments.mean_squares(moments.rows(y, y, centre=3).sum(axis=0)).error == 0
    assert moments.reasons(y, y) == {Note.NO_DISAGREEMENT}
    assert moments.reasons(x, y) == {Note.ONE_RATER_CONSTANT}
    assert moments.reasons(x[:1], y[:1]) == {Note.ONE_ITEM}


@pytest.mark.parametrize(("flagged", "is_told"), [(4, False), (30, True)])
def test_a_difference_that_hangs_on_few_flags_has_no_interval(flagged, is_told):
    """Simulated: of 5 flagged items in 60 its lower limit lay above the truth 6 to 9 times in 100, for
    2.5; of 16 in 200 4 times at most."""
    rng = np.random.default_rng(8)
    truth = (np.arange(300) < flagged).astype(float)
    people = np.abs(truth[:, None] - (rng.random((300, 3)) < 0.02))
    judge = np.abs(truth - (rng.random(300) < 0.04))
    found = ceiling(judge, people, points=(0, 1), measurement="binary")
    for name in ("kappa", "exact", "ac1"):
        assert (found[name].difference.low is not None) == is_told, name
        assert is_told == (Note.TOO_FEW_RARE_ANSWERS not in found[name].difference.notes)
