"""The codebook: what every column of every table means, and what a criterion's values mean."""

from collections.abc import Iterator, Mapping, Sequence

from analytics.exports.columns import ExportColumn, Holds
from annotation.rubric.schema import Group, Rubric, Scale, Scored, Taxonomy

COLUMNS = tuple(
    ExportColumn(name, ("annotation.RubricVersion.definition",))
    for name in ("table", "column", "holds", "value", "meaning")
)
MEANINGS: Mapping[str, str] = {
    "ambiguous": "Whether an adjudicator found the item truly ambiguous: it has no value then",
    "answered_at": "When the last answer to the request came",
    "audit_percent": "Share of the items beside the list that were drawn into the round",
    "attributes": "What else the item's file told apart, as JSON: {name: value}",
    "attempts": "How often the request was sent",
    "both_orders": "Whether each pair was asked about in both orders",
    "base_url": "Where the LLM was asked",
    "drawn_from": "How many items could have been on the list of the round",
    "comparison": "Which comparison of the study it is, from 1",
    "confidence": "How sure the rater was: 1 unsure, 2 fairly sure, 3 sure",
    "content_note": "A warning that raters saw before the text",
    "content_sha256": "SHA-256 of the item's texts, for comparing copies",
    "criterion": "The criterion's key in the rubric",
    "dialect": "Whose form of the OpenAI protocol the endpoint spoke",
    "defensible": "Other values that the rater finds defensible too, parted by blanks",
    "derived": "The derived score's key in the rubric",
    "dialogue": "The conversation's key: its items are not independent",
    "distribution": "What its raters answered before anybody decided, as value:count value:count, or "
    "why there was no value; only of what is ambiguous",
    "endpoint": "The key of the endpoint, where it was one that was added",
    "endpoint_version": "Which version of that endpoint",
    "evidence": "Words that a value rests on, as turn:start-end: turns from 1, the reply after the last; "
    "characters from 0",
    "exchanges": "Each request in turn, with the raw answer",
    "first_score": "The value of the reply that stood first, where values of both were asked for",
    "fleiss_kappa": "Agreement of the round before anything was decided, by its `measure`",
    "fleiss_kappa_criterion": "The criterion whose agreement it is: the lowest; none: the mean of all",
    "fleiss_kappa_high": "Upper end of its 95% interval",
    "fleiss_kappa_items": "Items that it was computed from",
    "fleiss_kappa_low": "Lower end of its 95% interval",
    "fleiss_kappa_undefined": "Criteria without one, all answers being the same: it is of the others",
    "gate": "The agreement that the round had to reach",
    "generator": "Who or what wrote the reply",
    "item": "The item's key",
    "item_sha256": "SHA-256 of the item's texts as they were sent",
    "json_answer": "Whether an answer in JSON was asked for",
    "judge": "The judge's key",
    "label": "The label given; empty for scores",
    "lacks": "Criteria without which there is no derived score",
    "llm": "The LLM's name at its endpoint",
    "manner": "How the LLM is asked: all at once, or question by question",
    "max_tokens": "The longest answer that was allowed",
    "measure": "What `fleiss_kappa` is: fleiss; weighted, Fleiss' kappa for labels and Krippendorff's alpha with "
    "squared distances for ordinal scales; alpha, Krippendorff's; gwet, AC1 or AC2; exact, the share of pairs "
    "of ratings that are the same",
    "most_pairs": "How many pairs were drawn at most; empty: all",
    "n_pairs": "How many pairs were asked about",
    "name": "The judge's name",
    "is_jury": "Whether it is several judges that rate as one; what it came to is worked out, not stored",
    "jury_answers_seen": "Answers of its members to what it is measured on when it was named",
    "jury_members": "The keys of the judges that a jury is made up of",
    "jury_named_at": "When a jury was named",
    "jury_quorum": "How many members of a jury must be read for a value",
    "jury_rule": "How a jury comes to one value: majority, median, weighted",
    "jury_weights": "By criterion and member: weight, share right, items it was made by",
    "is_stand_in": "Whether no LLM but a made-up answerer was asked",
    "off_scale": "Whether the score is not on the scale (in the wide table: whose is not)",
    "origin": "How the value came to be",
    "outcome": "What came of the request",
    "overall": "Whether it was asked which reply is better on the whole, not on each scale",
    "own_generators": "Sources that the judge must not be measured on: its own family",
    "position": "The item's place in the study",
    "path": "The way through a graph of questions, as question:answer question:answer",
    "parser_edition": "What read the raw answer",
    "preferred": "Which reply was put higher: first, the one in `item`, second, or tie",
    "probability": "The chance that the item had to be drawn for people; empty where all were taken",
    "problem": "Why there is no value, where there is none",
    "processor": "Whose machines read the dialogues: own, contracted, other",
    "prompt": "The name of the prompt that the study wrote; none for Concord's own",
    "prompt_edition": "The edition of Concord's prompt",
    "prompt_text": "The prompt that the study wrote, word for word, in TOML",
    "prompt_version": "Which version of that prompt",
    "template_sha256": "SHA-256 of the prompt that the study wrote",
    "prompt_language": "The language of the prompt",
    "prompt_sha256": "SHA-256 of the prompt that was sent",
    "quotes": "The words of each passage of the evidence",
    "rater": "A person's pseudonym, or a judge's key",
    "rater_kind": "human or judge",
    "rationale": "Why the rater chose the value, as it was written",
    "raters_per_item": "How many people rated each item of the round",
    "repeat": "Which of the rater's answers to the item it is, from 1",
    "repeat_percent": "Share of items that came to the same rater again",
    "reference": "The generator that wrote one reply of each pair; empty where any two were paired",
    "reply": "The reply that was rated; null where its publishers did not release it",
    "reply_speaker": "Who speaks in the reply",
    "round": "The number of the round; empty for what no round gave",
    "rubric_version": "The edition of the rubric that the answer was given under",
    "score": "The number given; empty for labels",
    "second_score": "The value of the reply that stood second",
    "second": "The key of the item whose reply stood second; `item` stood first",
    "seed": "What drew the pairs and their order",
    "sent_at": "When the request was last sent",
    "set_aside": "Whether figures leave the item out",
    "split": "open or restricted: the part of the data set that the item is in",
    "temperature": "The sampling temperature",
    "ties": "Whether neither might be the answer",
    "turns": "The conversation: who says what",
    "unverified": "Words that a judge quoted and that stand in no text of the item",
    "unscored": "Why there is no value (in the wide table: of which criterion)",
    "values": "Whether a value was asked for each of both, of which the higher is preferred",
    "verdict": "What became of the round",
}


def rows(
    tables: Mapping[str, Sequence[ExportColumn]], rubric: Rubric
) -> Iterator[dict[str, object]]:
    """A row a column, and in the wide table a row a value of each criterion."""
    scored = {part.key: part for part in rubric.scored}
    for table, columns in tables.items():
        for column in columns:
            part = scored.get(column.name)
            about: dict[str, object] = {
                "table": table,
                "column": column.name,
                "holds": column.holds.value,
            }
            yield about | {"meaning": _asked(part) if part else MEANINGS[column.name]}
            if part is not None:
                for value, meaning in _values(part):
                    yield about | {"value": value, "meaning": meaning}


def wide_columns(rubric: Rubric) -> list[ExportColumn]:
    """A column a criterion or derived score."""
    return [
        ExportColumn(part.key, ("annotation.Rating.label", "annotation.Rating.score"), _holds(part))
        for part in rubric.scored
    ]


def _holds(part: Scored) -> Holds:
    if isinstance(part, Taxonomy):
        return Holds.TEXT
    return Holds.NUMBER if isinstance(part, Group) else Holds.INTEGER


def _asked(part: Scored) -> str:
    name = part.name.in_("en")
    if isinstance(part, Scale):
        return f"{name}: {part.question.in_('en')}"
    if isinstance(part, Group):
        return f"{name}: the {part.summary} of {', '.join(part.criteria)}"
    return name


def _values(part: Scored) -> Iterator[tuple[str, str]]:
    if isinstance(part, Taxonomy):
        for label in part.labels:
            yield label.key, f"{label.name.in_('en')} ({label.code}): {label.definition.in_('en')}"
    elif isinstance(part, Scale):
        for point in part.points:
            yield str(point.value), point.anchor.in_("en")
