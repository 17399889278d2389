"""A definition becomes a rubric, or every mistake in it is named with its place."""

from copy import deepcopy
from functools import reduce

import pytest

from annotation.rubric.loading import RubricError, dump, load, mistakes_in, parse_toml
from annotation.rubric.schema import Measurement


def text(words):
    return {"en": words, "zh_hans": f"中文 {words}"}


def points(*values):
    return [{"value": value, "anchor": text(f"level {value}")} for value in values]


DEFINITION = {
    "key": "small",
    "title": text("Small"),
    "instructions": text("Rate."),
    "criteria": [
        {
            "kind": "taxonomy",
            "key": "kind_of_reply",
            "name": text("Kind of reply"),
            "nodes": [
                {
                    "key": "empty",
                    "question": text("Is it empty?"),
                    "options": [
                        {"key": "yes", "text": text("Yes"), "label": "blank"},
                        {"key": "no", "text": text("No")},
                    ],
                },
                {
                    "key": "tone",
                    "question": text("Which tone?"),
                    "help": text("Listen."),
                    "options": [
                        {"key": "warm", "text": text("Warm"), "label": "warm"},
                        {"key": "cold", "text": text("Cold"), "label": "cold"},
                    ],
                },
            ],
            "labels": [
                {"key": key, "code": code, "name": text(key), "definition": text(f"It is {key}.")}
                for code, key in enumerate(("blank", "warm", "cold"))
            ],
        },
        {
            "kind": "scale",
            "key": "clarity",
            "name": text("Clarity"),
            "question": text("How clear?"),
            "help": text("Read twice."),
            "measurement": "ordinal",
            "adjudicate_from_gap": 2,
            "points": points(1, 2, 3),
        },
        {
            "kind": "scale",
            "key": "asks",
            "name": text("Asks"),
            "question": text("Does it ask?"),
            "measurement": "binary",
            "points": points(0, 1),
        },
    ],
    "groups": [
        {"key": "both", "name": text("Both"), "criteria": ["clarity", "asks"], "summary": "sum"}
    ],
}


def changed(path, value):
    """Return DEFINITION with the value at `path` replaced, or taken out where it is ..."""
    definition = deepcopy(DEFINITION)
    *way, last = path
    parent = reduce(lambda part, step: part[step], way, definition)
    if value is ...:
        del parent[last]
    else:
        parent[last] = value
    return definition


def problems_of(definition):
    with pytest.raises(RubricError) as refusal:
        load(definition)
    assert str(refusal.value) == "\n".join(refusal.value.problems)
    return refusal.value.problems


def test_a_sound_definition_becomes_a_rubric():
    rubric = load(DEFINITION)
    assert [criterion.key for criterion in rubric.criteria] == ["kind_of_reply", "clarity", "asks"]
    assert rubric.criterion("kind_of_reply").measurement is Measurement.NOMINAL
    assert rubric.criterion("kind_of_reply").label("cold").code == 2
    assert rubric.criterion("clarity").values == (1, 2, 3)
    assert rubric.criterion("clarity").adjudicate_from_gap == 2
    assert rubric.criterion("asks").adjudicate_from_gap == 1
    assert rubric.criterion("asks").measurement is Measurement.BINARY
    assert rubric.groups[0].criteria == ("clarity", "asks")


def test_a_choice_may_be_shown_by_a_case_of_it_and_one_that_is_none():
    definition = deepcopy(DEFINITION)
    definition["criteria"][1]["points"][0] |= {"example": text("So."), "non_example": text("No.")}
    rubric = load(definition)
    shown = rubric.criteria[1].points[0].shown
    assert (shown.example.in_("en"), shown.non_example.in_("en")) == ("So.", "No.")
    assert load(dump(rubric)) == rubric


def test_a_rubric_survives_being_written_and_read():
    rubric = load(DEFINITION)
    assert load(dump(rubric)) == rubric


def test_what_is_null_in_json_counts_as_left_out():
    definition = changed(["criteria", 0, "nodes", 0, "options", 1, "label"], None)
    definition["criteria"][1]["help"] = None
    definition["groups"] = None
    assert load(definition).groups == ()


def test_an_unknown_criterion_or_label_is_a_key_error():
    rubric = load(DEFINITION)
    with pytest.raises(KeyError):
        rubric.criterion("nobody")
    with pytest.raises(KeyError):
        rubric.criterion("kind_of_reply").label("nobody")


MISTAKES = [
    # form
    (["key"], ..., "key is missing."),
    (["key"], " ", "key is empty."),
    (["key"], 3, "key must be text."),
    (
        ["key"],
        "Small-1",
        "key must be at most 60 lower-case letters, digits and underscores, a letter first.",
    ),
    (
        ["criteria", 1, "key"],
        "a" * 61,
        (
            "criteria[1].key must be at most 60 lower-case letters, digits and underscores,"
            " a letter first."
        ),
    ),
    (["title"], ..., "title is missing."),
    (["title"], "Small", 'title does not say its language: write title.en = "…", or another one.'),
    (["title"], 1, "title must be a table."),
    (["title"], {}, "title is in no language."),
    (
        ["criteria", 1, "measurement"],
        ...,
        'criteria[1].measurement is missing: write measurement = and one of: "ordinal", "binary".',
    ),
    (["title"], {"en": None}, "title is in no language."),
    (
        ["title", "klingon"],
        "Small",
        "title.klingon is not the tag of a language, such as en, zh-Hans or pt-BR.",
    ),
    (["title", "en"], "", "title.en is empty."),
    (["title", "en"], "nul \x00", "title.en has a character that is not text."),
    (["title", "en"], "half \ud83d", "title.en has a character that is not text."),
    (["titel"], text("Small"), "titel is not known here; check its spelling."),
    (["criteria"], ..., "criteria is missing."),
    (["criteria"], "all", "criteria must be a list."),
    (["criteria"], [], "criteria is empty."),
    (["criteria", 0], "taxonomy", "criteria[0] must be a table."),
    (
        ["criteria", 0, "kind"],
        ...,
        'criteria[0].kind is missing: write kind = and one of: "taxonomy", "scale".',
    ),
    (["criteria", 0, "kind"], "tree", "criteria[0].kind must be one of: taxonomy, scale."),
    (
        ["criteria", 0, "kind"],
        "Taxonomi",
        "criteria[0].kind is “Taxonomi”, which is not known: write “taxonomy”.",
    ),
    (["criteria", 0, "kind"], ["scale"], "criteria[0].kind must be one of: taxonomy, scale."),
    (
        ["criteria", 0, "nodes", 0, "help"],
        "Look.",
        'criteria[0].nodes[0].help does not say its language: write help.en = "…", or another one.',
    ),
    (
        ["criteria", 0, "nodes", 0, "options", 0, "lable"],
        "blank",
        "criteria[0].nodes[0].options[0].lable is not known here; check its spelling.",
    ),
    (
        ["criteria", 0, "labels", 0, "code"],
        "0",
        "criteria[0].labels[0].code must be a whole number of at most 32767.",
    ),
    (
        ["criteria", 0, "labels", 0, "colour"],
        "red",
        "criteria[0].labels[0].colour is not known here; check its spelling.",
    ),
    (
        ["criteria", 2, "points", 0, "example"],
        "Since when?",
        'criteria[2].points[0].example does not say its language: write example.en = "…", or another one.',
    ),
    (["criteria", 1, "points", 0, "value"], ..., "criteria[1].points[0].value is missing."),
    (
        ["criteria", 1, "points", 0, "value"],
        True,
        "criteria[1].points[0].value must be a whole number of at most 32767.",
    ),
    (
        ["criteria", 1, "points", 0, "value"],
        10**400,
        "criteria[1].points[0].value must be a whole number of at most 32767.",
    ),
    (
        ["criteria", 1, "measurement"],
        "nominal",
        "criteria[1].measurement must be one of: ordinal, binary.",
    ),
    (
        ["criteria", 1, "adjudicate_from_gap"],
        1.5,
        "criteria[1].adjudicate_from_gap must be a whole number of at most 32767.",
    ),
    (["groups"], {}, "groups must be a list."),
    (["groups", 0, "criteria", 0], 1, "groups[0].criteria[0] must be text."),
    (
        ["groups", 0, "summary"],
        "median",
        "groups[0].summary must be one of: mean, sum, maximum, minimum, any.",
    ),
    (["groups", 0, "weight"], 2, "groups[0].weight is not known here; check its spelling."),
    # sense
    (
        ["criteria", 1, "key"],
        "asks",
        "criteria[2].key: the key “asks” is used 2 times.",
    ),
    (["groups"], DEFINITION["groups"] * 2, "groups[1].key: the key “both” is used 2 times."),
    (["groups", 0, "criteria"], [], "groups[0].criteria is empty."),
    (
        ["groups", 0, "criteria"],
        ["asks", "asks"],
        "groups[0].criteria[1]: the key “asks” is used 2 times.",
    ),
    (
        ["groups", 0, "criteria"],
        ["kind_of_reply"],
        "groups[0].criteria[0]: “kind_of_reply” is not a scale of this rubric.",
    ),
    (
        ["criteria", 1, "points"],
        points(1, 3, 4),
        "criteria[1].points[1].value: the values must rise by one from point to point.",
    ),
    (
        ["criteria", 1, "points"],
        points(3, 2, 1),
        "criteria[1].points[1].value: the values must rise by one from point to point.",
    ),
    (["criteria", 1, "points"], points(1), "criteria[1].points needs at least two points."),
    (
        ["criteria", 2, "points"],
        points(1, 2),
        "criteria[2].points: a binary scale has the values 0 and 1.",
    ),
    (
        ["criteria", 1, "adjudicate_from_gap"],
        0,
        "criteria[1].adjudicate_from_gap must lie between 1 and 2, the widest gap on the scale.",
    ),
    (
        ["criteria", 1, "adjudicate_from_gap"],
        3,
        "criteria[1].adjudicate_from_gap must lie between 1 and 2, the widest gap on the scale.",
    ),
    (
        ["criteria", 0, "nodes", 1, "key"],
        "empty",
        "criteria[0].nodes[1].key: the key “empty” is used 2 times.",
    ),
    (
        ["criteria", 0, "nodes", 1, "options", 1, "key"],
        "warm",
        "criteria[0].nodes[1].options[1].key: the key “warm” is used 2 times.",
    ),
    (
        ["criteria", 0, "nodes", 1, "options", 1, "text"],
        text("Warm."),
        "criteria[0].nodes[1].options[1]: 2 entries read as “warm”.",
    ),
    (
        ["criteria", 0, "labels", 1, "key"],
        "cold",
        "criteria[0].labels[2].key: the key “cold” is used 2 times.",
    ),
    (
        ["criteria", 0, "labels", 1, "code"],
        2,
        "criteria[0].labels[2].code: the code “2” is used 2 times.",
    ),
    (
        ["criteria", 0, "labels", 1, "name"],
        text("“Cold”"),
        "criteria[0].labels[2]: 2 entries read as “cold”.",
    ),
    (
        ["criteria", 0, "labels", 1, "name", "en"],
        "?!",
        "criteria[0].labels[1]: a name has neither letter nor digit.",
    ),
    (
        ["criteria", 0, "nodes", 1, "options", 1, "label"],
        ...,
        "criteria[0].nodes[1].options[1]: every option of the last node needs a label.",
    ),
    (
        ["criteria", 0, "nodes", 0, "options", 1, "label"],
        "warm",
        (
            "criteria[0].nodes[0].options: exactly one option has no label and goes on to the next"
            " node, not 0."
        ),
    ),
    (
        ["criteria", 0, "nodes", 0, "options", 0, "label"],
        ...,
        (
            "criteria[0].nodes[0].options: exactly one option has no label and goes on to the next"
            " node, not 2."
        ),
    ),
    (
        ["criteria", 0, "nodes", 0, "options", 0],
        {"key": "no_more", "text": text("No more"), "label": "cold"},
        "criteria[0].labels[0]: exactly one option must lead to “blank”, not 0.",
    ),
    (
        ["criteria", 0, "nodes", 0, "options", 0, "label"],
        "cold",
        "criteria[0].labels[2]: exactly one option must lead to “cold”, not 2.",
    ),
    (
        ["criteria", 0, "nodes", 0, "options", 0, "label"],
        "void",
        "criteria[0].nodes[0].options[0].label: “void” is not among the labels.",
    ),
]


@pytest.mark.parametrize(("path", "value", "sentence"), MISTAKES)
def test_a_mistake_is_named_with_its_place(path, value, sentence):
    assert sentence in problems_of(changed(path, value))


def test_a_node_without_a_choice_is_refused():
    definition = changed(["criteria", 0, "nodes", 1, "options", 1], ...)
    assert "criteria[0].nodes[1].options needs at least two options." in problems_of(definition)


def test_a_taxonomy_without_nodes_is_refused():
    definition = changed(["criteria", 0, "nodes"], [])
    assert "criteria[0].nodes is empty." in problems_of(definition)


def test_all_mistakes_are_named_at_once():
    definition = changed(["title", "en"], 5)
    definition["criteria"][0]["nodes"][0]["options"][0]["label"] = "void"
    definition["criteria"][2]["points"][1]["value"] = "one"
    assert problems_of(definition) == (
        "title.en must be text.",
        "criteria[0].nodes[0].options[0].label: “void” is not among the labels.",
        "criteria[0].labels[0]: exactly one option must lead to “blank”, not 0.",
        "criteria[2].points[1].value must be a whole number of at most 32767.",
    )


def test_one_mistake_is_named_once():
    assert problems_of(changed(["criteria", 0], "taxonomy")) == ("criteria[0] must be a table.",)
    assert problems_of([]) == ("rubric must be a table.",)


def test_toml_that_cannot_be_read_names_the_line():
    with pytest.raises(RubricError, match=r"^This is not TOML: .*line 2"):
        parse_toml('key = "a"\ntitle = \n')


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 3_000 + "]" * 3_000, "a = " + "{b = " * 3_000, "a = " + "9" * 5_000],
    ids=["lists", "tables", "digits"],
)
def test_toml_beyond_what_a_reader_can_take_is_a_mistake(text):
    (mistake,) = mistakes_in(text)
    assert (mistake.line, mistake.sentence[:17]) == (1, "This is not TOML:")


def test_a_date_in_toml_is_not_text():
    assert "key must be text." in problems_of(DEFINITION | parse_toml("key = 2025-01-01"))
