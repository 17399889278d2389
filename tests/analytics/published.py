"""The published workbooks of MentalAlign as a study, without any text."""

import json
import re
import uuid
from datetime import UTC, datetime
from pathlib import Path

import openpyxl

from annotation.models import (
    Dialogue,
    Item,
    Rater,
    RaterKind,
    Rating,
    Rubric,
    RubricVersion,
    Study,
    Submission,
)
from annotation.rubric.loading import shipped

AT = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
FILES = {
    "human": ("Human_judge.xlsx", RaterKind.HUMAN, ""),
    "claude": ("claude_llm_judge.xlsx", RaterKind.JUDGE, "claude"),
    "gpt_4o": ("gpt-4o_llm_judge.xlsx", RaterKind.JUDGE, "gpt4o"),
}


def mentalalign(folder: Path, *, own_left_out: bool = True) -> Study:
    """A study of 10,000 items with one human and two judges."""
    definition = shipped()["mentalalign"]
    rubric, _ = Rubric.objects.get_or_create(key="mentalalign")
    version, _ = RubricVersion.objects.get_or_create(
        rubric=rubric,
        number=1,
        defaults={"definition": definition, "fingerprint": "m" * 64, "published_at": AT},
    )
    study = Study.objects.create(
        key="mentalalign", name="MentalAlign", rubric_version=version, created_at=AT, revision=1
    )
    criteria = [criterion["key"] for criterion in definition["criteria"]]
    items: dict[tuple[str, str], int] = {}
    for name, (file, kind, own) in FILES.items():
        rater = Rater.objects.create(
            key=name, name=name, kind=kind, own_generators=[own] if own and own_left_out else []
        )
        cells = list(_cells(folder / "mentalalign" / file))
        if not items:
            items = _items(study, cells)
        _rate(study, rater, criteria, [(items[place], text) for place, text in cells])
    return study


def _cells(file: Path):
    sheet = openpyxl.load_workbook(file, read_only=True).active
    head, *rows = sheet.iter_rows(values_only=True)
    sources = [re.sub(r"^\s*(human|judge)_response_", "", name or "") for name in head]
    for row in rows:
        for source, text in list(zip(sources, row, strict=True))[2:]:
            yield (str(row[0]), source), text


def _items(study, cells) -> dict[tuple[str, str], int]:
    talks = dict.fromkeys(talk for (talk, _), _ in cells)
    made = Dialogue.objects.bulk_create(
        [Dialogue(study=study, key=talk, turns=[]) for talk in talks]
    )
    dialogues = {dialogue.key: dialogue.pk for dialogue in made}
    items = Item.objects.bulk_create(
        [
            Item(
                study=study,
                dialogue_id=dialogues[talk],
                key=f"{talk}-{source}",
                position=position,
                generator=source,
                content_sha256=f"{position:064x}",
            )
            for position, ((talk, source), _) in enumerate(cells)
        ],
        batch_size=2000,
    )
    return {place: item.pk for (place, _), item in zip(cells, items, strict=True)}


def _rate(study, rater, criteria, cells) -> None:
    read = [(item, _scores(text)) for item, text in cells]
    submissions = Submission.objects.bulk_create(
        [
            Submission(
                key=uuid.uuid4(),
                study=study,
                item_id=item,
                rater=rater,
                rubric_version_id=study.rubric_version_id,
                origin="import",
                submitted_at=AT,
            )
            for item, _ in read
        ],
        batch_size=2000,
    )
    Rating.objects.bulk_create(
        [
            _rating(submission, criterion, (scores or {}).get(criterion), scores is None)
            for submission, (_, scores) in zip(submissions, read, strict=True)
            for criterion in criteria
        ],
        batch_size=5000,
    )


def _rating(submission, criterion, score, broken) -> Rating:
    if score is None:
        reason = "broken_json" if broken else "missing"
        return Rating(submission=submission, criterion_key=criterion, unscored=reason)
    return Rating(
        submission=submission,
        criterion_key=criterion,
        score=score,
        off_scale=not 1 <= score <= 5,
    )


def _scores(text) -> dict[str, int] | None:
    bare = re.sub(r"^\s*```(?:json)?|```\s*$", "", text or "")
    try:
        found = json.loads(bare)
    except ValueError:
        return None
    return {
        key.lower(): int(value)
        for key, value in found.items()
        if isinstance(value, int | float) and key != "Overall" and value == int(value)
    }
