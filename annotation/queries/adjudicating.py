"""Items whose raters disagree, for those who decide."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from django.db.models import QuerySet

from annotation.models import Item, Rating, RoundItem
from annotation.queries.items import ItemShown, shown
from annotation.queries.ratings import items_of_rater, rater_of, raters_of_item
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import reader_of
from annotation.queries.wording import said, worded, worded_reason
from annotation.rubric.answers import Answer
from annotation.rubric.schema import Criterion, Scale, Taxonomy
from annotation.rubric.taxonomy import depth_of_divergence, path_to
from annotation.rules.blinding import blinded_order
from annotation.rules.disagreement import differ
from annotation.rules.eligibility import reason_not_to_adjudicate
from annotation.rules.lifecycle import ItemState, RoundState

CASES_ON_A_PAGE = 50


class NoSuchCase(Exception):
    """Nothing waits for a decision there, or not one of this account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One line of the queue."""

    round_item_id: int
    round_number: int
    position: int
    differs_on: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseQueue:
    """What an adjudicator may decide, and how many others wait for somebody else.

    Who rates in the round is not told of others: these are the ones on which they differ.
    """

    waiting: list[Waiting]
    n_waiting: int
    n_for_others: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStep:
    """One answered question on the way to a label."""

    number: int
    question: str
    answer: str
    parts_here: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenShown:
    """What one blinded rater answered to one criterion; `value` is what taking it would send."""

    letter: str
    key: str
    words: str
    value: str
    steps: tuple[CaseStep, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Possible:
    """A value that the adjudicator may choose instead."""

    value: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """One criterion to decide."""

    key: str
    name: str
    given: tuple[GivenShown, ...]
    possible: tuple[Possible, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    letter: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One item to decide: blinded answers side by side."""

    round_item_id: int
    round_number: int
    position: int
    item: ItemShown
    conflicts: tuple[Conflict, ...]
    agreed: tuple[tuple[str, str], ...]
    comments: tuple[Comment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Voice:
    answers: dict[str, Answer | None]
    reasons: dict[str, str]
    comment: str


def queue(study_access: StudyAccess) -> CaseQueue:
    """The first cases that this adjudicator may decide, by round and position."""
    for_me = _decidable(study_access)
    n_waiting = for_me.count()
    rates_now = reader_of(study_access).rates_now
    others = 0 if rates_now else _waiting(study_access).count() - n_waiting
    return CaseQueue(
        waiting=_as_lines(list(for_me.select_related("round")[:CASES_ON_A_PAGE])),
        n_waiting=n_waiting,
        n_for_others=others,
    )


def n_to_decide(study_access: StudyAccess) -> int:
    """How many items wait for this adjudicator."""
    return _decidable(study_access).count()


def case(study_access: StudyAccess, round_item_id: int) -> Case:
    """One item to decide; NoSuchCase."""
    round_item = (
        _waiting(study_access)
        .filter(pk=round_item_id)
        .select_related("round", "item__dialogue")
        .first()
    )
    if round_item is None or _refusal(study_access, round_item.item_id):
        raise NoSuchCase
    voices = _voices([round_item])[round_item.item_id]
    order = blinded_order(
        voices,
        round_item.item_id,
        study_access.access.user_id,
        secret=study_access.study.release_key,
    )
    lettered = {chr(ord("A") + place): voices[rater] for place, rater in enumerate(order)}
    criteria = round_item.round.rubric.criteria
    item = round_item.item
    in_conflict = [criterion for criterion in criteria if _differ(criterion, voices)]
    return Case(
        round_item_id=round_item.pk,
        round_number=round_item.round.number,
        position=round_item.position,
        item=shown(item.dialogue.turns, item.reply, item.reply_speaker, item.content_note),
        conflicts=tuple(_conflict(criterion, lettered) for criterion in in_conflict),
        agreed=tuple(
            (said(criterion.name), _agreed_words(criterion, lettered))
            for criterion in criteria
            if criterion not in in_conflict
        ),
        comments=tuple(
            Comment(letter=letter, text=voice.comment)
            for letter, voice in lettered.items()
            if voice.comment
        ),
    )


def next_case(study_access: StudyAccess) -> int | None:
    """The case to go on with, or None when nothing waits for this adjudicator."""
    return _decidable(study_access).values_list("pk", flat=True).first()


def _waiting(study_access: StudyAccess) -> QuerySet[RoundItem]:
    return RoundItem.objects.filter(
        round__study=study_access.study,
        round__state=RoundState.OPEN,
        state=ItemState.DISAGREED,
        item__in=Item.objects.visible_to(study_access.access),
    )


def _decidable(study_access: StudyAccess) -> QuerySet[RoundItem]:
    waiting = _waiting(study_access).order_by("round__number", "position")
    rater = rater_of(study_access.access.user_id)
    return waiting if rater is None else waiting.exclude(item__in=items_of_rater(rater))


def _refusal(study_access: StudyAccess, item_id: int) -> str | None:
    return reason_not_to_adjudicate(
        raters_of_item(item_id), rater_of(study_access.access.user_id), study_access.roles
    )


def _as_lines(cases: Sequence[RoundItem]) -> list[Waiting]:
    voices = _voices(cases)
    return [
        Waiting(
            round_item_id=one.pk,
            round_number=one.round.number,
            position=one.position,
            differs_on=tuple(
                said(criterion.name)
                for criterion in one.round.rubric.criteria
                if _differ(criterion, voices[one.item_id])
            ),
        )
        for one in cases
    ]


def _voices(cases: Sequence[RoundItem]) -> dict[int, dict[int, _Voice]]:
    """{item: {rater: what they answered}} of cases, all in their own rounds."""
    voices: dict[int, dict[int, _Voice]] = {one.item_id: {} for one in cases}
    rows = Rating.objects.filter(
        submission__round__in={one.round_id for one in cases},
        submission__item__in=voices,
        submission__is_current=True,
        submission__repeat=1,
    ).select_related("submission")
    for row in rows:
        submission = row.submission
        voice = voices[submission.item_id].setdefault(
            submission.rater_id, _Voice(answers={}, reasons={}, comment=submission.comment)
        )
        answer = Answer(criterion=row.criterion_key, label=row.label, score=row.score)
        voice.answers[row.criterion_key] = None if row.unscored else answer
        if row.unscored:
            voice.reasons[row.criterion_key] = row.unscored
    return voices


def _differ(criterion: Criterion, voices: Mapping[int, _Voice]) -> bool:
    return differ(criterion, [voice.answers.get(criterion.key) for voice in voices.values()])


def _conflict(criterion: Criterion, lettered: Mapping[str, _Voice]) -> Conflict:
    parting = _parting(criterion, lettered)
    return Conflict(
        key=criterion.key,
        name=said(criterion.name),
        given=tuple(
            _given(criterion, letter, str(place), voice, parting)
            for place, (letter, voice) in enumerate(lettered.items(), start=1)
        ),
        possible=_possible(criterion),
    )


def _given(
    criterion: Criterion, letter: str, key: str, voice: _Voice, parting: int | None
) -> GivenShown:
    answer = voice.answers.get(criterion.key)
    if answer is None:
        words = worded_reason(voice.reasons[criterion.key])
        return GivenShown(letter=letter, key=key, words=words, value="")
    return GivenShown(
        letter=letter,
        key=key,
        words=worded(criterion, answer),
        value=_value(answer),
        steps=_steps(criterion, answer, parting),
    )


def _steps(criterion: Criterion, answer: Answer, parting: int | None) -> tuple[CaseStep, ...]:
    if isinstance(criterion, Scale) or answer.label is None:
        return ()
    nodes = {node.key: node for node in criterion.nodes}
    return tuple(
        CaseStep(
            number=depth + 1,
            question=said(nodes[node].question),
            answer=next(
                said(choice.text) for choice in nodes[node].options if choice.key == option
            ),
            parts_here=depth == parting,
        )
        for depth, (node, option) in enumerate(path_to(criterion, answer.label))
    )


def _parting(criterion: Criterion, lettered: Mapping[str, _Voice]) -> int | None:
    """The first node at which the ways of two raters part."""
    if isinstance(criterion, Scale):
        return None
    labels = {
        answer.label
        for voice in lettered.values()
        if (answer := voice.answers[criterion.key]) and answer.label
    }
    depths = (depth_of_divergence(criterion, a, b) for a, b in combinations(sorted(labels), 2))
    return min((depth for depth in depths if depth is not None), default=None)


def _possible(criterion: Criterion) -> tuple[Possible, ...]:
    if isinstance(criterion, Taxonomy):
        return tuple(
            Possible(value=label.key, words=said(label.name)) for label in criterion.labels
        )
    return tuple(
        Possible(value=str(point.value), words=f"{point.value} · {said(point.anchor)}")
        for point in criterion.points
    )


def _agreed_words(criterion: Criterion, lettered: Mapping[str, _Voice]) -> str:
    words = {
        worded(criterion, answer)
        for voice in lettered.values()
        if (answer := voice.answers[criterion.key])
    }
    return " / ".join(sorted(words))


def _value(answer: Answer) -> str:
    return answer.label if answer.label is not None else str(answer.score)
