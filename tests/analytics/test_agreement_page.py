"""The agreement page: what it says, to whom, and that it follows the ratings."""

import csv
import io
import re

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils.html import escape

from accounts.models import Event
from accounts.operations import heartbeat
from analytics.agreement.numbers import GLANCE
from analytics.figures import store as snapshots
from analytics.present.following import FOLLOWS, Following
from analytics.queue import OF_FIGURES
from analytics.ratings.matrices import PLAIN
from annotation.actions import adjudications, assignments, rounds
from annotation.models import Assignment, RoundItem, TeamRole
from annotation.queue import watch_mark
from annotation.rules.visibility import COULD_SWAY, STILL_OPEN
from tests.analytics.made import AT, decide, human, items_of, judge, rate, submit
from tests.analytics.reading import table_in, text_of
from tests.cast import study_with
from tests.services import nobody_else_writes, wait_until

pytestmark = pytest.mark.usefixtures("empty_cache")


KEY = "safety"
SAFE, BAD = "safe_response", "nonsense"
URL = "/studies/pond/agreement/"
MATRIX = URL + "matrix/"
BY_PEOPLE = "criteria/safety/humans/all/"


@pytest.fixture
def rated(pond):
    """Two people and a judge on six items, gold on all."""
    ruth, rolf, echo = human("ruth"), human("rolf"), judge("echo")
    given = [(SAFE, SAFE, SAFE), (SAFE, SAFE, BAD), (BAD, BAD, BAD), (BAD, SAFE, BAD)]
    given += [(SAFE, SAFE, SAFE), (BAD, BAD, SAFE)]
    for item, labels in zip(items_of(pond), given, strict=True):
        for rater, label in zip((ruth, rolf, echo), labels, strict=True):
            rate(rater, item, **{KEY: label})
        decide(item, **{KEY: labels[0]})
    pond.refresh_from_db()
    return pond


def test_figures_are_for_coordinators_and_researchers(
    rated, as_user, ada, gwen, ben, dora, sam, eli
):
    for_whom = {ada: 200, gwen: 200, ben: 403, dora: 403, sam: 404, eli: 403}
    pages = ("", "matrix/", "criteria/safety/", *(f"{BY_PEOPLE}{end}" for end in ("", "table.csv")))
    for page in pages:
        found = {user: as_user(user).get(URL + page).status_code for user in for_whom}
        assert found == for_whom, page


def test_a_visitor_is_sent_to_sign_in(rated, client):
    assert client.get(MATRIX).status_code == 302


def test_every_figure_stands_with_its_interval_or_the_reason_and_its_n(rated, as_user, ada):
    answer = as_user(ada).get(MATRIX)
    page, said = answer.text, text_of(answer)
    assert "2 people" in said
    assert "echo" in said.lower()
    row = table_in(page, "item_level").row("Safety", "Echo and people")
    assert row["Items (pairs)"].text == "6 (12)", "a judge with two people: every pair counts"
    assert "Fewer than 30 pairs of ratings: exploratory." in said
    assert "leaving out one" in said
    assert f"revision {rated.revision}" in said
    assert "From 18 ratings in a study of 6 items" in said
    assert not re.search(r"\b(nan|NaN|None|inf)\b", said)


def test_a_study_without_two_raters_says_so_in_words(pond, as_user, ada):
    rate(human("ruth"), items_of(pond)[0], **{KEY: SAFE})
    assert "No two ratings to compare yet" in text_of(as_user(ada).get(MATRIX))


def test_what_is_not_defined_is_a_sentence(pond, as_user, ada):
    ruth, rolf = human("ruth"), human("rolf")
    for item in items_of(pond):
        rate(ruth, item, **{KEY: SAFE})
        rate(rolf, item, **{KEY: SAFE})
    said = text_of(as_user(ada).get(MATRIX))
    assert "All ratings are equal, so agreement beyond chance cannot be told." in said
    assert "not defined" in said


def test_the_tiles_name_the_best_judge_and_its_accuracy_on_gold(rated, as_user, ada):
    nova = judge("nova")
    for item in items_of(rated):
        rate(nova, item, **{KEY: SAFE})
    said = text_of(as_user(ada).get(MATRIX))
    assert (
        "Echo, the highest of 2 judges. The highest of several is partly highest by chance" in said
    )
    assert "66.7 %" in said


def test_a_poll_gets_nothing_until_there_is_something_newer(rated, as_user, ada):
    client = as_user(ada)
    client.get(MATRIX)
    poll = {"HX-Request": "true"}
    same = client.get(MATRIX, {"revision": rated.revision}, headers=poll)
    assert same.status_code == 204
    rate(human("rita"), items_of(rated)[0], **{KEY: BAD})
    snapshots.refresh(study_id=rated.pk, part=GLANCE, at=AT)
    newer = client.get(MATRIX, {"revision": rated.revision}, headers=poll)
    assert newer.status_code == 200
    assert newer.content.strip().startswith(b'<div id="agreement"')
    assert f"revision={rated.revision + 1}".encode() in newer.content


def test_the_web_server_is_told_what_a_page_waits_for(rated, as_user, ada):
    poll, asked = {"HX-Request": "true"}, {"statistic": "alpha"}
    for shown, is_new in [(rated.revision - 1, True), (rated.revision, False)]:
        answer = as_user(ada).get(MATRIX, asked | {"revision": shown}, headers=poll)
        following = answer.wsgi_request.META[FOLLOWS]
        address = f"{MATRIX}?statistic=alpha&revision={rated.revision}"
        assert following == Following(rated.pk, address, is_new)
        assert not is_new or f'hx-get="{escape(address)}"' in answer.content.decode()
    assert cache.get(watch_mark(rated.pk)), "while it waits, figures follow each rating"


def test_what_a_reader_has_shut_comes_only_when_the_page_opens(rated, as_user, ada):
    client = as_user(ada)
    shut = {"Concord-Shut": "fold-quality fold-every-criterion"}
    whole = text_of(client.get(MATRIX, headers=shut))
    fragment = client.get(MATRIX, {"revision": 0}, headers={"HX-Request": "true"})
    part = client.get(MATRIX, {"revision": 0}, headers={"HX-Request": "true"} | shut)
    for words in ("What went in", "Open a criterion for its pairs"):
        assert words in whole
        assert words in text_of(fragment)
        assert words not in text_of(part)
    assert text_of(part).count("One moment …") == 2
    for heading in ("Item level: every criterion", "What to doubt"):
        assert heading in text_of(part), "what can be opened stays"


def test_a_poll_that_finds_nothing_costs_few_queries(
    rated, as_user, ada, django_assert_max_num_queries
):
    client, revision = as_user(ada), rated.revision
    client.get(MATRIX)
    with django_assert_max_num_queries(6):
        assert client.get(MATRIX, {"revision": revision}).status_code == 204


def test_where_a_worker_is_no_page_computes(rated, as_user, ada, start_worker):
    client = as_user(ada)
    worker = start_worker()
    wait_until(lambda: heartbeat.is_there(OF_FIGURES), what="a heartbeat")
    with nobody_else_writes("analytics_snapshot"):  # until the page has been asked for
        page = client.get(MATRIX)
    assert page.status_code == 202
    assert b"A worker computes these figures for the first time" in page.content
    assert int(page["Refresh"]) == 1
    wait_until(lambda: client.get(MATRIX).status_code == 200, what="the figures")
    worker.kill()
    rate(human("rita"), items_of(rated)[0], **{KEY: BAD})
    assert f"revision={rated.revision}".encode() in client.get(MATRIX).content
    wait_until(lambda: "no worker answered" in text_of(client.get(MATRIX)), what="its silence")


def test_without_a_worker_the_page_computes_and_says_so(rated, as_user, ada, monkeypatch):
    client = as_user(ada)
    client.get(MATRIX)
    rate(human("rita"), items_of(rated)[0], **{KEY: BAD})
    monkeypatch.setattr(snapshots, "PATIENCE", 0.0)
    assert "no worker answered" in text_of(client.get(MATRIX))


def test_the_choices_of_a_reader_stay_in_the_addresses(rated, as_user, ada):
    page = as_user(ada).get(MATRIX, {"statistic": "alpha", "values": "released"}).text
    assert "statistic=alpha&amp;values=released&amp;revision=" in page
    row = table_in(page, "item_level_as_released").row("Safety", "2 people")
    assert row["Who"].link.endswith("/criteria/safety/humans/all/?values=released")


@pytest.mark.parametrize(
    "path",
    [
        "matrix/?criterion=beauty",
        "matrix/?statistic=luck",
        "criteria/beauty/",
        "criteria/safety/humans/7/",
        "criteria/safety/luck/all/",
    ],
)
def test_what_there_is_not_is_not_found(rated, as_user, ada, path):
    assert as_user(ada).get(URL + path).status_code == 404


def test_a_criterion_shows_each_pair_and_a_comparison_its_confusion_table(rated, as_user, ada):
    client = as_user(ada)
    said = text_of(client.get(URL + "criteria/safety/"))
    assert "Rolf and Ruth" in said
    assert "Echo and Ruth" in said
    echo = rated.submissions.filter(rater__key="echo").first().rater_id
    detail = client.get(f"{URL}criteria/safety/judge_gold/{echo}/").text
    assert table_in(detail, "statistics").row("Accuracy")["Value"].text.startswith("66.7 %")
    counts = table_in(detail, "confusion")
    assert counts.row("Nonsense")["Nonsense"].text == "2"
    assert counts.row("Nonsense")["Safe Response"].text == "1"
    assert counts.row("Safe Response")["Nonsense"].text == "1"
    assert counts.row("All")["All"].text == "6"
    same = counts.row("Safe Response")["Safe Response"]
    assert (same.text, same.classes) == ("2", "number shade shade--4 shade--same")


def test_off_scale_values_are_in_or_out_as_the_reader_chooses(ada, gwen, as_user):
    mind = study_with(
        rubric="mentalalign",
        key="mind",
        team={ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]},
    )
    ruth, echo = human("ruth"), judge("echo")
    for place, item in enumerate(items_of(mind)):
        rate(ruth, item, safety=0 if place == 0 else 4)
        rate(echo, item, safety=5)
    client, url = as_user(gwen), reverse("agreement", kwargs={"key": "mind"})
    plain, released = client.get(url), client.get(url, {"values": "released"})
    assert "5 items" in text_of(plain)
    assert "6 items" in text_of(released)
    assert "Values off the scale are in." in text_of(released)
    assert "1 off-scale value: left out let in" in text_of(plain)
    assert b"?values=off-scale" in plain.content
    assert b'aria-current="true">let in' in released.content


def test_the_table_behind_a_figure_has_keys_and_values_and_no_names_or_texts(rated, as_user, ada):
    echo = rated.submissions.filter(rater__key="echo").first().rater_id
    response = as_user(ada).get(f"{URL}criteria/safety/judge_humans/{echo}/table.csv")
    head, *lines = response.content.decode().splitlines()
    assert re.fullmatch(r"item,dialogue,generator,R-[A-Z2-7]{10},R-[A-Z2-7]{10},echo", head)
    assert lines[0] == f"d1.1,d1,,{SAFE},{SAFE},{SAFE}"
    assert len(lines) == 6
    assert b"Frogs" not in response.content
    assert "attachment" in response.headers["Content-Disposition"]
    event = Event.objects.get(verb="agreement.table_downloaded")
    assert event.actor == ada
    assert event.facts["revision"] == rated.revision


def test_a_table_that_tells_what_is_still_blinded_waits_for_the_round(
    pond, pond_round, as_user, ada
):
    for assignment in Assignment.objects.filter(round=pond_round):
        submit(assignment, **{KEY: SAFE})
    url = f"{URL}criteria/safety/humans/all/table.csv"
    refused = as_user(ada).get(url)
    assert refused.status_code == 403
    assert STILL_OPEN in text_of(refused)
    rounds.close(round_id=pond_round.pk, by=ada, at=AT)
    assert as_user(ada).get(url).status_code == 200


def test_gold_of_an_open_round_is_in_no_table(pond, pond_round, as_user, gwen):
    echo = judge("echo")
    for item in items_of(pond):
        rate(echo, item, **{KEY: SAFE})
    for assignment in Assignment.objects.filter(round=pond_round):
        submit(assignment, **{KEY: SAFE})
    refused = as_user(gwen).get(f"{URL}criteria/safety/judge_gold/{echo.pk}/table.csv")
    assert refused.status_code == 403
    assert STILL_OPEN in text_of(refused)


def test_who_annotates_gets_no_table_with_a_judges_answers(rated, as_user, ada):
    ada.memberships.update(roles=[TeamRole.COORDINATOR, TeamRole.ANNOTATOR])
    echo = rated.submissions.filter(rater__key="echo").first().rater_id
    for kind in ("judge_humans", "judge_gold"):
        refused = as_user(ada).get(f"{URL}criteria/safety/{kind}/{echo}/table.csv")
        assert refused.status_code == 403, kind
        assert COULD_SWAY in text_of(refused)


def test_who_rates_in_an_open_round_sees_no_figures_until_it_is_closed(
    pond, pond_round, as_user, ada, ben, cleo
):
    """Of a pair with one item the table is the other's answer."""
    ben.memberships.update(roles=[TeamRole.ANNOTATOR, TeamRole.RESEARCHER])
    for assignment in Assignment.objects.filter(round=pond_round):
        submit(assignment, **{KEY: SAFE})
    pair = "-".join(str(one.rater.pk) for one in (ben, cleo))
    places = [
        "",
        "matrix/",
        "criteria/safety/",
        f"criteria/safety/human_pair/{pair}/",
        f"criteria/safety/human_pair/{pair}/table.csv",
    ]
    addresses = [URL + place for place in places] + ["/api/v1/studies/pond/agreement/"]
    for address in addresses:
        assert as_user(ben).get(address).status_code == 403, address
    rounds.close(round_id=pond_round.pk, by=ada, at=AT)
    for address in addresses:
        assert as_user(ben).get(address).status_code == 200, address


def test_a_coordinator_cannot_put_their_own_rating_aside_to_look(
    pond, pond_round, as_user, ada, ben
):
    """Roles can be taken up again; what one owes in an open round stays."""
    ben.memberships.update(roles=[TeamRole.COORDINATOR])
    assert as_user(ben).get(MATRIX).status_code == 403


def test_who_handed_their_work_on_before_rating_any_sees_figures(
    pond, pond_round, as_user, ada, ben, finn
):
    hand_on = {"round_id": pond_round.pk, "from_rater": ben.rater.pk, "to": [finn.pk]}
    assignments.reassign(**hand_on, by=ada, at=AT)
    ben.memberships.update(roles=[TeamRole.COORDINATOR])
    assert as_user(ben).get(MATRIX).status_code == 200


def test_an_adjudicator_sees_no_figures_by_rater_while_an_item_waits_for_them(
    pond, pond_round, as_user, dora, gwen
):
    """The table of two raters says which of them Rater A is."""
    dora.memberships.update(roles=[TeamRole.ADJUDICATOR, TeamRole.RESEARCHER])
    first, second, *_ = Assignment.objects.filter(round=pond_round).order_by("item", "slot")
    submit(first, **{KEY: SAFE})
    addresses = [URL, MATRIX, URL + "raters/", URL + "report/", "/api/v1/studies/pond/agreement/"]
    client = as_user(dora)
    for address in addresses:
        assert client.get(address).status_code == 200, address
    submit(second, **{KEY: BAD})
    for address in addresses:
        assert client.get(address).status_code == 403, address
    assert "decide them under “Adjudicate”" in text_of(client.get(MATRIX))
    assert as_user(gwen).get(MATRIX).status_code == 200, "who decides nothing goes on reading"
    case = RoundItem.objects.get(round=pond_round, item=first.item)
    adjudications.decide(
        study_id=pond.pk,
        round_item_id=case.pk,
        ruling=adjudications.CaseRuling(values={KEY: SAFE}, reason="It is short."),
        by=dora,
        at=AT,
    )
    for address in addresses:
        assert client.get(address).status_code == 200, address


@pytest.mark.django_db(transaction=True)
def test_a_new_submission_reaches_an_open_page_through_a_real_worker(
    pond, pond_round, as_user, ada, start_worker
):
    client = as_user(ada)
    before = client.get(MATRIX)
    assert b"revision 0" in before.content.replace(b"\n", b" ")
    start_worker()
    first, second = Assignment.objects.filter(round=pond_round).order_by("item", "slot")[:2]
    submit(first, **{KEY: SAFE})
    submit(second, **{KEY: SAFE})

    def newer() -> bool:
        answer = client.get(MATRIX, {"revision": 0}, headers={"HX-Request": "true"})
        return answer.status_code == 200 and b"revision=2" in answer.content

    wait_until(newer, what="the new figures")
    assert snapshots.newest(pond.pk, GLANCE)[PLAIN].n_ratings == 2


@pytest.mark.parametrize(
    ("intervals", "method"),
    [
        ("jackknife", "leaving out one item at a time"),
        ("bootstrap", "bootstrap by item, percentiles of 1,000 draws with fixed weights"),
        ("f", "from the F distribution"),
    ],
)
def test_a_comparison_shows_every_statistic_with_intervals_as_asked(
    as_user, ada, intervals, method
):
    lake = study_with(
        rubric="mentalalign", key="lake", team={ada: [TeamRole.COORDINATOR]}, n_items=40
    )
    ruth, echo = human("ruth"), judge("echo")
    for place, item in enumerate(items_of(lake)):
        rate(ruth, item, empathy=1 + place % 5)
        rate(echo, item, empathy=min(5, 1 + place % 5 + place % 2))
    client = as_user(ada)
    page = client.get(
        f"/studies/lake/agreement/criteria/empathy/judge_humans/{echo.pk}/",
        {"intervals": intervals},
    )
    found = table_in(page.text, "statistics")
    for name in ("ICC(1,1)", "ICC(C,k)", "Lin’s concordance", "Pearson’s r", "Kendall’s τ-b"):
        assert " to " in found.row(name)["Value"].text
    assert "+1.37" in found.row("Upper limit of agreement")["Value"].text
    assert method in text_of(page)
    rows = csv.DictReader(io.StringIO(client.get(found.files["csv"]).text))
    assert [row["statistic"] for row in rows] == [row[0].order for row in found.rows]
