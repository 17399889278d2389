"""A sentence reads as English and can be said in another language later."""

import json
from copy import deepcopy

import pytest

from annotation.rubric.schema import NO_TEXT, Text
from annotation.rubric.sentences import as_json, from_json, sentence

CATALOGUE = {
    "“{criterion}” takes a number below {limit}.": "“{criterion}”须为小于 {limit} 的数字。",
    "It is {state}.": "当前状态：{state}。",
    "open": "进行中",
}


def gettext(message):
    return CATALOGUE.get(message, message)


def test_a_sentence_is_english_text():
    said = sentence("{a} {b} {a}", a=1, b="two")
    assert said == "1 two 1"
    assert isinstance(said, str)


def test_a_sentence_is_said_in_another_language():
    said = sentence(
        "“{criterion}” takes a number below {limit}.",
        criterion=Text(en="Empathy", zh_hans="共情"),
        limit=5,
    )
    assert said == "“Empathy” takes a number below 5."
    assert said.translated(gettext, "zh-hans") == "“共情”须为小于 5 的数字。"
    assert said.translated(str, "en") == said


def test_a_sentence_inside_a_sentence_is_translated_too():
    said = sentence("It is {state}.", state=sentence("open"))
    assert said == "It is open."
    assert said.translated(gettext, "zh-hans") == "当前状态：进行中。"


def test_braces_in_a_value_stay_as_they_are():
    said = sentence("It is {state}.", state="{odd} {0}")
    assert said == "It is {odd} {0}."
    assert said.translated(gettext, "zh-hans") == "当前状态：{odd} {0}。"


def test_a_copy_of_a_sentence_can_still_be_translated():
    said = deepcopy(sentence("It is {state}.", state="open"))
    assert said.translated(gettext, "zh-hans") == "当前状态：open。"


KEPT = [
    sentence("open"),
    sentence("It is {state}.", state="{odd} open"),
    sentence("It is {state}.", state=NO_TEXT),
    sentence("It is {state}.", state=sentence("It is {state}.", state=sentence("open"))),
    sentence(
        "“{criterion}” takes a number below {limit}.",
        criterion=Text(en="Empathy", zh_hans="共情"),
        limit=5,
    ),
    sentence("{template} and {text}", template=Text(en="a", zh_hans="甲"), text="b"),
]


@pytest.mark.parametrize("said", KEPT)
def test_a_sentence_that_json_kept_says_the_same_in_every_language(said):
    again = from_json(json.loads(json.dumps(as_json(said))))
    assert again == said
    assert (again.template, again.values) == (said.template, said.values)
    assert again.translated(gettext, "zh-hans") == said.translated(gettext, "zh-hans")


def test_a_text_that_was_kept_by_its_languages_alone_is_still_read():
    kept = {"template": "It is {state}.", "values": {"state": {"en": "Empathy", "zh_hans": "共情"}}}
    assert from_json(kept).translated(gettext, "zh-hans") == "当前状态：共情。"


def test_a_text_falls_back_to_its_other_language():
    both = Text(en="Empathy", zh_hans="共情")
    for language in ("en", "en-gb", "fr"):
        assert both.in_(language) == "Empathy"
    for language in ("zh-hans", "zh-CN"):
        assert both.in_(language) == "共情"
    assert Text(en="Empathy", zh_hans="").in_("zh-hans") == "Empathy"
    assert Text(en="", zh_hans="共情").in_("en") == "共情"
