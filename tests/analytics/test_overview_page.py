"""The first page of figures: progress, gates, the ceiling, judges, and what to doubt."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from analytics.agreement.numbers import GLANCE
from analytics.figures import store as snapshots
from analytics.present.typesetting import FILES
from analytics.trust import numbers as trust
from annotation.models import Assignment, Grant, TeamRole
from tests.analytics.made import (
    AT,
    decide,
    human,
    items_of,
    judge,
    let_pass,
    rate,
    set_aside,
    submit,
)
from tests.analytics.reading import table_in, text_of
from tests.cast import study_with
from tests.kept import made_once

pytestmark = pytest.mark.usefixtures("empty_cache")

KEY = "safety"
SAFE, BAD = "safe_response", "nonsense"
URL = "/studies/pond/agreement/"


@pytest.fixture
@made_once
def mind(ada, gwen):
    """Six items on scales: two people, a judge; one value off the scale, one item set aside."""
    study = study_with(
        rubric="mentalalign",
        key="mind",
        team={ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]},
    )
    ruth, rolf, echo = human("ruth"), human("rolf"), judge("echo")
    given = [(0, 2, 3), (4, 4, 5), (3, 3, 4), (5, 4, 5), (2, 3, 3), (1, 5, 1)]
    for item, (first, second, third) in zip(items_of(study), given, strict=True):
        rate(ruth, item, safety=first)
        rate(rolf, item, safety=second)
        rate(echo, item, safety=third)
    rate(human("rita"), items_of(study)[0], safety="[empty_cell]")
    set_aside(items_of(study)[-1])
    study.refresh_from_db()
    return study


def test_progress_counts_items_by_who_rated_them(pond, as_user, ada):
    ruth, rolf, echo = human("ruth"), human("rolf"), judge("echo")
    first, second, third, *_ = items_of(pond)
    for item in (first, second):
        rate(ruth, item, **{KEY: SAFE})
    rate(rolf, first, **{KEY: BAD})
    rate(echo, third, **{KEY: SAFE})
    decide(third, **{KEY: SAFE})
    said = text_of(as_user(ada).get(URL))
    assert "Rated by people 2 / 6" in said
    assert "2 people; 1 item by two or more" in said
    assert "Rated by judges 1 / 6" in said
    assert "With gold 1 / 6" in said
    assert "No round has been opened" in said


def test_rounds_stand_with_their_gates(pond, pond_round, as_user, ada, gwen):
    submit(Assignment.objects.filter(round=pond_round).first(), **{KEY: SAFE})
    row = table_in(as_user(ada).get(URL).text, "rounds").row("Round 1")
    shown = {name: cell.text for name, cell in row.items()}
    states = [shown[name] for name in ("State", "Ratings submitted", "Ratings assigned")]
    assert states == ["Open", "1", "12"]
    assert (shown["Agreement"], shown["Gate"]) == ("once it is closed", "0.40")
    address = reverse("round", args=["pond", 1])
    assert address in as_user(ada).get(URL).text
    assert address not in as_user(gwen).get(URL).text, "a researcher does not coordinate rounds"


def test_who_sees_no_single_raters_reads_of_rounds_and_takes_no_file(
    pond, pond_round, as_user, ada, gwen
):
    """Of two answers agreement gives back how few gave one of them."""
    Grant.objects.filter(person=gwen, level="per_rater").update(revoked_at=timezone.now())
    let_pass(pond, by=ada)
    for user, kinds, status in ((ada, set(FILES), 200), (gwen, set(), 404)):
        found = table_in(as_user(user).get(URL).text, "rounds")
        assert (len(found.rows), found.files.keys()) == (1, kinds)
        assert as_user(user).get(f"{URL}tables/agreement/rounds.csv").status_code == status


def test_people_among_themselves_stand_beside_each_judge(mind, as_user, gwen):
    page = as_user(gwen).get(reverse("agreement_overview", args=["mind"]))
    said = text_of(page)
    assert "People among themselves" in said
    assert "ICC(A,1)" in said
    assert re.search(r"bias \+\d\.\d\d", said)
    echo = mind.submissions.filter(rater__key="echo").first().rater_id
    assert f"/agreement/criteria/safety/judge_humans/{echo}/" in page.text
    assert "not rated" in said, "the other criteria"
    assert not re.search(r"\b(nan|NaN|None|inf)\b", said)


def test_bars_of_values_say_their_shares_and_n_to_a_pointer(mind, as_user, gwen):
    page = as_user(gwen).get(reverse("agreement_overview", args=["mind"])).text
    says = re.search(r'<svg class="spread"[^>]*><title>([^<]*)</title>', page)[1].split("; ")
    shares = [re.findall(r"(\d+) %", one) for one in says[:-1]]
    assert [sum(map(int, side)) for side in zip(*shares, strict=True)] == pytest.approx(
        [100, 100], abs=3
    )
    assert re.fullmatch(r"\d+ pairs", says[-1])


def test_without_two_people_on_an_item_there_is_no_ceiling_and_that_is_said(pond, as_user, ada):
    ruth, echo = human("ruth"), judge("echo")
    for item in items_of(pond):
        rate(ruth, item, **{KEY: SAFE})
        rate(echo, item, **{KEY: BAD})
    said = text_of(as_user(ada).get(URL))
    assert "No item has been rated by two people, so there is no ceiling" in said
    assert "People among themselves" not in said


def test_what_is_doubtful_is_counted_by_reason_and_rater(mind, as_user, gwen):
    page = as_user(gwen).get(reverse("agreement_overview", args=["mind"]))
    said = text_of(page)
    assert "Ratings without a value 1" in said
    assert "Values off the scale 1 Ruth 1" in said
    assert "Items set aside 1" in said
    assert reverse("quarantine", args=["mind"]) in page.text


def test_every_leading_figure_stands_with_and_without_them(mind, as_user, gwen):
    address = reverse("agreement_overview", args=["mind"])
    plain = table_in(as_user(gwen).get(address).text, "with_and_without")
    heads = ["As released", "Without off-scale values", "Without items set aside", "Without either"]
    assert plain.heads[3:-1] == [*heads[:3], f"{heads[3]} (in use)"]
    row = plain.row("Safety", "Echo and people")
    assert row[heads[0]].text != row[plain.heads[-2]].text
    assert (row[heads[0]].classes, row[plain.heads[-2]].classes) == (
        "number",
        "number shade shade--1",
    )
    first, last = (float(row[head].order) for head in (heads[0], plain.heads[-2]))
    assert float(row["Change in all"].order) == pytest.approx(last - first)
    released = as_user(gwen).get(address, {"values": "released"}).text
    assert table_in(released, "with_and_without").heads[3] == f"{heads[0]} (in use)"


def test_without_doubtful_values_there_is_nothing_to_choose(pond, as_user, ada):
    rate(human("ruth"), items_of(pond)[0], **{KEY: SAFE})
    said = text_of(as_user(ada).get(URL))
    assert "with and without them" not in said
    assert "left out let in" not in said


@pytest.mark.parametrize(
    ("values", "addresses"),
    [
        ("", ["?values=off-scale", "?values=quarantined"]),
        ("off-scale", ['?"', "?values=released"]),
        ("quarantined", ["?values=released", '?"']),
        ("released", ["?values=quarantined", "?values=off-scale"]),
    ],
)
@pytest.mark.parametrize("page", ["agreement_overview", "agreement"])
def test_either_kind_is_let_in_or_left_out_by_itself(mind, as_user, gwen, page, values, addresses):
    shown = as_user(gwen).get(reverse(page, args=["mind"]), {"values": values} if values else {})
    for address in addresses:
        assert f'href="{address}' in shown.text
    assert shown.text.count('aria-current="true">left out') == 2 - len(
        {"": (), "off-scale": (1,), "quarantined": (1,), "released": (1, 2)}[values]
    )


@pytest.mark.parametrize("values", ["", "released"])
@pytest.mark.parametrize(
    "page", ["", "_judges", "_safety", "_calibration", "_routing", "_plan", "_raters"]
)
def test_a_choice_is_kept_from_page_to_page_and_none_is_made_up(mind, as_user, gwen, page, values):
    address = reverse(f"agreement{page}", args=["mind"])
    shown = as_user(gwen).get(address, {"values": values} if values else {})
    kept = re.findall(r'name="values" value="([^"]*)"', shown.text)
    assert kept == ([values] if values else [])
    linked = re.findall(r"[?;]values=([^\"&]*)", shown.text)
    assert set(linked) <= {"off-scale", "quarantined", "released"}


def test_the_page_follows_new_ratings(pond, as_user, ada):
    client = as_user(ada)
    client.get(URL)
    poll = {"HX-Request": "true"}
    assert client.get(URL, {"revision": pond.revision}, headers=poll).status_code == 204
    rate(human("rita"), items_of(pond)[0], **{KEY: BAD})
    snapshots.refresh(study_id=pond.pk, part=GLANCE, at=AT)
    behind = client.get(URL, {"revision": pond.revision}, headers=poll)
    assert behind.status_code == 204, "the trust cards have not been made anew"
    snapshots.refresh(study_id=pond.pk, part=trust.PART, at=AT)
    newer = client.get(URL, {"revision": pond.revision}, headers=poll)
    assert newer.content.strip().startswith(b'<div id="overview"')
    assert "Rated by people 1 / 6" in text_of(newer)


def test_figures_that_nothing_changes_are_folded_away(mind, as_user, gwen):
    ruth, rolf = human("anna"), human("bert")
    for item in items_of(mind)[:5]:
        rate(ruth, item, empathy=3)
        rate(rolf, item, empathy=4)
    page = as_user(gwen).get(reverse("agreement_overview", args=["mind"])).text
    changed, same = page.split("Those that stay the same in the digits that are shown")
    assert "Safety" in changed[changed.index("with-and-without") :]
    assert "Empathy" not in changed[changed.index("with-and-without") :]
    assert "Empathy" in same
