"""What was published, signed or recorded stays as it is; auditors read it."""

import pytest
from django.db import Error, connection, transaction
from django.utils import timezone

from accounts import events
from accounts.models import Event

TABLES = ["accounts_terms", "accounts_termsacceptance", "accounts_event"]
CHANGES = ["UPDATE {table} SET id = id + 1000", "DELETE FROM {table}"]


@pytest.mark.parametrize("change", CHANGES, ids=["update", "delete"])
@pytest.mark.parametrize("table", TABLES)
def test_the_database_refuses_to_change_or_delete(signed, table, change):
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")  # noqa: S608 -- a name from the list above
        assert cursor.fetchone()[0] > 0
        with pytest.raises(Error, match="kept as they are"), transaction.atomic():
            cursor.execute(change.format(table=table))


def test_only_those_who_audit_read_the_trail(as_user, uma, ben):
    assert as_user(uma).get("/access/events/").status_code == 200
    assert as_user(ben).get("/access/events/").status_code == 403


@pytest.mark.parametrize(
    ("conditions", "seen"),
    [
        ({}, {"terms.signed", "access.requested"}),
        ({"verb": "terms.signed"}, {"terms.signed"}),
    ],
    ids=["all", "verb"],
)
def test_the_trail_is_filtered(as_user, uma, asked, conditions, seen):
    page = as_user(uma).get("/access/events/", conditions).context["page"]
    assert {line.event.verb for line in page.lines} == seen


def test_the_trail_is_filtered_by_who_did_it(as_user, uma, eli, asked):
    browser = as_user(uma)
    by_eli = browser.get("/access/events/", {"actor": eli.pk}).context["page"]
    assert {line.event.verb for line in by_eli.lines} == {"terms.signed", "access.requested"}
    assert not browser.get("/access/events/", {"actor": uma.pk}).context["page"].lines


@pytest.mark.parametrize("actor", ["eli@example.org", "0", "9" * 5000])
def test_an_address_that_names_somebody_otherwise_finds_nothing(as_user, uma, asked, actor):
    assert as_user(uma).get("/access/events/", {"actor": actor}).status_code == 422


def test_the_trail_is_filtered_by_what_it_is_about(as_user, uma, asked):
    page = as_user(uma).get("/access/events/", {"subject": f"account:{asked.user_id}"})
    assert len(page.context["page"].lines) == 2


def test_the_trail_is_read_page_by_page_and_each_line_once(as_user, uma):
    for number in range(120):
        events.record("made.up", subject=f"line:{number}", by=uma, at=timezone.now())
    browser, seen, before = as_user(uma), [], ""
    while before is not None:
        page = browser.get("/access/events/", {"verb": "made.up", "before": before}).context["page"]
        seen += [line.event.subject for line in page.lines]
        before = page.next_before
    assert seen == [f"line:{number}" for number in reversed(range(120))]


@pytest.mark.parametrize("conditions", [{"verb": "no.such"}, {"before": "x"}])
def test_a_condition_that_makes_no_sense_is_sent_back(as_user, uma, conditions):
    assert as_user(uma).get("/access/events/", conditions).status_code == 422


def test_facts_are_words_not_code(as_user, uma, eli):
    as_user(eli).get("/access/events/")
    page = as_user(uma).get("/access/events/", {"verb": "gate.refused"}).content.decode()
    assert "signature, request" in page
    assert "[" not in page.split("<tbody>")[1].split("</tbody>")[0]


def test_refusals_of_the_same_page_within_a_minute_leave_one_line(as_user, eli):
    browser = as_user(eli)
    for _ in range(3):
        browser.get("/access/events/")
    browser.get("/access/requests/")
    pages = Event.objects.filter(verb="gate.refused").values_list("facts__page", flat=True)
    assert sorted(pages) == ["access_requests", "events"]
