"""What a file of items says, and what is said of a bad one. No database."""

import csv
import io
import json
import os
import zipfile
from dataclasses import replace

import openpyxl
import pytest

from annotation.readers import workbooks
from annotation.readers.items import ItemFile
from annotation.readers.problems import CannotRead, FileProblem
from annotation.readers.records import MOST_ROWS, Source, limited
from annotation.rubric.loading import load, shipped

SAFETY = load(shipped()["dialogue_safety"])
SCALES = load(shipped()["mentalalign"])


def rows_of(source, rubric=SAFETY):
    return [row for row in ItemFile(source, rubric) if not isinstance(row, FileProblem)]


def problems_of(source, rubric=SAFETY):
    return [row.words for row in ItemFile(source, rubric) if isinstance(row, FileProblem)]


def test_the_dialogue_safety_layout_gives_turns_a_reply_and_the_experts_label(put):
    source = put(
        "test.json",
        json.dumps(
            [
                {
                    "context": "[seeker]我睡不好。[supporter]多久了？\n[seeker]两周。",
                    "response": "[supporter]是什么让你醒着？",
                    "label": 7,
                },
                {"context": "[seeker]怎么办？", "response": "[seeker]不知道", "label": 0},
            ],
            ensure_ascii=False,
            indent=2,
        ),
    )
    file = ItemFile(source, SAFETY)
    first, second = file

    assert file.layout == "DialogueSafety"
    assert first.key == "0"
    assert first.turns == (
        {"speaker": "seeker", "text": "我睡不好。"},
        {"speaker": "supporter", "text": "多久了？"},
        {"speaker": "seeker", "text": "两周。"},
    )
    assert (first.reply_speaker, first.reply) == ("supporter", "是什么让你醒着？")
    assert [(answer.criterion, answer.label) for answer in first.gold] == [
        ("safety", "safe_response")
    ]
    assert (second.key, second.reply_speaker) == ("1", "seeker")
    assert second.gold[0].label == "nonsense"


ENTRIES = [
    {
        "context": "[seeker]Hi\n[supporter]Yes?",
        "response": "[supporter]Ho",
        "label": "Safe Response",
    },
    {"context": "[Seeker]Oh", "response": "[Supporter]Be quiet.", "label": "4"},
    {"context": "[seeker]Ah", "response": "Tell me."},
]


def as_csv(entries) -> str:
    text = io.StringIO()
    table = csv.DictWriter(text, fieldnames=["context", "response", "label"])
    table.writeheader()
    table.writerows(entries)
    return text.getvalue()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("train.json", json.dumps(ENTRIES)),
        ("train.jsonl", "\n\n".join(map(json.dumps, ENTRIES))),
        ("train.csv", as_csv(ENTRIES)),
    ],
)
def test_the_dialogue_safety_layout_is_known_by_its_fields(put, name, text):
    file = ItemFile(put(name, text), SAFETY)
    rows = list(file)
    assert file.layout == "DialogueSafety"
    assert [row.key for row in rows] == ["0", "1", "2"]
    assert [[answer.label for answer in row.gold] for row in rows] == [
        ["safe_response"],
        ["toxic_language"],
        [],
    ]
    assert rows[1].turns == ({"speaker": "seeker", "text": "Oh"},)
    assert (rows[1].reply_speaker, rows[1].reply) == ("supporter", "Be quiet.")


@pytest.mark.parametrize("is_text", [False, True], ids=["list", "text"])
def test_the_dialogue_safety_layout_has_what_other_items_have(put, is_text):
    said = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yo"}]
    said.append({"role": "user", "content": "Bye"})
    more = {
        "model": "owl",
        "content_note": "Loss.",
        "attributes": {"topic": "grief"},
        "mood": "low",
    }
    context = json.dumps(said) if is_text else said
    row = {"context": context, "response": '["Ho"]', "label": "safe_response", **more}
    file = ItemFile(put("i.json", json.dumps([row])), SAFETY)
    [item] = file
    assert [turn["text"] for turn in item.turns] == ["Hi", "Yo", "Bye"]
    assert (item.reply, item.generator, item.content_note) == ("Ho", "owl", "Loss.")
    assert item.attributes == {"topic": "grief"}
    assert [answer.label for answer in item.gold] == ["safe_response"]
    assert (file.layout, file.ignored) == ("DialogueSafety", {"mood"})


def test_a_label_beside_gold_of_the_same_taxonomy_is_refused(put):
    row = {"context": "Hi", "response": "Ho", "label": 0, "gold": {"safety": "safe_response"}}
    [problem] = problems_of(put("i.json", json.dumps([row])))
    assert "has this field twice" in problem


def test_items_of_the_dialogue_safety_layout_may_have_keys_of_their_own(put):
    source = put(
        "val.json", json.dumps([{"key": f"val-{n}"} | one for n, one in enumerate(ENTRIES)])
    )
    assert [row.key for row in rows_of(source)] == ["val-0", "val-1", "val-2"]


def test_a_sheet_is_a_table_like_any_other(sheet):
    source = sheet(
        "items.xlsx",
        [
            [None, None],
            ["key", "dialogue", None, "reply", "gold.safety", None, " "],
            [1.0, "[seeker]Hi", None, "Ho", 7],
            [2, "[seeker]Oh", "a note", "Ah"],
            [3, "[seeker]Oh", None, "Ah", None, "astray"],
        ],
    )
    file = ItemFile(source, SAFETY)
    first, second, third = file
    assert (first.key, first.reply, first.gold[0].label) == ("1", "Ho", "safe_response")
    assert (second.key, second.gold) == ("2", ())
    assert third.words.startswith("row 5: A cell stands behind the last column that has a name.")
    assert file.ignored == {"column 3"}


def test_replies_to_the_same_dialogue_share_its_key(put):
    source = put(
        "items.csv",
        "key,dialogue,reply\n1,[seeker]Hello,One\n2,[seeker]Hello,Two\n3,[seeker]Hello.,Three\n",
    )
    first, second, third = rows_of(source)
    assert first.dialogue_key == second.dialogue_key != third.dialogue_key
    assert first.content_sha256 != second.content_sha256


@pytest.mark.parametrize("mark", ["", "\N{BYTE ORDER MARK}"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_may_have_a_mark_and_another_separator(put, mark, separator):
    header = separator.join(
        ["Key", "dialogue", "reply", "generator", "content_note", "gold.safety"]
    )
    row = separator.join(
        ["a1", '"[seeker]Hi\n[supporter]Hello, you"', "Tell me", "gemini", "grief", "Safe Response"]
    )
    [item] = rows_of(put("items.csv", f"{mark}{header}\r\n{row}\r\n\r\n"))
    assert (item.key, item.reply, item.generator, item.content_note) == (
        "a1",
        "Tell me",
        "gemini",
        "grief",
    )
    assert item.turns[1] == {"speaker": "supporter", "text": "Hello, you"}
    assert item.gold[0].label == "safe_response"


def test_what_else_tells_items_apart_comes_in_as_attributes(put):
    table = "key,dialogue,reply,Attribute.Topic,attribute.age_band\n1,Hi,Ho, grief  at work ,\n"
    lines = (
        '{"key": 1, "dialogue": "Hi", "reply": "Ho", "attributes": {"topic": "悲伤", "wave": 2}}'
    )
    assert [dict(one.attributes) for one in rows_of(put("items.csv", table))] == [
        {"topic": "grief at work"}
    ]
    assert [dict(one.attributes) for one in rows_of(put("items.jsonl", lines))] == [
        {"topic": "悲伤", "wave": "2"}
    ]


BAD_ATTRIBUTES = {
    "of every item": (
        {"length": "long"},
        "“attribute.length”: Every item has “length” by itself. Give the attribute another name.",
    ),
    "not a name": (
        {"2nd topic": "x"},
        (
            "“attribute.2nd topic”: The name of an attribute begins with a letter and has at most 40 "
            "letters, digits, hyphens and underscores."
        ),
    ),
    "too long": (
        {"topic": "x" * 101},
        "“attribute.topic”: It is 101 characters long; this field may have 100. Shorten it.",
    ),
    "not text": ({"topic": ["a", "b"]}, "“attribute.topic”: This must be text."),
    "too many": (
        {f"a{number}": "x" for number in range(21)},
        "“attributes”: An item has at most 20 attributes; this one has 21.",
    ),
}


@pytest.mark.parametrize(("given", "words"), BAD_ATTRIBUTES.values(), ids=BAD_ATTRIBUTES)
def test_a_bad_attribute_is_named_with_what_to_do(put, given, words):
    line = json.dumps({"key": 1, "dialogue": "Hi", "reply": "Ho", "attributes": given})
    assert problems_of(put("items.jsonl", line + "\n")) == [f"line 1, {words}"]


def test_json_lines_may_give_the_turns_one_by_one(put):
    line = json.dumps(
        {
            "key": 7,
            "turns": [{"speaker": "seeker", "text": "Hi"}],
            "reply": "Hello",
            "gold": {"safety": 7},
        }
    )
    [item] = rows_of(put("items.jsonl", line + "\n"))
    assert (item.key, item.turns, item.gold[0].label) == (
        "7",
        ({"speaker": "seeker", "text": "Hi"},),
        "safe_response",
    )


HI, HO = {"speaker": "seeker", "text": "Hi"}, {"speaker": "supporter", "text": "Ho"}
CHATS = {
    "the last message is the reply": (
        {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]},
        ((HI,), "Ho"),
    ),
    "a reply beside them": (
        {
            "messages": [
                {"role": "Client", "content": "Hi"},
                {"role": "Therapist", "content": "Ho"},
            ],
            "reply": "Hello",
        },
        ((HI, HO), "Hello"),
    ),
    "the seeker speaks last": (
        {
            "conversations": [
                {"from": "human", "value": "Hi"},
                {"from": "gpt", "value": "Ho"},
                {"from": "human", "value": " Hi "},
            ]
        },
        ((HI, HO, HI), None),
    ),
    "the supporter speaks alone": (
        {"messages": [{"role": "assistant", "content": "Ho"}]},
        ((HO,), None),
    ),
}


AS_OTHERS_HAVE_THEM = {
    "ESConv": (
        {
            "dialog": [
                {"speaker": "seeker", "annotation": {}, "content": "Hi\n"},
                {"speaker": "supporter", "annotation": {"strategy": "Question"}, "content": "Ho"},
            ]
        },
        ((HI,), "Ho"),
    ),
    "pairs": ({"dialogue": [["usr", "Hi"], ["sys", "Ho"], ["usr", "Hi"]]}, ((HI, HO, HI), None)),
    "a prompt and a completion": (
        {"prompt": [{"role": "user", "content": "Hi"}], "completion": "Ho"},
        ((HI,), "Ho"),
    ),
    "parts of a message": (
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]},
        ((HI,), None),
    ),
    "turns of other names": (
        {"turns": [{"role": "来访者", "content": "Hi"}, {"role": "咨询师", "content": "Ho"}]},
        ((HI, HO), None),
    ),
    "as JSON in a text": ({"dialogue": '[{"from": "human", "value": "Hi"}]'}, ((HI,), None)),
    "as Python prints it": (
        {"messages": "[{'role': 'user', 'content': 'Hi'}, {'role': 'bot', 'content': 'Ho'}]"},
        ((HI,), "Ho"),
    ),
    "two posts": ({"seeker_post": "Hi", "response_post": "Ho"}, ((HI,), "Ho")),
    "a query and an output": ({"query": "Hi", "output": "Ho"}, ((HI,), "Ho")),
    "a question in Chinese": ({"问题": "Hi", "模型回复": "Ho"}, ((HI,), "Ho")),
    "lines that say who speaks": ({"context": "Client: Hi\nTherapist: Ho\n"}, ((HI, HO), None)),
    "in Chinese": ({"对话": "来访者：Hi\n咨询师：Ho", "回复": "咨询师：Ho"}, ((HI, HO), "Ho")),
    "on one line": ({"dialogue": "User: Hi! AI: Ho"}, (({**HI, "text": "Hi!"}, HO), None)),
}


@pytest.mark.parametrize(
    ("given", "read"), (CHATS | AS_OTHERS_HAVE_THEM).values(), ids=CHATS | AS_OTHERS_HAVE_THEM
)
def test_messages_of_programs_for_chats_are_turns(put, given, read):
    [item] = rows_of(put("items.jsonl", json.dumps({"key": 1, **given})))
    assert (item.turns, item.reply) == read


def test_what_a_program_was_instructed_is_no_turn_and_named_as_left_out(put):
    messages = [
        {"role": "system", "content": "You are a therapist."},
        {"role": "user", "content": "Hi"},
    ]
    file = ItemFile(put("items.json", json.dumps([{"key": 1, "messages": messages}])), SAFETY)
    [item] = file
    assert (item.turns, item.reply, file.ignored) == ((HI,), None, {"messages: system"})


def test_a_column_of_messages_is_named_as_left_out(put):
    file = ItemFile(put("items.csv", "key,dialogue,messages\n1,Hi,Ho\n"), SAFETY)
    [item] = file
    assert (item.turns, file.ignored) == ((HI,), {"messages"})


def test_an_item_whose_reply_was_not_published_has_none(put):
    [from_table] = rows_of(put("items.csv", "key,dialogue\n1,[seeker]Hi\n"))
    [from_lines] = rows_of(put("items.jsonl", '{"key": "1", "dialogue": "Hi", "reply": null}'))
    assert from_table.reply is None
    assert from_lines.reply is None


def test_a_workbook_holds_an_item_for_every_conversation_and_source(sheet):
    source = sheet(
        "w.xlsx",
        [
            ["ConvID", "context", " human_response_claude", "human_response_gpt4o"],
            [1, "I cannot sleep.", "{}", "{}"],
            [2, "I lost my job.", "{}", None],
        ],
    )
    rows = rows_of(source, SCALES)
    assert [row.key for row in rows] == ["1-claude", "1-gpt4o", "2-claude", "2-gpt4o"]
    assert {row.reply for row in rows} == {None}
    assert [row.generator for row in rows][:2] == ["claude", "gpt4o"]
    assert [row.dialogue_key for row in rows] == ["1", "1", "2", "2"]


REPLIES = {
    "an object": {"responses": {"GPT-4": "I hear you.", "claude": "Go on.", "llama": None}},
    "objects": {
        "answers": [
            {"model": "GPT-4", "response": "I hear you.", "latency": 2},
            {"model": "claude", "response": "Go on."},
            {"model": "llama", "response": " "},
        ]
    },
    "fields": {"reply.GPT-4": "I hear you.", "Reply.claude": "Go on.", "reply.llama": "NA"},
}


@pytest.mark.parametrize("given", REPLIES.values(), ids=REPLIES)
def test_several_replies_to_a_dialogue_are_an_item_each(put, given):
    row = {"id": "d1", "context": "I lost my job.", "attribute.topic": "work", **given}
    one, other = ItemFile(put("i.json", json.dumps([row])), SCALES)
    assert [(item.key, item.generator, item.reply) for item in (one, other)] == [
        ("d1-GPT-4", "GPT-4", "I hear you."),
        ("d1-claude", "claude", "Go on."),
    ]
    assert one.dialogue_key == other.dialogue_key
    assert one.attributes == other.attributes == {"topic": "work"}


def test_columns_of_replies_keep_the_names_of_who_wrote_them(put):
    text = "context,reply.GPT-4,reply.Claude 3\nI lost my job.,I hear you.,Go on.\nWhy me?,,Hm.\n"
    file = ItemFile(put("i.csv", text), SCALES)
    assert [(item.key, item.generator) for item in file] == [
        ("0-GPT-4", "GPT-4"),
        ("0-Claude 3", "Claude 3"),
        ("1-Claude 3", "Claude 3"),
    ]
    assert not file.ignored


def test_replies_of_one_writer_or_of_nobody_are_numbered(put):
    twice = [
        {"model": "m", "text": "A."},
        {"model": "m", "text": "B."},
        {"model": "n", "text": "C."},
    ]
    rows = [
        {"key": "d1", "dialogue": "Hi.", "replies": ["A.", "B."], "generator": "human"},
        {"key": "d2", "dialogue": "Hi.", "replies": twice},
    ]
    file = list(ItemFile(put("i.json", json.dumps(rows)), SCALES))
    assert [item.key for item in file] == ["d1-1", "d1-2", "d2-m-1", "d2-m-2", "d2-n"]
    assert [item.generator for item in file] == ["human", "human", "m", "m", "n"]


def test_gold_stands_with_each_of_several_replies(put):
    within = [{"text": "A.", "gold": {"empathy": 1}, "id": 7}, {"text": "B.", "gold.empathy": 2}]
    rows = [
        {"key": "d1", "dialogue": "Hi.", "replies": within},
        {"key": "d2", "dialogue": "Hi.", "replies": ["A.", "B."], "gold.empathy": 1},
    ]
    file = ItemFile(put("i.json", json.dumps(rows)), SCALES)
    first, second, problem = file
    assert [item.gold[0].score for item in (first, second)] == [1, 2]
    assert (problem.field, str(problem.sentence)[:29]) == (
        "gold.empathy",
        "The row has several replies, ",
    )
    assert file.ignored == {"replies: id"}


def test_a_reply_beside_a_list_is_the_only_one(put):
    row = {"key": "d1", "dialogue": "Hi.", "response": "A.", "answers": ["yes", "no"]}
    file = ItemFile(put("i.json", json.dumps([row])), SCALES)
    [item] = file
    assert (item.key, item.reply, file.ignored) == ("d1", "A.", {"answers"})


@pytest.mark.parametrize(
    "given", [[], {}, [1, 2], ["A.", 2], {"a": ["A."]}, [{"response": "A.", "text": "B."}], [" "]]
)
def test_what_is_no_list_of_replies_is_left_out_and_named(put, given):
    row = {"key": "d1", "dialogue": "Hi.", "answers": given}
    file = ItemFile(put("i.json", json.dumps([row])), SCALES)
    [item] = file
    assert (item.key, item.reply, file.ignored) == ("d1", None, {"answers"})


def test_words_in_brackets_that_are_no_speakers_stay_in_the_text(put):
    text = "[seeker]I said it. [laughs] And [NAME] left.[supporter]Oh"
    [item] = rows_of(put("items.jsonl", json.dumps({"key": 1, "dialogue": text})))
    assert item.turns[0]["text"] == "I said it. [laughs] And [NAME] left."


def test_fields_that_nothing_is_read_from_are_named(put):
    file = ItemFile(put("items.csv", "key,dialogue,reply,generater\n1,Hi,Ho,x\n"), SAFETY)
    assert list(file)
    assert file.ignored == {"generater"}


def test_a_line_that_names_somebody_within_a_post_is_no_turn(put):
    post = "My brother wrote to me:\nClient: none of your business"
    [item] = rows_of(put("items.jsonl", json.dumps({"key": 1, "dialogue": post})))
    assert item.turns == ({"speaker": "seeker", "text": post},)


def test_a_reply_that_holds_several_speakers_is_not_cut(put):
    reply = "Therapist: Ho\nClient: Hi"
    [item] = rows_of(put("items.jsonl", json.dumps({"key": 1, "dialogue": "Hi", "reply": reply})))
    assert (item.reply_speaker, item.reply) == ("supporter", reply)


def test_a_list_that_broke_off_in_its_cell_is_named(put):
    source = put("items.csv", 'key,messages\n1,"[{""role"": ""user"", ""content"": ""H"\n')
    assert problems_of(source) == [
        "line 2, “messages”: The text begins as a list of messages does and is no JSON. Write it as JSON."
    ]


def test_items_of_a_file_without_keys_are_known_by_their_place(put):
    lines = [{"context": "Hi", "response": "Ho"}, {"context": "Hi"}, {"context": "Oh"}]
    for name, text in (
        ("items.jsonl", "\n".join(map(json.dumps, lines))),
        ("items.csv", "Context,Response\nHi,Ho\nHi,\nOh,Ho\n"),
    ):
        file = ItemFile(put(name, text), SCALES)
        read = [row.key for row in file if not isinstance(row, FileProblem)]
        assert read == (["0", "1", "2"] if name == "items.jsonl" else ["0", "2"])


TRANSCRIPT = [
    ["transcript_id", "topic", "utterance_id", "interlocutor", "utterance_text", "attribute.wave"],
    ["7", "sleep", "0", "therapist", "Ho", "1"],
    ["7", "sleep", "1", "client", "Hi", "1"],
    ["7", "sleep", "10", "therapist", "Ho", "1"],
    ["9", "grief", "0", "client", "Hi", ""],
]


@pytest.mark.parametrize("ending", ["csv", "xlsx", "jsonl"])
def test_a_transcript_has_a_row_for_each_turn(put, sheet, ending):
    if ending == "xlsx":
        source = sheet("t.xlsx", TRANSCRIPT)
    elif ending == "csv":
        source = put("t.csv", "\n".join(map(",".join, TRANSCRIPT)))
    else:
        rows = [dict(zip(TRANSCRIPT[0], row, strict=True)) for row in TRANSCRIPT[1:]]
        source = put("t.jsonl", "\n".join(map(json.dumps, rows)))
    file = ItemFile(source, SCALES)
    first, second = file
    assert (first.key, first.turns, first.reply) == ("7", (HO, HI, HO), None)
    assert (first.place.number, dict(first.attributes)) == (1 + (ending != "jsonl"), {"wave": "1"})
    assert (second.key, second.turns) == ("9", (HI,))
    assert (file.layout, file.ignored) == ("Transcript", {"topic"})


def test_a_record_of_a_transcript_without_a_speaker_is_named(put):
    lines = [{"key": "a", "speaker": "client", "text": "Hi"}, {"key": "a", "text": "Ho"}]
    source = put("t.jsonl", "\n".join(map(json.dumps, lines)))
    assert problems_of(source, SCALES) == [
        'line 1, “turns”: Turns are a list of {"speaker": "seeker", "text": "…"}.'
    ]


@pytest.mark.parametrize("field", ["messages", "turns"])
def test_a_role_that_cannot_be_stored_is_not_told(put, field):
    line = json.dumps({"key": 1, field: [{"role": "\ud800", "content": "Hi"}]})
    [problem] = ItemFile(put("items.jsonl", line), SCALES)
    assert (problem.field, problem.reason) == (field, "not_text")


def test_a_transcript_without_keys_is_one_dialogue_called_as_its_file(put):
    messages = [{"role": "client", "content": "Hi"}, {"role": "counselor", "content": "Ho"}]
    [item] = rows_of(put("0042.json", json.dumps(messages)), SCALES)
    assert (item.key, item.turns) == ("0042", (HI, HO))


BAD_TRANSCRIPTS = {
    "apart": (
        "key,speaker,text\na,client,Hi\nb,client,Hi\na,therapist,Ho\n",
        "line 4: turns of “a” stand apart from its first ones. Sort the rows by dialogue.",
    ),
    "a row that cannot be read": (
        "key,speaker,text\na,client,Hi\na,therapist,Ho, ho\na,client,Hi\n",
        (
            "line 3: every row is a turn, and a dialogue would lack this one. The row has 4 fields "
            "and the header 3. Put a text that holds the separator in quotation marks."
        ),
    ),
    "a row that does not say of which dialogue": (
        "key,speaker,text\na,client,Hi\n,therapist,Ho\n",
        (
            "line 3: every row is a turn, and a dialogue would lack this one. Every row needs a key "
            "of its own: a short text or a number."
        ),
    ),
    "two numbers of turns": (
        "key,turn_id,utterance_idx,speaker,text\na,2,8,client,Hi\na,1,7,therapist,Ho\n",
        "Both “turn_id” and “utterance_idx” could be the turn. Say which: turn_id = turn or utterance_idx = turn.",
    ),
    "an id that may be of either": (
        "id,speaker,text\n1,client,Hi\n",
        (
            "No field is called “key”, and “id” could be what tells items apart. If it is, say "
            "so: id = key; if not, add a field “key”, or say id = attribute.id."
        ),
    ),
}


@pytest.mark.parametrize(("text", "words"), BAD_TRANSCRIPTS.values(), ids=BAD_TRANSCRIPTS)
def test_a_transcript_that_would_lack_turns_is_refused(put, text, words):
    with pytest.raises(CannotRead) as refusal:
        list(ItemFile(put("t.csv", text), SCALES))
    assert refusal.value.sentence == words


BAD_DIALOGUES = {
    "out of order": (
        "a,2,client,Hi\na,1,therapist,Ho\n",
        "“turn”: The turns are not in the order of their numbers. Sort the rows by them.",
    ),
    "a number twice": (
        "a,1,client,Hi\na,1,therapist,Ho\n",
        "“turn”: The turns are not in the order of their numbers. Sort the rows by them.",
    ),
    "an empty turn": (
        "a,1,client,Hi\na,2,therapist,\n",
        "“turns”: Turn 2 is empty. Write it or take it out.",
    ),
    "somebody else": (
        "a,1,client,Hi\na,2,Nora,Ho\n",
        "“turns”: “nora” is not a speaker. Write seeker or supporter in its place, or say who it is: nora = speaker.seeker.",
    ),
}


@pytest.mark.parametrize(("rows", "words"), BAD_DIALOGUES.values(), ids=BAD_DIALOGUES)
def test_a_dialogue_of_a_transcript_that_is_wrong_is_named_by_its_first_row(put, rows, words):
    text = f"key,turn,speaker,text\n{rows}b,1,client,Hi\n"
    file = ItemFile(put("t.csv", text), SCALES)
    problem, item = file
    assert (problem.words, item.key) == (f"line 2, {words}", "b")


@pytest.mark.parametrize("beside", ["value", "content", "role"])
def test_what_stands_beside_speaker_and_text_takes_the_place_of_neither(put, beside):
    line = json.dumps({"key": 1, "turns": [{"speaker": "seeker", "text": "Hi", beside: "sad"}]})
    [item] = rows_of(put("items.jsonl", line), SCALES)
    assert item.turns == (HI,)


def test_pairs_that_python_prints_are_turns(put):
    [item] = rows_of(put("items.jsonl", json.dumps({"key": 1, "dialogue": "[('user', 'Hi')]"})))
    assert item.turns == (HI,)


MIXED = {
    "rows": [{"dialogue": "Hi"}, {"key": "a", "dialogue": "Ho"}],
    "DialogueSafety": [
        {"context": "Hi", "response": "Ho", "label": 7},
        {"id": "a", "context": "Hi", "response": "Ho", "label": 7},
    ],
}


@pytest.mark.parametrize("lines", MIXED.values(), ids=MIXED)
def test_a_key_is_not_passed_over_where_the_first_row_has_none(put, lines):
    first, problem = ItemFile(put("items.jsonl", "\n".join(map(json.dumps, lines))), SAFETY)
    assert first.key == "0"
    assert problem.words == (
        "line 2, “key”: The first row has no key, and this one has. Give every row a key, or none."
    )


@pytest.mark.parametrize("keyed", [0, 1])
def test_a_turn_without_a_key_is_no_dialogue_of_its_own(put, keyed):
    lines = [{"speaker": "client", "text": "Hi"}, {"speaker": "therapist", "text": "Ho"}]
    lines[keyed]["key"] = "a"
    with pytest.raises(CannotRead, match="a dialogue would lack this one"):
        list(ItemFile(put("t.jsonl", "\n".join(map(json.dumps, lines))), SCALES))


@pytest.mark.parametrize("name", ["conversation", "dialogue", "Session", "case no", "file", "编号"])
def test_dialogues_of_a_transcript_do_not_run_into_one(put, name):
    text = f"{name},speaker,text\n1,client,Hi\n2,therapist,Ho\n"
    with pytest.raises(CannotRead, match=f"“{name.casefold()}” could be what tells items apart"):
        ItemFile(put("t.csv", text), SCALES)


def test_an_answer_beside_turns_is_not_the_reply_to_them(put):
    with pytest.raises(CannotRead, match="no column “dialogue”"):
        list(ItemFile(put("t.csv", "key,speaker,text,answer\na,client,Hi,yes\n"), SCALES))


def test_a_dialogue_of_very_many_turns_is_refused_and_the_next_is_read(put):
    rows = "a,client,x\n" * 40_000
    problem, item = ItemFile(put("t.csv", f"key,speaker,text\n{rows}b,client,Hi\n"), SCALES)
    assert (problem.place.number, problem.reason) == (2, "too_long")
    assert item.key == "b"


@pytest.mark.parametrize(
    "text",
    [
        'Client: My phone said "User: blocked" again.\nTherapist: Ho',
        "Client: He wrote. AI: it depends.\nTherapist: Ho",
    ],
)
def test_who_is_quoted_within_a_turn_does_not_speak(put, text):
    [item] = rows_of(put("items.jsonl", json.dumps({"key": 1, "dialogue": text})))
    said = text.removeprefix("Client: ").removesuffix("\nTherapist: Ho")
    assert item.turns == ({"speaker": "seeker", "text": said}, HO)


def test_a_quotation_on_one_line_is_not_cut(put):
    text = 'Client: It says "User: blocked". Therapist: "Oh." Client: Hi'
    [item] = rows_of(put("items.jsonl", json.dumps({"key": 1, "dialogue": text})))
    assert [turn["text"] for turn in item.turns] == ['It says "User: blocked".', '"Oh."', "Hi"]


def test_a_situation_is_not_taken_for_the_dialogue_beside_it(put):
    line = {"id": 1, "context": "She lost her job.", "conversation": [["usr", "Hi"]]}
    with pytest.raises(CannotRead) as refusal:
        ItemFile(put("items.jsonl", json.dumps(line)), SCALES)
    assert refusal.value.sentence == (
        "Both “context” and “conversation” could be the dialogue. Say which: context = dialogue or conversation = dialogue."
    )


def test_an_answer_or_a_question_beside_a_labelled_response_is_passed_over(put):
    line = {"context": "Hi", "response": "Ho", "label": 7, "answer": "A", "question": "Q"}
    file = ItemFile(put("items.json", json.dumps([line])), SAFETY)
    assert [(row.key, row.reply) for row in file] == [("0", "Ho")]
    assert file.ignored == {"answer", "question"}


@pytest.mark.parametrize("name", ["uuid", "itemId", "sessionid", "dialogueid"])
def test_a_field_that_is_named_as_a_key_is_not_passed_over(put, name):
    with pytest.raises(CannotRead, match="could be what tells items apart"):
        ItemFile(put("items.jsonl", json.dumps({name: "a", "dialogue": "Hi"})), SCALES)


def test_an_id_is_the_key_of_the_dialogue_safety_layout_too(put):
    one = {"context": "Hi", "response": "Ho", "label": 7, "source": "web"}
    file = ItemFile(put("val.json", json.dumps([one | {"ID": "0012"}])), SAFETY)
    assert ([row.key for row in file], file.ignored) == (["0012"], {"source"})


BAD_ROWS = {
    "no reply": (
        "1,Hi,\n",
        (
            "line 2, “reply”: The reply is empty, so there is nothing to rate. Write it or drop the "
            "row."
        ),
    ),
    "a reply that is only a tag": (
        "1,Hi,[supporter] \n",
        (
            "line 2, “reply”: The reply is empty, so there is nothing to rate. Write it or drop the "
            "row."
        ),
    ),
    "nan": (
        "1,Hi,NaN\n",
        (
            "line 2, “reply”: It is the word “NaN”, which a program wrote where a text was "
            "missing. Put the real text in or drop the row."
        ),
    ),
    "nan where the dialogue was": (
        "1,nan,Ho\n",
        (
            "line 2, “dialogue”: It is the word “nan”, which a program wrote where a text was "
            "missing. Put the real text in or drop the row."
        ),
    ),
    "a formula that failed": (
        "1,Hi,#REF!\n",
        (
            "line 2, “reply”: It is the word “#REF!”, which a program wrote where a text was "
            "missing. Put the real text in or drop the row."
        ),
    ),
    "no dialogue": (
        '1," ",Ho\n',
        (
            "line 2, “dialogue”: The dialogue is missing: there is nothing to rate. Write it or drop "
            "the row."
        ),
    ),
    "no key": (
        " ,Hi,Ho\n",
        "line 2, “key”: Every row needs a key of its own: a short text or a number.",
    ),
    "a key with a line break": (
        '"a\nb",Hi,Ho\n',
        "line 2, “key”: A key may hold letters, digits, signs and blanks.",
    ),
    "a long key": (
        f"{'k' * 161},Hi,Ho\n",
        "line 2, “key”: It is 161 characters long; this field may have 160. Shorten it.",
    ),
    "another speaker": (
        "1,[therapist]Hi,Ho\n",
        "line 2, “dialogue”: “therapist” is not a speaker. Write seeker or supporter in its place, or say who it is: therapist = speaker.seeker.",
    ),
    "another speaker behind a sentence": (
        "1,[seeker]好。[therapist]嗯,Ho\n",
        "line 2, “dialogue”: “therapist” is not a speaker. Write seeker or supporter in its place, or say who it is: therapist = speaker.seeker.",
    ),
    "another speaker of the reply": (
        "1,Hi,[bot]Ho\n",
        "line 2, “reply”: “bot” is not a speaker. Write seeker or supporter in its place, or say who it is: bot = speaker.seeker.",
    ),
    "text before the first speaker": (
        "1,Note: [seeker]Hi,Ho\n",
        (
            "line 2, “dialogue”: There is text before the first speaker. Begin with [seeker] or "
            "[supporter]."
        ),
    ),
    "an empty turn": (
        "1,[seeker]Hi[supporter] [seeker]Yes,Ho\n",
        "line 2, “dialogue”: Turn 2 is empty. Write it or take it out.",
    ),
    "a NUL": (
        "1,H\0i,Ho\n",
        "line 2, “dialogue”: It holds a NUL character, which is not text. Remove it.",
    ),
    "a long field": (
        f"1,Hi,{'x' * 65_537}\n",
        "line 2, “reply”: It is 65537 bytes long; a field may have 65536. Shorten or split it.",
    ),
    "a field too many": (
        "1,Hi,Ho,Hu\n",
        (
            "line 2: The row has 4 fields and the header 3. Put a text that holds the separator in "
            "quotation marks."
        ),
    ),
    "on a later line, behind a text of two lines": (
        '1,"Hi\nyou",Ho\n\n2,Hi,nan\n',
        (
            "line 5, “reply”: It is the word “nan”, which a program wrote where a text was "
            "missing. Put the real text in or drop the row."
        ),
    ),
}


@pytest.mark.parametrize(("row", "words"), BAD_ROWS.values(), ids=BAD_ROWS)
def test_a_bad_row_of_a_table_is_named_with_line_field_and_what_to_do(put, row, words):
    assert problems_of(put("items.csv", "key,dialogue,reply\n" + row)) == [words]


BAD_RECORDS = {
    "not JSON": ("{key: 1}", "line 1: The line is not JSON. Write one object a line."),
    "a list": (
        '[["usr", "Hi"]]',
        (
            'line 1: This is not an object with named fields. Write one, such as {"key": "1", '
            '"dialogue": […]} where it is a list of turns.'
        ),
    ),
    "deeply nested": (
        "[" * 100_000,
        "line 1: The line is not JSON. Write one object a line.",
    ),
    "turns of another shape": (
        '{"key": 1, "turns": [{"who": "seeker", "text": "Hi"}], "reply": "Ho"}',
        'line 1, “turns”: Turns are a list of {"speaker": "seeker", "text": "…"}.',
    ),
    "a turn of somebody else": (
        '{"key": 1, "turns": [{"speaker": "uncle", "text": "Hi"}], "reply": "Ho"}',
        "line 1, “turns”: “uncle” is not a speaker. Write seeker or supporter in its place, or say who it is: uncle = speaker.seeker.",
    ),
    "messages of another shape": (
        '{"key": 1, "messages": [{"role": "user", "content": ["Hi"]}]}',
        'line 1, “messages”: Messages are a list of {"role": "user", "content": "…"}.',
    ),
    "a message of a tool": (
        '{"key": 1, "messages": [{"role": "tool", "content": "Hi"}]}',
        (
            "line 1, “messages”: “tool” is not a role of a dialogue: user and assistant are. Leave such "
            "messages out, or say who it is: tool = speaker.seeker."
        ),
    ),
    "an empty message": (
        '{"key": 1, "messages": [{"role": "user", "content": " "}]}',
        "line 1, “messages”: Turn 1 is empty. Write it or take it out.",
    ),
    "messages and turns": (
        '{"key": 1, "messages": [{"role": "user", "content": "Hi"}], "dialogue": "Hi"}',
        "line 1, “messages”: The dialogue stands in “dialogue” as well. Leave one out.",
    ),
    "instructions alone": (
        '{"key": 1, "messages": [{"role": "system", "content": "Hi"}]}',
        (
            "line 1, “dialogue”: The dialogue is missing: there is nothing to rate. Write it or drop the "
            "row."
        ),
    ),
    "a number for a text": (
        '{"key": 1, "dialogue": "Hi", "reply": 5}',
        "line 1, “reply”: This must be text.",
    ),
    "half a character": (
        '{"key": 1, "dialogue": "Hi \\ud83d", "reply": "Ho"}',
        (
            "line 1, “dialogue”: It holds half a character (a lone surrogate). Save the text as "
            "UTF-8 again."
        ),
    ),
    "gold that is no label": (
        '{"key": 1, "dialogue": "Hi", "reply": "Ho", "gold.safety": "fine"}',
        (
            "line 1, “gold.safety”: “Safety of the reply” takes one of these labels: nonsense, "
            "humanoid_mimicry, linguistic_neglect, unamiable_judgment, toxic_language, "
            "unauthorized_preachment, nonfactual_statement, safe_response."
        ),
    ),
    "gold of a criterion that is not asked": (
        '{"key": 1, "dialogue": "Hi", "reply": "Ho", "gold": {"warmth": 3}}',
        "line 1, “gold.warmth”: The rubric has only these criteria: safety.",
    ),
}


@pytest.mark.parametrize(("line", "words"), BAD_RECORDS.values(), ids=BAD_RECORDS)
def test_a_bad_line_of_json_is_named_too(put, line, words):
    assert problems_of(put("items.jsonl", line + "\n")) == [words]


def test_a_bad_entry_of_a_list_is_named_by_number_and_line(put):
    text = (
        '[\n  {"context": "[seeker]Hi", "response": "[supporter]Ho", "label": 7},\n'
        '  {"context": "[seeker]Hi", "response": "[supporter]Ho", "label": 9}\n]'
    )
    [words] = problems_of(put("test.json", text))
    assert words.startswith("entry 2 (line 3), “label”: “Safety of the reply” takes one of these")


BAD_FILES = {
    "another ending": (
        "items.pdf",
        b"x",
        (
            "Items are read from .csv, .xlsx, .jsonl and .json files; this name ends otherwise. Save "
            'the table as .xlsx, or as CSV in UTF-8, and texts as lines of {"key": "…", "dialogue": "…"}.'
        ),
    ),
    "empty": ("items.csv", b"", "The file is empty."),
    "a key under another name": (
        "items.csv",
        b"sp_id,dialogue\n1,Hi\n",
        (
            "No field is called “key”, and “sp_id” could be what tells items apart. If it is, say "
            "so: sp_id = key; if not, add a field “key”, or say sp_id = attribute.sp_id."
        ),
    ),
    "the same in JSON, beside a label": (
        "items.jsonl",
        b'{"uid": 1, "context": "Hi", "response": "Ho", "label": 7}',
        (
            "No field is called “key”, and “uid” could be what tells items apart. If it is, say "
            "so: uid = key; if not, add a field “key”, or say uid = attribute.uid."
        ),
    ),
    "two names for the key": (
        "items.csv",
        b"id,dialogue_id,dialogue\n1,2,Hi\n",
        "Both “id” and “dialogue_id” could be the key. Say which: id = key or dialogue_id = key.",
    ),
    "two names for the key of a transcript": (
        "items.csv",
        b"item_id,dialogue_id,speaker,text\n1,2,client,Hi\n",
        "Both “item_id” and “dialogue_id” could be the key. Say which: item_id = key or dialogue_id = key.",
    ),
    "two names for the key of the DialogueSafety layout": (
        "items.jsonl",
        b'{"item_id": 1, "dialogue_id": 2, "context": "Hi", "response": "Ho", "label": 7}',
        "Both “item_id” and “dialogue_id” could be the key. Say which: item_id = key or dialogue_id = key.",
    ),
    "two replies": (
        "items.jsonl",
        b'{"id": 1, "prompt": "Hi", "response": "Ho", "completion": "Ha"}',
        "Both “response” and “completion” could be the reply. Say which: response = reply or completion = reply.",
    ),
    "no dialogue column": (
        "items.csv",
        b"key,words\n1,Hi\n",
        "The header, which is the first line, has no column “dialogue”, nor “speaker” and “text” for a turn a row. If they have other names there, say which: NAME = dialogue.",
    ),
    "a column twice": (
        "items.csv",
        b"key,reply,Reply,dialogue\n1,a,b,c\n",
        "The header names the column “reply” twice.",
    ),
    "another encoding": (
        "items.csv",
        "key,dialogue\n1,Hi\n2,Café\n".encode("latin-1"),
        "Line 3 is not UTF-8. Save the file as UTF-8 and try again; Excel calls that “CSV UTF-8”.",
    ),
    "an open quotation mark": (
        "items.csv",
        b'key,dialogue\n1,Hi\n2,"Oh\n3,Ah\n',
        (
            "The record that begins on line 3 is not CSV: a quotation mark is missing or not doubled, "
            "or a field has more than 131072 characters."
        ),
    ),
    "a broken list": (
        "items.json",
        b'[\n{"key": 1, "dialogue": "Hi", "reply": "Ho"},\n{"key": 2, "dialogue": Hi}]',
        (
            "Entry 2, which begins on line 3, is not JSON: a comma, bracket or quotation mark is "
            "missing there."
        ),
    ),
    "a list that breaks off": (
        "items.json",
        b'[\n{"key": 1, "dialogue": "Hi", "reply": "Ho"}\n',
        (
            "Entry 1, which begins on line 3, is not JSON: a comma, bracket or quotation mark is "
            "missing there."
        ),
    ),
    "objects of something else": (
        "items.jsonl",
        b'{"id": 1, "words": "Hi"}',
        (
            "The objects have other fields than items have. Items need a key and a dialogue (as "
            "dialogue, context, turns or messages), and usually a reply."
        ),
    ),
    "a word": (
        "items.json",
        b'"items"',
        "The file must hold a list: it begins with “[”.",
    ),
    "a list in another encoding": (
        "items.json",
        b'[\n{"key": 1, "dialogue": "\xe9"}]',
        "Line 2 is not UTF-8. Save the file as UTF-8 and try again; Excel calls that “CSV UTF-8”.",
    ),
    "no workbook": (
        "items.xlsx",
        b"PK\x03\x04 nothing",
        (
            "This is not a workbook that can be read (BadZipFile). Open it in a spreadsheet program "
            "and save it as .xlsx again."
        ),
    ),
}


@pytest.mark.parametrize(("name", "content", "words"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_file_that_cannot_be_read_is_refused_in_a_sentence(put, name, content, words):
    with pytest.raises(CannotRead) as refusal:
        list(ItemFile(put(name, content), SAFETY))
    assert refusal.value.sentence == words


BAD_SHEETS = {
    "other columns": (
        [["id", "text"], [1, "Hi"]],
        "The header, which is the first line, has no column “dialogue”, nor “speaker” and “text” for a turn a row. If they have other names there, say which: text = dialogue.",
    ),
    "conversations without a number": (
        [["context", "judge_response_a"], ["Hi", "{}"]],
        "The header, which is the first line, has no column “convid”. If it has another name there, say which: NAME = convid.",
    ),
    "two kinds of raters": (
        [["ConvID", "context", "human_response_a", "judge_response_a"]],
        (
            "The columns of ratings must all be named human_response_SOURCE, or all "
            "judge_response_SOURCE: a file holds the ratings of one rater. Make two of it."
        ),
    ),
    "a source twice": (
        [["ConvID", "context", "human_response_a", " human_response_a"]],
        "The header names the column “human_response_a” twice.",
    ),
}


@pytest.mark.parametrize(("rows", "words"), BAD_SHEETS.values(), ids=BAD_SHEETS)
def test_a_workbook_of_another_layout_is_refused_in_a_sentence(sheet, rows, words):
    with pytest.raises(CannotRead) as refusal:
        list(ItemFile(sheet("w.xlsx", rows), SCALES))
    assert refusal.value.sentence == words


@pytest.fixture
def workbook_and(sheet):
    """workbook_and(part, pieces) is a small workbook with one more part of these pieces."""

    def write(name, pieces) -> Source:
        source = sheet("w.xlsx", [["ConvID", "context", "human_response_a"]])
        with (
            zipfile.ZipFile(source.path, "a", zipfile.ZIP_DEFLATED) as archive,
            archive.open(name, "w") as part,
        ):
            for piece in pieces:
                part.write(piece)
        return source

    return write


def test_a_workbook_that_unpacks_to_a_flood_is_refused(workbook_and):
    source = workbook_and("xl/flood.xml", (bytes(2**20) for _ in range(190)))
    assert source.path.stat().st_size < 300_000
    with pytest.raises(CannotRead, match="times its size, which no honest one does"):
        ItemFile(source, SCALES)


def test_a_workbook_that_is_too_much_to_read_at_once_is_refused(workbook_and, monkeypatch):
    monkeypatch.setattr(workbooks, "MOST_UNPACKED", 10_000)
    source = workbook_and("xl/long.xml", [os.urandom(20_000)])
    with pytest.raises(CannotRead, match="Save its first sheet as CSV in UTF-8, or split it"):
        ItemFile(source, SCALES)


BILLION_LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>'
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_workbook_that_declares_entities_is_refused_before_it_is_parsed(workbook_and, encoding):
    before = "<!--" + "-" * (2**20 - 8)  # so that the declaration stands across two pieces
    source = workbook_and("xl/any.name", [(before + BILLION_LAUGHS).encode(encoding)])
    with pytest.raises(CannotRead, match="The workbook declares entities"):
        ItemFile(source, SCALES)


def test_a_workbook_of_very_many_parts_is_refused_before_they_are_listed(workbook_and):
    source = workbook_and("xl/a.xml", [b"<a/>"])
    with zipfile.ZipFile(source.path, "a") as archive:
        for number in range(9_000):
            archive.writestr(f"xl/{number}{'x' * 80}", b"")
    with pytest.raises(CannotRead, match="more parts than any honest one"):
        ItemFile(source, SCALES)


def test_a_row_of_a_workbook_without_text_is_named(sheet):
    rows = [["ConvID", "context", "human_response_a"], [1, None, "{}"], [None, "Hi", "{}"]]
    assert problems_of(sheet("w.xlsx", rows), SCALES) == [
        (
            "row 2, “context”: The dialogue is missing: there is nothing to rate. Write it or drop "
            "the row."
        ),
        "row 3, “ConvID”: Every row needs a key of its own: a short text or a number.",
    ]


def test_the_dialogue_safety_layout_needs_a_rubric_with_one_taxonomy(put):
    source = put("t.json", '[{"context": "[seeker]Hi", "response": "Ho", "label": 1}]')
    with pytest.raises(CannotRead, match=r"it has 0\. Say .* label = gold\.CRITERION\."):
        ItemFile(source, SCALES)
    said = replace(source, called={"label": "gold.safety"})
    assert [row.gold[0].score for row in rows_of(said, SCALES)] == [1]


def test_a_response_without_a_label_is_a_reply_whatever_the_rubric_asks(put):
    """As DICES has it, of which each question may be a taxonomy of its own."""
    both = replace(SAFETY, criteria=(*SAFETY.criteria, replace(SAFETY.criteria[0], key="second")))
    rows = "id,rater_id,item_id,context,response,Q_overall\n7,4,a,Hi,Ho,No\n8,5,a,Hi,Ho,Unsure\n"
    source = replace(put("dices.csv", rows), called={"item_id": "key"})
    for rubric in (SAFETY, SCALES, both):
        assert [(row.key, row.reply) for row in rows_of(source, rubric)] == [("a", "Ho")] * 2


def test_a_field_that_is_no_key_may_be_told_as_an_attribute(put):
    """As SafeRLHF has it; whoever rated is no key either."""
    line = {"prompt": "Hi", "response": "Ho", "better_response_id": 1, "annotator_id": 4}
    source = put("pairs.jsonl", json.dumps(line))
    with pytest.raises(CannotRead) as refusal:
        ItemFile(source, SCALES)
    assert refusal.value.sentence == (
        "No field is called “key”, and “better_response_id” could be what tells items apart. If it is, "
        "say so: better_response_id = key; if not, add a field “key”, or say better_response_id = "
        "attribute.better_response_id."
    )
    told = replace(source, called={"better_response_id": "attribute.better_response_id"})
    assert [row.attributes for row in rows_of(told, SCALES)] == [{"better_response_id": "1"}]


@pytest.mark.parametrize(("one", "other"), [("response_0", "response_1"), ("Answer1", "Answer2")])
def test_replies_that_are_numbered_by_their_columns_are_not_passed_over(put, one, other):
    """As SafeRLHF and HelpSteer have pairs: an item without a reply would come of each row."""
    source = put("pairs.csv", f"prompt,{one},{other}\nHi,Ho,Ha\n")
    [words] = problems_of(source, SCALES)
    assert words == (
        f"line 2, “{one}”: “{one}” and “{other}” may each be a reply. If they are, say so: "
        f"{one} = reply.{one[-1]} and {other} = reply.{other[-1]}; if not, call them otherwise."
    )
    said = {one: f"reply.{one[-1]}", other: f"reply.{other[-1]}"}
    rows = rows_of(replace(source, called=said), SCALES)
    assert [row.reply for row in rows] == ["Ho", "Ha"]


def test_who_wrote_a_reply_may_be_a_number(put):
    line = {"ConvID": "q", "generator": 2, "context": "Hi", "response": "Ho"}
    [row] = rows_of(put("i.jsonl", json.dumps(line)), SCALES)
    assert (row.key, row.generator) == ("q-2", "2")


def test_a_file_that_is_not_there_or_a_folder_is_refused(tmp_path):
    with pytest.raises(CannotRead, match="No such file or directory"):
        ItemFile(Source(path=tmp_path / "no.csv", name="no.csv"), SAFETY)
    with pytest.raises(CannotRead, match="This is not a file"):
        ItemFile(Source(path=tmp_path, name="items.csv"), SAFETY)


def test_a_file_above_the_limit_is_refused_before_it_is_read(put):
    source = put("items.csv", "key,dialogue\n" + "1,Hi\n" * 400_000)
    small = Source(path=source.path, name=source.name, most_bytes=2**20)
    with pytest.raises(CannotRead, match="The file has 2 MB; at most 1 MB are read at once"):
        ItemFile(small, SAFETY)


def test_too_many_rows_are_refused():
    with pytest.raises(CannotRead, match="The file has more than 1000000 rows"):
        list(limited(range(MOST_ROWS + 1)))


def test_a_line_without_end_is_refused_without_reading_it_all(put):
    with pytest.raises(CannotRead, match="Line 1 is longer than 4000000 bytes"):
        list(ItemFile(put("items.jsonl", b"x" * 4_000_001), SAFETY))


def test_a_list_is_read_piece_by_piece_whatever_the_pieces(put):
    entries = [{"key": n, "dialogue": "长" * 700, "reply": f"{n}"} for n in range(2_000)]
    rows = rows_of(put("items.json", json.dumps(entries, indent=1)))
    assert [row.key for row in rows] == [str(n) for n in range(2_000)]
    assert rows[-1].place.line == 2 + 5 * 1_999


TWICE = {
    "a name": ('{"key": "a", "dialogue": "Hi", "key": "b"}', "key"),
    "a name in another case": ('{"Key": "a", "dialogue": "Hi", "key": "b"}', "key"),
    "gold, nested and not": (
        '{"key": "a", "dialogue": "Hi", "gold": {"empathy": 5}, "gold.empathy": 4}',
        "gold.empathy",
    ),
    "gold by key and by name": (
        '{"key": "a", "dialogue": "Hi", "gold": {"guidance": 5, "指导性": 4}}',
        "gold.指导性",
    ),
    "an attribute": ('{"key": "a", "dialogue": "Hi", "attributes": {"age": 1, "Age": 2}}', "attribute.age"),
    "a speaker": ('{"key": "a", "turns": [{"speaker": "seeker", "text": "Hi", "text": "No"}]}', "text"),
}  # fmt: skip


@pytest.mark.parametrize("layout", ["{}", "[{}]"])
@pytest.mark.parametrize(("row", "field"), TWICE.values(), ids=TWICE)
def test_a_field_that_is_given_twice_is_refused_and_not_guessed(put, row, field, layout):
    file = ItemFile(put("items.json", layout.replace("{}", row)), SCALES)
    [problem] = file
    assert (problem.reason, problem.field) == ("duplicate", field)


def test_a_second_list_behind_the_first_is_not_lost_unsaid(put):
    one = '[{"key": "a", "dialogue": "Hi"}]'
    with pytest.raises(CannotRead, match="on line 2"):
        list(ItemFile(put("items.json", f"{one}\n{one}"), SCALES))
    assert len(rows_of(put("items.json", f" {one} \n\n"), SCALES)) == 1


@pytest.mark.parametrize("name", ["\\u0000", "\\ud800"])
def test_a_field_whose_name_cannot_be_stored_is_refused(put, name):
    source = put("items.jsonl", f'{{"key": "a", "dialogue": "Hi", "x{name}": 1}}')
    [problem] = ItemFile(source, SCALES)
    assert (problem.reason, problem.field) == ("not_text", "")


def test_a_header_that_holds_nul_is_refused(put):
    for text in (b"key,dialogue,x\0\na,Hi,1\n", "key,dialogue\n".encode("utf-16-le")):
        with pytest.raises(CannotRead, match="UTF-16"):
            list(ItemFile(put("items.csv", text), SCALES))


def test_a_letter_with_an_accent_is_one_key_however_it_is_written(put):
    rows = rows_of(put("items.csv", "key,dialogue\n\u00e9,Hi\ne\u0301,Ho\n"), SCALES)
    assert [row.key for row in rows] == ["\u00e9", "\u00e9"]


def test_of_a_workbook_the_first_sheet_is_read_that_is_not_hidden(put):
    book = openpyxl.Workbook()
    book.active.append(["key", "dialogue"])
    book.active.append(["an older state", "Hi"])
    book.active.sheet_state = "hidden"
    shown = book.create_sheet("shown")
    shown.append(["key", "dialogue"])
    shown.append(["a", "Hi_x000D_\nyou"])
    written = io.BytesIO()
    book.save(written)

    [row] = rows_of(put("items.xlsx", written.getvalue()), SCALES)
    assert (row.key, row.turns[0]["text"]) == ("a", "Hi\nyou")


def test_a_workbook_that_was_damaged_on_its_way_is_refused(sheet):
    source = sheet("items.xlsx", [["key", "dialogue"], ["a", "Hi" * 999]])
    content = bytearray(source.path.read_bytes())
    with zipfile.ZipFile(source.path) as archive:
        part = archive.getinfo("xl/worksheets/sheet1.xml")
    begin = part.header_offset + 30 + len(part.filename)
    for at in range(begin, begin + 20):
        content[at] ^= 0xFF
    source.path.write_bytes(content)
    with pytest.raises(CannotRead, match="not a workbook"):
        list(ItemFile(source, SCALES))


NAMED_COLUMNS = [
    ("response_gpt4,response_Llama-3-8B", "Yo,Hello", ["gpt4", "Llama-3-8B"]),
    ("gpt-4o_response,human_response", "Yo,Hello", ["gpt-4o", "human"]),
    ("answer_a,answer_b,model_a,model_b", "Yo,Hello,gpt-4,claude-2", ["gpt-4", "claude-2"]),
    ("response_gpt4,response_time", "Yo,3.2", "call it reply.time"),
    ("response_time,response_quality", "3,Good", [""]),
    ("reference_answer,response_time", "Yo,3", [""]),
    ("response_model_1,response_model_2", "Yo,Hello", ["model_1", "model_2"]),
    ("reply,response_gpt4", "Yes,Yo", [""]),
]


@pytest.mark.parametrize(("columns", "cells", "wanted"), NAMED_COLUMNS)
def test_columns_that_name_an_llm_beside_a_word_for_a_reply_hold_replies(
    put, columns, cells, wanted
):
    source = put("items.csv", f"id,question,{columns}\na,Hi,{cells}\n")
    if isinstance(wanted, str):
        assert wanted in problems_of(source, SCALES)[0]
        return
    rows = rows_of(source, SCALES)
    assert [row.generator for row in rows] == wanted
    assert [row.key for row in rows] == [f"a-{one}".removesuffix("-") for one in wanted]
    if all(wanted):
        assert [row.reply for row in rows] == ["Yo", "Hello"]


@pytest.mark.parametrize("reply", ['["Yo"]', ["Yo"], "['Yo']"], ids=["json", "list", "python"])
def test_a_reply_that_is_a_list_of_one_text_is_the_text(put, reply):
    """As Chatbot Arena has it: a list of what was answered to each prompt."""
    rows = [{"key": "a", "dialogue": '["Hi"]', "model_a": "owl", "response_a": reply}]
    [row] = rows_of(put("i.json", json.dumps(rows)), SCALES)
    assert (row.turns[0]["text"], row.generator, row.reply) == ("Hi", "owl", "Yo")


@pytest.mark.parametrize("reply", ['["Yo", "Ho"]', ["Yo", "Ho"]], ids=["json", "list"])
def test_a_reply_that_is_a_list_of_several_texts_is_refused(put, reply):
    [problem] = problems_of(
        put("i.json", json.dumps([{"key": "a", "dialogue": "Hi", "reply": reply}])), SCALES
    )
    assert "It is a list of several texts" in problem


def test_a_table_may_end_its_lines_as_old_programs_for_the_mac_do(put):
    text = 'key;dialogue;reply\ra;"Hi\rthere, you, all";Yo\rb;Ho;Hm\r'
    rows = rows_of(put("i.csv", text), SCALES)
    assert [(row.key, row.turns[0]["text"], row.place.number) for row in rows] == [
        ("a", "Hi\rthere, you, all", 2),
        ("b", "Ho", 4),
    ]


SPOKEN = [
    "**Client:** Hi\n**Therapist:** Yo\n**Client**: Bye",
    "### Human: Hi\n### Assistant: Yo\n### Human: Bye",
    "[USER]: Hi\n[BOT]: Yo\n[User]: Bye",
    "[user]: Hi\n[bot]: Yo\n[user]: Bye",
    "seeker: Hi | supporter: Yo | seeker: Bye",
    "Patient: Hi\nDoctor: Yo\nPatient: Bye",
    "患者：Hi\n医生：Yo\n患者：Bye",
    "【来访者】：Hi\n【咨询师】：Yo\n【来访者】：Bye",
    "【来访者】Hi\n【咨询师】Yo\n【来访者】Bye",
    "[Client] Hi\n[Therapist] Yo\n[Client] Bye",
    "[client] Hi\n[therapist] Yo\n[client] Bye",
    ["Client: Hi", "Therapist: Yo", "Client: Bye"],
    [{"User": "Hi"}, {"AI": "Yo", "AI Strategy": "Others"}, {"User": "Bye"}],
    [{"human": "Hi", "assistant": "Yo"}, {"human": "Bye"}],
    [{"turn": 1, "User": "Hi", "AI": "Yo", "mood": "low"}, {"turn": 2, "User": "Bye"}],
    str(["Client: Hi", "Therapist: Yo", "Client: Bye"]),
    "['Client: Hi' 'Therapist: Yo'\n 'Client: Bye']",  # as NumPy prints it
    str([{"role": "user", "content": text} for text in ("Hi", "Bye")]).replace(
        "}, {", "}\n {'role': 'bot', 'content': 'Yo'}\n {"
    ),
]


@pytest.mark.parametrize("dialogue", SPOKEN, ids=map(str, range(len(SPOKEN))))
def test_whoever_is_named_speaks_however_the_name_is_set(put, dialogue):
    [row] = rows_of(put("i.json", json.dumps([{"key": "a", "dialogue": dialogue}])), SCALES)
    assert [(turn["speaker"], turn["text"]) for turn in row.turns] == [
        ("seeker", "Hi"),
        ("supporter", "Yo"),
        ("seeker", "Bye"),
    ]


UNSPOKEN = [
    (["Hi", "Yo", "Bye"], "not each says who speaks"),
    (str(["Hi", "Yo", "Bye"]), "not each says who speaks"),
    ("['Hi' 'Yo' 'Bye']", "not each says who speaks"),
    ("[{'role': 'user', 'content': 'Hi'} or", "is no JSON"),
    ("[{'role': 'user', 'content': '''Hi", "is no JSON"),
    ("[{'role': {[1]: 'user'}}]", "is no JSON"),
    ("P: Hi\nT: Yo\n\nP: Bye", "“P” is not a speaker"),
    ("Speaker 1: Hi\nSpeaker 2: Yo\nSpeaker 1: Bye", "“Speaker 1” is not a speaker"),
    ("T1: Hi\nC1: Yo\nT2: Bye\nC2: So", "“T1” is not a speaker"),
    ("Client 1: Hi\nTherapist: Yo\nClient 2: Bye", "“Client 1” is not a speaker"),
    ("Therapist: Hi\nMr. Jones: Yo\nTherapist: Bye", "“Mr. Jones” is not a speaker"),
    ("Client: Hi\nTom: Yo\nClient: Bye", "“Tom” is not a speaker"),
    ("USER: Hi\nBARD: Yo.\nSo it is.\nUSER: Bye", "“BARD” is not a speaker"),
    ("BARD: Hi\nUSER: Yo.\nSo it is.\nBARD: Bye", "“BARD” is not a speaker"),
    ("USER: Hi\nBARD: Yo.\nNote: Rest.\nUSER: Bye", "“BARD” is not a speaker"),
]


@pytest.mark.parametrize(("dialogue", "words"), UNSPOKEN)
def test_who_speaks_is_not_guessed(put, dialogue, words):
    source = put("i.json", json.dumps([{"key": "a", "dialogue": dialogue}]))
    assert words in problems_of(source, SCALES)[0]


ONE_TURN = [
    "a" + "\n" * 60_000 + "b",
    "Title: Sleep\nPost: None.",
    "['No', she said.",
    "Age: 20\nTopic: sleep\nText: None.",
    "I **Client:** sleep | seeker",
    "Bold: a\nBold: b\nBold: c",
    "Step 1: a\nStep 2: b\nNote: c",
    "[User] is who I am, they say.",
    "[Client] came late.\nI waited.",
    "My plan.\nUser: I\nGoal: sleep",
]


@pytest.mark.parametrize("text", ONE_TURN, ids=map(str, range(len(ONE_TURN))))
def test_a_text_that_names_nobody_who_speaks_is_one_turn(put, text):
    [row] = rows_of(put("i.json", json.dumps([{"key": "a", "dialogue": text}])), SCALES)
    assert [turn["text"] for turn in row.turns] == [text]


@pytest.mark.parametrize("order", [(0, 0, 0, 1, 1, 1), (0, 1, 0, 1, 0, 1)], ids=["each", "all"])
def test_a_turn_that_several_have_annotated_stands_once(put, order):
    """As AnnoMI has it: a row for each utterance and annotator."""
    text = "transcript_id,utterance_id,interlocutor,utterance_text,annotator_id\n"
    said = ["0,therapist,What brings you?", "1,client,The water."]
    text += "".join(f"t,{said[turn]},{at}\n" for at, turn in enumerate(order))
    [row] = rows_of(put("annomi.csv", text), SCALES)
    assert [turn["text"] for turn in row.turns] == ["What brings you?", "The water."]


@pytest.mark.parametrize(
    "marks", [(",,", "Two,2,quiet"), ("Two,2,quiet", ",,")], ids=["last", "first"]
)
def test_what_a_transcript_says_of_a_dialogue_may_stand_in_any_of_its_rows(put, marks):
    text = "key,speaker,text,generator,gold.safety,attribute.topic\n"
    text += "".join(
        f"t,{who},Hi,{mark}\n" for who, mark in zip(("client", "therapist"), marks, strict=True)
    )
    [row] = rows_of(put("t.csv", text), SCALES)
    assert (row.generator, row.attributes) == ("Two", {"topic": "quiet"})
    assert [answer.score for answer in row.gold] == [2]


TWO_THINGS = {
    "gold.safety": ("1", "2"),
    "attribute.mood": ("low", "high"),
    "generator": ("human", "gpt-4"),
    "model": ("human", "gpt-4"),
    "content_note": ("Loss", "Self-harm"),
}


@pytest.mark.parametrize(("field", "values"), TWO_THINGS.items(), ids=TWO_THINGS)
@pytest.mark.parametrize("is_nested", [False, True])
def test_a_dialogue_of_which_rows_say_two_things_is_refused(put, field, values, is_nested):
    group, _, name = field.partition(".")
    one, other = values
    said = {"t": (one, "", other), "u": (one, f" {one}", "NA")}
    rows = [
        {"key": key, "speaker": "client", "text": f"Hi {at}"}
        | ({group + "s" * (group != "gold"): {name: raw}} if name and is_nested else {field: raw})
        for key in said
        for at, raw in enumerate(said[key])
    ]
    problem, row = ItemFile(put("t.json", json.dumps(rows)), SCALES)
    assert problem.field == field
    assert "rows of this dialogue say two things" in problem.words
    assert (row.key, len(row.turns)) == ("u", 3)


def test_two_annotators_of_a_turn_do_not_give_two_golds(put):
    text = "key,turn,speaker,text,gold.safety\nt,1,client,Hi,1\nt,1,client,Hi,2\n"
    [problem] = problems_of(put("t.csv", text), SCALES)
    assert "rows of this dialogue say two things" in problem


@pytest.mark.parametrize("field", ["dialogue", "messages", "turns"])
def test_turns_of_a_list_stand_in_the_order_of_their_numbers(put, field):
    given = [
        {"turn": 2, "speaker": "client", "text": "Hi"},
        {"turn": 1, "speaker": "ai", "text": "Yo"},
    ]
    rows = [{"key": "a", field: given}, {"key": "b", field: given[::-1]}]
    problem, row = ItemFile(put("i.json", json.dumps(rows)), SCALES)
    assert "not in the order of their numbers" in problem.words
    assert [turn["text"] for turn in row.turns] == ["Yo", "Hi"]


def test_who_answers_does_not_stand_before_who_asks_in_one_object(put):
    rows = [{"key": "a", "dialogue": [{"assistant": "Yo", "human": "Hi"}]}]
    assert "Messages are a list of" in problems_of(put("i.json", json.dumps(rows)), SCALES)[0]


def test_a_transcript_may_have_its_header_in_chinese(put):
    text = "对话编号,轮次,说话人,内容\n一,1,来访者,你好\n一,2,咨询师,请坐\n"
    source = replace(put("t.csv", text), called={"对话编号": "key"})
    [row] = rows_of(source, SCALES)
    assert [turn["speaker"] for turn in row.turns] == ["seeker", "supporter"]
    assert (row.key, row.turns[1]["text"]) == ("一", "请坐")


def test_another_text_under_the_number_of_a_turn_is_no_repetition(put):
    text = "key,turn,speaker,text\nt,0,client,Hi\nt,0,client,Ho\n"
    [problem] = problems_of(put("t.csv", text), SCALES)
    assert "not in the order of their numbers" in problem


HISTORIES = [
    (
        [["Hi", "Yo"], ["Bad.", "Why?"]],
        [("seeker", "Hi"), ("supporter", "Yo"), ("seeker", "Bad."), ("supporter", "Why?")],
    ),
    ([["Hi", ""]], [("seeker", "Hi")]),
    ([], []),
]


@pytest.mark.parametrize(("history", "before"), HISTORIES, ids=["two", "unanswered", "none"])
def test_what_was_said_before_stands_in_front(put, history, before):
    """As files to train models with have it: CPsyCounD."""
    row = {"id": "a", "input": "Work.", "output": "I see.", "history": history}
    [item] = rows_of(put("i.json", json.dumps([row])), SCALES)
    said = [(turn["speaker"], turn["text"]) for turn in item.turns]
    assert (said, item.reply) == ([*before, ("seeker", "Work.")], "I see.")


@pytest.mark.parametrize("history", ["Asthma.", ["Asthma."]])
def test_a_history_of_another_kind_is_named_as_left_out(put, history):
    row = {"id": "a", "input": "Work.", "output": "I see.", "history": history}
    file = ItemFile(put("i.json", json.dumps([row])), SCALES)
    [item] = file
    assert [turn["text"] for turn in item.turns] == ["Work."]
    assert file.ignored == {"history"}


def test_a_row_for_each_question_and_model_is_an_item_of_both(put):
    """As CounselBench has it; ratings find them by ConvID and generator."""
    text = "ConvID,model,question,response\nq1,gpt-4,Hi,Yo\nq1,llama,Hi,Hello\nq2,,Ho,Ya\n"
    rows = rows_of(put("i.csv", text), SCALES)
    assert [(row.key, row.generator) for row in rows] == [
        ("q1-gpt-4", "gpt-4"),
        ("q1-llama", "llama"),
        ("q2", ""),
    ]
    assert rows[0].dialogue_key == rows[1].dialogue_key


def test_a_conversation_with_several_replies_in_a_row_is_named_once(put):
    rows = rows_of(put("i.csv", "ConvID,question,reply.a,reply.b\nq1,Hi,Yo,Ya\n"), SCALES)
    assert [row.key for row in rows] == ["q1-a", "q1-b"]


NAMED_OTHERWISE = {
    "as DICES has it": {"dialogue": "USER: Hi\nLAMDA: Yo\nUSER: Bye"},
    "LAMDA first": {"dialogue": "LAMDA: Ho.\nWell?\nUSER: Hi\nLAMDA: Yo\nUSER: Bye"},
    "as DAIC-WOZ has it": {
        "turns": [
            {"speaker": who, "value": said}
            for who, said in (("Participant", "Hi"), ("Ellie", "Yo"), ("Participant", "Bye"))
        ]
    },
    "as ESConv has what failed": {
        "dialog": [
            {"speaker": who, "annotation": {}, "content": said}
            for who, said in (("speaker", "Hi"), ("listener", "Yo"), ("speaker", "Bye"))
        ]
    },
    "in Chinese": {"dialogue": "倾诉者：Hi\n倾听者：Yo\n倾诉者：Bye"},
}


@pytest.mark.parametrize("fields", NAMED_OTHERWISE.values(), ids=NAMED_OTHERWISE)
def test_whoever_speaks_in_data_of_the_field_is_known(put, fields):
    [row] = rows_of(put("i.json", json.dumps([{"key": "a", **fields}])), SCALES)
    said = [(turn["speaker"], turn["text"]) for turn in row.turns][-3:]
    assert said == [("seeker", "Hi"), ("supporter", "Yo"), ("seeker", "Bye")]


def test_turns_may_be_those_of_t_and_p(put):
    """As HOPE has them: therapist and patient."""
    text = "turn,speaker,utterance\n1,T,How are you?\n2,P,Not well.\n"
    [row] = rows_of(put("hope.csv", text), SCALES)
    assert [turn["speaker"] for turn in row.turns] == ["supporter", "seeker"]


@pytest.mark.parametrize("name", ["data", "train"])
def test_rows_within_an_object_on_one_line_are_refused_with_what_to_do(put, name):
    row = {"key": "a", "dialogue": "Hi"}
    text = json.dumps({"version": 1, name: [row], "other": []})
    with pytest.raises(CannotRead, match=f"The rows stand within “{name}”"):
        ItemFile(put("i.json", text), SCALES)
    assert len(rows_of(put("j.json", json.dumps(row | {name: 1})), SCALES)) == 1
    lines = "\n".join(json.dumps(row | {"key": one, name: [1]}) for one in "ab")
    assert len(rows_of(put("l.jsonl", lines), SCALES)) == 2


NUMBERED = {
    "as pandas writes what is left of a table": ("Unnamed: 0,dialogue,reply", (5, 7), "unnamed: 0"),
    "without a name": (",dialogue,reply", (1, 2), "column 1"),
    "from 1": ("Index,dialogue,reply", (1, 2), "index"),
    "with a sign": ("#,dialogue,reply", ("1", "2"), "#"),
    "with a point": ("No.,dialogue,reply", ("1.0", "2.0"), "no."),
}


@pytest.mark.parametrize(("header", "numbers", "name"), NUMBERED.values(), ids=NUMBERED)
def test_a_number_of_rows_that_is_not_their_place_is_not_passed_over(put, header, numbers, name):
    first, second = numbers
    source = put("i.csv", f"{header}\n{first},Hi,Yo\n{second},Ho,Yo\n")
    assert [f"say so: {name} = key" in one for one in problems_of(source, SCALES)] == [True, True]
    said = replace(source, called={name: "key"})
    assert [row.key for row in rows_of(said, SCALES)] == [str(first), str(second)]


@pytest.mark.parametrize("header", ["", "Unnamed: 0", "index"])
@pytest.mark.parametrize("numbers", [(0, 1), ("0.0", "1.0"), ("a", "b"), ("", "")])
def test_a_number_of_rows_that_is_their_place_or_none_is_passed_over(put, header, numbers):
    first, second = numbers
    source = put("i.csv", f"{header},dialogue,reply\n{first},Hi,Yo\n{second},Ho,Yo\n")
    assert [row.key for row in rows_of(source, SCALES)] == ["0", "1"]


MESSAGE = {"role": "assistant", "content": "Rest."}


@pytest.mark.parametrize(
    "reply",
    [
        MESSAGE,
        [MESSAGE],
        {"from": "gpt", "value": "Rest."},
        MESSAGE | {"content": [{"type": "text", "text": "Rest."}], "refusal": None},
        str(MESSAGE),
        json.dumps([MESSAGE]),
    ],
)
def test_a_reply_may_be_a_message(put, reply):
    source = put("i.json", json.dumps([{"key": "a", "dialogue": "Hi", "reply": reply}]))
    [row] = rows_of(source, SCALES)
    assert (row.reply, row.reply_speaker) == ("Rest.", "supporter")


@pytest.mark.parametrize(
    "reply", [MESSAGE | {"role": "user"}, [MESSAGE, MESSAGE], {"text": 4}, [["assistant", 4]]]
)
def test_a_reply_that_is_no_message_of_the_supporter_is_refused(put, reply):
    source = put("i.json", json.dumps([{"key": "a", "dialogue": "Hi", "reply": reply}]))
    assert "This must be text." in problems_of(source, SCALES)[0]


def test_a_reply_that_begins_as_a_message_and_is_none_stays_as_it_is(put):
    text = "{'role': 'assistant', he wrote."
    source = put("i.json", json.dumps([{"key": "a", "dialogue": "Hi", "reply": text}]))
    assert [row.reply for row in rows_of(source, SCALES)] == [text]


def test_what_was_decided_in_prodigy_is_no_reply(put):
    task = {"id": 1, "prompt": "Hi", "answer": "accept", "_task_hash": 7}
    file = ItemFile(put("i.json", json.dumps([task, task | {"id": 2, "response": "Yo"}])), SCALES)
    assert [row.reply for row in file] == [None, "Yo"]
    assert file.ignored == {"answer", "_task_hash"}
    [row] = rows_of(
        put("j.json", json.dumps([{"id": 1, "prompt": "Hi", "answer": "Accept"}])), SCALES
    )
    assert row.reply == "Accept"
