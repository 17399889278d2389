"""Coordinating on the screens: opening, watching, handing on and closing a round."""

import re
from dataclasses import replace
from itertools import product

import pytest
from django.utils import timezone

from annotation.actions import protocol, rounds
from annotation.models import Assignment, Membership, Round, TeamRole
from annotation.rules.protocol import AT_ONCE, GateMeasure
from tests.annotation.doing import (
    NONSENSE,
    SAFE,
    chosen,
    close,
    kappa_of,
    opened,
    rate,
    rate_and_close,
)
from tests.cast import study_with

ROUND = "/studies/pond/rounds/1/"
PROGRESS = ROUND + "progress/"


def text(response) -> str:
    return response.content.decode()


def fields(*panel, **more):
    return {
        "items": "new",
        "panel": [user.pk for user in panel],
        "raters_per_item": 2,
        "gate": "0.4",
    } | more


def test_a_coordinator_opens_a_round(pond, ada, ben, cleo, as_user):
    client = as_user(ada)
    assert "New items (6 left)" in text(client.get("/studies/pond/rounds/open/"))
    answer = client.post("/studies/pond/rounds/open/", fields(ben, cleo, n_items=4))
    assert answer.url == ROUND
    assert Assignment.objects.count() == 8


def test_where_no_new_item_is_left_the_last_round_is_offered_again(pond_round, ada, as_user):
    for place in pond_round.assignments.all():
        rate(pond_round, place.rater.user, place.position)
    close(pond_round, ada)
    page = text(as_user(ada).get("/studies/pond/rounds/open/"))
    assert "New items (0 left)" in page
    assert str(pond_round.pk) in chosen(page)
    assert "new" not in chosen(page)


def test_a_round_of_nothing_for_nobody_leads_to_what_is_missing(pond, ada, as_user):
    study_with(rubric="mentalalign", key="new", team={ada: [TeamRole.COORDINATOR]}, n_items=0)
    leads = [f'<a href="/studies/{{}}/{place}/">' for place in ("items/import", "team")]
    for key, are_shown in (("new", True), ("pond", False)):
        page = text(as_user(ada).get(f"/studies/{key}/rounds/open/")).split("<main", 1)[1]
        assert [lead.format(key) in page for lead in leads] == [are_shown] * 2


def test_what_does_not_fit_is_said_on_the_form(pond, ada, ben, as_user):
    client = as_user(ada)
    answer = client.post("/studies/pond/rounds/open/", fields(ben))
    assert answer.status_code == 422
    assert "The panel has only 1" in text(answer)
    empty = client.post("/studies/pond/rounds/open/", {"raters_per_item": "two"})
    assert empty.status_code == 422
    assert not Round.objects.exists()


def test_below_the_gate_the_form_asks_for_a_re_review_or_a_reason(
    pond_round, ada, ben, cleo, finn, as_user
):
    rate_and_close(pond_round, [ben, cleo], ada, kappa=0.2)
    client = as_user(ada)
    refused = client.post("/studies/pond/rounds/open/", fields(ben, cleo))
    assert "stayed below its gate" in text(refused)
    again = client.post("/studies/pond/rounds/open/", fields(cleo, finn, items=str(pond_round.pk)))
    assert again.status_code == 302
    assert "Re-review of round 1" in text(client.get("/studies/pond/rounds/"))


def test_the_page_counts_and_says_why_the_round_stays_open(pond_round, ada, ben, as_user):
    rate(pond_round, ben, 1)
    page = text(as_user(ada).get(ROUND))
    assert "1 / 12" in page
    assert "Items that still need ratings: 6 of 6." in page


def test_progress_is_sent_only_when_there_is_some(pond_round, ada, ben, as_user):
    client = as_user(ada)
    mark = client.get(ROUND).context["status"].mark
    assert client.get(PROGRESS, {"mark": mark}).status_code == 204
    rate(pond_round, ben, 1)
    answer = client.get(PROGRESS, {"mark": mark})
    assert answer.status_code == 200
    assert "1 / 12" in text(answer)
    assert text(answer).lstrip().startswith('<div class="stack" id="round-status"')


def test_polling_ends_when_the_agreement_is_known(pond_round, ada, ben, cleo, as_user):
    client = as_user(ada)
    for position in range(1, 7):
        rate(pond_round, ben, position)
        rate(pond_round, cleo, position)
    rounds.close(round_id=pond_round.pk, by=ada, at=timezone.now())
    computing = client.get(PROGRESS)
    assert computing.status_code == 200
    assert "Computing" in text(computing)
    rounds.record_kappa(round_id=pond_round.pk, kappa=kappa_of(0.52), at=timezone.now())
    known = client.get(PROGRESS)
    assert known.status_code == 286
    assert "0.52" in text(known)
    assert "0.42 to 0.62, 6 items" in text(known)
    assert "Reached its gate" in text(known)


def test_agreement_below_nothing_has_a_true_minus_sign(pond_round, ada, ben, cleo, as_user):
    rate_and_close(pond_round, [ben, cleo], ada, kappa=-0.04)
    for address in (ROUND, "/studies/pond/rounds/"):
        shown = text(as_user(ada).get(address))
        assert "−0.04" in shown
        assert "−0.14 to 0.06, 6 items" in shown


def test_the_figure_of_one_criterion_says_which_and_by_what(ada, ben, cleo, as_user):
    team = {ada: [TeamRole.COORDINATOR], ben: [TeamRole.ANNOTATOR], cleo: [TeamRole.ANNOTATOR]}
    study = study_with(rubric="mentalalign", key="brook", team=team, n_items=2)
    agreed = replace(AT_ONCE, measure=GateMeasure.WEIGHTED.value)
    protocol.agree(study_id=study.pk, protocol=agreed, by=ada, at=timezone.now())
    study.refresh_from_db()
    rating_round = opened(study, ada, [ben, cleo])
    values = dict.fromkeys([one.key for one in rating_round.rubric.criteria], 4)
    for rater, position in product((ben, cleo), (1, 2)):
        rate(rating_round, rater, position, values)
    rounds.close(round_id=rating_round.pk, by=ada, at=timezone.now())
    found = rounds.Kappa(criterion="empathy", value=0.3, low=0.2, high=0.4, n_items=2)
    rounds.record_kappa(round_id=rating_round.pk, kappa=found, at=timezone.now())
    for address in ("", "1/"):
        shown = text(as_user(ada).get(f"/studies/brook/rounds/{address}"))
        assert "95 % interval 0.20 to 0.40, 2 items, Empathy" in shown
        assert re.search("<(dt|div)[^>]*>Krippendorff’s α with squared distances</(dt|div)>", shown)


def test_a_round_is_closed_from_its_page(pond_round, ada, ben, cleo, as_user):
    client = as_user(ada)
    refused = client.post(ROUND + "close/")
    assert refused.status_code == 409
    assert "Items that still need ratings: 6 of 6." in text(refused)
    for position in range(1, 7):
        rate(pond_round, ben, position, NONSENSE)
        rate(pond_round, cleo, position, NONSENSE)
    assert client.post(ROUND + "close/").url == ROUND
    assert Round.objects.get().state == "closed"


def test_work_is_handed_on_from_the_page(pond_round, ada, ben, cleo, finn, as_user):
    client = as_user(ada)
    url = ROUND + "reassign/"
    assert "Ben (6 open)" in text(client.get(url))
    refused = client.post(url, {"from_rater": ben.rater.pk, "to": [cleo.pk]})
    assert refused.status_code == 422
    assert "those you chose rate already" in text(refused)
    done = client.post(url, {"from_rater": ben.rater.pk, "to": [finn.pk]}, follow=True)
    assert "6 items were handed on" in text(done)


@pytest.mark.parametrize("path", ["", "open/", "1/", "1/progress/", "1/reassign/"])
def test_only_coordinators_see_rounds(pond_round, ben, dora, gwen, as_user, path):
    for user in (ben, dora, gwen):
        assert as_user(user).get(f"/studies/pond/rounds/{path}").status_code == 403


def test_a_round_that_is_not_there(pond_round, ada, as_user):
    assert as_user(ada).get("/studies/pond/rounds/7/").status_code == 404


@pytest.mark.parametrize(
    ("who", "words"),
    [
        ("ben", "6 left for you to rate."),
        ("finn", "Nothing waits for you."),
        ("dora", "No disagreement waits for you."),
        ("ada", "Ratings submitted"),
        ("gwen", "About the study"),
    ],
)
def test_the_first_page_says_what_waits(pond_round, as_user, request, who, words):
    assert words in text(as_user(request.getfixturevalue(who)).get("/studies/pond/"))


def test_a_coordinator_who_rates_is_not_told_live_whether_raters_differ(
    pond, pond_round, ada, as_user
):
    """The last rater of an item would see at once what the others thought of it."""
    assert "Await adjudication" in text(as_user(ada).get(ROUND))
    roles = [TeamRole.COORDINATOR, TeamRole.ANNOTATOR]
    Membership.objects.filter(study=pond, user=ada).update(roles=roles)
    assert "Await adjudication" not in text(as_user(ada).get(ROUND))


def test_a_coordinator_who_rates_cannot_watch_whether_the_others_agree_with_them(
    pond_round, ada, ben, cleo, as_user
):
    """Correcting one's answer until nothing waits any more would tell what the others gave."""
    for position in range(1, 7):
        rate(pond_round, cleo, position)
        rate(pond_round, ben, position, NONSENSE if position == 1 else SAFE)
    assert "Items that await adjudication: 1." in text(as_user(ada).get(ROUND))
    roles = [TeamRole.COORDINATOR]
    Membership.objects.filter(user=ben).update(roles=roles)  # puts annotating aside to look
    client = as_user(ben)
    for page in (ROUND, PROGRESS):
        shown = client.get(page)
        assert "what the round waits for is told only when you close it" in text(shown)
        assert "await adjudication" not in text(shown).lower()
        assert not re.search(r"<button[^>]*disabled", text(shown))
    refused = client.post(ROUND + "close/")
    assert refused.status_code == 409
    assert "Items of this round still await adjudication." in text(refused)


def test_a_coordinator_who_rates_is_told_that_ratings_are_missing_when_they_close(
    pond_round, ben, as_user
):
    roles = [TeamRole.ANNOTATOR, TeamRole.COORDINATOR]
    Membership.objects.filter(user=ben).update(roles=roles)
    client = as_user(ben)
    page = text(client.get(ROUND))
    assert "still need ratings" not in page
    assert "0 / 12" in page
    refused = client.post(ROUND + "close/")
    assert (refused.status_code, "still need ratings" in text(refused)) == (409, True)
