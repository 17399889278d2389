"""What leaves a study, for whom, and the trail it leaves."""

import csv
import hashlib
import io
import json
import re
from dataclasses import replace
from datetime import timedelta
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.ledger import sealing
from accounts.ledger.verifying import verify
from accounts.models import Event, Suspension, User
from analytics.exports import actions as exports
from analytics.exports import bundle
from analytics.exports.pseudonyms import pseudonym
from analytics.models import Export
from analytics.tasks import build_export
from analytics.trust.actions import fix_policy
from annotation.actions import rounds
from annotation.actions.jobs import sweeping
from annotation.models import Assignment, FileJob, FilePiece, Study, TeamRole
from annotation.rules.protocol import AT_ONCE, GateMeasure, as_data
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
from tests.analytics.test_cases import access_to
from tests.analytics.walking import assert_the_same
from tests.annotation.doing import opened
from tests.cast import study_with
from tests.services import beside, came_of

URL = "/studies/pond/export/"
SAFE, BAD = "safe_response", "nonsense"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def export_folder(settings, tmp_path):
    settings.EXPORT_DIR = tmp_path / "exports"
    settings.UPLOAD_DIR = tmp_path / "uploads"


@pytest.fixture
def rated(pond, ada):
    ruth, echo = human("ruth"), judge("echo", "toad")
    first, second, third, *_ = items_of(pond)
    rate(ruth, first, safety=SAFE)
    rate(ruth, second, safety="[missing]")
    rate(echo, first, safety=BAD)
    rate(echo, first, repeat=2, safety=SAFE)
    rate(ruth, third, current=False, safety=BAD)
    decide(first, safety=SAFE)
    let_pass(pond, by=ada)
    pond.refresh_from_db()
    return pond


def asked(client, **form) -> FileJob:
    """An export has been asked for, once somebody else let it pass."""
    let_pass(Study.objects.get(key="pond"), by=User.objects.get(email="ada@example.org"))
    response = client.post(URL, form)
    assert response.status_code == 302, response.content
    return FileJob.objects.latest("pk")


def downloaded(client, job) -> ZipFile:
    response = client.post(f"{URL}{job.pk}/", follow=True)
    assert response.status_code == 200, response.content
    return ZipFile(io.BytesIO(b"".join(response.streaming_content)))


def exported(client, **form) -> ZipFile:
    job = asked(client, **form)
    build_export(job.pk)
    return downloaded(client, job)


def built_for(user) -> exports.Built:
    return exports.build(study_key="pond", with_texts=False, by=user, at=timezone.now())


def table(bundle_: ZipFile, name: str) -> list[dict]:
    """The rows, by item: their own order is the recipient's."""
    return by_item(csv.DictReader(io.StringIO(bundle_.read(name).decode())))


def lines(bundle_: ZipFile, name: str) -> list[dict]:
    return by_item(json.loads(line) for line in bundle_.read(name).decode().splitlines())


def by_item(rows) -> list[dict]:
    return sorted(rows, key=lambda row: row.get("item", ""))


def test_a_release_that_was_built_is_as_the_ledger_knows_it(
    rated, as_user, gwen, settings, tmp_path
):
    settings.CHECKPOINT_DIR = tmp_path
    exported(as_user(gwen))
    sealing.seal_all()
    assert FileJob.objects.exists()
    assert verify(folder=tmp_path).findings == []


def test_an_exporter_gets_a_zip_whose_sums_are_right(rated, as_user, gwen):
    found = exported(as_user(gwen))
    tables = ["derived", "gold", "items", "judge_calls", "ratings", "ratings_wide", "rounds"]
    assert found.namelist() == sorted(
        [
            *("CHART.md", "DATASHEET.md", "README.md", "SHA256SUMS", "TERMS.md", "codebook.csv"),
            *("croissant.json", "manifest.json", "manifest.sig", "rubric.json", "verify.py"),
            *(f"{name}.{kind}" for name in tables for kind in ("csv", "jsonl", "parquet")),
            *(f"judges.{kind}" for kind in ("jsonl", "parquet")),
        ]
    )
    sums = dict(
        reversed(line.split("  ")) for line in found.read("SHA256SUMS").decode().splitlines()
    )
    assert sums == {
        name: hashlib.sha256(found.read(name)).hexdigest()
        for name in found.namelist()
        if name != "SHA256SUMS"
    }
    manifest = json.loads(found.read("manifest.json"))
    assert {name: one["sha256"] for name, one in manifest["files"].items()} == {
        name: digest
        for name, digest in sums.items()
        if name not in ("manifest.json", "manifest.sig")
    }


def test_an_export_has_the_rules_of_the_trust_cards_with_their_fingerprint(
    rated, as_user, ada, gwen
):
    assert json.loads(exported(as_user(gwen)).read("manifest.json"))["trust_policy"] is None
    fix_policy(study_access=access_to(rated, ada), key="strict", by=ada, at=AT)
    found = exported(as_user(gwen))
    assert json.loads(found.read("manifest.json"))["trust_policy"] == {
        "key": "strict",
        "sha256": hashlib.sha256(found.read("trust_policy.toml")).hexdigest(),
        "fixed_at": AT.isoformat(),
        "ratings_by_judges_then": 2,
    }


def test_the_manifest_says_what_is_in_it_for_whom_and_under_which_terms(
    rated, as_user, gwen, terms, settings
):
    manifest = json.loads(exported(as_user(gwen)).read("manifest.json"))
    version = rated.rubric_version
    assert manifest["study"] == {"key": "pond", "name": "Pond", "language": "en"}
    assert manifest["revision"] == rated.revision
    assert manifest["rubric"]["fingerprint"] == version.fingerprint
    assert manifest["terms"] == {"number": terms.number, "sha256": terms.sha256}
    assert manifest["recipient"] == {"name": "Gwen", "email": "gwen@example.org"}
    assert manifest["concord"] == settings.VERSION
    assert manifest["filters"]["texts"] is False
    assert manifest["counts"] == {
        "derived": {},
        "derived_without_a_part": {},
        "gold": 1,
        "items": 6,
        "judge_calls": 0,
        "judges": 1,
        "off_scale": 0,
        "raters": {"human": 1, "judge": 1},
        "ratings": 4,
        "rounds": 0,
        "unscored": {"missing": 1},
    }


def test_items_say_whether_figures_leave_them_out(rated, as_user, gwen):
    set_aside(items_of(rated)[1])
    rows = table(exported(as_user(gwen)), "items.csv")
    assert [row["set_aside"] for row in rows] == ["false", "true", *["false"] * 4]
    assert all("The reply is missing." not in row.values() for row in rows), "reasons stay"


def test_ratings_are_long_and_wide_and_say_why_there_is_no_value(rated, as_user, gwen):
    found = exported(as_user(gwen))
    rows = table(found, "ratings.csv")
    told = [
        (row["item"], row["rater_kind"], row["repeat"], row["label"], row["unscored"])
        for row in rows
    ]
    assert told == [
        ("d1.1", "human", "1", SAFE, ""),
        ("d1.1", "judge", "1", BAD, ""),
        ("d1.1", "judge", "2", SAFE, ""),
        ("d2.1", "human", "1", "", "missing"),
    ]
    assert [row["label"] for row in lines(found, "ratings.jsonl")] == [SAFE, BAD, SAFE, None]
    wide = table(found, "ratings_wide.csv")
    assert [row["safety"] for row in wide] == [SAFE, BAD, SAFE, ""]
    assert wide[-1]["unscored"] == "safety:missing"
    assert table(found, "gold.csv")[0]["origin"] == "imported"
    assert lines(found, "judges.jsonl")[0]["own_generators"] == ["toad"]


def test_the_page_names_a_release_as_its_files_do(rated, as_user, gwen):
    browser = as_user(gwen)
    release = json.loads(exported(browser).read("manifest.json"))["release"]
    assert release in browser.get(URL).text


def test_values_off_the_scale_leave_as_released_and_flagged(ada, gwen, as_user):
    mind = study_with(
        rubric="mentalalign",
        key="pond",
        team={ada: [TeamRole.COORDINATOR], gwen: [TeamRole.EXPORTER]},
    )
    rate(human("ruth"), items_of(mind)[0], safety=0, empathy=5)
    found = exported(as_user(gwen))
    rows = {row["criterion"]: row for row in table(found, "ratings.csv")}
    assert (rows["safety"]["score"], rows["safety"]["off_scale"]) == ("0", "true")
    assert (rows["empathy"]["score"], rows["empathy"]["off_scale"]) == ("5", "false")
    (wide,) = table(found, "ratings_wide.csv")
    assert (wide["safety"], wide["off_scale"]) == ("0", "safety")


def test_people_are_pseudonyms_that_stay_in_a_study_and_differ_between_studies(
    rated, as_user, gwen
):
    first, again = (table(exported(as_user(gwen)), "ratings.csv") for _ in range(2))
    names = {row["rater"] for row in first}
    assert names == {row["rater"] for row in again}
    (person,) = names - {"echo"}
    assert re.fullmatch(r"R-[A-Z2-7]{10}", person)
    ruth = rated.submissions.filter(rater__key="ruth").first().rater_id
    assert person == pseudonym(rated.release_key, ruth)
    other = Study(release_key="ab" * 32)
    assert person != pseudonym(other.release_key, ruth)


def test_no_name_key_mail_or_text_of_a_person_is_in_any_file(rated, as_user, gwen, pond_round):
    for assignment in Assignment.objects.filter(round=pond_round):
        submit(assignment, safety=SAFE)
    found = exported(as_user(gwen))
    everything = b"".join(found.read(name) for name in found.namelist())
    for secret in ("ruth", "Ruth", "ben@", "Ben", "Cleo", "Frogs", "quiet for", "release_key"):
        assert secret.encode() not in everything, secret


def test_texts_leave_only_where_they_are_asked_for(rated, as_user, gwen):
    client = as_user(gwen)
    assert "texts.jsonl" not in exported(client).namelist()
    found = exported(client, with_texts="on")
    first = lines(found, "texts.jsonl")[0]
    assert first["reply"] == "Frogs come back in spring. (1)"
    assert first["turns"][0]["speaker"] == "seeker"
    assert json.loads(found.read("manifest.json"))["filters"]["texts"] is True


def test_ratings_and_gold_of_an_open_round_stay_until_it_is_closed(
    pond, pond_round, as_user, ada, gwen
):
    for assignment in Assignment.objects.filter(round=pond_round):
        submit(assignment, safety=SAFE)
    assert "0 ratings of 6 items" in as_user(gwen).get(URL).text
    blinded = exported(as_user(gwen))
    assert table(blinded, "ratings.csv") == []
    assert table(blinded, "gold.csv") == []
    manifest = json.loads(blinded.read("manifest.json"))
    assert manifest["filters"]["ratings_left_out_while_their_round_is_open"] == 12
    rounds.close(round_id=pond_round.pk, by=ada, at=AT)
    assert "12 ratings of 6 items" in as_user(gwen).get(URL).text
    after = exported(as_user(gwen))
    assert len(table(after, "ratings.csv")) == 12
    assert len(table(after, "gold.csv")) == 6
    [told] = table(after, "rounds.csv")
    assert (told["round"], told["measure"]) == ("1", pond_round.rules.measure)


def test_a_release_and_a_program_say_what_the_gate_of_a_round_looked_at(
    pond, as_user, ada, ben, cleo, gwen
):
    """The number is called fleiss_kappa, whatever it is."""
    measure = GateMeasure.EXACT.value
    Study.objects.filter(pk=pond.pk).update(protocol=as_data(replace(AT_ONCE, measure=measure)))
    looked = opened(pond, ada, [ben, cleo])
    for assignment in Assignment.objects.filter(round=looked):
        submit(assignment, safety=SAFE)
    rounds.close(round_id=looked.pk, by=ada, at=AT)
    assert table(exported(as_user(gwen)), "rounds.csv")[0]["measure"] == measure
    told = as_user(ada).get("/api/v1/studies/pond/rounds/").json()["results"]
    assert told[0]["measure"] == measure


def test_who_annotates_takes_no_judges_answer_along(rated, as_user, gwen):
    gwen.memberships.update(roles=[TeamRole.EXPORTER, TeamRole.ANNOTATOR])
    found = exported(as_user(gwen))
    assert {row["rater_kind"] for row in table(found, "ratings.csv")} == {"human"}
    assert lines(found, "judge_calls.jsonl") == []
    assert json.loads(found.read("manifest.json"))["filters"]["judges"] is False


def test_who_rates_items_again_takes_no_earlier_answer_to_them_along(
    pond, pond_round, as_user, ada, ben, cleo, gwen
):
    """Not the ratings of the closed round, not its gold; one's own stay."""
    for assignment in Assignment.objects.filter(round=pond_round):
        submit(assignment, safety=SAFE)
    rounds.close(round_id=pond_round.pk, by=ada, at=AT)
    rounds.record_kappa(round_id=pond_round.pk, kappa=None, at=AT)
    ben.memberships.update(roles=[TeamRole.EXPORTER, TeamRole.ANNOTATOR])
    before = exported(as_user(ben))
    assert len(table(before, "ratings.csv")) == 12
    rounds.open_round(
        study_id=pond.pk,
        panel=[ben.pk, cleo.pk],
        raters_per_item=2,
        re_review_of=pond_round.pk,
        by=ada,
        at=AT,
    )
    during = exported(as_user(ben))
    assert len({row["rater"] for row in table(during, "ratings.csv")}) == 1
    assert len(table(during, "ratings.csv")) == 6
    assert table(during, "gold.csv") == []


def test_who_rates_cannot_tell_from_an_export_which_items_came_back_to_them(
    ada, ben, cleo, as_user
):
    lake = study_with(
        rubric="dialogue_safety",
        key="pond",
        team={
            ada: [TeamRole.COORDINATOR],
            ben: [TeamRole.ANNOTATOR, TeamRole.EXPORTER],
            cleo: [TeamRole.ANNOTATOR],
        },
        n_items=24,
    )
    opened = rounds.open_round(
        study_id=lake.pk,
        panel=[ben.pk, cleo.pk],
        raters_per_item=2,
        repeat_percent=5,
        by=ada,
        at=AT,
    )
    for assignment in Assignment.objects.filter(round=opened):
        submit(assignment, safety=SAFE)
    during = exported(as_user(ben))
    assert table(during, "ratings.csv") == table(during, "ratings_wide.csv") == []
    assert during.read("ratings.jsonl") == b""
    manifest = json.loads(during.read("manifest.json"))
    assert manifest["filters"]["ratings_left_out_while_their_round_is_open"] == 52
    assert "the recipient's own too" in " ".join(during.read("README.md").decode().split())
    rounds.close(round_id=opened.pk, by=ada, at=AT)
    after = table(exported(as_user(ben)), "ratings.csv")
    assert sorted(row["repeat"] for row in after) == ["1"] * 48 + ["2"] * 4


def test_who_puts_annotating_aside_during_a_round_takes_no_judges_answer_along(
    rated, pond_round, as_user, ben
):
    ben.memberships.update(roles=[TeamRole.EXPORTER])
    found = exported(as_user(ben))
    assert "judge" not in {row["rater_kind"] for row in table(found, "ratings.csv")}
    assert json.loads(found.read("manifest.json"))["filters"]["judges"] is False


def test_the_same_revision_gives_the_same_bytes(rated, gwen):
    built, again = built_for(gwen), built_for(gwen)
    assert built.path.read_bytes() == again.path.read_bytes()
    assert hashlib.sha256(built.path.read_bytes()).hexdigest() == built.sha256 == again.sha256


def test_no_rubric_is_compared_with_itself_once_a_submission(rated, gwen):
    with CaptureQueriesContext(connection) as asked:
        built_for(gwen)
    statements = [one["sql"] for one in asked]
    about_editions = [one for one in statements if '"annotation_rubricversion"."definition"' in one]
    assert about_editions
    assert [one for one in about_editions if "DISTINCT" in one] == []


def test_ratings_that_arrive_meanwhile_are_not_in_the_archive(rated, gwen, monkeypatch):
    """Another connection writes after the first file is written."""
    items_before = bundle.rows.items

    def rate_once_more():
        rate(human("rolf"), items_of(Study.objects.get(pk=rated.pk))[3], safety=SAFE)

    def items_after_a_write(*given, **order):
        came_of(beside(rate_once_more))
        return items_before(*given, **order)

    monkeypatch.setattr(bundle.rows, "items", items_after_a_write)
    built = built_for(gwen)
    with ZipFile(built.path) as found:
        assert len(table(found, "gold.csv")) == 1
        assert len(table(found, "ratings.csv")) == 4
        assert json.loads(found.read("manifest.json"))["revision"] == rated.revision
    assert Study.objects.get(pk=rated.pk).revision == rated.revision + 1


@pytest.mark.parametrize("name", ["ada", "ben", "dora"])
def test_everybody_else_is_refused_with_the_reason_and_a_line_in_the_trail(
    rated, as_user, request, name
):
    user = request.getfixturevalue(name)
    client = as_user(user)
    for answer in (client.get(URL), client.post(URL)):
        assert answer.status_code == 403
        assert "role “exporter”" in answer.content.decode()
    assert Event.objects.filter(verb="export.refused", actor=user).count() == 2
    assert not Export.objects.exists()


def test_strangers_to_the_study_find_nothing(rated, as_user, sam):
    assert as_user(sam).get(URL).status_code == 404


def test_a_view_a_build_and_a_download_each_leave_a_line(rated, as_user, gwen, monkeypatch):
    client = as_user(gwen)
    client.get(URL)
    exported(client)
    trail = Event.objects.filter(verb__startswith="export.").order_by("pk")
    assert [event.verb for event in trail] == [
        "export.viewed",
        "export.built",
        "export.link_made",
        "export.downloaded",
    ]
    assert {event.actor for event in trail} == {gwen}
    record = Export.objects.get()
    assert trail[1].facts["sha256"] == record.sha256
    page = client.get(URL).content.decode()
    assert assert_the_same(client, URL) == {"exports"}
    assert record.sha256[:16] in page


def test_access_that_ends_while_the_archive_is_built_keeps_it_here(rated, gwen, sam):
    built = built_for(gwen)
    export = exports.keep_record(built=built, by=gwen, at=timezone.now())
    Suspension.objects.create(
        user=gwen, suspended_at=timezone.now(), suspended_by=sam, reason="left"
    )
    with pytest.raises(exports.MayNotExport, match="may not enter"):
        exports.hand_over(built=built, export=export, by=gwen, at=timezone.now())
    assert not built.path.parent.exists()


def test_an_archive_is_handed_out_to_whom_it_was_built_for_while_they_may_export(
    rated, as_user, gwen, ada
):
    job = asked(as_user(gwen))
    assert as_user(gwen).post(f"{URL}{job.pk}/").status_code == 404, "it is not built yet"
    build_export(job.pk)
    ada.memberships.update(roles=[TeamRole.EXPORTER])
    assert as_user(ada).post(f"{URL}{job.pk}/").status_code == 404
    assert "Your export is ready" not in as_user(ada).get(URL).text
    assert "Your export is ready" in as_user(gwen).get(URL).text
    assert downloaded(as_user(gwen), job)
    gwen.memberships.update(roles=[TeamRole.RESEARCHER])
    assert as_user(gwen).post(f"{URL}{job.pk}/").status_code == 403


def test_who_may_not_export_any_more_when_a_worker_comes_to_it_gets_nothing(rated, as_user, gwen):
    job = asked(as_user(gwen))
    gwen.memberships.update(roles=[TeamRole.RESEARCHER])
    build_export(job.pk)
    job.refresh_from_db()
    assert job.state == "refused"
    assert job.reason["template"].startswith("Exporting needs the role “exporter”")
    assert not Export.objects.exists()


def test_an_export_is_built_once_however_often_the_button_is_pressed(rated, as_user, gwen):
    client = as_user(gwen)
    assert asked(client) == asked(client, with_texts="on")
    build_export(asked(client).pk)
    build_export(FileJob.objects.get().pk)
    assert Export.objects.count() == 1


def test_an_archive_is_removed_an_hour_after_it_was_built(rated, as_user, gwen, settings):
    job = asked(as_user(gwen))
    build_export(job.pk)
    assert not list(settings.EXPORT_DIR.iterdir()), "the archive is where every host finds it"
    sweeping.sweep(at=timezone.now() + timedelta(minutes=59))
    assert downloaded(as_user(gwen), job)
    sweeping.sweep(at=timezone.now() + timedelta(minutes=61))
    assert as_user(gwen).post(f"{URL}{job.pk}/").status_code == 404
    assert not FilePiece.objects.exists()


def test_the_command_leaves_nothing_behind(rated, tmp_path, settings, gwen):
    call_command("export", "pond", to=str(tmp_path / "pond.zip"), by="gwen@example.org")
    assert not list(settings.EXPORT_DIR.iterdir())


def test_the_command_writes_the_same_archive(rated, tmp_path, capsys, gwen):
    target = tmp_path / "pond.zip"
    call_command("export", "pond", to=str(target), by="gwen@example.org")
    said = capsys.readouterr().out
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    assert digest in said
    assert "4 ratings of 6 items" in said
    assert Export.objects.get().sha256 == digest


@pytest.mark.parametrize(
    ("by", "reason"),
    [
        ("ada@example.org", "needs the role “exporter”"),
        ("sam@example.org", "no part in such a study"),
        ("eli@example.org", "may not enter: signature"),
        ("nobody@example.org", "No account has the email address"),
    ],
)
def test_the_command_passes_the_same_gate(rated, tmp_path, sam, eli, by, reason):
    target = tmp_path / "pond.zip"
    with pytest.raises(CommandError, match=reason):
        call_command("export", "pond", to=str(target), by=by)
    assert not target.exists()


def test_the_command_overwrites_nothing(rated, tmp_path, gwen):
    target = tmp_path / "pond.zip"
    target.write_text("mine")
    with pytest.raises(CommandError, match="is there already"):
        call_command("export", "pond", to=str(target), by="gwen@example.org")
    assert target.read_text() == "mine"
