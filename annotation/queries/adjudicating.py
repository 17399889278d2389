"""One item on which raters differ, for who decides it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.http import Http404

from annotation.models import Adjudication, Gold, Origin, Rating, RoundItem
from annotation.queries.ambiguities import AmbiguityShown, brought_to, shown_of
from annotation.queries.audits import criteria_to_audit
from annotation.queries.cases import decided_in, opinions_that_may_change, waiting_in
from annotation.queries.grounds import GroundsShown, grounds_shown
from annotation.queries.items import ItemShown, shown, texts_of
from annotation.queries.ratings import rater_of, raters_of_item
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import held_out, reader_of
from annotation.queries.voices import CaseVoice, answers_to, in_conflict, to_decide, voices_of
from annotation.queries.wording import said, worded, worded_reason
from annotation.rubric.answers import Answer, read
from annotation.rubric.schema import NOT_SHOWN, Criterion, Rubric, Shown, Taxonomy, Text
from annotation.rubric.sentences import Sentence
from annotation.rubric.taxonomy import Path, path_to
from annotation.rules.blinding import blinded_order
from annotation.rules.deciding import (
    AMBIGUOUS,
    CODES,
    DecidedBy,
    Ruled,
    as_ruled,
    asked_for,
    graph_of,
    value_of,
)
from annotation.rules.disagreement import parting_node, way_of
from annotation.rules.eligibility import reason_not_to_adjudicate
from annotation.rules.lifecycle import ItemState
from annotation.rules.protocol import OnSplit
from annotation.rules.seconding import reason_not_to_second
from annotation.rules.visibility import reason_to_withhold_judges

MOST_KEYS = 9


class NoSuchCase(Http404):
    """Nothing waits for a decision there, or not one of this account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStep:
    """One answered question on the way to a label."""

    number: int
    question: str
    answer: str
    parts_here: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Possible:
    """A value that a criterion may have."""

    value: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseChoice(Possible):
    """A value that the adjudicator may give, what it means, and which raters gave it."""

    key: str
    definition: str
    example: str
    non_example: str
    letters: tuple[str, ...] = ()
    steps: tuple[CaseStep, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Excused:
    """A rater who gave no value, and why."""

    letter: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseWay:
    """The way that a rater took through a graph, and what it comes to: label, then levels."""

    letter: str
    path: Path
    steps: tuple[CaseStep, ...]
    comes_to: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """One criterion to decide: what raters gave, and what else it may be. A graph is answered
    question by question: `ways` are those of the raters, `parting` the question at which they part.
    """

    key: str
    name: str
    given: tuple[CaseChoice, ...]
    others: tuple[CaseChoice, ...]
    excused: tuple[Excused, ...]
    graph: Taxonomy | None = None
    ways: tuple[CaseWay, ...] = ()
    parting: str = ""

    @property
    def is_walked(self) -> bool:
        return self.graph is not None

    @property
    def letters_at(self) -> dict[tuple[str, str], str]:
        """{(question, answer): the letters of who gave it}."""
        found: dict[tuple[str, str], str] = {}
        for way in self.ways:
            for step in way.path:
                found[step] = found.get(step, "") + way.letter
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    letter: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionMade:
    """A decision that stands, or one that another has superseded."""

    by: str
    at: datetime
    values: tuple[tuple[str, str], ...]
    code: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeShown:
    """What a rater holds against the decision, under their letter."""

    id: int
    letter: str
    text: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTold:
    """What a judge answers to the criteria in conflict, at its first reading, and says beside it."""

    name: str
    words: tuple[tuple[str, str], ...]
    grounds: tuple[GroundsShown, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One item to decide, or one that is decided, its raters under letters.

    Where the protocol has it decided unseen, nothing of what they answered is in it before.
    """

    round_item_id: int
    round_number: int
    position: int
    rubric: Rubric
    item: ItemShown
    conflicts: tuple[Conflict, ...]
    agreed: tuple[tuple[str, str], ...]
    comments: tuple[Comment, ...]
    grounds: tuple[GroundsShown, ...]
    letters: tuple[str, ...]
    is_unseen: bool
    decisions: tuple[DecisionMade, ...]
    opinions: tuple[DecisionMade, ...]
    brought: tuple[AmbiguityShown, ...]
    disputes: tuple[DisputeShown, ...]
    standing: Ruled
    reason_to_withhold_judges: str

    @property
    def is_decided(self) -> bool:
        return bool(self.decisions)


def case(study_access: StudyAccess, round_item_id: int) -> Case:
    """One item to decide or decided already; NoSuchCase."""
    round_item = _found(study_access, round_item_id)
    is_decided = round_item.state == ItemState.ADJUDICATED
    is_unseen = round_item.round.rules.decides_unseen and not is_decided
    voices = voices_of([round_item])[round_item.item_id]
    order = blinded_order(
        voices,
        round_item.item_id,
        study_access.access.user_id,
        secret=study_access.study.release_key,
    )
    criteria = round_item.round.rubric.criteria
    to_audit = criteria_to_audit([round_item.pk]).get(round_item.pk, ())
    rubric = round_item.round.rubric
    differing = to_decide(rubric, voices.values(), to_audit)
    asked = asked_for(rubric, differing)
    lettered = {chr(ord("A") + place): voices[rater] for place, rater in enumerate(order)}
    told = {} if is_unseen else lettered
    item = round_item.item
    in_view = shown(item.dialogue.turns, item.reply, item.reply_speaker, item.content_note)
    withheld = _reason_to_withhold_judges(study_access, round_item)
    return Case(
        round_item_id=round_item.pk,
        round_number=round_item.round.number,
        position=round_item.position,
        rubric=rubric,
        item=in_view,
        conflicts=tuple(
            _walk(rubric, graph, differing, told)
            if (graph := graph_of(rubric, criterion))
            else _conflict(criterion, told)
            for criterion in asked
        ),
        agreed=tuple(
            (said(criterion.name), _agreed_words(criterion, told))
            for criterion in criteria
            if told and (graph_of(rubric, criterion) or criterion) not in asked
        ),
        comments=tuple(
            Comment(letter=letter, text=voice.comment)
            for letter, voice in told.items()
            if voice.comment
        ),
        grounds=grounds_shown(
            rubric, {voice.submission: letter for letter, voice in told.items()}, in_view.texts
        ),
        letters=tuple(told),
        is_unseen=is_unseen,
        decisions=tuple(_decisions(round_item)) if is_decided else (),
        opinions=tuple(_opinions(round_item)) if _is_talked_of(round_item) else (),
        brought=_brought(round_item) if is_decided else (),
        disputes=tuple(_disputes(round_item, order)),
        standing=_standing(round_item) if is_decided else {},
        reason_to_withhold_judges=said(withheld) if withheld else "",
    )


def _reason_to_withhold_judges(study_access: StudyAccess, round_item: RoundItem) -> Sentence | None:
    is_held_out = held_out(study_access.study).filter(item=round_item.item_id).exists()
    return reason_to_withhold_judges(reader_of(study_access), is_held_out=is_held_out)


def judges_on(study_access: StudyAccess, round_item_id: int) -> list[JudgeTold]:
    """What judges answer to a case, once it is decided; NoSuchCase before, or where it would sway.

    Of each judge the first of its answers to the item.
    """
    round_item = _found(study_access, round_item_id)
    if round_item.state != ItemState.ADJUDICATED or _reason_to_withhold_judges(
        study_access, round_item
    ):
        raise NoSuchCase
    rows = Rating.objects.filter(
        submission__item=round_item.item_id,
        submission__origin=Origin.JUDGE,
        submission__is_current=True,
        submission__repeat=1,
    ).values_list(
        *("submission__rater__name", "submission", "criterion_key", "label", "score", "unscored")
    )
    answers: dict[tuple[str, int], dict[str, Answer | None]] = {}
    for name, pk, key, label, score, unscored in rows.order_by("submission__rater__name"):
        answer = None if unscored else Answer(criterion=key, label=label, score=score)
        answers.setdefault((name, pk), {})[key] = answer
    voices = voices_of([round_item])[round_item.item_id]
    criteria = in_conflict(round_item.round.rubric, voices.values())
    texts = texts_of(round_item.item_id)
    return [
        JudgeTold(
            name=name,
            grounds=grounds_shown(
                replace(round_item.round.rubric, criteria=tuple(criteria)), {pk: ""}, texts
            ),
            words=tuple(
                (said(one.name), worded(one, answer) if (answer := given.get(one.key)) else "–")
                for one in criteria
            ),
        )
        for (name, pk), given in answers.items()
    ]


def _found(study_access: StudyAccess, round_item_id: int) -> RoundItem:
    both = waiting_in(study_access) | decided_in(study_access)
    found = both.filter(pk=round_item_id).select_related("round", "item__dialogue").first()
    if found is None or _refusal(study_access, found):
        raise NoSuchCase
    return found


def rubric_of(study_access: StudyAccess, round_item_id: int) -> Rubric:
    """What an item is decided by; NoSuchCase."""
    found = RoundItem.objects.filter(round__study=study_access.study, pk=round_item_id)
    round_item = found.select_related("round").first()
    if round_item is None:
        raise NoSuchCase
    return round_item.round.rubric


def _refusal(study_access: StudyAccess, round_item: RoundItem) -> str | None:
    by, state = study_access.access.user_id, ItemState(round_item.state)
    reason = reason_not_to_adjudicate(
        raters_of_item(round_item.item_id), rater_of(by), study_access.roles
    )
    if reason or by is None or state is ItemState.ADJUDICATED:
        return reason
    decided_by = set(round_item.opinions.values_list("decided_by", flat=True))
    return reason_not_to_second(
        state,
        round_item.round.rules,
        by,
        decided_by,
        is_anyone_left=opinions_that_may_change(round_item.pk).exists(),
    )


def _decisions(round_item: RoundItem) -> Iterator[DecisionMade]:
    """What was decided, the newest first."""
    criteria = {one.key: one for one in round_item.round.rubric.criteria}
    made = Adjudication.objects.filter(round=round_item.round_id, item=round_item.item_id)
    for one in made.select_related("decided_by").prefetch_related("gold").order_by("-pk"):
        values = [
            (
                said(criteria[gold.criterion_key].name),
                worded(criteria[gold.criterion_key], _of(gold)),
            )
            for gold in one.gold.all()
        ]
        ambiguous = [(said(criteria[key].name), AMBIGUOUS) for key in one.ambiguous]
        yield DecisionMade(
            by=one.decided_by.full_name,
            at=one.decided_at,
            values=(*values, *ambiguous),
            code=said(CODES[DecidedBy(one.code)]),
            reason=one.reason,
        )


def _brought(round_item: RoundItem) -> tuple[AmbiguityShown, ...]:
    found = brought_to([round_item.item_id])
    return shown_of(round_item.round.rubric, found.get(round_item.item_id, {}))


def _is_talked_of(round_item: RoundItem) -> bool:
    """Whether the two who differ have each other's decision before them."""
    is_split = round_item.state == ItemState.SPLIT
    is_to_talk = is_split and round_item.round.rules.on_split == OnSplit.TALK
    return is_to_talk and opinions_that_may_change(round_item.pk).exists()


def _opinions(round_item: RoundItem) -> Iterator[DecisionMade]:
    criteria = {one.key: one for one in round_item.round.rubric.criteria}
    for one in round_item.opinions.select_related("decided_by").order_by("pk"):
        yield DecisionMade(
            by=one.decided_by.full_name,
            at=one.decided_at,
            values=tuple(
                (said(criteria[key].name), _value_in_words(criteria[key], value))
                for key, value in one.values.items()
            ),
            code=said(CODES[DecidedBy(one.code)]),
            reason=one.reason,
        )


def _value_in_words(criterion: Criterion, value: str) -> str:
    answer = read(criterion, value)
    return worded(criterion, answer) if isinstance(answer, Answer) else value


def _disputes(round_item: RoundItem, order: Sequence[int]) -> Iterator[DisputeShown]:
    for one in round_item.disputes.order_by("pk"):
        letter = chr(ord("A") + order.index(one.rater_id)) if one.rater_id in order else "–"
        yield DisputeShown(id=one.pk, letter=letter, text=one.text, answer=one.answer)


def _standing(round_item: RoundItem) -> Ruled:
    """What was decided last, as it is sent."""
    newest = Adjudication.objects.get(
        round=round_item.round_id, item=round_item.item_id, superseded_by=None
    )
    made = newest.gold.all()
    values = dict.fromkeys(newest.ambiguous, AMBIGUOUS) | {
        gold.criterion_key: value_of(_of(gold)) for gold in made
    }
    ways = {gold.criterion_key: gold.path for gold in made if gold.path}
    return as_ruled(round_item.round.rubric, values, ways)


def _of(gold: Gold) -> Answer:
    return Answer(criterion=gold.criterion_key, label=gold.label, score=gold.score)


def _conflict(criterion: Criterion, lettered: Mapping[str, CaseVoice]) -> Conflict:
    """The values that raters gave come first, in the order of the rubric."""
    answers = {letter: voice.answers.get(criterion.key) for letter, voice in lettered.items()}
    gave: dict[str, list[str]] = {}
    for letter, answer in answers.items():
        if answer:
            gave.setdefault(value_of(answer), []).append(letter)
    known = list(_values(criterion))
    in_order = [one for one in known if one[0] in gave] + [
        one for one in known if one[0] not in gave
    ]
    walk = criterion if isinstance(criterion, Taxonomy) else None
    parting = parting_node(walk, list(answers.values()))
    choices = [
        _choice(
            number,
            value,
            gave.get(value[0], ()),
            _steps(walk, path_to(walk, value[0]), parting if value[0] in gave else None)
            if walk
            else (),
        )
        for number, value in enumerate(in_order, start=1)
    ]
    return Conflict(
        key=criterion.key,
        name=said(criterion.name),
        given=tuple(one for one in choices if one.letters),
        others=tuple(one for one in choices if not one.letters),
        excused=_excused(criterion, lettered),
    )


def _walk(
    rubric: Rubric,
    graph: Taxonomy,
    differing: Sequence[Criterion],
    lettered: Mapping[str, CaseVoice],
) -> Conflict:
    """A graph to walk anew, with the ways that raters took, and where they part: on what is to be
    decided alone, if that is less than all of it."""
    answers = {letter: voice.answers.get(graph.key) for letter, voice in lettered.items()}
    about = [None if one is graph else one.key for one in differing if graph_of(rubric, one)]
    found = [parting_node(graph, list(answers.values()), about=one) for one in about]
    parting = min((one for one in found if one is not None), default=None)
    criteria: tuple[Criterion, ...] = (graph, *rubric.dimensions(graph.key))
    return Conflict(
        key=graph.key,
        name=said(graph.name),
        given=(),
        others=(),
        excused=_excused(graph, lettered),
        graph=graph,
        ways=tuple(
            CaseWay(
                letter=letter,
                path=(path := way_of(graph, answer)),
                steps=_steps(graph, path, parting),
                comes_to=tuple(
                    (said(one.name), worded(one, value))
                    for one in criteria
                    if (value := lettered[letter].answers.get(one.key))
                ),
            )
            for letter, answer in answers.items()
            if answer
        ),
        parting="" if parting is None else said(graph.nodes[parting].question),
    )


def _excused(criterion: Criterion, lettered: Mapping[str, CaseVoice]) -> tuple[Excused, ...]:
    return tuple(
        Excused(letter=letter, words=worded_reason(voice.reasons[criterion.key]))
        for letter, voice in lettered.items()
        if voice.answers.get(criterion.key) is None and criterion.key in voice.reasons
    )


Value = tuple[str, str, Text | None, Shown]


def _values(criterion: Criterion) -> Iterator[Value]:
    """Each value that a criterion may have: as it is sent, in words, its definition, examples."""
    if isinstance(criterion, Taxonomy):
        for label in criterion.labels:
            yield label.key, said(label.name), label.definition, label.shown
        return
    for point in criterion.points:
        yield str(point.value), f"{point.value} · {said(point.anchor)}", None, point.shown


def _choice(
    number: int, value: Value, letters: Sequence[str], steps: tuple[CaseStep, ...]
) -> CaseChoice:
    sent, words, definition, examples = value
    return CaseChoice(
        value=sent,
        words=words,
        key=str(number) if number <= MOST_KEYS else "",
        definition=said(definition) if definition else "",
        example=said(examples.example) if examples is not NOT_SHOWN else "",
        non_example=said(examples.non_example) if examples is not NOT_SHOWN else "",
        letters=tuple(letters),
        steps=steps,
    )


def _steps(walk: Taxonomy, way: Path, parting: int | None) -> tuple[CaseStep, ...]:
    """A way in words; `parting` is the question at which it parts from another one."""
    nodes = {node.key: (place, node) for place, node in enumerate(walk.nodes)}
    return tuple(
        CaseStep(
            number=place + 1,
            question=said(node.question),
            answer=next(said(choice.text) for choice in node.options if choice.key == option),
            parts_here=place == parting,
        )
        for key, option in way
        for place, node in [nodes[key]]
    )


def possible_of(criterion: Criterion) -> tuple[Possible, ...]:
    return tuple(
        Possible(value=value, words=words) for value, words, _meaning, _shown in _values(criterion)
    )


def _agreed_words(criterion: Criterion, lettered: Mapping[str, CaseVoice]) -> str:
    words = {
        worded(criterion, answer) for answer in answers_to(criterion, lettered.values()) if answer
    }
    return " / ".join(sorted(words))
