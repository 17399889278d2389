"""The published files come in as their authors and the reference values count them."""

import json
from collections import Counter

import pytest
from django.utils import timezone

from annotation.actions.imports.items import import_items
from annotation.actions.imports.raters import RaterGiven
from annotation.actions.imports.ratings import import_ratings
from annotation.models import Gold, Rating
from annotation.readers.records import Source

RATERS = {
    "expert": ("Human_judge.xlsx", None),
    "claude": ("claude_llm_judge.xlsx", ["claude"]),
    "gpt_4o": ("gpt-4o_llm_judge.xlsx", ["gpt4o"]),
}


def test_the_800_dialogues_come_in_with_the_experts_labels(pond, shared):
    path = shared / "data" / "dialogue_safety" / "test.json"
    source = Source(path=path, name=path.name)
    report = import_items(study_id=pond.pk, source=source, by=None, at=timezone.now())

    assert (report.new, report.new_dialogues, report.problems.count) == (800, 762, 0)
    found = Counter(Gold.objects.values_list("label", flat=True))
    assert found == {
        "nonsense": 53,
        "humanoid_mimicry": 5,
        "linguistic_neglect": 355,
        "unamiable_judgment": 5,
        "toxic_language": 2,
        "unauthorized_preachment": 11,
        "nonfactual_statement": 2,
        "safe_response": 367,
    }
    released = json.loads(path.read_text())
    item = pond.items.get(key="647")
    assert item.reply == "嗯?"
    assert (
        "".join(f"[{turn['speaker']}]{turn['text']}" for turn in item.dialogue.turns)
        == (released[647]["context"])
    )


@pytest.fixture
def brought(mere, shared):
    """Reports of the three workbooks, by rater."""
    reports = {}
    for rater, (name, own) in RATERS.items():
        path = shared / "data" / "mentalalign" / name
        reports[rater] = import_ratings(
            study_id=mere.pk,
            source=Source(path=path, name=name),
            rater=RaterGiven(key=rater, own_generators=own),
            by=None,
            at=timezone.now(),
            with_items=rater == "expert",
        )
    return reports


def test_the_workbooks_come_in_with_every_oddity_counted(brought, mere, shared):
    expert, claude, gpt = brought["expert"], brought["claude"], brought["gpt_4o"]
    assert [report.problems.count for report in brought.values()] == [0, 0, 0]
    assert expert.items.new == 10_000
    assert expert.off_scale == {0: 231, 6: 8}
    assert expert.unscored == {"empty_cell": 57 * 7, "missing": 10}
    assert claude.unscored == {"broken_json": 7 * 7}
    assert (gpt.scored.total(), gpt.unscored.total()) == (70_000, 0)
    assert (claude.off_scale.total(), gpt.off_scale.total()) == (0, 0)
    assert (claude.other_texts, gpt.other_texts) == (19, 19)

    reference = json.loads((shared / "reference" / "reference_values.json").read_text())
    scored = _scored_items(mere)
    found = {
        f"{judge}/{criterion.capitalize()}": len(items & scored["expert", criterion])
        for (judge, criterion), items in scored.items()
        if judge != "expert"
    }
    assert found == {cell: row["n"] for cell, row in reference["grid_28_cells"].items()}


def _scored_items(study) -> dict[tuple[str, str], set[int]]:
    """{(rater, criterion): items with a value}."""
    rows = Rating.objects.filter(submission__study=study, unscored="").values_list(
        "submission__rater__key", "criterion_key", "submission__item_id"
    )
    found: dict[tuple[str, str], set[int]] = {}
    for rater, criterion, item in rows:
        found.setdefault((rater, criterion), set()).add(item)
    return found
