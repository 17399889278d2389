"""What judges said of two replies, in releases and in the report of a study."""

import csv
import io
import json
from zipfile import ZipFile

import pytest
from django.utils import timezone

from accounts.models import User
from analytics.exports import actions as exports
from analytics.exports import rows
from analytics.report import actions as writeups
from analytics.report import basis, numbers
from annotation.actions import quarantine
from annotation.models import Item, Membership, Study, TeamRole
from annotation.queries.visibility import reader_of
from judging.actions import runs
from judging.queries import showing
from judging.rules.comparing import OVERALL
from judging.rules.preferences import PreferenceRow, place_effects, wins
from tests.analytics.made import AT, human, items_of, let_pass, rate
from tests.analytics.test_cases import access_to
from tests.judging.conftest import failing, work_until_it_rests
from tests.judging.test_comparing import asked_for, by_kindness, compare, meadow

__all__ = ["compare", "meadow"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def export_folder(settings, tmp_path):
    settings.EXPORT_DIR = tmp_path / "exports"
    settings.UPLOAD_DIR = tmp_path / "uploads"


@pytest.fixture
def compared(meadow, compare, scripted):
    """A judge that prefers the kind replies on all scales, asked in both orders."""
    scripted.answer = by_kindness
    return compare()


def released(study, gwen, *, with_texts=True):
    Membership.objects.filter(user=gwen).update(roles=[TeamRole.EXPORTER])
    let_pass(study, by=User.objects.get(email="ada@example.org"))
    built = exports.build(study_key=study.key, with_texts=with_texts, by=gwen, at=timezone.now())
    return ZipFile(built.path)


def lines(found, name):
    return [json.loads(line) for line in found.read(f"{name}.jsonl").decode().splitlines()]


def test_a_release_has_what_was_asked_what_was_preferred_and_every_raw_answer(
    meadow, compared, gwen
):
    found = released(meadow, gwen)
    (comparison,) = lines(found, "comparisons")
    assert (comparison["judge"], comparison["n_pairs"], comparison["both_orders"]) == (
        compared.judge.rater.key,
        12,
        True,
    )
    calls, said = lines(found, "pair_calls"), lines(found, "preferences")
    assert len(calls) == 24, "twelve pairs in both orders"
    assert len(said) == 24 * len(compared.rubric_version.content.asked)
    assert all("reply_" in call["exchanges"][0]["text"] or "tie" in call["exchanges"][0]["text"]
               for call in calls)  # fmt: skip
    kind = {"first": "item", "second": "second"}
    assert {
        one[kind[one["preferred"]]].split("/")[-1] for one in said if one["preferred"] != "tie"
    } == {"kind"}
    (judge,) = lines(found, "judges")
    assert (judge["judge"], judge["prompt_edition"]) == (compared.judge.rater.key, "pairs-2")
    manifest = json.loads(found.read("manifest.json"))
    assert {name: manifest["counts"][name] for name in ("comparisons", "pair_calls")} == {
        "comparisons": 1,
        "pair_calls": 24,
    }
    described = {
        row["table"] for row in csv.DictReader(io.StringIO(found.read("codebook.csv").decode()))
    }
    assert described >= {"comparisons", "preferences", "pair_calls"}


def test_whose_replies_are_preferred_is_worked_out_again_from_the_release_alone(
    meadow, compared, gwen
):
    found = released(meadow, gwen, with_texts=False)
    items = {one["item"]: one for one in lines(found, "items")}
    number = {key: place for place, key in enumerate(sorted(items))}
    dialogue = {
        key: place for place, key in enumerate(sorted({one["dialogue"] for one in items.values()}))
    }
    again = [
        PreferenceRow(
            one["criterion"],
            dialogue[items[one["item"]]["dialogue"]],
            number[one["item"]],
            number[one["second"]],
            items[one["item"]]["generator"],
            items[one["second"]]["generator"],
            one["repeat"],
            one["preferred"],
        )
        for one in lines(found, "preferences")
    ]
    status = showing.status_of(compared, at=timezone.now())
    by_criterion = {one.criterion: one for one in place_effects(again)}
    assert by_criterion == {one.criterion: one for one in status.places}
    said = {(one.criterion, one.source, one.other): one for one in wins(again, both_orders=True)}
    assert said == {(one.criterion, one.source, one.other): one for one in status.wins}
    assert "exchanges" not in lines(found, "pair_calls")[0], "raw answers leave with the texts"


def test_what_the_endpoint_failed_at_counts_as_it_was_asked_again(
    meadow, compare, scripted, fast_clock, gwen
):
    scripted.answer = lambda _body, number: (
        failing(400) if number == 1 else by_kindness(_body, number)
    )
    run = compare()
    scripted.answer = by_kindness
    work_until_it_rests(runs.retry_failed(run_id=run.pk, by=None, at=fast_clock()), fast_clock)
    found = released(meadow, gwen)
    assert len(lines(found, "pair_calls")) == 25
    said = lines(found, "preferences")
    assert len(said) == 24 * len(run.rubric_version.content.asked)
    assert {one["unscored"] for one in said} == {""}


def test_a_study_without_comparisons_has_no_such_tables(meadow, gwen):
    assert not [
        name for name in released(meadow, gwen).namelist() if "pair" in name or "prefer" in name
    ]


def test_who_rates_is_told_nothing_of_them(meadow, compared, ada):
    Membership.objects.filter(user=ada).update(
        roles=[TeamRole.COORDINATOR, TeamRole.ANNOTATOR, TeamRole.EXPORTER]
    )
    reader = reader_of(access_to(meadow, ada), takes_away=True)
    assert list(rows.comparisons(meadow, reader)) == []
    assert list(rows.preferences(meadow, reader, order="")) == []
    assert list(rows.pair_calls(meadow, reader, order="")) == []


@pytest.fixture
def rated(meadow, compared):
    """A report wants somebody who rated."""
    ruth = human("ruth")
    for item in items_of(meadow)[:2]:
        rate(ruth, item, empathy=2)
    meadow.refresh_from_db()
    return meadow


def written(study):
    return writeups.write(study=study, at=AT)[0]


def test_the_report_has_both_tables_and_every_number_of_them_comes_out_again(
    rated, compared, without_figures
):
    files = written(rated)
    (part,) = [one for one in json.loads(files["contents.json"])["parts"] if one["key"] == "pairs"]
    assert [one["key"] for one in part["tables"]] == ["pairs_wins", "pairs_places"]
    told = list(csv.DictReader(io.StringIO(files["tables/pairs_wins.csv"].decode())))
    won = {
        (row["criterion"], row["generator"], row["against"]): int(row["value"])
        for row in told
        if row["column"] == "won"
    }
    status = showing.status_of(compared, at=timezone.now())
    assert won == {(one.criterion, one.source, one.other): one.won for one in status.wins}
    for kind in ("md", "tex"):
        assert b"kind" in files[f"tables/pairs_wins.{kind}"]
    assert "in both orders" in files["methods.en.txt"].decode()
    assert b"zheng2023" in files["references.bib"]

    assert numbers.check(files).differing == ()
    back = basis.read(files)
    assert basis.files_of(back)[basis.PAIRS] == files[basis.PAIRS]


def test_a_preference_or_a_figure_that_was_changed_later_is_noticed(rated, without_figures):
    files = written(rated)
    changed = dict(files)
    changed[basis.PAIRS] = files[basis.PAIRS].replace(b",first,", b",second,", 1)
    with pytest.raises(basis.UnreadableReport, match="SHA-256"):
        numbers.check(changed)
    told = json.loads(files["report.json"])
    told["pairs"][0]["wins"][0]["won"] += 1
    changed = files | {"report.json": json.dumps(told).encode()}
    assert numbers.check(changed).differing == ("pairs[0].wins[0].won",)


def test_replies_on_the_whole_are_told_too_and_not_those_that_were_set_aside(
    meadow, compare, scripted, ada, without_figures
):
    scripted.answer = by_kindness
    compare(overall=True, reference="curt")
    aside = Item.objects.filter(study=meadow, generator="long").first()
    quarantine.quarantine(
        study_id=meadow.pk, item_key=aside.key, reason="cut off", by=ada, at=timezone.now()
    )
    files = written(Study.objects.get(pk=meadow.pk))
    told = list(csv.DictReader(io.StringIO(files["tables/pairs_wins.csv"].decode())))
    assert {row["criterion"] for row in told} == {OVERALL}
    counted = {
        row["generator"]: sum(int(one["value"]) for one in told
                              if one["generator"] == row["generator"] and one["column"] in {"won", "lost", "undecided"})
        for row in told
    }  # fmt: skip
    assert counted == {"kind": 4, "long": 3}
    assert {row["against"] for row in told} == {"curt"}


def test_values_of_both_replies_leave_with_the_preference(
    meadow, compare, scripted, gwen, without_figures
):
    def of_the_first(body, _number):
        return json.dumps({key: int(key.endswith("_a")) for key in asked_for(body)})

    scripted.answer = of_the_first
    compare(values=True, both_orders=False)
    found = released(meadow, gwen, with_texts=False)
    assert [one["values"] for one in lines(found, "comparisons")] == [True]
    told = {(one["preferred"], one["first_score"], one["second_score"])
            for one in lines(found, "preferences")}  # fmt: skip
    assert told == {("first", 1, 0)}
    assert numbers.check(written(Study.objects.get(pk=meadow.pk))).differing == ()


def test_while_judges_are_blinded_the_report_names_none_that_compared(rated):
    Study.objects.filter(pk=rated.pk).update(judges_blinded_at=AT)
    files = written(Study.objects.get(pk=rated.pk))
    assert basis.PAIRS not in files
    assert not [name for name in files if "pairs" in name]
