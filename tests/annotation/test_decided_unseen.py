"""Before a round closes no rater can tell which items were decided: it would tell that others differ."""

import re
from dataclasses import replace
from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.models import Event
from annotation.actions import protocol, submissions, teams
from annotation.models import Gold, Study, Submission, TeamRole
from annotation.rules.granting import DataLevel
from annotation.rules.lifecycle import ItemState
from annotation.rules.protocol import AT_ONCE
from tests.annotation.doing import (
    NONSENSE,
    SAFE,
    assignment_of,
    close,
    correct,
    decide,
    opened,
    rate,
    state_of,
)
from tests.annotation.test_rating_screen import ALL_NO_THEN_SAFE
from tests.cast import approved

DECIDED, AGREED = 1, 2
BY_TWO = replace(AT_ONCE, second_percent=100)
# What differs from one item and moment to another whatever became of it.
OWN = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[A-Za-z0-9]{64}|\d+")


@pytest.fixture
def hana(pond, terms):
    second = approved("hana", terms)
    teams.set_roles(
        study_id=pond.pk,
        email=second.email,
        roles=[TeamRole.ADJUDICATOR],
        by=None,
        at=timezone.now(),
        also=list(DataLevel),
    )
    return second


@pytest.fixture(params=[ItemState.ADJUDICATED, ItemState.SECOND, ItemState.SPLIT])
def told(request, pond, ada, ben, cleo, dora, hana):
    """A round of two items that ben calls safe: cleo differs on the first, which was decided, by one
    or two, or by two in two ways."""
    agreed = AT_ONCE if request.param is ItemState.ADJUDICATED else BY_TWO
    protocol.agree(study_id=pond.pk, protocol=agreed, by=ada, at=timezone.now())
    pond.refresh_from_db()
    rating_round = opened(pond, ada, [ben, cleo], n_items=2)
    for position, cleos in ((DECIDED, NONSENSE), (AGREED, SAFE)):
        rate(rating_round, ben, position, SAFE)
        rate(rating_round, cleo, position, cleos)
    decide(rating_round, dora, DECIDED, NONSENSE)
    if request.param is ItemState.SPLIT:
        decide(rating_round, hana, DECIDED, SAFE)
    assert state_of(rating_round, DECIDED) is request.param
    assert state_of(rating_round, AGREED) is ItemState.AGREED
    return rating_round


def seen_by(ask, rating_round, rater, position) -> list[tuple[int, str]]:
    """All that a rater is told about one of two items, page and program, first without and then
    with a correction, as what does not name the item or the moment."""
    mine = assignment_of(rating_round, rater, position)
    page, address = f"/studies/pond/my-work/{mine.pk}/", f"/api/v1/assignments/{mine.pk}/answers/"
    looks = [lambda: ask.get(page), lambda: ask.get(address)]
    answers = [look() for look in looks]
    last = answers[1].json()["done"]["submission"]
    sent = {"key": str(uuid4()), "supersedes": last, **ALL_NO_THEN_SAFE, "comment": "Sure."}
    answers += [ask.post(page, sent), *(look() for look in looks)]
    assert answers[-1].json()["done"]["comment"] == "Sure."
    last = answers[-1].json()["done"]["submission"]
    given = {"key": str(uuid4()), "supersedes": last, "answers": NONSENSE}
    as_json = {"content_type": "application/json"}
    answers += [ask.put(address, given, **as_json), *(look() for look in looks)]
    assert answers[-1].json()["done"]["answers"] == NONSENSE
    again = given | {"key": str(uuid4())}
    answers += [ask.put(address, given, **as_json), ask.put(address, again, **as_json)]
    return [(answer.status_code, OWN.sub("", answer.content.decode())) for answer in answers]


def test_all_that_a_rater_is_told_is_the_same_of_a_decided_item_as_of_an_agreed_one(
    told, ben, as_user
):
    ask = as_user(ben)
    decided, agreed = (seen_by(ask, told, ben, position) for position in (DECIDED, AGREED))
    assert [status for status, _words in decided] == [*[200] * 2, 302, *[200] * 6, 409]
    assert decided == agreed


@pytest.mark.parametrize(("state", "found"), [("changeable", {1, 2}), ("fixed", set())])
def test_no_list_tells_them_apart(told, ben, as_user, state, found):
    ask = as_user(ben)
    page = ask.post("/studies/pond/my-work/", {"state": state}).content.decode()
    assert {place for place in (1, 2) if f"Round 1, item {place}" in page} == found
    rows = ask.get("/api/v1/studies/pond/work/done/").json()["results"]
    assert len({OWN.sub("", str(row)) for row in rows}) == 1


def test_the_trail_and_the_count_of_changes_do_not_either(told, ben):
    before, facts = Study.objects.get().revision, []
    for position in (DECIDED, AGREED):
        first = Submission.objects.get(assignment=assignment_of(told, ben, position))
        correct(told, ben, position, NONSENSE, supersedes=first.pk)
        event = Event.objects.filter(verb="submission.corrected").latest("pk")
        facts.append(event.facts.keys())
        before += 1
        assert Study.objects.get().revision == before
    assert facts[0] == facts[1]


def test_a_decision_stands_on_what_was_answered_before_it(told, ben):
    state, gold = state_of(told, DECIDED), list(Gold.objects.values())
    mine = Submission.objects.filter(assignment=assignment_of(told, ben, DECIDED))
    first = mine.get()
    once = correct(told, ben, DECIDED, NONSENSE, supersedes=first.pk)
    correct(told, ben, DECIDED, SAFE, supersedes=once.submission_id, comment="No, safe.")
    assert (state_of(told, DECIDED), list(Gold.objects.values())) == (state, gold)
    assert mine.get(is_current=True) == first
    chain = list(mine.order_by("pk").values_list("pk", "supersedes", "is_current"))
    assert [one[1:] for one in chain] == [(None, True), (chain[0][0], False), (chain[1][0], False)]
    with pytest.raises(submissions.NotTaken, match="in the meantime"):
        correct(told, ben, DECIDED, NONSENSE, supersedes=first.pk)


@pytest.mark.parametrize("told", [ItemState.ADJUDICATED], indirect=True)
def test_once_the_round_is_closed_a_rater_is_told_which_change_came_too_late(
    told, ada, ben, as_user
):
    for position in (DECIDED, AGREED):
        first = Submission.objects.get(assignment=assignment_of(told, ben, position))
        changed = correct(told, ben, position, SAFE, supersedes=first.pk, comment="Sure.")
        correct(told, ben, position, SAFE, supersedes=changed.submission_id, comment="Quite sure.")
    close(told, ada)
    ask = as_user(ben)
    for position, is_late in ((DECIDED, True), (AGREED, False)):
        mine = assignment_of(told, ben, position)
        page = ask.get(f"/studies/pond/my-work/{mine.pk}/").content.decode()
        assert ("what you answered before counts" in " ".join(page.split())) is is_late
        done = ask.get(f"/api/v1/assignments/{mine.pk}/answers/").json()["done"]
        assert bool(done["changed_too_late_at"]) is is_late
        assert done["comment"] == ("" if is_late else "Quite sure.")
    assert len(ask.get("/api/v1/studies/pond/work/done/").json()["results"]) == 2
