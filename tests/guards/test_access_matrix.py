"""Every address of the server, asked by every kind of account about what is theirs and what is not.

`TABLE` says who may enter where, and with which methods: all other methods are refused to everybody.
An address that it does not name fails.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest
from allauth.account.internal.flows.login import record_authentication
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.test import Client

from accounts.models import RowDigest, User
from tests.cast import terms_in_force
from tests.guards import world as worlds
from tests.guards.world import GOVERN, ON_THE_TEAM, PAGES, SHUT_OUT, Page, World

pytestmark = pytest.mark.django_db

TEAM = " ".join(ON_THE_TEAM)
APPROVED = f"{TEAM} {' '.join(GOVERN)}"
SIGNED_IN = f"{APPROVED} {' '.join(SHUT_OUT)}"
ANYBODY = f"{SIGNED_IN} nobody"


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Who enters and who is refused (403), kinds of accounts; to all others there is nothing (404).

    `everywhere`: it is no matter of a team, so that whoever governs enters it for any study.
    """

    enters: str = ""
    refused: str = ""
    nothing: int = 404
    everywhere: bool = False

    def answer(self, kind: str) -> int | None:
        """The status that this kind gets, None where it enters."""
        if kind in self.enters.split():
            return None
        return 403 if kind in self.refused.split() else self.nothing


OPEN = Door(enters=ANYBODY)
OWN_ACCESS = Door(enters=SIGNED_IN)
OWN_RECEIPT = Door(enters="annotator steward")
METRICS = Door(enters="admin", nothing=401)
NO_LONGER = Door()
INSIDE = Door(enters=APPROVED)
OWN_TOKEN = Door(enters="annotator")
SUPERVISION = Door(enters="steward auditor admin", refused=APPROVED)
REQUESTS = Door(enters="steward", refused=APPROVED)
ACCOUNTS = Door(enters="steward admin", refused=APPROVED)
SERVER = Door(enters="admin", refused=APPROVED)
BEGINNING = Door(enters="steward admin coordinator ungranted", refused=APPROVED)

DATA_SET = Door(enters="steward auditor admin", everywhere=True)
GRANTING = Door(enters="steward", refused="auditor admin", everywhere=True)
THROUGH_GLASS = Door(refused="steward auditor admin", everywhere=True)
NAMING = Door(enters="coordinator steward admin", everywhere=True)

MEMBERS = Door(enters=TEAM)
OWN_REQUEST = Door(enters="ungranted")
STUDY = Door(enters=TEAM.replace("ungranted", ""), refused="ungranted")
RATING = Door(enters="annotator", refused=TEAM)
OWN_WORK = Door(enters="annotator")
DISCUSSION = Door(enters="coordinator annotator adjudicator", refused="ungranted")
ADJUDICATION = Door(enters="adjudicator", refused=TEAM)
NOT_DECIDED_YET = Door(refused=TEAM.replace("adjudicator", ""))
COORDINATION = Door(enters="coordinator", refused=TEAM)
NOT_TO_COORDINATE = Door(refused=TEAM.replace("coordinator", ""))
OWN_FILE = Door(enters="coordinator", refused="ungranted")
FIGURES = Door(enters="coordinator researcher reader", refused=TEAM)
OF_RATERS_WITH_FIGURES = Door(
    enters="coordinator reader", refused="annotator adjudicator exporter ungranted"
)
SINGLE_RATERS = Door(enters="coordinator reader", refused=TEAM)
TEXTS_WITH_FIGURES = Door(enters="coordinator", refused="annotator adjudicator exporter ungranted")
STILL_BLINDED = Door(refused=TEAM)
RELEASES = Door(enters="exporter", refused=TEAM)
OWN_RELEASE = Door(enters="exporter", refused=TEAM)
DISCLOSURE = Door(enters="coordinator exporter", refused=TEAM)
TEXTS_BEFORE_A_RELEASE = Door(enters="coordinator", refused=TEAM)
ITEMS_BY_PROGRAM = Door(enters="coordinator exporter", refused=TEAM)


def at(door: Door, *, get: str = "", post: str = "", put: str = "") -> dict[tuple[str, str], Door]:
    """The door of these addresses, for each method."""
    named = {"get": get, "post": post, "put": put}
    return {(name, method): door for method, names in named.items() for name in names.split()}


TABLE: dict[tuple[str, str], Door] = {
    **at(OPEN, get="healthz readyz home"),
    **at(METRICS, get="metrics"),
    **at(NO_LONGER, get="first_run", post="first_run"),
    **at(NO_LONGER, get="again again_there"),  # nobody here signs in elsewhere
    **at(
        OWN_ACCESS,
        get="access ask sign terms receipt_verifier styleguide copies",
        post="ask sign copies",
    ),
    **at(
        OWN_RECEIPT,
        get="receipt receipt_text signed_receipt copies_statement",
    ),
    **at(
        INSIDE,
        get="who api_docs api_schema api_studies tokens keys letters",
        post="tokens keys letters",
    ),
    **at(OWN_TOKEN, post="revoke_token"),
    **at(SUPERVISION, get="events audit data_sets"),
    **at(
        REQUESTS,
        get="access_requests access_request api_access_requests api_access_request",
        post="approve_request refuse_request api_access_decide",
    ),
    **at(
        ACCOUNTS,
        get="accounts account api_accounts",
        post="suspend_account reinstate_account api_account_suspend api_account_reinstate",
    ),
    **at(
        SERVER,
        get="server endpoints endpoint endpoint_add api_endpoints",
        post="set_roles endpoint_add endpoint_price endpoint_retire"
        " api_endpoint_add api_endpoint_price api_endpoint_retire",
        put="api_account_roles",
    ),
    **at(SUPERVISION, get="api_data_sets"),
    **at(BEGINNING, get="new_study", post="new_study api_study_new"),
    #
    **at(
        DATA_SET, get="data_set data_set_grants data_set_copies", post="break_glass witness_glass"
    ),
    **at(DATA_SET, get="api_grants api_grant_requests"),
    **at(
        GRANTING,
        post="decide_grants revoke_grant data_set_rules api_grant_decide api_grant_revoke",
        put="api_data_set_rules",
    ),
    **at(THROUGH_GLASS, get="glass_texts"),
    **at(NAMING, get="team api_team", post="team", put="api_team_member"),
    #
    **at(MEMBERS, get="why api_own_grants", post="why api_grant_ask"),
    **at(OWN_REQUEST, post="escalate_grant api_grant_escalate"),
    **at(
        STUDY,
        get="study discuss rubric rubric_file api_rubric api_discussions",
        post="draft discussion_remark discussion_vote discussion_end"
        " api_discussion_remark api_discussion_vote api_discussion_end",
    ),
    **at(
        RATING,
        get="rate rate_ahead my_work my_work_item api_next_work api_work_done",
        post="rate rate_defer rate_pass_on my_work my_work_item my_work_dispute",
    ),
    **at(OWN_WORK, get="api_own_answers", put="api_own_answers"),
    **at(OWN_WORK, post="api_submission api_defer api_pass_on api_dispute"),
    **at(DISCUSSION, get="discussion"),
    **at(
        ADJUDICATION,
        get="adjudicate adjudicate_case api_cases api_case",
        post="adjudicate_case adjudicate_dispute api_case_decide api_case_dispute",
    ),
    **at(NOT_DECIDED_YET, post="adjudicate_judges api_case_judges"),
    **at(
        COORDINATION,
        get="rounds api_rounds round round_progress round_open round_reassign protocol"
        " qualification care study_settings"
        " rubric_editions rubric_write rubric_draft_file items item file_job import_items import_ratings import_quarantine import_answers"
        " judge_start judge_estimate generation_write judge_prompt_write judge_next_to_read api_runs api_run"
        " api_protocol api_qualification api_care"
        " api_round api_study_settings api_editions api_edition api_imports api_import rubric_change api_edition_changes api_edition_history",
        post="round_open round_close round_cancel round_reassign round_join round_due"
        " round_end_rating round_re_review protocol qualification care study_settings rubric_editions rubric_take_back"
        " rubric_write rubric_draft rubric_begin rubric_change rubric_check rubric_try rubric_try_item"
        " items item_note item_warn item_set_aside item_count_again quarantine quarantine_lift"
        " file_job_import import_items import_ratings import_quarantine import_answers"
        " generation_write generation_end generation_take_in"
        " judge_start judge_try judge_prompt_write judge_prompt_preview hold_out_draw hold_out_end"
        " judge_run_pause judge_run_resume judge_run_retune judge_run_retry judge_run_finish"
        " judge_run_cancel_batches"
        " agreement_sentinels_place agreement_sentinels_decide"
        " agreement_seal agreement_trust_policy agreement_trust_bring agreement_trust_plan"
        " agreement_blind agreement_name_judges"
        " agreement_juries_look agreement_juries_name agreement_juries_end"
        " api_round_open api_round_move api_round_cancel api_round_hand_on api_aside api_aside_lift"
        " api_edition_publish api_edition_adopt api_edition_take_back api_import_send api_import_bring api_import_cancel"
        " api_prompt_write api_prompt_preview api_hold_out_draw api_hold_out_end"
        " api_generation_write api_generation_end api_generation_take_in"
        " api_blind api_name_judges api_jury_name api_jury_end api_sentinels_place api_sentinels_decide"
        " api_run_estimate api_run_start api_run_move"
        " api_qualification api_item_note api_item_warn"
        " api_seal api_policy_fix api_policy_bring api_plan_commit api_jury_look api_judge_try api_call_reading",
        put="api_round_due api_run_pace api_study_settings api_protocol api_care",
    ),
    **at(
        NOT_TO_COORDINATE,
        post="judge_reading agreement_sentinels_ask agreement_sentinels_bridge agreement_sentinels_retire"
        " api_sentinels_ask api_sentinels_bridge api_sentinels_retire",
    ),
    **at(OWN_FILE, get="file_job_progress", post="file_job_cancel"),
    **at(
        FIGURES,
        get="quarantine judges judge_run judge_run_progress judge_answers judge_calls judge_call judge_prompts hold_out"
        " generations generation generation_progress"
        " judge_prompt judge_prompt_file agreement agreement_overview agreement_glossary"
        " agreement_means agreement_criterion agreement_comparison agreement_judges agreement_juries"
        " agreement_judge agreement_safety agreement_plan agreement_calibration agreement_trust"
        " agreement_trust_policy_file agreement_trust_card agreement_routing agreement_report"
        " agreement_sealed agreement_sealed_file"
        " api_prompts api_prompt api_hold_out api_generations api_generation"
        " api_calls api_call api_juries api_sentinel_sets api_sentinels agreement_sentinels agreement_verification agreement_figures_file api_agreement api_figures api_trust"
        " api_report api_verification",
        post="judge_calls judge_answers api_answers agreement_report agreement_verification api_report api_verification"
        " api_report_cancel api_verification_cancel",
    ),
    **at(
        SINGLE_RATERS,
        get="agreement_raters agreement_comparison_items agreement_safety_items agreement_doubtful"
        " agreement_doubtful_judge agreement_raters_apart agreement_raters_again agreement_raters_week"
        " agreement_caution agreement_report_file"
        " agreement_routing_items agreement_routing_table",
    ),
    **at(OF_RATERS_WITH_FIGURES, get="agreement_report_picture"),
    **at(TEXTS_WITH_FIGURES, get="agreement_item"),
    **at(STILL_BLINDED, get="agreement_table"),
    **at(RELEASES, get="export api_ratings api_gold api_releases", post="export api_releases"),
    **at(
        OWN_RELEASE,
        get="export_file api_release api_release_file",
        post="export_link api_release_link",
    ),
    **at(
        DISCLOSURE, get="export_disclosure api_disclosure", post="export_disclosure api_disclosure"
    ),
    **at(TEXTS_BEFORE_A_RELEASE, get="export_identifiers", post="export_identifiers"),
    **at(ITEMS_BY_PROGRAM, get="api_items"),
}

# Who changes something of another study by naming its things in an address of their own is told
# so on the page that they come back to.
TOLD_ON_THE_PAGE = {
    *("discussion_remark", "discussion_vote", "discussion_end"),
    *("api_discussion_remark", "api_discussion_vote", "api_discussion_end"),
    *("rubric_take_back", "item_note", "item_warn", "item_count_again", "quarantine_lift"),
    *("api_aside_lift", "api_edition_take_back", "judge_run_retune"),
}
ABOUT_THINGS = {
    *("item_id", "assignment_id", "round_item_id", "dispute_id", "change_id", "quarantine_id"),
    *(
        "aside_id",
        "job_id",
        "run_id",
        "call_id",
        "judge",
        "judge_id",
        "raters",
        "rater_id",
        "grant_id",
    ),
    *("glass_id", "jury_id", "sha256", "token"),
}
# One each of those whom the gate refuses, a team, and for whom there is nothing.
SEE_REFUSALS = {"newcomer", "ungranted", "outsider"}
OURS = [page for page in PAGES if not page.is_of_a_package]
METHODS = ("get", "post", "put", "patch", "delete")


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker) -> Iterator[World]:
    """Made once, and gone after the last test of the file."""
    with django_db_blocker.unblock(), transaction.atomic():
        made = worlds.made(terms_in_force())
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
        yield made
        transaction.set_rollback(True)


def browser_of(user: User | None) -> Client:
    """A browser in which somebody has signed in and entered the password just now, or nobody."""
    browser = Client()
    browser.raise_request_exception = False
    if user is not None:
        browser.force_login(user)
        request = HttpRequest()
        request.session = browser.session
        record_authentication(request, user, method="password", reauthenticated=True)
        request.session.save()
    return browser


@pytest.fixture
def in_few_words(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """A refusal has the words of its page alone, which `SEE_REFUSALS` get drawn, at every address."""
    if kind not in SEE_REFUSALS:
        for module in ("accounts.gate", "accounts.views.errors"):
            monkeypatch.setattr(f"{module}.render", words_of)


def words_of(_request: HttpRequest, page: str, said: Mapping[str, object], status: int):
    return HttpResponse(f"{page} {' '.join(map(str, said.values()))}", status=status)


def asked(browser: Client, page: Page, things, method: str) -> HttpResponse:
    """The answer; what it changes is undone."""
    path = page.path(things)
    sent = {"assignment": things["assignment_id"]} if method == "post" else None
    if method == "get":
        return browser.get(path)
    before = transaction.savepoint()
    answer = getattr(browser, method)(path, sent)
    transaction.savepoint_rollback(before)
    return answer


def status_of(answer: HttpResponse) -> int | None:
    """None where the page answers the question; a way to the sign-in counts as 401."""
    if answer.headers.get("Location", "").startswith("/accounts/login/"):
        return 401
    if answer.status_code in {401, 403, 404, 405} or answer.status_code >= 500:
        return answer.status_code
    return None


def methods_of(page: Page) -> list[str]:
    return [method for method in METHODS if (page.name, method) in TABLE]


def expected(page: Page, kind: str, method: str, *, elsewhere: bool = False) -> int | None:
    """What the table says, behind what the gate says of who may not enter at all."""
    if kind == "nobody" and page.audience != "anyone":
        return 401
    if kind in SHUT_OUT and page.audience == "approved":
        return 403
    door = TABLE[page.name, method]
    if elsewhere and not (door.everywhere and kind in GOVERN):
        return 404
    return door.answer(kind)


def test_every_address_has_a_door():
    named = {name for name, _method in TABLE}
    assert named == {page.name for page in OURS}, "Say in TABLE who may enter."


@pytest.mark.parametrize("kind", ["nobody", *SHUT_OUT, *GOVERN, *ON_THE_TEAM])
def test_each_account_enters_where_the_table_says_and_nowhere_else(world, in_few_words, kind):
    browser, wrong = browser_of(world.people.get(kind)), {}
    for page in OURS:
        for method in methods_of(page):
            found = status_of(asked(browser, page, world.pond, method))
            if found != expected(page, kind, method):
                wrong[page.name, method] = found
    assert not wrong, wrong


@pytest.mark.parametrize("kind", ["nobody", *SHUT_OUT])
def test_pages_of_packages_are_shut_like_ours(world, kind):
    browser, wrong = browser_of(world.people.get(kind)), {}
    open_to = {"anyone"} if kind == "nobody" else {"anyone", "signed_in"}
    for page in PAGES:
        if page.is_of_a_package and page.audience not in open_to:
            found = status_of(asked(browser, page, world.pond, "get"))
            if found != (401 if kind == "nobody" else 403):
                wrong[page.name] = found
    assert not wrong, wrong


@pytest.mark.parametrize("kind", [*GOVERN, *ON_THE_TEAM])
def test_a_study_does_not_exist_for_who_is_not_on_its_team(world, in_few_words, kind):
    browser, wrong = browser_of(world.people[kind]), {}
    for page in OURS:
        if not page.is_in_a_study:
            continue
        for method in methods_of(page):
            due = expected(page, kind, method, elsewhere=True)
            answer = asked(browser, page, world.lake, method)
            if status_of(answer) != due or (due and b"Lake" in answer.content):
                wrong[page.name, method] = status_of(answer)
    assert not wrong, wrong


@pytest.mark.parametrize("kind", ["outsider", "steward", "coordinator"])
def test_what_there_is_not_answers_like_what_belongs_to_others(world, in_few_words, kind):
    browser, wrong = browser_of(world.people[kind]), {}
    for page in OURS:
        if page.is_in_a_study and "get" in methods_of(page):
            answer = asked(browser, page, world.lake | {"key": "nowhere"}, "get")
            if status_of(answer) != 404:
                wrong[page.name] = status_of(answer)
    assert not wrong, wrong


@pytest.mark.parametrize("kind", ["steward", *ON_THE_TEAM])
def test_things_of_another_study_are_not_there_under_ones_own(world, kind):
    """The address names the study of who asks, and an item, a run or a file of the other one."""
    browser, wrong = browser_of(world.people[kind]), {}
    mixed = world.lake | {"key": "pond"}
    n_rows = RowDigest.objects.count()
    for page in OURS:
        if not ABOUT_THINGS & page.converters.keys() or not page.is_in_a_study:
            continue
        for method in methods_of(page):
            if TABLE[page.name, method].answer(kind) is not None:
                continue
            before = transaction.savepoint()
            answer = getattr(browser, method)(page.path(mixed))
            is_told = method == "post" and page.name in TOLD_ON_THE_PAGE
            is_as_meant = status_of(answer) == (None if is_told else 404)
            if not is_as_meant or RowDigest.objects.count() != n_rows:
                wrong[page.name, method] = status_of(answer)
            transaction.savepoint_rollback(before)
    assert not wrong, wrong


def test_no_address_takes_a_method_that_the_table_does_not_name(world):
    """Asked by somebody who may everything."""
    user = world.people["everything"]
    browser, wrong = browser_of(user), {}
    for page in OURS:
        for method in set(METHODS) - set(methods_of(page)):
            found = status_of(asked(browser, page, world.pond, method))
            if found != 405:
                wrong[page.name, method] = found
    assert not wrong, wrong
