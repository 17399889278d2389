"""Whatever hands out figures, as a file or to a program, leaves a line that tells what was taken."""

from collections.abc import Iterator

import pytest
from django.db import connection, transaction
from django.http import HttpResponse

from accounts.models import Event
from analytics.audit.page import LEFT
from tests.cast import terms_in_force
from tests.guards import world as worlds
from tests.guards.test_access_matrix import OURS, TABLE, browser_of, methods_of
from tests.guards.world import Page, World

pytestmark = pytest.mark.django_db

TAKERS = ("coordinator", "reader", "researcher", "exporter", "steward", "auditor", "annotator")
FACTS = {"figures", "revision", "with_off_scale", "with_quarantined", "slice", "chosen", "veiled"}
FILES_OF_FIGURES = {
    "agreement_figures_file",
    "agreement_means",
    "agreement_report_file",
    "agreement_routing_table",
    "agreement_sealed_file",
}
TO_PROGRAMS = {"api_agreement", "api_figures", "api_trust"}
# Refused in this world, whose round is open: tests/analytics/test_files_leave.py takes it.
REFUSED_HERE = {"agreement_table"}
OTHER_FILES = {
    "agreement_trust_policy_file": "rules, word for word",
    "agreement_trust_plan": "rules; that they are committed is a line of its own",
    "export_file": "a release, with lines of its own",
    "api_release_file": "a release, with lines of its own",
}
OTHER_PARTS_OF_THE_API = {
    "api_ratings": "ratings, with a line of their own",
    "api_gold": "gold, with a line of its own",
    "api_disclosure": "counts that are looked at before a release",
    "api_releases": "which releases there are",
    "api_release": "which release it is",
    "api_release_link": "a way to a release",
}


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker) -> Iterator[World]:
    with django_db_blocker.unblock(), transaction.atomic():
        made = worlds.made(terms_in_force())
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
        yield made
        transaction.set_rollback(True)


def is_file(answer: HttpResponse) -> bool:
    return "attachment" in answer.headers.get("Content-Disposition", "")


def of_figures(page: Page) -> bool:
    return page.view.__module__.startswith("analytics.") and page.is_in_a_study


def answers(world: World, page: Page) -> Iterator[tuple[str, HttpResponse, list[Event]]]:
    """What each kind of account gets that enters, with the lines that it has left."""
    for kind in TAKERS:
        for method in methods_of(page):
            if TABLE[page.name, method].answer(kind) is None:
                before = transaction.savepoint()
                newest = Event.objects.order_by("-pk").values_list("pk", flat=True).first()
                answer = getattr(browser_of(world.people[kind]), method)(page.path(world.pond))
                lines = list(Event.objects.filter(pk__gt=newest, verb__in=LEFT))
                transaction.savepoint_rollback(before)
                yield kind, answer, lines


def test_each_way_of_taking_figures_leaves_its_line(world):
    silent, files = set(), set()
    for page in filter(of_figures, OURS):
        for kind, answer, lines in answers(world, page):
            if answer.status_code != 200 or not (is_file(answer) or page.name in TO_PROGRAMS):
                continue
            files.add(page.name)
            if page.name in OTHER_FILES:
                continue
            if not any(line.facts.keys() >= FACTS for line in lines):
                silent.add((page.name, kind))
    assert not silent, f"Put it through analytics/present/leaving.py: {silent}"
    assert files - OTHER_FILES.keys() == FILES_OF_FIGURES | TO_PROGRAMS


def test_who_asks_for_the_head_of_a_file_leaves_no_line(world):
    """Nothing has left."""
    asked = set()
    newest = Event.objects.order_by("-pk").values_list("pk", flat=True).first()
    for page in OURS:
        if page.name not in FILES_OF_FIGURES | TO_PROGRAMS | OTHER_FILES.keys():
            continue
        for kind in TAKERS:
            if "get" in methods_of(page) and TABLE[page.name, "get"].answer(kind) is None:
                answer = browser_of(world.people[kind]).head(page.path(world.pond))
                if answer.status_code == 200:
                    asked.add(page.name)
    assert asked >= FILES_OF_FIGURES | TO_PROGRAMS | {"api_release_file"}
    assert not Event.objects.filter(pk__gt=newest, verb__in=LEFT).exists()


def test_each_part_of_the_interface_is_named_here():
    """For what a program is told is no file: nothing else would say that figures are in it."""
    known = TO_PROGRAMS | OTHER_PARTS_OF_THE_API.keys() | OTHER_FILES.keys()
    of_api = {page.name for page in OURS if page.view.__module__ == "analytics.api.views"}
    assert of_api <= known


def test_what_is_refused_here_is_an_address():
    assert {page.name for page in OURS} >= REFUSED_HERE
