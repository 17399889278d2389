"""Data sets of the field in their own shape, with words of ours, brought in as the guide says."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from annotation.readers.calling import called_in
from annotation.readers.items import ItemFile
from annotation.readers.ratings import RatingFile
from annotation.readers.records import Source
from annotation.rubric.loading import load, shipped

GUIDE = Path(__file__).parents[2] / "docs" / "importing.md"
SCALES = load(shipped()["mentalalign"])


def table(header, *rows):
    text = io.StringIO()
    csv.writer(text).writerows([header.split(","), *rows])
    return text.getvalue()


def lines(*rows):
    return "\n".join(map(json.dumps, rows))


def chat(*said):
    roles = ["user", "assistant"] * len(said)
    return [{"role": role, "content": text} for role, text in zip(roles, said, strict=False)]


def battle(question, turn):
    return {
        "question_id": question,
        "model_a": "reed",
        "model_b": "moss",
        "winner": "model_a",
        "judge": "expert_1",
        "conversation_a": chat("Hi", "Ho", "So?", "Rest."),
        "conversation_b": chat("Hi", "Ha", "So?", "Go."),
        "turn": turn,
    }


PAIR = {
    "prompt": "Hi",
    "response_0": "Ho",
    "response_1": "Ha",
    "response_0_source": "reed",
    "is_response_0_safe": True,
    "response_0_severity_level": 0,
    "better_response_id": 1,
    "safer_response_id": 0,
}
PROSOCIAL = [
    {"context": "Hi", "response": text, "source": "web", "dialogue_id": 3, "response_id": number}
    for number, text in enumerate(["Ho", "Ha"])
]
COUNSEL = "question_id,topic,questionText,model,response,annotator_id,empathy_score,overall_reason"
# {data set: (file, as it is, what is said of it, the items that it holds: key, turns and reply)}
ITEMS = {
    "EPITOME": (
        "er.csv",
        table(
            "sp_id,rp_id,seeker_post,response_post,level,rationales",
            ["s1", "r1", "Hi", "Ho", 1, "Ho|"],
        ),
        "rp_id = key",
        [("r1", 1, "Ho")],
    ),
    "CounselBench": (
        "c.csv",
        table(COUNSEL, *(("7", "x", "Hi", "reed", "Ho", who, 4, "") for who in "ab")),
        "question_id = ConvID",
        [("7-reed", 1, "Ho")] * 2,
    ),
    "CounselChat": (
        "c.csv",
        table(
            ",questionID,questionText,answerText", *((at, 0, "Hi", f"Ho {at}") for at in range(2))
        ),
        "column 1 = key",
        [("0", 1, "Ho 0"), ("1", 1, "Ho 1")],
    ),
    "ProsocialDialog": (
        "p.jsonl",
        lines(*PROSOCIAL),
        "dialogue_id = ConvID\nresponse_id = generator",
        [("3-0", 1, "Ho"), ("3-1", 1, "Ha")],
    ),
    "MT-Bench": (
        "m.jsonl",
        lines(battle(81, 1), battle(81, 2)),
        "question_id = ConvID\nmodel_a = generator\nconversation_a = messages",
        [("81-reed", 3, "Rest.")] * 2,
    ),
    "SafeRLHF": (
        "s.jsonl",
        lines(PAIR),
        (
            "response_0 = reply.0\nresponse_1 = reply.1\nbetter_response_id = attribute.better\n"
            "safer_response_id = attribute.safer"
        ),
        [("0-0", 1, "Ho"), ("0-1", 1, "Ha")],
    ),
    "DAIC-WOZ": (
        "300_TRANSCRIPT.csv",
        "start_time\tstop_time\tspeaker\tvalue\n1.2\t2\tEllie\thi\n3\t4\tParticipant\tgood\n",
        "",
        [("300_TRANSCRIPT", 2, None)],
    ),
    "Label Studio": (
        "l.json",
        json.dumps([{"id": 1, "data": {"id": "a", "text": "Hi"}, "annotations": []}]),
        "data.text = dialogue\ndata.id = key",
        [("a", 1, None)],
    ),
}


@pytest.mark.parametrize(("name", "text", "said", "wanted"), ITEMS.values(), ids=ITEMS)
def test_items_come_in_as_the_guide_says(put, name, text, said, wanted):
    path = put(name, text).path
    rows = list(ItemFile(Source(path=path, name=name, called=called_in(said)), SCALES))
    assert [(row.key, len(row.turns), row.reply) for row in rows] == wanted
    guide = GUIDE.read_text()
    assert not [line for line in said.splitlines() if line not in guide]


RATINGS = {
    "EPITOME": (*ITEMS["EPITOME"][:2], "rp_id = item\nlevel = empathy", [("r1", "", 1, "Ho|")]),
    "CounselBench": (
        *ITEMS["CounselBench"][:2],
        "question_id = ConvID\nmodel = generator\n*_score = *\noverall_reason = reason",
        [("7-reed", "a", 4, ""), ("7-reed", "b", 4, "")],
    ),
    "ProsocialDialog": (
        "p.jsonl",
        lines(*(one | {"safety_label": 4} for one in PROSOCIAL)),
        "dialogue_id = ConvID\nresponse_id = generator\nsafety_label = empathy",
        [("3-0", "", 4, ""), ("3-1", "", 4, "")],
    ),
    "VERA-MH": (
        "results.csv",
        table("filename,run_id,judge_model,judge_instance,Empathy", ["a.txt", "r", "owl-1", 1, 5]),
        "filename = item\njudge_instance = repeat",
        [("a.txt", "owl-1", 5, "")],
    ),
}


@pytest.mark.parametrize(("name", "text", "said", "wanted"), RATINGS.values(), ids=RATINGS)
def test_ratings_come_in_as_the_guide_says(put, name, text, said, wanted):
    path = put(name, text).path
    rows = RatingFile(Source(path=path, name=name, called=called_in(said)), SCALES)
    assert [(row.item_key, row.rater, row.value.score, row.reason) for row in rows] == wanted


def test_a_folder_of_dialogues_becomes_one_file(tmp_path):
    folder = tmp_path / "FOLDER"
    folder.mkdir()
    (folder / "case_1.txt").write_text("来访者：你好\n\n心理咨询师：你好\n", "utf-8")
    said = [{"role": "client", "content": "Hi"}, {"role": "counselor", "content": "Ho"}]
    (folder / "case_2.json").write_text(json.dumps(said), "utf-8")
    (folder / "case_3.json").write_text(json.dumps(["求助者：Hi", "支持者：Ho"]), "utf-8")
    [program] = re.findall(r'python -c "(.*?)" > items\.jsonl', GUIDE.read_text(), re.DOTALL)
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, check=True, timeout=60
    )
    path = tmp_path / "items.jsonl"
    path.write_bytes(run.stdout)
    rows = list(ItemFile(Source(path=path, name="items.jsonl"), SCALES))
    assert [(row.key, [one["speaker"] for one in row.turns], row.reply) for row in rows] == [
        ("case_1", ["seeker", "supporter"], None),
        ("case_2", ["seeker"], "Ho"),
        ("case_3", ["seeker", "supporter"], None),
    ]
