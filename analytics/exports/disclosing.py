"""What a release could tell of single people: small cells, dominance, and the difference from
earlier releases.

Hundepool, A. et al. (2012). Statistical Disclosure Control. Wiley, chapters 4 and 5.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.small_counts import LEAST_ITEMS

LEAST_PEOPLE = 3
MOST_OF_ONE = 0.8  # the share of all answers from which on a figure of people is one person's
MOST_OF_TWO = 0.9


class DisclosureTest(StrEnum):
    """What is looked for."""

    SMALL_CELL = "small_cell"
    DOMINANCE = "dominance"
    DIFFERENCING = "differencing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """A release that left before: how many answers of each person were in it, and on how many
    items."""

    release: str
    day: date
    answers: Mapping[str, int]
    n_items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """Whom a release is about, counted: answers by pseudonym, items by generator and by round."""

    answers: Mapping[str, int]
    n_items: int
    generators: Mapping[str, int]
    rounds: Mapping[int, int]
    earlier: tuple[Earlier, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DisclosureFinding:
    """Something that somebody has to look at before it leaves: by which test, about what, why."""

    test: DisclosureTest
    about: str
    why: Sentence


def findings(crowd: Crowd) -> list[DisclosureFinding]:
    """Everything that the tests find, test by test."""
    return [*_small_cells(crowd), *_dominance(crowd), *_differences(crowd)]


def digest(found: Iterable[DisclosureFinding]) -> str:
    """Of what was found, whatever the numbers: what was ruled on stays ruled on."""
    told = sorted({(one.test.value, one.about) for one in found})
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _small_cells(crowd: Crowd) -> Iterator[DisclosureFinding]:
    def small(about: str, why: Sentence) -> DisclosureFinding:
        return DisclosureFinding(test=DisclosureTest.SMALL_CELL, about=about, why=why)

    if 0 < len(crowd.answers) < LEAST_PEOPLE:
        yield small(
            "people",
            sentence(
                "{n} in all rated: each of them, and whoever knows the answers of one, can work "
                "out the rest.",
                n=_people(len(crowd.answers)),
            ),
        )
    for person, n in sorted(crowd.answers.items()):
        if n < LEAST_ITEMS:
            yield small(
                person,
                sentence(
                    "Answers of {person}: {n}. So few are easily remembered.", person=person, n=n
                ),
            )
    for generator, n in sorted(crowd.generators.items()):
        if n < LEAST_ITEMS:
            yield small(
                f"generator {generator}",
                sentence(
                    "Replies of {generator}: {n}. A figure about it is one about these.",
                    generator=generator,
                    n=n,
                ),
            )
    for number, n in sorted(crowd.rounds.items()):
        if 0 < n < LEAST_ITEMS:
            yield small(
                f"round {number}",
                sentence(
                    "Items that the agreement of round {number} rests on: {n}.", number=number, n=n
                ),
            )


def _dominance(crowd: Crowd) -> Iterator[DisclosureFinding]:
    ordered = sorted(crowd.answers.items(), key=lambda pair: (-pair[1], pair[0]))
    whole = sum(crowd.answers.values())
    for n, most in ((1, MOST_OF_ONE), (2, MOST_OF_TWO)):
        share = sum(answers for _person, answers in ordered[:n]) / max(whole, 1)
        if len(ordered) > n and share > most:
            names = [person for person, _answers in ordered[:n]]
            yield DisclosureFinding(
                test=DisclosureTest.DOMINANCE,
                about=" ".join(names),
                why=sentence(
                    "{people} gave {percent} of every 100 answers of people: figures of people are theirs.",
                    people=", ".join(names),
                    percent=round(100 * share),
                ),
            )
            return


def _differences(crowd: Crowd) -> Iterator[DisclosureFinding]:
    for before in crowd.earlier:
        changed = sorted(
            person
            for person in crowd.answers.keys() | before.answers.keys()
            if crowd.answers.get(person, 0) != before.answers.get(person, 0)
        )
        if 0 < len(changed) < LEAST_PEOPLE:
            yield DisclosureFinding(
                test=DisclosureTest.DIFFERENCING,
                about=f"{before.release} {' '.join(changed)}",
                why=sentence(
                    "Since {release} of {day} only {people} answered: whoever has both releases "
                    "knows what they answered, and between which days.",
                    release=before.release,
                    day=before.day.isoformat(),
                    people=", ".join(changed),
                ),
            )
        more = abs(crowd.n_items - before.n_items)
        if 0 < more < LEAST_ITEMS:
            yield DisclosureFinding(
                test=DisclosureTest.DIFFERENCING,
                about=f"{before.release} items",
                why=sentence(
                    "Items that differ from {release} of {day}: {n}. The difference of two figures "
                    "is one about these.",
                    n=more,
                    release=before.release,
                    day=before.day.isoformat(),
                ),
            )


def _people(n: int) -> Sentence:
    return sentence("One person") if n == 1 else sentence("Two people")
