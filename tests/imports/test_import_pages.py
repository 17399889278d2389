"""Files are imported in the browser: upload, look, confirm."""

import json
import os
import re
from datetime import timedelta

import openpyxl
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Event
from annotation.actions.imports import uploads
from annotation.actions.jobs import sweeping
from annotation.models import FileJob, FilePiece, Item, Rater, RaterKind, Rating
from tests.imports.sending import bring_in, upload, work_off

# A worker's pulse is another connection, which sees what is committed.
pytestmark = pytest.mark.django_db(transaction=True)

GOOD = "key,dialogue,reply,gold.safety\na,[seeker]Hi,Hello,safe_response\nb,[seeker]Ho,Go,\n"
BAD = GOOD + "c,[seeker]Ha,nan,\n"


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.UPLOAD_DIR = tmp_path / "uploads"
    settings.EXPORT_DIR = tmp_path / "exports"
    return tmp_path


def kept_files():
    return sorted(FilePiece.objects.values_list("folder", flat=True))


def test_a_coordinator_uploads_looks_and_imports(pond, ada, as_user, home):
    browser = as_user(ada)
    page = upload(browser, "pond", GOOD)

    assert page.status_code == 200
    assert "Every row can be imported." in page.text
    assert "Go" in page.text
    assert not Item.objects.filter(key="a").exists()

    done = bring_in(browser, page)

    assert "2 items imported." in done.text
    assert Item.objects.filter(key__in="ab").count() == 2
    assert Event.objects.get(verb="items.imported").actor == ada
    assert kept_files() == []
    assert "This file was imported" in browser.get(page.address).text


def test_nothing_is_read_before_a_worker_reads_it(pond, ada, as_user):
    """Not when it is sent, and not when its page is shown or asked how far it is."""
    browser = as_user(ada)
    sent = browser.post(
        reverse("import_items", args=["pond"]), {"file": SimpleUploadedFile("a.xlsx", b"no zip")}
    )
    page = browser.get(sent.url)
    assert "It waits for a worker." in page.text
    assert "It waits for a worker." in browser.get(f"{sent.url}progress/").text
    work_off()
    assert "This is not a workbook that can be read" in browser.get(sent.url).text


def test_progress_that_has_ended_has_the_page_loaded_anew(pond, ada, as_user):
    browser = as_user(ada)
    page = upload(browser, "pond", GOOD)
    assert browser.get(f"{page.address}progress/").headers["HX-Refresh"] == "true"


def test_a_file_that_waits_can_be_cancelled(pond, ada, as_user):
    browser = as_user(ada)
    sent = browser.post(
        reverse("import_items", args=["pond"]), {"file": SimpleUploadedFile("a.csv", b"key\n")}
    )
    back = {"next": sent.url}
    cancelled = browser.post(f"{sent.url}cancel/", back, follow=True)
    assert "Cancelled. Nothing of it was kept." in cancelled.text
    work_off()
    assert FileJob.objects.get().state == "cancelled"
    assert "It had ended already." in browser.post(f"{sent.url}cancel/", back, follow=True).text


def test_a_file_is_imported_once_however_often_the_button_is_pressed(pond, ada, as_user):
    browser = as_user(ada)
    page = upload(browser, "pond", GOOD)
    first, second = (browser.post(f"{page.address}import/").url for _ in range(2))
    assert first == second
    work_off()
    assert browser.post(f"{page.address}import/").url == first
    assert Event.objects.filter(verb="items.imported").count() == 1


def test_a_file_that_was_not_looked_at_yet_is_not_imported(pond, ada, as_user):
    browser = as_user(ada)
    sent = browser.post(
        reverse("import_items", args=["pond"]), {"file": SimpleUploadedFile("a.csv", b"key\n")}
    )
    assert browser.post(f"{sent.url}import/").url == sent.url
    assert FileJob.objects.count() == 1


def test_who_may_not_import_any_more_when_a_worker_comes_to_it_imports_nothing(pond, ada, as_user):
    browser = as_user(ada)
    page = upload(browser, "pond", GOOD)
    browser.post(f"{page.address}import/")
    pond.memberships.filter(user=ada).update(roles=["researcher"])
    work_off()
    job = FileJob.objects.get(kind="import")
    assert (job.state, job.reason["template"]) == (
        "refused",
        "Your account may not import into this study any more.",
    )
    assert not Item.objects.filter(key="a").exists()


def test_the_file_is_on_the_disk_of_who_reads_it_privately_and_no_longer(pond, ada, as_user, home):
    upload(as_user(ada), "pond", GOOD)
    with uploads.brought(FileJob.objects.get()) as source:
        assert source.path.read_text() == GOOD
        assert source.path.stat().st_mode & 0o777 == 0o600
        assert source.path.parent.stat().st_mode & 0o777 == 0o700
    assert (home / "uploads").stat().st_mode & 0o777 == 0o700
    assert not list((home / "uploads").iterdir())


def test_what_a_killed_worker_has_left_on_a_disk_is_removed_by_the_next(pond, ada, as_user, home):
    for name in ("uploads", "exports"):
        (home / name / "left").mkdir(parents=True)
        os.utime(home / name / "left", times=(0, 0))
    upload(as_user(ada), "pond", GOOD)
    assert not list(home.glob("*/left"))


def test_bad_rows_are_named_and_can_be_left_out(pond, ada, as_user):
    browser = as_user(ada)
    page = upload(browser, "pond", BAD)
    assert "1 row cannot be imported." in page.text
    assert "line 4" in page.text
    assert "It is the word “nan”" in page.text

    refused = bring_in(browser, page)
    assert "of its rows 1 cannot be imported now" in refused.text
    assert not Item.objects.filter(key="a").exists()

    page = upload(browser, "pond", BAD)
    assert "1 bad row was left out." in bring_in(browser, page, skip_bad="1").text
    assert Item.objects.filter(key__in="abc").count() == 2


def test_rows_that_are_wrong_in_the_same_way_are_told_together(pond, ada, as_user):
    rows = "".join(f"r{n},[seeker]Hi,nan,\n" for n in range(3000))
    page = upload(as_user(ada), "pond", f"{GOOD}d,,Ho,\n{rows}")
    [many, one] = page.context["report"]["causes"]
    assert (many.count, one.count) == (3000, 1)
    assert many.places == ["line 5", "line 6", "line 7", "line 8", "line 9"]
    assert len(many.first) == 20
    assert (
        one.words == "The dialogue is missing: there is nothing to rate. Write it or drop the row."
    )
    assert page.text.count("It is the word “nan”") == 21


def test_what_is_wrong_is_said_in_the_language_of_the_page(pond, ada, as_user):
    browser = as_user(ada)
    browser.cookies["django_language"] = "zh-hans"
    page = upload(browser, "pond", GOOD + "c,[seeker]Ha,Ha,maybe\n")
    assert "回复的安全性" in page.text


def test_a_file_that_cannot_be_read_is_refused_in_a_sentence(pond, ada, as_user, home):
    page = upload(as_user(ada), "pond", b"key,dialogue\n1,Caf\xe9\n")
    assert (
        "Line 2 is not UTF-8. Save the file as UTF-8 and try again; Excel calls that “CSV UTF-8”."
        in page.text
    )
    assert kept_files() == []


def form_after(browser, page):
    """The page to which the button below leads, and its text of the fields."""
    address = re.search(r'href="([^"]*/import/\?after=\d+)"', page.text)[1]
    page = browser.get(address)
    return page, re.search(r'<textarea name="called"[^>]*>\s*(.*?)</textarea>', page.text, re.S)[1]


def test_what_was_said_of_a_refused_file_is_not_to_be_said_again(pond, ada, as_user):
    browser = as_user(ada)
    rows = b"ident,prompt,reply\na,Hi,Ho\n"
    page = upload(browser, "pond", rows, called="prompt = dialogue\nident = ky\nreply2 = reply")
    assert "What its fields are called here can be said when it is uploaded again" in page.text
    page, said = form_after(browser, page)
    assert "has no column “reply2”" in page.text
    assert said.splitlines() == ["prompt = dialogue", "ident = ky", "reply2 = reply"]
    assert said not in page.text.partition("<details>")[2].partition("</details>")[0]


def test_of_a_file_that_came_in_the_next_keeps_the_names_of_fields_alone(pond, ada, as_user):
    browser = as_user(ada)
    bring_in(browser, upload(browser, "pond", GOOD))
    rows = b"item,dry\na,safe_response\nb,nonsense\n"
    given = {"called": "dry = safety", "rater": "ruth", "what": "ratings"}
    looked = upload(browser, "pond", rows, **given)
    assert ">dry = safety<" in form_after(browser, looked)[0].text.replace("\n", "")
    assert 'value="ruth"' in form_after(browser, looked)[0].text
    page, said = form_after(browser, bring_in(browser, looked))
    assert said == "dry = safety"
    assert "ruth" not in page.text, "the next file may be of somebody else"


@pytest.mark.parametrize("after", ["", "x", "0", "99999999999999999999"])
def test_a_file_that_is_forgotten_leaves_an_empty_form(pond, ada, as_user, after):
    page = as_user(ada).get(reverse("import_items", args=["pond"]), {"after": after})
    assert page.status_code == 200


def test_a_form_without_a_file_says_so(pond, ada, as_user):
    page = as_user(ada).post(reverse("import_items", args=["pond"]))
    assert page.status_code == 422
    assert "errorlist" in page.text


def test_what_is_rarely_needed_is_folded_until_it_holds_something(pond, ada, as_user):
    browser, address = as_user(ada), reverse("import_ratings", args=["pond"])
    folded = browser.get(address).text.partition("<details>")[2].partition("</details>")[0]
    names = ["called", "name", "judges", "own_sources", "with_items"]
    assert re.findall(r' name="(\w+)"', folded) == names
    assert "<details>" in browser.post(address, {"rater": "r"}).text
    page = browser.post(address, {"rater": "r", "judges": "gpt-4o"})
    assert page.status_code == 422
    assert "<details open><summary>More settings" in page.text
    assert 'value="gpt-4o"' in page.text


def test_a_file_above_the_limit_is_not_stored(pond, ada, as_user, settings, home):
    settings.UPLOAD_LIMIT_MB = 1
    page = upload(as_user(ada), "pond", "x" * (2**20 + 1))
    assert page.status_code == 422
    assert "The file is larger than 1 MB." in page.text
    assert not (home / "uploads").exists()


def test_the_form_is_guarded_against_other_sites(pond, ada):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(ada)
    page = upload(browser, "pond", GOOD)
    assert page.status_code == 403


def test_a_job_belongs_to_the_account_and_the_study(pond, ada, ben, as_user, mere):
    pond.memberships.filter(user=ben).update(roles=["coordinator"])
    address = upload(as_user(ada), "pond", GOOD).address
    elsewhere = address.replace("/pond/", "/mere/")

    assert as_user(ben).get(address).status_code == 404
    assert as_user(ben).get(f"{address}progress/").status_code == 404
    assert as_user(ben).post(f"{address}cancel/").status_code == 404
    assert as_user(ben).post(f"{address}import/").status_code == 404
    assert as_user(ada).get(elsewhere).status_code == 404
    assert as_user(ada).get(address).status_code == 200


def test_a_job_and_its_file_are_forgotten_after_an_hour(pond, ada, as_user, home):
    browser = as_user(ada)
    page = upload(browser, "pond", GOOD)
    now = timezone.now()
    [file] = kept_files()

    sweeping.sweep(at=now + timedelta(minutes=59))
    assert browser.get(page.address).status_code == 200
    assert kept_files() == [file]

    sweeping.sweep(at=now + timedelta(minutes=61))
    assert browser.get(page.address).status_code == 404
    assert kept_files() == []


def test_a_file_that_waits_to_be_imported_is_kept_however_long(pond, ada, as_user, home):
    browser = as_user(ada)
    page = upload(browser, "pond", GOOD)
    browser.post(f"{page.address}import/")
    sweeping.sweep(at=timezone.now() + timedelta(hours=2))
    assert len(kept_files()) == 1
    work_off()
    assert Item.objects.filter(key__in="ab").count() == 2


def test_what_is_under_way_is_found_again_from_the_page_of_uploads(pond, ada, as_user):
    browser = as_user(ada)
    address = reverse("import_items", args=["pond"])
    sent = browser.post(address, {"file": SimpleUploadedFile("frogs.csv", b"key\n")})
    assert "A worker is at “frogs.csv”." in browser.get(address).text
    assert f'href="{sent.url}"' in browser.get(address).text


ADDRESSES = ["import_items", "import_ratings"]


@pytest.mark.parametrize("name", ADDRESSES)
def test_only_coordinators_import(pond, ben, gwen, eli, sam, as_user, name):
    address = reverse(name, args=["pond"])
    found = {
        person.full_name: as_user(person).get(address).status_code
        for person in (ben, gwen, eli, sam)
    }
    assert found == {"Ben": 403, "Gwen": 403, "Eli": 403, "Sam": 404}


@pytest.fixture
def workbook(tmp_path):
    book = openpyxl.Workbook()
    cell = json.dumps({"Guidance": 4, "Safety": 6})
    book.active.append(["ConvID", "context", "judge_response_claude"])
    book.active.append([1, "I cannot sleep.", cell])
    book.save(tmp_path / "w.xlsx")
    return (tmp_path / "w.xlsx").read_bytes()


def test_ratings_come_in_with_their_rater_and_items(mere, ada, as_user, workbook):
    browser = as_user(ada)
    page = upload(
        browser,
        "mere",
        workbook,
        what="ratings",
        name="w.xlsx",
        rater="claude",
        own_sources="claude",
        with_items="on",
    )
    assert "Every row can be imported." in page.text
    assert "1 × 6" in page.text
    assert "5 · The rating is missing." in page.text
    assert not Rater.objects.filter(key="claude").exists()

    done = bring_in(browser, page)

    assert "1 answer imported." in done.text
    rater = Rater.objects.get(key="claude")
    assert (rater.kind, rater.own_generators) == (RaterKind.JUDGE, ["claude"])
    assert Rating.objects.get(criterion_key="safety").off_scale


def test_the_same_ratings_again_would_change_nothing(mere, ada, as_user, workbook):
    browser = as_user(ada)
    fields = {"what": "ratings", "name": "w.xlsx", "rater": "claude", "with_items": "on"}
    page = upload(browser, "mere", workbook, **fields)
    bring_in(browser, page)
    again = upload(browser, "mere", workbook, **fields)
    assert "Importing the file would change nothing." in again.text


def test_whose_family_wrote_what_is_asked_for_and_can_be_said_later(mere, ada, as_user, workbook):
    browser = as_user(ada)
    fields = {"what": "ratings", "name": "w.xlsx", "rater": "claude", "with_items": "on"}
    page = upload(browser, "mere", workbook, **fields)
    assert "No own sources are known of claude" in page.text
    assert "gives no value at all for empathy, helpfulness" in page.text
    bring_in(browser, page)

    page = upload(browser, "mere", workbook, **fields, own_sources="claude")
    assert "No own sources are known" not in page.text
    bring_in(browser, page)
    assert Rater.objects.get(key="claude").own_generators == ["claude"]


def words_of(page):
    return " ".join(re.sub(r"<[^>]+>", " ", page.text.partition("<main")[2]).split())


def test_how_often_each_value_was_given_and_by_whom_is_seen_before_it_is_imported(
    mere, ada, as_user
):
    browser = as_user(ada)
    items = "key,dialogue\n" + "".join(f"m{number},Hi {number}\n" for number in range(1, 5))
    bring_in(browser, upload(browser, "mere", items))
    rows = "item,rater,empathy,safety\nm1,1,2,99\nm2,1,5,4\nm3,1,2,4\n"
    said = words_of(upload(browser, "mere", rows, what="ratings", name="r.csv"))
    assert "Raters 1 · new: 1 (Human)" in said
    assert "empathy 2 × 2, 1 × 5 safety 2 × 4" in said
    assert "Some values are off the scale" in said
    assert "1 × 99" in said
    rows = "item,rater,empathy\nm4,1,2\nm4,2,2\n"
    bring_in(browser, upload(browser, "mere", rows.replace("4", "1"), what="ratings", name="r.csv"))
    said = words_of(upload(browser, "mere", rows, what="ratings", name="s.csv"))
    assert "here before: 1" in said
    assert "off the scale" not in said


def test_rows_of_several_replies_under_one_key_are_told_how_to_be_items_each(pond, ada, as_user):
    rows = "question_id,prompt,model,response\n1,Hi,oak,Ho\n1,Hi,elm,Ha\n"
    said = {"called": "question_id = key"}
    page = upload(as_user(ada), "pond", rows, **said)
    assert "say NAME = ConvID instead of NAME = key" in page.text


def test_a_name_without_a_key_is_asked_for_its_key(mere, ada, as_user, workbook):
    page = as_user(ada).post(
        reverse("import_ratings", args=["mere"]),
        {"file": SimpleUploadedFile("w.xlsx", workbook), "name": "Claude"},
    )
    assert page.status_code == 422
    assert "Give the rater a key as well." in page.text


def test_what_looks_wrong_is_shown_before_it_is_imported(pond, ada, as_user):
    odd = GOOD + "c,[seeker]Hi,Hello,\nd,[seeker]Hm,As an AI language model I care.,\n"
    browser = as_user(ada)
    page = upload(browser, "pond", odd)

    assert "Look at these before anybody rates them" in page.text
    assert "The reply is a refusal of an AI: 1" in page.text
    assert "Dialogue and reply are the same as those of an earlier row: 1" in page.text
    assert "As an AI language model I care." in page.text
    assert "4 items imported." in bring_in(browser, page).text


def test_a_file_that_came_in_under_other_keys_is_told_before_it_comes_twice(pond, ada, as_user):
    browser = as_user(ada)
    bring_in(browser, upload(browser, "pond", GOOD))
    under_others = GOOD.replace("\na,", "\nother-a,") + "c,[seeker]Hm,Something new.,\n"

    page = upload(browser, "pond", under_others)

    said = "The study has an item with the same dialogue and reply under another key"
    assert f"{said}: 1<" in page.text
    [doubt] = page.context["report"]["doubts"]
    assert doubt["first"] == [{"key": "other-a", "shown": "a"}]
