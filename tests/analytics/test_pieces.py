"""Figures that most pages do without are kept apart from what pages show, and read by who shows them."""

import csv
import io
import json
import re
from dataclasses import replace
from html import unescape
from urllib.parse import urljoin

import pytest
from django.core.management import call_command

from analytics.agreement import numbers as agreement
from analytics.comparisons.kinds import SINGLE
from analytics.figures import genuine
from analytics.figures import store as snapshots
from analytics.judges import numbers as judges
from analytics.models import Snapshot
from analytics.parts import PARTS as PARTS_OF_FIGURES
from analytics.ratings import matrices, slices
from analytics.ratings.matrices import PLAIN, View
from annotation.models import Item, Rater, Study, TeamRole
from tests.analytics.made import AT, human, items_of, judge, rate
from tests.analytics.reading import table_in
from tests.cast import study_with

pytestmark = pytest.mark.usefixtures("empty_cache")

ROOM = "/studies/hill/agreement/"
CRITERIA = {"safety", "empathy"}
PARTS = pytest.mark.parametrize("part", [agreement.PART, judges.PART], ids=lambda part: part.key)


@pytest.fixture
def hill(ada) -> Study:
    """Two people and two judges on two criteria of twelve items."""
    study = study_with(
        rubric="mentalalign", key="hill", team={ada: [TeamRole.COORDINATOR]}, n_items=12
    )
    raters = [human("ruth"), human("rolf"), judge("echo"), judge("nova")]
    for place, item in enumerate(items_of(study)):
        for shift, rater in enumerate(raters):
            rate(rater, item, safety=1 + (place + shift) % 5, empathy=1 + (place * shift) % 5)
    study.refresh_from_db()
    return study


@pytest.fixture
def read(monkeypatch) -> list[str]:
    """The pieces that were read."""
    found: list[str] = []
    texts = snapshots._texts

    def noted(rows):
        found.extend(name for name in rows if name)
        return texts(rows)

    monkeypatch.setattr(snapshots, "_texts", noted)
    return found


@PARTS
def test_what_is_kept_in_pieces_is_what_was_computed(hill, part):
    made = part.compute(matrices.read(hill.pk), view=PLAIN, at=AT)
    assert snapshots.up_to_date(study_id=hill.pk, part=part, at=AT)[PLAIN] == made
    assert not list(genuine.forged())


def test_a_piece_of_before_is_named_and_not_shown_beside_newer_ones(hill):
    """It bears the application's mark: somebody kept it."""
    snapshots.refresh(study_id=hill.pk, part=judges.PART, at=AT)
    piece = Snapshot.objects.filter(study=hill, piece="echo")
    before = piece.values("report", "revision", "mark").first()
    rate(Rater.objects.get(key="echo"), items_of(hill)[0], repeat=2, safety=1, empathy=1)
    made = snapshots.up_to_date(study_id=hill.pk, part=judges.PART, at=AT)[PLAIN]
    assert not list(genuine.differing_copies())
    piece.filter(with_off_scale=False, with_quarantined=False).update(**before)
    assert not list(genuine.forged())
    [(table, problem)] = genuine.differing_copies()
    assert table == "analytics_snapshot"
    assert (
        problem
        == f"Figures of study {hill.pk} (judges) of before stand in the place of newer ones."
    )
    shown = snapshots.newest(hill.pk, judges.PART)[PLAIN]
    assert replace(shown, computed_at=AT) == made


def test_what_is_kept_of_a_slice_is_too(hill):
    for place, item in enumerate(items_of(hill)):
        Item.objects.filter(pk=item.pk).update(generator="claude" if place > 1 else "qwen")
    view = View(within="generator:claude")
    study = slices.read(hill.pk, view.within)
    snapshots.slice_store.refresh(study_id=hill.pk, part=agreement.PART, within=view.within, at=AT)
    made = agreement.PART.compute(study, view=view, at=AT)
    assert snapshots.newest(hill.pk, agreement.PART, view)[view] == made
    [found] = snapshots.newest(hill.pk, agreement.PART, view, pieces=["safety"]).values()
    assert {one.criterion for one in found.comparisons if one.kind in SINGLE} == {"safety"}


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("criteria/safety/", {"safety"}),
        ("criteria/safety/humans/all/", {"safety"}),
        ("criteria/safety/humans/all/items/", {"safety"}),
        ("criteria/safety/humans/all/table.csv", {"safety"}),
        ("judges/", set()),
        ("judges/echo/", {"echo"}),
        ("report/", set()),
        ("tables/agreement/item_level.csv", set()),
        ("tables/agreement/single_raters.csv?criterion=empathy", {"empathy"}),
        ("tables/judges/judges_with_each.csv?judge=nova", {"nova"}),
        ("tables/judges/judges_with_each.csv", {"echo", "nova"}),
        ("/api/v1/studies/hill/agreement/?criterion=safety", {"safety"}),
        ("/api/v1/studies/hill/figures/agreement/?criterion=safety", {"safety"}),
        ("/api/v1/studies/hill/figures/judges/?judge=echo", {"echo"}),
    ],
)
def test_a_page_reads_no_pieces_but_those_that_it_shows(hill, read, as_user, ada, page, expected):
    for part in (agreement.PART, judges.PART):
        snapshots.refresh(study_id=hill.pk, part=part, at=AT)
    assert as_user(ada).get(urljoin(ROOM, page)).status_code == 200
    assert set(read) == expected


def test_the_page_of_a_criterion_has_single_raters_as_the_file_of_all_has(hill, as_user, ada):
    def lines(query=""):
        address = f"{ROOM}tables/agreement/single_raters.csv{query}"
        return list(csv.DictReader(io.StringIO(as_user(ada).get(address).text)))

    page = table_in(as_user(ada).get(ROOM + "criteria/safety/").text, "single_raters")
    of_safety = [line for line in lines() if line["criterion"] == "safety"]
    assert lines("?criterion=safety") == of_safety
    assert {line["criterion"] for line in lines()} >= CRITERIA
    assert len(page.rows) == 5  # two people, and each of two judges with each of them


@pytest.fixture
def crowded(monkeypatch) -> None:
    """What is kept apart is too much for one request, as that of a study with dozens of raters is."""
    monkeypatch.setattr(snapshots, "MOST_AT_ONCE", 10)


def test_a_file_of_too_many_lines_is_taken_in_pieces(hill, as_user, ada, crowded, monkeypatch):
    address = f"{ROOM}tables/agreement/single_raters.csv?values=all"
    browser = as_user(ada)
    page = browser.get(address)
    assert page.status_code == 400
    links = re.findall(r'href="([^"]+single_raters[^"]+)"', page.text)
    found = [line for link in links for line in lines_of(browser.get(unescape(link)))]
    monkeypatch.undo()
    assert sorted(map(str, found)) == sorted(map(str, lines_of(browser.get(address))))


@pytest.mark.parametrize("slice_", ["", "generator:claude"])
@pytest.mark.parametrize(
    ("part", "about", "expected"),
    [
        ("figures/agreement", "criterion", {"empathy", "safety"}),
        ("figures/judges", "judge", {"echo", "nova"}),
        ("agreement", "criterion", {"empathy", "safety"}),
    ],
)
def test_a_program_gets_piece_by_piece_what_is_too_much_at_once(
    hill, as_user, ada, monkeypatch, part, about, expected, slice_
):
    Item.objects.update(generator="claude")
    if slice_:
        for one in PARTS_OF_FIGURES.values():
            snapshots.slice_store.refresh(study_id=hill.pk, part=one, within=slice_, at=AT)

    def told(**asked):
        at = f"/api/v1/studies/hill/{part}/"
        return as_user(ada).get(at, asked | ({"slice": slice_} if slice_ else {})).json()

    everything = told()
    assert everything.pop("elsewhere") == {}
    monkeypatch.setattr(snapshots, "MOST_AT_ONCE", 10)
    rest = told()
    elsewhere = rest.pop("elsewhere")
    assert elsewhere.keys() == {about}
    assert set(elsewhere[about]) == expected
    pieces = [told(**{about: one}) for one in elsewhere[about]]
    assert [one.pop("elsewhere") for one in pieces] == [{}, {}]
    assert lines_in(rest) < lines_in(everything)
    assert lines_in(everything) == lines_in(rest).union(*map(lines_in, pieces))


def lines_of(answer) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(answer.text)))


def lines_in(told) -> set[str]:
    """What tables hold, or comparisons of a report."""
    lines = told.get("comparisons", ()) or (
        {"table": one["key"]} | figure for one in told["tables"] for figure in one["figures"]
    )
    return {json.dumps(line, sort_keys=True) for line in lines}


def test_the_command_reads_one_piece_at_a_time_and_prints_all(hill, capsys, read):
    made = snapshots.up_to_date(study_id=hill.pk, part=agreement.PART, at=AT)[PLAIN]
    read.clear()
    call_command("agreement", "hill")
    assert not read
    capsys.readouterr()
    call_command("agreement", "hill", "--json")
    told = json.loads(capsys.readouterr().out)
    assert (
        told["comparisons"] == json.loads(json.dumps(agreement.with_sentences(made)))["comparisons"]
    )
    assert told.keys() == agreement.with_sentences(made).keys()
    assert sorted(read) == sorted(line.key for line in made.criteria if line.key in read)


def test_a_piece_that_somebody_took_away_has_figures_made_anew(hill):
    made = snapshots.up_to_date(study_id=hill.pk, part=agreement.PART, at=AT)[PLAIN]
    Snapshot.objects.filter(piece="safety").delete()
    found = snapshots.newest(hill.pk, agreement.PART, pieces=["safety"])[PLAIN]
    assert [one for one in made.comparisons if one.criterion == "safety"] == [
        one for one in found.comparisons if one.criterion == "safety"
    ]


def test_a_piece_that_is_none_any_more_is_not_kept(hill):
    snapshots.refresh(study_id=hill.pk, part=judges.PART, at=AT)
    Snapshot.objects.filter(piece="nova").update(piece="gone")
    rate(human("rita"), items_of(hill)[0], safety=1)
    snapshots.refresh(study_id=hill.pk, part=judges.PART, at=AT)
    assert set(Snapshot.objects.values_list("piece", flat=True)) == {"", "echo", "nova"}
