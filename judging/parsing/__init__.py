"""Reads what an LLM wrote: an answer for each question, or the reason why there is none.

A value must have been said. In this order: thoughts and calls of tools are cut off; an object in
JSON is read; then values in sentences, behind the names of their criteria in lines and cells, and
lists of yes and no; then a lone label or number. Whatever is in doubt is unscored: two different values, a value denied, doubted,
quoted from the item, counted or off the scale. Never the default, never the likelier of two.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import replace

from annotation.rubric import answers
from annotation.rubric.answers import Answer
from annotation.rubric.schema import Criterion, Rubric, Scale, Taxonomy
from annotation.rubric.taxonomy import reachable
from judging.parsing.groups import miscounts, with_groups_told
from judging.parsing.lines import (
    heads_told,
    read_lines,
    silence_in,
    without_numbering,
    without_totals,
)
from judging.parsing.members import read_members
from judging.parsing.numbers import with_lowest_told
from judging.parsing.plain import plain
from judging.parsing.prose import read_prose, without_descriptions
from judging.parsing.revisions import unless_revised, without_revisions
from judging.parsing.structured import JsonFound, SaidTwice, is_other_json, objects_in
from judging.parsing.tables import with_lone_row_told, with_ticks_told
from judging.parsing.values import read_plain_value
from judging.parsing.written import (
    WrittenAnswer,
    answer_in,
    declines,
    in_plain_words,
)
from judging.rules.outcomes import Outcome
from judging.rules.questions import Findings, Found, Question, Unreadable, options_chosen

__all__ = ["EDITION", "WrittenAnswer", "conclude", "read"]

# Raised whenever any answer may be read otherwise than before.
EDITION = "41"

_WORD = re.compile(r"\w")
_ROWS = re.compile(r"\W*\[\s*(?:,\s*)+\]\W*(?:json)?\W*")  # what is left of a list of objects
_RATED = re.compile(  # "Reply B: …", "| Reply B |": one of several that are rated
    r"(?im)(?:^\W*|(?<=\|)[ \t*]*)(?:item|dialogue|conversation|reply|response|assistant|candidate|回复|回应)[ \t]*#?([A-D]|[1-4甲乙丙])\b[ \t*]*(?:[:：|]|$)"
    r"|^\W*turn[ \t]*#?(\d)\b[ \t*:]*\n(?=\W*\w+[ \t*]*[:=][ \t*]*\d)"
)
_LAST_WORD = re.compile(  # "Final ratings:", behind which a value each stands, where drafts disagree
    r"(?im)(?:^[ \t#*]*|(?<=[.!?]) )(?:(?:my|the|so|here (?:is|are)) )*(?:(?:final|corrected|revised|最终|修正后?)(?: |的)?(?:answers?|ratings?|scores?|verdicts?|output|evaluation|评分|答案|结果|打分)|correction|更正|修正|final(?= \())"
    r"(?:[ \t]*\([^()\n]{1,40}\))?[ \t*]*[:：]?[ \t*]*$"
)
_RUNS = re.compile(  # "Run 1: 4", of which what the runs come to is the last word
    r"(?im)^\W*(?:run|sample|judge|rater|vote|attempt|trial|pass|round|第?[一二三1-9]?[ \t]*(?:轮|次|评委|评审))[ \t]*#?(?:[A-E]|\d|[一二三四五])?\b[^:：\n]{0,12}[:：]"
)
_OF_RUNS = re.compile(
    r"(?im)^[ \t#*>-]*(?:(?:final|overall|the|so) )*(?:consensus|majority|mode|多数(?:意见|票|投票)?|一致意见|共识|众数)"
    r"(?:[ \t]*(?:vote|label|rating|score|decision|verdict|answer|after discussion|标签|评分|结果|结论))*(?:[ \t]*\(\d[ \t]*(?:of|/|out of)[ \t]*\d[^()\n]{0,20}\))?[ \t*]*(?:[:：=]|->|→)[ \t*]*"
)
_ASIDE = re.compile(r"[^\n(]*\([^()\n\d]+\)")  # "4 (safety)": of what else than the runs
_DISSENTS = re.compile(
    r"(?i)\bI (?:disagree|dissent|(?:do not|don't|cannot|can't) (?:share|agree|follow))|\bmy (?:own |final )?\w+ differs\b|我(?:并)?不(?:同意|认同|赞同)"
)
_TURNS = re.compile(  # "First turn: A. Last turn: B.", of which nobody says that one is the verdict
    r"(?i)\W*(?:[\w ]{1,30} )?first (?:turn|half)[:：][^.:：\n]{1,40}[.;,\n]\s*(?:[\w ]{1,30} )?(?:last|second|final) (?:turn|half)[:：][^.:：\n]{1,40}\W*"
)
_TWO = Unreadable(reason=Outcome.AMBIGUOUS)
_NOTHING = Unreadable(reason=Outcome.NO_ANSWER)
_OFF_FORM = Unreadable(reason=Outcome.SCHEMA_INVALID)


def read(
    questions: Sequence[Question], written: WrittenAnswer, *, as_json: bool
) -> dict[str, Found]:
    """Read one answer; return {question key: what was found} for every question asked."""
    answer = answer_in(written)
    if isinstance(answer, Outcome):
        return _all(questions, answer)
    if _TURNS.fullmatch(answer.text):
        return _all(questions, Outcome.AMBIGUOUS)
    whole = _read(questions, answer, as_json=as_json)
    are_runs = len(_RUNS.findall(answer.text)) > 1
    line = _last_word_in(answer.text, are_runs=are_runs)
    doubts = {_TWO, _NOTHING, _OFF_FORM} if are_runs else {_TWO}
    if line is None or doubts.isdisjoint(whole.values()):
        return whole
    last = _read(questions, replace(answer, text=answer.text[line.end() :]), as_json=as_json)
    is_whole = not any(isinstance(value, Unreadable) for value in last.values())
    is_same = all(value in {last[key], *doubts} for key, value in whole.items())
    return last if is_whole and is_same else whole


def _read(
    questions: Sequence[Question], written: WrittenAnswer, *, as_json: bool
) -> dict[str, Found]:
    """The same, of what was said aloud, with all drafts as good as the last word."""
    try:
        found = objects_in(written.text)
    except SaidTwice:
        return _all(questions, Outcome.AMBIGUOUS)
    if is_other_json(written.text.strip()) and not found.objects:
        return _all(questions, Outcome.SCHEMA_INVALID)
    read_so_far = _with_objects(questions, written, found)
    return {key: _true_reason(value, found, as_json) for key, value in read_so_far.items()}


def _all(questions: Sequence[Question], reason: Outcome) -> dict[str, Found]:
    return {question.key: Unreadable(reason=reason) for question in questions}


def _with_objects(
    questions: Sequence[Question], written: WrittenAnswer, found: JsonFound
) -> dict[str, Found]:
    """What the objects say, unless the words around them say otherwise; else what these say."""
    are_rows = _ROWS.fullmatch(found.around) is not None
    members = read_members(questions, found.objects, are_rows=are_rows)
    around = WrittenAnswer(text=found.around, finish=written.finish)
    if found.objects and not _WORD.search(found.around.replace("json", "")):
        silence = silence_in(around)
        return {
            key: silence if value in {None, _NOTHING} else value for key, value in members.items()
        }
    if len({one[1] or one[2] for one in _RATED.finditer(found.around)}) > 1:
        return _all(questions, Outcome.AMBIGUOUS)
    words = _read_words(questions, in_plain_words(around))
    if all(value is None for value in members.values()):
        return words
    behind = in_plain_words(replace(around, text=found.behind)).text
    _rest, revised = without_revisions(questions, behind, is_behind=True)
    agreed = {key: _agreed(value, words[key]) for key, value in members.items()}
    return {key: unless_revised(value, key, revised) for key, value in agreed.items()}


def _agreed(member: Found | None, word: Found) -> Found:
    is_word = not isinstance(word, Unreadable)
    if member is None or (is_word and member == Unreadable(reason=Outcome.NO_ANSWER)):
        return word
    if is_word and word != member:
        return Unreadable(reason=Outcome.AMBIGUOUS)
    return member


def _read_words(questions: Sequence[Question], written: WrittenAnswer) -> dict[str, Found]:
    """Read values behind names, and where there is one question, a lone value."""
    text = with_ticks_told(written.text)
    if len(questions) > 1:
        return _read_several(questions, replace(written, text=text))
    written = replace(written, text=with_lone_row_told(text))
    lines = read_lines(questions, written)
    question = questions[0]
    line = lines[question.key]
    if line is None or line == _NOTHING:
        return {question.key: read_plain_value(question, written)}
    is_other = _is_value_before(line, question, written)
    return {question.key: _TWO if is_other else line}


def _is_value_before(line: Found, question: Question, written: WrittenAnswer) -> bool:
    """Say whether another value stands before the name of what is rated, and is not taken back."""
    heads = heads_told([question], written.text)
    first = without_totals(written.text[: heads[0][1]]) if heads else ""
    before = replace(written, text=first, finish="stop")
    said = read_plain_value(question, before)
    is_same = isinstance(line, Unreadable) or isinstance(said, Unreadable) or said == line
    return not is_same and read_plain_value(question, written) != line


def _last_word_in(text: str, *, are_runs: bool) -> re.Match[str] | None:
    """The line behind which all values are given once more; none behind a colon, where somebody else
    may speak."""
    lines = [*_LAST_WORD.finditer(text), *(_OF_RUNS.finditer(text) if are_runs else ())]
    line = max(lines, key=lambda one: one.start(), default=None)
    leads_on = line is not None and (
        text[: line.start()].rstrip().endswith((":", "：")) or _ASIDE.match(text, line.end())
    )
    return None if leads_on or _DISSENTS.search(text) else line


def _read_several(questions: Sequence[Question], written: WrittenAnswer) -> dict[str, Found]:
    """Read values in sentences, and in lines and cells what is left."""
    for scale in {one.criterion for one in questions if isinstance(one.criterion, Scale)}:
        written = replace(written, text=with_lowest_told(scale, written.text))
    written = replace(written, text=without_numbering(questions, written.text))
    if all(isinstance(one.criterion, Scale) for one in questions):
        if miscounts(questions, written.text):
            return _all(questions, Outcome.AMBIGUOUS)
        written = replace(written, text=with_groups_told(questions, written.text))
    text, revised = without_revisions(questions, without_descriptions(written.text))
    written = replace(written, text=text)
    prose, rest = read_prose(questions, written)
    lines = read_lines(questions, replace(written, text=rest))
    silence = silence_in(written)
    said = {key: _one_said(prose.get(key, set()), lines[key], silence) for key in lines}
    return {key: unless_revised(value, key, revised) for key, value in said.items()}


def _one_said(said: Set[int], line: Found | None, silence: Unreadable) -> Found:
    """The value that sentences and lines give; none where they give two, or where one is in doubt."""
    if not said:
        return silence if line is None else line
    is_silent = line is None or line == _NOTHING
    if len(said) > 1 or not (is_silent or line in said):
        return Unreadable(reason=Outcome.AMBIGUOUS)
    return next(iter(said))


def _true_reason(value: Found, found: JsonFound, as_json: bool) -> Found:
    """Where nothing can be read: what was asked for, or what stood in the way."""
    if value != Unreadable(reason=Outcome.NO_ANSWER):
        return value
    if found.is_quoted:
        return Unreadable(reason=Outcome.QUOTED)
    if _declines(found):
        return Unreadable(reason=Outcome.REFUSED)
    is_off_form = as_json and not found.objects
    return _OFF_FORM if is_off_form else value


def _declines(found: JsonFound) -> bool:
    """Say whether a member of an object declines to answer."""
    said = (plain(said) for one in found.objects for said in one.values() if isinstance(said, str))
    return any(map(declines, said))


def conclude(rubric: Rubric, found: Findings) -> dict[str, Answer | Unreadable]:
    """Turn what was found for every question into one answer for each criterion."""
    concluded = {criterion.key: _conclude(criterion, found) for criterion in rubric.asked}
    for criterion in rubric.asked:
        if isinstance(criterion, Taxonomy):
            concluded |= _on_scales(rubric, criterion, concluded[criterion.key])
    return {criterion.key: concluded[criterion.key] for criterion in rubric.criteria}


def _on_scales(
    rubric: Rubric, taxonomy: Taxonomy, walk: Answer | Unreadable
) -> dict[str, Answer | Unreadable]:
    """What a walk comes to on the scales that it gives a value to; none where it is unreadable."""
    scales = rubric.dimensions(taxonomy.key)
    if isinstance(walk, Unreadable):
        return {scale.key: walk for scale in scales}
    return {one.criterion: one for one in answers.walked(taxonomy, scales, walk)}


def _conclude(criterion: Criterion, found: Findings) -> Answer | Unreadable:
    raw: object = found.get(criterion.key)
    if raw is None and isinstance(criterion, Taxonomy):
        walk = reachable(criterion, options_chosen(criterion, found))
        if walk.in_view is not None:
            step = found.get(f"{criterion.key}/{walk.in_view.key}")
            if isinstance(step, Unreadable):
                return step
        raw = dict(walk.path)
    if isinstance(raw, Unreadable):
        return raw
    answer = answers.read(criterion, raw)
    return answer if isinstance(answer, Answer) else Unreadable(reason=Outcome.NO_ANSWER)
