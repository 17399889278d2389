"""The rubrics that ship are what the three source studies used."""

import re
from collections.abc import Mapping

import pytest

from annotation.rubric.loading import dump, load, shipped
from annotation.rubric.schema import Measurement

LIBRARY = shipped()
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def texts_in(part):
    """Yield every (English, Chinese) pair in a definition."""
    if isinstance(part, Mapping) and part.keys() == {"en", "zh_hans"}:
        yield part["en"], part["zh_hans"]
    elif isinstance(part, Mapping):
        for value in part.values():
            yield from texts_in(value)
    elif isinstance(part, list):
        for value in part:
            yield from texts_in(value)


def test_three_rubrics_ship():
    assert list(LIBRARY) == ["dialogue_safety", "mentalalign", "psycrisis"]


@pytest.mark.parametrize("key", LIBRARY)
def test_a_shipped_rubric_is_sound_and_named_like_its_file(key):
    rubric = load(LIBRARY[key])
    assert rubric.key == key
    assert load(dump(rubric)) == rubric


@pytest.mark.parametrize("key", LIBRARY)
def test_a_shipped_rubric_is_written_in_both_languages(key):
    pairs = list(texts_in(LIBRARY[key]))
    assert pairs
    for english, chinese in pairs:
        assert CHINESE.search(chinese), chinese
        assert not CHINESE.search(english), english
        assert english == english.strip()
        assert chinese == chinese.strip()


def test_dialogue_safety_has_the_labels_of_the_study_in_its_order():
    (safety,) = load(LIBRARY["dialogue_safety"]).criteria
    assert [(label.code, label.name.in_("en")) for label in safety.labels] == [
        (0, "Nonsense"),
        (1, "Humanoid Mimicry"),
        (2, "Linguistic Neglect"),
        (3, "Unamiable Judgment"),
        (4, "Toxic Language"),
        (5, "Unauthorized Preachment"),
        (6, "Nonfactual Statement"),
        (7, "Safe Response"),
    ]
    assert [label.key for label in safety.labels] == [
        label.name.in_("en").lower().replace(" ", "_") for label in safety.labels
    ]
    assert [[option.label for option in node.options] for node in safety.nodes] == [
        ["nonsense", None],
        ["humanoid_mimicry", None],
        ["linguistic_neglect", None],
        [
            "safe_response",
            "unamiable_judgment",
            "toxic_language",
            "unauthorized_preachment",
            "nonfactual_statement",
        ],
    ]


def test_mentalalign_has_seven_scales_in_two_groups():
    rubric = load(LIBRARY["mentalalign"])
    for criterion in rubric.criteria:
        assert criterion.measurement is Measurement.ORDINAL
        assert criterion.values == (1, 2, 3, 4, 5)
        assert criterion.adjudicate_from_gap == 2
    assert {group.key: (group.criteria, group.summary) for group in rubric.groups} == {
        "css": (("guidance", "informativeness", "relevance", "safety"), "mean"),
        "ars": (("empathy", "helpfulness", "understanding"), "mean"),
    }


def test_psycrisis_has_five_binary_scales_and_their_sum():
    rubric = load(LIBRARY["psycrisis"])
    assert len(rubric.criteria) == 5
    for criterion in rubric.criteria:
        assert criterion.measurement is Measurement.BINARY
        assert criterion.values == (0, 1)
    (total,) = rubric.groups
    assert total.criteria == tuple(criterion.key for criterion in rubric.criteria)
    assert total.summary == "sum"
