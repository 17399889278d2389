"""Nobody sees what another rater said before the round closes, on any page or through the API."""

import re

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from annotation.models import Assignment, RoundItem, TeamRole
from tests.annotation.doing import (
    NONSENSE,
    assignment_of,
    close,
    decide,
    opened,
    rate,
    rate_and_close,
    round_item,
)

REMARK = "Only cleo would say this."


@pytest.fixture
def cleo_has_rated(pond_round, cleo):
    """Cleo has rated item 1 as nonsense and left a remark."""
    rate(pond_round, cleo, 1, NONSENSE, comment=REMARK)
    return pond_round


def addresses(rating_round):
    """Every address of a study's pages and API that is read, with every id there is."""
    ids = {
        "assignment_id": Assignment.objects.values_list("pk", flat=True),
        "round_item_id": RoundItem.objects.values_list("pk", flat=True),
        "number": [rating_round.number],
    }
    for route in routes(get_resolver()):
        if "<slug:key>" not in route:
            continue
        path = "/" + route.replace("<slug:key>", rating_round.study.key)
        names = [name for name in ids if f"<int:{name}>" in path]
        if not names:
            yield path if "<" not in path else None
        for value in ids[names[0]] if names else ():
            yield path.replace(f"<int:{names[0]}>", str(value))


def routes(resolver, before=""):
    for entry in resolver.url_patterns:
        route = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from routes(entry, route)
        elif isinstance(entry, URLPattern):
            yield route


def test_ben_finds_no_trace_of_cleos_answer_anywhere(cleo_has_rated, ben, as_user):
    client = as_user(ben)
    visited = [path for path in addresses(cleo_has_rated) if path]
    assert len(visited) > 20
    for path in visited:
        answer = client.get(path)
        page = b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert REMARK not in page.decode(), path
        assert not re.search(r'name="answer[^>]*checked', page.decode()), path
        assert "Cleo" not in page.decode(), path


EVERYTHING = [role.value for role in TeamRole]
FIGURES = [
    "criteria/safety/",
    "criteria/safety/humans/all/",
    "criteria/safety/humans/all/items/",
    "criteria/safety/humans/all/table.csv",
    "judges/echo/",
    "report/files/report.zip",
    "report/files/data/ratings.csv",
]


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["page", "fragment"])
@pytest.mark.parametrize("roles", [EVERYTHING, [one for one in EVERYTHING if one != "annotator"]])
def test_no_role_beside_it_lets_a_rater_see(cleo_has_rated, ben, as_user, roles, headers):
    """Not in the browser's cache either, for whoever sits down after them."""
    ben.memberships.update(roles=roles)
    client = as_user(ben)
    figures = [f"/studies/pond/agreement/{place}" for place in FIGURES]
    for path in figures + [path for path in addresses(cleo_has_rated) if path]:
        answer = client.get(path, headers=headers)
        page = b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert REMARK not in page.decode(), path
        assert answer.headers["Cache-Control"] == "no-store", path
        if "/agreement/" in path:
            assert answer.status_code in (403, 405), path


def test_cleos_assignment_does_not_exist_for_ben_in_the_api(cleo_has_rated, cleo, ben, as_user):
    path = f"/api/v1/assignments/{assignment_of(cleo_has_rated, cleo).pk}/submission/"
    answer = as_user(ben).post(path, {"key": "x"}, content_type="application/json")
    assert answer.status_code == 404


def test_a_decision_is_seen_by_the_raters_only_after_the_round(
    cleo_has_rated, ada, ben, cleo, dora, as_user
):
    rate(cleo_has_rated, ben, 1)
    for position in range(2, 7):
        rate(cleo_has_rated, ben, position)
        rate(cleo_has_rated, cleo, position)
    decide(cleo_has_rated, dora, 1, NONSENSE, reason="The end denies the start.")
    url = f"/studies/pond/my-work/{assignment_of(cleo_has_rated, ben).pk}/"
    before = as_user(ben).get(url).content.decode()
    assert "denies the start" not in before
    assert "Gold" not in before
    close(cleo_has_rated, ada)
    after = as_user(ben).get(url).content.decode()
    assert "The end denies the start." in after
    assert "Gold: Nonsense" in after
    assert REMARK not in after


def test_an_earlier_decision_stays_hidden_while_the_item_is_rated_again(
    pond_round, ada, ben, cleo, finn, as_user
):
    rate_and_close(pond_round, [ben, cleo], ada, kappa=0.1)
    url = f"/studies/pond/my-work/{assignment_of(pond_round, ben).pk}/"
    assert "Gold" in as_user(ben).get(url).content.decode()
    opened(pond_round.study, ada, [ben, finn], re_review_of=pond_round.pk)
    assert "Gold" not in as_user(ben).get(url).content.decode()


def test_the_adjudicator_sees_letters_instead_of_names(cleo_has_rated, ben, dora, as_user):
    rate(cleo_has_rated, ben, 1)
    path = f"/studies/pond/adjudicate/{round_item(cleo_has_rated).pk}/"
    page = as_user(dora).get(path).content.decode()
    assert "Rater A" in page
    assert REMARK in page
    assert "Ben" not in page
    assert "Cleo" not in page
