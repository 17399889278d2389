"""How a judge is asked which of two replies is to be put higher: an interview about a pair.

What is asked is made of the rubric: of each of its scales, on which of both replies it would be
higher, or which value each of both has, or of all of it, which is better on the whole. A label has no order, so nothing is asked
about taxonomies. Answers name the letters under which the replies stand, and are read by the grammar
that reads all answers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.rubric.answers import Answer
from annotation.rubric.schema import (
    Criterion,
    Label,
    Node,
    Option,
    Rubric,
    Scale,
    Taxonomy,
    Text,
)
from judging import parsing
from judging.interviews import Exchange, Interview, written_in
from judging.parsing.names import called_by
from judging.parsing.pairs import with_names
from judging.prompts.template import PromptSubject, Template
from judging.rules.comparing import FIRST, OVERALL, SECOND, TIE
from judging.rules.outcomes import Outcome
from judging.rules.questions import AskingManner, Found, Question, Unreadable

EDITION = "pairs-2"  # of the prompt; judges that rate have other editions

_A, _B = "_a", "_b"  # behind the key of a scale: of which reply its value is
_REPLY_A, _REPLY_B, _TIE = "reply_a", "reply_b", "tie"
_STANDS = {_REPLY_A: FIRST, _REPLY_B: SECOND, _TIE: TIE}
_NAMES = {
    _REPLY_A: Text(en="Reply A", zh_hans="回复 A"),
    _REPLY_B: Text(en="Reply B", zh_hans="回复 B"),
    _TIE: Text(en="Tie", zh_hans="平手"),
}
_ON_THE_WHOLE = Text(en="Overall", zh_hans="总体")
_HIGHER = Text(
    en="Which reply would be given the higher value on this scale?",
    zh_hans="在这一量表上，哪条回复应得到更高的分值？",
)
_BETTER = Text(
    en="Which reply is better on the whole, by all that the rubric asks for?",
    zh_hans="综合评分标准的全部要求，哪条回复总体上更好？",
)
_OF_REPLY = {
    _A: Text(en="Of reply A. {question}", zh_hans="就回复 A 而言。{question}"),
    _B: Text(en="The same of reply B. {question}", zh_hans="同样就回复 B 而言。{question}"),
}
_NAME_OF = {
    _A: Text(en="{name} of reply A", zh_hans="回复 A 的{name}"),
    _B: Text(en="{name} of reply B", zh_hans="回复 B 的{name}"),
}
_OR_TIE = Text(
    en="Say tie only if they do not differ.",
    zh_hans="只有在两者没有差别时才回答平手。",
)
_LEVELS = Text(en="The scale:", zh_hans="量表：")


class NothingToCompareOn(ValueError):
    """A rubric without a scale, of which one could say what is higher."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFound:
    """Which reply is preferred on what was asked, by where it stood, and the values of both where these
    were asked for."""

    preferred: str
    first: int | None = None
    second: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparing(Interview):
    """How a judge is asked about two replies: `rubric` is what `asked_of_pairs` makes of one."""

    def requests(self) -> tuple[tuple[Question, ...], ...]:
        """All questions at once, or one after the other; of both replies on a scale at once."""
        if self.template.manner is AskingManner.FLAT:
            return (tuple(map(_question, self.rubric.asked)),)
        together: dict[str, list[Question]] = {}
        for one in self.rubric.asked:
            together.setdefault(_of_which_scale(one), []).append(_question(one))
        return tuple(map(tuple, together.values()))

    def found_in(self, exchanges: Sequence[Exchange]) -> dict[str, PairFound | Unreadable]:
        """What an LLM answered to each thing that was asked: a scale, or all on the whole."""
        concluded = self.conclude(exchanges)
        found: dict[str, PairFound | Unreadable] = {}
        for one in self.rubric.asked:
            key = _of_which_scale(one)
            if isinstance(one, Scale):
                found[key] = _higher(concluded[f"{key}{_A}"], concluded[f"{key}{_B}"])
            else:
                answer = concluded[key]
                found[key] = (
                    answer
                    if isinstance(answer, Unreadable)
                    else PairFound(preferred=preferred(answer))
                )
        return found

    def _next(self, found: Mapping[str, Found]) -> tuple[Question, ...]:
        left = (questions for questions in self.requests() if questions[0].key not in found)
        return next(left, ())

    def _read(self, questions: Sequence[Question], exchange: Exchange) -> dict[str, Found]:
        written = written_in(exchange)
        if isinstance(questions[0].criterion, Scale):
            return parsing.read(questions, written, as_json=self.template.as_json)
        named = replace(written, text=with_names(written.text, called_by(questions[0])))
        return parsing.read(questions, named, as_json=self.template.as_json)


def _question(asked: Criterion) -> Question:
    node = asked.nodes[0] if isinstance(asked, Taxonomy) else None
    return Question(criterion=asked, node=node)


def _of_which_scale(asked: Criterion) -> str:
    return asked.key[: -len(_A)] if isinstance(asked, Scale) else asked.key


def _higher(first: Answer | Unreadable, second: Answer | Unreadable) -> PairFound | Unreadable:
    """Which of two values is the higher one; not known where one could not be read."""
    for one in (first, second):
        if isinstance(one, Unreadable):
            return one
    a, b = (one.score for one in (first, second) if isinstance(one, Answer))
    if a is None or b is None:
        return Unreadable(reason=Outcome.NO_ANSWER)
    return PairFound(preferred=TIE if a == b else FIRST if a > b else SECOND, first=a, second=b)


def interview_by(template: Template, rubric: Rubric) -> Interview:
    """How a template asks, for all it says: about two replies on each scale, or where a rubric has
    none on the whole."""
    if template.subject is PromptSubject.REPLY:
        return Interview(rubric=rubric, template=template)
    asked = asked_of_pairs(rubric, overall=not has_scale(rubric), ties=True)
    return Comparing(rubric=asked, template=template)


def has_scale(rubric: Rubric) -> bool:
    """Whether there is anything on which one reply could be higher."""
    return any(isinstance(one, Scale) for one in rubric.asked)


def preferred(concluded: Answer) -> str:
    """Which of both replies an answer prefers, by where it stood."""
    return _STANDS[str(concluded.label)]


def asked_of_pairs(rubric: Rubric, *, overall: bool, ties: bool, values: bool = False) -> Rubric:
    """What is asked about two replies under a rubric; NothingToCompareOn where it has no scale."""
    scales = [one for one in rubric.asked if isinstance(one, Scale)]
    asked: list[Criterion]
    if overall:
        asked = [_choice(OVERALL, _ON_THE_WHOLE, _BETTER, _whole(rubric), ties)]
    elif values:
        asked = [_value_of(one, reply) for one in scales for reply in (_A, _B)]
    else:
        asked = [_choice(one.key, one.name, _HIGHER, _levels(one), ties) for one in scales]
    if not asked:
        raise NothingToCompareOn
    return replace(rubric, criteria=tuple(asked), groups=())


def _value_of(scale: Scale, reply: str) -> Scale:
    """A scale, asked about one of both replies; what may stand beside a value is not asked for."""
    return replace(
        scale,
        key=f"{scale.key}{reply}",
        name=_filled(_NAME_OF[reply], name=scale.name),
        question=_filled(_OF_REPLY[reply], question=scale.question),
        walked=None,
        grounds=(),
    )


def _filled(form: Text, **words: Text) -> Text:
    return Text(
        **{
            tag: form.in_(tag).format(**{name: text.in_(tag) for name, text in words.items()})
            for tag in ("en", "zh_hans")
        }
    )


def _choice(key: str, name: Text, question: Text, about: Text, ties: bool) -> Taxonomy:
    """One question that is answered by a letter."""
    names = _NAMES if ties else {key: name for key, name in _NAMES.items() if key != _TIE}
    heads = Text(**{tag: f"## {name.in_(tag)} ({key})" for tag in ("en", "zh_hans")})
    parts = [heads, about, question, *([_OR_TIE] if ties else [])]
    return Taxonomy(
        key=key,
        name=name,
        nodes=(
            Node(
                key="preferred",
                question=_together(parts, "\n"),
                options=tuple(
                    Option(key=one, text=words, label=one) for one, words in names.items()
                ),
            ),
        ),
        labels=tuple(
            Label(key=one, code=code, name=words, definition=words)
            for code, (one, words) in enumerate(names.items(), 1)
        ),
    )


def _levels(scale: Scale) -> Text:
    """What a scale measures, in the rubric's words, with its levels."""
    points = [
        Text(**{tag: f"{one.value} = {one.anchor.in_(tag)}" for tag in ("en", "zh_hans")})
        for one in scale.points
    ]
    return _together([scale.question, scale.help, _LEVELS, *points], "\n")


def _whole(rubric: Rubric) -> Text:
    """What all criteria of a rubric ask for."""
    lines = [
        Text(
            **{
                tag: f"- {one.name.in_(tag)}: {_put(one).in_(tag)}".rstrip(": ")
                for tag in ("en", "zh_hans")
            }
        )
        for one in rubric.asked
    ]
    return _together(lines, "\n")


def _put(criterion: Scale | Taxonomy) -> Text:
    if isinstance(criterion, Scale):
        return criterion.question
    return _together([label.name for label in criterion.labels], " / ")


def _together(parts: Iterable[Text], between: str) -> Text:
    kept = [part for part in parts if part]
    return Text(**{tag: between.join(one.in_(tag) for one in kept) for tag in ("en", "zh_hans")})
