"""Coverage: how often intervals at 95 % hold the truth, where they had failed to.

Ratings are drawn from models whose truth is known. Run by run, over few systems and few people,
with rare labels: each line says how often an interval held it, of those that were given, and how
often one was given at all; where none can be trusted, none should be.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from analytics.stats.agreement import two_raters
from analytics.stats.components import rotating_panel
from analytics.stats.estimates import Estimate
from analytics.stats.latent import latent_flags
from analytics.stats.ppi import powered_mean
from analytics.stats.runs import mean_agreement
from analytics.stats.scales import Floats
from analytics.stats.systems import system_level
from bench.figures import BenchFigure

NEEDS_DATABASE = False
TIMES = int(os.environ.get("TIMES", 1_000))
FIVE = (1, 2, 3, 4, 5)
_MANY = 200_000
_SPREAD, _PEOPLE, _REST = 1.2, 0.6, 0.8

Draw = Callable[[np.random.Generator], Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """Of `n` draws, how many had an interval, and of these how many held the truth; `reason` is what
    was said most often where there was none."""

    n: int
    given: int
    held: int
    reason: str = ""

    @property
    def share(self) -> float:
        return self.held / self.given if self.given else np.nan


def covered(draw: Draw, truth: float, *, times: int = TIMES, seed: int = 1) -> Covered:
    """Draw so often, and count."""
    rng = np.random.default_rng(seed)
    found = [draw(rng) for _ in range(times)]
    given = [(one.low, one.high) for one in found if one.low is not None and one.high is not None]
    held = sum(low <= truth <= high for low, high in given)
    reasons = Counter(one.note.sentence for one in found if one.low is None and one.note)
    commonest = reasons.most_common(1)
    return Covered(
        n=times, given=len(given), held=held, reason=commonest[0][0] if commonest else ""
    )


def run() -> Iterator[BenchFigure]:
    for name, draw, truth in scenarios():
        found = covered(draw, truth)
        yield BenchFigure(name, said(found))


def said(found: Covered) -> str:
    """How often it held, and was given; where it never was, the reason that is told instead."""
    if not found.given:
        return f"none given: {found.reason}"
    return f"{found.share:.3f} of {found.given / found.n:.0%} given"


def scenarios() -> Iterator[tuple[str, Draw, float]]:
    """Each: its name, a draw of one estimate, the truth."""
    for run_sd in (0.0, 0.05, 0.1):
        for n_runs in (3, 5):
            for statistic in ("bias", "icc_a1"):
                name = f"{statistic}, {n_runs} runs that differ by {run_sd}"
                yield name, runs_of_a_judge(statistic, n_runs, run_sd), _of_many_runs(statistic)
    for n in range(3, 10):
        for bias in (0.0, 1.0):
            yield f"icc_a1, {n} systems, bias {bias}", few_systems(n, bias), _of_systems(bias)
    for n in (3, 5, 9):
        for n_runs in (3, 5):
            for run_sd in (0.0, 0.05, 0.1):
                name = f"icc_a1, {n} systems, bias 1.0, {n_runs} runs that differ by {run_sd}"
                yield name, few_systems(n, 1.0, n_runs=n_runs, run_sd=run_sd), _of_systems(1.0)
    for r in (2, 3, 5, 8):
        truth = _SPREAD**2 / (_SPREAD**2 + _PEOPLE**2 + _REST**2)
        yield f"icc_a1_reml, {r} people in turn", people_in_turn(r), truth
    for prevalence in (0.005, 0.01, 0.02, 0.1, 0.5):
        for finds in (0.4, 0.7, 0.9):
            draw, truth = rare_flags(prevalence, 1_000, finds=finds)
            yield f"kappa, prevalence {prevalence:.1%}, finds {finds:.0%}", draw, truth
    for prevalence in (0.02, 0.1, 0.5):
        draw, truth = rare_flags(prevalence, 1_000, a_dialogue=10)
        yield f"kappa, prevalence {prevalence:.1%}, dialogues of 10", draw, truth
    for prevalence in (0.02, 0.2):
        draw, truth = rare_flags(prevalence, 1_000, finds=0.9, flags=3)
        yield (
            f"kappa, prevalence {prevalence:.1%}, the judge flags three times as much",
            draw,
            truth,
        )
    for n in (30, 60):
        for top in (0.5, 0.8, 0.9):
            draw, truth = at_the_top(top, n)
            yield f"powered mean, {n} rated, {top:.0%} at the top", draw, truth
    for n, prevalence in ((150, 0.3), (300, 0.1), (1_000, 0.02)):
        for name in ("sensitivity", "specificity"):
            draw, truth = of_a_latent_class(name, n, prevalence)
            yield f"latent {name}, {n} items, prevalence {prevalence:.0%}", draw, truth


def answers(rng: np.random.Generator, *, n: int, runs: int, run_sd: float) -> tuple[Floats, Floats]:
    """People (n,) and the runs (n, r) of a judge, each of these higher or lower as a whole."""
    truth = rng.normal(3, 1, n)
    judge = truth + 0.3 + rng.normal(0, 0.8, n)
    said = judge[:, None] + rng.normal(0, 0.5, (n, runs)) + rng.normal(0, run_sd, runs)
    return _rounded(truth + rng.normal(0, 0.7, n)), _rounded(said)


def runs_of_a_judge(statistic: str, n_runs: int, run_sd: float) -> Draw:
    def draw(rng: np.random.Generator) -> Estimate:
        return _of_runs(statistic, *answers(rng, n=600, runs=n_runs, run_sd=run_sd))

    return draw


def few_systems(n: int, bias: float, *, n_runs: int = 1, run_sd: float = 0.0) -> Draw:
    """Means of systems by people and by a judge, as noisy as they, whose runs lie higher or lower as
    a whole."""

    def draw(rng: np.random.Generator) -> Estimate:
        level = rng.normal(3, 1, n)
        x, y = (level + rng.normal(0, 0.4, n) for _ in range(2))
        runs = y[:, None] + bias + rng.normal(0, run_sd, n_runs)
        return system_level(x, runs, list(map(str, range(n)))).estimates["icc_a1"]

    return draw


def _of_systems(bias: float) -> float:
    """The truth: of a run that is neither high nor low."""
    return 1 / (1 + 0.4**2 + bias**2 / 2)


def people_in_turn(r: int) -> Draw:
    """Two of r people rate each item; with two people some lack one of them, as with more."""

    def draw(rng: np.random.Generator) -> Estimate:
        values = (
            rng.normal(0, _SPREAD, (300, 1))
            + rng.normal(0, _PEOPLE, r)
            + rng.normal(0, _REST, (300, r))
        )
        for row in values:
            row[rng.permutation(r)[2:]] = np.nan
        if r == 2:
            values[rng.random(300) < 0.1, 0] = np.nan
        return rotating_panel(values)["icc_a1_reml"]

    return draw


def of_a_latent_class(name: str, n: int, prevalence: float) -> tuple[Draw, float]:
    """The first of four raters who err independently, where nobody knows what is to be flagged."""
    sensitivity = np.array([0.8, 0.9, 0.7, 0.95])
    specificity = np.array([0.95, 0.95, 0.9, 0.9])

    def draw(rng: np.random.Generator) -> Estimate:
        marked = rng.random((n, 1)) < prevalence
        flags = rng.random((n, 4)) < np.where(marked, sensitivity, 1 - specificity)
        found = latent_flags(flags[:, :, None])
        return found.raters[0][name] if found.raters else _not_told(name)

    return draw, float(sensitivity[0] if name == "sensitivity" else specificity[0])


def _not_told(name: str) -> Estimate:
    return Estimate(statistic=name, value=None, n_items=0, n_pairs=0, n_clusters=0, n_raters=4)


def rare_flags(
    prevalence: float,
    n: int,
    *,
    finds: float = 0.7,
    flags: float = 1,
    a_dialogue: int | None = None,
) -> tuple[Draw, float]:
    """A judge that finds a share of what is flagged, and flags so many times as much; its kappa.

    Of dialogues of `a_dialogue` items a third of the items are as the first of theirs.
    """
    found, flagged = finds * prevalence, flags * prevalence
    shares = np.array(
        [1 - prevalence - flagged + found, flagged - found, prevalence - found, found]
    )
    chance = prevalence * flagged + (1 - prevalence) * (1 - flagged)
    truth = (shares[0] + shares[3] - chance) / (1 - chance)

    def draw(rng: np.random.Generator) -> Estimate:
        cells, dialogues = rng.choice(4, n, p=shares), None
        if a_dialogue is not None:
            dialogues = np.arange(n) // a_dialogue
            alike = rng.random(n) < 1 / 3
            cells[alike] = cells[dialogues[alike] * a_dialogue]
        found = two_raters(
            cells // 2,
            cells % 2,
            clusters=dialogues,
            points=(0, 1),
            measurement="binary",
            only={"kappa"},
        )
        return found["kappa"]

    return draw, truth


def at_the_top(top: float, n: int) -> tuple[Draw, float]:
    """Ratings that are mostly the highest, of which people gave n of 300; and their mean."""
    shares = np.append((1 - top) * np.array([0.1, 0.15, 0.25, 0.5]), top)

    def draw(rng: np.random.Generator) -> Estimate:
        meant, guessed = (rng.choice(FIVE, 300, p=shares).astype(np.float64) for _ in range(2))
        judge = np.where(rng.random(300) < 0.6, meant, guessed)
        human = np.where(np.arange(300) < n, meant, np.nan)
        return powered_mean(judge, human, ends=(FIVE[0], FIVE[-1])).powered

    return draw, float(shares @ np.array(FIVE))


def _rounded(values: Floats) -> Floats:
    return np.clip(np.round(values), 1, 5)


def _of_many_runs(statistic: str) -> float:
    """What a run that is neither high nor low comes to."""
    drawn = answers(np.random.default_rng(1), n=_MANY, runs=1, run_sd=0.0)
    value = _of_runs(statistic, *drawn).value
    return np.nan if value is None else value


def _of_runs(statistic: str, x: Floats, runs: Floats) -> Estimate:
    found = mean_agreement(x, runs, points=FIVE, measurement="ordinal", only={statistic})
    return found[statistic]
