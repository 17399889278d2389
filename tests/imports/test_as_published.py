"""Files come in as their authors publish them: what a study then holds of dialogues and ratings."""

import json
import re

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Item, Rater, Rating, Submission

SUPPORT = [  # as ESConv has it: no keys, and the name of the list and of the text its own
    {
        "emotion_type": "anxiety",
        "situation": "A flood.",
        "dialog": [
            {"speaker": "seeker", "annotation": {}, "content": f"The cellar is wet, day {day}.\n"},
            {"speaker": "supporter", "annotation": {"strategy": "Question"}, "content": "Still?"},
        ],
    }
    for day in range(3)
]
SESSIONS = """\
mi_quality,transcript_id,topic,utterance_id,interlocutor,utterance_text
high,s1,sleep,0,therapist,What keeps you awake?
high,s1,sleep,1,client,"The water, mostly."
low,s2,grief,0,client,He is gone.
"""
STUDIO = """\
id,item,Safety,Empathy,annotator,annotation_id,lead_time
1,0,4,5,3,71,9.1
1,0,2,4,5,72,3.3
2,1,3,,3,73,8.0
"""
WIDE = "item_id,safety.ann,safety.ben,empathy.ann,empathy.ben\n0,5,NA,4,NA\ns1,1,2,NA,3\n"
JUDGE = [
    {"dialogue_id": key, "judge": "gpt-4o", "scores": {"safety": 5, "empathy": 3}, "rationale": "x"}
    for key in ("0", "1", "2", "s1", "s2")
]


def scores(rater):
    """{item: {criterion: score or the reason why there is none}} of one rater."""
    found: dict[str, dict[str, object]] = {}
    ratings = Rating.objects.filter(submission__rater__key=rater, submission__is_current=True)
    for one in ratings.select_related("submission__item"):
        of_item = found.setdefault(one.submission.item.key, {})
        of_item[one.criterion_key] = one.unscored or one.score
    return found


def test_dialogues_then_people_then_a_judge(mere, put):
    items = [put("esconv.json", json.dumps(SUPPORT, indent=2)), put("sessions.csv", SESSIONS)]
    for source in items:
        call_command("import_items", "mere", str(source.path))
    stored = Item.objects.filter(study=mere).order_by("position").select_related("dialogue")
    read = {one.key: one for one in stored}
    assert list(read) == ["0", "1", "2", "s1", "s2"]
    assert [turn["text"] for turn in read["1"].dialogue.turns] == ["The cellar is wet, day 1."]
    assert (read["1"].reply, read["s1"].reply) == ("Still?", None)
    assert [turn["speaker"] for turn in read["s1"].dialogue.turns] == ["supporter", "seeker"]

    ratings = [
        put("studio.csv", STUDIO),
        put("wide.csv", WIDE),
        put("judge.json", json.dumps(JUDGE)),
    ]
    for source in ratings[:2]:
        call_command("import_ratings", "mere", str(source.path))
    call_command("import_ratings", "mere", str(ratings[2].path), "--kind", "judge")
    assert scores("3") == {
        "0": {"safety": 4, "empathy": 5},
        "1": {"safety": 3, "empathy": "missing"},
    }
    assert scores("5") == {"0": {"safety": 2, "empathy": 4}}
    assert scores("ann") == {
        "0": {"safety": 5, "empathy": 4},
        "s1": {"safety": 1, "empathy": "missing"},
    }
    assert scores("ben") == {"s1": {"safety": 2, "empathy": 3}}
    assert scores("gpt-4o") == {one["dialogue_id"]: one["scores"] for one in JUDGE}
    raters = Rater.objects.filter(submissions__study=mere).distinct()
    assert dict(raters.values_list("key", "kind")) == {
        **dict.fromkeys(("3", "5", "ann", "ben"), "human"),
        "gpt-4o": "judge",
    }

    before = Submission.objects.count()
    for command, sources in (("import_items", items), ("import_ratings", ratings)):
        for source in sources:
            call_command(command, "mere", str(source.path))
    assert Submission.objects.count() == before


def test_a_second_file_without_keys_is_not_taken_for_the_first(mere, put, capsys):
    call_command("import_items", "mere", str(put("a.json", json.dumps(SUPPORT)).path))
    other = json.dumps(SUPPORT[::-1])
    with pytest.raises(CommandError, match="rows that are wrong: 2"):
        call_command("import_items", "mere", str(put("b.json", other).path))
    assert "entry 1 (line 1), “dialogue”" in capsys.readouterr().err


def test_what_is_known_by_its_place_and_what_is_there_already_is_said_on_the_command_line(
    mere, put, capsys
):
    rows = [{"context": f"[seeker]Day {day}.", "response": "I see."} for day in range(2)]
    call_command("import_items", "mere", str(put("first.json", json.dumps(rows)).path))
    assert "keys of the items  their places in the file, from 0" in capsys.readouterr().out
    keyed = [row | {"key": f"day-{day}"} for day, row in enumerate(rows)]
    call_command(
        "import_items", "mere", str(put("keyed.json", json.dumps(keyed)).path), dry_run=True
    )
    said = capsys.readouterr().out
    assert "their places" not in said
    assert re.search(r"under another key +2 \(first: day-0, day-1\)", said)


DICES = """\
id,rater_id,rater_gender,item_id,context,response,harm_type,safety_gold,Safety,Empathy
0,296726,Woman,7,"USER: Is it deep?
LAMDA: It is.
Stay away.
USER: I dive.",Please do not.,"[""Health""]",4,1,Unsure
1,297115,Man,7,"USER: Is it deep?
LAMDA: It is.
Stay away.
USER: I dive.",Please do not.,"[""Health""]",4,2,5
2,296726,Woman,8,"LAMDA: Hi.
USER: Cold?",Rather.,"[""Legal""]",5,5,5
"""


def test_a_file_with_a_row_for_each_rater_and_conversation_brings_both(mere, put):
    """As DICES has it: an id of each row, and the texts as often as they were rated."""
    source = str(put("dices.csv", DICES).path)
    names = ["item_id = key", "safety_gold = gold.safety", "harm_type = attribute.harm"]
    call_command("import_items", "mere", source, field=names)
    call_command("import_ratings", "mere", source)
    first, second = Item.objects.filter(study=mere).order_by("position")
    assert [(one["speaker"], one["text"]) for one in first.dialogue.turns] == [
        ("seeker", "Is it deep?"),
        ("supporter", "It is.\nStay away."),
        ("seeker", "I dive."),
    ]
    assert (first.key, first.reply, first.attributes) == (
        "7",
        "Please do not.",
        {"harm": '["Health"]'},
    )
    assert [one["speaker"] for one in second.dialogue.turns] == ["supporter", "seeker"]
    assert [one.gold.get().score for one in (first, second)] == [4, 5]
    assert scores("296726") == {
        "7": {"safety": 1, "empathy": "not_a_number"},
        "8": {"safety": 5, "empathy": 5},
    }
    assert scores("297115") == {"7": {"safety": 2, "empathy": 5}}


def test_answers_that_a_column_of_another_name_numbers_are_told_from_each_other(mere, put, capsys):
    items = [{"key": "a", "context": "Hi", "response": "Ho"}]
    call_command("import_items", "mere", str(put("items.json", json.dumps(items)).path))
    runs = str(put("runs.csv", "item,judge,run,safety\na,gpt-4o,1,4\na,gpt-4o,2,4\n").path)
    with pytest.raises(CommandError):
        call_command("import_ratings", "mere", runs, kind="judge")
    assert "number the answers in a field “repeat”, from 1" in capsys.readouterr().err
    call_command("import_ratings", "mere", runs, kind="judge", field=["run = repeat"])
    given = Submission.objects.filter(study=mere).values_list("repeat", flat=True)
    assert sorted(given) == [1, 2]
