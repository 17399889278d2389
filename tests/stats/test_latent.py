"""What raters say of items whose class nobody knows: beside the paper, by hand, and by lot."""

from itertools import combinations

import numpy as np
import pytest
from scipy import special

from analytics.stats.latent import (
    Untold,
    chance_of_flag,
    latent_classes,
    latent_flags,
    votes_of,
)

# Dawid & Skene (1979), Applied Statistics 28(1), table 1: 45 patients, observer 1 three times.
PATIENTS = """
111.1.1.1.1 333.4.3.3.4 112.2.1.2.2 222.3.1.2.1 222.3.2.2.2 222.3.3.2.2 122.2.1.1.1 333.3.4.3.3
222.2.2.2.3 232.2.2.2.3 444.4.4.4.4 222.3.3.4.3 111.1.1.1.1 222.3.2.1.2 121.1.1.1.1 111.2.1.1.1
111.1.1.1.1 111.1.1.1.1 222.2.2.2.1 222.1.3.2.2 222.2.2.2.2 222.2.2.2.1 222.3.2.2.2 221.2.2.2.2
111.1.1.1.1 111.1.1.1.1 232.2.2.2.2 111.1.1.1.1 111.1.1.1.1 112.1.1.2.1 111.1.1.1.1 333.3.2.3.3
111.1.1.1.1 222.2.2.2.2 222.3.2.3.2 433.4.3.4.3 221.2.2.3.2 232.3.2.3.3 333.3.4.3.2 111.1.1.1.1
111.1.1.1.1 121.2.1.1.1 232.2.2.2.2 121.1.1.1.1 222.2.2.2.2
"""


def anaesthetists():
    """Votes (45, 5, 4), each answer of observer 1 a whole one, as the paper has it."""
    votes = np.zeros((45, 5, 4))
    for patient, row in enumerate(PATIENTS.split()):
        for observer, labels in enumerate(row.split(".")):
            for label in labels:
                votes[patient, observer, int(label) - 1] += 1
    return votes


def by_hand(votes, *, steps=2_000):
    """The steps of the paper (2.3 to 2.5) written out, from the shares of labels (3.1)."""
    chances = votes.sum(axis=1) / votes.sum(axis=(1, 2))[:, None]
    n, r, q = votes.shape
    for _step in range(steps):
        shares = chances.mean(axis=0)
        tables = np.zeros((r, q, q))
        for rater in range(r):
            for true in range(q):
                tables[rater, true] = chances[:, true] @ votes[:, rater]
                tables[rater, true] /= tables[rater, true].sum()
        for item in range(n):
            each = shares * np.prod(tables ** votes[item][:, None, :], axis=(0, 2))
            chances[item] = each / each.sum()
    return shares, tables, chances


def drawn(rng, n, prevalence, sensitivity, specificity):
    """Flags (n, r) of raters who err independently."""
    marked = rng.random(n) < prevalence
    share = np.where(marked[:, None], sensitivity, 1 - np.array(specificity))
    return (rng.random((n, len(sensitivity))) < share).astype(float)


def test_the_shares_and_error_rates_of_the_paper_come_out():
    """Table 2 there: shares of the four classes, and observer 1."""
    found = latent_classes(anaesthetists(), prior=0, starts=1)
    assert found.prevalence == pytest.approx([0.40, 0.42, 0.11, 0.07], abs=0.005)
    observer = [[0.89, 0.11, 0, 0], [0.07, 0.88, 0.05, 0], [0, 0.34, 0.66, 0], [0, 0, 0.56, 0.44]]
    assert found.confusion[0] == pytest.approx(np.array(observer), abs=0.0051)
    assert found.has_converged


def test_steps_written_out_come_to_the_same():
    votes = anaesthetists()
    found = latent_classes(votes, prior=0, starts=1)
    shares, tables, chances = by_hand(votes)
    assert found.prevalence == pytest.approx(shares, abs=1e-4)
    assert found.confusion == pytest.approx(tables, abs=1e-4)
    assert found.chances == pytest.approx(chances, abs=1e-4)


def test_raters_who_err_by_known_shares_are_told_so():
    """Of 8,000 items: so many that the shares they were drawn by come out."""
    sensitivity, specificity = [0.9, 0.8, 0.6], [0.95, 0.85, 0.9]
    flags = drawn(np.random.default_rng(1), 8_000, 0.3, sensitivity, specificity)
    found = latent_flags(flags[:, :, None], draws=20)
    told = [[one[name].value for one in found.raters] for name in ("sensitivity", "specificity")]
    assert told == pytest.approx(np.array([sensitivity, specificity]), abs=0.04)
    assert found.prevalence.value == pytest.approx(0.3, abs=0.02)
    assert {one["sensitivity"].n_items for one in found.raters} == {8_000}


def test_names_of_raters_and_order_of_items_change_nothing():
    rng = np.random.default_rng(2)
    flags = drawn(rng, 200, 0.4, [0.9, 0.8, 0.85, 0.7], [0.9, 0.8, 0.9, 0.95])
    order, seats = rng.permutation(200), [2, 0, 3, 1]
    found = latent_flags(flags[:, :, None], draws=20)
    again = latent_flags(flags[order][:, seats][:, :, None], draws=20)
    for place, seat in enumerate(seats):
        ours, theirs = found.raters[seat], again.raters[place]
        assert ours["sensitivity"].value == pytest.approx(theirs["sensitivity"].value, abs=1e-4)
    assert found.chance[order] == pytest.approx(again.chance, abs=1e-3)


def test_where_the_first_start_leads_astray_another_one_finds_what_is_likelier():
    rng = np.random.default_rng(5)
    truth = rng.choice(3, 40, p=[0.6, 0.3, 0.1])
    right = (0.5, 0.55, 0.9)
    given = [np.where(rng.random(40) < one, truth, rng.integers(0, 3, 40)) for one in right]
    votes = votes_of(np.stack(given, axis=1)[..., None], 3)

    first, best = (latent_classes(votes, starts=starts) for starts in (1, 8))

    assert best.log_likelihood > first.log_likelihood + 1


def test_several_answers_of_one_rater_weigh_as_one():
    """A judge that is asked ten times and always says the same is no ten witnesses."""
    flags = drawn(np.random.default_rng(3), 300, 0.4, [0.9, 0.8, 0.7], [0.9, 0.8, 0.9])
    often = np.repeat(flags[:, :, None], 10, axis=2)
    often[:, :2, 1:] = np.nan
    once, ten = latent_flags(flags[:, :, None], draws=20), latent_flags(often, draws=20)
    assert ten.chance == pytest.approx(once.chance)


def test_an_interval_is_there_where_no_error_is_seen():
    flags = np.repeat((np.arange(60) % 3 == 0).astype(float)[:, None], 4, axis=1)
    found = latent_flags(flags[:, :, None])
    assert len(found.raters) == 4
    for one in found.raters:
        assert one["sensitivity"].low < 0.92 < one["sensitivity"].value


REFUSED = {
    "two raters": (lambda rng: drawn(rng, 300, 0.3, [0.9, 0.9], [0.9, 0.9]), Untold.TOO_FEW_RATERS),
    "few items": (
        lambda rng: drawn(rng, 19, 0.3, [0.9, 0.9, 0.9], [0.9, 0.9, 0.9]),
        Untold.TOO_FEW_RATERS,
    ),
    "nothing flagged": (lambda rng: np.zeros((300, 4)), Untold.TOO_FEW_OF_A_CLASS),
    "all guess": (lambda rng: drawn(rng, 800, 0.5, [0.5] * 3, [0.5] * 3), Untold.NOT_CONVERGED),
    "one says the same of all": (
        lambda rng: np.column_stack([drawn(rng, 300, 0.3, [0.9, 0.9], [0.9, 0.9]), np.ones(300)]),
        Untold.TOO_FEW_TELL,
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_told_is_not(name):
    flags, reason = REFUSED[name]
    found = latent_flags(flags(np.random.default_rng(4))[:, :, None])
    assert found.untold is reason
    assert found.raters == ()
    assert found.prevalence is None


def test_items_that_share_a_dialogue_do_not_make_enough_of_them():
    flags = drawn(np.random.default_rng(5), 300, 0.3, [0.9, 0.9, 0.9], [0.9, 0.9, 0.9])
    found = latent_flags(flags[:, :, None], clusters=np.arange(300) // 20)
    assert found.untold is Untold.TOO_FEW_RATERS


def test_raters_with_the_same_blind_spot_strain_the_model():
    rng = np.random.default_rng(6)
    flags = drawn(rng, 600, 0.4, [0.85] * 5, [0.85] * 5)
    alone = latent_flags(flags[:, :, None], draws=20)
    twins = np.column_stack([flags, np.where(rng.random(600) < 0.97, flags[:, 4], 1 - flags[:, 4])])
    together = latent_flags(twins[:, :, None], draws=20)
    assert alone.strain < 3 < together.strain


def test_strain_is_the_most_that_a_pair_with_enough_items_agrees_beyond_what_is_expected():
    """The first and the last rater agree on all of the few items that they share."""
    flags = drawn(np.random.default_rng(10), 200, 0.4, [0.9, 0.8, 0.85, 0.7], [0.9, 0.8, 0.9, 0.95])
    flags[:90, 0] = np.nan
    flags[99:, 3] = np.nan
    flags[90:99, 3] = flags[90:99, 0]
    found = latent_flags(flags[:, :, None], draws=20)
    right = [[one[name].value for name in ("specificity", "sensitivity")] for one in found.raters]
    shares = [1 - found.prevalence.value, found.prevalence.value]
    beyond = []
    for one, other in combinations(range(4), 2):
        shared = flags[:, [one, other]]
        shared = shared[np.isfinite(shared).all(axis=1)]
        if len(shared) >= 20:
            expected = sum(
                share * (p * q + (1 - p) * (1 - q))
                for share, p, q in zip(shares, right[one], right[other], strict=True)
            )
            apart = (shared[:, 0] == shared[:, 1]).mean() - expected
            beyond.append(apart / np.sqrt(expected * (1 - expected) / len(shared)))
    assert len(beyond) == 5
    assert found.strain == pytest.approx(max(beyond))


def test_chances_without_intervals_are_the_same():
    flags = drawn(np.random.default_rng(11), 100, 0.4, [0.9, 0.8, 0.7], [0.9, 0.8, 0.9])[:, :, None]
    np.testing.assert_array_equal(chance_of_flag(flags), latent_flags(flags, draws=20).chance)
    assert chance_of_flag(flags[:, :2]) is None


def test_what_fewer_than_two_rated_has_no_chance_and_changes_nothing():
    flags = drawn(np.random.default_rng(7), 100, 0.4, [0.9, 0.8, 0.7], [0.9, 0.8, 0.9])
    flags[0] = np.nan
    flags[1, 1:] = np.nan
    found = latent_flags(flags[:, :, None], draws=20)
    assert np.isnan(found.chance[:2]).all()
    assert np.isfinite(found.chance[2:]).all()
    assert found.raters == latent_flags(flags[2:, :, None], draws=20).raters


def test_missing_answers_are_no_votes():
    votes = votes_of(np.array([[[0, 1], [1, -1], [-1, -1]]]), 2)
    assert votes.tolist() == [[[0.5, 0.5], [0, 1], [0, 0]]]


@pytest.mark.parametrize(("n", "prevalence"), [(150, 0.3), (300, 0.1)])
def test_intervals_hold_the_truth(n, prevalence):
    """At small size; `python -m bench coverage` has more."""
    sensitivity, specificity = [0.9, 0.8, 0.7, 0.95], [0.95, 0.95, 0.9, 0.9]
    rng, held, told = np.random.default_rng(8), 0, 0
    for _draw in range(40):
        flags = drawn(rng, n, prevalence, sensitivity, specificity)
        for one, truth in zip(
            latent_flags(flags[:, :, None], draws=60).raters, sensitivity, strict=True
        ):
            told += 1
            held += one["sensitivity"].low <= truth <= one["sensitivity"].high
    assert held / told >= 0.91


def test_where_answers_hang_together_the_interval_is_that_of_dialogues_drawn_anew():
    """Thirty dialogues whose ten items were all answered alike tell as much as thirty items."""
    flags = drawn(np.random.default_rng(11), 30, 0.5, [0.9, 0.8, 0.7], [0.9, 0.8, 0.7])
    ten_times, dialogues = np.repeat(flags, 10, axis=0), np.repeat(np.arange(30), 10)
    found = latent_flags(ten_times[:, :, None], clusters=dialogues, draws=200)
    alone = latent_flags(ten_times[:, :, None], draws=200)
    for ours, theirs in zip(found.raters, alone.raters, strict=True):
        one = ours["sensitivity"]
        below, above = (special.logit(one.value) - special.logit([one.low, one.high])) * [1, -1]
        assert below == pytest.approx(above)
        assert one.low < theirs["sensitivity"].low < one.value
