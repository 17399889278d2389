"""What preferences come to: whose reply is preferred, and what its place decides."""

import json

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Scope
from judging.models import JudgeRun
from judging.queries import showing
from judging.rules.comparing import FIRST, SECOND, TIE
from judging.rules.preferences import PreferenceRow, place_effects, share_of, wins
from tests.judging.conftest import work_until_it_rests
from tests.judging.test_comparing import RUBRIC, by_kindness, compare, meadow, verdicts

__all__ = ["compare", "meadow"]


def row(first, second, preferred, *, conversation=1, repeat=1):
    """A call about two items, whose numbers are even for the kind writer."""
    sources = ["kind" if one % 2 == 0 else "curt" for one in (first, second)]
    return PreferenceRow("warmth", conversation, first, second, *sources, repeat, preferred)


@pytest.mark.pure
def test_a_judge_that_goes_by_the_place_wins_nobody_anything():
    rows = [row(2 * n, 2 * n + 1, FIRST, conversation=n) for n in range(10)]
    rows += [row(2 * n + 1, 2 * n, FIRST, conversation=n) for n in range(10)]
    (place,) = place_effects(rows)
    assert (place.both_orders, place.same, place.first_twice) == (10, 0, 10)
    assert (place.first.value, place.first.of) == (1.0, 20)
    assert place.first.low > 0.5
    (won,) = wins(rows)
    assert (won.won, won.lost, won.undecided, won.share.value) == (0, 0, 10, 0.5)


@pytest.mark.pure
def test_a_judge_that_goes_by_the_reply_says_the_same_in_both_orders():
    rows = [row(2 * n, 2 * n + 1, FIRST, conversation=n) for n in range(10)]
    rows += [row(2 * n + 1, 2 * n, SECOND, conversation=n) for n in range(10)]
    (place,) = place_effects(rows)
    assert (place.same, place.first_twice, place.second_twice, place.tie_once) == (10, 0, 0, 0)
    assert place.first.value == 0.5
    (won,) = wins(rows)
    assert (won.source, won.other) == ("curt", "kind")
    assert (won.won, won.lost, won.share.value) == (0, 10, 0.0)


@pytest.mark.pure
def test_what_was_not_read_decides_nothing_and_is_counted():
    rows = [row(2, 3, ""), row(3, 2, FIRST), row(4, 5, TIE, conversation=2)]
    (place,) = place_effects(rows)
    assert (place.calls, place.unread, place.ties, place.both_orders) == (3, 1, 1, 0)
    (won,) = wins(rows)
    assert (won.won, won.lost, won.undecided) == (1, 0, 1), "the order that was read counts"


@pytest.mark.pure
def test_a_tie_in_one_order_is_neither_the_same_nor_a_place():
    (place,) = place_effects([row(2, 3, FIRST), row(3, 2, TIE)])
    assert (place.both_orders, place.same, place.tie_once) == (1, 0, 1)


@pytest.mark.pure
def test_an_interval_is_that_of_wilson_where_nothing_hangs_together():
    """Newcombe (1998), table I: 81 of 263 is 0.2553 to 0.3662 by Wilson's score method."""
    found = share_of((n, float(n < 81)) for n in range(263))
    assert (found.low, found.high) == pytest.approx((0.2553, 0.3662), abs=3e-4)


@pytest.mark.pure
def test_what_hangs_together_tells_less():
    apart = share_of((n, float(n % 2)) for n in range(40))
    together = share_of((n // 10, float(n // 20)) for n in range(40))
    assert together.high - together.low > 2 * (apart.high - apart.low)
    assert share_of([]) is None


@pytest.mark.django_db
def test_the_page_of_a_run_says_whose_reply_is_preferred_and_what_the_place_decides(
    compare, scripted, as_user, ada, meadow
):
    scripted.answer = lambda body, _number: verdicts(body, lambda a, b: "reply_a")
    run = compare()
    page = as_user(ada).get(reverse("judge_run", args=["meadow", run.pk])).text
    assert "What the place decides" in page
    assert "100.0 % (" in page
    assert "by place" in page
    assert "curt" in page


@pytest.mark.django_db
def test_of_blinded_judges_no_preference_is_told(compare, scripted, as_user, ada, meadow):
    scripted.answer = by_kindness
    run = compare()
    type(meadow).objects.filter(pk=meadow.pk).update(judges_blinded_at=run.started_at)
    page = as_user(ada).get(reverse("judge_run", args=["meadow", run.pk])).text
    assert "What the place decides" not in page


@pytest.mark.django_db
def test_the_command_prints_both(compare, scripted, capsys):
    scripted.answer = by_kindness
    run = compare()
    call_command("judge", "show", str(run.pk))
    key = RUBRIC.asked[0].key
    said = capsys.readouterr().out
    assert f"{key}: the same in both orders 12 of 12 pairs" in said
    assert f"{key}: curt against kind: won 0, lost 4, undecided 0" in said
    call_command("judge", "show", str(run.pk), "--json")
    told = json.loads(capsys.readouterr().out)
    assert told["wins"][0]["share"][0] == 0.0
    assert len(told["places"]) == len(showing.status_of(run, at=run.started_at).places)


PAGE = {
    "llm": "echo",
    "about": "scales",
    "manner": "flat",
    "answers": "json",
    "language": "en",
    "items": "all",
    "repeats": "1",
    "concurrency": "2",
    "both_orders": "on",
}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "calls", "is_overall"),
    [
        ({}, 24, False),
        ({"both_orders": ""}, 12, False),
        ({"against": "kind"}, 16, False),
        ({"most_pairs": "3", "about": "overall"}, 6, True),
    ],
)
def test_a_comparison_is_reckoned_and_started_on_the_page(
    as_user, ada, meadow, scripted, settings, changes, calls, is_overall
):
    settings.LLM_BASE_URL = scripted.base_url
    ada = as_user(ada)
    assert "Which of two replies is better" in ada.get("/studies/meadow/judges/start/").text
    asked = {name: value for name, value in (PAGE | changes).items() if value}
    reckoned = ada.get("/studies/meadow/judges/start/estimate/", asked).text
    assert f"This comes to {calls} calls." in " ".join(reckoned.split())
    assert ada.post("/studies/meadow/judges/start/", asked).status_code == 302
    run = JudgeRun.objects.get()
    assert run.calls.count() == calls
    assert run.comparison.overall is is_overall
    assert run.comparison.ties is False, "the box was not ticked"


@pytest.mark.django_db
def test_one_source_is_offered_no_comparison(as_user, ada, pond, scripted):
    assert "Which of two replies" not in as_user(ada).get("/studies/pond/judges/start/").text


@pytest.mark.django_db
def test_a_program_starts_a_comparison_and_is_told_what_it_came_to(
    client, ada, meadow, scripted, settings, fast_clock
):
    settings.LLM_BASE_URL = scripted.base_url
    scripted.answer = by_kindness
    _token, words = tokens.make(
        name="p", scopes=[Scope.JUDGE, Scope.READ], days=1, by=ada, at=timezone.now()
    )
    asked = {"data": {"llm": "echo", "about": "scales"}, "content_type": "application/json"}
    headers = {"Authorization": f"Bearer {words}"}
    runs = "/api/v1/studies/meadow/runs/"
    started = client.post(f"{runs}start/", headers=headers, **asked)
    assert started.status_code == 201, started.text
    work_until_it_rests(JudgeRun.objects.get(), fast_clock)
    told = client.get(f"{runs}{started.json()['id']}/", headers=headers).json()
    assert told["wins"][0] | {"share": None} == {
        "criterion": RUBRIC.asked[0].key,
        "generator": "curt",
        "against": "kind",
        "won": 0,
        "lost": 4,
        "undecided": 0,
        "share": None,
    }
    assert told["places"][0]["same"] == 12
