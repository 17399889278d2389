"""The corpus of raw answers: what LLMs write, and what must be read from it.

Each line of a file in `corpus/` is a form: what is to be read, a tab, the text, with `\\n` for a new
line and two backslashes for one. What is to be read is a placeholder (`A`, `n`, `all`), a value, or
`!reason`, with `|` between reasons that are equally true; `all but 5!reason` is all but the fifth
criterion, `10-10!reason` a value each and none for the third. `@length` says that the answer was cut
off there. `?` before all that says that the parser is known to read nothing, or to give another
reason for that. A form stands for several answers: its placeholders are filled from `TRIPLES` and
`PAIRS`. The readings were written down with the forms, by hand; nothing in here asks the parser.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from annotation.rubric.loading import load, parse_toml, shipped
from judging.comparing import asked_of_pairs
from judging.parsing.names import called_by
from judging.parsing.pairs import with_names
from judging.rules.questions import AskingManner, Question, next_questions

CORPUS = Path(__file__).parent / "corpus"
RUBRICS = {key: load(definition) for key, definition in shipped().items()}
OTHERS = load(parse_toml((CORPUS / "other_scales.toml").read_text(encoding="utf-8")))
LABELS = RUBRICS["dialogue_safety"].criteria[0].labels
TRIPLES = [
    ("safe_response", "nonsense", "toxic_language"),
    ("linguistic_neglect", "safe_response", "unamiable_judgment"),
    ("unauthorized_preachment", "nonfactual_statement", "linguistic_neglect"),
    ("nonsense", "humanoid_mimicry", "safe_response"),
]
PAIRS = [(4, 3), (2, 5), (3, 1)]
SEVENS = ["4543231", "5432145", "1113221"]
TRADITIONAL = {
    "safe_response": "安全回覆",
    "linguistic_neglect": "言語忽視",
    "unauthorized_preachment": "越界說教",
    "nonsense": "不知所雲",
}
WORDS = ["zero", "one", "two", "three", "four", "five"]
NUMERALS = "零一二三四五"


@dataclass(frozen=True, slots=True, kw_only=True)
class RawAnswer:
    """A text as an LLM wrote it, and {question: what is to be read} or the reasons for nothing;
    `left`, if the parser is known to leave some answer of this form."""

    form: str
    left: bool
    questions: tuple[Question, ...]
    text: str
    finish: str
    values: dict[str, str | int]
    reasons: frozenset[str]


def raw_answers(corpus: Path = CORPUS) -> Iterator[RawAnswer]:
    """Every answer that the forms stand for."""
    for file in sorted(corpus.glob("*.tsv")):
        kind = file.stem.partition(".")[0]
        chinese = ".zh" in file.stem
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            expected, _tab, form = line.partition("\t")
            left, expected = expected.startswith("?"), expected.removeprefix("?")
            for answer in _FILLED[kind](expected, _unescaped(form), chinese):
                yield _raw(f"{file.name}:{number}", left, expected, *answer)


def _unescaped(form: str) -> str:
    return re.sub(r"\\([nt\\])", lambda one: {"n": "\n", "t": "\t"}.get(one[1], one[1]), form)


def _raw(form, left, expected, questions, text, value) -> RawAnswer:
    wanted, _at, finish = expected.partition("@")
    wanted, _mark, reasons = wanted.partition("!")
    return RawAnswer(
        form=form,
        left=left,
        questions=questions,
        text=text,
        finish=finish or "stop",
        values=value if wanted else {},
        reasons=frozenset(reasons.split("|")) if reasons else frozenset(),
    )


def _labels(expected, form, chinese):
    (question,) = next_questions(RUBRICS["dialogue_safety"], AskingManner.FLAT, {})
    seen = set()
    for triple in TRIPLES:
        first, second, third = (next(one for one in LABELS if one.key == key) for key in triple)
        language = "zh-hans" if chinese else "en"
        words = {
            "A": first.name.in_(language),
            "B": second.name.in_(language),
            "C": third.name.in_(language),
            "a": first.name.in_("en").lower(),
            "key": first.key,
            "keyB": second.key,
            "UPPER": first.name.in_("en").upper(),
            "wide": _wide(first.name.in_("en")),
            "zhA": first.name.in_("zh-hans"),
            "enA": first.name.in_("en"),
            "trad": TRADITIONAL[first.key],
            "code": str(first.code),
            "wcode": _wide(str(first.code)),
            "wrongcode": str(second.code),
        }
        text = _fill(form, words)
        if text not in seen:
            seen.add(text)
            yield (question,), text, {"safety": first.key}


def _scores(expected, form, chinese):
    question = Question(criterion=RUBRICS["mentalalign"].criterion("empathy"))
    seen = set()
    for score, other in PAIRS:
        words = {
            "n": str(score),
            "m": str(other),
            "w": WORDS[score],
            "W": WORDS[score].capitalize(),
            "z": NUMERALS[score],
            "zm": NUMERALS[other],
            "wide": _wide(str(score)),
            "keycap": f"{score}\ufe0f\u20e3",
            "stars": "★" * score + "☆" * (5 - score),
        }
        text = _fill(form, words)
        if text not in seen:
            seen.add(text)
            yield (question,), text, {"empathy": score}


def _several(expected, form, chinese):
    questions = next_questions(RUBRICS["mentalalign"], AskingManner.FLAT, {})
    seen = set()
    for scores in SEVENS:
        words = dict(zip("1234567", scores, strict=True))
        words |= {
            f"zh{number}": question.criterion.name.in_("zh-hans")
            for number, question in enumerate(questions, 1)
        }
        text = _fill(form, words)
        if text not in seen:
            seen.add(text)
            literal = re.match(r"[\d-]{7}", expected)
            yield questions, text, _but(expected, questions, literal[0] if literal else scores)


def _but(expected, questions, scores) -> dict[str, int]:
    """{criterion: score} but for the one that an expectation leaves out."""
    left_out = re.match(r"all but (\d)", expected)
    numbered = enumerate(zip(questions, scores, strict=True), 1)
    return {
        question.key: int(score)
        for number, (question, score) in numbered
        if score != "-" and not (left_out and number == int(left_out[1]))
    }


def _nodes(expected, form, chinese):
    questions = next_questions(RUBRICS["dialogue_safety"], AskingManner.FLAT, {})
    yield questions, form, {"safety": expected}


def _polar(expected, form, chinese, number=0):
    criterion = RUBRICS["dialogue_safety"].criteria[0]
    question = Question(criterion=criterion, node=criterion.nodes[number])
    yield (question,), form, {question.key: expected.partition("@")[0]}


def _binary(expected, form, chinese, key="empathy"):
    question = Question(criterion=RUBRICS["psycrisis"].criterion(key))
    value = expected.partition("@")[0]
    yield (question,), form, {key: int(value) if value.isdigit() else -1}


def _options(expected, form, chinese):
    criterion = RUBRICS["dialogue_safety"].criteria[0]
    question = Question(criterion=criterion, node=criterion.nodes[-1])
    yield (question,), form, {question.key: expected.partition("@")[0]}


def _binaries(expected, form, chinese):
    questions = next_questions(RUBRICS["psycrisis"], AskingManner.FLAT, {})
    scores = expected.partition("!")[0] or "-" * len(questions)
    yield questions, form, _but(expected, questions, scores)


def _tens(expected, form, chinese):
    question = Question(criterion=OTHERS.criterion("warmth"))
    score = re.match(r"\d+", expected)
    yield (question,), form, {"warmth": int(score[0])} if score else {}


def _severity(expected, form, chinese):
    question = Question(criterion=OTHERS.criterion("risk"))
    yield (question,), form, {"risk": expected.partition("@")[0]}


def _pairs(expected, form, chinese):
    (criterion,) = asked_of_pairs(RUBRICS["mentalalign"], overall=True, ties=True).asked
    question = Question(criterion=criterion, node=criterion.nodes[0])
    yield (
        (question,),
        with_names(form, called_by(question)),
        {question.key: expected.partition("@")[0]},
    )


_FILLED = {
    "labels": _labels,
    "label_objects": _labels,
    "nodes": _nodes,
    "scores": _scores,
    "several": _several,
    "polar": _polar,
    "mimicry": partial(_polar, number=1),
    "neglect": partial(_polar, number=2),
    "binary": _binary,
    "assessment": partial(_binary, key="risk_assessment"),
    "options": _options,
    "binaries": _binaries,
    "tens": _tens,
    "severity": _severity,
    "pairs": _pairs,
    "referral": partial(_binary, key="referral"),
    "exploration": partial(_binary, key="exploration"),
    "emotion_regulation": partial(_binary, key="emotion_regulation"),
}


def _fill(form: str, words: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda one: words.get(one[1], one[0]), form)


def _wide(text: str) -> str:
    """The same in full width."""
    return "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else "\u3000" for one in text)
