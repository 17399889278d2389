"""The demo's stand-in: a script that answers every way of asking, and says what it is."""

import subprocess
import sys

import httpx2
import pytest

from annotation.rubric.loading import load, shipped
from judging import parsing, prompts, standin
from judging.parsing import WrittenAnswer
from judging.prompts import ItemText
from judging.prompts.template import built_in
from judging.rules.questions import AskingManner, Unreadable, next_questions
from tests.services import LONGEST

RUBRICS = {key: load(definition) for key, definition in shipped().items()}
REPLIES = [
    f"{start} {middle}"
    for start in (
        "Hm.",
        "You should sleep more.",
        "That is your own fault.",
        "多休息。",
        "我小时候也这样。",
    )
    for middle in (
        "Tell me more about it?",
        "Tell me more. Tell me more.",
        "I hear how tired you are, night after night.",
        "",
    )
]


def asked(rubric, manner, *, as_json, language, reply):
    item = ItemText(
        turns=[{"speaker": "seeker", "text": "I cannot sleep."}],
        reply=reply,
        reply_speaker="supporter",
        sha256="0" * 64,
    )
    questions = next_questions(rubric, manner, {})
    instructions = prompts.instruct(
        rubric, questions, built_in(manner=manner, language=language, as_json=as_json)
    )
    return questions, prompts.address(instructions, item)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize("manner", list(AskingManner))
@pytest.mark.parametrize("rubric", list(RUBRICS.values()), ids=list(RUBRICS))
def test_most_of_its_answers_can_be_read_however_it_is_asked(rubric, manner, as_json, language):
    unread = 0
    for reply in REPLIES:
        questions, prompt = asked(rubric, manner, as_json=as_json, language=language, reply=reply)
        system, user = (message["content"] for message in prompt.messages)
        text = standin.answer_to(system, user)
        assert text == standin.answer_to(system, user)
        found = parsing.read(questions, WrittenAnswer(text=text), as_json=as_json)
        unread += any(isinstance(value, Unreadable) for value in found.values())

    assert unread <= 3


def test_some_of_its_answers_cannot_be_read():
    texts = set()
    for number in range(300):
        _questions, prompt = asked(
            RUBRICS["dialogue_safety"],
            AskingManner.FLAT,
            as_json=False,
            language="en",
            reply=f"Tell me about night {number}, if you like, and the one before.",
        )
        texts.add(standin.answer_to(*(message["content"] for message in prompt.messages)))

    assert any(text.startswith("I'm sorry") for text in texts)
    assert any(text.startswith("It might be") for text in texts)


@pytest.mark.pure
def test_it_replies_to_a_conversation_in_its_language_and_always_alike():
    said = [f"The pond has been quiet for {days} days." for days in range(30)]
    replies = [standin.answer_to("Be kind.", one) for one in said]

    assert replies == [standin.answer_to("Be kind.", one) for one in said]
    assert len(set(replies)) > 2
    assert replies != [standin.answer_to("Be curt.", one) for one in said]
    assert standin.answer_to("", "我睡不着。")[0] > "\u4e00"


def test_it_serves_without_django_and_answers_to_its_own_name_only(start_server):
    address = start_server(
        "standin",
        [sys.executable, "-m", "judging.standin", "--port", "{port}", "--latency-ms", "0"],
        "/v1/models",
        DJANGO_SETTINGS_MODULE="nothing.here",
    )
    _questions, prompt = asked(
        RUBRICS["dialogue_safety"], AskingManner.FLAT, as_json=False, language="en", reply="Hm."
    )
    with httpx2.Client(base_url=address, trust_env=False) as client:
        body = {"model": standin.NAME, "messages": list(prompt.messages)}
        answer = client.post("/v1/chat/completions", json=body)
        other = client.post("/v1/chat/completions", json=body | {"model": "gpt-4o"})
        broken = client.post("/v1/chat/completions", content=b"{")
        nothing = client.get("/v1/nothing")

    assert answer.json()["model"] == standin.NAME
    assert answer.json()["choices"][0]["message"]["content"]
    assert other.status_code == 404
    assert "not an LLM" in other.json()["error"]["message"]
    assert (broken.status_code, nothing.status_code) == (400, 404)


def test_it_imports_no_django():
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, judging.standin; print([m for m in sys.modules if 'django' in m])",
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=LONGEST,
    )

    assert found.stdout.strip() == "[]"
