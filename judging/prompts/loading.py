"""Turns the TOML of a prompt into a template, or says what is wrong with it, and where."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from annotation.rubric import answers
from annotation.rubric.answers import Answer
from annotation.rubric.schema import Criterion, Rubric, Taxonomy
from annotation.rubric.sentences import NotSound, Sentence, sentence
from annotation.rubric.tables import RubricTable
from judging.prompts.template import (
    GENERAL,
    OF_A_PAIR,
    OF_THE_ITEM,
    OF_THE_RUBRIC,
    PromptSubject,
    ReasoningOrder,
    Template,
    WorkedExample,
    places_in,
)
from judging.rules.questions import AskingManner

MOST_BYTES = 256 * 2**10
_LIBRARY = Path(__file__).parent / "library"
_LANGUAGES = {"en": "en", "zh-hans": "zh-hans"}
_MANNERS = {manner.value: manner for manner in AskingManner}
_SUBJECTS = {subject.value: subject for subject in PromptSubject}
_OF_THE_SUBJECT = {PromptSubject.REPLY: OF_THE_ITEM, PromptSubject.PAIR: OF_A_PAIR}
_FORMS = {"json": True, "plain": False}
_ORDERS = {order.value: order for order in ReasoningOrder}
_AT_FIRST = {True: ReasoningOrder.REASONING_FIRST, False: ReasoningOrder.VERDICT_ONLY}

Chosen = TypeVar("Chosen")


class TemplateError(NotSound):
    """A text that is not a prompt template."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedTemplate:
    """A template that comes with Concord; `rubric` is the key of the one that it is for."""

    key: str
    rubric: str
    text: str


def read(text: str, rubric: Rubric) -> Template:
    """Turn a text into a template for a rubric; TemplateError names the place of every mistake."""
    problems: list[Sentence] = []
    table = _Written(_parsed(text), "", problems)
    as_json = table.one_of("answers", _FORMS, otherwise=True)
    subject = table.one_of("subject", _SUBJECTS, otherwise=PromptSubject.REPLY)
    template = Template(
        subject=subject,
        language=table.one_of("language", _LANGUAGES, otherwise="en"),
        manner=table.one_of("asking", _MANNERS, otherwise=AskingManner.FLAT),
        as_json=as_json,
        order=table.one_of("order", _ORDERS, otherwise=_AT_FIRST[as_json]),
        system=table.wording("system", OF_THE_RUBRIC),
        user=table.wording("user", OF_THE_RUBRIC | _OF_THE_SUBJECT[subject]),
        chain=table.chain(rubric),
        examples=tuple(one.example() for one in table.parts("examples")),
    )
    table.finish()
    problems = problems or list(_unsound(template, rubric))
    if problems:
        raise TemplateError(problems)
    return template


@lru_cache(maxsize=1)
def shipped() -> Mapping[str, ShippedTemplate]:
    """{key: template} of the files that come with Concord; a file is named RUBRIC-WHAT.toml."""
    files = sorted(_LIBRARY.glob("*.toml"))
    return {
        file.stem: ShippedTemplate(
            key=file.stem,
            rubric=file.stem.partition("-")[0],
            text=file.read_text(encoding="utf-8"),
        )
        for file in files
    }


def fingerprint(text: str) -> str:
    return sha256(text.encode()).hexdigest()


class _Written(RubricTable):
    """A table of a template."""

    def one_of(self, name: str, allowed: Mapping[str, Chosen], *, otherwise: Chosen) -> Chosen:
        """One of the values, where the attribute is given at all."""
        chosen = self.choice(name, allowed) if name in self.unread else otherwise
        return otherwise if chosen is None else chosen

    def wording(self, name: str, places: frozenset[str]) -> str:
        text = self.string(name)
        for unknown in sorted(places_in(text) - places):
            self.mistaken(
                "{place}: there is nothing called {name} to put in here. There is: {known}.",
                name,
                name=unknown,
                known=", ".join(sorted(places)),
            )
        return text

    def parts(self, name: str) -> "Iterable[_Written]":
        for place, entry in self.entries(name, optional=True):
            yield _Written(entry, place, self.problems)

    def chain(self, rubric: Rubric) -> Mapping[str, tuple[str, ...]]:
        if "chain" not in self.unread:
            return {}
        table = _Written(self._take("chain"), self.at("chain"), self.problems)
        known = [GENERAL, *(criterion.key for criterion in rubric.asked)]
        steps = {key: tuple(table.strings(key, optional=True)) for key in known}
        table.finish()
        return {key: told for key, told in steps.items() if told}

    def example(self) -> WorkedExample:
        turns = [_turn(raw, self) for raw in self.strings("dialogue")]
        reply = _turn(self.string("reply"), self)
        given = RubricTable(self._take("answers"), self.at("answers"), self.problems)
        told = self._take("reasoning") if "reasoning" in self.unread else {}
        reasoning = RubricTable(told, self.at("reasoning"), self.problems)
        self.finish()
        return WorkedExample(
            turns=turns,
            reply=reply["text"],
            reply_speaker=reply["speaker"],
            answers={key: _raw(value) for key, value in given.unread.items()},
            reasoning={key: reasoning.string(key) for key in tuple(reasoning.unread)},
        )


def _turn(raw: str, table: RubricTable) -> dict[str, str]:
    """A turn out of “seeker: I cannot sleep.”"""
    speaker, colon, text = raw.partition(":")
    if not colon or not text.strip():
        table.problems.append(
            sentence(
                "{place}: write a turn as “speaker: what was said”.",
                place=table.place,
            )
        )
    return {"speaker": speaker.strip(), "text": text.strip()}


def _raw(value: object) -> str | int | dict[str, str]:
    """A label or a number; a way through a graph as {question: answer}."""
    if isinstance(value, dict):
        return {str(node): str(option) for node, option in value.items()}
    return value if isinstance(value, int) else str(value)


def _parsed(text: str) -> Mapping[str, object]:
    if len(text.encode("utf-8", "replace")) > MOST_BYTES:
        raise TemplateError(
            [sentence("The text is longer than {most} kB.", most=MOST_BYTES // 1024)]
        )
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise TemplateError([sentence("The lists in this file are nested too deeply.")]) from None
    except ValueError as error:
        raise TemplateError([sentence("This is not TOML: {error}", error=str(error))]) from None


def _unsound(template: Template, rubric: Rubric) -> Iterable[Sentence]:
    """What is written as it should be, and yet is no prompt for this rubric."""
    if template.subject is PromptSubject.PAIR:
        yield from _unsound_pair(template)
        return
    places = places_in(template.user)
    if "item" not in places and not {"dialogue", "reply"} <= places:
        yield sentence(
            "user: the item must be in it, as {item}, or as {dialogue} and {reply}.",
            item="{{item}}",
            dialogue="{{dialogue}}",
            reply="{{reply}}",
        )
    for number, example in enumerate(template.examples):
        yield from _unsound_example(example, f"examples[{number}]", template, rubric)


def _unsound_pair(template: Template) -> Iterable[Sentence]:
    places = places_in(template.user)
    if "item" not in places and not {"dialogue", "reply_a", "reply_b"} <= places:
        yield sentence(
            "user: both replies must be in it, as {item}, or as {dialogue}, {reply_a} and {reply_b}.",
            item="{{item}}",
            dialogue="{{dialogue}}",
            reply_a="{{reply_a}}",
            reply_b="{{reply_b}}",
        )
    if template.manner is AskingManner.SEQUENTIAL:
        yield sentence("asking: two replies are compared all at once or one criterion at a time.")
    if template.examples:
        yield sentence("examples: a prompt that compares two replies has none.")


def _unsound_example(
    example: WorkedExample, place: str, template: Template, rubric: Rubric
) -> Iterable[Sentence]:
    for criterion in rubric.asked:
        given = example.answers.get(criterion.key)
        if given is None:
            yield sentence("{place} has no answer to {key}.", place=place, key=criterion.key)
        elif not _answers(criterion, given):
            yield sentence(
                "{place}: {value} is no answer to {key}.",
                place=place,
                value=str(given),
                key=criterion.key,
            )
        if template.reasons and not example.reasoning.get(criterion.key):
            yield sentence(
                "{place} has no reasoning for {key}, and the prompt asks for one.",
                place=place,
                key=criterion.key,
            )
    for unknown in sorted({*example.answers, *example.reasoning} - _keys(rubric)):
        yield sentence("{place} is not known here; check its spelling.", place=f"{place}.{unknown}")


def _answers(criterion: Criterion, given: object) -> bool:
    """Whether it is an answer that says all that a judge is asked: of a graph the way as well."""
    answer = answers.read(criterion, given)
    needs_way = isinstance(criterion, Taxonomy) and criterion.is_graph
    return isinstance(answer, Answer) and (bool(answer.path) or not needs_way)


def _keys(rubric: Rubric) -> set[str]:
    return {criterion.key for criterion in rubric.asked}
