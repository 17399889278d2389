"""Who brings a file says what its fields are called here, on the page, by program or on the command line."""

import io
import json

import openpyxl
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import Item, Rating
from annotation.readers.calling import called_in, own_columns, own_fields
from annotation.readers.problems import CannotRead, Flaw
from tests.imports.sending import bring_in, upload

MTURK = (
    '"HITId","AssignmentId","WorkerId","Input.item","Answer.safety","Answer.empathy"\n'
    '"3X","AS1","A1B2","s1","4","5"\n"3X","AS2","A9Z8","s1","2","1"\n'
)
WORKERS = "WorkerId = rater\nInput.item = item\nAnswer.* = *"
WIDE = "item,safety_ann,safety_ben,empathy_ann,empathy_ben\ns1,4,5,3,2\ns2,4,,3,\n"
ITEMS = "key,dialogue,reply\ns1,[seeker]One,Hm\ns2,[seeker]Two,Ok\n"


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.UPLOAD_DIR = tmp_path / "uploads"


def stored():
    """{(rater, item): {criterion: score or the reason why there is none}}."""
    found: dict[tuple[str, str], dict[str, object]] = {}
    for one in Rating.objects.select_related("submission__item", "submission__rater"):
        key = one.submission.rater.key, one.submission.item.key
        found.setdefault(key, {})[one.criterion_key] = one.unscored or one.score
    return found


@pytest.mark.django_db
def test_results_of_a_batch_come_in_under_names_that_are_given_on_the_page(mere, put, ada, as_user):
    call_command("import_items", "mere", str(put("items.csv", ITEMS).path))
    browser = as_user(ada)
    sent = {"what": "ratings", "name": "batch.csv"}
    assert "It names neither criterion and value" in upload(browser, "mere", MTURK, **sent).text
    page = upload(browser, "mere", MTURK, called=WORKERS, **sent)
    assert "Every row can be imported." in page.text
    bring_in(browser, page)
    assert stored() == {
        ("A1B2", "s1"): {"safety": 4, "empathy": 5},
        ("A9Z8", "s1"): {"safety": 2, "empathy": 1},
    }


@pytest.mark.django_db
def test_columns_of_raters_come_in_by_the_command(mere, put):
    call_command("import_items", "mere", str(put("items.csv", ITEMS).path))
    source = put("wide.csv", WIDE)
    fields = ["safety_*=safety.*", "empathy_*=empathy.*"]
    call_command("import_ratings", "mere", str(source.path), field=fields)
    assert stored() == {
        ("ann", "s1"): {"safety": 4, "empathy": 3},
        ("ben", "s1"): {"safety": 5, "empathy": 2},
        ("ann", "s2"): {"safety": 4, "empathy": 3},
    }


@pytest.mark.django_db
def test_items_are_known_by_the_field_that_is_said_to_be_their_key(mere, put):
    rows = [
        {"meta": {"id": f"q{n}"}, "question": "Hello?", "chosen": "Yes.", "rejected": f"No {n}."}
        for n in range(2)
    ]
    source = put("pairs.json", json.dumps(rows))
    fields = ["meta.id=key", "chosen=reply.chosen", "rejected=reply.rejected"]
    call_command("import_items", "mere", str(source.path), field=fields)
    assert list(
        Item.objects.filter(study=mere).order_by("position").values_list("key", "reply")
    ) == [
        ("q0-chosen", "Yes."),
        ("q0-rejected", "No 0."),
        ("q1-chosen", "Yes."),
        ("q1-rejected", "No 1."),
    ]


@pytest.mark.django_db
def test_a_column_that_is_not_there_is_named(mere, put):
    source = put("wide.csv", WIDE)
    with pytest.raises(CommandError, match="no column “warmth_\\*”, which was said to be “empathy"):
        call_command("import_ratings", "mere", str(source.path), field=["warmth_*=empathy.*"])


@pytest.mark.django_db
def test_a_line_that_says_nothing_of_a_field_is_refused_on_the_page(mere, ada, as_user):
    sent = upload(as_user(ada), "mere", ITEMS, called="question_id: item")
    assert sent.status_code == 422
    assert "“question_id: item” does not say what a field is called." in sent.text
    page = as_user(ada).get(reverse("import_items", args=["mere"]))
    assert "Fields that the file calls otherwise" in page.text


@pytest.mark.parametrize("line", ["a", "=b", "a=", "a*=b", "a=b*", "a**=b**", "a*=b*c*"])
def test_what_no_line_may_be(line):
    with pytest.raises(CannotRead):
        called_in(line)


def test_a_name_stands_once():
    assert called_in(" a = b \n\nc=d=e") == {"a": "b", "c=d": "e"}
    with pytest.raises(CannotRead, match="twice"):
        called_in("a = b\nA = c")


def test_names_of_columns():
    called = {"Q.1": "safety", "*_Score": "gold.*"}
    assert own_columns(["q.1 ", "Qx1", "Warmth_score"], called) == ("safety", "Qx1", "gold.Warmth")


def test_fields_of_objects():
    called = {"meta.id": "key", "a.b": "x", "none.id": "y", "text.id": "z"}
    fields = {"meta": {"id": 0}, "a.b": 1, "text": "words"}
    assert own_fields(fields, called) == {
        "meta": {"id": 0},
        "x": 1,
        "text": "words",
        "key": 0,
    }
    with pytest.raises(Flaw):
        own_fields({"meta": {"id": 0}, "key": 1}, called)


@pytest.mark.django_db
def test_a_sheet_for_each_rater_comes_in_and_names_the_sheet_of_a_bad_row(mere, put, ada, as_user):
    call_command("import_items", "mere", str(put("items.csv", ITEMS).path))
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, score in (("ann", 4), ("ben", 2)):
        page = book.create_sheet(name)
        page.append(["item", "safety"])
        page.append(["s1", score])
    book["ben"].append(["s1", 3])
    sent = {"what": "ratings", "name": "r.xlsx", "called": "sheet = rater"}
    assert "row 3 of “ben”" in upload(as_user(ada), "mere", bytes_of(book), **sent).text
    book["ben"].delete_rows(3)
    browser = as_user(ada)
    bring_in(browser, upload(browser, "mere", bytes_of(book), **sent))
    assert stored() == {("ann", "s1"): {"safety": 4}, ("ben", "s1"): {"safety": 2}}


def bytes_of(book):
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()
