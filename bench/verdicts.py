"""What the rules that come with Concord say of judges whose worth is known.

A judge that knows the truth must never be refused because people are noisy, and one that knows
nothing must never be trusted. People rate five points with an error of a given size; the judge says
the truth, the same of every item, or anything. Every verdict passes through all that a page does:
ratings, evidence, rules.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache

import numpy as np
import pandas as pd

from analytics.policies.loading import DEFAULT, shipped
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN, RaterColumn, StudyRatings
from analytics.stats.scales import Floats
from analytics.stats.verdicts import Verdict
from analytics.trust import numbers as trust
from annotation.models import RaterKind
from annotation.rubric.loading import load
from annotation.rubric.loading import shipped as shipped_rubrics
from annotation.rubric.schema import Rubric
from bench.figures import BenchFigure

CRITERION = "safety"
PEOPLE_ICC = (0.1, 0.3, 0.5, 0.7, 0.9)
N_ITEMS, N_PEOPLE, N_REPEATS, N_RUNS = 300, 3, 2, 200
_NOBODY = frozenset[str]()
_AT = datetime(2026, 1, 1, tzinfo=UTC)

Answers = Callable[[Floats, np.random.Generator], Floats]
JUDGES: Mapping[str, Answers] = {
    "truth": lambda truth, _draw: on_scale(truth),
    "constant": lambda truth, _draw: np.full(truth.size, 5.0),
    "noise": lambda truth, draw: draw.integers(1, 6, truth.size).astype(np.float64),
}


def run() -> Iterator[BenchFigure]:
    for name in JUDGES:
        for icc in PEOPLE_ICC:
            found = counted(name, icc=icc, n_runs=N_RUNS, seed=2026)
            told = ", ".join(f"{verdict.value} {n / N_RUNS:.1%}" for verdict, n in found.items())
            yield BenchFigure(f"judge = {name}, people’s ICC {icc:g}", told)


def counted(name: str, *, icc: float, n_runs: int, seed: int) -> Counter[Verdict]:
    """How often each verdict falls on a judge, over studies drawn anew."""
    draws = np.random.default_rng([seed, round(100 * icc)]).spawn(n_runs)
    return Counter(verdict(JUDGES[name], icc=icc, draw=draw) for draw in draws)


def verdict(
    answers: Answers,
    *,
    icc: float,
    draw: np.random.Generator,
    n_items: int = N_ITEMS,
    n_people: int = N_PEOPLE,
) -> Verdict:
    """The verdict of the default rules on a judge in one study, drawn."""
    truth = draw.normal(size=n_items)
    error = np.sqrt(1 / icc - 1)
    people = [on_scale(truth + draw.normal(scale=error, size=n_items)) for _ in range(n_people)]
    said = [answers(truth, draw) for _ in range(N_REPEATS)]
    study = study_of({1 + n: given for n, given in enumerate(people)}, said)
    report = trust.make(study, view=PLAIN, at=_AT)
    (known,) = report.known
    line = next(one for one in report.criteria if one.key == CRITERION)
    card = trust.card_of(known, line, shipped()[DEFAULT])
    if card is None:
        raise RuntimeError("People have rated, so there is a card.")
    return card.verdict


def on_scale(worth: Floats) -> Floats:
    """Points from 1 to 5 of what varies by about its own spread."""
    return np.clip(np.round(3 + 1.2 * worth / max(float(np.std(worth)), 1e-9)), 1, 5)


@cache
def _rubric() -> Rubric:
    return load(shipped_rubrics()["mentalalign"])


def study_of(people: Mapping[int, Floats], judge: Sequence[Floats]) -> StudyRatings:
    """A study in memory: people by number, and a judge at each repeat, rate one criterion."""
    own, n = 1 + max(people), judge[0].size
    given = {(rater, 1): values for rater, values in people.items()}
    given |= {(own, repeat): values for repeat, values in enumerate(judge, start=1)}
    raters, repeats = np.array(list(given)).T
    ratings = pd.DataFrame(
        {
            "item": np.tile(np.arange(n), len(given)),
            "rater": np.repeat(raters, n),
            "repeat": np.repeat(repeats, n),
            "criterion": CRITERION,
            "value": np.concatenate(list(given.values())),
            "unscored": "",
            "off_scale": False,
        }
    )
    return matrices.of_tables(
        study_id=0,
        key="drawn",
        revision=1,
        rubric=_rubric(),
        rubric_fingerprint="",
        items=np.arange(1, n + 1),
        dialogues=np.arange(1, n + 1),
        generators=np.full(n, ""),
        quarantined=np.zeros(n, dtype=np.bool_),
        lots=np.arange(n, dtype=np.uint64),
        raters=tuple(
            RaterColumn(
                id=rater,
                key=f"rater-{rater}",
                name=f"Rater {rater}",
                kind=RaterKind.HUMAN if rater in people else RaterKind.JUDGE,
                own_generators=_NOBODY,
            )
            for rater in (*people, own)
        ),
        ratings=ratings,
        gold=pd.DataFrame(
            {"item": np.empty(0, np.int64), "criterion": np.empty(0, str), "value": np.empty(0)}
        ),
        lengths=np.full(n, np.nan),
    )
