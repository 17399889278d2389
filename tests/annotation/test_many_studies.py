"""The list of one's studies: what waits in each, asked of all of them at once."""

from datetime import date

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.access import access_of
from annotation.actions import rounds
from annotation.models import RoundItem, TeamRole
from annotation.queries.overview import overview_of, waiting_for
from annotation.queries.studies import studies_of
from annotation.rules.lifecycle import ItemState
from tests.annotation.doing import NONSENSE, SAFE, rate
from tests.cast import bearer, study_with

DUE = date(2031, 5, 4)


def opened(key, ada, ben, cleo, *more):
    """A study of six items in which ben and cleo differ on the first and part over the second."""
    team = {
        ada: [TeamRole.COORDINATOR],
        ben: [TeamRole.ANNOTATOR],
        cleo: [TeamRole.ANNOTATOR, TeamRole.ADJUDICATOR],
    } | {one: [TeamRole.ADJUDICATOR] for one in more}
    study = study_with(rubric="dialogue_safety", key=key, team=team)
    return rounds.open_round(
        study_id=study.pk, panel=[ben.pk, cleo.pk], raters_per_item=2, by=ada, at=timezone.now()
    )


@pytest.fixture
def three(ada, ben, cleo, dora):
    """In the first nothing was rated, in the second one item is to be decided and one discussed, in
    the third something is due."""
    first, second, third = (opened(key, ada, ben, cleo, dora) for key in ("mere", "tarn", "weir"))
    for position in (1, 2):
        rate(second, ben, position, SAFE)
        rate(second, cleo, position, NONSENSE)
    RoundItem.objects.filter(round=second, position=2).update(state=ItemState.DISCUSSED)
    type(third).objects.filter(pk=third.pk).update(due_on=DUE)
    return first, second, third


def told(user):
    """{study: (to rate, to decide, to discuss, due on)}."""
    found = waiting_for(studies_of(access_of(user, at=timezone.now())))
    return {
        one.study_access.study.key: (one.n_to_rate, one.n_to_decide, one.n_to_discuss, one.due_on)
        for one in found
    }


def test_what_waits_in_each_study_is_told_of_that_study(three, ada, ben, cleo, dora, finn):
    assert told(ben) == {"mere": (6, 0, 0, None), "tarn": (4, 0, 1, None), "weir": (6, 0, 0, DUE)}
    assert told(cleo) == told(ben)  # who rated an item does not decide on it
    assert told(dora) == {"mere": (0, 0, 0, None), "tarn": (0, 1, 1, None), "weir": (0, 0, 0, None)}
    assert told(ada) == {"mere": (0, 0, 0, None), "tarn": (0, 0, 1, None), "weir": (0, 0, 0, None)}
    assert told(finn) == {}


def test_the_list_tells_what_the_page_of_a_study_does(three, ada, ben, cleo, dora):
    for user in (ada, ben, cleo, dora):
        for one in studies_of(access_of(user, at=timezone.now())):
            page = overview_of(one)
            shown = (page.n_to_rate or 0, page.n_to_decide or 0, page.n_to_discuss)
            assert told(user)[one.study.key][:3] == shown


@pytest.mark.parametrize("address", ["/", "/studies/mere/why/", "/api/v1/studies/"])
@pytest.mark.parametrize("who", ["ada", "ben", "dora"])
def test_many_studies_ask_as_little_as_one(address, who, ada, ben, cleo, dora, as_user):
    user, browser = {"ada": ada, "ben": ben, "dora": dora}[who], as_user
    opened("mere", ada, ben, cleo, dora)
    sent = {"headers": bearer(user)} if address.startswith("/api/") else {}
    client = browser(user)
    client.get(address, **sent)
    with CaptureQueriesContext(connection) as of_one:
        assert client.get(address, **sent).status_code == 200
    for number in range(4):
        opened(f"mere{number}", ada, ben, cleo, dora)
    with CaptureQueriesContext(connection) as of_five:
        assert client.get(address, **sent).status_code == 200
    assert len(of_five) == len(of_one)
