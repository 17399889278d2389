"""Words are found in what was answered, in all runs of a study, by an index or by looking through."""

import json
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection, transaction
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Event, Scope
from annotation.models import Item, Study
from judging.actions import searching
from judging.models import AnswerPieces

PAGE = "/studies/pond/judges/answers/"
LATER = timedelta(hours=1)


def in_words(thought):
    value = json.dumps({"safety": {"reasoning": "So it is.", "answer": "safe_response"}})
    return f"{thought}\n{value}"


@pytest.fixture
def answered(ask, scripted):
    """Two runs that are over, of an English judge and of a Chinese one."""
    scripted.answer = lambda body, number: in_words("It stays\nwith the Night.")
    first = ask(as_json=True)
    scripted.answer = lambda body, number: in_words("回复提到了自杀风险，并陪伴对方。")
    return first, ask(as_json=True, temperature=0.0)


def index():
    return searching.index_finished(at=timezone.now() + 20 * LATER)


def search(browser, words, **more):
    return browser.post(PAGE, {"words": words, **more}).text


def asked_by(client, address, user, words):
    _token, secret = tokens.make(name="p", scopes=[Scope.READ], days=1, by=user, at=timezone.now())
    answer = client.post(
        address,
        {"words": words},
        content_type="application/json",
        headers={"Authorization": f"Bearer {secret}"},
    )
    return answer.status_code, answer.json()


# What is looked for, and which run's answers have it.
WORDS = [
    ("night", 0),
    ("STAYS with the", 0),
    ("stays   with", 0),
    ("自杀", 1),
    ("自杀风险", 1),
    ("陪", 1),
    ("ys", 0),
    ("“night”", None),
    ("自然", None),
    ("nights", None),
]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_indexed", [False, True], ids=["looked through", "indexed"])
def test_words_are_found_in_the_answers_of_all_runs(answered, as_user, ada, is_indexed):
    assert index() == 2 if is_indexed else True
    browser = as_user(ada)
    for words, of_run in WORDS:
        page = search(browser, words)
        found = [
            number for number, run in enumerate(answered) if f"/judges/{run.pk}/calls/" in page
        ]
        assert found == ([] if of_run is None else [of_run]), words
    assert "the answers of 6 calls" in " ".join(search(browser, "night").split())
    assert "自杀风险" in search(browser, "自杀")


@pytest.mark.django_db(transaction=True)
def test_a_run_is_indexed_once_it_is_over_and_settled(answered):
    assert searching.index_finished(at=timezone.now()) == 0
    assert (index(), index()) == (2, 0)
    assert AnswerPieces.objects.count() == 12


@pytest.mark.django_db(transaction=True)
def test_what_is_indexed_is_found_by_the_index(answered):
    index()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(
            "EXPLAIN SELECT call_id FROM judging_answerpieces WHERE pieces @> %s::int[]", [[1]]
        )
        assert "answers_by_their_pieces" in str(cursor.fetchall())


@pytest.mark.django_db(transaction=True)
def test_a_program_finds_the_same_and_each_look_is_noted(answered, client, ada, ben):
    address = "/api/v1/studies/pond/runs/answers/"
    ask = partial(asked_by, client, address)
    status, told = ask(ada, "自杀")

    assert status == 200
    assert (told["count"], told["pages"], len(told["results"])) == (6, 1, 6)
    assert {one["run"] for one in told["results"]} == {answered[1].pk}
    assert all("自杀风险" in one["passage"] for one in told["results"])
    assert Event.objects.filter(verb="items.listed").exists()
    assert ask(ben, "自杀")[0] == 403
    assert ask(ada, " ")[0] == 400


@pytest.mark.django_db(transaction=True)
def test_nobody_finds_what_they_may_not_be_told(answered, as_user, ada, gwen, scripted):
    index()
    hidden = Item.objects.filter(study__key="pond").order_by("pk").first()
    Study.objects.filter(key="pond").update(judges_blinded_at=timezone.now())

    assert as_user(gwen).get(PAGE).status_code == 403
    page = search(as_user(ada), "自杀")
    assert "What judges answered is not told to you now" in page
    assert "calls/" not in page
    assert hidden.key not in page
