from django.apps import AppConfig

from accounts.ledger.governed import Governed


class AnalyticsConfig(AppConfig):
    name = "analytics"
    differing_copies = ("analytics.figures.genuine.differing_copies",)
    trigger_functions = {
        "annotation_gold_changed": "683f534fca8b8b2fb7a568b5d3a55fdc9ad32ac89d4091ceb47a0cdde9d557f2",
        "annotation_item_changed": "471c9fa87f9c4595519cda131716b7447879bac1b129dae7fe4a0545ca29e380",
        "annotation_rating_changed": "d2c4ebaaa981b9bbc09dea7f4de173d3298adbbfb66a873082b42f4b46e47b92",
        "annotation_submission_changed": "4969b86f771673d08b2742e32b62a541394a301d604620a68999bc0cce2ee948",
    }
    governed = (
        Governed(
            table="analytics_broughtpolicy",
            may_change=(),
            columns=(
                *("id", "study_id", "file_name", "text", "sha256", "brought_at"),
                *("brought_by_id",),
            ),
        ),
        Governed(
            table="analytics_fixedpolicy",
            may_change=(),
            columns=(
                *("id", "study_id", "key", "text", "sha256", "n_judged", "fixed_at"),
                *("fixed_by_id",),
            ),
        ),
        Governed(
            table="analytics_sealedverdicts",
            columns=(
                *("id", "study_id", "look", "policy_id", "revision", "data_sha256", "content"),
                *("sha256", "concord", "sealed_at", "sealed_by_id"),
            ),
        ),
        Governed(
            table="analytics_sentinelcheck",
            may_change=(),
            columns=("id", "run_id", "verdict", "figures", "made_at"),
        ),
        Governed(
            table="analytics_sentinelruling",
            may_change=(),
            columns=("id", "check_made_id", "reason", "ruled_at", "ruled_by_id"),
        ),
        Governed(
            table="analytics_jury",
            may_change=("ended_at", "ended_by_id", "end_reason"),
            columns=(
                *("id", "study_id", "key", "name", "members", "rule", "quorum", "weights"),
                *("made_on", "n_seen", "named_at", "named_by_id"),
                *("ended_at", "ended_by_id", "end_reason"),
            ),
        ),
        Governed(
            table="analytics_export",
            may_change=(),
            columns=(
                *("id", "study_id", "exported_by_id", "exported_at", "revision"),
                *("manifest", "sha256"),
            ),
        ),
        Governed(
            table="analytics_releaselink",
            columns=(
                *("id", "job_id", "export_id", "recipient_id", "token_sha256", "made_at"),
                *("expires_at", "used_at"),
            ),
        ),
        Governed(
            table="analytics_writeup",
            columns=(
                *("id", "study_id", "asked_at", "asked_by_id", "done_at", "revision", "concord"),
                *("language", "folder", "sha256", "listing"),
            ),
        ),
        Governed(
            table="analytics_verification",
            columns=(
                *("id", "study_id", "asked_at", "asked_by_id", "done_at", "revision", "concord"),
                *("with_off_scale", "with_quarantined", "checks"),
            ),
        ),
        Governed(
            table="analytics_disclosureruling",
            may_change=(),
            columns=(
                *("id", "study_id", "digest", "findings", "passes", "reason", "ruled_at"),
                *("ruled_by_id",),
            ),
        ),
        Governed(
            table="analytics_copystatement",
            may_change=(),
            columns=(
                *("id", "person_id", "exports", "is_destroyed", "typed_name", "text"),
                *("text_sha256", "signed_at"),
            ),
        ),
    )
