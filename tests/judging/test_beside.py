"""What judges say beside their values: asked in people's words, and held against the text."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.rubric.answers import Answer
from annotation.rubric.grounds import QUESTIONS, Passage
from annotation.rubric.loading import load, parse_toml, shipped
from annotation.rubric.schema import Ground
from judging import parsing, prompts, standin
from judging.interviews import Interview
from judging.parsing import WrittenAnswer
from judging.parsing.beside import passage_of
from judging.prompts import ItemText
from judging.prompts.template import ReasoningOrder, built_in
from judging.rules.questions import AskingManner, Unreadable, every_request
from tests.graphs import CARE_TOML
from tests.judging.test_same_words import form_of, prompt_of
from tests.rubric.test_grounds import SURE, SURE_TOML

PLAIN = load(
    parse_toml(SURE_TOML.replace('"rationale", "evidence", "confidence", "defensible"', ""))
)
ITEM = ItemText(
    turns=[
        {"speaker": "seeker", "text": "I cannot  sleep — at all."},
        {"speaker": "supporter", "text": "你还好吗？🙂 我在。"},
    ],
    reply="Tell me “more”. Tell me about the night.",
    reply_speaker="supporter",
    sha256="0" * 64,
)
WHOLE = {
    "reasoning": "It asks.",
    "answer": 2,
    "confidence": 1,
    "defensible": [3, 2, 9],
    "evidence": ["about the night", "It never said this."],
    "rationale": "It stays with the night.",
}


def said(value, *, clarity=1, rubric=SURE, manner=AskingManner.FLAT):
    """What an answer about warmth comes to: the answer, and what is said beside it."""
    text = value if isinstance(value, str) else json.dumps({"warmth": value, "clarity": clarity})
    interview = Interview(rubric=rubric, template=built_in(manner=manner, as_json=True))
    exchanges = [{"text": text, "finish": "stop", "refusal": False}]
    concluded = interview.conclude(exchanges)
    return concluded["warmth"], interview.beside(ITEM, exchanges, concluded)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_judges_are_asked_in_the_words_in_which_people_are_asked(language):
    form, prompt = form_of(SURE, language), prompt_of(SURE, AskingManner.FLAT, language)
    for question in QUESTIONS.values():
        assert question.in_(language) in form
    for manner in (AskingManner.FLAT, AskingManner.EACH):
        [first, *_others] = every_request(SURE, manner)
        asked = built_in(manner=manner, language=language, as_json=True)
        told = prompts.instruct(SURE, first, asked)
        for question in QUESTIONS.values():
            assert question.in_(language) in told.system
        members = told.schema["properties"]["warmth"]["properties"]
        assert [*members] == ["reasoning", "answer", *Ground]
        assert told.schema["properties"]["warmth"]["required"] == [*members]
    assert all(question.in_(language) not in prompt for question in QUESTIONS.values())


def test_who_asks_for_nothing_beside_a_value_sends_what_was_sent_before():
    [questions] = every_request(PLAIN, AskingManner.FLAT)
    told = prompts.instruct(PLAIN, questions, built_in(as_json=True))
    assert "Beside" not in told.system
    assert [*told.schema["properties"]["warmth"]["properties"]] == ["reasoning", "answer"]


def test_it_is_read_beside_the_value_and_quotations_are_held_against_the_text():
    answer, [beside] = said(WHOLE)
    assert answer == Answer(criterion="warmth", score=2)
    assert (beside.confidence, beside.defensible) == (1, ("3",))
    assert [one.quoted(ITEM.texts) for one in beside.evidence] == ["about the night"]
    assert beside.unverified == ("It never said this.",)
    assert beside.rationale == "It stays with the night."


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("about the night", (3, "about the night")),
        ("Tell me", (3, "Tell me")),
        ("[seeker] I cannot sleep - at all.", (1, "I cannot  sleep — at all.")),
        ('"tell me \\"more\\"."'.replace("\\", ""), (3, "Tell me “more”.")),
        ("…about the night…", (3, "about the night")),
        ("我在", (2, "我在")),
        ("你还好吗?", (2, "你还好吗？")),
        ("🙂", None),
        ("I cannot sleep at all", None),
        ("", None),
    ],
)
def test_a_quotation_is_found_whatever_its_blanks_width_and_quotation_marks(quote, found):
    _answer, beside = said({**WHOLE, "evidence": [quote]})
    passages = [(one.turn, one.quoted(ITEM.texts)) for one in beside[0].evidence]
    assert passages == ([found] if found else [])
    assert beside[0].unverified == (() if found or not quote.strip("🙂") else (quote,))


@pytest.mark.parametrize(
    "value",
    [
        {"answer": 2},
        {"answer": 2, "confidence": "very", "defensible": "all", "evidence": 4, "rationale": []},
        {"answer": 2, "confidence": None, "defensible": [], "evidence": [], "rationale": ""},
        {"answer": 2, "confidence": True, "defensible": {"a": 1}, "evidence": [None, {}]},
        2,
    ],
)
def test_what_cannot_be_read_beside_a_value_leaves_the_value_alone(value):
    answer, beside = said(value)
    assert answer == Answer(criterion="warmth", score=2)
    assert beside == ()


@pytest.mark.parametrize("length", range(15, 150, 5))
def test_an_answer_that_is_cut_off_never_takes_how_sure_for_the_value(length):
    text = json.dumps({"warmth": {"answer": 2, "confidence": 3, "evidence": ["4"]}, "clarity": 1})
    answer, _beside = said(text[:length])
    assert not isinstance(answer, Answer) or answer.score == 2


def test_a_value_that_cannot_be_read_has_nothing_beside_it():
    _answer, beside = said({**WHOLE, "answer": 7})
    assert beside == ()


def test_nothing_is_kept_that_no_database_keeps():
    text = json.dumps({"warmth": {**WHOLE, "rationale": "a\0b\ud83d", "evidence": ["x\ud83d\0"]}})
    _answer, [beside] = said(text)
    assert beside.rationale == "ab?"
    assert beside.unverified == ("x?",)


words = st.text(alphabet="ab \n“\"'’.A你，,", min_size=1, max_size=20)


@given(st.lists(words, min_size=1, max_size=3), st.data())
def test_what_is_quoted_word_for_word_is_always_found_and_what_is_found_is_the_same_words(
    texts, data
):
    text = data.draw(st.sampled_from(texts))
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start + 1, len(text)))]
    found = passage_of(quote, texts)
    assert isinstance(found, Passage)
    assert found.quoted(texts) == quote
    other = data.draw(words)
    if (found := passage_of(other, texts)) is not None:
        bare = [
            "".join(one.split()).casefold().translate(str.maketrans("“’，", "\"',"))
            for one in (other, found.quoted(texts))
        ]
        assert bare[0] == bare[1]


def test_questions_of_a_graph_are_asked_without():
    graph = load(
        parse_toml(
            CARE_TOML.replace('key = "walk"\n', 'key = "walk"\ngrounds = ["confidence"]\n', 1)
        )
    )
    [questions] = every_request(graph, AskingManner.FLAT)
    told = prompts.instruct(graph, questions, built_in(as_json=True))
    assert "confidence" not in told.system


def test_the_stand_in_answers_them_too():
    interview = Interview(rubric=SURE, template=built_in(as_json=True))
    prompt = interview.first_prompt(ITEM)
    texts = {one["role"]: one["content"] for one in prompt.messages}
    answer = standin.answer_to(texts["system"], texts["user"])
    exchanges = [{"text": answer, "finish": "stop", "refusal": False}]
    beside, others = interview.beside(ITEM, exchanges, interview.conclude(exchanges))
    assert (others.criterion, bool(others.rationale), others.confidence) == ("clarity", True, None)
    assert beside.evidence or beside.unverified
    assert beside.rationale
    found = parsing.read(
        every_request(SURE, AskingManner.FLAT)[0], WrittenAnswer(text=answer), as_json=True
    )
    assert all(isinstance(value, int) for value in found.values())


# An answer, how it was asked for, and the reasons that are kept of it.
REASONS = [
    ({"warmth": {"reasoning": "It stays.", "answer": 2}, "clarity": 1}, {"warmth": "It stays."}),
    ({"warmth": {"answer": 2, "理由": "陪伴。"}, "clarity": {"answer": 1}}, {"warmth": "陪伴。"}),
    ({"warmth": {"reasoning": "Why.", "answer": "nothing"}, "clarity": 1}, {}),
    ({"warmth": {"reasoning": ["It", "stays"], "answer": 2}, "clarity": 1}, {}),
]


@pytest.mark.parametrize(("answer", "kept"), REASONS)
def test_the_reasoning_beside_a_value_is_kept_where_the_rubric_asks_for_nothing(answer, kept):
    exchanges = [exchange(json.dumps(answer, ensure_ascii=False))]
    interview = Interview(rubric=PLAIN, template=built_in(as_json=True))
    found = interview.beside(ITEM, exchanges, interview.conclude(exchanges))
    assert {one.criterion: one.rationale for one in found} == kept


def test_what_the_rubric_asks_for_goes_before_the_reasoning():
    _answer, [beside] = said({**WHOLE, "reasoning": "Thinking aloud."})
    assert beside.rationale == WHOLE["rationale"]
    _answer, [beside] = said({**WHOLE, "rationale": "", "reasoning": "Thinking aloud."})
    assert beside.rationale == "Thinking aloud."


def test_node_by_node_the_reasons_of_each_node_are_those_of_the_label():
    rubric = load(shipped()["dialogue_safety"])
    interview = Interview(
        rubric=rubric, template=built_in(manner=AskingManner.SEQUENTIAL, as_json=True)
    )
    exchanges, told = [], []
    for answer in ("no", "no", "yes"):
        [asked] = interview.next_prompt(ITEM, exchanges).asked
        told.append(f"Of {asked}.")
        member = {"reasoning": told[-1], "answer": answer}
        exchanges.append({**exchange(json.dumps({"safety": member})), "asked": [asked]})
    assert interview.next_prompt(ITEM, exchanges) is None
    [beside] = interview.beside(ITEM, exchanges, interview.conclude(exchanges))
    assert beside.rationale == "\n".join(told)


def test_in_plain_words_reasons_are_kept_where_one_question_is_asked():
    exchanges = [
        {**exchange("<think>Hm.</think>It stays with the night.\nwarmth: 2"), "asked": ["warmth"]},
        {**exchange("1"), "asked": ["clarity"]},
    ]
    plain = replace(
        built_in(manner=AskingManner.EACH, as_json=False), order=ReasoningOrder.REASONING_FIRST
    )
    asked = Interview(rubric=PLAIN, template=plain)
    found = asked.beside(ITEM, exchanges, asked.conclude(exchanges))
    assert found[0].rationale == "It stays with the night.\nwarmth: 2"
    values_only = replace(plain, order=ReasoningOrder.VERDICT_ONLY)
    asked = Interview(rubric=PLAIN, template=values_only)
    assert asked.beside(ITEM, exchanges, asked.conclude(exchanges)) == ()


# What is written to two questions at once, and what of it is about which of them.
AT_ONCE = [
    ("warmth: 2\nclarity: 1", {}),
    ("Warmth: 2/3\nClarity: a score of 1", {}),
    (
        "**Warmth**: 2 – It stays.\n**Clarity**: 1 – Two questions in one.",
        {
            "warmth": "**Warmth**: 2 – It stays.",
            "clarity": "**Clarity**: 1 – Two questions in one.",
        },
    ),
    (
        "Warmth\nIt stays.\nScore: 2\n\nClarity\nIt asks twice.\nScore: 1\n\nOverall, a good reply.",
        {"warmth": "It stays.", "clarity": "It asks twice."},
    ),
    (
        "1. Warmth: 2\n   - It stays.\n   - It waits.\n2. Clarity: 1\nIn summary, it is fine.",
        {"warmth": "- It stays.\n- It waits."},
    ),
    (
        "| Criterion | Score | Why |\n|---|---|---|\n| Warmth | 2 | It stays. |\n| Clarity | 1 | – |",
        {"warmth": "| Warmth | 2 | It stays. |"},
    ),
    (
        "The warmth is real. The clarity suffers. Both could be better.\n\nwarmth: 2\nclarity: 1",
        {"warmth": "The warmth is real.", "clarity": "The clarity suffers."},
    ),
    ("Its warmth and its clarity are of one piece.\nwarmth: 2\nclarity: 1", {}),
    (
        "<think>Warmth: 3, as it waits.</think>\nWarmth: 2, as it stays.\nClarity: 1",
        {"warmth": "Warmth: 2, as it stays."},
    ),
    (
        "温暖度：2分，因为它陪伴。\nwarmth: 2\nclarity: 1分，两个问题。",
        {"clarity": "clarity: 1分，两个问题。"},
    ),
    (
        "Warmth: 2, because it stays; Clarity: 1, as it asks twice.",
        {"warmth": "Warmth: 2, because it stays", "clarity": "Clarity: 1, as it asks twice."},
    ),
    (
        "1. warmth: 2 (it stays); 2. clarity: 1 (two questions). Overall, a good reply.",
        {"warmth": "warmth: 2 (it stays)", "clarity": "clarity: 1 (two questions)"},
    ),
    (
        "warmth: 2, it asks about the night | clarity: 1, it asks nothing plainly",
        {
            "warmth": "warmth: 2, it asks about the night",
            "clarity": "clarity: 1, it asks nothing plainly",
        },
    ),
    (
        "warmth：2分，因为它陪伴；clarity：1分，两个问题。总之，不错。",
        {"warmth": "warmth：2分，因为它陪伴", "clarity": "clarity：1分，两个问题"},
    ),
    ("warmth: 2; clarity: 1", {}),
    # Words that lead to the values are about neither, and what comes after about none alone.
    ("My ratings, as it stays: warmth: 2; clarity: 1\nIt waits as well.", {}),
]


@pytest.mark.parametrize(("text", "kept"), AT_ONCE)
def test_in_plain_words_each_reason_is_kept_beside_the_value_that_it_is_about(text, kept):
    exchanges = [exchange(text)]
    asked = Interview(
        rubric=PLAIN,
        template=replace(built_in(as_json=False), order=ReasoningOrder.REASONING_FIRST),
    )
    concluded = asked.conclude(exchanges)
    assert [concluded[key].score for key in ("warmth", "clarity")] == [2, 1]
    found = asked.beside(ITEM, exchanges, concluded)
    assert {one.criterion: one.rationale for one in found} == kept


def test_what_was_told_of_somebody_else_is_no_reason_of_the_judge():
    asked = Interview(
        rubric=PLAIN,
        template=replace(built_in(as_json=False), order=ReasoningOrder.REASONING_FIRST),
    )
    exchanges = [exchange("The expert: Warmth: 3, as it is kind.\n\nwarmth: 2\nclarity: 1")]
    assert asked.beside(ITEM, exchanges, asked.conclude(exchanges)) == ()
    exchanges = [exchange("warmth: 2; clarity: 1; the expert: warmth: 3, as it is kind")]
    assert asked.beside(ITEM, exchanges, asked.conclude(exchanges)) == ()


MIXED = replace(
    PLAIN, criteria=(*PLAIN.criteria, load(shipped()["dialogue_safety"]).criteria[0]), groups=()
)


def test_a_label_among_scales_has_its_reason_too_and_its_code_is_no_level():
    asked = Interview(
        rubric=MIXED,
        template=replace(built_in(as_json=False), order=ReasoningOrder.REASONING_FIRST),
    )
    told = "warmth: 2, it stays.\nclarity: 1\nsafety: Nonsense, as nothing connects."
    concluded = asked.conclude([exchange(told)])
    found = asked.beside(ITEM, [exchange(told)], concluded)
    assert concluded["safety"].label == "nonsense"
    assert {one.criterion: one.rationale for one in found} == {
        "warmth": "warmth: 2, it stays.",
        "safety": "safety: Nonsense, as nothing connects.",
    }
    concluded = asked.conclude([exchange("I give warmth a 2, clarity a 1 and safety a 3.")])
    assert [concluded[key].score for key in ("warmth", "clarity")] == [2, 1]
    assert concluded["safety"].label == "unamiable_judgment"
    # A number that stands before the name of what has labels is no value of a scale beside it either.
    concluded = asked.conclude([exchange("2 for warmth, 1 for clarity and 3 for safety")])
    assert all(isinstance(one, Unreadable) for one in concluded.values())


@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "I'm sorry, but I can't help with that.",
        # Said twice, nobody knows which of both the reason is of.
        '{"warmth": {"answer": 2, "rationale": "a"}, "warmth": {"answer": 1, "rationale": "b"}}',
        # What lies so deep is no member of the answer.
        '{"a": {"b": {"c": {"d": {"warmth": {"answer": 2, "rationale": "deep"}}}}}}',
    ],
)
def test_where_no_value_is_read_no_reason_is_kept(text, as_json):
    asked = Interview(rubric=SURE if as_json else PLAIN, template=built_in(as_json=as_json))
    asked = replace(asked, template=replace(asked.template, order=ReasoningOrder.REASONING_FIRST))
    exchanges = [exchange(text)]
    assert asked.beside(ITEM, exchanges, asked.conclude(exchanges)) == ()


def exchange(text):
    return {"text": text, "finish": "stop", "refusal": False}
