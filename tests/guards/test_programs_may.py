"""Whatever a page changes or tells can be changed or read by a program, or it is said here why not.

`BY_PROGRAM` names the address of the API that does the same, `READ_BY_PROGRAM` the one that tells the
same, `FOR_PEOPLE` and `READ_BY_PEOPLE` why only somebody at a browser does it. A page that is in none of
them fails.
"""

from tests.guards.test_access_matrix import OURS, TABLE

BY_PROGRAM = {
    "rate": "api_submission",
    "adjudicate_case": "api_case_decide",
    "adjudicate_judges": "api_case_judges",
    "adjudicate_dispute": "api_case_dispute",
    "new_study": "api_study_new",
    "study_settings": "api_study_settings",
    "team": "api_team_member",
    "round_open": "api_round_open",
    "round_close": "api_round_move",
    "round_end_rating": "api_round_move",
    "round_re_review": "api_round_move",
    "round_cancel": "api_round_cancel",
    "round_due": "api_round_due",
    "round_reassign": "api_round_hand_on",
    "rubric_editions": "api_edition_publish",
    "rubric_write": "api_edition_publish",
    "rubric_change": "api_edition_adopt",
    "rubric_take_back": "api_edition_take_back",
    "items": "api_items",
    "item_set_aside": "api_aside",
    "quarantine": "api_aside",
    "item_count_again": "api_aside_lift",
    "quarantine_lift": "api_aside_lift",
    "import_items": "api_import_send",
    "import_ratings": "api_import_send",
    "import_quarantine": "api_import_send",
    "import_answers": "api_import_send",
    "file_job_import": "api_import_bring",
    "file_job_cancel": "api_import_cancel",
    "judge_start": "api_run_start",
    "judge_answers": "api_answers",
    "judge_run_pause": "api_run_move",
    "judge_run_resume": "api_run_move",
    "judge_run_finish": "api_run_move",
    "judge_run_retry": "api_run_move",
    "judge_run_retune": "api_run_pace",
    "judge_prompt_write": "api_prompt_write",
    "judge_prompt_preview": "api_prompt_preview",
    "hold_out_draw": "api_hold_out_draw",
    "hold_out_end": "api_hold_out_end",
    "generation_write": "api_generation_write",
    "generation_end": "api_generation_end",
    "generation_take_in": "api_generation_take_in",
    "agreement_blind": "api_blind",
    "agreement_name_judges": "api_name_judges",
    "agreement_juries_name": "api_jury_name",
    "agreement_juries_end": "api_jury_end",
    "agreement_sentinels_place": "api_sentinels_place",
    "agreement_sentinels_ask": "api_sentinels_ask",
    "agreement_sentinels_bridge": "api_sentinels_bridge",
    "agreement_sentinels_retire": "api_sentinels_retire",
    "agreement_sentinels_decide": "api_sentinels_decide",
    "export": "api_releases",
    "export_link": "api_release_link",
    "export_disclosure": "api_disclosure",
    "why": "api_grant_ask",
    "escalate_grant": "api_grant_escalate",
    "decide_grants": "api_grant_decide",
    "revoke_grant": "api_grant_revoke",
    "data_set_rules": "api_data_set_rules",
    "approve_request": "api_access_decide",
    "refuse_request": "api_access_decide",
    "suspend_account": "api_account_suspend",
    "reinstate_account": "api_account_reinstate",
    "set_roles": "api_account_roles",
    "endpoint_add": "api_endpoint_add",
    "endpoint_price": "api_endpoint_price",
    "endpoint_retire": "api_endpoint_retire",
    "discussion_remark": "api_discussion_remark",
    "discussion_vote": "api_discussion_vote",
    "discussion_end": "api_discussion_end",
    "round_join": "api_round_hand_on",
    "protocol": "api_protocol",
    "qualification": "api_qualification",
    "item_note": "api_item_note",
    "item_warn": "api_item_warn",
    "agreement_seal": "api_seal",
    "agreement_trust_policy": "api_policy_fix",
    "agreement_trust_bring": "api_policy_bring",
    "agreement_report": "api_report",
    "agreement_verification": "api_verification",
    "rate_defer": "api_defer",
    "rate_pass_on": "api_pass_on",
    "my_work_item": "api_own_answers",
    "my_work_dispute": "api_dispute",
    "care": "api_care",
    "judge_try": "api_judge_try",
    "judge_reading": "api_call_reading",
    "judge_run_cancel_batches": "api_run_move",
    "agreement_juries_look": "api_jury_look",
    "agreement_trust_plan": "api_plan_commit",
}

FOR_PEOPLE = {
    "first_run": "the first account of a server has no token yet",
    "sign": "a signature is somebody's own",
    "ask": "who asks to be let in has no token yet",
    "copies": "a statement is signed by somebody's own hand",
    "tokens": "a token makes no other token",
    "revoke_token": "it stands beside the making of tokens",
    "keys": "how the keyboard of somebody's browser is laid out",
    "letters": "which letters somebody gets",
    "break_glass": "an emergency in which two people stand in for each other, each with a password",
    "witness_glass": "the second of these two",
    "export_identifiers": "somebody reads each place before it leaves, or does not",
    "draft": "what somebody has typed and not sent",
    "rubric_draft": "the same of the rubric editor",
    "rubric_begin": "what the rubric editor begins with",
    "rubric_check": "it shows the mistakes in a draft; publishing by program names them all",
    "rubric_try": "a draft tried out in the editor; nothing of it is kept",
    "rubric_try_item": "the same, with another item",
    "my_work": "what is looked for in one's own list",
    "judge_calls": "what is looked for: a program has the answers themselves",
}

READ_BY_PROGRAM = {
    "access_request": "api_access_request",
    "access_requests": "api_access_requests",
    "account": "api_accounts",
    "accounts": "api_accounts",
    "adjudicate": "api_cases",
    "agreement": "api_agreement",
    "agreement_calibration": "api_figures",
    "agreement_comparison": "api_figures",
    "agreement_criterion": "api_figures",
    "agreement_figures_file": "api_figures",
    "agreement_judge": "api_figures",
    "agreement_judges": "api_figures",
    "agreement_juries": "api_juries",
    "agreement_means": "api_agreement",
    "agreement_overview": "api_agreement",
    "agreement_plan": "api_figures",
    "agreement_raters": "api_figures",
    "agreement_report_file": "api_report",
    "agreement_report_picture": "api_report",
    "agreement_routing": "api_figures",
    "agreement_safety": "api_figures",
    "agreement_sentinels": "api_sentinels",
    "agreement_table": "api_ratings",
    "agreement_trust": "api_trust",
    "agreement_trust_card": "api_trust",
    "data_set": "api_grants",
    "data_set_grants": "api_grants",
    "data_sets": "api_data_sets",
    "discuss": "api_discussions",
    "discussion": "api_discussions",
    "endpoint": "api_endpoints",
    "endpoints": "api_endpoints",
    "export_file": "api_release_file",
    "file_job": "api_import",
    "file_job_progress": "api_import",
    "generation": "api_generation",
    "generation_progress": "api_generation",
    "generations": "api_generations",
    "hold_out": "api_hold_out",
    "home": "api_studies",
    "item": "api_items",
    "judge_call": "api_call",
    "judge_estimate": "api_run_estimate",
    "judge_next_to_read": "api_calls",
    "judge_prompt": "api_prompt",
    "judge_prompt_file": "api_prompt",
    "judge_prompts": "api_prompts",
    "judge_run": "api_run",
    "judge_run_progress": "api_run",
    "judges": "api_runs",
    "rate_ahead": "api_next_work",
    "round": "api_round",
    "round_progress": "api_round",
    "rounds": "api_rounds",
    "rubric": "api_rubric",
    "rubric_file": "api_rubric",
    "study": "api_studies",
}

ITEMS = "single answers are looked at one by one and each look is noted: a program has the ratings"
RECEIPT = "what somebody signed is theirs, and checked without this server"
COPIES = "who holds which copy is looked at by who answers for the data, and signed"
READ_BY_PEOPLE = {
    "access": "which step somebody takes next",
    "again": "where somebody shows again who they are; a program has a token that is just made",
    "again_there": "the same",
    "agreement_comparison_items": ITEMS,
    "agreement_item": ITEMS,
    "agreement_routing_items": ITEMS,
    "agreement_safety_items": ITEMS,
    "agreement_raters_apart": ITEMS,
    "agreement_raters_again": ITEMS,
    "agreement_raters_week": ITEMS,
    "agreement_caution": ITEMS,
    "agreement_routing_table": "which single replies a promise accepts: a file with a line of its own",
    "agreement_doubtful": "a truth that nobody knows: what is shown certifies nothing (ADR 35)",
    "agreement_doubtful_judge": "the same of one judge",
    "agreement_glossary": "words for readers, the same in every study",
    "agreement_sealed": "the page of a file that a program fetches at its address",
    "agreement_sealed_file": "it is handed on by its address and checked by its SHA-256",
    "agreement_trust_policy_file": "rules that whoever fixes them by program has sent",
    "audit": "what people did is looked at by an auditor, not collected",
    "events": "the same of the whole server; verify_audit holds it against itself",
    "copies_statement": COPIES,
    "data_set_copies": COPIES,
    "glass_texts": "an emergency: two people, each with a password",
    "healthz": "for programs that watch the server, with no account",
    "readyz": "the same",
    "metrics": "the same, with a token of its own",
    "server": "what metrics tell, for people",
    "receipt": RECEIPT,
    "receipt_text": RECEIPT,
    "receipt_verifier": RECEIPT,
    "signed_receipt": RECEIPT,
    "rubric_draft_file": "a draft of somebody's editor",
    "styleguide": "how pages look",
    "terms": "what is signed by hand",
    "who": "whether somebody is still signed in in this browser",
}

KINDS = (BY_PROGRAM, FOR_PEOPLE)
READ_KINDS = (READ_BY_PROGRAM, READ_BY_PEOPLE)
TEAM = ("coordinator", "annotator", "adjudicator", "researcher", "reader", "exporter")
# By program runs are told to who steers judges; who reads has their figures and their answers.
MORE_IS_TOLD = {
    page: {"reader", "researcher"} for page in ("judges", "judge_run", "judge_run_progress")
}


def pages_that_change() -> set[str]:
    """The pages of ours that take something that is sent."""
    ours = {page.name for page in OURS if not page.name.startswith("api_")}
    return {name for name, method in TABLE if method == "post" and name in ours}


def test_each_page_that_takes_something_has_its_place():
    named = [name for kind in KINDS for name in kind]
    assert len(named) == len(set(named)), "One place for each."
    assert set(named) == pages_that_change()


def test_each_page_that_only_tells_has_its_place():
    named = [name for kind in READ_KINDS for name in kind]
    assert len(named) == len(set(named)), "One place for each."
    ours = {page.name for page in OURS if not page.name.startswith("api_")}
    assert set(named) == ours - pages_that_change()


def test_whoever_is_told_by_a_page_is_told_by_the_address():
    """The team of a study at least; with a token that has the scope."""
    wrong = {}
    for page, address in READ_BY_PROGRAM.items():
        doors = [TABLE[address, one] for one in ("get", "post") if (address, one) in TABLE]
        assert doors, address
        mine = {kind for kind in TEAM if TABLE[page, "get"].answer(kind) is None}
        theirs = {kind for kind in TEAM if doors[0].answer(kind) is None}
        if mine - theirs:
            wrong[page] = mine - theirs
    assert wrong == MORE_IS_TOLD


def test_each_address_that_is_named_is_there_and_whoever_enters_the_page_enters_it():
    """The team of a study at least; with a token that has the scope."""
    wrong = {}
    for page, address in BY_PROGRAM.items():
        doors = [TABLE[address, one] for one in ("post", "put", "get") if (address, one) in TABLE]
        assert doors, address
        mine = {kind for kind in TEAM if TABLE[page, "post"].answer(kind) is None}
        theirs = {kind for kind in TEAM if doors[0].answer(kind) is None}
        if mine - theirs:
            wrong[page] = mine - theirs
    assert not wrong, wrong


def test_what_programs_change_is_named():
    """So that nothing is offered to programs alone."""
    writes = {name for name, method in TABLE if name.startswith("api_") and method != "get"}
    assert writes - set(BY_PROGRAM.values()) == {
        "api_run_estimate",  # a page reckons it with GET
        *("api_report_cancel", "api_verification_cancel"),  # as `file_job_cancel` does
    }
