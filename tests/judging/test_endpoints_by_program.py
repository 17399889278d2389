"""A program of an administrator adds, prices and retires endpoints."""

import pytest
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Event, Role, Scope
from judging.models import LLMEndpoint, LLMPrice
from tests.cast import approved

pytestmark = pytest.mark.django_db
OURS = {"key": "ours", "name": "Ours", "base_url": "http://127.0.0.1:9/v1", "processor": "own"}


@pytest.fixture
def tess(terms):
    return approved("tess", terms, roles=[Role.ADMIN])


@pytest.fixture
def program(client):
    def of(user):
        _token, words = tokens.make(
            name="p", scopes=list(Scope), days=1, by=user, at=timezone.now()
        )

        def ask(method, path, sent=None):
            return getattr(client, method)(
                f"/api/v1/endpoints/{path}",
                sent,
                content_type="application/json",
                headers={"Authorization": f"Bearer {words}"},
            )

        return ask

    return of


def test_an_endpoint_is_added_priced_and_retired(program, tess, settings):
    settings.LLM_HOSTS = ["127.0.0.1:9"]
    ask = program(tess)
    added = ask("post", "add/", OURS)
    assert (added.status_code, added.json()["number"]) == (201, 1)
    again = ask("post", "add/", OURS | {"name": "Ours anew"})
    assert again.json()["number"] == 2
    number = again.json()["id"]
    price = {"llm": "some", "prompt": "1.5", "answer": "6", "cached": "0", "since": "2026-11-01"}
    assert ask("post", f"{number}/price/", price).status_code == 200
    kept = LLMPrice.objects.get()
    assert (kept.currency, kept.cached) == ("USD", 0)
    assert ask("post", f"{number}/retire/").json()["retired_at"]
    assert ask("post", f"{number}/retire/").status_code == 200
    assert Event.objects.filter(verb="endpoint.retired", actor=tess).count() == 1
    assert [one["number"] for one in ask("get", "").json()["results"]] == [1, 2]


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"base_url": "http://169.254.169.254/v1"}, 422),
        ({"key": "not a slug"}, 400),
        ({"headers": ["none"]}, 400),
        ({"dialect": "latin"}, 400),
    ],
)
def test_what_cannot_be_an_endpoint_is_refused_with_the_reason(program, tess, changed, status):
    answer = program(tess)("post", "add/", OURS | changed)
    assert answer.status_code == status
    assert answer.json()
    assert not LLMEndpoint.objects.filter(key="ours").exists()


def test_it_is_for_administrators(program, ada):
    assert program(ada)("get", "").status_code == 403
    assert program(ada)("post", "add/", OURS).status_code == 403
