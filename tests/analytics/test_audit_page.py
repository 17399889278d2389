"""An ethics board's questions are answered on a page: who read this, what did they read, what left."""

import csv
from io import StringIO

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts import events
from accounts.models import Role
from analytics.audit import page
from annotation.actions import glass
from annotation.models import TeamRole
from judging.actions import viewing
from tests.analytics.made import decide, items_of, judge, rate
from tests.annotation.doing import assignment_of
from tests.annotation.doing import rate as rate_in_round
from tests.cast import approved, study_with


@pytest.fixture
def uma(terms):
    """An auditor."""
    return approved("uma", terms, roles=[Role.AUDITOR])


@pytest.fixture
def read(as_user, pond_round, ben, cleo, gwen):
    """ben was shown his first item, gwen opened it; gwen took a table away."""
    as_user(ben).get(reverse("rate", args=["pond"]))
    item = assignment_of(pond_round, ben).item
    as_user(gwen).get(reverse("agreement_item", args=["pond", item.pk]))
    events.record(
        "agreement.table_downloaded",
        subject=f"study:{pond_round.study_id}",
        by=gwen,
        at=timezone.now(),
    )
    return item


@pytest.fixture
def asking(as_user, uma):
    """asking(question=...) are the lines that the page shows to the auditor."""

    def ask(**asked):
        return as_user(uma).get(reverse("audit"), asked).context["lines"]

    return ask


def test_a_file_has_every_line_once_while_others_are_written(read, gwen, uma, monkeypatch):
    monkeypatch.setattr(page, "LINES_ON_A_PAGE", 2)

    def take(revision):
        subject = f"study:{read.study_id}"
        facts = {"revision": revision}
        events.record("export.downloaded", subject=subject, by=gwen, at=timezone.now(), facts=facts)

    for revision in range(4):
        take(revision)
    asked = {
        "question": "left",
        "study": "pond",
        "person": None,
        "since": None,
        "until": None,
    }
    expected = [line.at.isoformat() for line in page.told(page.lines(asked, reader=uma.pk))]
    file = page.records(asked, reader=uma.pk)
    rows = [next(file), next(file), next(file)]
    for revision in range(4, 8):
        take(revision)
    rows += file
    assert [row[0] for row in rows[1:]] == expected


def test_who_read_a_dialogue_is_told_with_names_and_times(asking, read):
    lines = asking(question="dialogue", study="pond", dialogue=read.dialogue.key)
    assert {line.name for line in lines} == {"Ben", "Gwen"}
    assert {line.item for line in lines} == {f"{read.dialogue.key} · {read.key}"}


def test_a_dialogue_that_nobody_read_has_no_line(asking, read, pond):
    other = pond.items.exclude(pk=read.pk).last().dialogue.key
    assert asking(question="dialogue", study="pond", dialogue=other) == []


def test_what_a_person_read_is_told(asking, read, ben):
    [line] = asking(question="person", person=ben.pk)
    assert (line.email, line.study, line.item) == (
        ben.email,
        "pond",
        f"{read.dialogue.key} · {read.key}",
    )


def test_what_left_is_told_with_who_has_it(asking, read, gwen):
    [line] = asking(question="left", study="pond")
    assert (line.what, line.study, line.to) == ("Table downloaded", "pond", gwen.email)


def test_days_bound_the_answer(asking, read, ben):
    today = timezone.localdate().isoformat()
    assert asking(question="person", person=ben.pk, since=today, until=today)
    assert asking(question="person", person=ben.pk, until="2026-01-01") == []


def test_another_study_s_lines_are_left_out(asking, read, gwen):
    study_with(rubric="dialogue_safety", key="lake", team={gwen: [TeamRole.COORDINATOR]}, n_items=1)
    assert asking(question="left", study="lake") == []


def test_the_answer_is_a_file_as_well(as_user, uma, read, ben):
    answer = as_user(uma).get(
        reverse("audit"), {"question": "person", "person": ben.pk, "as": "csv"}
    )
    [row] = csv.DictReader(StringIO(answer.content.decode()))
    assert (row["name"], row["study"], row["what"]) == ("Ben", "pond", "Shown to be rated")


def test_an_auditor_is_not_told_what_they_rate_themselves(as_user, read, ben):
    ben.roles = [Role.AUDITOR]
    ben.save()
    asked = {"question": "person", "person": ben.pk}
    assert as_user(ben).get(reverse("audit"), asked).context["lines"] == []


@pytest.mark.parametrize(
    "asked",
    [
        {"question": "dialogue"},
        {"question": "person"},
        {"question": "could"},
        {"question": "person", "person": "ben@example.org"},
        {"question": "person", "person": "9" * 5000},
    ],
)
def test_a_question_without_its_subject_is_asked_again(as_user, uma, asked):
    assert as_user(uma).get(reverse("audit"), asked).status_code == 422


@pytest.fixture
def listed(pond, as_user, gwen, ada):
    """Gwen was shown what a judge answered to the first item beside its gold."""
    first, second, *_others = items_of(pond)
    echo = judge("echo")
    for item in (first, second):
        rate(echo, item, safety="nonsense")
        decide(item, safety="safe_response")
    address = reverse(
        "agreement_comparison_items", args=["pond", "safety", "judge_gold", str(echo.pk)]
    )
    answer = as_user(gwen).get(address)
    assert answer.status_code == 200, answer.content
    return [first, second]


def test_a_list_tells_of_each_of_its_items_who_read_it(asking, listed, gwen):
    first, _second = listed
    [line] = asking(question="dialogue", study="pond", dialogue=first.dialogue.key)
    assert (line.name, line.what) == ("Gwen", "Listed with what was answered")
    assert line.item == "d1 · d1.1, d2 · d2.1"
    assert asking(question="dialogue", study="pond", dialogue="d3") == []
    assert [line.study for line in asking(question="person", person=gwen.pk)] == ["pond"]


def test_what_was_read_through_the_broken_glass_is_told(asking, pond, sam):
    item = pond.items.first()
    glass.read(data_set=pond.data_set, items=[item.pk], by=sam, at=timezone.now())
    [line] = asking(question="dialogue", study="pond", dialogue=item.dialogue.key)
    assert (line.name, line.what) == ("Sam", "Read through the broken glass")
    assert asking(question="person", person=sam.pk, study="pond")


def test_what_a_program_took_is_told(asking, as_user, pond, gwen):
    as_user(gwen).get("/api/v1/studies/pond/ratings/")
    [line] = asking(question="left", study="pond")
    assert (line.what, line.to) == ("Ratings taken by a program", gwen.email)


def test_who_could_see_what_on_a_day_is_told_by_the_data_set(as_user, uma, pond, gwen):
    asked = {"question": "could", "study": "pond", "person": gwen.pk}
    browser = as_user(uma)
    answer = browser.get(reverse("audit"), asked | {"until": "2026-03-01"})
    assert answer.url == f"/data-sets/pond/?at=2026-03-01&person={gwen.pk}"
    page = browser.get(reverse("audit"), asked, follow=True)
    assert {line.grant.person.full_name for line in page.context["lines"]} == {"Gwen"}
    file = browser.get(reverse("audit"), asked | {"as": "csv"}, follow=True)
    assert "gwen@example.org,item_text," in file.content.decode()


def test_a_list_of_own_work_tells_of_each_item_in_it(asking, as_user, pond_round, ben):
    rated = [assignment_of(pond_round, ben, position) for position in (1, 2)]
    for position in (1, 2):
        rate_in_round(pond_round, ben, position)
    as_user(ben).get(reverse("my_work", args=["pond"]))
    for assignment in rated:
        key = assignment.item.dialogue.key
        [line] = asking(question="dialogue", study="pond", dialogue=key)
        assert (line.name, line.what) == ("Ben", "Listed with one’s own answers")
    ben.roles = [Role.AUDITOR]
    ben.save()
    asked = {"question": "person", "person": ben.pk}
    assert as_user(ben).get(reverse("audit"), asked).context["lines"] == []


def test_a_list_without_answers_is_told_as_such(asking, as_user, pond, ada):
    as_user(ada).get(reverse("items", args=["pond"]))
    [line] = asking(question="dialogue", study="pond", dialogue="d2")
    assert (line.name, line.what) == ("Ada", "Listed by key and state")


def test_the_page_of_a_call_is_of_its_study_and_of_both_its_replies(asking, pond, gwen):
    first, _between, second = items_of(pond)[:3]
    viewing.call_shown(call_id=7, items=[first.pk, second.pk], by=gwen, at=timezone.now())
    for item in (first, second):
        [line] = asking(question="dialogue", study="pond", dialogue=item.dialogue.key)
        assert line.item == "d1 · d1.1, d3 · d3.1"
    [line] = asking(question="person", person=gwen.pk, study="pond")
    assert (line.what, line.study) == ("Opened with the answers of a judge", "pond")
    assert asking(question="person", person=gwen.pk, study="lake") == []
