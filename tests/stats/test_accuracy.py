"""Against gold: shares equal scikit-learn's and rare labels stay in sight."""

import numpy as np
import pytest

from analytics.stats.accuracy import accuracy
from analytics.stats.estimates import Note

LABELS = (0, 1, 2, 3)


def rated(seed=1, n=200):
    rng = np.random.default_rng(seed)
    gold = rng.choice(LABELS, n, p=[0.5, 0.3, 0.15, 0.05]).astype(float)
    x = np.where(rng.random(n) < 0.6, gold, rng.integers(0, 4, n)).astype(float)
    return x, gold


@pytest.mark.parametrize("seed", range(4))
def test_precision_recall_and_f1_equal_scikit_learn(library, seed):
    metrics = library("sklearn.metrics")
    x, gold = rated(seed)
    found = accuracy(x, gold, points=LABELS)
    weighted = metrics.precision_recall_fscore_support(
        gold, x, labels=LABELS, average="weighted", zero_division=0
    )
    for name, expected in zip(("precision", "recall", "f1"), weighted, strict=False):
        assert found.overall[name].value == pytest.approx(expected, abs=1e-12)
    assert found.overall["accuracy"].value == pytest.approx((x == gold).mean(), abs=1e-12)
    precision, recall, _, _ = metrics.precision_recall_fscore_support(gold, x, labels=LABELS)
    for place, label in enumerate(LABELS):
        assert found.recall[label].value == pytest.approx(recall[place], abs=1e-12)
        assert found.precision[label].value == pytest.approx(precision[place], abs=1e-12)
    assert (found.table == metrics.confusion_matrix(gold, x, labels=LABELS)).all()


def test_a_label_nobody_gives_has_no_precision_and_counts_as_zero(library):
    x, gold = np.array([0.0, 0, 1, 1, 1, 0]), np.array([0.0, 2, 1, 1, 2, 0])
    found = accuracy(x, gold, points=(0, 1, 2))
    assert found.precision[2].value is None
    assert found.precision[2].note is Note.NOTHING_TO_DIVIDE
    assert found.recall[2].value == 0
    expected = library("sklearn.metrics").precision_score(
        gold, x, average="weighted", zero_division=0
    )
    assert found.overall["precision"].value == pytest.approx(expected, abs=1e-12)


def test_a_label_gold_never_gives_has_no_recall():
    found = accuracy([0, 1, 1], [0, 1, 0], points=(0, 1, 2))
    assert found.recall[2].value is None
    assert found.recall[2].note is Note.NOTHING_TO_DIVIDE


def test_shares_have_limits_within_nought_and_one():
    x, gold = rated(5)
    found = accuracy(x, gold, clusters=np.arange(200) // 4, points=LABELS)
    assert found.recall.keys() == {*LABELS}
    for share in (*found.overall.values(), *found.recall.values()):
        assert 0 < share.low < share.value < share.high < 1
        assert share.method == "jackknife by dialogue, logit, t"
        assert share.n_clusters == 50


def test_items_without_gold_or_rating_are_left_out():
    x, gold = rated(6)
    short = accuracy(x[:150], gold[:150], points=LABELS)
    x[150:170], gold[170:] = np.nan, np.nan
    assert accuracy(x, gold, points=LABELS).overall == short.overall
