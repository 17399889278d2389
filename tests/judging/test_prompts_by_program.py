"""Prompts, the hold-out and replies by program, under the rules of the pages."""

import pytest
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Event, Scope
from annotation.models import HoldOut
from judging.models import Generation, PromptTemplate
from judging.queries.templates import shipped_for

STUDY = "/api/v1/studies/pond/"
pytestmark = pytest.mark.django_db


@pytest.fixture
def asks(client):
    def ask(user, method, path, data=None, scope=Scope.JUDGE, **fields):
        at = timezone.now()
        _token, words = tokens.make(name="p", scopes=[scope], days=1, by=user, at=at)
        headers = {"Authorization": f"Bearer {words}", **fields}
        kind = {} if method == "get" else {"content_type": "application/json"}
        return getattr(client, method)(f"{STUDY}{path}", data, headers=headers, **kind)

    return ask


@pytest.fixture
def text(pond):
    return shipped_for(pond.rubric_version.content)[0].text


def test_a_prompt_is_written_listed_and_compared(asks, pond, ada, ben, text):
    wanted = {"name": "brief", "text": text, "note": "First."}
    made = asks(ada, "post", "prompts/write/", wanted)
    assert (made.status_code, made.json()["number"]) == (201, 1)
    assert PromptTemplate.objects.get().text == text
    again = asks(ada, "post", "prompts/write/", wanted)
    assert (again.status_code, list(again.json()["fields"])) == (422, ["text"])
    second = text + "\n# Another line.\n"
    assert asks(ada, "post", "prompts/write/", wanted | {"text": second}).json()["number"] == 2
    listed = asks(ada, "get", "prompts/", scope=Scope.READ).json()["results"]
    assert [(one["name"], one["number"]) for one in listed] == [("brief", 1), ("brief", 2)]
    told = asks(ada, "get", "prompts/brief/2/", scope=Scope.READ).json()
    assert (told["text"], told["against"]) == (second, 1)
    added = [one["text"] for one in told["lines"] if one["kind"] == "added"]
    assert "# Another line." in added
    assert asks(ada, "get", "prompts/brief/3/", scope=Scope.READ).status_code == 404
    assert asks(ben, "post", "prompts/write/", wanted).status_code == 403
    assert asks(ada, "post", "prompts/write/", wanted, scope=Scope.READ).status_code == 403


def test_a_prompt_is_looked_at_for_an_item_and_that_is_noted(asks, pond, ada, text):
    item = pond.items.order_by("position").first()
    shown = asks(ada, "post", "prompts/preview/", {"text": text, "item": item.key}).json()
    sent = "".join(one["content"] for request in shown["requests"] for one in request["messages"])
    assert item.reply in sent
    seen = Event.objects.filter(verb="prompt.tried", subject=f"item:{item.pk}", actor=ada)
    assert seen.count() == 1
    broken = asks(ada, "post", "prompts/preview/", {"text": "user = 1", "item": item.key})
    assert (broken.status_code, list(broken.json()["fields"])) == (422, ["text"])
    nothing = asks(ada, "post", "prompts/preview/", {"text": text, "item": "frogs"})
    assert nothing.status_code == 404
    assert not PromptTemplate.objects.exists()


def test_items_are_held_out_and_given_up(asks, pond, ada):
    assert asks(ada, "get", "hold-out/", scope=Scope.READ).json()["id"] is None
    wrong = asks(ada, "post", "hold-out/draw/", {"percent": 99})
    assert (wrong.status_code, list(wrong.json()["fields"])) == (422, ["percent"])
    drawn = asks(ada, "post", "hold-out/draw/", {"percent": 40, "seed": "frogs"}).json()
    assert (drawn["id"], drawn["percent"]) == (HoldOut.objects.get().pk, 40)
    assert drawn["n_items"] > 0
    assert asks(ada, "post", "hold-out/draw/", {"percent": 40}).status_code == 409
    assert asks(ada, "post", "hold-out/end/", {"reason": "Done."}).json()["id"] is None
    assert HoldOut.objects.get().ended_by == ada


def test_replies_are_asked_for_with_the_mistakes_named(asks, pond, ada, scripted, settings):
    settings.LLM_BASE_URL = scripted.base_url
    generators = [{"name": "echo", "llm": "echo"}]
    wrong = asks(ada, "post", "replies/write/", {"generators": generators, "repeats": 0})
    assert (wrong.status_code, "repeats" in wrong.json()["fields"]) == (422, True)
    none_waits = asks(ada, "post", "replies/write/", {"generators": generators})
    assert none_waits.status_code == 409
    assert not Generation.objects.exists()
    pond.items.update(reply=None)
    once = {"Idempotency-Key": "a"}
    made = asks(ada, "post", "replies/write/", {"generators": generators}, **once)
    assert made.status_code == 201, made.json()
    assert asks(ada, "post", "replies/write/", {"generators": generators}, **once).json()["id"]
    path = f"replies/{Generation.objects.get().pk}/"
    told = asks(ada, "get", path, scope=Scope.READ).json()
    assert [(one["name"], one["llm"]) for one in told["writers"]] == [("echo", "echo")]
    assert asks(ada, "post", f"{path}end/").json()["is_over"]
    assert [one["id"] for one in asks(ada, "get", "replies/", scope=Scope.READ).json()["results"]]
