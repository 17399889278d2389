"""Whatever shows the text of an item leaves a line that tells auditors who read it."""

import json
import uuid
from collections.abc import Iterator

import pytest
from django.db import connection, transaction
from django.http import HttpResponseBase
from django.utils import timezone

from accounts.models import Event
from analytics.audit.forms import AuditQuestion
from analytics.audit.page import lines
from annotation.actions import glass
from annotation.models import Assignment, Item, Study
from annotation.rules.lifecycle import AssignmentState
from judging.queries.templates import shipped_for
from tests.cast import terms_in_force
from tests.guards import world as worlds
from tests.guards.test_access_matrix import OURS, TABLE, browser_of, methods_of
from tests.guards.world import Page, World

pytestmark = pytest.mark.django_db

READERS = ("coordinator", "annotator", "adjudicator", "reader", "exporter", "steward")
# All that show a text in this world. Another page that does is named here as well.
SHOW_TEXTS = {
    *(("rate", "get"), ("rate", "post"), ("rate_ahead", "get"), ("api_next_work", "get")),
    *(("rate_defer", "post"), ("my_work_item", "get"), ("my_work_item", "post")),
    *(("adjudicate_case", "get"), ("adjudicate_case", "post"), ("discussion", "get")),
    *(("api_case", "get"), ("api_own_answers", "get")),
    *(("item", "get"), ("glass_texts", "get"), ("agreement_item", "get")),
    *(("rubric_try", "post"), ("rubric_try_item", "post"), ("judge_prompt_preview", "post")),
}


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker) -> Iterator[World]:
    """With a steward who reads through the broken glass."""
    with django_db_blocker.unblock(), transaction.atomic():
        made = worlds.made(terms_in_force())
        data_set = Study.objects.get(key="pond").data_set_id
        steward, witness = made.people["steward"], made.people["admin"]
        about = {"data_set_id": data_set, "reason": "Danger.", "by": steward}
        broken = glass.ask(**about, at=timezone.now())
        glass.witness(glass_id=broken.pk, by=witness, at=timezone.now())
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
        yield made
        transaction.set_rollback(True)


@pytest.fixture
def posted(world) -> dict[str, dict[str, object]]:
    """What has to be sent for a page to show a text, by its name."""
    study = Study.objects.get(key="pond")
    still_open = Assignment.objects.filter(
        rater__user=world.people["annotator"], state=AssignmentState.OPEN
    ).first()
    begun = {"assignment": still_open.pk, "key": uuid.uuid4()}
    prompt = shipped_for(study.rubric_version.content)[0].text
    item = study.items.order_by("position").last().key
    return {
        "rate": begun,
        "rate_defer": begun,
        "my_work_item": {"key": uuid.uuid4(), "supersedes": 1},
        "rubric_try": {"item": item, "key": uuid.uuid4()},
        "rubric_try_item": {"item": item},
        "judge_prompt_preview": {"name": "brief", "text": prompt, "item": item},
    }


def enters(kind: str, page: Page, method: str) -> bool:
    if page.name == "glass_texts":
        return kind == "steward"
    return TABLE[page.name, method].answer(kind) is None


def shown_in(answer: HttpResponseBase, items: list[Item]) -> set[str]:
    """The dialogues whose turns or reply stand in it."""
    if answer.streaming:
        return set()
    text = answer.content.decode(errors="replace")
    return {
        item.dialogue.key
        for item in items
        if json.dumps(item.reply)[1:-1] in text or item.dialogue.turns[0]["text"] in text
    }


def is_told(dialogue: str, *, since: int) -> bool:
    """Whether an auditor who asks for this dialogue finds a line of it."""
    asked = {"question": AuditQuestion.DIALOGUE, "study": "pond", "dialogue": dialogue}
    asked |= {"person": "", "since": None, "until": None}
    return lines(asked, reader=0).filter(pk__gt=since).exists()


def test_each_text_that_a_page_shows_is_in_the_trail(world, posted):
    items = list(Item.objects.filter(study__key="pond").select_related("dialogue"))
    show, silent = set(), set()
    for kind in READERS:
        browser = browser_of(world.people[kind])
        for page in OURS:
            for method in methods_of(page):
                if not enters(kind, page, method):
                    continue
                before = transaction.savepoint()
                newest = Event.objects.order_by("-pk").values_list("pk", flat=True).first()
                path, sent = page.path(world.pond), posted.get(page.name, {})
                answer = getattr(browser, method)(
                    path,
                    sent if method == "post" else {},
                    headers={"HX-Request": "true"} if page.name == "rate_defer" else {},
                )
                for dialogue in shown_in(answer, items):
                    show.add((page.name, method))
                    if not is_told(dialogue, since=newest):
                        silent.add((kind, page.name, method, dialogue))
                transaction.savepoint_rollback(before)
    assert not silent, f"Note who reads it: annotation/actions/viewing.py. {silent}"
    assert show == SHOW_TEXTS
