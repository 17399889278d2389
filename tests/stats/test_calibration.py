"""Calibration: each map against a reference, and all of them on dialogues held out."""

import numpy as np
import pytest

from analytics.stats.agreement import two_raters
from analytics.stats.calibration import Calibrator, Method, calibrated_runs, calibrations, fit
from analytics.stats.estimates import Note

FIVE = (1, 2, 3, 4, 5)
NAN = np.nan


def rated(seed=1, n=400, bias=0.8):
    rng = np.random.default_rng(seed)
    human = rng.choice(FIVE, n, p=[0.1, 0.15, 0.25, 0.25, 0.25]).astype(float)
    judge = np.clip(np.round(human + bias + rng.normal(0, 0.9, n)), 1, 5)
    return judge, human, np.arange(n) // 8


def test_shift_and_line_are_least_squares():
    judge, human, _ = rated()
    assert fit(Method.SHIFT, judge, human).parameters == pytest.approx([(human - judge).mean()])
    slope, constant = np.polyfit(judge, human, 1)
    assert fit(Method.LINEAR, judge, human).parameters == pytest.approx([constant, slope])


def test_the_isotonic_map_is_that_of_scikit_learn(library):
    rng = np.random.default_rng(2)
    judge, human = rng.choice(np.arange(0, 5, 0.25), 300), rng.choice(FIVE, 300).astype(float)
    human += 0.2 * judge
    model = library("sklearn.isotonic").IsotonicRegression().fit(judge, human)
    between = np.linspace(0, 4.75, 77)
    found = fit(Method.ISOTONIC, judge, human).calibrated(between)
    assert found == pytest.approx(model.predict(between), abs=1e-9)
    assert (np.diff(found) >= 0).all()


def test_the_ordinal_map_is_the_proportional_odds_model_of_statsmodels(library):
    judge, human, _ = rated(3)
    module = library("statsmodels.miscmodels.ordinal_model")
    model = module.OrderedModel(human.astype(int), judge[:, None], distr="logit")
    fitted = model.fit(method="bfgs", disp=False, gtol=1e-8)
    expected = fitted.predict(np.arange(1, 6)[:, None]) @ np.arange(1, 6)
    calibrator = fit(Method.ORDINAL, judge, human)
    assert calibrator.parameters[0] == pytest.approx(fitted.params[0], abs=1e-4)
    assert calibrator.calibrated(FIVE) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("method", Method)
def test_every_map_takes_the_bias_away_on_dialogues_held_out(method):
    judge, human, dialogues = rated(4)
    human[:20], judge[20:30] = NAN, NAN
    found = calibrations(judge, human, clusters=dialogues, points=FIVE, methods=[method])
    one = found.methods[method]
    assert (found.n_items, found.n_dialogues, found.note) == (370, 47, None)
    assert one.before["bias"].low > 0.3
    assert one.after["bias"].low < 0 < one.after["bias"].high
    assert one.change["mae"].value == pytest.approx(
        one.after["mae"].value - one.before["mae"].value
    )
    labelled = np.isfinite(judge) & np.isfinite(human)
    assert np.isnan(one.held_out[~labelled]).all()
    assert one.after["mae"].value == pytest.approx(np.abs(one.held_out - human)[labelled].mean())
    plain = two_raters(
        human, judge, clusters=dialogues, points=FIVE, measurement="ordinal", only=["icc_a1", "mae"]
    )
    for name, estimate in plain.items():
        assert one.before[name].value == pytest.approx(estimate.value)
        assert one.before[name].low == pytest.approx(estimate.low)


def test_a_map_never_sees_the_dialogue_it_is_checked_on():
    judge, human, dialogues = rated(5)
    one = calibrations(judge, human, clusters=dialogues, points=FIVE).methods[Method.SHIFT]
    human[dialogues == 7] = 1
    other = calibrations(judge, human, clusters=dialogues, points=FIVE).methods[Method.SHIFT]
    assert one.held_out[dialogues == 7] == pytest.approx(other.held_out[dialogues == 7])
    assert one.held_out[dialogues != 7] != pytest.approx(other.held_out[dialogues != 7])
    assert one.calibrator != other.calibrator


@pytest.mark.parametrize("method", [Method.SHIFT, Method.LINEAR])
def test_runs_are_calibrated_each_by_itself_and_told_in_the_mean(method):
    rng = np.random.default_rng(4)
    dialogues = np.repeat(np.arange(20), 3)
    people = rng.integers(1, 6, 60).astype(float)
    runs = np.clip(people[:, None] + rng.integers(-1, 3, (60, 3)), 1, 5)
    runs[:4, 1] = np.nan
    alone = [
        calibrations(run, people, clusters=dialogues, points=FIVE, methods=[method])
        .methods[method]
        .after
        for run in runs.T
    ]
    asked = {"method": method, "items": np.arange(60), "clusters": dialogues, "points": FIVE}
    found = calibrated_runs(runs, people, **asked)
    for name in ("mae", "bias", "icc_a1"):
        assert found[name].value == pytest.approx(np.mean([one[name].value for one in alone]))
    assert (found["mae"].n_items, found["mae"].n_pairs) == (60, 176)
    one = calibrated_runs(runs[:, :1], people, **asked)["icc_a1"]
    assert (one.value, one.low) == pytest.approx((alone[0]["icc_a1"].value, alone[0]["icc_a1"].low))


def test_the_same_seed_deals_the_same_folds():
    judge, human, dialogues = rated(6)
    one, same, other = (
        calibrations(
            judge, human, clusters=dialogues, points=FIVE, methods=[Method.ISOTONIC], seed=seed
        )
        .methods[Method.ISOTONIC]
        .held_out
        for seed in (1, 1, 2)
    )
    assert (one == same).all()
    assert (one != other).any()


@pytest.mark.parametrize("method", Method)
def test_off_its_support_a_map_refuses(method):
    judge, human, _ = rated(7)
    human, judge = human[judge > 2], judge[judge > 2]
    found = fit(method, judge, human).calibrated([1, 2, 3, 5, NAN])
    assert np.isnan(found).tolist() == [True, True, False, False, True]


def test_what_was_refused_is_counted_and_left_out():
    judge, human, dialogues = rated(8)
    judge[judge == 1] = 2
    judge[dialogues == 3] = 1
    one = calibrations(judge, human, clusters=dialogues, points=FIVE).methods[Method.LINEAR]
    assert one.n_refused == 8
    assert np.isnan(one.held_out[dialogues == 3]).all()
    assert one.after["mae"].n_items == one.before["mae"].n_items == 392
    assert Note.OUTSIDE_SUPPORT in one.after["mae"].notes


def test_no_deal_leaves_a_map_without_the_ratings_that_two_dialogues_have():
    """Of 20 dialogues 2 have the judge's 1, and 2 its 5, one of them beside a 1: dealt by lot, one
    seed in five puts the ones into one part, where no map knows them."""
    rng = np.random.default_rng(3)
    judge, dialogues = rng.choice([3.0, 4.0], 120), np.arange(120) // 6
    judge[[0, 7]], judge[[8, 70]] = 1, 5
    human = np.clip(judge + rng.integers(-1, 2, 120), 1, 5)
    agree = []
    for seed in range(40):
        found = calibrations(
            judge, human, clusters=dialogues, points=FIVE, methods=[Method.LINEAR], seed=seed
        ).methods[Method.LINEAR]
        assert found.n_refused == 0
        agree.append(found.after["icc_a1"].value)
    assert np.ptp(agree) < 0.05


@pytest.mark.parametrize(("n", "size"), [(29, 1), (90, 10), (0, 1)])
def test_too_few_labels_calibrate_nothing(n, size):
    judge, human, _ = rated(9)
    human[n:] = NAN
    found = calibrations(judge, human, clusters=np.arange(400) // size, points=FIVE)
    assert found.methods == {}
    assert found.note is Note.TOO_FEW_LABELS


@pytest.mark.parametrize("method", Method)
def test_a_judge_who_says_one_thing_is_calibrated_to_the_mean(method):
    _, human, dialogues = rated(10)
    found = calibrations(np.full(400, 5.0), human, clusters=dialogues, points=FIVE).methods[method]
    assert found.calibrator.calibrated([5.0]) == pytest.approx([human.mean()], abs=1e-4)
    assert found.before["icc_a1"].note is Note.ONE_RATER_CONSTANT


def test_people_who_say_one_thing_are_all_that_is_expected():
    judge, _, _ = rated(11)
    for method in (Method.LINEAR, Method.ISOTONIC, Method.ORDINAL):
        assert fit(method, judge, np.full(400, 4.0)).calibrated(FIVE) == pytest.approx([4] * 5)


def test_a_judge_who_separates_the_ratings_perfectly_stays_finite():
    human = np.repeat(FIVE, 20).astype(float)
    found = fit(Method.ORDINAL, human + 1, human)
    assert np.isfinite(found.parameters).all()
    assert found.calibrated([2, 3, 4, 5, 6]) == pytest.approx(FIVE, abs=0.02)


def test_a_stored_map_gives_the_same_ratings():
    judge, human, _ = rated(12)
    for method in Method:
        fitted = fit(method, judge, human)
        stored = Calibrator(
            method=Method(fitted.method.value),
            parameters=tuple(fitted.parameters),
            low=fitted.low,
            high=fitted.high,
        )
        assert stored == fitted
        assert (stored.calibrated(FIVE) == fitted.calibrated(FIVE)).all()


def test_people_off_the_scale_are_refused():
    judge, human, _ = rated(13)
    human[0] = 6
    with pytest.raises(ValueError, match="not on the scale"):
        calibrations(judge, human, points=FIVE)


KNOWN = {
    ("gpt_4o", "Guidance", "gpt4o"): {
        "before": {"mae": 0.93, "bias": 0.78, "icc_a1": 0.38},
        "shift": {"bias": 0.0, "icc_a1": 0.51},
        "isotonic": {"mae": 0.66, "icc_a1": 0.42},
    },
    ("claude", "Empathy", "claude"): {
        "before": {"mae": 0.76, "icc_a1": 0.28},
        "shift": {"icc_a1": 0.38},
        "isotonic": {"mae": 0.70, "icc_a1": 0.33},
    },
}


@pytest.mark.parametrize("cell", KNOWN)
def test_released_judges_gain_what_is_known_and_not_more(mentalalign, cell):
    judge, attribute, own = cell
    human, said, dialogues, _ = mentalalign.pair(judge, attribute, clean=True, without=[own])
    methods = (Method.SHIFT, Method.ISOTONIC)
    found = calibrations(said, human, clusters=dialogues, points=FIVE, methods=methods).methods
    for name, value in KNOWN[cell]["before"].items():
        assert found[Method.SHIFT].before[name].value == pytest.approx(value, abs=6e-3)
    for method in methods:
        for name, value in KNOWN[cell][method].items():
            assert found[method].after[name].value == pytest.approx(value, abs=1e-2)


def test_calibration_makes_released_safety_ratings_worse_item_by_item(mentalalign):
    human, said, dialogues, _ = mentalalign.pair("gpt_4o", "Safety", clean=True, without=["gpt4o"])
    found = calibrations(
        said, human, clusters=dialogues, points=FIVE, methods=[Method.ISOTONIC]
    ).methods[Method.ISOTONIC]
    assert found.change["mae"].low > 0.1
    assert found.change["icc_a1"].high < 0


def test_runs_of_which_one_says_what_no_map_knows_say_so():
    judge, human, dialogues = rated(8)
    asked = {"items": np.arange(judge.size), "clusters": dialogues, "points": FIVE}
    known = np.stack([judge, judge], axis=1)
    strange = known.copy()
    strange[strange == 1] = 2
    strange[dialogues == 3, 1] = 1
    for runs, is_outside in ((known, False), (strange, True)):
        found = calibrated_runs(runs, human, method=Method.SHIFT, **asked)["mae"]
        assert (Note.OUTSIDE_SUPPORT in found.notes) == is_outside


def test_of_runs_of_which_one_is_too_short_none_is_calibrated():
    judge, human, dialogues = rated(8)
    runs = np.stack([judge, np.where(np.arange(judge.size) < 4, judge, NAN)], axis=1)
    asked = {"items": np.arange(judge.size), "clusters": dialogues, "points": FIVE}
    assert calibrated_runs(runs, human, method=Method.SHIFT, **asked) == {}
