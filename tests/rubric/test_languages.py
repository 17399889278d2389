"""A rubric speaks the languages of its team, and says what is missing in one of them."""

from copy import deepcopy

import pytest

from annotation.rubric.languages import languages_of, untranslated
from annotation.rubric.loading import dump, load, shipped
from annotation.rubric.schema import NO_TEXT, Text

TEN_SCALES = {
    "key": "english_only",
    "title": {"en": "Ten scales"},
    "instructions": {"en": "Rate."},
    "criteria": [
        {
            "kind": "scale",
            "key": f"scale_{letter}",
            "name": {"en": f"Scale {letter}"},
            "question": {"en": "How much?"},
            "measurement": "ordinal",
            "points": [{"value": value, "anchor": {"en": f"{value}"}} for value in (1, 2, 3)],
        }
        for letter in "abcdefghij"
    ],
}
READERS = {
    "the language itself": ("pt-br", "Sim"),
    "in any case": ("PT_BR", "Sim"),
    "another form of it": ("pt-pt", "Sim"),
    "a script of it": ("zh-hant", "是"),
    "English, where there is nothing near": ("fr", "Yes"),
}


@pytest.mark.parametrize(("language", "words"), READERS.values(), ids=READERS)
def test_a_text_is_told_in_the_reader_s_language_or_the_nearest(language, words):
    assert Text(en="Yes", pt_br="Sim", zh_hans="是").in_(language) == words


def test_without_english_the_first_language_stands_in():
    assert Text(pt_br="Sim", de="Ja").in_("fr") == "Ja"
    assert NO_TEXT.in_("fr") == NO_TEXT.spoken_for("fr") == ""


def test_a_rubric_of_ten_scales_in_english_alone_is_a_rubric():
    rubric = load(TEN_SCALES)

    assert languages_of(rubric) == ("en",)
    assert untranslated(rubric) == ()


def test_a_third_language_is_data():
    definition = deepcopy(TEN_SCALES)
    definition["criteria"][0]["name"] |= {"pt-BR": "Escala", "zh-Hans": "量表"}

    rubric = load(definition)

    assert rubric.criteria[0].name == Text(en="Scale a", pt_br="Escala", zh_hans="量表")
    assert languages_of(rubric) == ("en", "pt_br", "zh_hans")
    assert load(dump(rubric)) == rubric


def test_what_is_missing_in_a_language_is_listed_by_its_place():
    definition = deepcopy(TEN_SCALES)
    definition["title"]["de"] = "Zehn Skalen"
    definition["criteria"][0]["points"][1]["example"] = {"de": "Seit wann?"}

    rubric = load(definition)
    gaps = [(gap.place, gap.language) for gap in untranslated(rubric)]

    assert languages_of(rubric) == ("en", "de"), "that of most texts first"
    assert ("criteria[0].points[1].example", "en") in gaps
    assert ("criteria[9].points[2].anchor", "de") in gaps
    assert ("title", "de") not in gaps


def test_the_shipped_rubrics_miss_nothing():
    assert [untranslated(load(definition)) for definition in shipped().values()] == [(), (), ()]
