"""The reporting checklist CHART, filled in with what Concord knows; the rest is for the authors.

The CHART Collaborative (2025). Reporting guideline for chatbot health advice studies: the Chatbot
Assessment Reporting Tool (CHART) statement. BMJ Medicine 4(1), e001632. The words of the subitems
are ours, in short.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analytics.present.typesetting import markdown

CHECKLIST = "CHART.md"
FOR_AUTHORS = "*For the authors to say.*"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecklistBasis:
    """What the checklist is filled in from; `judges` as a release lists them.

    `settled`: agreement of people in closed rounds; `files`: where methods and figures are told.
    """

    study: str
    rubric: str
    revision: int
    concord: str
    n_items: int
    n_people: int
    judges: Sequence[Mapping[str, object]]
    generators: Sequence[str]
    with_texts: bool
    settled: Sequence[str]
    files: Mapping[str, str]


_SUBITEMS: Sequence[tuple[str, str]] = (
    ("1a", "Title: says that a generative AI chatbot giving health advice was evaluated"),
    ("1b", "Abstract: what was done and found, in a structured summary"),
    ("2a", "Background: the question and what is known"),
    ("2b", "Background: the aims"),
    ("3a", "Model identifiers: name, version and date of what was evaluated"),
    ("3b", "Model identifiers: open or closed source"),
    ("4a", "Model details: base model, tuned or fine-tuned"),
    ("4b", "Model details: where a base model is described"),
    ("4c", "Model details: how a new or tuned model was made"),
    ("5a", "Prompt engineering: how prompts came about, and who took part"),
    ("5b", "Prompt engineering: the prompts themselves"),
    ("6a", "Query strategy: how the model was reached"),
    ("6b", "Query strategy: when and where it was asked"),
    ("6c", "Query strategy: whether each prompt had a session of its own"),
    ("6d", "Query strategy: every answer in full"),
    ("7a", "Performance evaluation: the reference, and what counts as success"),
    ("7b", "Performance evaluation: who evaluated, how, and blinded to what"),
    ("8", "Sample size: how it was chosen"),
    ("9a", "Data analysis: statistics, reliability of evaluators among them"),
    ("10a", "Results: how answers compare with the reference"),
    ("10b", "Results: how those that differ, differ"),
    ("10c", "Results: answers that are harmful, biased or misleading"),
    ("11a", "Discussion: against other evidence"),
    ("11b", "Discussion: strengths and limits"),
    ("11c", "Discussion: what follows for practice, policy and research"),
    ("12a", "Disclosures"),
    ("12b", "Funding"),
    ("12c", "Ethics: approval, consent, protection of data"),
    ("12d", "Protocol: where it is registered"),
    ("12e", "Data availability"),
)


def checklist(basis: ChecklistBasis) -> str:
    known = _known(basis)
    lines = (
        f"| {number} | {topic} | {known.get(number, FOR_AUTHORS)} |" for number, topic in _SUBITEMS
    )
    return (
        f"# CHART checklist of {_cell(basis.study)}\n\n"
        "Chatbot Assessment Reporting Tool (2025), filled in by Concord "
        f"{basis.concord} from revision {basis.revision}. What Concord does not know is left to "
        f"the authors: {len(_SUBITEMS) - len(known)} of {len(_SUBITEMS)} lines.\n\n"
        "| Subitem | What is asked | Here |\n|---|---|---|\n" + "\n".join(lines) + "\n"
    )


def _known(basis: ChecklistBasis) -> dict[str, str]:
    judges = [_judge(one) for one in basis.judges]
    asked = [judge for judge in basis.judges if judge.get("llm")]
    found = {
        "3a": f"Replies under evaluation, by source: {_listed(basis.generators)}. "
        f"LLM judges: {_listed(judges)}. Dates of release are for the authors to say.",
        "7a": f"The rubric {basis.rubric}; gold and its origin in `gold`. What counts as success "
        "is for the authors to say.",
        "7b": f"{basis.n_people} people and {len(basis.judges)} LLM judges rated, people without "
        "seeing judges’ answers, one another’s in an open round, or who wrote a reply. "
        "Who they are is for the authors to say.",
        "8": f"{basis.n_items:,} items. How the number was chosen is for the authors to say.",
        "9a": f"{basis.files['methods']}."
        + (f" Agreement of people: {_listed(basis.settled)}." if basis.settled else ""),
        "10a": basis.files["figures"],
        "12e": basis.files["data"],
    }
    if asked:
        found["6a"] = f"Judges: by API, at {_listed(str(one['base_url']) for one in asked)}."
        found["6c"] = "Judges: each item alone, in a conversation of its own."
    if asked and basis.with_texts:
        found["6d"] = "Judges: every raw answer is in `judge_calls`."
    return found


def _judge(judge: Mapping[str, Any]) -> str:
    if judge.get("is_jury"):
        members = ", ".join(judge.get("jury_members") or ["members not told"])
        return f"{judge['name']} (jury of {members}; rule: {judge.get('jury_rule') or 'not told'})"
    if not judge.get("llm"):
        return f"{judge['name']} (imported; its settings are for the authors to say)"
    return (
        f"{judge['name']}: {judge['llm']}, asked {judge['manner']} in {judge['prompt_language']}, "
        f"prompts edition {judge['prompt_edition']}, temperature {judge['temperature']}"
    )


def _listed(words: Iterable[str]) -> str:
    found = sorted({_cell(one) for one in words if one})
    return "; ".join(found) or "none"


def _cell(text: str) -> str:
    """Text that stays in its cell, and is no markup."""
    return markdown(" ".join(text.split())).replace("|", "\\|")
