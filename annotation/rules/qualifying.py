"""How well a rater meets gold that is known, and whether that is enough."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.rubric.answers import Answer
from annotation.rubric.schema import Rubric
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.disagreement import differ
from annotation.rules.shuffling import shuffled

USUAL_PASS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldScore:
    """To how many questions the answer was right, of how many that have gold."""

    right: int
    of: int

    @property
    def percent(self) -> int:
        """Rounded down: 79.9 is not 80."""
        return 100 * self.right // self.of if self.of else 0

    def __add__(self, other: "GoldScore") -> "GoldScore":
        return GoldScore(right=self.right + other.right, of=self.of + other.of)


NOTHING_ASKED = GoldScore(right=0, of=0)


def score(
    rubric: Rubric, given: Mapping[str, Answer | None], gold: Mapping[str, Answer]
) -> GoldScore:
    """Hold one rater's answers to one item against its gold.

    As near as two raters may be who need no decision is right; no value is not.
    """
    asked = [criterion for criterion in rubric.criteria if criterion.key in gold]
    right = [
        criterion
        for criterion in asked
        if not differ(criterion, [given.get(criterion.key), gold[criterion.key]])
    ]
    return GoldScore(right=len(right), of=len(asked))


def has_passed(found: GoldScore, pass_percent: int) -> bool:
    return found.of > 0 and found.percent >= pass_percent


def reason_not_to_seat(names: Sequence[str]) -> Sentence | None:
    """Say who gets no work of ordinary rounds where raters have to qualify, or None."""
    if not names:
        return None
    return sentence(
        "Not qualified yet: {names}. Have them pass a round to qualify, or let them in for a reason "
        "under Qualification.",
        names=", ".join(names),
    )


def mixed_in(items: Sequence[int], gold: Sequence[int], *, seed: str) -> list[int]:
    """Items with gold among the others, at places that tell nothing."""
    places = set(shuffled(range(len(items) + len(gold)), seed)[: len(gold)])
    of_gold, others = iter(gold), iter(items)
    return [
        next(of_gold) if place in places else next(others)
        for place in range(len(items) + len(gold))
    ]
