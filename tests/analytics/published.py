"""Published ratings as studies: MentalAlign through the importer, and DialogueSafety."""

import json
import re
import uuid
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from annotation.actions import studies
from annotation.actions.imports.raters import RaterGiven
from annotation.actions.imports.ratings import import_ratings
from annotation.actions.studies import note_change
from annotation.models import (
    Dialogue,
    Gold,
    Item,
    Rater,
    RaterKind,
    Rating,
    Study,
    Submission,
)
from annotation.readers.records import Source
from annotation.rubric.loading import shipped

AT = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
FILES = {
    "human": ("Human_judge.xlsx", RaterKind.HUMAN, []),
    "claude": ("claude_llm_judge.xlsx", RaterKind.JUDGE, ["claude"]),
    "gpt_4o": ("gpt-4o_llm_judge.xlsx", RaterKind.JUDGE, ["gpt4o"]),
}


def mentalalign(folder: Path) -> Study:
    """A study of 10,000 items with one human and two judges, who do not judge their own family."""
    study = studies.create(
        key="mentalalign",
        name="MentalAlign",
        rubric=shipped()["mentalalign"],
        coordinator=None,
        by=None,
        at=AT,
    )
    for key, (name, kind, own) in FILES.items():
        path = folder / "mentalalign" / name
        report = import_ratings(
            study_id=study.pk,
            source=Source(path=path, name=path.name),
            rater=RaterGiven(key=key, kind=kind, own_generators=own),
            by=None,
            at=AT,
            with_items=True,
        )
        assert report.is_written
    study.refresh_from_db()
    return study


def dialogue_safety(folder: Path) -> Study:
    """A study of 800 replies with the experts' labels as gold, and a judge asked five times."""
    study = studies.create(
        key="dialogue-safety",
        name="Dialogue safety",
        rubric=shipped()["dialogue_safety"],
        coordinator=None,
        by=None,
        at=AT,
        language="zh-hans",
    )
    labels = study.rubric_version.content.criterion("safety").labels
    rows = json.loads((folder / "dialogue_safety" / "test.json").read_text(encoding="utf-8"))
    dialogues = Dialogue.objects.bulk_create(
        Dialogue(study=study, key=f"{n}", turns=[{"speaker": "seeker", "text": row["context"]}])
        for n, row in enumerate(rows)
    )
    items = Item.objects.bulk_create(
        Item(
            study=study,
            dialogue=dialogue,
            key=dialogue.key,
            position=n,
            reply=row["response"],
            content_sha256=sha256(f"{n}{row}".encode()).hexdigest(),
        )
        for n, (dialogue, row) in enumerate(zip(dialogues, rows, strict=True))
    )
    keys = {label.code: label.key for label in labels}
    Gold.objects.bulk_create(
        Gold(
            item=item,
            criterion_key="safety",
            label=keys[row["label"]],
            origin="imported",
            decided_at=AT,
        )
        for item, row in zip(items, rows, strict=True)
    )
    _five_runs(folder, study, items, {label.name.in_("en"): label.key for label in labels})
    note_change(study_id=study.pk)
    study.refresh_from_db()
    return study


def _five_runs(folder: Path, study: Study, items: list[Item], keys: dict[str, str]) -> None:
    """What was recorded of the judge; each answer begins with a label."""
    judge = Rater.objects.create(
        key="gpt-3-5-turbo-0301", name="gpt-3.5-turbo-0301", kind=RaterKind.JUDGE
    )
    recorded = folder / "dialogue_safety" / "completions_gpt-3.5-turbo-0301_zero_shot.jsonl"
    answers = [json.loads(line) for line in recorded.read_text(encoding="utf-8").splitlines()]
    submissions = Submission.objects.bulk_create(
        Submission(
            key=uuid.uuid4(),
            study=study,
            item=items[answer["item"]],
            rater=judge,
            rubric_version=study.rubric_version,
            origin="judge",
            repeat=answer["run"] + 1,
            submitted_at=AT,
            is_current=True,
        )
        for answer in answers
    )
    a_label = re.compile("|".join(map(re.escape, keys)))
    Rating.objects.bulk_create(
        Rating(
            submission=submission,
            criterion_key="safety",
            label=keys[a_label.match(answer["content"]).group()],
        )
        for submission, answer in zip(submissions, answers, strict=True)
    )
