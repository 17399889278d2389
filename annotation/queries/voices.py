"""What the raters of an item answered in one round, for those who decide what differs."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from annotation.models import Rating, RoundItem
from annotation.rubric.answers import Answer
from annotation.rubric.derived import is_up
from annotation.rubric.schema import Criterion, Rubric
from annotation.rubric.taxonomy import path_from_text
from annotation.rules.disagreement import differ


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseVoice:
    """What one rater answered; a criterion without a value has its reason instead."""

    submission: int
    answers: dict[str, Answer | None]
    reasons: dict[str, str]
    comment: str


Voices = Collection[CaseVoice]


def voices_of(cases: Sequence[RoundItem]) -> dict[int, dict[int, CaseVoice]]:
    """{item: {rater: what they answered}} of cases, all in their own rounds."""
    voices: dict[int, dict[int, CaseVoice]] = {one.item_id: {} for one in cases}
    rounds = {one.item_id: one.round_id for one in cases}
    rows = Rating.objects.filter(
        submission__round__in=set(rounds.values()),
        submission__item__in=voices,
        submission__is_current=True,
        submission__repeat=1,
    ).values_list(
        *("submission__item", "submission__round", "submission__rater", "submission__comment"),
        *("submission", "criterion_key", "label", "score", "unscored", "path"),
    )
    for item, rating_round, rater, comment, pk, criterion, label, score, unscored, path in rows:
        if rounds[item] != rating_round:
            continue
        new = CaseVoice(submission=pk, answers={}, reasons={}, comment=comment)
        voice = voices[item].setdefault(rater, new)
        way = path_from_text(path)
        answer = Answer(criterion=criterion, label=label, score=score, path=way)
        voice.answers[criterion] = None if unscored else answer
        if unscored:
            voice.reasons[criterion] = unscored
    return voices


def answers_to(criterion: Criterion, voices: Voices) -> list[Answer | None]:
    """What each of them answered to a criterion."""
    return [voice.answers.get(criterion.key) for voice in voices]


def in_conflict(rubric: Rubric, voices: Voices) -> list[Criterion]:
    """The criteria on which they differ, in the order in which they are asked."""
    return [one for one in rubric.criteria if differ(one, answers_to(one, voices))]


def to_decide(rubric: Rubric, voices: Voices, to_audit: Collection[str]) -> list[Criterion]:
    """What an adjudicator is asked: what they differ on, or what a sample asks as if they did."""
    if not to_audit:
        return in_conflict(rubric, voices)
    return [one for one in rubric.criteria if one.key in to_audit]


def raises_a_flag(rubric: Rubric, voices: Voices) -> bool:
    """Whether one of them gave an answer that is a red flag."""
    return any(
        (answer := voice.answers.get(flag.criterion)) is not None and is_up(flag, answer)
        for group in rubric.groups
        for flag in group.flags
        for voice in voices
    )
