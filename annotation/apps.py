from django.apps import AppConfig

from accounts.ledger.governed import Governed

# What the database lets change in a round after it has opened; its protocol is not among it.
_ROUND_GOES_ON = (
    *("state", "step", "closed_at", "closed_by_id", "verdict"),
    *("kappa", "kappa_low", "kappa_high", "kappa_items", "kappa_criterion", "kappa_undefined"),
    *("due_on", "cancel_reason"),
)
_AUDIT_IS_DECIDED = (*("decided_by_id", "decided_at", "values", "reason", "code", "is_overturned"),)
_OPINION = (
    *("id", "round_item_id", "decided_by_id", "decided_at", "values", "reason"),
    "code",
)
_GOLD_AUDIT = (
    *("id", "round_item_id", "drawn_in_id", "criteria", "drawn_at"),
    *("decided_by_id", "decided_at", "values", "reason", "code", "is_overturned"),
)
_GOLD = (
    *("id", "item_id", "criterion_key", "label", "score", "origin"),
    *("round_id", "adjudication_id", "decided_at", "superseded_at"),
)


class AnnotationConfig(AppConfig):
    name = "annotation"
    differing_copies = (
        "annotation.queries.gold_scores.differing_copies",
        "annotation.queries.states.differing_copies",
    )
    trigger_functions = {
        "annotation_keep_row": "68b4123a81863a5013dfb10c5e93e9d622c18792a2298ef57a65d3670c152a26",
    }
    governed = (
        Governed(table="annotation_rubric", may_change=("id",), columns=("id", "key")),
        Governed(
            table="annotation_rubricversion",
            may_change=(),
            columns=(
                *("id", "rubric_id", "number", "definition", "fingerprint"),
                *("published_at",),
            ),
        ),
        Governed(
            table="annotation_rubricchange",
            may_change=("undone_at", "undone_by_id"),
            columns=(
                *("id", "study_id", "before_id", "after_id", "plan", "carried", "withdrawn"),
                *("gold_made", "gold_retired", "again", "made_at", "made_by_id"),
                *("undone_at", "undone_by_id"),
            ),
        ),
        Governed(
            table="annotation_rater",
            columns=(*("id", "key", "name", "kind", "user_id", "own_generators"),),
        ),
        Governed(
            table="annotation_study",
            columns=(
                *("id", "data_set_id", "key", "name", "descriptions", "language"),
                *("rubric_version_id", "protocol", "created_at", "created_by_id", "release_key"),
                *("judges_blinded_at", "judges_named_at", "judges_named_why"),
            ),
        ),
        Governed(
            table="annotation_admission",
            may_change=(),
            columns=("id", "study_id", "user_id", "reason", "let_in_at", "let_in_by_id"),
        ),
        Governed(
            table="annotation_rounditem",
            notes_updates=False,
            columns=("id", "round_id", "item_id", "position", "probability", "is_gold"),
        ),
        Governed(
            table="annotation_assignment",
            notes_updates=False,
            columns=("id", "round_id", "item_id", "rater_id", "repeat"),
        ),
        Governed(
            table="annotation_assignment",
            edition=2,
            notes_updates=False,
            columns=("id", "round_id", "item_id", "rater_id", "repeat", "position"),
        ),
        Governed(
            table="annotation_seat",
            notes_updates=False,
            columns=("id", "round_id", "rater_id"),
        ),
        Governed(
            table="annotation_care",
            columns=("id", "study_id", "break_after", "most_a_day", "support"),
        ),
        Governed(
            table="annotation_filejob",
            notes_updates=False,
            columns=(
                *("id", "study_id", "kind", "what", "options", "file_name", "asked_at"),
                *("asked_by_id",),
            ),
        ),
        Governed(
            table="annotation_filepiece",
            notes_updates=False,
            columns=("id", "folder", "number", "content"),
        ),
        Governed(
            table="annotation_membership",
            columns=(*("id", "study_id", "user_id", "roles"),),
        ),
        Governed(
            table="annotation_dialogue",
            may_change=(),
            columns=(*("id", "study_id", "key", "turns"),),
        ),
        Governed(
            table="annotation_item",
            may_change=("id", "content_note"),
            columns=(
                *("id", "study_id", "dialogue_id", "key", "position", "reply"),
                *("reply_speaker", "generator", "content_note", "content_sha256"),
            ),
        ),
        Governed(
            table="annotation_item",
            edition=2,
            may_change=("id", "content_note"),
            columns=(
                *("id", "study_id", "dialogue_id", "key", "position", "reply"),
                *("reply_speaker", "generator", "content_note", "content_sha256", "attributes"),
            ),
        ),
        Governed(
            table="annotation_screening",
            may_change=(),
            columns=(
                *("id", "study_id", "screened_at", "screened_by_id", "edition", "hits"),
                *("redacted", "dropped", "kept"),
            ),
        ),
        Governed(
            table="annotation_itemnote",
            may_change=(),
            columns=("id", "item_id", "author_id", "text", "written_at"),
        ),
        Governed(
            table="annotation_quarantine",
            columns=(
                *("id", "item_id", "reason", "quarantined_at", "quarantined_by_id"),
                *("lifted_at", "lifted_by_id"),
            ),
        ),
        Governed(
            table="annotation_round",
            columns=(
                *("id", "study_id", "number", "rubric_version_id", "raters_per_item"),
                *("gate", "repeat_percent", "state", "opened_at", "opened_by_id"),
                *("re_review_of_id", "override_reason", "closed_at", "closed_by_id"),
                *("kappa", "kappa_low", "kappa_high", "kappa_items", "kappa_criterion"),
                *("verdict",),
            ),
        ),
        Governed(
            table="annotation_round",
            edition=2,
            may_change=_ROUND_GOES_ON,
            columns=(
                *("id", "study_id", "number", "rubric_version_id", "raters_per_item"),
                *("gate", "repeat_percent", "state", "opened_at", "opened_by_id"),
                *("re_review_of_id", "override_reason", "closed_at", "closed_by_id"),
                *("kappa", "kappa_low", "kappa_high", "kappa_items", "kappa_criterion"),
                *("verdict", "drawn_from", "audit_percent", "draw_seed", "protocol", "step"),
            ),
        ),
        Governed(
            table="annotation_round",
            edition=3,
            may_change=_ROUND_GOES_ON,
            columns=(
                *("id", "study_id", "number", "rubric_version_id", "raters_per_item"),
                *("gate", "repeat_percent", "state", "opened_at", "opened_by_id"),
                *("re_review_of_id", "override_reason", "closed_at", "closed_by_id"),
                *("kappa", "kappa_low", "kappa_high", "kappa_items", "kappa_criterion"),
                *("verdict", "drawn_from", "audit_percent", "draw_seed", "protocol", "step"),
                *("due_on", "cancel_reason"),
            ),
        ),
        Governed(
            table="annotation_round",
            edition=4,
            may_change=_ROUND_GOES_ON,
            columns=(
                *("id", "study_id", "number", "rubric_version_id", "raters_per_item"),
                *("gate", "repeat_percent", "state", "opened_at", "opened_by_id"),
                *("re_review_of_id", "override_reason", "closed_at", "closed_by_id"),
                *("kappa", "kappa_low", "kappa_high", "kappa_items", "kappa_criterion"),
                *("verdict", "drawn_from", "audit_percent", "draw_seed", "protocol", "step"),
                *("due_on", "cancel_reason", "pass_percent"),
            ),
        ),
        Governed(
            table="annotation_round",
            edition=5,
            may_change=_ROUND_GOES_ON,
            columns=(
                *("id", "study_id", "number", "rubric_version_id", "raters_per_item"),
                *("gate", "repeat_percent", "state", "opened_at", "opened_by_id"),
                *("re_review_of_id", "override_reason", "closed_at", "closed_by_id"),
                *("kappa", "kappa_low", "kappa_high", "kappa_items", "kappa_criterion"),
                *("verdict", "drawn_from", "audit_percent", "draw_seed", "protocol", "step"),
                *("due_on", "cancel_reason", "pass_percent", "kappa_undefined"),
            ),
        ),
        Governed(
            table="annotation_discussionremark",
            may_change=(),
            columns=("id", "round_item_id", "author_id", "text", "written_at"),
        ),
        Governed(
            table="annotation_secondvote",
            may_change=(),
            columns=(
                *("id", "round_item_id", "rater_id", "criterion_key", "label", "score"),
                "given_at",
            ),
        ),
        Governed(
            table="annotation_dispute",
            may_change=("answer", "answered_at", "answered_by_id"),
            columns=(
                *("id", "round_item_id", "rater_id", "text", "raised_at", "answer"),
                *("answered_at", "answered_by_id"),
            ),
        ),
        Governed(
            table="annotation_submission",
            may_change=("is_current",),
            columns=(
                *("id", "key", "study_id", "item_id", "rater_id", "rubric_version_id"),
                *("origin", "round_id", "assignment_id", "repeat", "submitted_at"),
                *("seconds", "comment", "is_current", "supersedes_id"),
            ),
        ),
        Governed(
            table="annotation_rating",
            may_change=(),
            columns=(
                *("id", "submission_id", "criterion_key", "label", "score", "unscored"),
                *("off_scale",),
            ),
        ),
        Governed(
            table="annotation_rating",
            edition=2,
            may_change=(),
            columns=(
                *("id", "submission_id", "criterion_key", "label", "score", "unscored"),
                *("off_scale", "path"),
            ),
        ),
        Governed(
            table="annotation_ratinggrounds",
            may_change=(),
            columns=(
                "id",
                "submission_id",
                "criterion_key",
                "confidence",
                "defensible",
                "evidence",
            ),
        ),
        Governed(
            table="annotation_ratinggrounds",
            edition=2,
            may_change=(),
            columns=(
                *("id", "submission_id", "criterion_key", "confidence", "defensible"),
                *("evidence", "unverified", "rationale"),
            ),
        ),
        Governed(
            table="annotation_adjudication",
            may_change=(),
            columns=(*("id", "round_id", "item_id", "decided_by_id", "decided_at", "reason"),),
        ),
        Governed(
            table="annotation_adjudication",
            edition=2,
            may_change=(),
            columns=(
                *("id", "round_id", "item_id", "decided_by_id", "decided_at", "reason"),
                *("code", "ambiguous", "supersedes_id"),
            ),
        ),
        Governed(
            table="annotation_broughtambiguity",
            may_change=(),
            columns=("id", "item_id", "criterion_key", "distribution", "brought_at"),
        ),
        Governed(
            table="annotation_opinion",
            may_change=(),
            columns=_OPINION,
        ),
        Governed(
            table="annotation_opinion",
            edition=2,
            may_change=(),
            columns=(*_OPINION, "ways"),
        ),
        Governed(
            table="annotation_goldaudit",
            may_change=_AUDIT_IS_DECIDED,
            columns=_GOLD_AUDIT,
        ),
        Governed(
            table="annotation_goldaudit",
            edition=2,
            may_change=(*_AUDIT_IS_DECIDED, "ways"),
            columns=(*_GOLD_AUDIT, "ways"),
        ),
        Governed(
            table="annotation_gold",
            may_change=("superseded_at",),
            columns=_GOLD,
        ),
        Governed(
            table="annotation_gold",
            edition=2,
            may_change=("superseded_at",),
            columns=(*_GOLD, "path"),
        ),
        Governed(
            table="annotation_dataset",
            columns=(
                *("id", "key", "name", "steward_id", "longest_days"),
                *("provider_policy", "processors", "least_raters", "page_secret"),
                *("created_at", "created_by_id"),
            ),
        ),
        Governed(
            table="annotation_grant",
            may_change=("stage", "since", "until", "revoked_at", "revoked_by_id"),
            columns=(
                *("id", "data_set_id", "person_id", "level", "purpose", "proposed_by_id"),
                *("asked_at", "stage", "since", "until", "revoked_at", "revoked_by_id"),
            ),
        ),
        Governed(
            table="annotation_grantdecision",
            may_change=(),
            columns=(*("id", "grant_id", "person_id", "what", "by_id", "at", "reason"),),
        ),
        Governed(
            table="annotation_brokenglass",
            may_change=("witness_id", "since", "until"),
            columns=(
                *("id", "data_set_id", "person_id", "reason", "asked_at"),
                *("witness_id", "since", "until"),
            ),
        ),
        Governed(
            table="annotation_division",
            may_change=(),
            columns=(*("id", "data_set_id", "seed", "open_percent", "divided_at"), "divided_by_id"),
        ),
        Governed(
            table="annotation_openitem",
            may_change=(),
            columns=(*("id", "item_id", "division_id"),),
        ),
        Governed(
            table="annotation_holdout",
            may_change=("ended_at", "ended_by_id", "end_reason"),
            columns=(
                *("id", "study_id", "seed", "percent", "drawn_at", "drawn_by_id"),
                *("ended_at", "ended_by_id", "end_reason"),
            ),
        ),
        Governed(
            table="annotation_heldoutitem",
            may_change=(),
            columns=("id", "hold_out_id", "item_id"),
        ),
    )
