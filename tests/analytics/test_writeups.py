"""The report of a study: what is in it, for whom, and that it can be computed again."""

import csv
import fcntl
import io
import json
import re
from datetime import timedelta
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from zipfile import ZipFile

import pytest
import typst
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.access import access_of
from accounts.models import Event
from analytics.agreement import numbers as agreement
from analytics.exports import writers
from analytics.models import Verification, Writeup
from analytics.parts import PARTS
from analytics.present.charts import drawing
from analytics.present.charts.drawing import KINDS
from analytics.present.charts.looks import PAPER
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from analytics.report import actions as writeups
from analytics.report import basis, bundle, numbers, paper, shelf, web
from analytics.report.methods import MethodsBasis
from analytics.report.methods import text_of as text_of_methods
from analytics.stats.estimates import Estimate
from analytics.trust import policies
from analytics.trust.actions import fix_policy
from analytics.verification import actions as verifications
from annotation.actions import rounds
from annotation.actions.jobs.sweeping import sweep
from annotation.models import (
    Assignment,
    FileJob,
    FilePiece,
    Grant,
    Item,
    Quarantine,
    Rater,
    TeamRole,
)
from annotation.queries.studies import study_for
from annotation.rules.visibility import COULD_SWAY, STILL_OPEN
from tests.analytics.made import (
    AT,
    decide,
    human,
    items_of,
    judge,
    let_pass,
    make_for_all,
    rate,
    submit,
)
from tests.analytics.reading import text_of
from tests.analytics.walking import assert_the_same
from tests.cast import study_with
from tests.kept import made_once
from tests.services import folder_of_all_workers, wait_until

pytestmark = pytest.mark.usefixtures("empty_cache")

URL = "/studies/pond/agreement/report/"
FILES = URL + "files/"
CHECKS = "/studies/pond/agreement/verification/"
REPO = Path(__file__).parents[2]
OLDER_REPORTS = Path(__file__).parent / "older_reports"
SAFE, BAD = "safe_response", "nonsense"


@pytest.fixture
@made_once
def rated(pond):
    """Two people and a judge on six items, gold on all."""
    ruth, rolf, echo = human("ruth"), human("rolf"), judge("echo", "toad")
    given = [(SAFE, SAFE, SAFE), (SAFE, SAFE, BAD), (BAD, BAD, BAD), (BAD, SAFE, BAD)]
    given += [(SAFE, SAFE, SAFE), (BAD, BAD, SAFE)]
    for item, labels in zip(items_of(pond), given, strict=True):
        for rater, label in zip((ruth, rolf, echo), labels, strict=True):
            rate(rater, item, safety=label)
        decide(item, safety=labels[0])
    pond.refresh_from_db()
    return pond


@pytest.fixture
@made_once
def scored(ada, ben, gwen):
    """Scales, off-scale values, an item set aside, an unscored rating, a second repeat."""
    study = study_with(
        rubric="mentalalign",
        key="pond",
        team={
            ada: [TeamRole.COORDINATOR],
            ben: [TeamRole.ANNOTATOR],
            gwen: [TeamRole.RESEARCHER],
        },
        n_items=12,
    )
    ruth, rolf, echo = human("ruth"), human("rolf"), judge("echo", "toad")
    for place, item in enumerate(items_of(study)):
        item.generator = ("toad", "newt", "frog")[place % 3]
        item.save(update_fields=["generator"])
        rate(ruth, item, safety=1 + place % 5, empathy=5 - place % 4)
        rate(rolf, item, safety=1 + (place + place // 4) % 5, empathy=5 - place % 3)
        rate(echo, item, safety=min(5, 2 + place % 5), empathy=4)
    rate(echo, items_of(study)[0], repeat=2, safety=3, empathy=4)
    extra = human("rita")
    rate(extra, items_of(study)[1], safety=0, empathy="[missing]")
    Quarantine.objects.create(
        item=items_of(study)[2], reason="no reply", quarantined_at=AT, quarantined_by=ada
    )
    study.refresh_from_db()
    return study


def written(study) -> dict[str, bytes]:
    return writeups.write(study=study, at=AT)[0]


@pytest.fixture
def written_once(request, tmp_path_factory):
    """written_once(name) is the report of that fixture's study: drawing takes seconds, so tests
    that only read a report share one, whichever worker they run in."""
    folder = folder_of_all_workers(request, tmp_path_factory)

    def read(name: str) -> dict[str, bytes]:
        archive = folder / f"report-of-{name}.zip"
        with archive.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not archive.exists():
                archive.write_bytes(writers.zipped(written(request.getfixturevalue(name))))
        with ZipFile(archive) as files:
            return {name: files.read(name) for name in files.namelist()}

    return read


@pytest.fixture
def files(written_once, db):
    """The report of `scored`."""
    return written_once("scored")


@pytest.fixture
def labelled(written_once, db):
    """The report of `rated`."""
    return written_once("rated")


@pytest.fixture
def kept(rated, ada, labelled) -> Writeup:
    """That report, as a worker keeps it."""
    sha256 = shelf.put("shelf", labelled)
    return Writeup.objects.create(
        study=rated,
        language="en",
        asked_at=timezone.now(),
        asked_by=ada,
        done_at=timezone.now(),
        revision=rated.revision,
        folder="shelf",
        sha256=sha256,
        listing={name: len(content) for name, content in labelled.items()},
    )


def test_an_upgrade_keeps_a_report_as_its_worker_would_have(kept, labelled):
    pieces = FilePiece.objects.order_by("number").values_list("folder", "content")
    by_worker: dict[str, bytes] = {}
    for folder, content in pieces:
        by_worker[folder] = by_worker.get(folder, b"") + bytes(content)
    upgrade = import_module("analytics.migrations.0018_report_files")
    by_upgrade = dict(upgrade.kept_of(writers.zipped(labelled)))
    assert {f"shelf/{name}": content for name, content in by_upgrade.items()} == by_worker


def table(files, name) -> list[dict]:
    return list(csv.DictReader(io.StringIO(files[name].decode())))


class TestFiles:
    def test_methods_tables_figures_numbers_and_ratings_are_in_it(self, files):
        for name in (
            "README.md",
            "methods.en.md",
            "methods.en.txt",
            "methods.zh.md",
            "methods.zh.txt",
            "report.json",
            "data/ratings.csv",
            "tables/every_figure.csv",
            *(f"tables/item_level.{kind}" for kind in ("csv", "md", "tex")),
            *(f"figures/forest_icc_a1.{kind}" for kind in KINDS),
            *(f"figures/severity_echo.{kind}" for kind in KINDS),
            *(f"figures/bland_altman_echo.{kind}" for kind in KINDS),
            *(f"figures/confusion_echo.{kind}" for kind in KINDS),
            *(f"figures/systems_echo.{kind}" for kind in KINDS),
        ):
            assert files[name], name

    def test_the_same_ratings_give_the_same_bytes(self, scored):
        """Both written here: where another worker wrote one, its study has other pseudonyms."""
        assert writers.zipped(written(scored)) == writers.zipped(written(scored))

    def test_nobody_s_name_and_no_text_is_in_any_file(self, files):
        assert len(files) > 100
        for name, content in files.items():
            for secret in (b"ruth", b"rolf", b"rita", b"frogs", b"quiet for"):
                assert not re.search(rb"\b%s\b" % secret, content.lower()), (name, secret)

    def test_every_number_in_the_table_of_all_figures_has_its_n_and_its_method(self, files):
        rows = table(files, "tables/every_figure.csv")
        assert {row["part"] for row in rows} >= {"agreement", "judges", "safety"}
        for row in rows:
            assert row["n_items"], row
            assert bool(row["method"]) == bool(row["low"]) or "unbounded" in row["notes"], row
            assert row["value"] or row["notes"], row

    def test_the_methods_say_what_was_left_out_and_why(self, files):
        said = files["methods.en.txt"].decode()
        assert "1 value off the scale was left out." in said
        assert "1 item that was set aside with a reason was left out." in said
        assert "1 rating has no value (missing: 1)" in said
        assert "The judge echo was not measured on replies of its own family (toad)" in said
        assert "12 items from 12 dialogues were rated by 3 people and 1 judge" in said
        assert re.search(r"as they stood at revision \d+ on 2026-", said)
        assert "ICC(A,1), agreement" in said
        assert "leaving out one item at a time" in said
        assert not re.search(r"\b(nan|NaN|None|inf)\b", said)

    def test_the_methods_say_which_rating_counts_and_where_each_figure_comes_from(
        self, files, labelled
    ):
        said = files["methods.en.txt"].decode()
        assert "and where an item came back to them in a round, their first one" in said
        assert (
            "10,000 draws of pivotal quantities, for 200 of dialogues under latent classes" in said
        )
        assert "minus those of the first" in said
        assert "hold the truth less often than they say" in said
        assert "No bound is given for all judges and criteria together" in said
        assert "stands among the ratings, as repeat 2" in labelled["methods.en.txt"].decode() + said
        assert said.count("latent class model") == 1  # of people and of judges alike
        assert b"{dawid1979," in files["references.bib"]
        assert "The alternative annotator test was made by dialogue" in said
        assert "over the people and criteria of a judge" in said
        assert "Figures beside gold are of the items that have it" not in said
        assert (
            "Figures beside gold are of the items that have it"
            in labelled["methods.en.txt"].decode()
        )

    def test_in_chinese_they_have_the_marks_of_chinese(self, files):
        said = files["methods.zh.txt"].decode()
        assert re.search(r"[\u4e00-\u9fff]。[\u4e00-\u9fff]", said)
        assert not re.findall(r"(?:[\u4e00-\u9fff][,:;(]|[。，；：] ).{,20}", said)

    def test_numbers_as_released_stand_beside_those_without_what_was_left_out(self, files):
        plain, released = (
            {
                row["statistic"]: row["n_items"]
                for row in table(files, f"tables/item_level{end}.csv")
                if row["who"].startswith("judge_humans") and row["criterion"] == "safety"
            }
            for end in ("", "_as_released")
        )
        assert int(plain["icc_a1"]) < int(released["icc_a1"])

    def test_a_mean_below_zero_stays_a_number(self, ada, as_user):
        team = {ada: [TeamRole.COORDINATOR]}
        study = study_with(rubric="mentalalign", key="pond", team=team, n_items=12)
        ruth, echo = human("ruth"), judge("echo")
        for place, item in enumerate(items_of(study)):
            item.generator = ("toad", "newt", "frog")[place % 3]
            item.save(update_fields=["generator"])
            rate(ruth, item, safety=-2)
            rate(echo, item, safety=1 + place % 5)
        address = "/studies/pond/agreement/matrix/means.csv"
        answer = as_user(ada).get(address, {"values": "released"})
        rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
        assert {float(row["people"]) for row in rows} == {-2.0}

    def test_every_table_is_there_in_three_formats_and_in_the_document(self, files):
        keys = {name.split("/")[1][:-4] for name in files if re.match(r"tables/.*\.tex", name)}
        assert keys >= {"item_level", "judges_ceiling", "safety", "trust", "powered_means", "plan"}
        document = files["report.tex"].decode()
        for key in keys:
            assert rf"\input{{tables/{key}}}" in document
            assert files[f"tables/{key}.csv"], key
            assert files[f"tables/{key}.md"].startswith(b"## "), key

    def test_every_work_of_the_methods_is_there_for_bibtex(self, files):
        listed = files["methods.en.md"].decode().split("## References\n\n- ")[1].split("- ")
        entries = files["references.bib"].decode()
        assert entries.count("\n@") + 1 == len(listed)
        for work in listed:
            family = work.split(",")[0]
            assert f"author = {{{family}," in entries, work

    def test_it_opens_without_tex_and_needs_nothing_else(self, files):
        page = files["report.html"].decode()
        assert "<script" not in page
        assert not re.search(r"(?:src|href)=\"(?!#)", page)
        for name in files:
            if name.startswith("tables/") and name.endswith(".tex"):
                assert f'id="{name[7:-4]}"' in page, name
                assert f'<a href="#{name[7:-4]}">' in page, name
        rows = table(files, "tables/item_level.csv")
        values = [row["value"] for row in rows if row["statistic"] == "icc_a1" and row["value"]]
        assert values, "there is an ICC to look for"
        assert all(f"{float(value):.2f}".replace("-", "−") in page for value in values)
        assert files["report.pdf"].startswith(b"%PDF-")
        assert files["report.pdf"].rstrip().endswith(b"%%EOF")

    def test_each_link_leads_to_one_place(self, files):
        page = files["report.html"].decode()
        places = re.findall(r"\bid=\"([^\"]+)\"", page)
        assert len(places) == len(set(places))
        assert set(re.findall(r"href=\"#([^\"]+)\"", page)) <= set(places)

    def test_figures_are_numbered_as_on_paper(self, files):
        page = files["report.html"].decode()
        numbers = re.findall(r"<figcaption><strong>Figure (\d+): ", page)
        assert numbers == [str(n) for n in range(1, page.count("<figure>") + 1)]
        assert numbers

    def test_a_long_table_is_folded_for_the_reader_to_open(self, scored, monkeypatch):
        drawn = {"svg": "<svg/>"}
        monkeypatch.setattr(drawing._drawer, "ask", lambda order, **_: drawn.get(order["as"], ""))
        monkeypatch.setattr(typst, "compile", lambda source, root: b"")
        monkeypatch.setattr(web, "MOST_OPEN", 3)
        whole = written(scored)["report.html"].decode()
        tables = re.findall(r"<h3 id=\"(\w+)\">.*?<tbody>(.*?)</tbody>", whole, re.DOTALL)
        n_rows = {key: body.count("<tr>") for key, body in tables}
        folded = re.findall(r"<summary>(\d+) rows, also in tables/(\w+)\.csv</summary>", whole)
        assert {key: int(n) for n, key in folded} == {key: n for key, n in n_rows.items() if n > 3}
        assert folded
        assert len(folded) < len(n_rows)

    def test_it_has_the_colours_of_the_site_in_the_light_and_in_the_dark(self):
        style = (REPO / "analytics" / "report" / "report.css").read_text()
        site = (REPO / "static" / "css" / "site.css").read_text()
        named = dict(re.findall(r"--([\w-]+): light-dark\((.*?)\);", site))
        light, dark = (
            dict(re.findall(r"--([\w-]+): (#\w+);", part)) for part in style.split("@media screen")
        )
        assert light.keys() == dark.keys() == PAPER.keys()
        for name in PAPER:
            assert f"{light[name]}, {dark[name]}" == named[name]

    def test_the_pdf_has_the_first_rows_of_a_long_table_and_says_where_all_are(
        self, files, scored, monkeypatch
    ):
        """Setting 1,456 rows took the memory that a worker may have."""
        drawn = {"svg": "<svg/>"}
        monkeypatch.setattr(drawing._drawer, "ask", lambda order, **_: drawn.get(order["as"], ""))
        monkeypatch.setattr(typst, "compile", lambda source, root: Path(source).read_bytes())
        monkeypatch.setattr(paper, "MOST_ROWS", 2)
        source = written(scored)["report.pdf"].decode()

        _head, _line, *rows = re.findall(
            r"^\|.*", files["tables/item_level.md"].decode(), re.MULTILINE
        )
        assert f"{len(rows) - 2} more rows are in the files. tables/item_level.csv" in source
        # A chapter stands above its first table, and its pages turn once at most: what turns begins anew.
        chapters = source.split("#pagebreak")
        assert max(one.count("#set page(flipped: true)") for one in chapters) == 1
        assert not re.search(r"^#heading\(level: 1.*\n#set page", source, re.MULTILINE)
        turns = re.findall(r"#set page\(flipped: (\w+)\)", source)
        assert len(turns) > 2
        assert set(pairwise(turns)) == {("true", "false"), ("false", "true")}
        after_heads = [one.split("table.hline())")[0] for one in source.split("table.header(")[1:]]
        assert {one.count("\n  [") for one in after_heads} <= {1, 2}

    @pytest.mark.parametrize("report", ["files", "labelled"])
    def test_latex_prints_what_it_would_take_for_commands(self, report, request, db):
        files = request.getfixturevalue(report)
        in_latex = {name: files[name].decode() for name in files if name.endswith(".tex")}
        assert len(in_latex) > 10
        for name, content in in_latex.items():
            text = re.sub(r"^%.*$|ctex\} %.*$", "", content, flags=re.MULTILINE)
            assert "%" not in text.replace(r"\%", ""), name
            assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
            assert not re.search(r"\\\\\n\s*[\[*]", text), name

    @pytest.mark.parametrize("report", ["files", "labelled"])
    def test_a_table_has_the_figures_of_the_report_with_every_digit(self, report, request, db):
        files = request.getfixturevalue(report)
        of_parts = table(files, "tables/every_figure.csv")
        known = {
            tuple(row[name] for name in ("value", "low", "high", "n_items")) for row in of_parts
        }
        # These are computed for the table and its plot.
        own = {
            "tables/every_figure.csv",
            "tables/questions.csv",
            "tables/routing_costs.csv",
        }
        n = 0
        for name in files:
            if re.match(r"tables/.*\.csv", name) and name not in own:
                for row in table(files, name):
                    if row.get("statistic"):
                        n += 1
                        found = tuple(row[key] for key in ("value", "low", "high", "n_items"))
                        assert found in known, (name, row)
        assert n > 50

    @pytest.mark.parametrize(
        ("name", "columns"),
        [
            ("trust", ["Verdict", "Because of", "Measured by"]),
            ("trust_lines", ["The rules ask", "Outcome", "Why"]),
            ("plan_positives", ["It takes", "Without a miss"]),
            ("what_went_in", ["Reasons for no value"]),
        ],
    )
    def test_columns_of_words_are_not_set_like_figures(self, labelled, name, columns):
        lines = labelled[f"tables/{name}.md"].decode().splitlines()
        ruled = next(place for place, line in enumerate(lines) if line.startswith("| -"))
        head, sides = ([one.strip() for one in lines[at].split("|")] for at in (ruled - 1, ruled))
        assert {sides[head.index(column)] for column in columns} == {"---"}
        assert "---:" in sides or name == "trust"

    def test_the_contents_say_what_every_table_and_figure_shows(self, files):
        contents = json.loads(files["contents.json"])
        tables = [one for part in contents["parts"] for one in part["tables"]]
        for one in tables:
            assert one["title"], one["key"]
            assert one["caption"].endswith("."), one["key"]
            assert len({len(one["head"]), *map(len, one["rows"])}) == 1, one["key"]
        assert {one["key"] for one in tables} == {
            name[7:-3] for name in files if re.match(r"tables/.*\.md", name)
        }
        figures = [one for part in contents["parts"] for one in part["figures"]]
        assert {f"figures/{one['key']}.svg" for one in figures} == {
            name for name in files if name.endswith(".svg")
        }
        assert all(one["caption"] for one in figures)

    def test_the_figure_of_bias_has_no_people_and_says_who_is_higher(self, files):
        parts = json.loads(files["contents.json"])["parts"]
        figures = {one["key"]: one for part in parts for one in part["figures"]}
        bias, exact = figures["forest_bias"], figures["forest_exact"]
        assert (bias["title"], exact["title"]) == (
            "Bias of judges",
            "Exact agreement of people and judges",
        )
        assert "Right of 0 the judge rates higher than people." in bias["caption"]
        assert "people among themselves" not in bias["caption"]
        assert "A circle is people among themselves" in exact["caption"]

    def test_the_policy_and_the_seeds_stand_in_methods_and_numbers(self, files):
        told = json.loads(files["report.json"])
        assert told["policy"]["sha256"] in files["methods.en.txt"].decode()
        assert "It was not fixed beforehand" in files["methods.en.txt"].decode()
        assert str(told["seeds"]["bootstrap"]) in files["methods.en.txt"].decode()

    def test_names_are_neither_formulas_nor_html_nor_links(self, rated):
        rated.name = "Cost $\\frac$ <b>pond</b> [a](javascript:b)"
        rated.save(update_fields=["name"])
        Rater.objects.filter(key="echo").update(name="$\\frac$ <i>echo</i>\nor | so")
        files = written(rated)
        assert "figures/confusion_echo.svg" in files
        for name, content in files.items():
            if name.endswith(".md"):
                for markup in ("<b>", "<i>", "](", "\nor"):
                    assert markup not in content.decode(), (name, markup)

    def test_a_study_without_ratings_has_a_report_too(self, pond):
        files = written(pond)
        assert b"No two raters share an item" in files["methods.en.txt"]
        assert numbers.check(files).differing == ()


class TestComputingAgain:
    def test_every_number_comes_out_again_from_the_file(self, files):
        found = numbers.check(files)
        assert found.n_numbers > 500
        assert found.greatest == 0
        assert (found.differing, found.not_compared) == ((), ())
        assert json.loads(files["report.json"])["parts"].keys() == PARTS.keys()

    def test_labels_gold_and_repeats_survive_the_files(self, rated):
        ratings = matrices.read(rated.pk)
        there = basis.of_study(rated, ratings)
        back = basis.read(basis.files_of(there))
        assert basis.files_of(back) == basis.files_of(there)
        again = matrices.matrix(back.ratings, "safety")
        assert (again.gold == matrices.matrix(ratings, "safety").gold).all()
        assert again.values.shape == (6, 3)

    def test_keys_that_look_like_formulas_are_read_back_as_they_are(self, rated):
        """With and without a quote of their own before them, and two that only it tells apart."""
        keys = ["=1+1", "'=1+1", "''=1+1", "'+49", "@home", "'d6'"]
        for key, item in zip(keys, items_of(rated), strict=True):
            Item.objects.filter(pk=item.pk).update(key=key, generator=key)
            item.dialogue.key = key
            item.dialogue.save(update_fields=["key"])
        Rater.objects.filter(key="echo").update(key="'=echo")
        files = written(rated)
        assert numbers.check(files).differing == ()
        back = basis.read(files)
        assert list(back.items) == list(back.dialogues) == keys
        assert back.ratings.generators.tolist() == keys
        assert "'=echo" in {rater.key for rater in back.ratings.raters}

    def test_no_id_of_the_database_leaves_with_the_ratings(self, rated):
        hidden = basis.of_study(rated, matrices.read(rated.pk)).ratings
        assert hidden.items.tolist() == [1, 2, 3, 4, 5, 6]
        assert [rater.id for rater in hidden.raters] == [1, 2, 3]
        assert hidden.study_id == 0

    def test_a_rating_that_was_changed_later_is_noticed(self, labelled):
        files = labelled
        name = "data/ratings.csv"
        files[name] = files[name].replace(b"safe_response", b"nonsense", 1)
        with pytest.raises(basis.UnreadableReport, match="SHA-256"):
            numbers.check(files)

    def test_a_number_that_was_changed_later_is_named(self, labelled):
        files = labelled
        content = json.loads(files["report.json"])
        content["parts"]["agreement"]["reports"][0]["n_items"] += 1
        files["report.json"] = json.dumps(content).encode()
        assert numbers.check(files).differing == ("agreement.n_items",)

    @pytest.mark.parametrize(
        ("name", "off", "differs"),
        [
            ("icc_a1", 1e-7, True),
            ("icc_a1_reml", 1e-7, False),
            ("icc_a1_reml", 1e-3, True),
            ("latent", 1e-7, False),
        ],
    )
    def test_what_a_search_found_is_compared_less_strictly(self, name, off, differs):
        compared = numbers.ReportComparison()
        compared.compare({name: {"low": 0.5}}, {name: {"low": 0.5 + off}}, "agreement")
        assert bool(compared.differing) == differs

    def test_of_a_part_in_another_form_is_compared_what_both_have(self, labelled):
        files = labelled
        content = json.loads(files["report.json"])
        content["parts"]["agreement"]["reports"][0].pop("n_ratings")
        files["report.json"] = json.dumps(content).encode()
        found = numbers.check(files)
        assert (found.in_another_form, found.differing) == (("agreement",), ())
        content["parts"]["agreement"]["reports"][0]["n_items"] += 1
        content["parts"]["omens"] = content["parts"].pop("plan")
        files["report.json"] = json.dumps(content).encode()
        found = numbers.check(files)
        assert (found.differing, found.not_compared) == (("agreement.n_items",), ("omens",))

    def test_a_part_by_another_algorithm_may_differ_and_is_said_to(
        self, labelled, tmp_path, capsys
    ):
        content = json.loads(labelled["report.json"])
        content["parts"]["calibration"].pop("algorithm")  # as before it was told
        content["parts"]["calibration"]["reports"][0]["folds"] = 4
        for name, held in labelled.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes(held)
        written = json.dumps(content).encode()
        found = numbers.check(labelled | {"report.json": written})
        assert (found.computed_otherwise, found.differing) == ({"calibration": 1}, ())
        (tmp_path / "report.json").write_bytes(written)
        with pytest.raises(CommandError, match=r"report\.json"):  # edited, which its sum tells
            call_command("report", check=str(tmp_path))
        told = capsys.readouterr().out
        assert "calibration: computed otherwise by this Concord, 1 of its numbers differ\n" in told

    @pytest.mark.parametrize(
        ("then", "now", "differing"),
        [
            ({"n": 3}, {"n": 3, "n_people": 2}, ()),
            ({"n": 3}, {"n": 4, "n_people": 2}, ("part.n",)),
            ({"value": 0.5}, {"value": None}, ("part.value",)),
            (
                dict.fromkeys("hgfedcba", 1),
                dict.fromkeys("hgfedcba", 2) | {"n": 3},
                tuple(f"part.{key}" for key in "abcdefgh"),
            ),
            ({"n": 3, "is_gold": True}, {"n": 4}, ()),
            ({"is_gold": True, "held": {"n": 3}}, {"held": {"n": 4}}, ("part.held.n",)),
            (
                {"value": 0.5, "low": 0.1, "high": 0.7, "method": "jackknife"},
                {"value": 0.5, "low": 0.2, "high": 0.8, "method": "score"},
                (),
            ),
            (
                {"value": 0.5, "low": 0.1, "method": "jackknife"},
                {"value": 0.6, "low": 0.2, "method": "score"},
                ("part.value",),
            ),
            (
                {"low": 0.1, "method": "jackknife"},
                {"low": 0.2, "method": "jackknife"},
                ("part.low",),
            ),
            ({"rows": [1, 2]}, {"rows": [1, 2, 3]}, ()),
            ({"rows": [1, 2]}, {"rows": [1, 3]}, ("part.rows[1]",)),
            ({"name": "Safety"}, {"name": "Harm"}, ()),
        ],
    )
    def test_two_forms_are_compared_where_they_mean_the_same(self, then, now, differing):
        compared = numbers.ComparisonAcrossForms()
        compared.compare(then, now, "part")
        assert tuple(compared.differing) == differing

    def test_the_numbers_of_release_0_1_0_come_out_again(self, db, capsys):
        call_command("report", check=str(OLDER_REPORTS / "0.1.0.zip"))
        said = capsys.readouterr().out
        assert "agreement: written in another form, compared where both have the same" in said
        otherwise = re.findall(
            r"(\w+): computed otherwise by this Concord, (\d+) of its numbers", said
        )
        assert "agreement" in dict(otherwise)
        assert {n for _part, n in otherwise} == {"0"}  # nor are they, of so few dialogues
        computed, rest = said.splitlines()[-1].split(" numbers computed again; ")
        assert (
            int(computed.replace(",", "")) > 58_000
        )  # a judge with each person once, in agreement
        assert float(re.findall(r"[\d.e+-]+\d", rest)[0]) < numbers.TOLERANCE

    @pytest.mark.parametrize(
        ("name", "old", "new", "where"),
        [
            ("data/ratings.csv", b",0,nonsense,", b",0,safe_response,", ", row "),
            ("data/gold.csv", b",0,nonsense", b",0,safe_response", ", row 3, label"),
            ("data/ratings.csv", b",false\n", b",no\n", ", row 1, off_scale"),
            ("data/items.csv", b",false,", b",FALSE,", ", row 1, quarantined"),
            ("data/items.csv", b"\n", b"\r\n", ""),
            ("data/study.json", b'"revision"', b'"remark": "x", "revision"', ", remark"),
            ("data/study.json", b'"rubric_fingerprint": "', b'"rubric_fingerprint": "0', None),
            ("report.json", b'"resamples": 1000', b'"resamples": 9000', ".seeds.resamples"),
            ("report.json", b'"study": "pond"', b'"study": "lake"', None),
            ("report.json", b'"text": "', b'"text": "# ', ".policy"),
            ("report.json", b'"revision": ', b'"revision": 1', None),
        ],
    )
    def test_what_no_figure_is_made_of_is_compared_as_well(self, labelled, name, old, new, where):
        """By somebody who makes the sum of the ratings anew."""
        files = labelled
        assert old in files[name]
        files[name] = files[name].replace(old, new, 1)
        told = files["report.json"].decode()
        before = json.loads(told)["data"]["sha256"]
        files["report.json"] = told.replace(before, basis.sha256_of(files)).encode()
        differing = numbers.check(files).differing
        assert differing
        assert where is None or any(one.startswith(f"{name}{where}") for one in differing)

    def test_a_view_that_was_taken_out_or_put_in_is_missed(self, labelled):
        files = labelled
        content = json.loads(files["report.json"])
        (plain,) = content["parts"]["plan"]["reports"]
        for reports in ([], [plain, plain], [plain | {"view": plain["view"] | {"within": "x"}}]):
            content["parts"]["plan"]["reports"] = reports
            files["report.json"] = json.dumps(content).encode()
            assert numbers.check(files).differing == ("plan.reports",)

    @pytest.mark.parametrize("value", ["1" + "0" * 400, "1e999", "NaN"])
    def test_a_number_that_nothing_can_be_reckoned_with_differs(self, labelled, value):
        files = labelled
        content = files["report.json"].replace(b'"n_items": 6', b'"n_items": %s' % value.encode())
        files["report.json"] = content
        found = numbers.check(files)
        assert found.differing
        assert found.greatest == 0

    @pytest.mark.parametrize(
        ("name", "content", "sentence"),
        [
            ("report.json", None, "There is no report.json"),
            ("report.json", b"{", "report.json is not JSON"),
            ("report.json", b"[" * 99_999, "report.json is not JSON"),
            ("report.json", b'{"a": {"b": 1, "b": 2}}', "“b” is there twice"),
            ("report.json", b"{}", "not in the format concord-report/1"),
            ("report.json", b'{"format": "concord-report/1"}', "report.json, computed_at: "),
            ("SHA256SUMS", b"none\n", "SHA256SUMS, line 1"),
            ("data/items.csv", None, "data/items.csv is missing"),
        ],
    )
    def test_what_is_no_report_is_told_in_a_sentence(self, labelled, name, content, sentence):
        files = labelled
        if content is None:
            del files[name]
        else:
            files[name] = content
        with pytest.raises(basis.UnreadableReport, match=sentence):
            numbers.check(files)

    @pytest.mark.parametrize(
        ("name", "old", "new", "sentence"),
        [
            ("data/ratings.csv", b"d1.1,", b"d9.9,", "there is no item “d9.9”"),
            ("data/ratings.csv", b"item,rater", b"thing,rater", "needs the columns item, rater"),
            ("data/gold.csv", b",7,", b",one,", "column value"),
            ("data/study.json", b'"raters"', b'"people"', "data/study.json, raters: "),
            (
                "data/study.json",
                b'"kind": "judge"',
                b'"kind": "oracle"',
                "data/study.json, raters.2.kind",
            ),
            ("data/ratings.csv", b",safety,", b",warmth,", "row 1: there is no criterion “warmth”"),
            ("data/items.csv", b"d1.1,d1,1", b"d1.1,d1,1.5", "dialogue_number is no whole number"),
            ("data/items.csv", b"d1.1,d1,1", b"d2.1,d1,1", "d2.1 is there twice"),
            ("data/items.csv", b"d1.1,d1,1", b"d1.1,d1", "row 1: 5 cells in place of 6"),
            ("data/items.csv", b"d1.1", b"\xff", "data/items.csv is no CSV file in UTF-8"),
        ],
    )
    def test_ratings_that_cannot_be_read_name_file_and_line(self, rated, name, old, new, sentence):
        files = basis.files_of(basis.of_study(rated, matrices.read(rated.pk)))
        assert old in files[name]
        files[name] = files[name].replace(old, new, 1)
        with pytest.raises(basis.UnreadableReport, match=sentence):
            basis.read(files)


class TestCommand:
    def test_it_writes_a_zip_or_a_folder_with_the_same_files_that_it_can_compute_again(
        self, rated, tmp_path, capsys
    ):
        folder, archive = tmp_path / "pond", tmp_path / "pond.zip"
        for target in (folder, archive):
            call_command("report", "pond", to=str(target))
            assert f"revision {rated.revision}" in capsys.readouterr().out
        assert bundle.read(folder) == bundle.read(archive)
        for target in (folder, archive):
            call_command("report", check=str(target))
            assert "the greatest difference is 0.0e+00." in capsys.readouterr().out
        assert Event.objects.filter(verb="report.written", actor=None).count() == 2

    def test_ratings_of_an_open_round_stay(self, pond_round, tmp_path, capsys):
        for assignment in Assignment.objects.filter(round=pond_round):
            submit(assignment, safety=SAFE)
        call_command("report", "pond", to=str(tmp_path / "pond.zip"))
        assert STILL_OPEN in capsys.readouterr().err
        assert not [name for name in bundle.read(tmp_path / "pond.zip") if bundle.is_data(name)]

    @pytest.mark.parametrize("name", ["tables/item_level.csv", "report.html", "methods.en.md"])
    def test_what_was_printed_from_the_numbers_is_compared_too(
        self, labelled, tmp_path, capsys, name
    ):
        """The page that people read may have been edited while its numbers were left alone."""
        files = labelled
        files[name] = files[name].replace(b"0", b"1", 1)
        target = tmp_path / "pond.zip"
        target.write_bytes(writers.zipped(files))
        with pytest.raises(CommandError, match="1 files are not as they were written"):
            call_command("report", check=str(target))
        assert f"{name}: not as it was written" in capsys.readouterr().out

    def test_what_was_left_out_of_a_report_is_not_missed(self, labelled, tmp_path, capsys):
        files = {name: one for name, one in labelled.items() if not name.startswith("figures/")}
        content = json.loads(files["report.json"])
        del content["parts"]["trust"], files["SHA256SUMS"]
        files["report.json"] = json.dumps(content).encode()
        target = tmp_path / "pond.zip"
        target.write_bytes(writers.zipped(files))
        call_command("report", check=str(target))
        told = capsys.readouterr().out
        assert "trust: not in this report" in told
        assert f"{len(files)} files, the first CHART.md: not in SHA256SUMS" in told

    def test_a_report_that_differs_fails(self, labelled, tmp_path):
        files = labelled
        files["report.json"] = files["report.json"].replace(b'"n_items": 6', b'"n_items": 7')
        target = tmp_path / "pond.zip"
        target.write_bytes(writers.zipped(files))
        with pytest.raises(CommandError, match="places differ"):
            call_command("report", check=str(target))

    @pytest.mark.parametrize(
        ("asked", "sentence"),
        [
            ({}, "Name a study"),
            ({"study": "pond"}, "Name a study"),
            ({"study": "lake", "to": "{}/lake.zip"}, "There is no study “lake”"),
            ({"study": "pond", "to": "{}"}, "is there already"),
            ({"study": "pond", "to": "{}/no/pond.zip"}, "There is no folder"),
            ({"check": "{}/none.zip"}, "There is no file"),
            ({"check": "{}/mine.txt"}, "is not a zip"),
            ({"check": "{}/damaged.zip"}, "is not a zip"),
        ],
    )
    def test_bad_input_is_a_sentence(self, pond, tmp_path, asked, sentence):
        (tmp_path / "mine.txt").write_text("mine")
        damaged = bytearray(writers.zipped({"a": b"mine" * 99}))
        damaged[31:36] = b"\xff" * 5  # what stands behind the name of its one file
        (tmp_path / "damaged.zip").write_bytes(damaged)
        words = {key: value.format(tmp_path) for key, value in asked.items()}
        study = words.pop("study", None)
        with pytest.raises(CommandError, match=sentence):
            call_command("report", *([study] if study else []), **words)


class TestPage:
    def test_it_is_for_coordinators_and_researchers(
        self, kept, as_user, ada, gwen, ben, dora, sam, eli
    ):
        for_whom = {ada: 200, gwen: 200, ben: 403, dora: 403, sam: 404, eli: 403}
        for address in (URL, CHECKS, FILES + "methods.en.md"):
            found = {user: as_user(user).get(address).status_code for user in for_whom}
            assert found == for_whom, address

    def test_it_shows_methods_and_tables_before_anybody_asked(self, rated, as_user, ada):
        said = text_of(as_user(ada).get(URL))
        assert "Nobody has had the report written yet." in said
        assert "a first look" in said
        assert "6 items from 6 dialogues were rated by 2 people and 1 judge" in said
        assert "Agreement at item level" in said
        assert "Ruth" not in said
        assert re.search(r"R-[A-Z2-7]{10}", said)

    def test_methods_say_whether_the_rules_came_before_the_judges(self, rated, ada):
        report = agreement.report(matrices.read(rated.pk), view=PLAIN, at=AT)

        def said():
            told = MethodsBasis(
                study="Pond",
                reports={PLAIN: report},
                judges=(),
                tables=frozenset({"trust"}),
                held=policies.held(rated),
                n_quarantined=0,
                n_to_qualify=1,
            )
            return text_of_methods(told)

        assert "It was not fixed beforehand: read these verdicts as a preview." in said()
        assert "1 answer that was given to qualify was left out." in said()
        judged = rated.submissions.filter(rater__kind="judge")
        for n, words in [(6, "given 6 ratings of items"), (1, "rated 1 item")]:
            judged.exclude(pk__in=judged[:n]).update(is_current=False)
            access = study_for(access_of(ada, at=timezone.now()), "pond")
            key = "default" if n == 6 else "strict"
            fix_policy(study_access=access, key=key, by=ada, at=AT)
            assert f"It was fixed on 2026-03-02, after judges had {words}." in said()

    def test_who_asks_sees_that_it_is_on_its_way_and_asking_again_asks_once(
        self, rated, as_user, ada
    ):
        client = as_user(ada)
        for _ in range(2):
            assert client.post(URL).status_code == 302
        assert Event.objects.filter(verb="report.asked").count() == 1
        said = text_of(client.get(URL))
        assert "The report is being written It waits for a worker." in said
        assert "Write" not in said.split("Download")[1].split("Methods")[0]

    def test_where_nobody_comes_the_page_says_so(self, rated, as_user, ada):
        client = as_user(ada)
        client.post(URL)
        FileJob.objects.update(asked_at=timezone.now() - timedelta(minutes=3))
        assert "No worker has taken it yet" in text_of(client.get(URL))

    def test_a_written_report_is_listed_and_handed_out_with_a_line_in_the_trail(
        self, rated, kept, as_user, gwen
    ):
        client = as_user(gwen)
        assert kept.sha256 in text_of(client.get(URL))
        whole = client.get(FILES + "report.zip")
        content = whole.getvalue()
        assert writers.sha256_of_bytes(content) == kept.sha256
        assert whole.headers["Content-Length"] == str(len(content))
        assert whole.headers["Content-Disposition"].endswith(
            f'filename="pond-r{rated.revision}-report.zip"'
        )
        one = client.get(FILES + "figures/forest_kappa.svg")
        assert one.headers["Content-Type"] == "image/svg+xml"
        trail = Event.objects.filter(verb="report.downloaded").order_by("pk")
        assert [event.facts["file"] for event in trail] == [
            "report.zip",
            "figures/forest_kappa.svg",
        ]
        assert [event.facts["ratings"] for event in trail] == [True, False]

    def test_every_table_and_figure_is_on_the_page_with_its_formats(self, kept, as_user, gwen):
        client = as_user(gwen)
        page = client.get(URL).content.decode()
        for part in ("agreement", "judges", "safety", "trust", "raters", "plan"):
            assert f'id="part-{part}"' in page
        for name in kept.listing:
            if name.startswith(("tables/", "figures/")):
                assert f'href="{FILES}{name}"' in page, name
        assert re.search(r'<img src="[^"]+/figures/confusion_echo/" alt="Echo and people', page)
        assert re.search(r'<th scope="col" class="wraps">\s*Verdict\b', page)
        assert re.search(r'<th scope="col" class="wraps number">\s*Items \(pairs\)', page)
        assert "bootstrap 20190520" in text_of(client.get(URL))
        assert "Default" in text_of(client.get(URL))

    def test_a_figure_is_looked_at_without_a_line_in_the_trail(self, kept, as_user, gwen, ben):
        address = URL + "figures/confusion_echo/"
        shown = as_user(gwen).get(address)
        assert shown.headers["Content-Type"] == "image/svg+xml"
        assert shown.content.startswith(b"<svg")
        assert not Event.objects.filter(verb="report.downloaded").exists()
        assert as_user(gwen).get(URL + "figures/none/").status_code == 404
        assert as_user(ben).get(address).status_code == 403

    def test_the_page_comes_anew_once_the_report_is_written(self, rated, as_user, ada):
        client = as_user(ada)
        client.post(URL)
        progress = f"/studies/pond/files/{FileJob.objects.get().pk}/progress/"
        assert progress in client.get(URL).text
        assert "HX-Refresh" not in client.get(progress).headers
        make_for_all("report")
        assert client.get(progress).headers["HX-Refresh"] == "true"

    def test_what_was_written_before_goes_an_hour_after_the_next(self, rated, as_user, gwen):
        client = as_user(gwen)
        client.post(URL)
        make_for_all("report")
        leaves = client.get(FILES + "report.zip")
        rate(human("rita"), items_of(rated)[0], safety=BAD)
        client.post(URL)
        make_for_all("report")
        before = FilePiece.objects.exclude(kept_at=None).count()
        assert before > 20
        assert ZipFile(io.BytesIO(leaves.getvalue())).testzip() is None
        sweep(at=timezone.now() + timedelta(hours=2))
        assert not FilePiece.objects.exclude(kept_at=None).exists()
        whole = ZipFile(io.BytesIO(client.get(FILES + "report.zip").getvalue()))
        assert whole.testzip() is None
        for name in whole.namelist():
            assert client.get(FILES + name).getvalue() == whole.read(name), name

    @pytest.mark.parametrize("name", ["report.txt", "../settings.py", "figures/none.svg"])
    def test_a_file_that_there_is_not_is_not_found(self, kept, as_user, gwen, name):
        assert as_user(gwen).get(FILES + name).status_code == 404

    def test_newer_ratings_are_pointed_out(self, rated, kept, as_user, ada):
        assert "There are newer ratings." not in text_of(as_user(ada).get(URL))
        rate(human("rita"), items_of(rated)[0], safety=BAD)
        assert "There are newer ratings." in text_of(as_user(ada).get(URL))


class TestBlinding:
    def test_ratings_leave_with_an_exporter_only(self, kept, as_user, ada):
        client = as_user(ada)
        assert client.get(FILES + "data/ratings.csv").status_code == 403
        with ZipFile(io.BytesIO(client.get(FILES + "report.zip").getvalue())) as whole:
            assert not [name for name in whole.namelist() if name.startswith("data/")]

    def test_while_a_round_is_open_everything_but_the_ratings_may_leave(
        self, pond, pond_round, as_user, ada, gwen
    ):
        for assignment in Assignment.objects.filter(round=pond_round):
            submit(assignment, safety=SAFE)
        client = as_user(gwen)
        client.post(URL)
        make_for_all("report")
        assert STILL_OPEN in text_of(client.get(URL))
        assert client.get(FILES + "data/ratings.csv").status_code == 403
        with ZipFile(io.BytesIO(client.get(FILES + "report.zip").getvalue())) as whole:
            assert "report.json" in whole.namelist()
            assert not [name for name in whole.namelist() if name.startswith("data/")]
        rounds.close(round_id=pond_round.pk, by=ada, at=AT)
        assert client.get(FILES + "data/ratings.csv").status_code == 200

    def test_who_annotates_gets_no_judge_s_answers(self, kept, as_user, ada):
        ada.memberships.update(roles=[TeamRole.COORDINATOR, TeamRole.ANNOTATOR, TeamRole.EXPORTER])
        client = as_user(ada)
        assert COULD_SWAY in text_of(client.get(URL))
        assert client.get(FILES + "data/ratings.csv").status_code == 403
        assert client.get(FILES + "tables/item_level.csv").status_code == 200


class TestVerification:
    def verified(self, study, by) -> Verification:
        now = timezone.now()
        access = study_for(access_of(by, at=now), study.key)
        verifications.ask(study_access=access, view=PLAIN, by=by, at=now)
        make_for_all("verification")
        return Verification.objects.get()

    def test_every_figure_stands_beside_that_of_a_package_or_the_reason(self, scored, ada):
        checks = self.verified(scored, ada).checks
        assert {one["package"] for one in checks} >= {
            "pingouin",
            "krippendorff",
            "scikit-learn",
            "scipy",
            "numpy",
            "",
        }
        for one in checks:
            assert one["version"] or not one["package"]
            assert one["theirs"] is not None or one["reason"], one
            if one["theirs"] is not None and one["ours"] is not None:
                assert one["ours"] == pytest.approx(one["theirs"], abs=1e-9), one

    def test_the_comparison_s_page_shows_ours_theirs_and_the_difference(self, rated, as_user, ada):
        self.verified(rated, ada)
        page = "/studies/pond/agreement/criteria/safety/judge_humans/"
        echo = rated.submissions.get(rater__key="echo", item__key="d1.1").rater_id
        answer = as_user(ada).get(f"{page}{echo}/")
        assert "verified" in assert_the_same(as_user(ada), f"{page}{echo}/")
        said = text_of(answer)
        assert "Ours Theirs Difference Package" in said
        assert "scikit-learn 1." in said
        assert "None of the packages here computes this" in said

    def test_everybody_sees_what_one_has_asked_for(self, rated, as_user, ada, gwen):
        self.verified(rated, ada)
        said = text_of(as_user(gwen).get(URL))
        assert re.search(r"\d+ of \d+ figures recomputed with .* agree to 1e-09", said)
        assert "Verify again" not in said, "the same would come of it"

    def test_who_sees_no_single_raters_looks_at_them_and_takes_no_file(
        self, rated, as_user, ada, gwen
    ):
        """Nothing in them says how few items a figure rests on."""
        self.verified(rated, ada)
        let_pass(rated, by=ada)
        Grant.objects.filter(person=gwen, level="per_rater").update(revoked_at=timezone.now())
        for reader, status in ((ada, 200), (gwen, 404)):
            page = as_user(reader).get(CHECKS).text
            assert "Ours and theirs, figure by figure" in page
            assert ("table=verified" in page) is (status == 200)
            taken = as_user(reader).get(CHECKS, {"table": "verified", "as": "csv"})
            assert taken.status_code == status

    def test_a_report_says_what_was_verified_at_its_revision(
        self, rated, labelled, ada, without_figures
    ):
        assert b"recomputed with" not in labelled["methods.en.txt"]
        self.verified(rated, ada)
        assert b"recomputed with" in written(rated)["methods.en.txt"]

    def test_a_button_leads_back_to_where_it_was_and_nowhere_else(self, rated, as_user, ada):
        client = as_user(ada)
        here = "/studies/pond/agreement/criteria/safety/humans/all/"
        assert client.post(CHECKS, {"next": here}).url == here
        assert client.post(CHECKS, {"next": "https://evil.example/"}).url.startswith(URL)


@pytest.mark.django_db(transaction=True)
def test_a_real_worker_writes_the_report_and_verifies_the_figures(
    rated, as_user, gwen, start_worker
):
    client = as_user(gwen)
    start_worker()
    client.post(URL)
    client.post(CHECKS)
    wait_until(lambda: b"Everything, one zip" in client.get(URL).content)
    wait_until(lambda: b"agree to 1e-09" in client.get(CHECKS).content)
    assert numbers.check(bundle_of(client)).differing == ()


def bundle_of(client) -> dict[str, bytes]:
    with ZipFile(io.BytesIO(client.get(FILES + "report.zip").getvalue())) as whole:
        return {name: whole.read(name) for name in whole.namelist()}


def test_estimates_are_found_wherever_a_part_holds_them(scored):
    ratings = basis.of_study(scored, matrices.read(scored.pk)).ratings
    names = {rater.id: rater.key for rater in ratings.raters}
    made = numbers.made(ratings, at=AT)
    assert made.keys() == PARTS.keys()
    for key, reports in made.items():
        found = list(numbers.estimates(reports[PLAIN], names))
        assert all(isinstance(one, Estimate) for _where, one in found), key
        assert all(where for where, _one in found), key
