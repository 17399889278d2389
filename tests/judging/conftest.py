"""Judges at work: real items, a real endpoint process, a real worker."""

import json
import sys
from hashlib import sha256

import pytest
from django.utils import timezone

from annotation.actions import studies
from annotation.models import Dialogue, Gold, GoldOrigin, Item
from annotation.rubric.loading import load, shipped
from judging.actions.judges import Settings

SPEAKERS = ("[seeker]", "[supporter]")


def turns_of(text):
    """Split "[seeker]...[supporter]..." into turns."""
    turns = []
    for part in text.replace("[", "\0[").split("\0"):
        speaker = next((mark for mark in SPEAKERS if part.startswith(mark)), None)
        if speaker:
            turns.append({"speaker": speaker.strip("[]"), "text": part[len(speaker) :]})
        elif turns:
            turns[-1]["text"] += part
    return turns


@pytest.fixture
def dialogue_safety(transactional_db, shared):
    """The 800 published items under the dialogue-safety rubric, with the experts' labels as gold."""
    now = timezone.now()
    study = studies.create(
        key="dialogue-safety",
        name="Dialogue safety",
        rubric=shipped()["dialogue_safety"],
        coordinator=None,
        by=None,
        at=now,
        language="zh-hans",
    )
    labels = {
        label.code: label.key for label in load(shipped()["dialogue_safety"]).criteria[0].labels
    }
    rows = json.loads((shared / "data/dialogue_safety/test.json").read_text(encoding="utf-8"))
    dialogues = Dialogue.objects.bulk_create(
        Dialogue(study=study, key=f"{n}", turns=turns_of(row["context"]))
        for n, row in enumerate(rows)
    )
    items = Item.objects.bulk_create(
        Item(
            study=study,
            dialogue=dialogue,
            key=dialogue.key,
            position=n,
            reply=row["response"].removeprefix("[supporter]"),
            content_sha256=sha256(f"{n}{row}".encode()).hexdigest(),
        )
        for n, (dialogue, row) in enumerate(zip(dialogues, rows, strict=True))
    )
    Gold.objects.bulk_create(
        Gold(
            item=item,
            criterion_key="safety",
            label=labels[row["label"]],
            origin=GoldOrigin.IMPORTED,
            decided_at=now,
        )
        for item, row in zip(items, rows, strict=True)
    )
    return study


@pytest.fixture
def start_replay(shared, start_server):
    """start_replay(latency_ms=..., rps=...) replays what gpt-3.5-turbo-0301 answered."""
    folder = shared / "data" / "dialogue_safety"

    def start(**faults):
        address = start_server(
            "replay",
            [
                *(sys.executable, "-m", "uvicorn", "--app-dir", str(shared / "replay")),
                *("server:app", "--port", "{port}", "--log-level", "warning"),
            ],
            "/v1/models",
            REPLAY_ITEMS=str(folder / "test.json"),
            REPLAY_COMPLETIONS=str(folder / "completions_gpt-3.5-turbo-0301_zero_shot.jsonl"),
            **{f"REPLAY_{name.upper()}": str(value) for name, value in faults.items()},
        )
        return f"{address}/v1"

    return start


@pytest.fixture
def flat_and_plain():
    """flat_and_plain(base_url) is a judge asked as the study asked: one label, ten tokens."""

    def made(base_url, **changes):
        asked = {
            "llm": "gpt-3.5-turbo-0301",
            "base_url": base_url,
            "temperature": 0.0,
            "max_tokens": 10,
            "as_json": False,
        }
        return Settings(**(asked | changes))

    return made
