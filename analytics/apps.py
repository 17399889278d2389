from django.apps import AppConfig

from accounts.ledger.governed import Governed


class AnalyticsConfig(AppConfig):
    name = "analytics"
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
