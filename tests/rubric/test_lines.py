"""A mistake in a rubric that is written as TOML is named with the line where it is mended."""

import tomllib

import pytest
from hypothesis import given

from annotation.rubric.lines import line_in, line_of, lines_of
from annotation.rubric.loading import MOST_CHARACTERS, dump, examples, load, mistakes_in, parse_toml
from annotation.rubric.writing import as_toml
from tests.rubric.test_properties import rubrics

RUBRIC = '''\
# A rubric in every way in which TOML can be written.
key = "small"
title = { en = "Small", "zh-Hans" = '小' }  # on one line
instructions.en = """
Rate the reply.
[[criteria]] is only a word here, "quoted".
"""

[[criteria]]
kind = "scale"
key = "clarity"
name.en = "Clarity"
question.en = "How clear?"
measurement = "ordinal"
points = [
  { value = 1, anchor.en = "not, at all]" },
  # nothing between
  { value = 2, anchor.en = "very" },
]

[[criteria]]
kind = "scale"
key = "asks"
measurement = "binary"
  [criteria.name]
  en = "Asks"
  [criteria.question]
  en = "Does it ask?"
  [[criteria.points]]
  value = 0
  anchor.en = "No"
  [[criteria.points]]
  value = 1
  anchor.en = "Yes"

[[groups]]
key = "both"
name.en = "Both"
summary = "sum"
criteria = [
  "clarity",
  "asks",
]
'''


def places_in(part, place=""):
    """Every place of a definition, as `load` names it."""
    if isinstance(part, dict):
        for name, value in part.items():
            yield from places_in(value, f"{place}.{name}" if place else name)
    if isinstance(part, list):
        for index, entry in enumerate(part):
            yield from places_in(entry, f"{place}[{index}]")
    if place:
        yield place


def test_the_rubric_is_one():
    assert mistakes_in(RUBRIC) == ()


@pytest.mark.parametrize(
    ("before", "after", "line", "sentence"),
    [
        ('key = "small"', "key = ", 2, "This is not TOML: Invalid value (line 2)."),
        ('  "asks",\n]\n', "", 41, "This is not TOML: Invalid value (line 41)."),
        ('key = "small"', 'kee = "small"', 2, "kee is not known here; check its spelling."),
        ('key = "small"', "", 1, "key is missing."),
        ('"zh-Hans" = ', '"zh Hans" = ', 3, "title.zh Hans is not the tag of a language"),
        ('"clarity"\n', '"Clarity!"\n', 11, "criteria[0].key must be at most 60"),
        ('question.en = "How clear?"\n', "", 9, "criteria[0].question is missing."),
        ("{ value = 2", "{ value = 4", 18, "criteria[0].points[1].value: the values must rise"),
        ('  en = "Asks"', '  en = ""', 26, "criteria[1].name.en is empty."),
        ('anchor.en = "Yes"', "anchor.en = 3", 34, "criteria[1].points[1].anchor.en must be text."),
        ("  value = 1\n", "", 32, "criteria[1].points[1].value is missing."),
        ('  "asks",', '  "warmth",', 42, "groups[0].criteria[1]: “warmth” is not a scale"),
        ('key = "both"', 'key = "asks"', 37, "groups[0].key: “asks” is a criterion already."),
    ],
)
def test_a_mistake_is_named_with_its_line(before, after, line, sentence):
    assert RUBRIC.count(before) == 1
    found = mistakes_in(RUBRIC.replace(before, after))
    assert (line, sentence) in [(one.line, one.sentence[: len(sentence)]) for one in found]
    assert any(one.in_words.startswith(f"Line {line}: {sentence}") for one in found)


def test_mistakes_come_in_the_order_of_their_lines():
    text = RUBRIC.replace('key = "both"', "").replace('key = "small"', "").replace("= 2,", "= '',")
    assert [one.line for one in mistakes_in(text)] == [1, 18, 36]


def test_what_the_reader_of_toml_says_is_said_with_its_line():
    twice = "[a]\n[b]\n[a]\n"
    said = "Cannot declare ('a',) twice (at line 3, column 2)"
    assert line_in(said, twice) == ("Cannot declare ('a',) twice", 3)
    assert line_in("Unclosed array (at end of document)", "a = [\n1,\n\n") == ("Unclosed array", 2)


def test_windows_ends_of_lines_count_the_same():
    wrong = RUBRIC.replace('"asks",\n]', '"warmth",\n]')
    assert [one.line for one in mistakes_in(wrong.replace("\n", "\r\n"))] == [42]


def test_the_words_of_mistakes_can_be_said_in_another_language():
    (mistake,) = mistakes_in(RUBRIC.replace('"asks",\n]', '"warmth",\n]'))
    assert mistake.in_words.translated(lambda words: words.replace("Line", "第"), "zh") != (
        mistake.in_words
    )


@pytest.mark.parametrize("text", [RUBRIC, *examples().values()], ids=["ours", *examples()])
def test_every_place_has_a_line(text):
    lines = lines_of(text)
    assert set(places_in(tomllib.loads(text))) <= lines.keys()
    assert all(0 < line <= text.count("\n") + 1 for line in lines.values())


def test_keys_of_every_kind_have_a_line_and_so_have_the_tables_around_them():
    text = "Xa-1_b = 1\n'X b' = 2\n\n[outer.inner]\n\"c\".d = 3\n"
    inner = {"outer": 4, "outer.inner": 4, "outer.inner.c": 5, "outer.inner.c.d": 5}
    assert lines_of(text) == {"Xa-1_b": 1, "X b": 2} | inner


def test_what_is_no_toml_has_no_lines():
    with pytest.raises(ValueError, match="not TOML at character 8"):
        lines_of("key = 1\n= 2")


def test_what_is_missing_stands_in_what_is_there():
    lines = {"criteria": 3, "criteria[1]": 9}
    assert line_of("criteria[1].points[2].value", lines) == 9
    assert line_of("criteria[4]", lines) == 3
    assert line_of("title.en", lines) == 1


@pytest.mark.parametrize(
    ("right", "wrong", "sentence"),
    [
        (
            'kind = "scale"',
            'kind = "scael"',
            "Line 10: criteria[0].kind is “scael”, which is not known: write “scale”.",
        ),
        (
            'kind = "scale"',
            'knid = "scale"',
            (
                "Line 10: criteria[0].knid is not known here: write “kind”, which must be one of: "
                "taxonomy, scale."
            ),
        ),
        (
            'kind = "scale"\n',
            "",
            'Line 9: criteria[0].kind is missing: write kind = and one of: "taxonomy", "scale".',
        ),
    ],
)
def test_of_a_misspelt_kind_it_says_the_line_and_what_to_write(right, wrong, sentence):
    assert [one.in_words for one in mistakes_in(RUBRIC.replace(right, wrong, 1))] == [sentence]


def test_what_is_too_long_has_the_line_on_which_it_gets_so():
    remark = "# " + "x" * 97 + "\n"
    longest = RUBRIC + remark * ((MOST_CHARACTERS - len(RUBRIC)) // len(remark))
    assert mistakes_in(longest) == ()
    [mistake] = mistakes_in(longest + remark)
    assert mistake.line == longest.count("\n") + 1
    assert f"has {len(longest + remark):,} characters, and 500,000 are the most" in mistake.in_words


@given(rubrics())
def test_a_rubric_survives_being_written_as_toml(rubric):
    text = as_toml(dump(rubric))
    assert load(parse_toml(text)) == rubric
    assert mistakes_in(text) == ()
    assert set(places_in(parse_toml(text))) <= lines_of(text).keys()


def test_what_stands_in_a_table_is_written_below_it_and_further_in():
    inner = [{"value": 1}, {"value": 2}]
    assert as_toml({"criteria": [{"key": "b", "points": inner}], "key": "a"}) == (
        'key = "a"\n\n[[criteria]]\nkey = "b"\n'
        "\n  [[criteria.points]]\n  value = 1\n\n  [[criteria.points]]\n  value = 2\n"
    )


@pytest.mark.parametrize("words", ['a "quoted" one', "two\nlines", '"""', "back\\slash\tand\r\n"])
def test_words_survive_being_written_as_toml(words):
    rubric = parse_toml(RUBRIC) | {"title": {"en": words}}
    assert parse_toml(as_toml(rubric)) == rubric
