"""Every URL of the server, asked by every kind of account."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse
from django.utils import timezone

from accounts.actions import people, requests
from accounts.gate import MARKED_BY_NAME, audience_of
from accounts.models import Role
from annotation.models import TeamRole
from tests.cast import account, approved, study_with

# Opening a page to more than the approved is a decision: it is written down here as well.
OPEN_TO_ANYONE = {"first_run", "healthz", "home", "metrics", "readyz"}
OPEN_TO_SIGNED_IN = {
    *("access", "ask", "receipt", "receipt_text", "receipt_verifier", "sign", "signed_receipt"),
    *("styleguide", "terms"),
}

# Pages that belong to no study, as an approved account without any role finds them, and the role
# that finds them open.
OUTSIDE_STUDIES = {
    "access_requests": (403, Role.STEWARD, 200),
    "access_request": (403, Role.STEWARD, 200),
    "approve_request": (405, None, 405),
    "refuse_request": (405, None, 405),
    "accounts": (403, Role.ADMIN, 200),
    "account": (403, Role.ADMIN, 200),
    "suspend_account": (405, None, 405),
    "reinstate_account": (405, None, 405),
    "set_roles": (405, None, 405),
    "server": (403, Role.ADMIN, 200),
    "endpoints": (403, Role.ADMIN, 200),
    "endpoint": (403, Role.ADMIN, 404),
    "endpoint_add": (403, Role.ADMIN, 200),
    "endpoint_price": (405, None, 405),
    "endpoint_retire": (405, None, 405),
    "events": (403, Role.AUDITOR, 200),
    "audit": (403, Role.AUDITOR, 200),
    "new_study": (403, Role.ADMIN, 200),
    "data_sets": (403, Role.STEWARD, 200),
    "who": (200, None, 200),
    "keys": (200, None, 200),
    "api_studies": (200, None, 200),
    "api_docs": (200, None, 200),
    "api_schema": (200, None, 200),
    "tokens": (200, None, 200),
    "revoke_token": (405, None, 405),
    "api_submission": (405, None, 405),
}

# Pages of a study that stewards and administrators open for any study, to name its team.
OPEN_TO_MANAGERS = {"team", "api_team"}
# Pages of a data set are for who governs all of them, whatever their teams.
OF_DATA_SETS = {
    *("data_set", "data_set_grants", "data_set_rules", "decide_grants", "revoke_grant"),
    *("break_glass", "witness_glass", "glass_texts"),
}

# Values for the arguments of a pattern; a number or a word stands in for the rest.
BY_CONVERTER = {
    "IntConverter": 1,
    "SlugConverter": "pond",
    "StringConverter": "pond",
    "UUIDConverter": "6f1c1a52-9a0c-4f6e-9a55-7a2f3b0c1d2e",
    "PathConverter": "pond",
}
OF_PACKAGES = {
    "account_confirm_email": {"key": "abc"},
    "account_reset_password_from_key": {"uidb36": "1", "key": "abc"},
}


@dataclass(frozen=True, kw_only=True)
class Page:
    """A URL pattern with the converters of its own part and of the parts before it."""

    name: str
    view: Callable
    converters: Mapping[str, object]

    @property
    def audience(self) -> str:
        return audience_of(self.view, self.name)

    @property
    def is_of_a_package(self) -> bool:
        return self.view.__module__.startswith(("allauth.", "django."))

    @property
    def is_in_a_study(self) -> bool:
        return "key" in self.converters and not self.is_of_a_package

    def path(self, **arguments) -> str:
        stand_ins = {
            name: BY_CONVERTER[type(converter).__name__]
            for name, converter in self.converters.items()
        }
        return reverse(self.name, kwargs=OF_PACKAGES.get(self.name, {}) | stand_ins | arguments)


def all_pages(resolver=None, converters: Mapping[str, object] = {}, namespace: str = ""):
    for entry in (resolver or get_resolver()).url_patterns:
        found = {**converters, **entry.pattern.converters}
        if isinstance(entry, URLPattern):
            yield Page(name=f"{namespace}{entry.name}", view=entry.callback, converters=found)
        else:
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from all_pages(entry, found, inner)


PAGES = list({page.name: page for page in all_pages()}.values())
OURS = [page for page in PAGES if not page.is_of_a_package]
CLOSED = [page for page in PAGES if page.audience == "approved"]


def by_name(page: Page) -> str:
    return page.name


@pytest.fixture
def not_yet_in(terms, sam) -> dict[str, object]:
    """An account of every kind that may not enter."""
    now = timezone.now()
    signed = approved("signed", terms)
    signed.approved_until = None
    signed.save()
    asked = approved("asked", terms)
    asked.approved_until = None
    asked.save()
    requests.ask(purpose="To annotate.", by=asked, at=now)
    refused = approved("refused", terms)
    refused.approved_until = None
    refused.save()
    request = requests.ask(purpose="To annotate.", by=refused, at=now)
    requests.refuse(request_id=request.pk, reason="Name the study.", by=sam, at=now)
    suspended = approved("suspended", terms, roles=[Role.STEWARD, Role.ADMIN])
    people.suspend(user_id=suspended.pk, reason="Left.", by=sam, at=now)
    expired = approved("expired", terms, roles=[Role.STEWARD])
    expired.approved_until = now - timedelta(seconds=1)
    expired.save()
    return {
        "signed up": account("newcomer"),
        "signed": signed,
        "asked": asked,
        "refused": refused,
        "suspended steward": suspended,
        "expired steward": expired,
        "never signed": account("unsigned", approved_until=now + timedelta(days=9)),
    }


def test_every_url_has_a_name():
    unnamed = [page for page in PAGES if page.name.endswith("None")]
    assert not unnamed, "Name every URL, so that the trail can say which page was refused."


def test_what_is_marked_by_name_exists():
    assert set(MARKED_BY_NAME) <= {page.name for page in PAGES}


@pytest.mark.parametrize(
    ("audience", "names"), [("anyone", OPEN_TO_ANYONE), ("signed_in", OPEN_TO_SIGNED_IN)]
)
def test_only_what_is_listed_is_open(audience, names):
    assert {page.name for page in OURS if page.audience == audience} == names


def test_every_view_has_an_audience_that_the_gate_knows():
    assert {page.audience for page in PAGES} == {"anyone", "signed_in", "approved"}


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_visitor_finds_every_page_shut_that_is_not_open(pond, method):
    wrong = {}
    for page in PAGES:
        if page.audience == "anyone":
            continue
        answer = getattr(Client(), method)(page.path())
        goes_to_login = answer.headers.get("Location", "").startswith("/accounts/login/")
        if not (goes_to_login or (page.path().startswith("/api/") and answer.status_code == 401)):
            wrong[page.name] = answer.status_code
    assert not wrong


@pytest.mark.parametrize("method", ["get", "post"])
def test_who_may_not_enter_is_refused_everywhere(as_user, not_yet_in, pond, method):
    wrong = {}
    for kind, user in not_yet_in.items():
        browser = as_user(user)
        for page in CLOSED:
            answer = getattr(browser, method)(page.path())
            if answer.status_code != 403 or pond.name.encode() in answer.content:
                wrong[kind, page.name] = answer.status_code
    assert not wrong


def test_an_account_that_is_switched_off_is_a_visitor(as_user, terms):
    browser = as_user(approved("off", terms, is_active=False))
    assert browser.get("/access/").url.startswith("/accounts/login/")


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("roles", [[], list(Role)], ids=["another team", "another team, all roles"])
def test_a_study_does_not_exist_for_who_is_not_on_its_team(as_user, terms, pond, roles, method):
    """400 and 405 are answers too: the request makes no sense to the page, whatever the study."""
    lena = approved("lena", terms, roles=roles)
    study_with(rubric="dialogue_safety", key="lake", team={lena: list(TeamRole)}, n_items=1)
    browser, wrong = as_user(lena), {}
    for page in CLOSED:
        if not page.is_in_a_study or (roles and page.name in OPEN_TO_MANAGERS | OF_DATA_SETS):
            continue
        answer = getattr(browser, method)(page.path(key=pond.key))
        if answer.status_code not in {400, 404, 405} or pond.name.encode() in answer.content:
            wrong[page.name] = answer.status_code
    assert not wrong


def test_every_page_outside_studies_is_in_the_table():
    named = {page.name for page in OURS if page in CLOSED and not page.is_in_a_study}
    assert named == set(OUTSIDE_STUDIES), "Say in OUTSIDE_STUDIES who finds the page open."


@pytest.mark.parametrize("page", [p for p in CLOSED if p.name in OUTSIDE_STUDIES], ids=by_name)
def test_a_page_outside_studies_is_for_its_role(as_user, terms, page):
    plain, role, open_status = OUTSIDE_STUDIES[page.name]
    asker = approved("asker", terms)
    asker.approved_until = None
    asker.save()
    asked = requests.ask(purpose="To annotate.", by=asker, at=timezone.now())
    ids = {"request_id": asked.pk, "account_id": asker.pk}
    path = page.path(**{name: ids[name] for name in page.converters if name in ids})
    assert as_user(approved("nia", terms)).get(path).status_code == plain
    if role:
        assert as_user(approved("rolf", terms, roles=[role])).get(path).status_code == open_status


@pytest.mark.parametrize("action", ["approve", "refuse"])
def test_only_stewards_decide(as_user, terms, action):
    path = reverse(f"{action}_request", kwargs={"request_id": 1})
    for roles in ([], [Role.ADMIN], [Role.AUDITOR]):
        user = approved(f"user{len(roles)}{''.join(roles)}", terms, roles=roles)
        assert as_user(user).post(path).status_code == 403


@pytest.mark.parametrize("action", ["suspend", "reinstate"])
def test_only_stewards_and_administrators_suspend(as_user, terms, ben, action):
    path = reverse(f"{action}_account", kwargs={"account_id": ben.pk})
    assert as_user(ben).post(path).status_code == 403
    assert as_user(approved("aud", terms, roles=[Role.AUDITOR])).post(path).status_code == 403
