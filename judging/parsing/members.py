"""What the JSON of an answer says of each question."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from annotation.rubric.answers import fold
from annotation.rubric.schema import Scale, Taxonomy
from judging.parsing.lines import keys_of_parts
from judging.parsing.names import names_of
from judging.parsing.plain import folded, plain
from judging.parsing.structured import SaidTwice, objects_in
from judging.parsing.values import known_as, one_given, read_json_value, read_value
from judging.parsing.written import WrittenAnswer
from judging.rules.outcomes import Outcome
from judging.rules.questions import NOT_ASKED, Found, Question, Unreadable

_VALUES = (
    r"(?:(?:final|revised|adjusted|corrected|updated|my|the|overall|chosen|selected|predicted|evaluation|assessment|judge|numeric) |最终|综合|总体)?(?:answer|score|rating|value|labels?|verdict|choice|winner|better(?: reply)?|preferred(?: reply)?|preference|result|category"
    r"|classification|class|grade|judge?ment|decision|option|code|number|points?|present|is present|met|是否具备|prediction|output|response"
    r"|selection|selected|conclusion|revised|adjusted|corrected|updated|评分|得分|分数|打分|评级|等级|分值|答案|标签|类别|结论|结果|选择|判断|选项|回答|评价|分类)"
    r"(?: (?:key|name|value|code|label|id))?"
)
_VALUE = re.compile(_VALUES)
_SCALE = re.compile(
    r"(?:(?:max|maximum|top)(?: (?:score|value|points?))?|out of|(?:score |scale |rating )?range|scale|满分|范围)"
)
_TOPS = re.compile(rf"{_SCALE.pattern}|总分")
_SUM = re.compile(r"(?:.* )?(?:total|sum|overall)(?: .*)?|总分|合计|总计")
_GROUP = re.compile(  # what a rubric's groups of criteria are called: of no reply, rater or weight
    r"css|ars|(?:.* )?(?:cognitive|affective|emotional|relational|technical|clinical)(?: .*)?|.*(?:认知|情感|情绪).*"
)
_SUMMARY = re.compile(rf"{_SUM.pattern}|(?:.* )?(?:mean|average|avg)(?: .*)?|平均.*")
_ENDS_OF_SCALE = re.compile(r"\d+ *(?:[-–~至到]|to) *(\d+)")
_WRAPPER = re.compile(
    r"(?:.* )?(?:ratings?|scores?|results?|evaluations?|assessments?|answers?|outputs?|response|verdicts?|judge?ments?"
    r"|criteria|dimensions?|data|attributes?|labels?|predictions?|arguments|parameters|input|analysis|grades?|metrics?|final|items?"
    r"|评分|评估|评价|结果|打分|答案|维度|各项评分|判断|得分|指标)(?: .*)?"
)
_OTHERS = re.compile(
    r"(?:.* )?(?:example|schema|format|previous|prior|human|expert|annotator|injected|quoted?|template|baseline|original|other|wrong|incorrect|excluded|rejected|expected|reference|gold|seeker|client|patient|weight|weighting|confidence|certainty|max|maximum|min|minimum|max score)(?:s|d)?(?: .*)?|rubric|anchors?|definitions?|instructions?|(?:各项)?(?:权重|置信度|信心|满分).*|(?:错误|上次|之前|原(?!因)|示例|参考|专家|人工|求助者|来访者|当事人).*"
)
_NAMING = re.compile(
    r"(?:criterion|name|dimension|attribute|question|category|metric|aspect|key|id|标准|维度|指标|名称|问题|项目|方面)"
)
_CRITERION = re.compile(
    r"criterion|dimension|attribute|metric|aspect|标准|(?:评估|评分|评价)?维度|指标|方面"
)
_BESIDE_A_NAME = re.compile(
    r"(?:rating|score|level|grade|evaluation|assessment|analysis|verdict|check|answer|result|dimension|criterion|final|overall|of|for|in|the"
    r"|reply|response|supporter|能力|程度|水平|表现|[力度性的 ])*"
)
_BESIDE_A_KEY = re.compile(  # "Empathy (1-5)", "5_empathy", as folded
    r" \d+ ?(?:to|至|到)? ?\d+$|^q?\d{1,2} (?=[^\W\d])"
)
_KINDS = {"others": _OTHERS, "wrapper": _WRAPPER, "scale": _SCALE, "sum": _SUM, "naming": _NAMING}
_NUMBERED = re.compile(r"(.*?)\W*\d+")  # "item 1", "response 2"
_CALLED_WITH = {"arguments", "parameters", "input"}
_BLANK = re.compile(r"\s*<[^<>]*>\s*")
_LABEL_NAMES = {"name", "title", "level", "名称", "等级", "级别"}
_QUALIFIER = re.compile(
    r"^(?:score|rating|评分|得分) (?=\w)|"
    r" ?(?:score|rating|level|grade|answer|value|label|verdict|judge?ment|的?(?:评分|得分|分数|打分|评级|等级|分值|结果|答案))$"
)


def read_members(
    questions: Sequence[Question], objects: Sequence[Mapping[str, object]], *, are_rows: bool
) -> dict[str, Found | None]:
    """Return what all objects together say of each question; None where none speaks of it. `are_rows`:
    they are one list, of which no two rate the same."""
    if not objects:
        return dict.fromkeys(one.key for one in questions)
    keys = keys_of_parts(tuple(questions))
    whole = [_with_keys(given, keys) for given in objects]
    said = {one.key: [_said(one, given, len(questions)) for given in whole] for one in questions}
    twice = {key for key, rows in said.items() if are_rows and sum(map(_gives_one, rows)) > 1}
    return {
        key: Unreadable(reason=Outcome.AMBIGUOUS) if key in twice else one_given([*chain(*rows)])
        for key, rows in said.items()
    }


def _gives_one(said: Sequence[Found]) -> bool:
    return not all(isinstance(value, Unreadable) for value in said)


def _with_keys(given: Mapping[str, object], keys: Mapping[str, str]) -> Mapping[str, object]:
    """An object with the key of a criterion in the place of a part of its Chinese name."""
    return {
        keys.get(name if name.isascii() else plain(name), name): _with_keys(one, keys)
        if isinstance(one, Mapping)
        else one
        for name, one in given.items()
    }


def _said(question: Question, given: Mapping[str, object], n_questions: int) -> list[Found]:
    """What an object says of a question."""
    named = [*_named(question, given, depth=0)]
    if not named and n_questions == 1:
        named = [*_alone(question, given)]
    elif n_questions == 1 and isinstance(question.criterion, Scale):
        named.append(_from_value_keys(question, given))  # which must say the same
    if named and isinstance(last := given.get("final"), str):
        named.append(_member(question, last))  # and so must this
    return [value for value in named if value is not None]


def _call_in(value: object) -> object:
    """The arguments of a call of a tool, which are an object written as a string."""
    try:
        objects = objects_in(value).objects if isinstance(value, str) else ()
    except SaidTwice:
        objects = ()
    return objects[0] if len(objects) == 1 else value


def _named(question: Question, given: Mapping[str, object], depth: int) -> Iterator[Found | None]:
    """Every value under the question's name, here or in what is wrapped around the ratings."""
    if _rates_several(given):
        yield Unreadable(reason=Outcome.AMBIGUOUS)
        return
    known = known_as(question)
    members = [(*_keys(name), _kinds(_keys(name)[0]), value) for name, value in given.items()]
    tops = [value for *_names, kinds, value in members if "scale" in kinds]
    is_sum = any("sum" in kinds for *_names, kinds, _value in members)
    if not is_sum and any(_is_other_top(question, top) for top in tops):
        yield Unreadable(reason=Outcome.OUT_OF_RANGE)
    is_wrapped = len(given) == 1 or _is_grouped(given)
    for key, bare, kinds, value in members:
        if key in known or bare in known:
            yield _member(question, value)
        elif depth < 4 and "others" not in kinds:
            value = _call_in(value) if key in _CALLED_WITH else value
            if isinstance(value, Mapping) and _names_this(question, value):
                yield _from_value_keys(question, value)
            elif isinstance(value, Mapping) and (is_wrapped or "wrapper" in kinds):
                yield from _named(question, value, depth + 1)
            elif isinstance(value, list):
                yield from _records(question, value, depth + 1)
    if depth == 0 and _names_this(question, given):
        yield _from_value_keys(question, given)


@lru_cache(maxsize=4096)
def _keys(name: str) -> tuple[str, str]:
    """A name as it is compared, and without "score" and the like behind it."""
    key = _BESIDE_A_KEY.sub("", folded(name))
    return key, _QUALIFIER.sub("", key)


@lru_cache(maxsize=4096)
def _kinds(key: str) -> frozenset[str]:
    """What a name may be of, whatever is asked."""
    return frozenset(kind for kind, words in _KINDS.items() if words.fullmatch(key))


def _rates_several(given: Mapping[str, object]) -> bool:
    """Say whether the members of an object are told apart by nothing but a number: {"item_1": {…}, "item_2": {…}}."""
    names = (folded(name) for name, value in given.items() if isinstance(value, Mapping))
    stems = [
        one[1] for name in names if _WRAPPER.fullmatch(name) and (one := _NUMBERED.fullmatch(name))
    ]
    return any(
        stems.count(one) > 1 and not (_NAMING.fullmatch(one) or "analysis" in one) for one in stems
    )


def _is_grouped(given: Mapping[str, object]) -> bool:
    """Say whether the members of an object are groups of criteria: of none of two the other speaks."""
    groups = [
        one
        for name, one in given.items()
        if isinstance(one, Mapping) and _GROUP.fullmatch(folded(name))
    ]
    names = [key for one in groups for key in map(folded, one) if not _SUMMARY.fullmatch(key)]
    return len(groups) > 1 and len(names) == len(set(names)) > len(groups)


def _records(question: Question, rows: Sequence[object], depth: int) -> Iterator[Found | None]:
    """Ratings as a list of {"criterion": …, "score": …}; of several things where rows name one twice."""
    given = [row for row in rows if isinstance(row, Mapping)]
    yield from (_from_value_keys(question, row) for row in given if _names_this(question, row))
    others = [[*_named(question, row, depth)] for row in given if not _names_this(question, row)]
    said = [one for one in others if one]
    yield from [Unreadable(reason=Outcome.AMBIGUOUS)] if len(said) > 1 else chain(*said)


def _names_this(question: Question, row: Mapping[str, object]) -> bool:
    known = known_as(question)
    return any(
        isinstance(value, str) and "naming" in _kinds(folded(key)) and folded(value) in known
        for key, value in row.items()
    )


def _member(question: Question, value: object) -> Found | None:
    if isinstance(value, list) and len(value) == 1:
        return _member(question, value[0])
    if isinstance(value, Mapping):
        known = known_as(question)
        if len(value) == 1 and (
            inner := [one for name, one in value.items() if folded(name) in known]
        ):
            return _member(question, inner[0])
        listed = _listed(question, value) or _point_by_point(question, value)
        return listed if listed is not None else _from_value_keys(question, value)
    return _value(question, value)


def _alone(question: Question, given: Mapping[str, object]) -> Iterator[Found | None]:
    """An object about the one thing that was asked: {"answer": …}, or a list of its labels."""
    if any(
        _CRITERION.fullmatch(folded(key))
        and isinstance(value, str)
        and _names_another(question, folded(value))
        for key, value in given.items()
    ):
        return
    if any(_is_value(question, folded(key)) for key in given):
        yield _from_value_keys(question, given)
    elif (listed := _listed(question, given)) is not None:
        yield listed
    else:
        yield from _inside(question, given)


def _inside(question: Question, given: Mapping[str, object]) -> Iterator[Found | None]:
    """What an object says inside what is wrapped around it: a name, or a call's arguments."""
    for name, value in given.items():
        key = folded(name)
        inner = _call_in(value) if key in _CALLED_WITH else value
        is_lone = len(given) == 1 and not _names_another(question, key)
        is_wrapper = _WRAPPER.fullmatch(key) and not _rates_another(question, key)
        if _OTHERS.fullmatch(key) or not (is_lone or is_wrapper):
            continue
        if is_lone and _is_label(question, value):
            yield _value(question, value)
        if isinstance(inner, list) and len(inner) == 1:
            inner = inner[0]
        if isinstance(inner, Mapping):
            yield from _alone(question, inner)


def _names_another(question: Question, name: str) -> bool:
    """Say whether a name may be that of something else that is rated, whose values look the same.

    A label says by itself what it answers; a number, a yes or a no does not.
    """
    if question.node is None and isinstance(question.criterion, Taxonomy):
        return False
    is_of_this = any(
        _BESIDE_A_NAME.fullmatch(name.replace(one, " "))
        if one in name
        else len(name) > 3 and name in one
        for one in known_as(question)
    )
    is_any = _VALUE.fullmatch(name) or _WRAPPER.fullmatch(name)
    return not is_of_this and (not is_any or _rates_another(question, name))


def _rates_another(question: Question, name: str) -> bool:
    """Say whether a name is that of something else with "score" or the like behind it."""
    rated = _QUALIFIER.sub("", name)
    return (
        rated not in {name, ""} and not _VALUE.fullmatch(name) and _names_another(question, rated)
    )


def _from_value_keys(question: Question, given: Mapping[str, object]) -> Found | None:
    """The value of a verdict: under "answer", "score" or the like; all of these must agree."""
    values: list[Found] = []
    for name, value in given.items():
        key = folded(name)
        if _TOPS.fullmatch(key) and _is_other_top(question, value):
            return Unreadable(reason=Outcome.OUT_OF_RANGE)
        if _is_value(question, key) or (key in _LABEL_NAMES and _is_label(question, value)):
            inner = (
                _member(question, value) if isinstance(value, Mapping) else _value(question, value)
            )
            values += [] if inner is None else [inner]
    found = one_given(values)
    return Unreadable(reason=Outcome.NO_ANSWER) if found is None else found


def _is_value(question: Question, key: str) -> bool:
    """Say whether a value stands under a name; a code is that of a label."""
    is_scale = isinstance(question.criterion, Scale)
    if key == "level":
        return is_scale
    return _VALUE.fullmatch(key) is not None and not (is_scale and key.endswith(("code", " id")))


def _is_label(question: Question, value: object) -> bool:
    """Say whether a name is that of a label, and so says which one is given."""
    if not isinstance(value, str) or not isinstance(question.criterion, Taxonomy):
        return False
    return names_of(question).pattern.fullmatch(plain(value)) is not None


def _is_other_top(question: Question, value: object) -> bool:
    if isinstance(value, str) and (ends := _ENDS_OF_SCALE.fullmatch(value.strip())):
        value = int(ends[1])
    scale = question.criterion
    return isinstance(value, int) and not (isinstance(scale, Scale) and value == scale.values[-1])


def _value(question: Question, value: object) -> Found | None:
    """Read a member; None for the form that was to be filled in."""
    if isinstance(value, str) and _is_form(question, value):
        return None
    return read_json_value(question, value)


def _is_form(question: Question, value: str) -> bool:
    """Say whether a value is only what the prompt showed: "<1-5>", or all choices, one after the other."""
    if _BLANK.fullmatch(value):
        return True
    choices = [fold(part) for part in value.split("|")]
    if question.among and choices[-1] == NOT_ASKED:
        choices.pop()
    if question.node is None and not isinstance(question.criterion, Taxonomy):
        return choices == [str(one) for one in question.criterion.values] and len(choices) > 1
    return len(choices) == len(names_of(question).choices) > 2 and len(set(choices)) == len(choices)


def _listed(question: Question, given: Mapping[str, object]) -> Found | None:
    """A taxonomy label by label, or question by question: {"nonsense": "no", …}."""
    if question.node is not None or not isinstance(question.criterion, Taxonomy):
        return None
    names = names_of(question)
    nodes = question.criterion.nodes
    known = {fold(node.key) for node in nodes}
    known |= {
        f"{head}{n}" for n in range(1, len(nodes) + 1) for head in ("q", "question ", "step ")
    }
    rows = [
        (name, inner)
        for name, value in given.items()
        if names.pattern.fullmatch(plain(name)) or folded(name) in known
        if (inner := _plain_member(value)) is not None
    ]
    is_whole = len(rows) == len(names.choices)
    if not all(isinstance(one, str | bool) or (is_whole and one in (0, 1)) for _name, one in rows):
        return None
    if len(rows) < 2 and not any(_word(value).casefold() == "yes" for _name, value in rows):
        return None
    text = "\n".join(f"{name}: {_word(value)}" for name, value in rows)
    return read_value(question, WrittenAnswer(text=text))


def _point_by_point(question: Question, given: Mapping[str, object]) -> Found | None:
    """A scale point by point: {"1": false, "2": true}."""
    scale = question.criterion
    is_scale = isinstance(scale, Scale) and list(given) == [*map(str, scale.values)]
    if not is_scale or not all(isinstance(value, bool) for value in given.values()):
        return None
    lines = "\n".join(f"{name}: {_word(value)}" for name, value in given.items())
    return read_value(question, WrittenAnswer(text=lines))


def _plain_member(value: object) -> object:
    if isinstance(value, Mapping):
        return next((inner for key, inner in value.items() if _VALUE.fullmatch(folded(key))), None)
    return value


def _word(value: object) -> str:
    return {True: "yes", False: "no"}[bool(value)] if value in (0, 1) else str(value)
