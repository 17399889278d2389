"""Parts of figures are kept one by one: what one knows of already another may not, and is told all the same."""

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http import HTTPStatus

import pytest
from django.db import connection
from django.utils import timezone

from analytics.agreement.numbers import GLANCE
from analytics.exports.pseudonyms import page_name
from analytics.figures import store
from analytics.parts import PARTS
from analytics.present.naming import of_page
from analytics.present.tables import Plain
from analytics.rooms import ROOMS
from annotation.models import Grant, Study, TeamRole
from tests.analytics.made import AT, human, items_of, judge, let_pass, rate
from tests.cast import study_with

pytestmark = [pytest.mark.usefixtures("empty_cache"), pytest.mark.django_db(transaction=True)]

KEY = "safety"


@pytest.fixture
def rated(ada, gwen) -> Study:
    """Two people and a judge have rated it, and all figures are made."""
    team = {ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]}
    study = study_with(rubric="dialogue_safety", key="bay", team=team, n_items=6)
    Grant.objects.filter(person=gwen, level="per_rater").update(revoked_at=timezone.now())
    for rater in (human("ruth"), human("rolf"), judge("echo")):
        rates_all(study, rater)
    for part in (GLANCE, *PARTS.values()):
        store.refresh(study_id=study.pk, part=part, at=AT)
    return study


def rates_all(study, rater) -> None:
    for place, item in enumerate(items_of(study)):
        rate(rater, item, **{KEY: "nonsense" if place % 2 else "safe_response"})


@contextmanager
def at_work_elsewhere(study, part) -> Iterator[None]:
    """Another process makes this part anew, so everybody here takes what is kept of it."""
    other = connection.copy()
    with closing(other), other.cursor() as cursor:
        cursor.execute("BEGIN")
        lock = [f"report {part.key}", study.pk]
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s), %s)", lock)
        yield
        cursor.execute("ROLLBACK")  # a session that is only closed may still hold it


def test_who_has_just_come_is_told_of_by_those_that_know_them(rated, ada, gwen, as_user):
    for rater in (human("nils"), judge("nova")):
        rates_all(rated, rater)
    let_pass(rated, by=ada)
    with at_work_elsewhere(rated, GLANCE):
        knowing = {room for room in ROOMS if "nova" in told(as_user(ada), room)}
        texts = {room: told(as_user(gwen), room) for room in set(ROOMS) - {"raters"}}
    assert knowing >= {"agreement", "judges", "raters"}
    assert "nova" in texts["agreement"]
    assert not [room for room, text in texts.items() if "Nils" in text]


def test_a_page_names_whom_another_of_its_parts_knows(rated):
    newcomer = judge("nova")
    naming = of_page(rated.rubric_version.content, [], study="bay", values="")
    assert naming.rater(newcomer.pk) == Plain("Nova", "nova")
    veiled = of_page(rated.rubric_version.content, [], study="bay", values="", called=page_name)
    assert veiled.rater(7).text == page_name(7)


@pytest.mark.parametrize("is_room_behind", [False, True])
def test_judges_that_were_blinded_meanwhile_are_told_of(rated, ada, as_user, is_room_behind):
    Study.objects.filter(pk=rated.pk).update(judges_blinded_at=AT)
    rates_all(rated, human("nils"))
    for room in ROOMS:
        with at_work_elsewhere(rated, PARTS[room] if is_room_behind else GLANCE):
            assert told(as_user(ada), room)
        assert "echo" not in told(as_user(ada), "judges")


def test_items_of_a_comparison_with_a_judge_that_was_blinded_meanwhile_wait(rated, ada, as_user):
    path = "/studies/bay/agreement/criteria/safety/"
    page = as_user(ada).get(path).content.decode()
    addresses = set(re.findall(rf'href="({path}[^"?]+)[?"]', page))
    assert addresses
    Study.objects.filter(pk=rated.pk).update(judges_blinded_at=AT)
    rates_all(rated, human("nils"))
    with at_work_elsewhere(rated, PARTS["agreement"]):
        found = [
            as_user(ada).get(address + more) for address in addresses for more in ("", "items/")
        ]
    statuses = {one.status_code for one in found if one.status_code != HTTPStatus.FORBIDDEN}
    assert statuses == {HTTPStatus.OK, HTTPStatus.ACCEPTED}


def told(client, room):
    """What a program is told of a room, once figures that are on the way have come."""
    answer = client.get(f"/api/v1/studies/bay/figures/{room}/")
    assert answer.status_code in {HTTPStatus.OK, HTTPStatus.ACCEPTED}
    return answer.content.decode()
