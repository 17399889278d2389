"""Every page of the server in the eight combinations of language, theme and width: nothing wider than
the window, no complaint of the browser, no word left in English; and no breach of WCAG 2.2 AA, of any
rule at a desk and on a phone, nor in the other theme of both of those about colours."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from accounts.access import access_of
from accounts.actions import requests
from accounts.models import Role
from analytics.juries import actions as juries
from analytics.stats.juries import JuryRule
from analytics.trust import actions as trust
from analytics.trust import sealing
from annotation.actions import (
    discussions,
    disputes,
    glass,
    grants,
    items,
    protocol,
    quarantine,
    rounds,
    teams,
)
from annotation.models import Item, Rater, TeamRole
from annotation.queries.studies import study_for
from annotation.rules.granting import DataLevel
from annotation.rules.lifecycle import ItemState
from annotation.rules.protocol import WHOLE
from judging.actions import endpoints, generating, runs
from judging.actions.judges import Settings
from judging.models import JudgeRun, LLMBatch
from tests.analytics.made import fetched
from tests.analytics.meadow import meadow
from tests.analytics.test_trust import SMALL
from tests.annotation.doing import (
    NONSENSE,
    SAFE,
    assignment_of,
    close,
    decide,
    opened,
    owed,
    rate,
    round_item,
)
from tests.annotation.test_changing_rubrics import recoded as recoded
from tests.annotation.test_protocol import differing, end_rating, gate
from tests.browser.walking import LOOKS, Walk, browsing
from tests.cast import approved, study_with
from tests.guards.world import PAGES
from tests.imports.sending import upload
from tests.judging.conftest import Scripted, failing, work_until_it_rests
from tests.judging.test_generating import writer
from tests.judging.test_own_prompts import OWN, written
from tests.trials import tried

NOBODY = "nobody"
# Which world a page is walked in, by whom and with what in its address: a name in "<>" stands for
# what the world says it is. The more than one way a page looks, the more entries it has.
AT_THE_DOOR = [
    ("home", NOBODY, {}),
    ("account_login", NOBODY, {}),
    ("account_signup", NOBODY, {}),
    ("account_reset_password", NOBODY, {}),
    ("account_reset_password_done", NOBODY, {}),
    ("account_reset_password_from_key", NOBODY, {"uidb36": "1", "key": "abc"}),
    ("account_reset_password_from_key_done", NOBODY, {}),
    ("account_inactive", NOBODY, {}),
    ("account_email_verification_sent", NOBODY, {}),
    ("account_confirm_email", NOBODY, {"key": "abc"}),
    ("socialaccount_login_error", NOBODY, {}),
    ("socialaccount_login_cancelled", NOBODY, {}),
    ("/nowhere/", "eli", {}),
    ("/access/events/", "eli", {}),
    ("access", "eli", {}),
    ("sign", "eli", {}),
    ("ask", "hana", {}),
    ("access", "ben", {}),
    ("home", "ben", {}),
    ("/access/server/", "ben", {}),
    ("home", "ada", {}),
    ("terms", "ben", {"number": 1}),
    ("receipt", "ben", {"acceptance_id": "<receipt>"}),
    ("account_logout", "ben", {}),
    ("account_email", "ben", {}),
    ("account_change_password", "ben", {}),
    ("account_reauthenticate", "ben", {}),
    ("mfa_index", "ben", {}),
    ("mfa_activate_totp", "ben", {}),
    ("mfa_list_webauthn", "ben", {}),
    ("mfa_add_webauthn", "ben", {}),
    ("usersessions_list", "ben", {}),
    ("tokens", "ben", {}),
    ("keys", "ben", {}),
    ("letters", "ben", {}),
    ("styleguide", "ben", {}),
    ("api_docs", "ben", {}),
    ("why", "nia", {"key": "pond"}),
    ("access_requests", "sam", {}),
    ("access_request", "sam", {"request_id": "<request>"}),
    ("accounts", "sam", {}),
    ("account", "sam", {"account_id": "<ben>"}),
    ("server", "sam", {}),
    ("events", "sam", {}),
    ("audit", "sam", {}),
    ("copies", "ben", {}),
    ("copies", "eli", {}),
    ("data_set_copies", "sam", {"key": "pond"}),
    ("data_sets", "sam", {}),
    ("data_set", "sam", {"key": "pond"}),
    ("glass_texts", "sam", {"key": "pond"}),
    ("new_study", "sam", {}),
    ("endpoints", "sam", {}),
    ("endpoint", "sam", {"number": "<endpoint>"}),
    ("endpoint_add", "sam", {}),
    ("team", "sam", {"key": "pond"}),
]
AT_WORK = [
    ("study", "ada", {"key": "pond"}),
    ("study", "ben", {"key": "lake"}),
    ("rate", "ben", {"key": "lake"}),
    ("rate", "ben", {"key": "brook"}),
    ("rate", "cleo", {"key": "lake"}),
    ("my_work", "ben", {"key": "lake"}),
    ("my_work_item", "ben", {"key": "lake", "assignment_id": "<disputed>"}),
    ("my_work_item", "cleo", {"key": "brook", "assignment_id": "<scales>"}),
    ("rounds", "ada", {"key": "pond"}),
    ("round_open", "ada", {"key": "lake"}),
    ("round", "ada", {"key": "pond", "number": 2}),
    ("round", "ada", {"key": "lake", "number": 1}),
    ("round", "ada", {"key": "lake", "number": 2}),
    ("round_reassign", "ada", {"key": "brook", "number": 1}),
    ("protocol", "ada", {"key": "pond"}),
    ("qualification", "ada", {"key": "pond"}),
    ("discuss", "ben", {"key": "pond"}),
    ("discussion", "ben", {"key": "pond", "round_item_id": "<discussed>"}),
    ("discussion", "dora", {"key": "pond", "round_item_id": "<discussed>"}),
    ("adjudicate", "dora", {"key": "brook"}),
    ("adjudicate_case", "dora", {"key": "brook", "round_item_id": "<case>"}),
    ("adjudicate_case", "dora", {"key": "lake", "round_item_id": "<decided>"}),
    ("rubric", "ada", {"key": "lake"}),
    ("rubric", "ben", {"key": "brook"}),
    ("rubric_editions", "ada", {"key": "lake"}),
    ("rubric_write", "ada", {"key": "lake"}),
    ("rubric_change", "ada", {"key": "lake", "number": "<edition>"}),
    ("items", "ada", {"key": "lake"}),
    ("item", "ada", {"key": "lake", "item_id": "<item>"}),
    ("import_items", "ada", {"key": "lake"}),
    ("import_ratings", "ada", {"key": "lake"}),
    ("import_answers", "ada", {"key": "lake"}),
    ("import_quarantine", "ada", {"key": "lake"}),
    ("file_job", "ada", {"key": "lake", "job_id": "<job>"}),
    ("quarantine", "ada", {"key": "lake"}),
    ("care", "ada", {"key": "lake"}),
    ("study_settings", "ada", {"key": "lake"}),
    ("team", "ada", {"key": "lake"}),
    ("judges", "ada", {"key": "pond"}),
    ("judge_start", "ada", {"key": "pond"}),
    ("judge_run", "ada", {"key": "pond", "run_id": "<finished>"}),
    ("judge_run", "ada", {"key": "pond", "run_id": "<paused>"}),
    ("agreement_sentinels", "ada", {"key": "pond", "judge_id": "<judge>"}),
    ("judge_answers", "ada", {"key": "pond"}),
    ("judge_calls", "ada", {"key": "pond", "run_id": "<finished>"}),
    ("judge_call", "ada", {"key": "pond", "run_id": "<finished>", "call_id": "<read>"}),
    ("judge_call", "ada", {"key": "pond", "run_id": "<finished>", "call_id": "<unread>"}),
    ("judge_prompts", "ada", {"key": "pond"}),
    ("hold_out", "ada", {"key": "pond"}),
    ("generations", "ada", {"key": "reeds"}),
    ("generations", "ada", {"key": "pond"}),
    ("generation_write", "ada", {"key": "reeds"}),
    ("generation", "ada", {"key": "reeds", "generation_id": "<taken_in>"}),
    ("generation", "ada", {"key": "reeds", "generation_id": "<waiting>"}),
    ("generation", "ada", {"key": "reeds", "generation_id": "<screened>"}),
    ("judge_prompt_write", "ada", {"key": "pond"}),
    ("judge_prompt", "ada", {"key": "pond", "name": "brief", "number": 2}),
]
OF_FIGURES = [
    ("study", "gwen", {"key": "meadow"}),
    ("agreement_overview", "gwen", {}),
    ("agreement_glossary", "gwen", {}),
    ("agreement", "gwen", {}),
    ("agreement_criterion", "gwen", {"criterion": "safety"}),
    (
        "agreement_comparison",
        "gwen",
        {"criterion": "empathy", "kind": "judge_humans", "raters": "<oak>"},
    ),
    (
        "agreement_comparison_items",
        "gwen",
        {"criterion": "empathy", "kind": "judge_humans", "raters": "<oak>"},
    ),
    ("agreement_item", "gwen", {"item_id": "<item>"}),
    ("agreement_judges", "gwen", {}),
    ("agreement_judge", "gwen", {"judge": "oak"}),
    ("agreement_caution", "gwen", {"criterion": "empathy", "judge_id": "<oak>", "dispute": "0-4"}),
    ("agreement_juries", "ada", {}),
    ("agreement_juries", "gwen", {}),
    ("agreement_safety", "gwen", {}),
    (
        "agreement_safety_items",
        "gwen",
        {"criterion": "safety", "judge_id": "<oak>", "which": "missed"},
    ),
    ("agreement_plan", "gwen", {}),
    ("agreement_raters", "gwen", {}),
    ("agreement_raters_apart", "gwen", {"criterion": "empathy", "rater_id": "<person0>"}),
    ("agreement_raters_again", "gwen", {"criterion": "empathy", "rater_id": "<person0>"}),
    (
        "agreement_raters_week",
        "gwen",
        {"criterion": "empathy", "rater_id": "<person0>", "monday": "2026-03-02"},
    ),
    ("agreement_doubtful", "gwen", {"criterion": "safety"}),
    ("agreement_doubtful_judge", "gwen", {"criterion": "safety", "judge_id": "<oak>"}),
    ("agreement_calibration", "gwen", {}),
    ("agreement_trust", "ada", {}),
    ("agreement_trust_card", "gwen", {"criterion": "guidance", "judge_id": "<oak>"}),
    ("agreement_sealed", "gwen", {"sha256": "<sealed>"}),
    ("agreement_report", "gwen", {}),
    ("agreement_verification", "gwen", {}),
    ("agreement_routing", "gwen", {}),
    ("agreement_routing_items", "gwen", {"criterion": "safety", "judge_id": "<oak>"}),
    ("export", "gwen", {}),
    ("export_disclosure", "ada", {}),
    ("export_identifiers", "ada", {}),
]
WALKS = {"door": AT_THE_DOOR, "work": AT_WORK, "figures": OF_FIGURES}
# Pages that say no, and how; an address stands for itself.
REFUSED = {
    "socialaccount_login_error": 401,
    "/nowhere/": 404,
    "/access/events/": 403,
    "/access/server/": 403,
}

# What is no page to look at, by the reason why.
NOT_WALKED = {
    "only changes something": {
        *("approve_request", "refuse_request", "suspend_account", "reinstate_account", "set_roles"),
        *("revoke_token", "rate_defer", "rate_pass_on", "draft", "my_work_dispute", "round_close"),
        *("round_join", "round_cancel", "round_due", "round_end_rating", "round_re_review"),
        *("discussion_remark", "discussion_vote", "discussion_end", "adjudicate_dispute"),
        *("rubric_draft", "rubric_begin", "rubric_take_back"),
        *("item_note", "item_warn", "item_set_aside", "item_count_again"),
        *("quarantine_lift", "file_job_cancel", "file_job_import", "escalate_grant"),
        *("decide_grants", "revoke_grant", "data_set_rules", "break_glass", "witness_glass"),
        *("judge_run_pause", "judge_run_resume", "judge_run_retune", "judge_run_retry"),
        *("judge_run_finish", "judge_reading", "endpoint_price", "endpoint_retire"),
        "judge_run_cancel_batches",
        *(
            "generation_end",
            "generation_take_in",
            "hold_out_draw",
            "hold_out_end",
            "agreement_seal",
            "agreement_trust_policy",
        ),
        *("agreement_trust_bring", "export_link", "agreement_blind", "agreement_name_judges"),
        *("agreement_juries_look", "agreement_juries_name", "agreement_juries_end"),
        *("agreement_sentinels_place", "agreement_sentinels_ask", "agreement_sentinels_bridge"),
        *("agreement_sentinels_retire", "agreement_sentinels_decide"),
        *("set_language", "judge_try", "judge_prompt_preview"),
    },
    "is a part of a page that is walked": {
        *("rate_ahead", "round_progress", "adjudicate_judges", "file_job_progress"),
        *("judge_run_progress", "judge_estimate", "generation_progress", "who"),
        *("rubric_check", "rubric_try", "rubric_try_item"),
    },
    "is a file": {
        *("receipt_text", "signed_receipt", "receipt_verifier", "api_schema", "data_set_grants"),
        "copies_statement",
        *("rubric_file", "rubric_draft_file"),
        *("judge_prompt_file", "agreement_means", "agreement_table", "agreement_sealed_file"),
        *(
            "agreement_trust_policy_file",
            "agreement_trust_plan",
            "agreement_report_picture",
            "agreement_report_file",
        ),
        *("agreement_routing_table", "agreement_figures_file", "export_file"),
        "mfa_download_recovery_codes",
    },
    "sends on to another page": {
        *("judge_next_to_read", "account_set_password", "mfa_reauthenticate_webauthn"),
        *("openid_connect_login", "openid_connect_callback", "socialaccount_connections"),
        "again_there",
    },
    "is there only in the middle of signing in, or once": {
        *("first_run", "mfa_authenticate", "mfa_reauthenticate", "mfa_login_webauthn", "again"),
        *("socialaccount_signup", "mfa_trust"),
        *("mfa_deactivate_totp", "mfa_view_recovery_codes", "mfa_generate_recovery_codes"),
        *("mfa_edit_webauthn", "mfa_remove_webauthn", "account_confirm_login_code"),
    },
    "is for programs": {
        *("healthz", "readyz", "metrics"),
        *(one.name for one in PAGES if one.name.startswith("api_") and one.name != "api_docs"),
    },
}

# What people of these worlds typed, in the one language that they have.
TYPED = re.compile(
    r"The pond has been quiet[^.]*\.|What do you miss most\?|The frogs, I think\.|Frogs come back in"
    r" spring\.|The meadow is dry\.|Rain will come\.|It parrots the seeker\.|It is short\.|Learn then test|To rate the pond\."
)


BY_NAME = {page.name: page for page in PAGES}
OURS = {page.name for page in PAGES if not page.is_of_a_package}


@dataclass
class Scene:
    """Who is in it, and what the names in its addresses stand for."""

    people: Mapping[str, Any]
    stands_for: dict[str, object] = field(default_factory=dict)
    key: str = ""

    def address(self, name: str, arguments: Mapping[str, object]) -> str:
        if name.startswith("/"):
            return name
        known = {"key": self.key} if "key" in BY_NAME[name].converters else {}
        given = {
            one: self.stands_for[str(value)[1:-1]] if str(value).startswith("<") else value
            for one, value in (known | dict(arguments)).items()
        }
        return reverse(name, kwargs=given)


@pytest.fixture
def scripted():
    endpoint = Scripted()
    yield endpoint
    endpoint.close()


@pytest.fixture
def door(pond, terms, ada, ben, eli, as_user, settings, scripted):
    """Somebody in each standing; grants that wait and a glass that is broken."""
    now = timezone.now()
    sam, tess = (
        approved(name, terms, roles=[Role.STEWARD, Role.ADMIN, Role.AUDITOR])
        for name in ("sam", "tess")
    )
    hana, ines, nia = (approved(name, terms) for name in ("hana", "ines", "nia"))
    for one in (hana, ines):
        one.approved_until = None
        one.save()
    for one in (ben, sam, eli, hana):
        EmailAddress.objects.create(user=one, email=one.email, primary=True, verified=True)
    asked = requests.ask(purpose="To rate the pond.", by=ines, at=now)
    for person, roles in ((nia, [TeamRole.ANNOTATOR]), (hana, [TeamRole.RESEARCHER])):
        teams.set_roles(study_id=pond.pk, email=person.email, roles=roles, by=ada, at=now)
    grants.propose(
        data_set_id=pond.data_set_id,
        person=nia,
        levels=[DataLevel.PER_RATER],
        purpose="To rate the pond.",
        by=nia,
        at=now,
    )
    for _time in range(2):
        broken = glass.ask(data_set_id=pond.data_set_id, reason="To rate the pond.", by=sam, at=now)
    glass.witness(glass_id=broken.pk, by=tess, at=now)
    fetched(pond, ben, days=0)
    settings.LLM_HOSTS = [scripted.host]
    endpoint = endpoints.add(
        described=endpoints.EndpointSettings(key="own", name="own", base_url=scripted.base_url),
        by=sam,
        at=now,
    )
    return Scene(
        {"ada": ada, "ben": ben, "eli": eli, "hana": hana, "nia": nia, "sam": sam},
        {
            "receipt": ben.acceptances.get().pk,
            "request": asked.pk,
            "ben": ben.pk,
            "endpoint": endpoint.pk,
        },
    )


@pytest.fixture
def work(pond, ada, ben, cleo, dora, finn, recoded, as_user, scripted, settings, tmp_path):
    """A round in discussion, one to be decided, one decided and disputed, and two runs of a judge."""
    settings.UPLOAD_DIR = tmp_path / settings.WORKER / "uploads"
    settings.LLM_BASE_URL = scripted.base_url
    team = {
        ada: [TeamRole.COORDINATOR],
        ben: [TeamRole.ANNOTATOR],
        cleo: [TeamRole.ANNOTATOR],
        dora: [TeamRole.ADJUDICATOR],
    }
    lake = study_with(rubric="dialogue_safety", key="lake", team=team, n_items=8)
    brook = study_with(rubric="mentalalign", key="brook", team=team, n_items=3)
    world = Scene({"ada": ada, "ben": ben, "cleo": cleo, "dora": dora})
    world.stands_for = {
        **in_discussion(pond, ada, ben, cleo, finn, dora),
        **decided_and_disputed(lake, ada, ben, cleo, dora),
        **to_be_decided(brook, ada, ben, cleo),
        **looked_after(lake, ada, as_user(ada)),
        **judged(pond, ada, scripted),
        **replied(
            study_with(rubric="dialogue_safety", key="reeds", team=team, n_items=3), scripted
        ),
        "edition": recoded.number,
    }
    return world


def in_discussion(pond, ada, ben, cleo, finn, dora):
    protocol.agree(study_id=pond.pk, protocol=WHOLE, by=ada, at=timezone.now())
    pond.refresh_from_db()
    first = opened(pond, ada, [ben, cleo, finn], raters_per_item=3)
    rate_as(first, {ben: SAFE, cleo: SAFE, finn: NONSENSE})
    end_rating(first, ada)
    again = rounds.open_re_review(round_id=gate(first, 0.1).pk, by=ada, at=timezone.now())
    rate_as(again, {ben: SAFE, cleo: SAFE, finn: NONSENSE})
    end_rating(again, ada)
    gate(again, 0.2)
    discussed = differing(again, ItemState.DISCUSSED)[0]
    talk = {"study_id": pond.pk, "round_item_id": discussed.pk, "at": timezone.now()}
    discussions.say(**talk, text="It parrots the seeker.", by=finn)
    discussions.vote_again(**talk, values=SAFE, by=finn)
    return {"discussed": discussed.pk}


def replied(reeds, scripted):
    """Three generations: items were made of one, another one holds an address of mail about which
    nothing is decided, and the endpoint refuses the key in the third."""
    Item.objects.filter(study=reeds).update(reply=None)
    scripted.answer = lambda body, number: "Rain will come."
    begun = {"study": reeds, "repeats": 1, "concurrency": 2, "by": None, "at": timezone.now()}
    made = generating.start(generators=[writer("owl", scripted), writer("frog", scripted)], **begun)
    for run in made.runs.all():
        work_until_it_rests(run, timezone.now)
    generating.take_in(generation=made, by=None, at=timezone.now())
    scripted.answer = lambda body, number: "Write to frog@example.org."
    screened = generating.start(generators=[writer("toad", scripted)], **begun)
    work_until_it_rests(screened.runs.get(), timezone.now)
    scripted.answer = lambda body, number: failing(401)
    waiting = generating.start(generators=[writer("newt", scripted)], **begun)
    work_until_it_rests(waiting.runs.get(), timezone.now)
    return {"taken_in": made.pk, "screened": screened.pk, "waiting": waiting.pk}


def rate_as(rating_round, values_by_rater):
    """Each gives one answer to all that they are assigned."""
    for rater, values in values_by_rater.items():
        for own in rating_round.assignments.filter(rater__user=rater):
            rate(rating_round, rater, own.position, values)


def decided_and_disputed(lake, ada, ben, cleo, dora):
    told = opened(lake, ada, [ben, cleo], n_items=6)
    for position in range(1, 7):
        rate(told, ben, position, NONSENSE if position == 1 else SAFE)
        rate(told, cleo, position, SAFE)
    decide(told, dora, 1, SAFE)
    close(told, ada)
    rounds.record_kappa(round_id=told.pk, kappa=None, at=timezone.now())
    own = assignment_of(told, ben)
    disputes.dispute(owed=owed(told, ben), text="It parrots the seeker.", by=ben, at=timezone.now())
    opened(lake, ada, [ben, cleo], override_reason="It parrots the seeker.")
    return {"disputed": own.pk, "decided": round_item(told).pk}


def to_be_decided(brook, ada, ben, cleo):
    rating_round = opened(brook, ada, [ben, cleo])
    values = dict.fromkeys((one.key for one in rating_round.rubric.criteria), 5)
    case = round_item(rating_round)
    for rater, given in ((ben, values), (cleo, values | {"guidance": 1, "empathy": 2})):
        own = rating_round.assignments.get(item=case.item_id, rater__user=rater)
        rate(rating_round, rater, own.position, given)
    return {"case": case.pk, "scales": own.pk}


def looked_after(lake, ada, browser):
    item = Item.objects.get(study=lake, position=4)
    telling = {"study_id": lake.pk, "item_id": item.pk, "by": ada, "at": timezone.now()}
    items.note(**telling, text="It parrots the seeker.")
    items.warn(**telling, content_note="It parrots the seeker.")
    quarantine.quarantine(
        study_id=lake.pk,
        item_key=item.key,
        reason="It parrots the seeker.",
        by=ada,
        at=timezone.now(),
    )
    rows = "key,dialogue,reply\na,[seeker]Hi,Hello\nb,[seeker]Ho,nan\n"
    page = upload(browser, "lake", rows)
    return {"item": item.pk, "job": page.address.rstrip("/").rpartition("/")[2]}


def judged(pond, ada, scripted):
    for text in (OWN, OWN.replace("Be brief.", "Be very brief.")):
        written(pond, text)
    answers = {
        "finished": lambda body, number: "Safe Response" if number % 3 else "I cannot say.",
        "paused": lambda body, number: failing(401),
    }
    found = {}
    for name, scripted.answer in answers.items():
        run = runs.start(
            study=pond,
            judge=tried(Settings(llm=name, base_url=scripted.base_url, as_json=False)),
            repeats=1,
            concurrency=2,
            by=ada,
            at=timezone.now(),
        )
        found[name] = work_until_it_rests(run, timezone.now)
    in_batches(found["paused"])
    calls = found["finished"].calls
    return {name: run.pk for name, run in found.items()} | {
        "judge": found["finished"].judge.rater_id,
        "read": calls.filter(outcome="rated").first().pk,
        "unread": calls.exclude(outcome="rated").first().pk,
    }


def in_batches(run):
    """As if it had been sent in batches: one is under way, and one has expired."""
    JudgeRun.objects.filter(pk=run.pk).update(by_batch=True)
    now = timezone.now()
    known = {"run": run, "n_calls": 6, "made_at": now, "sent_at": now, "look_at": now}
    LLMBatch.objects.create(**known, key="a", state="sent", remote_id="batch-1", n_answered=2)
    ended = {"state": "ended", "ended_as": "expired", "ended_at": now}
    LLMBatch.objects.create(**known, key="b", remote_id="batch-2", problem="batch_expired", **ended)


@pytest.fixture
def figures(ada, gwen):
    """Ratings enough for every figure; rules that are fixed, and verdicts sealed by them."""
    cache.clear()
    study = meadow({ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER, TeamRole.EXPORTER]})
    now = timezone.now()
    study_access = study_for(access_of(ada, at=now), study.key)
    quarantine.quarantine(
        study_id=study.pk,
        item_key=study.items.last().key,
        reason="It parrots the seeker.",
        by=ada,
        at=now,
    )
    looks = "\n[looks]\nitems = [40, 400]\npeople = 2\nrepeats = 5\nflagged = 0.9\n"
    acting = {"study_access": study_access, "by": ada, "at": now}
    key = trust.bring_policy(**acting, file_name="own.toml", content=(SMALL.text + looks).encode())
    trust.fix_policy(**acting, key=key)
    sealed = sealing.seal(**acting)
    members = list(Rater.objects.filter(key__in=("oak", "elm")).values_list("pk", flat=True))
    juries.name_jury(**acting, name="Grove", members=members, rule=JuryRule.MEDIAN, quorum=1)
    return Scene(
        {"ada": ada, "gwen": gwen},
        {
            "oak": Rater.objects.get(key="oak").pk,
            "person0": Rater.objects.get(key="person0").pk,
            "item": study.items.first().pk,
            "sealed": sealed.sha256,
        },
        key="meadow",
    )


def test_every_address_is_walked_or_has_a_reason_not_to_be():
    walked = {name for walk in WALKS.values() for name, *_ in walk if not name.startswith("/")}
    excused = set().union(*NOT_WALKED.values())
    missing = {page.name for page in PAGES} - walked - excused
    assert not missing, f"Walk them, or say in NOT_WALKED why not: {sorted(missing)}"
    assert not walked & excused
    assert not (walked | excused) - {page.name for page in PAGES} - {"mfa_trust"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", WALKS)
def test_the_pages(request, live_server, chromium, as_user, name):
    world = request.getfixturevalue(name)
    walks = [Walk(language=language, spoken=TYPED) for language in LOOKS]
    for walk, who in product(walks, dict.fromkeys(who for _page, who, _ in WALKS[name])):
        cookies = as_user(world.people[who]).cookies if who != NOBODY else {}
        with browsing(chromium, live_server.url, walk.language, cookies) as page:
            for place, visitor, arguments in WALKS[name]:
                if visitor == who:
                    walk.visit(
                        page,
                        f"{place} ({who}, {walk.language})",
                        world.address(place, arguments),
                        status=REFUSED.get(place, 200),
                        # A package titles the steps of a task by the task.
                        names_itself=place in OURS,
                    )
    faults = "\n".join(fault for walk in walks for fault in walk.faults)
    assert not faults, faults
