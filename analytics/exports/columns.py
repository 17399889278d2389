"""What may leave in an export: every field of every model is named here, as leaving or staying.

A test compares this list with the models, so a new field leaves only after somebody decided so.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The fields of a model that may leave, and those that stay."""

    exported: frozenset[str] = frozenset()
    withheld: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ExportColumn:
    """A column of a file and the fields, "Model.field", that its values come from."""

    name: str
    sources: tuple[str, ...]


def _fields(exported: str = "", *, withheld: str = "") -> Fields:
    return Fields(exported=frozenset(exported.split()), withheld=frozenset(withheld.split()))


# A person's rater id leaves as a pseudonym only, and a key only where it names a judge. Times and
# durations stay: with the labels they would be a fingerprint. Comments and reasons stay: style is
# one too. The texts of dialogues and replies leave only where the recipient asks for them.
MODELS: Mapping[str, Fields] = {
    "accounts.User": _fields(
        "email full_name",
        withheld="id password last_login affiliation roles is_active date_joined approved_until",
    ),
    "accounts.Suspension": _fields(
        withheld="id user suspended_at suspended_by reason reinstated_at reinstated_by"
    ),
    "accounts.Terms": _fields(
        "number sha256",
        withheld="id title_en title_zh_hans body_en body_zh_hans valid_days published_at",
    ),
    "accounts.TermsAcceptance": _fields(
        withheld="id user terms typed_name affiliation language text_sha256 accepted_at"
        " effective_until"
    ),
    "accounts.AccessRequest": _fields(
        withheld="id user purpose requested_at decision decided_at decided_by reason granted_until"
    ),
    "accounts.Event": _fields(withheld="id verb actor subject at facts"),
    "annotation.Rubric": _fields("key", withheld="id"),
    "annotation.RubricVersion": _fields(
        "number definition fingerprint", withheld="id rubric published_at"
    ),
    "annotation.Study": _fields(
        "key name revision rubric_version",
        withheld="id description language created_at created_by release_key",
    ),
    "annotation.Membership": _fields(withheld="id study user roles"),
    "annotation.Dialogue": _fields("key turns", withheld="id study"),
    "annotation.Item": _fields(
        "key dialogue position reply reply_speaker generator content_sha256",
        withheld="id study content_note",
    ),
    "annotation.FileJob": _fields(
        withheld="id study kind what options file_name folder follows asked_at asked_by state "
        "attempts started_at heartbeat_at cancel_asked_at finished_at done total reason result"
    ),
    "annotation.Quarantine": _fields(
        "item lifted_at", withheld="id reason quarantined_at quarantined_by lifted_by"
    ),
    "annotation.Rater": _fields("id key name kind own_generators", withheld="user"),
    "annotation.Round": _fields(
        "number raters_per_item gate repeat_percent kappa kappa_low kappa_high kappa_items kappa_criterion verdict",
        withheld="id study rubric_version state opened_at opened_by re_review_of override_reason"
        " closed_at closed_by",
    ),
    "annotation.Seat": _fields(withheld="id round rater n_assigned n_submitted"),
    "annotation.RoundItem": _fields(withheld="id round item position n_submitted state"),
    "annotation.Assignment": _fields(
        withheld="id round item rater slot repeat position state deferrals"
    ),
    "annotation.Adjudication": _fields(withheld="id round item decided_by decided_at reason"),
    "annotation.Gold": _fields(
        "item criterion_key label score origin round",
        withheld="id adjudication decided_at superseded_at",
    ),
    "annotation.Submission": _fields(
        "item rater rubric_version origin round repeat",
        withheld="id key study assignment submitted_at seconds comment is_current supersedes",
    ),
    "annotation.Rating": _fields(
        "criterion_key label score unscored off_scale", withheld="id submission"
    ),
    "judging.Judge": _fields(
        "rater llm base_url manner prompt_language prompt_edition temperature max_tokens"
        " json_answer is_stand_in",
        withheld="id created_at",
    ),
    "judging.Probe": _fields(withheld="id llm base_url findings seconds made_at made_by"),
    "judging.JudgeRun": _fields(
        "judge rubric_version",
        withheld="id study round repeats concurrency limit_requests limit_tokens used_requests"
        " used_tokens probe state pause_reason started_at started_by authority finished_at",
    ),
    "judging.JudgeCall": _fields(
        "run item repeat attempts outcome problem prompt_sha256 item_sha256 exchanges sent_at"
        " answered_at answered_llm answered_fingerprint",
        withheld="id position state leased_until not_before submission",
    ),
    "analytics.BroughtPolicy": _fields(
        withheld="id study file_name text sha256 brought_at brought_by"
    ),
    "analytics.FixedPolicy": _fields(
        "key text sha256 n_judged fixed_at", withheld="id study fixed_by"
    ),
    "analytics.Snapshot": _fields(
        withheld="id study part with_off_scale with_quarantined revision edition computed_at report"
    ),
    "analytics.Change": _fields(withheld="id study_id item_id rater_id"),
    "analytics.PackedStudy": _fields(withheld="study edition items words"),
    "analytics.PackedColumn": _fields(withheld="id study rater_id repeat cells"),
    "analytics.Writeup": _fields(
        withheld="id study language asked_at asked_by done_at revision concord archive sha256 listing"
    ),
    "analytics.Verification": _fields(
        withheld="id study with_off_scale with_quarantined asked_at asked_by done_at revision"
        " concord checks"
    ),
    "analytics.Export": _fields(
        withheld="id study exported_by exported_at revision manifest sha256"
    ),
}


_RATER = (
    ExportColumn("item", ("annotation.Submission.item", "annotation.Item.key")),
    ExportColumn("dialogue", ("annotation.Item.dialogue", "annotation.Dialogue.key")),
    ExportColumn("generator", ("annotation.Item.generator",)),
    ExportColumn(
        "rater",
        ("annotation.Submission.rater", "annotation.Rater.id", "annotation.Rater.key"),
    ),
    ExportColumn("rater_kind", ("annotation.Rater.kind",)),
    ExportColumn("round", ("annotation.Submission.round", "annotation.Round.number")),
    ExportColumn("repeat", ("annotation.Submission.repeat",)),
    ExportColumn("origin", ("annotation.Submission.origin",)),
    ExportColumn(
        "rubric_version",
        ("annotation.Submission.rubric_version", "annotation.RubricVersion.number"),
    ),
)

RATINGS = (
    *_RATER,
    ExportColumn("criterion", ("annotation.Rating.criterion_key",)),
    ExportColumn("label", ("annotation.Rating.label",)),
    ExportColumn("score", ("annotation.Rating.score",)),
    ExportColumn("off_scale", ("annotation.Rating.off_scale",)),
    ExportColumn("unscored", ("annotation.Rating.unscored",)),
)

# Between these stands one column a criterion, with its label or score.
RATINGS_WIDE = _RATER
RATINGS_WIDE_END = (
    ExportColumn("off_scale", ("annotation.Rating.off_scale",)),
    ExportColumn("unscored", ("annotation.Rating.unscored",)),
)

GOLD = (
    ExportColumn("item", ("annotation.Gold.item", "annotation.Item.key")),
    ExportColumn("criterion", ("annotation.Gold.criterion_key",)),
    ExportColumn("label", ("annotation.Gold.label",)),
    ExportColumn("score", ("annotation.Gold.score",)),
    ExportColumn("origin", ("annotation.Gold.origin",)),
    ExportColumn("round", ("annotation.Gold.round", "annotation.Round.number")),
)

ITEMS = (
    ExportColumn("item", ("annotation.Item.key",)),
    ExportColumn("dialogue", ("annotation.Item.dialogue", "annotation.Dialogue.key")),
    ExportColumn("position", ("annotation.Item.position",)),
    ExportColumn("generator", ("annotation.Item.generator",)),
    ExportColumn("content_sha256", ("annotation.Item.content_sha256",)),
    ExportColumn("set_aside", ("annotation.Quarantine.item", "annotation.Quarantine.lifted_at")),
)

TEXTS = (
    ExportColumn("item", ("annotation.Item.key",)),
    ExportColumn("turns", ("annotation.Dialogue.turns",)),
    ExportColumn("reply_speaker", ("annotation.Item.reply_speaker",)),
    ExportColumn("reply", ("annotation.Item.reply",)),
)

ROUNDS = (
    ExportColumn("round", ("annotation.Round.number",)),
    ExportColumn("raters_per_item", ("annotation.Round.raters_per_item",)),
    ExportColumn("gate", ("annotation.Round.gate",)),
    ExportColumn("repeat_percent", ("annotation.Round.repeat_percent",)),
    ExportColumn("fleiss_kappa", ("annotation.Round.kappa",)),
    ExportColumn("fleiss_kappa_low", ("annotation.Round.kappa_low",)),
    ExportColumn("fleiss_kappa_high", ("annotation.Round.kappa_high",)),
    ExportColumn("fleiss_kappa_items", ("annotation.Round.kappa_items",)),
    ExportColumn("fleiss_kappa_criterion", ("annotation.Round.kappa_criterion",)),
    ExportColumn("verdict", ("annotation.Round.verdict",)),
)

JUDGES = (
    ExportColumn("judge", ("judging.Judge.rater", "annotation.Rater.key")),
    ExportColumn("name", ("annotation.Rater.name",)),
    ExportColumn("own_generators", ("annotation.Rater.own_generators",)),
    ExportColumn("llm", ("judging.Judge.llm",)),
    ExportColumn("base_url", ("judging.Judge.base_url",)),
    ExportColumn("manner", ("judging.Judge.manner",)),
    ExportColumn("prompt_language", ("judging.Judge.prompt_language",)),
    ExportColumn("prompt_edition", ("judging.Judge.prompt_edition",)),
    ExportColumn("temperature", ("judging.Judge.temperature",)),
    ExportColumn("max_tokens", ("judging.Judge.max_tokens",)),
    ExportColumn("json_answer", ("judging.Judge.json_answer",)),
    ExportColumn("is_stand_in", ("judging.Judge.is_stand_in",)),
)

JUDGE_CALLS = (
    ExportColumn(
        "judge", ("judging.JudgeCall.run", "judging.JudgeRun.judge", "annotation.Rater.key")
    ),
    ExportColumn("item", ("judging.JudgeCall.item", "annotation.Item.key")),
    ExportColumn("repeat", ("judging.JudgeCall.repeat",)),
    ExportColumn(
        "rubric_version",
        ("judging.JudgeRun.rubric_version", "annotation.RubricVersion.number"),
    ),
    ExportColumn("outcome", ("judging.JudgeCall.outcome",)),
    ExportColumn("problem", ("judging.JudgeCall.problem",)),
    ExportColumn("attempts", ("judging.JudgeCall.attempts",)),
    ExportColumn("sent_at", ("judging.JudgeCall.sent_at",)),
    ExportColumn("answered_at", ("judging.JudgeCall.answered_at",)),
    ExportColumn("prompt_sha256", ("judging.JudgeCall.prompt_sha256",)),
    ExportColumn("item_sha256", ("judging.JudgeCall.item_sha256",)),
    ExportColumn("exchanges", ("judging.JudgeCall.exchanges",)),
)

FILES: Mapping[str, tuple[ExportColumn, ...]] = {
    "ratings": RATINGS,
    "ratings_wide": (*RATINGS_WIDE, *RATINGS_WIDE_END),
    "gold": GOLD,
    "items": ITEMS,
    "texts": TEXTS,
    "rounds": ROUNDS,
    "judges": JUDGES,
    "judge_calls": JUDGE_CALLS,
}


def names(columns: tuple[ExportColumn, ...]) -> list[str]:
    return [column.name for column in columns]
