"""Juries on published ratings, beside their members; `-s` prints the figures."""

import sys

import numpy as np
import pytest

from analytics.judges import numbers as judges
from analytics.judges.numbers import Reference
from analytics.juries.numbers import of_juries
from analytics.ratings import juries, matrices
from analytics.ratings.columns import ColumnPlace
from analytics.ratings.juries import Seated
from analytics.ratings.matrices import PLAIN, RaterColumn
from analytics.stats.juries import JuryRule
from annotation.models import RaterKind
from tests.analytics.made import AT

pytestmark = pytest.mark.django_db
NUMBER = 2**51 + 1


def seated(members, rule=JuryRule.MEDIAN, quorum=None):
    return Seated(
        id=NUMBER,
        key="jury_1",
        name="Jury",
        members=tuple(members),
        rule=rule,
        quorum=quorum or len(members) // 2 + 1,
        weights={},
    )


def beside(study, reference, statistic):
    """{criterion: {judge: figure}}."""
    report = judges.make(study, view=PLAIN, at=AT)
    names = {one.id: one.key for one in report.judges}
    found = {}
    for one in report.against:
        if one.reference is reference and statistic in one.item.estimates:
            found.setdefault(one.criterion, {})[names[one.judge]] = one.item.estimates[statistic]
    return found


def told(found):
    for criterion, by_judge in found.items():
        for judge, figure in by_judge.items():
            low, high = (
                f"{limit:.3f}" if limit is not None else "–" for limit in (figure.low, figure.high)
            )
            sys.stdout.write(
                f"{criterion:16} {judge:20} {figure.value:.3f} [{low}, {high}] n {figure.n_items:,}\n"
            )


def test_both_judges_of_mentalalign_as_a_jury_are_tied_where_they_differ(published):
    study = matrices.read(published.pk)
    claude, gpt = study.judges
    found = juries.joined(study, [seated([claude.id, gpt.id])])
    both, jury = (
        np.stack(
            [
                [matrices.matrix(found, key.key).of(one) for one in (claude, gpt)]
                for key in study.rubric.criteria
            ],
            axis=1,
        ),
        found.judges[-1],
    )
    for place, criterion in enumerate(study.rubric.criteria):
        first, second = both[:, place]
        alike = np.where(first == second, first, np.nan)
        np.testing.assert_array_equal(matrices.matrix(found, criterion.key).of(jury), alike)
    for line in of_juries(found, view=PLAIN):
        sys.stdout.write(
            f"{line.criterion:16} decided {line.n_decided:,}, tied {line.n_tied:,}, below {line.n_short:,}\n"
        )
        assert line.n_items == line.n_decided + line.n_tied + line.n_short == 10_000
    figures = beside(found, Reference.PEOPLE, "exact")
    told(figures)
    assert all(len(by_judge) == 3 for by_judge in figures.values())
    assert jury.own_generators == claude.own_generators | gpt.own_generators


def test_five_recorded_runs_as_a_jury_of_five_beside_each_of_them(recorded):
    study = matrices.read(recorded.pk)
    (judge,) = study.judges
    runs = [
        RaterColumn(
            id=number,
            key=f"run-{number}",
            name=f"Run {number}",
            kind=RaterKind.JUDGE,
            own_generators=frozenset(),
        )
        for number in range(1, 6)
    ]
    apart = {ColumnPlace(one.id, 1): study.columns[ColumnPlace(judge.id, one.id)] for one in runs}
    others = {place: codes for place, codes in study.columns.items() if place.rater != judge.id}
    five = matrices.replace(study, raters=tuple(runs), columns=others | apart)
    found = juries.joined(five, [seated([one.id for one in runs])])
    (line,) = of_juries(found, view=PLAIN)
    sys.stdout.write(
        f"decided {line.n_decided}, tied {line.n_tied}, below the quorum {line.n_short}; read {line.n_read}\n"
    )
    figures = beside(found, Reference.GOLD, "accuracy")
    told(figures)
    (by_judge,) = figures.values()
    accuracies = [by_judge[one.key].value for one in runs]
    assert min(accuracies) - 0.02 < by_judge["jury_1"].value < max(accuracies) + 0.05
    assert line.n_items == 800
    counted = np.array(
        [
            np.bincount(row, minlength=20)
            for row in np.stack([codes[0] for codes in apart.values()]).T
        ]
    )
    level = (counted == counted.max(axis=1, keepdims=True)).sum(axis=1)
    assert line.n_tied == int((level > 1).sum())
