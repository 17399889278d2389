"""The verbosity slope: what length is worth within a dialogue."""

import numpy as np
import pytest

from analytics.stats.estimates import Note
from analytics.stats.verbosity import verbosity_slope

NAN = np.nan


def rated(slope, seed=1, n_dialogues=40, size=5):
    """A judge who adds `slope` points for each doubling, and likes whole dialogues of long ones."""
    rng = np.random.default_rng(seed)
    dialogues = np.repeat(np.arange(n_dialogues), size)
    level = rng.normal(0, 1, n_dialogues)[dialogues]
    lengths = 2 ** (8 + level + rng.normal(0, 1, dialogues.size))
    human = rng.normal(3, 1, dialogues.size)
    noise = rng.normal(0, 0.5, dialogues.size)
    judge = human + 2 * level + slope * np.log2(lengths) + noise
    return human, judge, lengths, dialogues


@pytest.mark.parametrize("slope", [0, 0.4])
def test_the_slope_is_found_whatever_dialogues_differ_in(slope):
    human, judge, lengths, dialogues = rated(slope)
    found = verbosity_slope(human, judge, lengths, clusters=dialogues)
    assert found.low < slope < found.high
    assert found.high - found.low < 0.2
    assert (found.n_items, found.n_clusters) == (200, 40)


def test_it_is_least_squares_with_a_constant_for_every_dialogue():
    human, judge, lengths, dialogues = rated(0.2, seed=3)
    judge[:7], human[11] = NAN, NAN
    found = verbosity_slope(human, judge, lengths, clusters=dialogues)
    used = np.isfinite(judge - human)
    design = np.column_stack([np.log2(lengths), dialogues[:, None] == np.arange(40)])[used]
    slope = np.linalg.lstsq(design, (judge - human)[used], rcond=None)[0][0]
    assert found.value == pytest.approx(slope)


def test_the_unit_of_length_does_not_matter():
    human, judge, lengths, dialogues = rated(0.2)
    one, other = (
        verbosity_slope(human, judge, unit * lengths, clusters=dialogues) for unit in (1, 7.3)
    )
    assert one.value == pytest.approx(other.value)
    assert one.low == pytest.approx(other.low)


@pytest.mark.parametrize(
    ("lengths", "dialogues", "note"),
    [
        (np.arange(1, 21), np.arange(20), Note.NO_OVERLAP),
        (np.full(20, 80), np.arange(20) // 4, Note.NOTHING_TO_DIVIDE),
    ],
)
def test_without_a_difference_in_length_within_a_dialogue_there_is_no_slope(
    lengths, dialogues, note
):
    ratings = np.tile([1.0, 3, 2, 5], 5)
    found = verbosity_slope(ratings, ratings[::-1], lengths, clusters=dialogues)
    assert (found.value, found.note) == (None, note)


def test_a_length_of_nought_is_refused():
    with pytest.raises(ValueError, match="above 0"):
        verbosity_slope([1.0], [1.0], [0], clusters=[1])
