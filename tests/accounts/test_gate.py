"""How the gate refuses, in each form that is asked for."""

import json

import pytest
from django.test import Client, RequestFactory

from accounts.models import Event
from accounts.views.errors import failed
from tests.cast import PASSWORD

HTMX = {"HX-Request": "true"}


def test_a_visitor_signs_in_and_comes_back(db):
    assert Client().get("/access/events/?verb=x").url == (
        "/accounts/login/?next=/access/events/%3Fverb%3Dx"
    )


@pytest.mark.parametrize(("query", "n"), [("?next=/access/events/", 1), ("?next=/", 0), ("", 0)])
def test_who_is_led_to_sign_in_is_told_why(db, query, n):
    page = Client().get(f"/accounts/login/{query}").content.decode()
    assert page.count("the page that you asked for opens") == n


def test_a_refusal_says_what_is_missing_and_what_to_do_next(as_user, eli):
    page = as_user(eli).get("/access/requests/")
    text = page.content.decode()
    assert page.status_code == 403
    assert "This is what is missing" in text
    assert text.count("button--primary") == 1
    assert 'href="/access/sign/"' in text


def test_a_refusal_is_recorded(as_user, eli):
    as_user(eli).get("/access/requests/")
    refused = Event.objects.get(verb="gate.refused")
    assert refused.actor == eli
    assert refused.facts == {"page": "access_requests", "missing": ["signature", "request"]}


def test_a_form_sent_after_access_ended_is_refused_by_a_notice_and_stays(as_user, eli):
    answer = as_user(eli).post("/access/requests/1/approve/", headers=HTMX)
    assert answer.status_code == 403
    assert "<html" not in answer.content.decode()
    assert 'href="/access/"' in answer.content.decode()
    assert "HX-Refresh" not in answer.headers


def test_a_form_sent_after_signing_out_is_refused_by_a_notice_and_stays(db):
    answer = Client().post("/access/requests/1/approve/", headers=HTMX)
    assert answer.status_code == 401
    assert "Sign in again" in answer.content.decode()
    assert "HX-Refresh" not in answer.headers


def test_a_page_that_asks_again_after_access_ended_is_loaded_anew(as_user, eli):
    assert as_user(eli).get("/access/requests/", headers=HTMX).headers["HX-Refresh"] == "true"
    assert Client().get("/access/requests/", headers=HTMX).headers["HX-Refresh"] == "true"


def test_a_reason_of_a_view_reaches_the_reader(as_user, ben):
    browser = as_user(ben)
    assert "for data stewards" in browser.get("/access/requests/").content.decode()
    fragment = browser.get("/access/requests/", headers=HTMX).content.decode()
    assert "for data stewards" in fragment
    assert "<html" not in fragment


def test_a_stale_form_is_refused_with_what_to_do(ben):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(ben)
    answer = browser.post("/access/request/", {"purpose": "x"})
    assert answer.status_code == 403
    assert "reload it" in answer.content.decode()


def test_an_unknown_address_is_a_friendly_404(as_user, ben, db):
    for browser in (Client(), as_user(ben)):
        page = browser.get("/no/such/page/")
        assert page.status_code == 404
        assert "There is nothing here" in page.content.decode()


def test_an_address_that_takes_forms_alone_leads_to_the_form(pond_round, ada, as_user):
    """As after a change of language on the page that refuses a form."""
    for path, above in (
        ("/studies/pond/rounds/1/close/", "/studies/pond/rounds/1/"),
        ("/studies/pond/adjudicate/7/disputes/9/", "/studies/pond/adjudicate/7/"),
    ):
        page = as_user(ada).get(path)
        assert (page.status_code, page["Allow"]) == (405, "POST")
        assert f'button--primary" href="{above}"' in page.content.decode()
        assert "takes what a form sends" in page.content.decode()


def test_what_cannot_be_read_is_refused_by_a_page(settings, pond_round, ben, as_user):
    browser = as_user(ben)
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    for sent in ({}, {"comment": "too long" * 1000}):
        page = browser.post("/studies/pond/rate/", sent)
        assert page.status_code == 400
        assert "reload the page" in page.content.decode()
        assert 'href="/"' in page.content.decode()
    asked = browser.post("/api/v1/studies/", {"comment": "too long" * 1000})
    assert json.loads(asked.content)["detail"]


def test_who_tries_too_often_is_told_so_on_a_page_of_ours(settings, db):
    settings.ACCOUNT_RATE_LIMITS = {"reset_password": "1/m/ip"}
    browser = Client(headers={"Accept-Language": "zh-hans"})
    told = [
        browser.post("/accounts/password/reset/", {"email": "ben@example.org"}).status_code
        for _attempt in range(2)
    ]
    page = browser.post("/accounts/password/reset/", {"email": "ben@example.org"})
    assert (told[-1], page.status_code) == (429, 429)
    assert '<html lang="zh-Hans"' in page.content.decode()
    assert 'href="/"' in page.content.decode()


def test_the_failure_page_needs_nothing_that_may_have_failed():
    asked = RequestFactory().get("/")
    told = failed(asked)
    assert (told.status_code, "Something failed" in told.content.decode()) == (500, True)
    told = failed(RequestFactory().get("/api/v1/studies/"))
    assert (told.status_code, json.loads(told.content)) == (
        500,
        {"detail": "Internal Server Error."},
    )


def test_who_cannot_be_answered_just_now_is_told_to_come_again(settings, ben):
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": "redis://127.0.0.1:1"}}
    typed = {"login": ben.email, "password": PASSWORD}
    browser = Client(raise_request_exception=False, headers={"Accept-Language": "zh-hans"})
    told = browser.post("/accounts/login/", typed)
    assert (told.status_code, told["Retry-After"]) == (503, "30")
    assert '<html lang="zh-Hans">' in told.content.decode()
    assert "服务器暂时无法响应" in told.content.decode()


def test_health_is_open_and_names_what_is_away(db, settings):
    assert Client().get("/healthz").content == b"ok\n"
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:9",
        }
    }
    answer = Client().get("/healthz")
    assert (answer.status_code, answer.content) == (503, b"away: redis\n")


@pytest.mark.parametrize("path", ["/", "/accounts/login/", "/access/", "/nothing/"])
def test_every_page_carries_the_headers_that_keep_it_shut(as_user, ben, path):
    headers = as_user(ben).get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"


def test_htmx_neither_evaluates_nor_remembers(db):
    page = Client().get("/").content.decode()
    config = json.loads(page.split('name="htmx-config" content=\'')[1].split("'")[0])
    assert config["allowEval"] is False
    assert config["includeIndicatorStyles"] is False
    assert config["historyCacheSize"] == 0
