"""Files are imported in the browser: upload, look, confirm."""

import json
from datetime import timedelta

import openpyxl
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Event
from annotation.actions.imports import uploads
from annotation.models import Item, Rater, RaterKind, Rating

GOOD = "key,dialogue,reply,gold.safety\na,[seeker]Hi,Hello,safe_response\nb,[seeker]Ho,Go,\n"
BAD = GOOD + "c,[seeker]Ha,nan,\n"


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.HOME = tmp_path
    return tmp_path


def upload(client, key, text, *, what="items", name="items.csv", follow=True, **fields):
    content = text if isinstance(text, bytes) else text.encode()
    return client.post(
        reverse(f"import_{what}", args=[key]),
        {"file": SimpleUploadedFile(name, content), **fields},
        follow=follow,
    )


def kept_files(home):
    return list((home / "uploads").glob("*/file"))


def test_a_coordinator_uploads_looks_and_imports(pond, ada, as_user, home):
    browser = as_user(ada)
    page = upload(browser, "pond", GOOD)

    assert page.status_code == 200
    assert "Every row can be imported." in page.text
    assert "Go" in page.text
    assert not Item.objects.filter(key="a").exists()
    address = page.redirect_chain[-1][0]

    done = browser.post(address, follow=True)

    assert done.redirect_chain == [("/studies/pond/", 302)]
    assert "2 items imported." in done.text
    assert Item.objects.filter(key__in="ab").count() == 2
    assert Event.objects.get(verb="items.imported").actor == ada
    assert kept_files(home) == []
    assert "no longer kept" in browser.post(address, follow=True).text


def test_the_kept_file_is_private(pond, ada, as_user, home):
    upload(as_user(ada), "pond", GOOD)
    [file] = kept_files(home)
    assert (home / "uploads").stat().st_mode & 0o777 == 0o700
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_bad_rows_are_named_and_can_be_left_out(pond, ada, as_user):
    browser = as_user(ada)
    page = upload(browser, "pond", BAD)
    assert "1 row cannot be imported." in page.text
    assert "line 4" in page.text
    assert "The reply is the word “nan”" in page.text
    address = page.redirect_chain[-1][0]

    refused = browser.post(address)
    assert refused.status_code == 422
    assert not Item.objects.filter(key="a").exists()

    browser.post(address, {"skip_bad": "1"})
    assert Item.objects.filter(key__in="abc").count() == 2


def test_what_is_wrong_is_said_in_the_language_of_the_page(pond, ada, as_user):
    browser = as_user(ada)
    browser.cookies["django_language"] = "zh-hans"
    page = upload(browser, "pond", GOOD + "c,[seeker]Ha,Ha,maybe\n")
    assert "回复的安全性" in page.text


def test_a_file_that_cannot_be_read_is_refused_in_a_sentence(pond, ada, as_user, home):
    page = upload(as_user(ada), "pond", b"key,dialogue\n1,Caf\xe9\n")
    assert page.status_code == 422
    assert "Line 2 is not UTF-8. Save the file as UTF-8 and try again." in page.text
    assert kept_files(home) == []


def test_a_form_without_a_file_says_so(pond, ada, as_user):
    page = as_user(ada).post(reverse("import_items", args=["pond"]))
    assert page.status_code == 422
    assert "errorlist" in page.text


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


def test_an_upload_belongs_to_the_account_and_the_study(pond, ada, ben, as_user, mere, home):
    pond.memberships.filter(user=ben).update(roles=["coordinator"])
    address = upload(as_user(ada), "pond", GOOD).redirect_chain[-1][0]

    assert "no longer kept" in as_user(ben).get(address, follow=True).text
    assert (
        "no longer kept" in as_user(ada).get(address.replace("/pond/", "/mere/"), follow=True).text
    )
    assert (
        "no longer kept"
        in as_user(ada).get(address.replace("/items/", "/ratings/"), follow=True).text
    )
    assert as_user(ada).get(address).status_code == 200


@pytest.mark.parametrize("token", ["..", "x" * 32, "a" * 31 + "%2F"])
def test_a_made_up_token_finds_nothing(pond, ada, as_user, token):
    page = as_user(ada).get(f"/studies/pond/items/import/{token}/", follow=True)
    assert page.status_code in (200, 404)
    assert "Every row" not in page.text


def test_an_upload_is_kept_for_an_hour_and_then_swept(pond, ada, home):
    now = timezone.now()
    about = {"what": "items", "study_id": pond.pk, "user_id": ada.pk}
    first = uploads.keep(
        file=SimpleUploadedFile("a.csv", b"x"), options={}, at=now - timedelta(hours=1), **about
    )
    with pytest.raises(uploads.NotKept):
        uploads.find(token=first, at=now, **about)
    assert uploads.find(token=first, at=now - timedelta(minutes=1), **about)

    uploads.keep(file=SimpleUploadedFile("b.csv", b"x"), options={}, at=now, **about)
    assert len(kept_files(home)) == 1


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

    done = browser.post(page.redirect_chain[-1][0], follow=True)

    assert "Ratings of 1 item imported." in done.text
    rater = Rater.objects.get(key="claude")
    assert (rater.kind, rater.own_generators) == (RaterKind.JUDGE, ["claude"])
    assert Rating.objects.get(criterion_key="safety").off_scale


def test_the_same_ratings_again_would_change_nothing(mere, ada, as_user, workbook):
    browser = as_user(ada)
    fields = {"what": "ratings", "name": "w.xlsx", "rater": "claude", "with_items": "on"}
    page = upload(browser, "mere", workbook, **fields)
    browser.post(page.redirect_chain[-1][0])
    again = upload(browser, "mere", workbook, **fields)
    assert "Importing the file would change nothing." in again.text


def test_whose_family_wrote_what_is_asked_for_and_can_be_said_later(mere, ada, as_user, workbook):
    browser = as_user(ada)
    fields = {"what": "ratings", "name": "w.xlsx", "rater": "claude", "with_items": "on"}
    page = upload(browser, "mere", workbook, **fields)
    assert "No own sources are known of claude" in page.text
    assert "gives no value at all for empathy, helpfulness" in page.text
    browser.post(page.redirect_chain[-1][0])

    page = upload(browser, "mere", workbook, **fields, own_sources="claude")
    assert "No own sources are known" not in page.text
    browser.post(page.redirect_chain[-1][0])
    assert Rater.objects.get(key="claude").own_generators == ["claude"]


def test_a_name_without_a_key_is_asked_for_its_key(mere, ada, as_user, workbook):
    page = as_user(ada).post(
        reverse("import_ratings", args=["mere"]),
        {"file": SimpleUploadedFile("w.xlsx", workbook), "name": "Claude"},
    )
    assert page.status_code == 422
    assert "Give the rater a key as well." in page.text
