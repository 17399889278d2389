"""What may leave in an export: every field of every model is named here, as leaving or staying."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The fields of a model that may leave, and those that stay."""

    exported: frozenset[str] = frozenset()
    withheld: frozenset[str] = frozenset()


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
        "number sha256 texts title_en title_zh_hans body_en body_zh_hans",
        withheld="id valid_days published_at resign_by",
    ),
    "accounts.TermsAcceptance": _fields(
        withheld="id user terms typed_name affiliation language text_sha256 accepted_at"
        " effective_until"
    ),
    "accounts.AccessRequest": _fields(
        withheld="id user purpose requested_at decision decided_at decided_by reason granted_until"
    ),
    "accounts.Event": _fields(withheld="id verb actor subject at facts"),
    "accounts.RowDigest": _fields(withheld="id table_name edition row_ids digests noted_at"),
    "accounts.Unsealed": _fields(withheld="id event digest mark"),
    "accounts.Seal": _fields(withheld="sequence sealed_at event digest previous hash"),
    "accounts.ApiToken": _fields(
        withheld="id user name scopes sha256 made_at expires_at revoked_at"
    ),
    "accounts.ApiWrite": _fields(
        withheld="id user key_sha256 sent_sha256 status answer written_at"
    ),
    "annotation.Rubric": _fields("key", withheld="id"),
    "annotation.RubricVersion": _fields(
        "number definition fingerprint", withheld="id rubric published_at"
    ),
    "annotation.RubricChange": _fields(
        withheld="id study before after plan carried withdrawn gold_made gold_retired again made_at"
        " made_by undone_at undone_by"
    ),
    "annotation.DataSet": _fields(
        withheld="id key name steward longest_days provider_policy processors least_raters "
        "page_secret created_at created_by"
    ),
    "annotation.Grant": _fields(
        withheld="id data_set person level purpose proposed_by asked_at stage since until "
        "revoked_at revoked_by"
    ),
    "annotation.GrantDecision": _fields(withheld="id grant person what by at reason"),
    "annotation.BrokenGlass": _fields(
        withheld="id data_set person reason asked_at witness since until"
    ),
    "annotation.Division": _fields(withheld="id data_set seed open_percent divided_at divided_by"),
    "annotation.OpenItem": _fields("item", withheld="id division"),
    "annotation.HoldOut": _fields(
        withheld="id study seed percent drawn_at drawn_by ended_at ended_by end_reason"
    ),
    "annotation.HeldOutItem": _fields(withheld="id hold_out item"),
    "annotation.Study": _fields(
        "key name language rubric_version",
        withheld="id data_set descriptions protocol created_at created_by release_key"
        " judges_blinded_at judges_named_at judges_named_why",
    ),
    "annotation.ChangeCount": _fields(withheld="id study slot n"),
    "annotation.Membership": _fields(withheld="id study user roles"),
    "annotation.Admission": _fields(withheld="id study user reason let_in_at let_in_by"),
    "annotation.Dialogue": _fields("key turns", withheld="id study"),
    "annotation.Item": _fields(
        "key dialogue position reply reply_speaker generator content_note content_sha256"
        " attributes",
        withheld="id study",
    ),
    "annotation.ItemNote": _fields(withheld="id item author text written_at"),
    "annotation.Care": _fields(withheld="id study break_after most_a_day support"),
    "annotation.OwnKeys": _fields(withheld="id user keys"),
    "annotation.LetterChoice": _fields(withheld="id user wants_letters"),
    "annotation.PassedOn": _fields(withheld="id assignment"),
    "annotation.Dispute": _fields(
        withheld="id round_item rater text raised_at answer answered_at answered_by"
    ),
    "annotation.Draft": _fields(
        withheld="id user form round assignment round_item fields words writer version kept_at"
    ),
    "annotation.RubricDraft": _fields(
        withheld="id study user words earlier writer version kept_at"
    ),
    "annotation.FileJob": _fields(
        withheld="id study kind what options file_name folder follows asked_at asked_by state "
        "attempts started_at heartbeat_at cancel_asked_at finished_at done total reason result"
    ),
    "annotation.FilePiece": _fields(withheld="id folder number content kept_at"),
    "annotation.Quarantine": _fields(
        "item lifted_at", withheld="id reason quarantined_at quarantined_by lifted_by"
    ),
    "annotation.Screening": _fields(
        withheld="id study screened_at screened_by edition hits redacted dropped kept"
    ),
    "annotation.Rater": _fields("id key name kind own_generators", withheld="user"),
    "annotation.Round": _fields(
        "number raters_per_item gate protocol repeat_percent drawn_from audit_percent kappa kappa_low kappa_high kappa_items kappa_criterion kappa_undefined verdict",
        withheld="id study rubric_version state opened_at opened_by re_review_of override_reason"
        " draw_seed step closed_at closed_by due_on cancel_reason"
        " pass_percent",
    ),
    "annotation.Seat": _fields(
        withheld="id round rater n_assigned n_submitted n_gold n_right stands_in"
    ),
    "annotation.RoundItem": _fields(
        "item probability", withheld="id round position n_submitted state is_gold"
    ),
    "annotation.Assignment": _fields(
        withheld="id round item rater slot repeat position state deferrals"
    ),
    "annotation.DiscussionRemark": _fields(withheld="id round_item author text written_at"),
    "annotation.SecondVote": _fields(
        withheld="id round_item rater criterion_key label score given_at"
    ),
    "annotation.Adjudication": _fields(
        "ambiguous", withheld="id round item decided_by decided_at reason code supersedes"
    ),
    "annotation.BroughtAmbiguity": _fields(
        "criterion_key distribution", withheld="id item brought_at"
    ),
    "annotation.Opinion": _fields(
        withheld="id round_item decided_by decided_at values ways reason code"
    ),
    "annotation.GoldAudit": _fields(
        withheld="id round_item drawn_in criteria drawn_at decided_by decided_at values ways"
        " reason code is_overturned"
    ),
    "annotation.Gold": _fields(
        "item criterion_key label score origin round path",
        withheld="id adjudication decided_at superseded_at",
    ),
    "annotation.Submission": _fields(
        "item rater rubric_version origin round repeat",
        withheld="id key study assignment submitted_at seconds comment is_current supersedes",
    ),
    "annotation.Rating": _fields(
        "criterion_key label score unscored off_scale path", withheld="id submission"
    ),
    "annotation.RatingGrounds": _fields(
        "criterion_key confidence defensible evidence unverified rationale",
        withheld="id submission",
    ),
    "judging.Judge": _fields(
        "rater llm base_url manner prompt_language prompt_edition temperature max_tokens"
        " json_answer is_stand_in template endpoint",
        withheld="id created_at",
    ),
    "judging.PromptTemplate": _fields(
        "name number text sha256", withheld="id study note written_at written_by"
    ),
    "judging.LLMEndpoint": _fields(
        "key number dialect processor",
        withheld="id name base_url key_reference headers body"
        " most_at_once added_at added_by retired_at retired_by",
    ),
    "judging.LLMPrice": _fields(
        withheld="id endpoint llm prompt answer cached currency since is_for_batches added_at added_by"
    ),
    "judging.SentText": _fields(withheld="sha256 text"),
    "judging.Probe": _fields(withheld="id llm base_url endpoint findings seconds made_at made_by"),
    "judging.JudgeRun": _fields(
        "judge rubric_version",
        withheld="id study round retry_of sentinels generation comparison repeats concurrency by_batch limit_requests limit_tokens"
        " limit_money used_requests used_tokens used_money price_prompt price_answer price_cached currency probe state pause_reason started_at started_by authority finished_at",
    ),
    "judging.LLMBatch": _fields(
        withheld="id run key requests n_calls n_answered state ended_as problem remote_id made_at sent_at look_at"
        " cancel_asked_at ended_at"
    ),
    "judging.SentinelSet": _fields(
        withheld="id study judge margin every_days seed set_at set_by retired_at retired_by"
    ),
    "judging.Generation": _fields(
        withheld="id study seed started_at started_by taken_in_at taken_in_by"
    ),
    "judging.ReplyComparison": _fields(
        "id reference most both_orders overall values ties seed n_pairs",
        withheld="study pairing started_at started_by",
    ),
    "judging.Preference": _fields(
        "criterion_key preferred unscored first_score second_score edition",
        withheld="id call read_at read_by",
    ),
    "judging.LLMGenerator": _fields(withheld="id study name asked system"),
    "judging.RunAnswerer": _fields(withheld="id run llm fingerprint first_at first_call"),
    "judging.AnswerPieces": _fields(withheld="call run pieces"),
    "judging.WrittenReply": _fields(withheld="id call item doubts"),
    "judging.Sentinel": _fields(withheld="id sentinels call"),
    "judging.HoldOutUse": _fields(
        withheld="id hold_out judge run family n_items reason used_at used_by"
    ),
    "judging.JudgeCall": _fields(
        "run item second repeat attempts outcome problem parser_edition prompt_sha256 item_sha256 exchanges sent_at"
        " answered_at answered_llm answered_fingerprint",
        withheld="id position state claims leased_until not_before submission",
    ),
    "judging.HandReading": _fields(withheld="id call criterion_key label score read_at read_by"),
    "judging.CallReading": _fields(withheld="id call edition outcome submission read_at read_by"),
    "analytics.BroughtPolicy": _fields(
        withheld="id study file_name text sha256 brought_at brought_by"
    ),
    "analytics.FixedPolicy": _fields(
        "key text sha256 n_judged fixed_at", withheld="id study fixed_by"
    ),
    "analytics.SealedVerdicts": _fields(
        withheld="id study look policy revision data_sha256 content sha256 concord sealed_at sealed_by"
    ),
    "analytics.SentinelCheck": _fields(withheld="id run verdict figures made_at"),
    "analytics.SentinelRuling": _fields(withheld="id check_made reason ruled_at ruled_by"),
    "analytics.Jury": _fields(
        "key name members rule quorum weights n_seen named_at",
        withheld="id study made_on named_by ended_at ended_by end_reason",
    ),
    "analytics.CopyStatement": _fields(
        withheld="id person exports is_destroyed typed_name text text_sha256 signed_at"
    ),
    "analytics.DisclosureRuling": _fields(
        "passes reason ruled_at",
        withheld="id study digest findings ruled_by",
    ),
    "analytics.ReleaseLink": _fields(
        withheld="id job export recipient token_sha256 made_at expires_at used_at"
    ),
    "analytics.Snapshot": _fields(
        withheld="id study part with_off_scale with_quarantined revision edition computed_at"
        " has_earlier report mark piece pieces"
    ),
    "analytics.Change": _fields(withheld="id study_id item_id rater_id"),
    "analytics.PackedStudy": _fields(withheld="study edition items words"),
    "analytics.PackedColumn": _fields(withheld="id study rater_id repeat cells"),
    "analytics.Writeup": _fields(
        withheld="id study language asked_at asked_by done_at revision concord folder sha256 listing"
    ),
    "analytics.Verification": _fields(
        withheld="id study with_off_scale with_quarantined asked_at asked_by done_at revision"
        " concord checks"
    ),
    "analytics.Export": _fields(
        withheld="id study exported_by exported_at revision manifest sha256"
    ),
}
