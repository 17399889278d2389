"""Whatever reads answers asks who may see them, or says here why it need not."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parent.parent.parent
APPS = ("accounts", "annotation", "judging", "analytics")
HOLD_ANSWERS = {"Rating", "Submission", "Gold", "Adjudication", "JudgeCall", "SecondVote"}
TABLE = re.compile(r"\b(annotation_(rating|submission|gold|adjudication)|judging_judgecall)\b")
RULE = {"annotation.rules.visibility"}

ASK = {
    "analytics/agreement/readers.py",
    "analytics/exports/rows.py",
    "analytics/items/page.py",
    "annotation/queries/adjudicating.py",
    "annotation/queries/done.py",
    "judging/queries/searching.py",
    "judging/queries/showing.py",
}
NEED_NOT = {
    "analytics/exports/bundle.py": "counts what analytics/exports/rows.py lets out",
    "analytics/exports/crowd.py": "counts answers of rounds that are closed",
    "analytics/exports/page.py": "counts ratings",
    "analytics/figures/genuine.py": "names kept figures that are older than the last answer",
    "analytics/juries/proposing.py": "asks who has rated, and counts answers",
    "analytics/present/leaving.py": "counts who has answered since",
    "analytics/ratings/blinding.py": "asks in which order judges came",
    "analytics/ratings/columns.py": "reads arrays for figures",
    "analytics/ratings/grounds.py": "reads arrays for figures",
    "analytics/ratings/history.py": "reads arrays for figures",
    "analytics/report/actions.py": "names the raters of a study to the rule",
    "analytics/trust/actions.py": "counts ratings",
    "analytics/trust/blinding.py": "asks whether a judge has rated",
    "analytics/trust/policies.py": "asks when a judge first rated",
    "annotation/actions/adjudications.py": "decides; writes gold",
    "annotation/queries/cases.py": "asks which item somebody decided last",
    "annotation/actions/cancelling.py": "gives gold back",
    "annotation/actions/changing_rubrics.py": "carries answers over to another edition",
    "annotation/actions/discussions.py": "writes votes",
    "annotation/actions/imports/items.py": "brings gold",
    "annotation/actions/imports/raters.py": "asks whether a rater has rated",
    "annotation/actions/imports/ratings.py": "compares a file with what is stored",
    "annotation/actions/recording.py": "writes answers",
    "annotation/actions/settling.py": "writes gold",
    "annotation/actions/splits.py": "opens the same share of items of each gold",
    "annotation/actions/submissions.py": "finds what its own rater sent before",
    "annotation/apps.py": "names the tables whose rows the ledger notes",
    "annotation/queries/ambiguities.py": "tells an import what is decided to have no gold",
    "annotation/queries/states.py": "says where a state does not follow from answers, and none of them",
    "annotation/queries/voices.py": "shows letters instead of names, to who may decide",
    "annotation/queries/qualified.py": "counts what was answered to qualify",
    "annotation/queries/rubric_changes.py": "counts ratings by their value",
    "annotation/queries/ratings.py": "reads what is to be settled or decided",
    "judging/apps.py": "names the tables whose rows the ledger notes",
    "judging/actions/calls.py": "writes what judges answered",
    "judging/actions/rereading.py": "compares what is read with what was read before",
    "judging/actions/handreading.py": "asks whether a judge’s answer could be read",
    "judging/actions/importing.py": "brings what LLMs answered elsewhere",
    "judging/actions/runs.py": "numbers repeats",
    "analytics/ratings/configurations.py": "asks which configuration gave which answer",
    "judging/queries/run_states.py": "counts the calls of a run",
    "judging/queries/sent_texts.py": "asks whether texts that calls name are there",
    "judging/queries/sentinels.py": "finds calls to be made again",
    "judging/queries/holding_out.py": "asks about which dialogues a judge was asked",
    "judging/queries/generating.py": "counts replies, which are no ratings",
    "judging/queries/figures.py": "counts; how a run compares with gold is shown as figures are",
    "judging/queries/runs.py": "finds calls to be made",
    "judging/queries/batches.py": "finds calls that are at an endpoint",
}


def readers() -> Iterator[str]:
    """The modules that read answers, through the models or in SQL."""
    for app in APPS:
        for file in sorted((HOUSE / app).rglob("*.py")):
            if "migrations" in file.parts or "models" in {file.stem, file.parent.name}:
                continue
            if any(map(_reads_answers, ast.walk(ast.parse(file.read_text(encoding="utf-8"))))):
                yield str(file.relative_to(HOUSE))


def _reads_answers(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return bool(TABLE.search(node.value))
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "objects"
        and isinstance(node.value, ast.Name)
        and node.value.id in HOLD_ANSWERS
    )


def test_every_module_that_reads_answers_is_listed():
    assert set(readers()) == ASK | NEED_NOT.keys(), (
        "Ask annotation/rules/visibility.py before answers are shown, and list the module under "
        "ASK; or say under NEED_NOT why it shows none."
    )


@pytest.mark.parametrize("module", sorted(ASK))
def test_what_shows_answers_asks_the_rule(module):
    tree = ast.parse((HOUSE / module).read_text(encoding="utf-8"))
    rules = {
        name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in RULE
        for name in node.names
    }
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert {name for name in rules & called if name.startswith("reason_to_withhold")}
