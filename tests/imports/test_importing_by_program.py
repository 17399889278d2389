"""A program sends a file, reads what a worker found in it, and has it imported."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Event, Scope
from annotation.models import FileJob, Item, Rating
from tests.imports.sending import work_off

IMPORTS = "/api/v1/studies/pond/imports/"
ITEMS = (
    "key,dialogue,reply\nn1,[seeker]I cannot sleep.,Since when?\nn2,[seeker]Hello.,Hello to you.\n"
)
NAMED = "key,dialogue,reply\nn1,[seeker]Write to frog@example.org.,I shall.\n"
RATINGS = "item,safety\nd1.1,Safe Response\nd1.2,nothing such\n"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.UPLOAD_DIR = tmp_path / "uploads"


@pytest.fixture
def asks(client):
    """asks(ada, "post", "jobs/1/import/", {...}) is the answer to a program of hers."""

    def ask(user, method, path, data=None, scope=Scope.BRING, **fields):
        at = timezone.now()
        _token, words = tokens.make(name="p", scopes=[scope], days=1, by=user, at=at)
        headers = {"Authorization": f"Bearer {words}", **fields}
        is_file = isinstance(data, dict) and "file" in data
        kind = {} if is_file or method == "get" else {"content_type": "application/json"}
        return getattr(client, method)(f"{IMPORTS}{path}", data, headers=headers, **kind)

    return ask


def file(text, name="items.csv"):
    return SimpleUploadedFile(name, text.encode())


def test_items_are_checked_first_and_imported_once(asks, pond, ada):
    n_items = Item.objects.count()
    sent = asks(ada, "post", "items/", {"file": file(ITEMS)})
    assert (sent.status_code, sent.json()["state"]) == (202, "waiting")
    job = f"jobs/{sent.json()['id']}/"
    assert asks(ada, "post", f"{job}import/", {}).status_code == 409, "nobody has looked at it yet"
    work_off()
    found = asks(ada, "get", job).json()
    assert (found["state"], found["counts"]["new"], found["causes"]) == ("done", 2, [])
    assert Item.objects.count() == n_items
    brought = asks(ada, "post", f"{job}import/", {})
    work_off()
    done = asks(ada, "get", f"jobs/{brought.json()['id']}/").json()
    assert (done["step"], done["state"], done["done"]) == ("import", "done", done["total"])
    assert Item.objects.count() == n_items + 2
    assert asks(ada, "post", f"{job}import/", {}).json()["id"] == brought.json()["id"]
    assert [one["id"] for one in asks(ada, "get", "").json()["results"]] == [
        brought.json()["id"],
        sent.json()["id"],
    ]
    assert Event.objects.filter(verb="items.imported", actor=ada).count() == 1


def test_what_is_wrong_in_a_file_of_ratings_is_named(asks, pond, ada):
    sent = asks(ada, "post", "ratings/", {"file": file(RATINGS), "rater": "expert-1"})
    work_off()
    job = f"jobs/{sent.json()['id']}/"
    (cause,) = asks(ada, "get", job).json()["causes"]
    assert (cause["count"], cause["words"] != "") == (1, True)
    brought = asks(ada, "post", f"{job}import/", {"skip_bad": True})
    work_off()
    assert asks(ada, "get", f"jobs/{brought.json()['id']}/").json()["state"] == "done"
    assert Rating.objects.get().submission.rater.key == "expert-1"


def test_identifiers_are_counted_and_decided_about(asks, pond, ada):
    sent = asks(ada, "post", "items/", {"file": file(NAMED)})
    work_off()
    job = f"jobs/{sent.json()['id']}/"
    answer = asks(ada, "get", job)
    assert answer.json()["identifiers"] == {"email": 1}
    assert b"frog" not in answer.content
    keep = {"identifiers": [{"kind": "email", "treatment": "keep"}]}
    assert asks(ada, "post", f"{job}import/", keep).status_code == 422, "without a reason"
    brought = asks(ada, "post", f"{job}import/", {})
    work_off()
    assert asks(ada, "get", f"jobs/{brought.json()['id']}/").json()["state"] == "done"
    assert "frog" not in str(Item.objects.get(key="n1").dialogue.turns)


def test_a_file_that_is_sent_again_is_one_file(asks, pond, ada):
    once = {"Idempotency-Key": "a"}
    first = asks(ada, "post", "items/", {"file": file(ITEMS)}, **once)
    again = asks(ada, "post", "items/", {"file": file(ITEMS)}, **once)
    other = asks(ada, "post", "items/", {"file": file(ITEMS + "\n")}, **once)
    assert again.json() == first.json()
    assert (other.status_code, FileJob.objects.count()) == (409, 1)


def test_a_file_that_is_too_large_is_not_kept(asks, pond, ada, settings, tmp_path):
    settings.UPLOAD_LIMIT_MB = 1
    big = asks(ada, "post", "items/", {"file": file("x" * 2**20 * 2)})
    assert big.status_code == 422
    assert "larger than 1 MB" in big.json()["fields"]["file"][0]
    assert not FileJob.objects.exists()


def test_who_may_not_import_brings_nothing(asks, pond, ada, ben, sam):
    assert asks(ben, "post", "items/", {"file": file(ITEMS)}).status_code == 403
    assert asks(sam, "post", "items/", {"file": file(ITEMS)}).status_code == 404
    assert asks(ada, "post", "items/", {"file": file(ITEMS)}, scope=Scope.STEER).status_code == 403
    assert asks(ada, "post", "frogs/", {"file": file(ITEMS)}).status_code == 404
    assert asks(ada, "post", "items/", {}).status_code == 415
    mine = asks(ada, "post", "items/", {"file": file(ITEMS)}).json()["id"]
    assert asks(ada, "post", f"jobs/{mine}/cancel/").json()["state"] == "cancelled"
    work_off()
    assert asks(ada, "get", f"jobs/{mine}/").json()["state"] == "cancelled"
