"""Single sign-on, end to end, against a small provider on loopback."""

import json
import logging
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.utils import timezone

from accounts.access import AccessStep, access_of
from accounts.actions import people
from accounts.models import AccessRequest, Decision, User
from config import environment
from tests.accounts.test_second_factor import code_for, set_up_app
from tests.cast import PASSWORD, bearer

CLIENT, SECRET = "concord", "the-client-s-own-secret"
LOGIN = "/accounts/oidc/sso/login/"


@dataclass
class Provider:
    """An OpenID provider that knows one person; `claims` and `token` are what it says of them."""

    issuer: str = ""
    claims: dict = field(default_factory=dict)
    token: dict = field(default_factory=dict)
    audience: str = CLIENT
    asked: list = field(default_factory=list)

    def says(self, email: str, *, verified: bool = True, **token: object) -> None:
        self.claims = {"sub": f"id-of-{email}", "email": email, "email_verified": verified}
        self.claims["name"] = "Nia Moss"
        self.token = token

    def answer(self, path: str, sent: dict) -> dict:
        self.asked.append((path, sent))
        if path == "/.well-known/openid-configuration":
            return {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "userinfo_endpoint": f"{self.issuer}/userinfo",
                "jwks_uri": f"{self.issuer}/jwks",
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            }
        if path == "/token":
            now = int(time.time())
            said = {"iss": self.issuer, "aud": self.audience, "iat": now, "exp": now + 60}
            said |= {"sub": self.claims["sub"], **self.token}
            sealed = jwt.encode(said, "a-key-of-the-provider-alone-long", algorithm="HS256")
            return {"access_token": "opens-userinfo", "token_type": "Bearer", "id_token": sealed}
        return self.claims


@pytest.fixture
def provider(settings) -> Iterator[Provider]:
    known = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path == "/authorize":
                asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
                known.asked.append((parts.path, asked))
                self.send_response(302)
                back = urlencode({"code": "single-use", "state": asked["state"]})
                self.send_header("Location", f"{asked['redirect_uri']}?{back}")
                self.end_headers()
            else:
                self.say(known.answer(parts.path, {}))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            sent = {name: values[0] for name, values in parse_qs(body).items()}
            self.say(known.answer(self.path, sent))

        def say(self, answer: dict) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *_: object) -> None:
            """It says nothing."""

    cache.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    known.issuer = f"http://127.0.0.1:{server.server_port}"
    app = {"provider_id": "sso", "name": "Hill University", "client_id": CLIENT, "secret": SECRET}
    settings.SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {
            "OAUTH_PKCE_ENABLED": True,
            "APPS": [app | {"settings": {"server_url": known.issuer}}],
        }
    }
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    yield known
    server.shutdown()
    server.server_close()


def come(browser: Client, provider: Provider, link: str = LOGIN):
    """Follow the link on the sign-in page, or another, to the provider and back."""
    there = urlsplit(browser.get(link).url)
    assert f"http://{there.netloc}" == provider.issuer
    connection = HTTPConnection(there.netloc, timeout=60)
    connection.request("GET", f"{there.path}?{there.query}")
    back = urlsplit(connection.getresponse().headers["Location"])
    return browser.get(f"{back.path}?{back.query}")


def is_in(browser: Client) -> bool:
    return browser.get("/api/v1/studies/").status_code == 200


@pytest.fixture
def verified(ben) -> User:
    EmailAddress.objects.create(user=ben, email=ben.email, primary=True, verified=True)
    return ben


def test_an_approved_account_comes_in_by_its_verified_address(verified, provider):
    provider.says(verified.email)
    browser = Client()
    assert "Hill University" in browser.get("/accounts/login/").content.decode()
    assert come(browser, provider).url == "/"
    assert is_in(browser)
    assert SocialAccount.objects.get().user == verified
    assert User.objects.count() == 1


def test_an_address_that_nobody_verified_opens_no_account(verified, provider):
    provider.says(verified.email, verified=False)
    browser = Client()
    come(browser, provider)
    assert not is_in(browser)
    assert not SocialAccount.objects.exists()


def test_who_comes_first_says_who_they_are_signs_and_is_approved(terms, provider):
    provider.says("nia@example.org")
    browser = Client()
    assert come(browser, provider).url == "/accounts/3rdparty/signup/"
    page = browser.get("/accounts/3rdparty/signup/").content.decode()
    assert 'value="Nia Moss"' in page
    form = {"email": "nia@example.org", "full_name": "Nia Moss", "affiliation": "Hill"}
    browser.post("/accounts/3rdparty/signup/", form)
    nia = User.objects.get()
    assert (nia.full_name, nia.has_usable_password()) == ("Nia Moss", False)
    assert browser.get("/access/").status_code == 200
    missing = browser.get("/api/v1/studies/").json()["missing"]
    assert missing == [AccessStep.SIGNATURE, AccessStep.REQUEST]


POLICIES = [
    ([], {"amr": ["pwd", "mfa"]}, False),
    (["mfa"], {"amr": ["pwd"]}, False),
    (["mfa"], {}, False),
    (["mfa"], {"amr": ["pwd", "mfa"]}, True),
    (["urn:example:two"], {"acr": "urn:example:two"}, True),
]


@pytest.mark.parametrize(("believed", "said", "enters"), POLICIES)
def test_a_provider_s_second_factor_counts_only_where_it_is_believed(
    verified, provider, settings, believed, said, enters
):
    settings.MFA_REQUIRED = True
    settings.SSO_SECOND_FACTOR = believed
    provider.says(verified.email, **said)
    browser = Client()
    come(browser, provider)
    assert is_in(browser) is enters


def test_a_belief_that_ended_is_no_factor_for_workers(verified, provider, settings):
    settings.MFA_REQUIRED = True
    settings.SSO_SECOND_FACTOR = ["mfa"]
    provider.says(verified.email, amr=["mfa"])
    come(Client(), provider)
    at = verified.acceptances.get().accepted_at
    assert access_of(verified, at=at).may_enter
    settings.SSO_SECOND_FACTOR = []
    assert access_of(verified, at=at).missing == (AccessStep.SECOND_FACTOR,)


def test_a_factor_of_ours_is_asked_for_whatever_the_provider_says(verified, provider, settings):
    settings.SSO_SECOND_FACTOR = ["mfa"]
    secret = set_up_app(verified)
    provider.says(verified.email, amr=["mfa"])
    browser = Client()
    assert come(browser, provider).url == "/accounts/2fa/authenticate/"
    assert not is_in(browser)
    browser.post("/accounts/2fa/authenticate/", {"code": code_for(secret)})
    assert is_in(browser)


def test_a_password_does_not_gain_what_the_provider_vouched_for(verified, provider, settings):
    settings.MFA_REQUIRED = True
    settings.SSO_SECOND_FACTOR = ["mfa"]
    provider.says(verified.email, amr=["mfa"])
    browser = Client()
    come(browser, provider)
    browser.post("/accounts/logout/")
    browser.post("/accounts/login/", {"login": verified.email, "password": PASSWORD})
    assert not is_in(browser)


def test_what_was_meant_for_another_is_refused(verified, provider):
    provider.says(verified.email)
    provider.audience = "another-client"
    browser = Client()
    come(browser, provider)
    assert not is_in(browser)


def test_an_answer_that_nobody_asked_for_is_refused(verified, provider):
    provider.says(verified.email)
    browser = Client()
    browser.get("/accounts/oidc/sso/login/callback/?code=single-use&state=made-up")
    assert not is_in(browser)
    assert not [path for path, _ in provider.asked if path == "/token"]


def test_the_code_is_proved_and_nothing_secret_is_said(verified, provider, caplog):
    caplog.set_level(logging.DEBUG)
    provider.says(verified.email)
    browser = Client()
    answer = come(browser, provider)
    asked = dict(provider.asked)
    assert asked["/authorize"]["code_challenge_method"] == "S256"
    assert asked["/token"]["code_verifier"]
    assert SECRET not in str(asked["/authorize"]) + str(answer.headers) + caplog.text
    assert "opens-userinfo" not in caplog.text
    policy = browser.get("/accounts/login/").headers["Content-Security-Policy"]
    assert "form-action 'self'" in policy


def test_the_way_is_not_there_where_nobody_configured_it(db):
    assert Client().get(LOGIN).status_code == 404
    assert "oidc" not in Client().get("/accounts/login/").content.decode()


@pytest.mark.parametrize("address", ["http://login.example.org", "ftp://127.0.0.1", "login"])
def test_a_provider_is_reached_by_tls(monkeypatch, address):
    monkeypatch.setenv("POND_ISSUER", address)
    read = environment.https
    with pytest.raises(ImproperlyConfigured, match="https://"):
        read("POND_ISSUER")


def test_an_address_that_an_account_only_asks_to_change_to_opens_it_to_nobody(verified, provider):
    asked = EmailAddress.objects.create(user=verified, email="nia@example.org", verified=False)
    provider.says(asked.email)
    browser = Client()
    come(browser, provider)
    assert not is_in(browser)
    assert not SocialAccount.objects.exists()
    verified.refresh_from_db()
    assert verified.check_password(PASSWORD)


def test_a_link_on_another_site_connects_nobody_s_sign_on_to_an_account(verified, provider):
    """Who has no password is not asked for it again."""
    verified.set_unusable_password()
    verified.save()
    browser = Client()
    provider.says(verified.email)
    come(browser, provider)
    provider.says("mallory@example.net")
    come(browser, provider, f"{LOGIN}?process=connect")
    assert [one.uid for one in SocialAccount.objects.all()] == [f"id-of-{verified.email}"]


def test_who_comes_by_a_vouched_sign_on_works_with_programs_too(verified, provider, settings):
    settings.MFA_REQUIRED = True
    settings.SSO_SECOND_FACTOR = ["mfa"]
    provider.says(verified.email, amr=["mfa"])
    browser = Client()
    come(browser, provider)
    assert is_in(browser)
    assert Client().get("/api/v1/studies/", headers=bearer(verified)).status_code == 200


def test_signing_up_with_an_address_that_is_taken_tells_nobody_so(verified, provider, mailoutbox):
    provider.says("nia@example.org", verified=False)
    browser = Client()
    come(browser, provider)
    form = {"email": verified.email, "full_name": "Nia Moss", "affiliation": "Hill"}
    taken = browser.post("/accounts/3rdparty/signup/", form)
    other = Client()
    provider.says("zoe@example.org", verified=False)
    come(other, provider)
    free = other.post("/accounts/3rdparty/signup/", form | {"email": "zoe@example.org"})
    assert (taken.status_code, taken.headers.get("Location")) == (
        free.status_code,
        free.headers.get("Location"),
    )


AGAIN = "/access/again/"


@pytest.fixture
def elsewhere(sam, provider) -> Client:
    """A browser of sam, who decides on requests, has no password and came by the provider."""
    EmailAddress.objects.create(user=sam, email=sam.email, primary=True, verified=True)
    sam.set_unusable_password()
    sam.save()
    provider.says(sam.email)
    browser = Client()
    come(browser, provider)
    return browser


def approve(browser: Client, asked: AccessRequest) -> str:
    """Approve a request of access: where that leads."""
    day = {"until": timezone.localdate().isoformat()}
    return browser.post(f"/access/requests/{asked.pk}/approve/", day).url


def ask_there(browser: Client, provider: Provider, page: str):
    """Open the page that says so, and follow its link to the provider and back."""
    assert page.startswith(AGAIN)
    html = browser.get(page).content.decode()
    assert "Hill University" in html
    [link] = re.findall(rf'href="({AGAIN}there/[^"]*)"', html)
    back = come(browser, provider, unescape(link)).url
    assert back == page
    return browser.get(back)


def is_approved(asked: AccessRequest) -> bool:
    asked.refresh_from_db()
    return asked.decision == Decision.APPROVED


def test_the_provider_asks_again_before_what_reaches_far(elsewhere, provider, asked, sam):
    page = approve(elsewhere, asked)
    assert not is_approved(asked)
    provider.says(sam.email, auth_time=int(time.time()))
    assert ask_there(elsewhere, provider, page).url == "/access/requests/"
    assert is_approved(asked)
    sent = [sent for path, sent in provider.asked if path == "/authorize"][-1]
    assert (sent["prompt"], sent["max_age"]) == ("login", "0")


def test_it_is_enough_for_some_minutes(elsewhere, provider, sam):
    tokens = "/access/tokens/"
    provider.says(sam.email, auth_time=int(time.time()))
    assert ask_there(elsewhere, provider, elsewhere.get(tokens).url).url == tokens
    assert elsewhere.get(tokens).status_code == 200
    session = elsewhere.session
    for one in session["account_authentication_methods"]:
        one["at"] -= 301
    session.save()
    assert elsewhere.get(tokens).url.startswith(AGAIN)


TIMES = [
    ({}, True),
    ({"auth_time": 0}, True),
    ({"auth_time": -30}, True),
    ({"auth_time": -130}, False),
    ({"auth_time": -24 * 3600}, False),
    ({"auth_time": None}, False),
]


@pytest.mark.parametrize(("said", "is_enough"), TIMES)
def test_a_provider_that_did_not_ask_now_is_not_believed(
    elsewhere, provider, asked, sam, said, is_enough
):
    """A number: so many seconds from now."""
    now = int(time.time())
    provider.says(sam.email, **{k: v if v is None else now + v for k, v in said.items()})
    page = approve(elsewhere, asked)
    answer = ask_there(elsewhere, provider, page)
    assert is_approved(asked) is is_enough
    if not is_enough:
        assert "not asked again" in answer.content.decode()
        provider.says(sam.email, auth_time=now)
        ask_there(elsewhere, provider, page)
        assert is_approved(asked)


def test_somebody_else_who_signs_in_there_confirms_nothing(elsewhere, provider, asked, sam, ben):
    EmailAddress.objects.create(user=ben, email=ben.email, primary=True, verified=True)
    page = approve(elsewhere, asked)
    for stranger in (ben.email, "nia@example.org"):
        provider.says(stranger, auth_time=int(time.time()))
        answer = ask_there(elsewhere, provider, page)
        assert "Somebody else" in answer.content.decode()
    assert not is_approved(asked)
    assert [one.user for one in SocialAccount.objects.all()] == [sam]
    assert elsewhere.get(AGAIN).status_code == 200
    assert elsewhere.get("/access/tokens/").url.startswith(AGAIN)


@pytest.mark.parametrize("link", [LOGIN, f"{LOGIN}?process=again"])
def test_to_sign_in_is_not_to_be_asked_again(elsewhere, provider, asked, sam, link):
    """The provider asks nobody who is signed in there already."""
    provider.says(sam.email, auth_time=int(time.time()))
    come(elsewhere, provider, link)
    assert approve(elsewhere, asked).startswith(AGAIN)
    assert not is_approved(asked)


def test_who_may_not_any_more_is_refused_after_it(elsewhere, provider, asked, sam, tess):
    page = approve(elsewhere, asked)
    people.set_roles(user_id=sam.pk, roles=[], by=tess, at=timezone.now())
    assert ask_there(elsewhere, provider, page).status_code == 403
    assert not is_approved(asked)


def test_who_has_a_password_is_asked_for_it(provider, asked, sam):
    EmailAddress.objects.create(user=sam, email=sam.email, primary=True, verified=True)
    provider.says(sam.email)
    browser = Client()
    come(browser, provider)
    assert approve(browser, asked).startswith("/accounts/reauthenticate/")
    assert browser.get(AGAIN).status_code == 404
    assert browser.get(f"{AGAIN}there/").status_code == 404


def test_what_was_sent_is_done_once_and_by_nobody_else_s_link(elsewhere, provider, asked, sam):
    """Somebody was asked for something else: what they had sent before waits on."""
    page = approve(elsewhere, asked)
    provider.says(sam.email, auth_time=int(time.time()))
    come(elsewhere, provider, f"{AGAIN}there/?next=/access/tokens/")
    assert "Hill University" in elsewhere.get(page).content.decode()
    assert not is_approved(asked)


def test_a_first_password_takes_being_asked_there(elsewhere, provider, sam):
    """Or whoever finds the browser open sets one, and is asked for that instead."""
    page, words = "/accounts/password/set/", {"password1": "nine green herons wade"}
    words["password2"] = words["password1"]
    assert elsewhere.post(page, words).url == page
    assert words["password1"] not in str(dict(elsewhere.session))
    provider.says(sam.email, auth_time=int(time.time()))
    assert ask_there(elsewhere, provider, elsewhere.get(page).url).url == page
    sam.refresh_from_db()
    assert not sam.has_usable_password()
    elsewhere.post(page, words)
    sam.refresh_from_db()
    assert sam.check_password(words["password1"])


def test_so_does_a_first_factor(elsewhere, provider, sam):
    page = "/accounts/2fa/totp/activate/"
    assert ask_there(elsewhere, provider, elsewhere.get(page).url).url == page
    assert elsewhere.get(page).status_code == 200


def test_nobody_goes_on_where_the_provider_is_gone(elsewhere, provider, asked, settings):
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": []}}
    page = approve(elsewhere, asked)
    assert elsewhere.get(page).status_code == 404
    assert not is_approved(asked)


def test_it_goes_on_at_no_other_site(elsewhere, provider, sam):
    provider.says(sam.email, auth_time=int(time.time()))
    answer = come(elsewhere, provider, f"{AGAIN}there/?next=https://mallory.example.net/")
    assert answer.url == f"{AGAIN}?next=%2F"
