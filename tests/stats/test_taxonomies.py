"""Labels reached question by question: agreement at each node, and where raters part."""

import numpy as np
import pytest

from analytics.stats.agreement import many_raters, two_raters
from analytics.stats.estimates import Note
from analytics.stats.taxonomies import by_node, divergence

NAN = np.nan
PATHS = {"nonsense": (0,), "mimicry": (1,), "neglect": (2,), "rest": (3, 4, 5)}

# Two raters, eight items: what they say, and at which node they part (None: never).
BY_HAND = np.array([[0, 0], [0, 5], [1, 2], [2, 2], [5, 2], [3, 4], [4, 4], [5, NAN]])
PARTED = ("nonsense", "mimicry", "neglect", "rest", None)
SHARES = (1 / 7, 1 / 7, 1 / 7, 1 / 7, 3 / 7)


def labelled(seed=1, n=120, raters=3, missing=0.2):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 6, n)[:, None]
    values = np.where(rng.random((n, raters)) < 0.3, rng.integers(0, 6, (n, raters)), truth)
    values = values.astype(float)
    values[rng.random((n, raters)) < missing] = NAN
    return values, np.arange(n) // 3


def test_shares_of_where_raters_part_worked_by_hand():
    found = divergence(BY_HAND, paths=PATHS)
    assert tuple(found) == PARTED
    assert tuple(one.value for one in found.values()) == pytest.approx(SHARES)
    assert {one.n_items for one in found.values()} == {7}


def test_only_those_who_get_there_count_at_a_node():
    found = {at.node: at for at in by_node(BY_HAND, paths=PATHS)}
    assert [at.n_items for at in found.values()] == [7, 5, 4, 2]
    assert found["nonsense"].answers == (0, None)
    assert found["rest"].answers == (3, 4, 5)
    exact = [at.estimates["exact"].value for at in found.values()]
    assert exact == pytest.approx([6 / 7, 4 / 5, 3 / 4, 1 / 2])


def test_agreement_at_a_node_is_that_of_its_answers():
    values, dialogues = labelled(raters=2)
    at = by_node(values, paths=PATHS, clusters=dialogues)[2]
    both = np.isfinite(values).all(axis=1) & (values >= 2).all(axis=1)
    answers = np.where(values[both] == 2, 1, 0)
    expected = two_raters(
        answers[:, 0],
        answers[:, 1],
        clusters=dialogues[both],
        points=(0, 1),
        measurement="nominal",
    )
    assert at.n_items == both.sum()
    for name in ("kappa", "alpha_nominal", "ac1", "exact"):
        assert at.estimates[name].value == pytest.approx(expected[name].value), name
        assert at.estimates[name].low == pytest.approx(expected[name].low), name


def test_more_raters_are_a_panel_of_those_who_get_there():
    values, _ = labelled(raters=4)
    at = by_node(values, paths=PATHS)[3]
    reached = np.where(values >= 3, values, NAN)
    reached[np.isfinite(reached).sum(axis=1) < 2] = NAN
    expected = many_raters(reached, points=(3, 4, 5), measurement="nominal")
    assert at.estimates == expected


def test_the_shares_add_up_and_those_who_never_part_agree():
    values, dialogues = labelled(raters=3)
    found = divergence(values, paths=PATHS, clusters=dialogues)
    assert sum(one.value for one in found.values()) == pytest.approx(1)
    exact = many_raters(values, clusters=dialogues, points=range(6), measurement="nominal")
    assert found[None].value == pytest.approx(exact["exact"].value)
    assert found[None].low == pytest.approx(exact["exact"].low)
    assert found[None].n_pairs == exact["exact"].n_pairs


def test_raters_who_part_at_a_node_answer_it_differently():
    values, _ = labelled(raters=2, missing=0)
    parted = divergence(values, paths=PATHS)
    for at in by_node(values, paths=PATHS):
        apart = (1 - at.estimates["exact"].value) * at.n_items
        assert parted[at.node].value * len(values) == pytest.approx(apart)


def test_codes_may_stand_in_any_order():
    values, _ = labelled(raters=2)
    renamed = np.array([9.0, 4, 7, 0, 8, 1])
    shuffled = np.where(np.isfinite(values), renamed[np.nan_to_num(values).astype(int)], NAN)
    paths = {"nonsense": (9,), "mimicry": (4,), "neglect": (7,), "rest": (0, 8, 1)}
    one, other = divergence(values, paths=PATHS), divergence(shuffled, paths=paths)
    assert [at.value for at in one.values()] == [at.value for at in other.values()]


def test_a_node_nobody_gets_to_says_so():
    found = by_node([[0, 0], [0, 1], [0, 0]], paths=PATHS)
    assert found[3].n_items == 0
    assert found[3].estimates["kappa"].note is Note.NO_OVERLAP


def test_a_node_with_a_single_answer_has_no_agreement_beyond_chance():
    found = by_node([[0.0, 0.0], [1.0, 1.0]] * 20, paths={"is it": (0,), "then": (1,)})
    assert found[1].answers == (1,)
    assert found[1].estimates["kappa"].note is Note.ALL_EQUAL


@pytest.mark.parametrize(
    ("paths", "match"),
    [
        ({"a": (0, 1), "b": (1, 2)}, "ends at one node"),
        ({"a": (-1,), "b": (1,)}, "below 0"),
        ({"a": (0,), "b": (1,)}, "not on the scale"),
    ],
)
def test_paths_that_do_not_fit_are_refused(paths, match):
    with pytest.raises(ValueError, match=match):
        by_node([[0, 2]], paths=paths)
    with pytest.raises(ValueError, match="items by raters"):
        divergence([0, 1], paths=PATHS)


def test_recorded_runs_part_from_gold_mostly_over_neglect(dialogue_safety):
    gold, runs = dialogue_safety
    paths = {"nonsense": (0,), "mimicry": (1,), "neglect": (2,), "rest": (3, 4, 5, 6, 7)}
    values = np.stack([gold, runs[:, 0]], axis=1)
    found = divergence(values, paths=paths)
    assert found[None].value == pytest.approx(0.4825)
    assert max(found, key=lambda node: found[node].value if node else 0) == "neglect"
    nodes = {at.node: at.estimates["kappa"].value for at in by_node(values, paths=paths)}
    assert nodes["neglect"] < 0.2
