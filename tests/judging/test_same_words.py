"""People see the very words that judges are asked with."""

import re
from copy import deepcopy
from html import unescape

import pytest
from django.utils.translation import override

from annotation.forms.rating import asked, html_of
from annotation.rubric.languages import texts_of
from annotation.rubric.loading import load, shipped
from judging import prompts
from judging.prompts.template import built_in
from judging.rules.questions import AskingManner, every_request


def with_examples(definition):
    """The same rubric with an example and a non-example for every label and level."""
    changed = deepcopy(dict(definition))
    for criterion in changed["criteria"]:
        for place, choice in enumerate(
            [*criterion.get("labels", []), *criterion.get("points", [])]
        ):
            name = f"{criterion['key']} {place}"
            choice["example"] = {"en": f"Such as {name}.", "zh_hans": f"例子{name}。"}
            choice["non_example"] = {"en": f"Unlike {name}.", "zh_hans": f"反例{name}。"}
    return load(changed)


RUBRICS = {key: load(definition) for key, definition in shipped().items()} | {
    f"{key} with examples": with_examples(definition) for key, definition in shipped().items()
}


def squeezed(words):
    return re.sub(r"\s+", " ", unescape(words))


def form_of(rubric, language):
    """What stands on the form: no attribute, which only shows on hovering, and nothing folded."""
    with override(language):
        html = str(html_of(asked(rubric)))
    return squeezed(re.sub(r"<[^>]*>", " ", re.sub(r"(?s)<details.*?</details>", "", html)))


def prompt_of(rubric, manner, language):
    requests = every_request(rubric, manner)
    asked_so = built_in(manner=manner, language=language, as_json=False)
    told = [prompts.instruct(rubric, one, asked_so) for one in requests]
    return squeezed("\n".join(one.system for one in told))


def words_of(rubric, language):
    """Every text of the criteria, without the instructions, which stand on the page of the study."""
    return {
        squeezed(text.in_(language))
        for criterion in rubric.criteria
        for _place, text in texts_of(criterion)
    }


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("rubric", RUBRICS.values(), ids=RUBRICS)
def test_the_form_has_every_word_of_the_prompt_and_the_prompt_every_word_of_the_form(
    rubric, language
):
    form = form_of(rubric, language)
    prompt = prompt_of(rubric, AskingManner.FLAT, language)

    assert [words for words in words_of(rubric, language) if words.strip() not in form] == []
    assert [words for words in words_of(rubric, language) if words.strip() not in prompt] == []


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("rubric", RUBRICS.values(), ids=RUBRICS)
def test_a_judge_that_is_asked_node_by_node_reads_nothing_that_people_do_not(rubric, language):
    form = form_of(rubric, language)
    prompt = prompt_of(rubric, AskingManner.SEQUENTIAL, language)
    asked_in_turn = {words for words in words_of(rubric, language) if words.strip() in prompt}

    assert asked_in_turn
    assert [words for words in asked_in_turn if words.strip() not in form] == []


def test_the_page_of_the_rubric_tells_the_whole_team_all_of_it(as_user, pond, ada, ben, dora, gwen):
    content = pond.rubric_version.content
    for member in (ada, ben, dora, gwen):
        page = as_user(member).get(f"/studies/{pond.key}/rubric/")

        assert page.status_code == 200
        told = squeezed(page.content.decode())
        for language in ("en", "zh-hans"):
            assert [words for words in words_of(content, language) if words not in told] == []
            assert prompt_of(content, AskingManner.FLAT, language).strip() in told


def test_who_is_on_no_team_finds_no_rubric(as_user, pond, sam):
    assert as_user(sam).get(f"/studies/{pond.key}/rubric/").status_code == 404
