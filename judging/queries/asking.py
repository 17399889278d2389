"""What a judge is asked under a rubric, whatever the item."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.queries.rubric_page import Language
from annotation.rubric.schema import Rubric
from judging import prompts
from judging.prompts.template import built_in
from judging.rules.questions import AskingManner, every_request


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedOfJudges:
    """The instructions of every request in one language: all in one, and one after the other."""

    language: Language
    flat: str
    in_turn: tuple[str, ...]


def asked_of_judges(rubric: Rubric, languages: Sequence[Language]) -> tuple[AskedOfJudges, ...]:
    """What judges read before the item, in each of the languages."""
    return tuple(
        AskedOfJudges(
            language=language,
            flat=_instructions(rubric, AskingManner.FLAT, language.tag)[0],
            in_turn=_instructions(rubric, AskingManner.SEQUENTIAL, language.tag),
        )
        for language in languages
    )


def _instructions(rubric: Rubric, manner: AskingManner, language: str) -> tuple[str, ...]:
    asks_beside = any(one.grounds for one in rubric.asked)  # for which only JSON has room
    template = built_in(manner=manner, language=language, as_json=asks_beside)
    return tuple(
        prompts.instruct(rubric, questions, template).system
        for questions in every_request(rubric, manner)
    )
