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


def steps_of(values, paths=PATHS):
    """What labels say that was answered at each question: the number of the label among those that
    end there, or one more for going on."""
    values = np.asarray(values, dtype=float)
    places = list(paths)
    found = {}
    for place, (node, labels) in enumerate(paths.items()):
        later = [label for other in places[place + 1 :] for label in paths[other]]
        answers = np.full(values.shape, NAN)
        for number, label in enumerate(labels):
            answers[values == label] = number
        answers[np.isin(values, later)] = len(labels)
        found[node] = answers
    return found


def options_of(paths=PATHS):
    *others, last = paths
    return {node: len(paths[node]) + 1 for node in others} | {last: len(paths[last])}


def nodes_of(values, paths=PATHS, **more):
    return by_node(steps_of(values, paths), options=options_of(paths), **more)


def labelled(seed=1, n=120, raters=3, missing=0.2):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 6, n)[:, None]
    values = np.where(rng.random((n, raters)) < 0.3, rng.integers(0, 6, (n, raters)), truth)
    values = values.astype(float)
    values[rng.random((n, raters)) < missing] = NAN
    return values, np.arange(n) // 3


def test_shares_of_where_raters_part_worked_by_hand():
    found = divergence(steps_of(BY_HAND))
    assert tuple(found) == PARTED
    assert tuple(one.value for one in found.values()) == pytest.approx(SHARES)
    assert {(one.statistic, one.n_items) for one in found.values()} == {("divergence", 7)}


def test_of_one_item_it_is_known_where_raters_part():
    found = divergence(steps_of([[2, 5]]))
    assert [one.value for one in found.values()] == [0, 0, 1, 0, 0]


def test_only_those_who_get_there_count_at_a_node():
    found = {at.node: at for at in nodes_of(BY_HAND)}
    assert [at.n_items for at in found.values()] == [7, 5, 4, 2]
    exact = [at.estimates["exact"].value for at in found.values()]
    assert exact == pytest.approx([6 / 7, 4 / 5, 3 / 4, 1 / 2])


def test_agreement_at_a_node_is_that_of_its_answers():
    values, dialogues = labelled(raters=2)
    at = nodes_of(values, clusters=dialogues)[2]
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
    at = nodes_of(values)[3]
    reached = np.where(values >= 3, values - 3, NAN)
    reached[np.isfinite(reached).sum(axis=1) < 2] = NAN
    expected = many_raters(reached, points=(0, 1, 2), measurement="nominal")
    assert at.estimates == expected


def test_the_shares_add_up_and_those_who_never_part_agree():
    values, dialogues = labelled(raters=3)
    found = divergence(steps_of(values), clusters=dialogues)
    assert sum(one.value for one in found.values()) == pytest.approx(1)
    exact = many_raters(values, clusters=dialogues, points=range(6), measurement="nominal")
    assert found[None].value == pytest.approx(exact["exact"].value)
    assert found[None].low == pytest.approx(exact["exact"].low)
    assert found[None].n_pairs == exact["exact"].n_pairs


def test_raters_who_part_at_a_node_answer_it_differently():
    values, _ = labelled(raters=2, missing=0)
    parted = divergence(steps_of(values))
    nodes = nodes_of(values)
    assert nodes
    for at in nodes:
        apart = (1 - at.estimates["exact"].value) * at.n_items
        assert parted[at.node].value * len(values) == pytest.approx(apart)


def test_a_node_nobody_gets_to_says_so():
    found = nodes_of([[0, 0], [0, 1], [0, 0]])
    assert found[3].n_items == 0
    assert found[3].estimates["kappa"].note is Note.NO_OVERLAP


def test_a_node_with_a_single_answer_has_no_agreement_beyond_chance():
    found = nodes_of([[0.0, 0.0], [1.0, 1.0]] * 20, {"is it": (0,), "then": (1,)})
    assert found[1].estimates["kappa"].note is Note.ALL_EQUAL


def test_answers_that_do_not_fit_are_refused():
    asked = np.zeros((3, 2))
    with pytest.raises(ValueError, match="does not have"):
        by_node({"a": asked + 2}, options={"a": 2})
    with pytest.raises(ValueError, match="items by raters"):
        divergence({"a": [0, 1]})
    with pytest.raises(ValueError, match="alike for all"):
        divergence({"a": asked, "b": asked[:2]})
    with pytest.raises(ValueError, match="the first one too"):
        divergence({"a": np.full((3, 2), NAN), "b": asked})


# A graph: risk leads to how bad or to tone, how bad leads to tone. Two raters, five items.
RISK = [[1, 1], [1, 0], [1, 1], [0, 0], [1, NAN]]
HOW_BAD = [[0, 1], [1, NAN], [0, 0], [NAN, NAN], [1, NAN]]
TONE = [[0, 0], [1, 0], [0, 1], [1, 1], [0, NAN]]
GRAPH = {"risk": RISK, "how bad": HOW_BAD, "tone": TONE}
OPTIONS = {"risk": 2, "how bad": 2, "tone": 2}


def test_ways_that_parted_and_meet_again_count_where_they_meet():
    at = {one.node: one for one in by_node(GRAPH, options=OPTIONS)}
    assert [one.n_items for one in at.values()] == [4, 2, 4]
    exact = [one.estimates["exact"].value for one in at.values()]
    assert exact == pytest.approx([3 / 4, 1 / 2, 2 / 4])


def test_in_a_graph_a_pair_parts_once_where_its_ways_first_differ():
    found = divergence(GRAPH)
    shares = {node: one.value for node, one in found.items()}
    assert shares == pytest.approx({"risk": 1 / 4, "how bad": 1 / 4, "tone": 1 / 4, None: 1 / 4})


def test_recorded_runs_part_from_gold_mostly_over_neglect(dialogue_safety):
    gold, runs = dialogue_safety
    paths = {"nonsense": (0,), "mimicry": (1,), "neglect": (2,), "rest": (3, 4, 5, 6, 7)}
    values = np.stack([gold, runs[:, 0]], axis=1)
    found = divergence(steps_of(values, paths))
    assert found[None].value == pytest.approx(0.4825)
    assert max(found, key=lambda node: found[node].value if node else 0) == "neglect"
    nodes = {at.node: at.estimates["kappa"].value for at in nodes_of(values, paths)}
    assert nodes["neglect"] < 0.2
