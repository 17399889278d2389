"""Prompts that a study writes itself: what may stand in them, and what they become."""

from hashlib import sha256

import pytest

from annotation.rubric.loading import load
from annotation.rubric.loading import shipped as rubrics
from judging import parsing
from judging.parsing import WrittenAnswer
from judging.prompts import ItemText, address, instruct, loading
from judging.prompts.template import ReasoningOrder, built_in
from judging.rules.questions import AskingManner, Unreadable, every_request

RUBRICS = {key: load(definition) for key, definition in rubrics().items()}
SAFETY, CRISIS = RUBRICS["dialogue_safety"], RUBRICS["psycrisis"]
ITEM = ItemText(
    turns=[
        {"speaker": "seeker", "text": "I cannot sleep.\n\n{{item}}"},
        {"speaker": "supporter", "text": "Since when?"},
    ],
    reply="Hm.\n\n\n=== END ===",
    reply_speaker="supporter",
    sha256="0" * 64,
)
PLAIN = 'answers = "plain"\nsystem = "{{criteria}}"\nuser = "{{item}} {{answer_form}}"\n'
EXAMPLE = """
[[examples]]
dialogue = ["seeker: I cannot sleep."]
reply = "supporter: Okay."
answers = {safety = "linguistic_neglect"}
"""

# What edition 2 asks where a study has no prompt of its own: a hash of all its requests.
EDITION_2 = [
    ("dialogue_safety", "flat", "en", True, "60ba8310fa47caee"),
    ("dialogue_safety", "flat", "en", False, "4a4f49e395c52089"),
    ("dialogue_safety", "flat", "zh-hans", True, "c44be06e324c208f"),
    ("dialogue_safety", "flat", "zh-hans", False, "1e63a7dea9541e52"),
    ("dialogue_safety", "sequential", "en", True, "9cf4edecf64c58e3"),
    ("dialogue_safety", "sequential", "en", False, "4aff18cec5fd86a2"),
    ("dialogue_safety", "sequential", "zh-hans", True, "3b638c1aac181dd5"),
    ("dialogue_safety", "sequential", "zh-hans", False, "2c62d3b1dc335cb0"),
    ("mentalalign", "flat", "en", True, "c638e7da03e1ff1d"),
    ("mentalalign", "flat", "en", False, "e7c4dd07da4399a7"),
    ("mentalalign", "flat", "zh-hans", True, "6aaa94bab8dfda0d"),
    ("mentalalign", "flat", "zh-hans", False, "40f974f45ef55852"),
    ("mentalalign", "sequential", "en", True, "a10694ec1909fb6b"),
    ("mentalalign", "sequential", "en", False, "70b1775188e1b228"),
    ("mentalalign", "sequential", "zh-hans", True, "65caf26ff0d7a453"),
    ("mentalalign", "sequential", "zh-hans", False, "7de5ccf86fe15948"),
    ("psycrisis", "flat", "en", True, "be9b0205d019928e"),
    ("psycrisis", "flat", "en", False, "a3bb3006a2606b54"),
    ("psycrisis", "flat", "zh-hans", True, "434bd76b71133bfb"),
    ("psycrisis", "flat", "zh-hans", False, "3932ff78443e0cc1"),
    ("psycrisis", "sequential", "en", True, "707b501ac86b3b8d"),
    ("psycrisis", "sequential", "en", False, "9a1b43b855b65e29"),
    ("psycrisis", "sequential", "zh-hans", True, "5932cfc013d84808"),
    ("psycrisis", "sequential", "zh-hans", False, "69d9a1fd259ed6ad"),
]


def prompts_of(template, rubric):
    requests = every_request(rubric, template.manner)
    return [address(instruct(rubric, questions, template), ITEM) for questions in requests]


@pytest.mark.parametrize(("rubric", "manner", "language", "as_json", "hashed"), EDITION_2)
def test_a_judge_without_a_prompt_of_its_own_is_asked_as_ever(
    rubric, manner, language, as_json, hashed
):
    template = built_in(manner=AskingManner(manner), language=language, as_json=as_json)
    asked = "".join(prompt.sha256 for prompt in prompts_of(template, RUBRICS[rubric]))

    assert sha256(asked.encode()).hexdigest()[:16] == hashed


@pytest.mark.parametrize("key", sorted(loading.shipped()))
def test_the_examples_that_are_shipped_are_read_as_they_say(key):
    shipped = loading.shipped()[key]
    rubric = RUBRICS[shipped.rubric]
    template = loading.read(shipped.text, rubric)
    (questions, *_others), (prompt, *_more) = (
        every_request(rubric, template.manner),
        prompts_of(template, rubric),
    )
    said = [one["content"] for one in prompt.messages if one["role"] == "assistant"]

    assert len(said) == len(template.examples)
    for text, example in zip(said, template.examples, strict=True):
        found = parsing.read(questions, WrittenAnswer(text=text), as_json=template.as_json)
        assert found == dict(example.answers)


def test_each_criterion_gets_its_own_chain_of_reasoning():
    template = loading.read(loading.shipped()["psycrisis-chain-en"].text, CRISIS)
    asked = prompts_of(template, CRISIS)

    assert len(asked) == 5
    for criterion, prompt in zip(CRISIS.criteria, asked, strict=True):
        system = prompt.messages[0]["content"]
        for key, steps in template.chain.items():
            is_told = key in {"general", criterion.key}
            assert all((step in system) is is_told for step in steps)


MISTAKES = [
    ("system =", "This is not TOML"),
    ("system = " + "9" * 5_000, "This is not TOML"),
    ("system = " + "[" * 3_000 + "]" * 3_000, "nested too deeply"),
    ('system = "a"', "user is missing."),
    (PLAIN + 'tone = "warm"', "tone is not known here"),
    (PLAIN.replace("{{criteria}}", "{{gold}}"), "there is nothing called gold"),
    (PLAIN.replace("{{criteria}}", "{{item}}"), "there is nothing called item"),
    (PLAIN.replace("{{item}}", "{{reply}}"), "the item must be in it"),
    (PLAIN.replace("plain", "spoken"), "answers must be one of: json, plain."),
    (PLAIN + "[chain]\ncourage = ['Be brave.']", "chain.courage is not known here"),
    (PLAIN + EXAMPLE.replace("linguistic_neglect", "bravery"), "bravery is no answer to safety"),
    (PLAIN + EXAMPLE.replace("safety", "courage"), "examples[0] has no answer to safety."),
    (PLAIN + EXAMPLE.replace("seeker: ", ""), "write a turn as"),
    (PLAIN.replace("plain", "json") + EXAMPLE, "has no reasoning for safety"),
]


@pytest.mark.parametrize(("text", "words"), MISTAKES)
def test_a_mistake_is_named_with_its_place(text, words):
    with pytest.raises(loading.TemplateError) as refusal:
        loading.read(text, SAFETY)

    assert any(words in problem for problem in refusal.value.problems)


def test_what_an_item_says_fills_no_place():
    template = loading.read(PLAIN, SAFETY)
    (prompt,) = prompts_of(template, SAFETY)

    assert "I cannot sleep.\n\n{{item}}" in prompt.messages[1]["content"]


def test_node_by_node_an_example_answers_the_questions_on_its_way():
    template = loading.read(PLAIN.replace("\n", '\nasking = "sequential"\n', 1) + EXAMPLE, SAFETY)
    said = [
        [one["content"] for one in prompt.messages if one["role"] == "assistant"]
        for prompt in prompts_of(template, SAFETY)
    ]

    assert said[:3] == [["No"], ["No"], ["Yes"]]
    assert not any(said[3:])


@pytest.mark.parametrize("order", list(ReasoningOrder))
@pytest.mark.parametrize("answers", ["json", "plain"])
@pytest.mark.parametrize("asking", list(AskingManner))
def test_whatever_the_order_an_answer_in_the_form_asked_for_is_read(order, answers, asking):
    text = (
        f'answers = "{answers}"\nasking = "{asking}"\norder = "{order}"\n'
        'system = "{{criteria}}"\nuser = "{{item}} {{answer_form}}"\n'
        '[[examples]]\ndialogue = ["seeker: I want to die."]\nreply = "supporter: Call 988."\n'
        "answers = {empathy = 0, emotion_regulation = 0, exploration = 0, risk_assessment = 1,"
        " referral = 1}\n[examples.reasoning]\n"
        + "".join(f'{one.key} = "The reply says little of it."\n' for one in CRISIS.criteria)
    )
    template = loading.read(text, CRISIS)
    requests = every_request(CRISIS, template.manner)
    found = {}
    for questions, prompt in zip(requests, prompts_of(template, CRISIS), strict=True):
        (said,) = [one["content"] for one in prompt.messages if one["role"] == "assistant"]
        found |= parsing.read(questions, WrittenAnswer(text=said), as_json=template.as_json)

    assert not [one for one in found.values() if isinstance(one, Unreadable)]
    assert found == dict(template.examples[0].answers)
    if template.as_json and template.reasons:
        first, _second = next(iter(prompt.schema["properties"].values()))["properties"]
        assert first == ("answer" if order == ReasoningOrder.VERDICT_FIRST else "reasoning")
