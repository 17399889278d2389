"""Whatever a page changes can be changed by a program, or it is said here why not.

`BY_PROGRAM` names the address of the API that does the same, `FOR_PEOPLE` why only somebody at a
browser does it. A page that is in neither fails.
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

KINDS = (BY_PROGRAM, FOR_PEOPLE)


def pages_that_change() -> set[str]:
    """The pages of ours that take something that is sent."""
    ours = {page.name for page in OURS if not page.name.startswith("api_")}
    return {name for name, method in TABLE if method == "post" and name in ours}


def test_each_page_that_takes_something_has_its_place():
    named = [name for kind in KINDS for name in kind]
    assert len(named) == len(set(named)), "One place for each."
    assert set(named) == pages_that_change()


def test_each_address_that_is_named_is_there_and_whoever_enters_the_page_enters_it():
    """The team of a study at least; with a token that has the scope."""
    team = ("coordinator", "annotator", "adjudicator", "researcher", "reader", "exporter")
    wrong = {}
    for page, address in BY_PROGRAM.items():
        doors = [TABLE[address, one] for one in ("post", "put", "get") if (address, one) in TABLE]
        assert doors, address
        mine = {kind for kind in team if TABLE[page, "post"].answer(kind) is None}
        theirs = {kind for kind in team if doors[0].answer(kind) is None}
        if mine - theirs:
            wrong[page] = mine - theirs
    assert not wrong, wrong


def test_what_programs_change_is_named():
    """So that nothing is offered to programs alone."""
    writes = {name for name, method in TABLE if name.startswith("api_") and method != "get"}
    assert writes - set(BY_PROGRAM.values()) == {"api_run_estimate"}, "a page reckons it with GET"
