"""What looks wrong in an item is shown before it is rated, and what does not is left alone."""

import pytest

from annotation.rules.doubting import LONG, WORDS, TextDoubt, doubts_about

TALK = [
    {"speaker": "seeker", "text": "I cannot sleep."},
    {"speaker": "supporter", "text": "Since when?"},
    {"speaker": "seeker", "text": "Since spring – naïve, I know."},
]
REPLIES = {
    "UTF-8 read as Latin-1": ("Iâ€™m here for you.", TextDoubt.MOJIBAKE),
    "an accent read as Latin-1": ("Un cafÃ© helps.", TextDoubt.MOJIBAKE),
    "a character that was lost": ("It is \ufffd hard.", TextDoubt.MOJIBAKE),
    "GBK that was lost": ("锟斤拷你好。", TextDoubt.MOJIBAKE),
    "an AI that refuses": ("I'm sorry, but I cannot assist with that.", TextDoubt.REFUSAL),
    "a language model that says so": (
        "As an AI language model, I feel nothing.",
        TextDoubt.REFUSAL,
    ),
    "a refusal in Chinese": ("作为一个人工智能，我没有感情。", TextDoubt.REFUSAL),
    "a comma at the end": ("You could try, for a start,", TextDoubt.CUT_OFF),
    "a long reply without an end": ("You could try to " * (LONG // 10) + "wri", TextDoubt.CUT_OFF),
    "a place that was not filled": ("Dear {name}, be kind.", TextDoubt.RESIDUE),
    "another one": ("Yours, [Your Name].", TextDoubt.RESIDUE),
    "a token of a prompt": ("<|im_start|>Rest well.", TextDoubt.RESIDUE),
    "what an LLM thought": ("<think>He is sad.</think>Rest well.", TextDoubt.RESIDUE),
    "a comma as EmpatheticDialogues has it": ("Rest_comma_ and sleep.", TextDoubt.RESIDUE),
    "markup": ("Rest well.<br>Take care.", TextDoubt.RESIDUE),
    "a speaker in the text": ("Rest well.\nSeeker: I will.", TextDoubt.NO_SPEAKERS),
}
PLAIN = [
    "Rest well.",
    "那一定很难受。",
    "Café au lait, naïve and all: âme, Ängste.",
    "I am sorry, but I cannot imagine how hard it is.",
    "no worries",
    None,
]


@pytest.mark.parametrize(("reply", "doubt"), REPLIES.values(), ids=REPLIES)
def test_what_looks_wrong_is_found_and_shown(reply, doubt):
    [(found, shown)] = doubts_about(TALK, reply)
    assert found is doubt
    assert shown in reply
    assert doubt in WORDS


@pytest.mark.parametrize("reply", PLAIN)
def test_plain_replies_raise_no_doubt(reply):
    assert list(doubts_about(TALK, reply)) == []


def test_a_dialogue_in_which_one_speaker_has_every_turn_lacks_its_marks():
    alone = [{"speaker": "seeker", "text": text} for text in ("Hello.", "Hi.", "How are you?")]
    assert [doubt for doubt, _shown in doubts_about(alone, "Well.")] == [TextDoubt.NO_SPEAKERS]
    assert list(doubts_about(alone[:1], "Well.")) == []


@pytest.mark.parametrize(
    "text",
    [
        "Hi<br>Therapist: Yo",
        r"Hi\nTherapist: Yo",
        "你好 咨询师：怎么了",
        "Client (F): a\nTherapist: b",
        "1. Client: a\n2. Therapist: b",
        "[00:01] Client: a",
        "a\nDr. Smith: b",
        "Hi Assistant: Yo Human: Bye",
        "Client 1: a\nTherapist 1: b",
        "CLIENT - a\nTHERAPIST - b",
        "Client> a\nTherapist> b",
        "| Client | a |\n| Therapist | b |",
        "Client\ta\nTherapist\tb",
        "<client> a\n<counselor> b",
        "<v Client>a</v>\n<v Therapist>b</v>",
        '"Client: a"\n"Therapist: b"',
        "a __eou__ b __eou__",
        "a [SEP] b",
        "a <EOS> b",
        "a ||| b",
        '{"role": "user", "content": "a"}\n{"role": "assistant", "content": "b"}',
        "array(['a', 'b'], dtype=object)",
    ],
)
def test_speakers_that_were_not_read_as_such_are_in_doubt(text):
    assert TextDoubt.NO_SPEAKERS in dict(doubts_about([{"speaker": "seeker", "text": text}], None))


@pytest.mark.parametrize(
    "text",
    [
        'My phone said "User: blocked".',
        "I asked ChatGPT: nothing.",
        "OpenAI: a company.",
        "I told my therapist: help.",
        "他说“医生：不”。",
        "My\ntherapist - a kind man - left.",
        "Therapist - left. Client of his - me.",
    ],
)
def test_who_is_quoted_or_told_something_is_no_speaker(text):
    assert TextDoubt.NO_SPEAKERS not in dict(
        doubts_about([{"speaker": "seeker", "text": text}], None)
    )


CHATS = [
    "[2024-05-01 10:02] Ellie: Hi\n[2024-05-01 10:03] Dr Smith: Yo",
    "[01/05/24, 10:02:33] Ellie: Hi\n[01/05/24, 10:02:40] Tom: Yo",
    "01/05/2024, 10:02 - Ellie: Hi\n01/05/2024, 10:03 - Tom: Yo",
    "2024-05-01T10:02:33Z Ellie: Hi\n2024-05-01T10:02:40Z Tom: Yo",
    "2024年5月1日 10:02 小明：你好\n2024年5月1日 10:03 小红：你好",
    "Ellie (10:02): Hi\nTom (10:03): Yo",
    "Ellie  10:02 AM\nHi\nTom  10:03 AM\nYo",
    "小明 2024/5/1 10:02:33\n你好\n小红 2024/5/1 10:03:02\n你好",
    "2024-05-01 Ellie: Hi\n2024-05-02 Tom: Yo",
    "00:01 Ellie: Hi\n00:07 Tom: Yo",
    "Ellie: Hi\nI am sad.\nTom: Yo\nEllie: Bye",
    "SPEAKER_00: Hi\nthere.\nSPEAKER_01: Yo\nSPEAKER_00: Bye",
    "P: Hi\nthere.\nT: Yo\nP: Bye",
    "问：你好\n我很难过。\n答：怎么了\n问：睡不着",
    "Q: Hi\nA: Yo",
    "S1: Hi\nS2: Yo",
    "问：你好\n答：怎么了",
    "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHi\n\n00:00:03.000 --> 00:00:04.000\nYo",
    "<ellie> Hi\n<tom> Yo\n<ellie> Bye",
    "[Ellie] Hi\nthere.\n[Tom] Yo\n[Ellie] Bye",
    "**Ellie:** Hi\nthere.\n**Tom:** Yo\n**Ellie:** Bye",
]


@pytest.mark.parametrize("text", CHATS)
def test_a_chat_of_people_of_any_name_is_in_doubt(text):
    [(doubt, shown)] = doubts_about([{"speaker": "seeker", "text": text}], None)
    assert doubt is TextDoubt.NO_SPEAKERS
    assert shown in text


@pytest.mark.parametrize(
    "text",
    [
        "Title: Sleep\nPost: None.",
        "Age: 20\nTopic: sleep\nText: None.",
        "Bold: a\nBold: b\nBold: c",
        "Step 1: a\nStep 2: b\nNote: c",
        "https://a.example\nNote: b\nhttps://c.example",
        "I lay awake until 10:02: nothing helped.\nThen I slept.",
        "It began on 2024-05-01: he left.",
        "10:30 I got up.\n11:00 I cried.",
        "[Name] left me.\n[Name] came back.",
    ],
)
def test_a_text_of_one_person_is_no_chat(text):
    assert list(doubts_about([{"speaker": "seeker", "text": text}], None)) == []


def test_lines_that_begin_alike_in_a_dialogue_with_its_speakers_are_no_chat():
    listed = "Pro: a\nCon: b\nPro: c\nCon: d"
    assert list(doubts_about([*TALK, {"speaker": "supporter", "text": listed}], None)) == []
    assert list(doubts_about(TALK, listed)) == []


@pytest.mark.parametrize("sign", ["\n", "{{", "#", "<p ", "Ellie: a\n", " ", "[client", "10:02 "])
def test_a_sign_that_is_set_again_and_again_is_looked_through_in_time(sign):
    short, long = ("a" + sign * times + "b" for times in (9, 60_000 // len(sign)))

    def doubts(text):
        return [doubt for doubt, _ in doubts_about([{"speaker": "seeker", "text": text}], text)]

    assert doubts(long)[:-1] == doubts(short)


def test_a_reply_that_is_the_last_turn_too_is_in_doubt():
    talk = [*TALK, {"speaker": "supporter", "text": "Rest well."}]
    assert list(doubts_about(talk, " Rest well.\n")) == [(TextDoubt.REPLY_TWICE, " Rest well.\n")]
    assert list(doubts_about(talk, "Rest.")) == []
    assert list(doubts_about(talk, None)) == []
    assert list(doubts_about([], "Rest well.")) == []


def test_what_is_shown_says_where_it_stands():
    long = "Rest. " * 40
    [(_, residue)] = doubts_about(TALK, f"{{name}}, be kind. {long}")
    assert residue.startswith("{name}, be kind.")
    [(_, cut)] = doubts_about(TALK, f"{long}You could,")
    assert long.endswith(cut.removesuffix("You could,"))
    assert cut.endswith("You could,")
    alone = [{"speaker": "seeker", "text": text} for text in ("Hello.", "Hi.", "How are you?")]
    [(_, last)] = doubts_about(alone, "Well.")
    assert last == "How are you?"


def test_two_turns_of_one_speaker_and_a_reply_that_ends_in_space_raise_no_doubt():
    alone = [{"speaker": "seeker", "text": text} for text in ("Hello.", "Hi.")]
    assert list(doubts_about(alone, "Well.")) == []
    assert list(doubts_about(TALK, "You could try to " * (LONG // 10) + "rest.  ")) == []
    exactly = "a" * LONG
    assert [doubt for doubt, _ in doubts_about(TALK, f"{exactly}  ")] == [TextDoubt.CUT_OFF]
    assert list(doubts_about(TALK, exactly[1:])) == []
