from django.apps import AppConfig

from accounts.ledger.governed import Governed

_CALL = (
    *("id", "run_id", "item_id", "repeat", "position", "state"),
    *("leased_until", "not_before", "attempts", "outcome", "problem"),
    *("submission_id", "prompt_sha256", "item_sha256", "exchanges"),
    *("sent_at", "answered_at"),
)


_JUDGE = (
    *("id", "rater_id", "llm", "base_url", "manner", "prompt_language"),
    *("prompt_edition", "temperature", "max_tokens", "json_answer"),
    *("is_stand_in", "created_at"),
)


_PROBE = ("id", "llm", "base_url", "findings", "seconds", "made_at", "made_by_id")


_PREFERENCE = (
    *("id", "call_id", "criterion_key", "preferred", "unscored", "edition"),
    *("read_at", "read_by_id"),
)


class JudgingConfig(AppConfig):
    name = "judging"
    differing_copies = (
        "judging.queries.sent_texts.differing_copies",
        "judging.queries.run_states.differing_copies",
    )
    trigger_functions = {
        "judging_note_answerers": "a78d5f3fe92d041c49eb524e8b3d82b4ae6b8388b7e6bf9f572ca5da96ca2b5f",
    }
    governed = (
        Governed(
            table="judging_judge",
            may_change=(),
            columns=_JUDGE,
        ),
        Governed(
            table="judging_judge",
            edition=2,
            may_change=(),
            columns=(*_JUDGE, "template_id"),
        ),
        Governed(
            table="judging_judge",
            edition=3,
            may_change=(),
            columns=(*_JUDGE, "template_id", "endpoint_id"),
        ),
        Governed(
            table="judging_llmendpoint",
            may_change=("retired_at", "retired_by_id"),
            columns=(
                *("id", "key", "number", "name", "base_url", "dialect", "key_reference"),
                *("headers", "body", "processor", "most_at_once", "added_at", "added_by_id"),
                *("retired_at", "retired_by_id"),
            ),
        ),
        Governed(
            table="judging_llmprice",
            may_change=(),
            columns=(
                *("id", "endpoint_id", "llm", "prompt", "answer", "currency", "since"),
                *("added_at", "added_by_id"),
            ),
        ),
        Governed(
            table="judging_llmprice",
            edition=2,
            may_change=(),
            columns=(
                *("id", "endpoint_id", "llm", "prompt", "answer", "currency", "since"),
                *("added_at", "added_by_id", "is_for_batches"),
            ),
        ),
        Governed(
            table="judging_llmprice",
            edition=3,
            may_change=(),
            columns=(
                *("id", "endpoint_id", "llm", "prompt", "answer", "currency", "since"),
                *("added_at", "added_by_id", "is_for_batches", "cached"),
            ),
        ),
        Governed(
            table="judging_prompttemplate",
            may_change=(),
            columns=(
                *("id", "study_id", "name", "number", "text", "sha256", "note"),
                *("written_at", "written_by_id"),
            ),
        ),
        Governed(
            table="judging_probe",
            may_change=(),
            columns=_PROBE,
        ),
        Governed(
            table="judging_probe",
            edition=2,
            may_change=(),
            columns=(*_PROBE, "endpoint_id"),
        ),
        Governed(
            table="judging_sentinelset",
            may_change=("retired_at", "retired_by_id"),
            columns=(
                *("id", "study_id", "judge_id", "margin", "every_days", "seed"),
                *("set_at", "set_by_id", "retired_at", "retired_by_id"),
            ),
        ),
        Governed(
            table="judging_sentinel",
            may_change=(),
            columns=("id", "sentinels_id", "call_id"),
        ),
        Governed(
            table="judging_judgerun",
            notes_updates=False,
            columns=(
                *("id", "study_id", "judge_id", "rubric_version_id", "round_id", "retry_of_id"),
                *("sentinels_id", "generation_id", "comparison_id", "by_batch"),
                *("price_prompt", "price_answer", "price_cached", "currency", "probe_id"),
                *("started_at", "started_by_id"),
            ),
        ),
        Governed(
            table="judging_judgerun",
            edition=2,
            columns=(
                *("id", "study_id", "judge_id", "rubric_version_id", "round_id", "retry_of_id"),
                *("sentinels_id", "generation_id", "comparison_id", "by_batch"),
                *("price_prompt", "price_answer", "price_cached", "currency", "probe_id"),
                *("started_at", "started_by_id", "repeats", "concurrency", "state", "pause_reason"),
                *("authority_id", "finished_at", "limit_requests", "limit_tokens", "limit_money"),
                *("used_requests", "used_tokens", "used_money"),
            ),
        ),
        Governed(
            table="judging_llmbatch",
            columns=(
                *("id", "run_id", "key", "requests", "n_calls", "n_answered", "state", "ended_as"),
                *("problem", "remote_id", "made_at", "sent_at", "cancel_asked_at", "ended_at"),
            ),
        ),
        Governed(
            table="judging_runanswerer",
            columns=("id", "run_id", "llm", "fingerprint", "first_at", "first_call"),
        ),
        Governed(
            table="judging_holdoutuse",
            may_change=(),
            columns=(
                *("id", "hold_out_id", "judge_id", "run_id", "family", "n_items", "reason"),
                *("used_at", "used_by_id"),
            ),
        ),
        Governed(
            table="judging_generation",
            may_change=("taken_in_at", "taken_in_by_id"),
            columns=(
                *("id", "study_id", "seed", "started_at", "started_by_id"),
                *("taken_in_at", "taken_in_by_id"),
            ),
        ),
        Governed(
            table="judging_llmgenerator",
            may_change=(),
            columns=("id", "study_id", "name", "asked_id", "system"),
        ),
        Governed(
            table="judging_writtenreply",
            may_change=(),
            columns=("id", "call_id", "item_id", "doubts"),
        ),
        Governed(table="judging_judgecall", when="state = 'done'", columns=_CALL),
        Governed(
            table="judging_judgecall",
            edition=2,
            when="state = 'done'",
            columns=(*_CALL, "parser_edition"),
        ),
        Governed(
            table="judging_judgecall",
            edition=3,
            when="state = 'done'",
            columns=(*_CALL, "parser_edition", "second_id"),
        ),
        Governed(
            table="judging_replycomparison",
            may_change=(),
            columns=(
                *("id", "study_id", "pairing", "reference", "most", "both_orders", "overall"),
                *("ties", "seed", "n_pairs", "started_at", "started_by_id"),
            ),
        ),
        Governed(
            table="judging_replycomparison",
            edition=2,
            may_change=(),
            columns=(
                *("id", "study_id", "pairing", "reference", "most", "both_orders", "overall"),
                *("ties", "seed", "n_pairs", "started_at", "started_by_id", "values"),
            ),
        ),
        Governed(table="judging_preference", may_change=(), columns=_PREFERENCE),
        Governed(
            table="judging_preference",
            edition=2,
            may_change=(),
            columns=(*_PREFERENCE, "first_score", "second_score"),
        ),
        Governed(
            table="judging_handreading",
            may_change=(),
            columns=("id", "call_id", "criterion_key", "label", "score", "read_at", "read_by_id"),
        ),
        Governed(
            table="judging_callreading",
            may_change=(),
            columns=(
                *("id", "call_id", "edition", "outcome", "submission_id"),
                *("read_at", "read_by_id"),
            ),
        ),
    )
