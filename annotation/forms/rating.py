"""A rubric as a form: what a page asks, and what came back.

Field names: `answer.CRITERION` for a scale, `answer.CRITERION.NODE` for a node of a taxonomy,
`cannot.CRITERION` for the reason why one cannot be judged; `grounds.CRITERION.confidence`,
`grounds.CRITERION.evidence`, `grounds.CRITERION.rationale` and `grounds.CRITERION.defensible.VALUE`
for what is said beside a value.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from uuid import UUID

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext, override

from annotation.actions.submissions import Answers
from annotation.models.rubrics import content_of
from annotation.queries.severities import SeverityShown, severity_shown
from annotation.queries.wording import said
from annotation.rubric.answers import Answer, Problem
from annotation.rubric.grounds import CONFIDENCES, QUESTIONS, Grounds, values_beside
from annotation.rubric.schema import (
    Criterion,
    Ground,
    Label,
    Measurement,
    Node,
    Rubric,
    Scale,
    Shown,
    Taxonomy,
    Walked,
)
from annotation.rubric.sentences import Sentence
from annotation.rubric.taxonomy import Path, after, path_to, reachable
from annotation.rules.completeness import REASONS, Filled, SaidBeside, fill
from annotation.rules.remarks import problem_with_comment, tidied

ANSWER = "answer."
CANNOT = "cannot."
GROUNDS = "grounds."
TAKE = "take."
LONGEST_SECONDS = 24 * 60 * 60
KEYS_OF_OPTIONS = {"yes": "y", "no": "n"}
KEYS_OF_BINARY = {1: "y", 0: "n"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelChoice:
    """One button; `mark` is a level's number or its yes or no, and `ends_at` names the label that
    a node's option leads to, with its `definition`. What shows the choice is said beside it;
    `letters` are the raters who chose it, for who decides."""

    value: str
    text: str
    mark: str = ""
    key: str = ""
    other_key: str = ""
    ends_at: str = ""
    definition: str = ""
    example: str = ""
    non_example: str = ""
    is_chosen: bool = False
    letters: str = ""
    goes_to: int | None = None
    severity: SeverityShown | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionShown:
    """A scale that a walk gives a value to, and how."""

    key: str
    name: str
    clear: int
    not_asked: int
    worst_is_highest: bool
    levels: tuple[SeverityShown, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormQuestion:
    """One group of radio buttons: a scale, or a node of a taxonomy, about a `dimension` of it."""

    name: str
    number: int
    text: str
    help: str
    choices: tuple[LevelChoice, ...]
    problem: str = ""
    dimension: str = ""
    dimension_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundsAsked:
    """What a criterion asks beside its value, each by the name of its field; what it does not ask is
    empty."""

    stem: str
    confidence: tuple[LevelChoice, ...]
    defensible: tuple[LevelChoice, ...]
    asks_evidence: bool
    evidence: str
    asks_rationale: bool
    rationale: str
    questions: Mapping[Ground, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionAsked:
    """One criterion on the page: the questions of a taxonomy, or the one of a scale."""

    key: str
    name: str
    is_taxonomy: bool
    is_binary: bool
    questions: tuple[FormQuestion, ...]
    cannot: tuple[LevelChoice, ...]
    problem: str = ""
    is_graph: bool = False
    dimensions: tuple[DimensionShown, ...] = ()
    grounds: GroundsAsked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What came back: the answers, or every problem with them, and what was left out."""

    key: UUID
    answers: Answers | None
    problems: tuple[Problem, ...]
    comment: str
    about_comment: Sentence | None
    dropped: tuple[str, ...]
    values: Mapping[str, str]


class NotAForm(Exception):
    """The request did not come from the page: its hidden fields are missing or broken."""


def asked(
    rubric: Rubric, values: Mapping[str, str] | None = None, problems: Sequence[Problem] = ()
) -> tuple[CriterionAsked, ...]:
    """The criteria in the language of the page, with `values` filled in by field name."""
    return tuple(_asked(rubric, criterion, values or {}, problems) for criterion in rubric.asked)


@lru_cache(maxsize=64)
def blank_html(rubric_version_id: int, language: str) -> SafeString:
    """The empty questions of an edition, written once a process and language: they never change."""
    with override(language):
        return html_of(asked(content_of(rubric_version_id)))


def walk_to_decide(
    rubric: Rubric,
    taxonomy: Taxonomy,
    values: Mapping[str, str],
    letters: Mapping[tuple[str, str], str],
) -> CriterionAsked:
    """A graph as who decides is asked it, {question: answer} filled in, with the letters of the
    raters at each (question, answer) that they gave."""
    stem = f"{TAKE}{taxonomy.key}"
    filled = {f"{stem}.{node}": option for node, option in values.items()}
    asked_of_all = _asked(rubric, taxonomy, filled, (), stem=stem)
    nodes = zip(taxonomy.nodes, asked_of_all.questions, strict=True)
    return replace(
        asked_of_all,
        questions=tuple(
            replace(
                question,
                choices=tuple(
                    replace(choice, letters=letters.get((node.key, choice.value), ""))
                    for choice in question.choices
                ),
            )
            for node, question in nodes
        ),
    )


def html_of(criteria: Sequence[CriterionAsked]) -> SafeString:
    """The questions as a page asks them."""
    return render_to_string("annotation/_criteria.html", {"criteria": criteria})


def values_of(
    rubric: Rubric,
    answers: Mapping[str, Answer],
    cannot_judge: Mapping[str, str],
    grounds: Sequence[Grounds] = (),
) -> dict[str, str]:
    """The field values that stand for what was submitted."""
    values = {f"{CANNOT}{key}": reason for key, reason in cannot_judge.items()}
    for key, answer in answers.items():
        criterion = rubric.criterion(key)
        if isinstance(criterion, Scale):
            if criterion.walked is None:
                values[f"{ANSWER}{key}"] = str(answer.score)
        elif answer.label is not None:
            path = answer.path or _only_way(criterion, answer.label)
            values |= {f"{ANSWER}{key}.{node}": option for node, option in path}
    for one in grounds:
        values |= _values_beside(one)
    return values


def _values_beside(grounds: Grounds) -> dict[str, str]:
    stem = f"{GROUNDS}{grounds.criterion}"
    named = {
        f"{stem}.{Ground.CONFIDENCE}": str(grounds.confidence or ""),
        f"{stem}.{Ground.EVIDENCE}": " ".join(map(str, grounds.evidence)),
        f"{stem}.{Ground.RATIONALE}": grounds.rationale,
        **{f"{stem}.{Ground.DEFENSIBLE}.{value}": "1" for value in grounds.defensible},
    }
    return {name: value for name, value in named.items() if value}


def _only_way(taxonomy: Taxonomy, label: str) -> Path:
    """The way to a label where there can be but one; of a graph none is known."""
    return () if taxonomy.is_graph else path_to(taxonomy, label)


def read(
    rubric: Rubric, data: Mapping[str, str], texts: Callable[[], Sequence[str]] = tuple
) -> Sent:
    """Read what the page sent; answers off the way through a taxonomy are left out and named.

    `texts` are those in which evidence may lie. NotAForm where the hidden key is missing.
    """
    cannot_judge = {
        criterion.key: reason
        for criterion in rubric.asked
        if (reason := data.get(f"{CANNOT}{criterion.key}"))
    }
    raw: dict[str, object] = {}
    dropped: list[str] = []
    for criterion in rubric.asked:
        if isinstance(criterion, Scale):
            raw[criterion.key] = data.get(f"{ANSWER}{criterion.key}")
        else:
            raw[criterion.key], left_out = _path(criterion, data)
            dropped += [] if criterion.key in cannot_judge else left_out
    result = fill(*(rubric, raw, cannot_judge, SaidBeside(raw=_beside(rubric, data), texts=texts)))
    key = _key(data)
    filled = result if isinstance(result, Filled) else None
    comment = tidied(data.get("comment", ""))
    about_comment = problem_with_comment(comment)
    return Sent(
        key=key,
        answers=_answers(key, filled, comment, data) if filled and not about_comment else None,
        problems=() if isinstance(result, Filled) else result,
        comment=comment,
        about_comment=about_comment,
        dropped=tuple(dropped),
        values={
            name: value
            for name, value in data.items()
            if name.startswith((ANSWER, CANNOT, GROUNDS))
        },
    )


def _beside(rubric: Rubric, data: Mapping[str, str]) -> dict[str, dict[str, object]]:
    """{criterion: what was said beside its value}, where anything was."""
    found: dict[str, dict[str, object]] = {}
    if not any(name.startswith(GROUNDS) for name in data):
        return found
    for criterion in rubric.asked:
        stem = f"{GROUNDS}{criterion.key}"
        others = [
            value
            for value in values_beside(criterion)
            if f"{stem}.{Ground.DEFENSIBLE}.{value}" in data
        ]
        named: dict[str, object] = {
            Ground.CONFIDENCE: data.get(f"{stem}.{Ground.CONFIDENCE}"),
            Ground.DEFENSIBLE: others,
            Ground.EVIDENCE: data.get(f"{stem}.{Ground.EVIDENCE}"),
            Ground.RATIONALE: tidied(data.get(f"{stem}.{Ground.RATIONALE}", "")),
        }
        found[criterion.key] = {name: value for name, value in named.items() if value}
    return found


def _answers(key: UUID, filled: Filled, comment: str, data: Mapping[str, str]) -> Answers:
    seconds = _seconds(data.get("seconds", ""))
    return Answers(key=key, filled=filled, comment=comment, seconds=seconds)


def _key(data: Mapping[str, str]) -> UUID:
    try:
        return UUID(data.get("key", ""))
    except ValueError:
        raise NotAForm from None


def number_in(data: Mapping[str, str], name: str) -> int:
    """A whole number that the page put into a hidden field; NotAForm."""
    digits = data.get(name, "")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
        raise NotAForm
    return int(digits)


def _seconds(text: str) -> int | None:
    if not (text.isascii() and text.isdigit()):
        return None
    return min(int(text[:9]), LONGEST_SECONDS)


def chosen_in(taxonomy: Taxonomy, data: Mapping[str, str], *, prefix: str) -> dict[str, str]:
    """{question: answer} as fields of a form hold them."""
    return {
        node.key: option
        for node in taxonomy.nodes
        if (option := data.get(f"{prefix}{taxonomy.key}.{node.key}"))
    }


def _path(taxonomy: Taxonomy, data: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The answers on the way, and the questions whose answers are not on it."""
    chosen = chosen_in(taxonomy, data, prefix=ANSWER)
    walk = reachable(taxonomy, chosen)
    if walk.label is None:
        return chosen, []
    return dict(walk.path), [
        said(node.question) for node in taxonomy.nodes if node.key in walk.dropped
    ]


def _asked(
    rubric: Rubric,
    criterion: Criterion,
    values: Mapping[str, str],
    problems: Sequence[Problem],
    *,
    stem: str = "",
) -> CriterionAsked:
    dimensions = rubric.dimensions(criterion.key)
    mine = [problem for problem in problems if problem.criterion == criterion.key]
    if isinstance(criterion, Scale):
        questions: tuple[FormQuestion, ...] = (_scale(criterion, values),)
    else:
        questions = tuple(
            _node(
                *(criterion, node, number, values, {one.key: one for one in dimensions}),
                stem=stem or f"{ANSWER}{criterion.key}",
            )
            for number, node in enumerate(criterion.nodes, start=1)
        )
    return CriterionAsked(
        key=criterion.key,
        name=said(criterion.name),
        is_taxonomy=isinstance(criterion, Taxonomy),
        is_binary=criterion.measurement is Measurement.BINARY,
        questions=questions,
        cannot=_cannot(criterion, values),
        problem=" ".join(said(problem.sentence) for problem in mine),
        is_graph=isinstance(criterion, Taxonomy) and criterion.is_graph,
        dimensions=tuple(_dimension(scale, scale.walked) for scale in dimensions if scale.walked),
        grounds=_grounds_asked(criterion, values) if criterion.grounds else None,
    )


def _grounds_asked(criterion: Criterion, values: Mapping[str, str]) -> GroundsAsked:
    stem = f"{GROUNDS}{criterion.key}"
    sure = values.get(f"{stem}.{Ground.CONFIDENCE}")
    asks = criterion.grounds
    return GroundsAsked(
        stem=stem,
        confidence=tuple(
            LevelChoice(value=str(one), text=said(words), is_chosen=sure == str(one))
            for one, words in (CONFIDENCES if Ground.CONFIDENCE in asks else {}).items()
        ),
        defensible=tuple(
            LevelChoice(
                value=value,
                text=words,
                is_chosen=f"{stem}.{Ground.DEFENSIBLE}.{value}" in values,
            )
            for value, words in (_values_in_words(criterion) if Ground.DEFENSIBLE in asks else ())
        ),
        asks_evidence=Ground.EVIDENCE in asks,
        evidence=values.get(f"{stem}.{Ground.EVIDENCE}", ""),
        asks_rationale=Ground.RATIONALE in asks,
        rationale=values.get(f"{stem}.{Ground.RATIONALE}", ""),
        questions={ground: said(QUESTIONS[ground]) for ground in asks},
    )


def _values_in_words(criterion: Criterion) -> list[tuple[str, str]]:
    """Values with as few words as tell them apart: the definitions stand where one chooses."""
    if isinstance(criterion, Scale):
        return [(str(value), _mark(criterion, value)) for value in criterion.values]
    return [(label.key, said(label.name)) for label in criterion.labels]


def _dimension(scale: Scale, walked: Walked) -> DimensionShown:
    return DimensionShown(
        key=scale.key,
        name=said(scale.name),
        clear=walked.clear,
        not_asked=walked.not_asked,
        worst_is_highest=walked.worst_is_highest,
        levels=tuple(severity_shown(scale, walked, value) for value in scale.values),
    )


def _scale(scale: Scale, values: Mapping[str, str]) -> FormQuestion:
    name = f"{ANSWER}{scale.key}"
    return FormQuestion(
        name=name,
        number=1,
        text=said(scale.question),
        help=said(scale.help),
        choices=tuple(
            LevelChoice(
                value=str(point.value),
                text=said(point.anchor),
                mark=_mark(scale, point.value),
                key=str(point.value),
                other_key=_other_key(scale, point.value),
                is_chosen=values.get(name) == str(point.value),
                goes_to=None,
                severity=None,
                **_shown(point.shown),
            )
            for point in scale.points
        ),
    )


def _mark(scale: Scale, value: int) -> str:
    if scale.measurement is Measurement.BINARY:
        return gettext("Yes") if value else gettext("No")
    return str(value)


def _other_key(scale: Scale, value: int) -> str:
    return KEYS_OF_BINARY[value] if scale.measurement is Measurement.BINARY else ""


def _node(
    taxonomy: Taxonomy,
    node: Node,
    number: int,
    values: Mapping[str, str],
    dimensions: Mapping[str, Scale],
    *,
    stem: str,
) -> FormQuestion:
    name = f"{stem}.{node.key}"
    places = {one.key: place for place, one in enumerate(taxonomy.nodes)}
    scale = dimensions.get(node.dimension or "")
    return FormQuestion(
        name=name,
        number=number,
        text=said(node.question),
        help=said(node.help),
        choices=tuple(
            LevelChoice(
                value=option.key,
                text=said(option.text),
                key=str(place),
                other_key=KEYS_OF_OPTIONS.get(option.key, ""),
                is_chosen=values.get(name) == option.key,
                goes_to=places[then.key]
                if taxonomy.is_graph and (then := after(taxonomy, node, option))
                else None,
                severity=severity_shown(scale, scale.walked, option.severity)
                if scale and scale.walked and option.severity is not None
                else None,
                **(_ending(taxonomy.label(option.label)) if option.label else {}),
            )
            for place, option in enumerate(node.options, start=1)
        ),
        dimension=scale.key if scale else "",
        dimension_name=said(scale.name) if scale else "",
    )


def _ending(label: Label) -> dict[str, str]:
    """What an option says of the label that it leads to."""
    words = {"ends_at": said(label.name), "definition": said(label.definition)}
    return words | _shown(label.shown)


def _shown(shown: Shown) -> dict[str, str]:
    return {"example": said(shown.example), "non_example": said(shown.non_example)}


def _cannot(criterion: Criterion, values: Mapping[str, str]) -> tuple[LevelChoice, ...]:
    chosen = values.get(f"{CANNOT}{criterion.key}")
    return tuple(
        LevelChoice(value=reason.value, text=said(text), is_chosen=chosen == reason.value)
        for reason, text in REASONS.items()
    )
