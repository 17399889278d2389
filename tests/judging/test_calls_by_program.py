"""A program tries a judge out, reads calls, and keeps what a person reads in them, as the pages do."""

import pytest

from judging.models import HandReading, Probe

pytestmark = pytest.mark.django_db(transaction=True)
RUNS = "/api/v1/studies/pond/runs/"


@pytest.fixture
def program(as_user):
    def of(user):
        client = as_user(user)

        def ask(method, path, sent=None):
            answer = getattr(client, method)(f"{RUNS}{path}", sent, content_type="application/json")
            return answer.status_code, answer.json()

        return ask

    return of


@pytest.fixture
def unreadable(ask, scripted, ada):
    scripted.answer = lambda body, number: "It passes over what she says, so the neglect one."
    return ask(as_json=False, by=ada)


def test_what_the_parser_could_not_read_is_read_by_a_person(program, unreadable, ada, gwen):
    ask = program(ada)
    run = f"{unreadable.pk}/calls/"
    _status, page = ask("get", f"{run}?outcome=waiting&limit=4")
    assert len(page["results"]) == 4
    assert len(ask("get", f"{run}?outcome=waiting&after={page['next']}")[1]["results"]) == 2
    call = f"{run}{page['results'][0]['id']}/"
    told = ask("get", call)[1]
    assert told["texts"] == ["It passes over what she says, so the neglect one."]
    [unread] = told["unread"]
    assert unread["criterion"] == "safety"
    assert "linguistic_neglect" in unread["values"]
    reading = {"criterion": "safety", "value": "linguistic_neglect"}
    status, kept = ask("post", f"{call}reading/", reading)
    assert (status, kept["value"]) == (201, "linguistic_neglect")
    assert HandReading.objects.get().read_by == ada
    assert ask("get", call)[1]["by_hand"][0]["criterion"] == "safety"
    assert len(ask("get", f"{run}?outcome=waiting")[1]["results"]) == 5
    assert ask("post", f"{call}reading/", reading | {"value": "kind"})[0] == 409
    assert ask("post", f"{call}reading/", reading | {"criterion": "mood"})[0] == 404
    assert program(gwen)("post", f"{call}reading/", reading)[0] == 403


def test_a_judge_is_tried_before_it_is_started(program, pond, untried, settings, ada, gwen):
    settings.LLM_BASE_URL = untried.base_url
    untried.answer = lambda body, number: "Safe Response"
    status, told = program(ada)("post", "try/", {"llm": "echo"})
    assert (status, told["findings"]["plain"]) == (200, "rated")
    assert Probe.objects.get().made_by == ada
    status, told = program(ada)("post", "try/", {"llm": "echo", "repeats": 0})
    assert (status, told["fields"].keys()) == (422, {"repeats"})
    settings.LLM_BASE_URL = "http://example.org/v1"
    assert program(ada)("post", "try/", {"llm": "echo"})[0] in (409, 422)
    assert program(gwen)("post", "try/", {"llm": "echo"})[0] == 403
