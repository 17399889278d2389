"""The columns of the files of an export, and which fields of which models they come from.

A field leaves only after somebody decided so, in tests/guards/fields.py.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Holds(StrEnum):
    """What the values of a column are."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    TRUTH = "boolean"
    LIST = "list"
    TURNS = "turns"
    RECORD = "record"


@dataclass(frozen=True, slots=True)
class ExportColumn:
    """A column of a file and the fields, "Model.field", that its values come from."""

    name: str
    sources: tuple[str, ...]
    holds: Holds = Holds.TEXT


def _of(model: str, *fields: str, holds: Holds = Holds.TEXT) -> Iterator[ExportColumn]:
    """Columns that are named as the fields they come from."""
    return (ExportColumn(name, (f"{model}.{name}",), holds) for name in fields)


_RATER = (
    ExportColumn("item", ("annotation.Submission.item", "annotation.Item.key")),
    ExportColumn("dialogue", ("annotation.Item.dialogue", "annotation.Dialogue.key")),
    ExportColumn("generator", ("annotation.Item.generator",)),
    ExportColumn(
        "rater",
        ("annotation.Submission.rater", "annotation.Rater.id", "annotation.Rater.key"),
    ),
    ExportColumn("rater_kind", ("annotation.Rater.kind",)),
    ExportColumn(
        "round", ("annotation.Submission.round", "annotation.Round.number"), Holds.INTEGER
    ),
    ExportColumn("repeat", ("annotation.Submission.repeat",), Holds.INTEGER),
    ExportColumn("origin", ("annotation.Submission.origin",)),
    ExportColumn(
        "rubric_version",
        ("annotation.Submission.rubric_version", "annotation.RubricVersion.number"),
        Holds.INTEGER,
    ),
)

RATINGS = (
    *_RATER,
    ExportColumn("criterion", ("annotation.Rating.criterion_key",)),
    ExportColumn("label", ("annotation.Rating.label",)),
    ExportColumn("score", ("annotation.Rating.score",), Holds.INTEGER),
    ExportColumn("off_scale", ("annotation.Rating.off_scale",), Holds.TRUTH),
    ExportColumn("unscored", ("annotation.Rating.unscored",)),
)

# Where a rubric has a graph of questions, in which a label does not tell the way to it.
RATINGS_WITH_WAYS = (*RATINGS, ExportColumn("path", ("annotation.Rating.path",)))

# What was said beside values. Where it stands in the text, and what it quotes, goes with the texts.
GROUNDS = (
    *_RATER,
    ExportColumn("criterion", ("annotation.RatingGrounds.criterion_key",)),
    ExportColumn("confidence", ("annotation.RatingGrounds.confidence",), Holds.INTEGER),
    ExportColumn("defensible", ("annotation.RatingGrounds.defensible",)),
)
GROUNDS_QUOTED = (
    *GROUNDS,
    ExportColumn("evidence", ("annotation.RatingGrounds.evidence",)),
    ExportColumn(
        "quotes",
        ("annotation.Dialogue.turns", "annotation.Item.reply"),
        Holds.LIST,
    ),
    ExportColumn("unverified", ("annotation.RatingGrounds.unverified",), Holds.LIST),
)
GROUNDS_WITH_RATIONALES = (
    *GROUNDS_QUOTED,
    ExportColumn("rationale", ("annotation.RatingGrounds.rationale",)),
)

# Between these stands one column a criterion, with its label or score.
RATINGS_WIDE = _RATER
RATINGS_WIDE_END = tuple(_of("annotation.Rating", "off_scale", "unscored"))

# Worked out from the ratings of a submission, as figures are: by values on the scale alone.
DERIVED = (
    *_RATER,
    ExportColumn("derived", ("annotation.RubricVersion.definition",)),
    ExportColumn("score", ("annotation.Rating.label", "annotation.Rating.score"), Holds.NUMBER),
    ExportColumn("lacks", ("annotation.Rating.unscored", "annotation.Rating.off_scale")),
)

GOLD = (
    ExportColumn("item", ("annotation.Gold.item", "annotation.Item.key")),
    ExportColumn("criterion", ("annotation.Gold.criterion_key",)),
    ExportColumn("label", ("annotation.Gold.label",)),
    ExportColumn("score", ("annotation.Gold.score",), Holds.INTEGER),
    ExportColumn("origin", ("annotation.Gold.origin",)),
    ExportColumn("round", ("annotation.Gold.round", "annotation.Round.number"), Holds.INTEGER),
    ExportColumn(
        "ambiguous",
        ("annotation.Adjudication.ambiguous", "annotation.BroughtAmbiguity.criterion_key"),
        Holds.TRUTH,
    ),
    ExportColumn(
        "distribution",
        (
            *("annotation.Rating.label", "annotation.Rating.score", "annotation.Rating.unscored"),
            "annotation.BroughtAmbiguity.distribution",
        ),
    ),
)
GOLD_WITH_WAYS = (*GOLD, ExportColumn("path", ("annotation.Gold.path",)))

ITEMS = (
    ExportColumn("item", ("annotation.Item.key",)),
    ExportColumn("dialogue", ("annotation.Item.dialogue", "annotation.Dialogue.key")),
    ExportColumn("position", ("annotation.Item.position",), Holds.INTEGER),
    *_of("annotation.Item", "generator", "content_note", "attributes", "content_sha256"),
    ExportColumn(
        "set_aside", ("annotation.Quarantine.item", "annotation.Quarantine.lifted_at"), Holds.TRUTH
    ),
    ExportColumn(
        "probability",
        ("annotation.RoundItem.item", "annotation.RoundItem.probability"),
        Holds.NUMBER,
    ),
    ExportColumn("split", ("annotation.OpenItem.item",)),
)

TEXTS = (
    ExportColumn("item", ("annotation.Item.key",)),
    ExportColumn("turns", ("annotation.Dialogue.turns",), Holds.TURNS),
    *_of("annotation.Item", "reply_speaker", "reply"),
)

ROUNDS = (
    ExportColumn("round", ("annotation.Round.number",), Holds.INTEGER),
    ExportColumn("raters_per_item", ("annotation.Round.raters_per_item",), Holds.INTEGER),
    ExportColumn("gate", ("annotation.Round.gate",), Holds.NUMBER),
    ExportColumn("measure", ("annotation.Round.protocol",)),
    *_of("annotation.Round", "repeat_percent", "drawn_from", "audit_percent", holds=Holds.INTEGER),
    ExportColumn("fleiss_kappa", ("annotation.Round.kappa",), Holds.NUMBER),
    ExportColumn("fleiss_kappa_low", ("annotation.Round.kappa_low",), Holds.NUMBER),
    ExportColumn("fleiss_kappa_high", ("annotation.Round.kappa_high",), Holds.NUMBER),
    ExportColumn("fleiss_kappa_items", ("annotation.Round.kappa_items",), Holds.INTEGER),
    ExportColumn("fleiss_kappa_criterion", ("annotation.Round.kappa_criterion",)),
    ExportColumn("fleiss_kappa_undefined", ("annotation.Round.kappa_undefined",), Holds.INTEGER),
    ExportColumn("verdict", ("annotation.Round.verdict",)),
)

# How an LLM is asked, as a judge has it.
OF_A_JUDGE = (
    *("llm", "base_url", "manner", "prompt_language", "prompt_edition"),
    *("temperature", "max_tokens", "json_answer", "is_stand_in"),
)
JUDGES = (
    ExportColumn("judge", ("judging.Judge.rater", "annotation.Rater.key", "analytics.Jury.key")),
    ExportColumn("name", ("annotation.Rater.name", "analytics.Jury.name")),
    ExportColumn("own_generators", ("annotation.Rater.own_generators",), Holds.LIST),
    *_of("judging.Judge", "llm", "base_url", "manner", "prompt_language", "prompt_edition"),
    ExportColumn("temperature", ("judging.Judge.temperature",), Holds.NUMBER),
    ExportColumn("max_tokens", ("judging.Judge.max_tokens",), Holds.INTEGER),
    *_of("judging.Judge", "json_answer", "is_stand_in", holds=Holds.TRUTH),
    ExportColumn("endpoint", ("judging.Judge.endpoint", "judging.LLMEndpoint.key")),
    ExportColumn("endpoint_version", ("judging.LLMEndpoint.number",), Holds.INTEGER),
    *_of("judging.LLMEndpoint", "dialect", "processor"),
    ExportColumn("prompt", ("judging.Judge.template", "judging.PromptTemplate.name")),
    ExportColumn("prompt_version", ("judging.PromptTemplate.number",), Holds.INTEGER),
    ExportColumn("template_sha256", ("judging.PromptTemplate.sha256",)),
    ExportColumn("is_jury", ("analytics.Jury.key",), Holds.TRUTH),
    ExportColumn("jury_members", ("analytics.Jury.members", "annotation.Rater.key"), Holds.LIST),
    ExportColumn("jury_rule", ("analytics.Jury.rule",)),
    ExportColumn("jury_quorum", ("analytics.Jury.quorum",), Holds.INTEGER),
    ExportColumn("jury_weights", ("analytics.Jury.weights",), Holds.RECORD),
    ExportColumn("jury_answers_seen", ("analytics.Jury.n_seen",), Holds.INTEGER),
    ExportColumn("jury_named_at", ("analytics.Jury.named_at",)),
    ExportColumn("prompt_text", ("judging.PromptTemplate.text",)),
)

# Its examples may be dialogues of the study, so it leaves where those do.
JUDGES_WITHOUT_PROMPTS = tuple(one for one in JUDGES if one.name != "prompt_text")

JUDGE_CALLS = (
    ExportColumn(
        "judge", ("judging.JudgeCall.run", "judging.JudgeRun.judge", "annotation.Rater.key")
    ),
    ExportColumn("item", ("judging.JudgeCall.item", "annotation.Item.key")),
    ExportColumn("repeat", ("judging.JudgeCall.repeat",), Holds.INTEGER),
    ExportColumn(
        "rubric_version",
        ("judging.JudgeRun.rubric_version", "annotation.RubricVersion.number"),
        Holds.INTEGER,
    ),
    *_of("judging.JudgeCall", "outcome", "problem", "parser_edition"),
    ExportColumn("attempts", ("judging.JudgeCall.attempts",), Holds.INTEGER),
    *_of("judging.JudgeCall", "sent_at", "answered_at", "prompt_sha256", "item_sha256"),
    ExportColumn("exchanges", ("judging.JudgeCall.exchanges",), Holds.RECORD),
)

# Without the texts leave no raw answers: they quote them.
JUDGE_CALLS_WITHOUT_ANSWERS = tuple(one for one in JUDGE_CALLS if one.name != "exchanges")

# Two replies to a conversation that a judge held against each other, where a study had that done.
_COMPARED = (
    ExportColumn("comparison", ("judging.ReplyComparison.id",), Holds.INTEGER),
    ExportColumn("judge", ("judging.JudgeRun.judge", "annotation.Rater.key")),
)
COMPARISONS = (
    *_COMPARED,
    ExportColumn(
        "rubric_version",
        ("judging.JudgeRun.rubric_version", "annotation.RubricVersion.number"),
        Holds.INTEGER,
    ),
    ExportColumn("reference", ("judging.ReplyComparison.reference",)),
    *_of("judging.ReplyComparison", "both_orders", "overall", "values", "ties", holds=Holds.TRUTH),
    ExportColumn("most_pairs", ("judging.ReplyComparison.most",), Holds.INTEGER),
    ExportColumn("n_pairs", ("judging.ReplyComparison.n_pairs",), Holds.INTEGER),
    ExportColumn("seed", ("judging.ReplyComparison.seed",)),
)
_PAIR = (
    *_COMPARED,
    ExportColumn("item", ("judging.JudgeCall.item", "annotation.Item.key")),
    ExportColumn("second", ("judging.JudgeCall.second", "annotation.Item.key")),
    ExportColumn("repeat", ("judging.JudgeCall.repeat",), Holds.INTEGER),
)
PREFERENCES = (
    *_PAIR,
    ExportColumn("criterion", ("judging.Preference.criterion_key",)),
    ExportColumn("preferred", ("judging.Preference.preferred",)),
    *_of("judging.Preference", "first_score", "second_score", holds=Holds.INTEGER),
    ExportColumn("unscored", ("judging.Preference.unscored",)),
    ExportColumn("parser_edition", ("judging.Preference.edition",)),
)
PAIR_CALLS = (
    *_PAIR,
    *(one for one in JUDGE_CALLS if one.name not in ("judge", "item", "repeat", "rubric_version")),
)
PAIR_CALLS_WITHOUT_ANSWERS = tuple(one for one in PAIR_CALLS if one.name != "exchanges")
OF_PAIRS = ("comparisons", "preferences", "pair_calls")

FILES: Mapping[str, tuple[ExportColumn, ...]] = {
    "ratings": RATINGS,
    "ratings_wide": (*RATINGS_WIDE, *RATINGS_WIDE_END),
    "derived": DERIVED,
    "grounds": GROUNDS_WITH_RATIONALES,
    "gold": GOLD,
    "items": ITEMS,
    "texts": TEXTS,
    "rounds": ROUNDS,
    "judges": JUDGES,
    "judge_calls": JUDGE_CALLS,
    "comparisons": COMPARISONS,
    "preferences": PREFERENCES,
    "pair_calls": PAIR_CALLS,
}


def names(columns: Sequence[ExportColumn]) -> list[str]:
    return [column.name for column in columns]
