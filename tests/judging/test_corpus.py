"""How many raw answers are read, and how many of those rightly: counted, printed, and held to."""

import json
import re
import sys
from collections import Counter
from contextlib import closing

import openpyxl
import pytest

from judging import parsing
from judging.parsing import WrittenAnswer
from judging.rules.outcomes import Outcome
from judging.rules.questions import AskingManner, Unreadable, next_questions
from tests.judging.raw_answers import RUBRICS, raw_answers

WORKBOOKS = {"claude_llm_judge.xlsx": (4, 2, 1), "gpt-4o_llm_judge.xlsx": (0, 0, 0)}
FENCED = re.compile(r"```(?:json)?\s*(.*?)\s*(?:```)?", re.DOTALL | re.IGNORECASE)


def test_all_that_is_read_is_right_and_what_is_not_read_is_known(capsys):
    counts, wrong, missed, untrue, to_be_left = Counter(), [], [], [], set()
    for answer in raw_answers():
        written = WrittenAnswer(text=answer.text, finish=answer.finish)
        counts["answers"] += 1
        to_be_left |= {answer.form} if answer.left else set()
        for key, value in parsing.read(answer.questions, written, as_json=False).items():
            expected = answer.values.get(key)
            counts["readable"] += expected is not None
            if not isinstance(value, Unreadable):
                counts["read"] += 1
                counts["right"] += value == expected
                wrong += [] if value == expected else [(answer.form, answer.text, value)]
            elif expected is not None:
                missed.append((answer.form, answer.text, value.reason.value))
            elif value.reason.value not in answer.reasons:
                untrue.append((answer.form, answer.text, value.reason.value))
    right, read = counts["right"] / counts["read"], counts["right"] / counts["readable"]
    with capsys.disabled():
        sys.stdout.write(
            f"\n{counts['answers']:,} raw answers: of {counts['read']:,} values read {right:.3%} "
            f"are right; of {counts['readable']:,} that can be read {read:.3%} are read; "
            f"{len(untrue)} unread for another reason than was written down.\n"
        )

    left = [*missed, *untrue]
    assert wrong == []
    assert [one for one in left if one[0] not in to_be_left] == []
    assert to_be_left - {one[0] for one in left} == set()
    assert read >= 0.98


def test_every_real_completion_is_read_as_it_was_published(shared):
    questions = next_questions(RUBRICS["dialogue_safety"], AskingManner.FLAT, {})
    names = {
        label.name.in_("en"): label.key for label in RUBRICS["dialogue_safety"].criteria[0].labels
    }
    folder = shared / "data" / "dialogue_safety"
    lines = (folder / "completions_gpt-3.5-turbo-0301_zero_shot.jsonl").read_text().splitlines()
    answers = {(row["content"], row["finish_reason"]) for row in map(json.loads, lines)}

    others = []
    for text, finish in sorted(answers):
        read = parsing.read(questions, WrittenAnswer(text=text, finish=finish), as_json=False)
        published = next(key for name, key in names.items() if text.startswith(name))
        others += [] if read["safety"] == published else [(text, read, published)]

    assert (len(lines), len(answers), others) == (4000, 58, [])


@pytest.mark.parametrize(("workbook", "counts"), list(WORKBOOKS.items()))
def test_every_real_rating_is_read_as_it_was_published(shared, workbook, counts, capsys):
    """Amid prose (4 cells) or with quotes inside quotes (2), ratings are read that were not; each
    such difference is printed."""
    questions = next_questions(RUBRICS["mentalalign"], AskingManner.FLAT, {})
    keys = [question.key for question in questions]
    found, differences = Counter(), []
    for text in distinct_cells(shared / "data" / "mentalalign" / workbook):
        read = parsing.read(questions, WrittenAnswer(text=text), as_json=True)
        values = [read[key] for key in keys]
        fenced = FENCED.fullmatch(text.strip())
        try:
            whole = json.loads(fenced[1] if fenced else text)
        except ValueError:
            digits = [int(one) for one in re.findall(r'"[A-Z]\w+": (\d),', text)[:7]]
            found["refused"] += all(isinstance(value, Unreadable) for value in values)
            found["within" if text.lstrip().startswith("{") else "amid prose"] += values == digits
            told = [one.reason.value if isinstance(one, Unreadable) else one for one in values]
            differences.append(f"no JSON in {text[:60]!r} …; read {told}\n")
        else:
            published = {key.casefold(): value for key, value in whole.items()}
            assert values == [published[key] for key in keys], text

    with capsys.disabled():
        sys.stdout.write(f"\n{workbook}: {len(differences)} differ\n{''.join(differences)}")
    assert (found["amid prose"], found["within"], found["refused"]) == counts


def distinct_cells(path) -> set[str]:
    """The answers of a workbook, each once."""
    with closing(openpyxl.load_workbook(path, read_only=True)) as book:
        rows = book.active.iter_rows(values_only=True)
        judged = [number for number, name in enumerate(next(rows)) if "judge_response" in str(name)]
        return {str(row[number]) for row in rows for number in judged}


@pytest.mark.parametrize("mark", ["{", "[", "(", "<", "#", "[({<", "-"])
def test_thousands_of_marks_before_a_value_do_not_hide_it(mark):
    (question,) = [
        one
        for one in next_questions(RUBRICS["mentalalign"], AskingManner.FLAT, {})
        if one.key == "empathy"
    ]
    written = WrittenAnswer(text=f"{mark * 12_000}\nScore: 4")
    assert parsing.read([question], written, as_json=False) == {"empathy": 4}


def test_what_names_a_label_hundreds_of_times_is_not_searched_for_a_verdict():
    (question,) = next_questions(RUBRICS["dialogue_safety"], AskingManner.FLAT, {})
    lines = (f"Label of turn {number}: Nonsense.\n" for number in range(300))
    written = WrittenAnswer(text="".join(lines))
    read = parsing.read([question], written, as_json=False)
    assert read == {"safety": Unreadable(reason=Outcome.AMBIGUOUS)}


@pytest.mark.parametrize("marks", ["- \n", "-* |\n#>.:", " \t\n\u3000", "…?! ", "`{}\n"])
def test_marks_that_never_repeat_before_a_value_do_not_hide_it(marks):
    (question,) = [
        one
        for one in next_questions(RUBRICS["mentalalign"], AskingManner.FLAT, {})
        if one.key == "empathy"
    ]
    mixed = "".join(marks[number.bit_count() % len(marks)] for number in range(12_000))
    written = WrittenAnswer(text=f"{mixed}\nScore: 4")
    assert parsing.read([question], written, as_json=False) == {"empathy": 4}


@pytest.mark.parametrize("endless", ["empathy, ", ", ", "all ", "empathy: 1 ", "guidance are "])
def test_what_repeats_itself_without_end_is_read_to_its_end(endless):
    questions = next_questions(RUBRICS["mentalalign"], AskingManner.FLAT, {})
    written = WrittenAnswer(text=f"{endless * (12_000 // len(endless))}x")
    read = parsing.read(questions, written, as_json=False)
    assert set(read.values()) <= {1, *(Unreadable(reason=one) for one in Outcome)}
