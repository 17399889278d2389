"""How often routing lets answers stand of judges that know nothing, and how often a promise breaks.

A judge that says the same to every item, nearly the same, anything, or anything as often as people
do, is drawn many times and put through all that the routing page does. No promise may be made of
it in more than one run of twenty. Of a judge that is wrong where it is unsure the promises are
held against the truth.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from analytics.policies.loading import DEFAULT, shipped
from analytics.ratings.matrices import PLAIN
from analytics.routing import numbers as routing
from analytics.routing.promises import NOT_ASKED, rule, terms
from analytics.stats.promises import JointPromise, Risk, Tries, descend
from analytics.stats.scales import Floats
from bench.figures import BenchFigure
from bench.verdicts import CRITERION, study_of

SHARES_FLAGGED = (0.01, 0.1, 0.5)
ALPHAS = ("0.1", "0.3")
N_ITEMS, N_REPEATS, N_RUNS, N_PROMISES = 1000, 3, 200, 5000
_AT = datetime(2026, 1, 1, tzinfo=UTC)
_SURE, _WRONG = (0.0, 0.5, 1.0), (0.4, 0.16, 0.02)
_FLAGGED, _THIRDS = 0.2, 1 / 3

Drawn = Callable[[Floats, np.random.Generator], Floats]
WORTHLESS: Mapping[str, Drawn] = {
    "always says 5": lambda people, _draw: np.full(people.size, 5.0),
    "nearly always": lambda people, draw: np.where(
        draw.random(people.size) < 0.03, draw.integers(1, 6, people.size), 5.0
    ),
    "anything": lambda people, draw: draw.integers(1, 6, people.size).astype(np.float64),
    "as often as people": lambda people, draw: draw.permutation(people),
}


def run() -> Iterator[BenchFigure]:
    for name in WORTHLESS:
        for flagged in SHARES_FLAGGED:
            for misses in ("", NOT_ASKED):
                n = accepted(name, flagged=flagged, misses=misses, n_runs=N_RUNS, seed=2026)
                asked = "wrong ones alone" if misses else "by class"
                yield BenchFigure(
                    f"{name}, {flagged:.0%} flagged, promised {asked}", f"accepted {n / N_RUNS:.1%}"
                )
    for tight in Risk:
        made, broken = kept_promises(tight, n_items=N_ITEMS, n_runs=N_PROMISES, seed=2026)
        yield BenchFigure(
            f"{tight.value}: promises made, broken",
            f"{made / N_PROMISES:.1%}, {broken / N_PROMISES:.1%}",
        )


def accepted(
    name: str, *, flagged: float, misses: str, n_runs: int, seed: int, n_items: int = N_ITEMS
) -> int:
    """In how many studies, drawn anew, anything of a judge may stand, whatever target and signal."""
    draws = np.random.default_rng([seed, round(1000 * flagged)]).spawn(n_runs)
    return sum(
        may_stand(WORTHLESS[name], flagged=flagged, misses=misses, draw=draw, n_items=n_items)
        for draw in draws
    )


def may_stand(
    says: Drawn, *, flagged: float, misses: str, draw: np.random.Generator, n_items: int
) -> bool:
    """Whether any answer of the judge may, under rules that ask no sensitivity of anything."""
    is_flagged = draw.random(n_items) < flagged
    people = np.where(is_flagged, draw.integers(1, 3, n_items), draw.integers(4, 6, n_items))
    people = people.astype(np.float64)
    study = study_of({1: people}, [says(people, draw) for _ in range(N_REPEATS)])
    report = routing.make(study, view=PLAIN, at=_AT)
    policy = replace(shipped()[DEFAULT], sensitivity_of=frozenset())
    asked = [
        terms({"alpha": alpha, "misses": misses}, policy=policy, verdicts={}) for alpha in ALPHAS
    ]
    # The panel would refuse nearly all of them: what is measured here is the promise by itself.
    alone = replace(report, screens=())
    return any(
        rule(alone, line, one).accepted is not None
        for line in report.lines
        if line.criterion == CRITERION
        for one in asked
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseStep:
    """What was seen of the answers at least so sure."""

    tries: Mapping[Risk, Tries]


def kept_promises(tight: Risk, *, n_items: int, n_runs: int, seed: int) -> tuple[int, int]:
    """How many promises are made of a judge whose risks are known, and how many are broken.

    The `tight` bound lies just below its risk at a threshold, where a promise is easiest to break;
    the others are far off.
    """
    true = [_risks(place) for place in (2, 1, 0)]
    asked = dict.fromkeys(Risk, 0.9) | {tight: true[1][tight] - 0.001}
    promise = JointPromise(asked=asked, delta=0.05)
    draw = np.random.default_rng(seed)
    made = broken = 0
    for _ in range(n_runs):
        lowest = descend(_steps(n_items, draw), promise).lowest
        made += lowest is not None
        broken += lowest is not None and bool(promise.broken(true[lowest]))
    return made, broken


def _risks(place: int) -> dict[Risk, float]:
    """The risks of accepting what is at least as sure as the threshold of that place."""
    wrong = sum(_WRONG[place:]) / len(_WRONG[place:])
    accepted_share = _THIRDS * len(_WRONG[place:])
    silent = _FLAGGED * wrong + (1 - _FLAGGED) * (1 - wrong)
    return {
        Risk.WRONG: wrong,
        Risk.PASSED: _FLAGGED * wrong / silent,
        Risk.SLIPPED: accepted_share * wrong,
    }


def _steps(n: int, draw: np.random.Generator) -> list[PromiseStep]:
    place = draw.integers(0, len(_SURE), n)
    is_flagged = draw.random(n) < _FLAGGED
    is_wrong = draw.random(n) < np.array(_WRONG)[place]
    silent = is_flagged == is_wrong
    missed = is_flagged & is_wrong
    return [
        PromiseStep(
            tries={
                Risk.WRONG: Tries(int((sure & is_wrong).sum()), int(sure.sum())),
                Risk.PASSED: Tries(int((sure & missed).sum()), int((sure & silent).sum())),
                Risk.SLIPPED: Tries(int((sure & missed).sum()), int(is_flagged.sum())),
            }
        )
        for at in (2, 1, 0)
        for sure in [place >= at]
    ]
