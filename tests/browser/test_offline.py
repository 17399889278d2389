"""An hour without a network, and two devices of one person, in a real Chromium."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.actions import discussions, grants
from annotation.models import DiscussionRemark, Grant, Submission
from annotation.rules.granting import DataLevel
from tests.annotation.doing import in_discussion
from tests.browser.test_nothing_lost import Desk, desk, is_kept, is_sent, page
from tests.browser.test_rating import RATE, press
from tests.browser.walking import sign_in

pytestmark = pytest.mark.django_db(transaction=True)

__all__ = ["desk", "page"]
REPLY = ".turn--judged .turn__text"


def words_in_view(page: Page) -> str:
    return page.locator(REPLY).inner_text()


def rate_in_view(page: Page, number: int) -> str:
    """Rate the item in view with a comment; gives its reply. The next one is there at once."""
    reply = words_in_view(page)
    press(page, "yc")
    page.locator("#comment").fill(f"Number {number}.")
    page.locator("#comment").press("Control+Enter")
    return reply


def test_an_hour_offline_one_goes_on_and_all_arrives_once(pond_round, ben, visitor):
    page = visitor()
    page.clock.install()
    sign_in(page, ben)
    with page.expect_response(re.compile("rate/ahead/.*held=(\\d+%2C|\\d+,){3}")) as last:
        page.goto(RATE)
    last.value.finished()
    page.context.set_offline(True)
    replies = []
    for number in range(1, 6):  # the one in view and the four that were fetched
        replies.append(rate_in_view(page, number))
        page.clock.fast_forward("12:00")
    expect(page.locator("[data-part='saved']")).to_have_text("Offline, 5 waiting")
    expect(page.locator(".work__form")).to_have_js_property("inert", True)
    assert len(set(replies)) == 5
    assert not Submission.objects.exists()

    page.context.set_offline(False)
    expect(page.locator("[data-part='outbox']")).to_have_attribute("data-waiting", "0")
    expect(page.locator(REPLY)).not_to_have_text(replies[-1])
    replies.append(rate_in_view(page, 6))
    expect(page.get_by_role("heading", name="Nothing left to rate")).to_be_visible()
    stored = Submission.objects.values_list("comment", "item__reply")
    assert sorted(stored) == [(f"Number {n}.", reply) for n, reply in enumerate(replies, start=1)]


def test_on_two_devices_the_second_is_told_and_overwrites_nothing(desk: Desk, page, visitor):
    other = visitor()
    sign_in(other, desk.user)
    other.goto(desk.address)
    expect(other.locator(desk.words)).to_be_attached()
    desk.fill_in(page, "On the desk.")
    is_kept(page, "On the desk.")
    desk.fill_in(other, "On the train.")
    expect(other.get_by_text("Nothing is overwritten until you choose")).to_be_visible()
    desk.send(page)
    is_sent(page, desk, "On the desk.")
    other.get_by_role("button", name="Keep what stands here").click()
    desk.send(other)
    told = other.get_by_text(re.compile("already submitted|in the meantime|adjudicated"))
    expect(told.first).to_be_visible()
    assert desk.stored() == ["On the desk."]
    refused = other.get_by_role("region", name="Waiting to be sent")
    expect(refused).to_contain_text("On the train.")


def test_whose_grant_is_revoked_meanwhile_reads_so_beside_what_was_typed(
    pond_round, ben, sam, visitor
):
    page = sign_in(visitor(), ben)
    page.goto(RATE)
    grant = Grant.objects.get(person=ben, level=DataLevel.ITEM_TEXT)
    grants.revoke(grant_id=grant.pk, reason="Left.", by=sam, at=timezone.now())
    rate_in_view(page, 1)
    refused = page.get_by_role("region", name="Waiting to be sent")
    expect(refused).to_contain_text("Number 1.")
    expect(refused).to_contain_text("The texts of this data set are not granted to you today.")
    assert not Submission.objects.exists()


def test_what_is_said_without_a_network_stays_on_the_page_and_is_said_once(
    pond, ada, ben, cleo, visitor
):
    page = sign_in(visitor(), ben)
    page.goto(f"/studies/pond/discuss/{in_discussion(pond, ada, [ben, cleo]).pk}/")
    page.context.set_offline(True)
    page.get_by_label("Say something").fill("Look at turn 3.")
    page.get_by_role("button", name="Say it").click()
    expect(page.locator("[data-part='saved']")).to_contain_text("your draft is kept")
    page.context.set_offline(False)
    expect(page.locator("[data-part='outbox']")).to_have_attribute("data-waiting", "0")
    page.get_by_role("button", name="Say it").dblclick()
    expect(page.get_by_role("article")).to_contain_text("Look at turn 3.")
    expect(page.get_by_label("Say something")).to_have_value("")
    assert DiscussionRemark.objects.count() == 1


def test_what_is_typed_while_a_remark_is_on_its_way_does_not_take_its_place(
    pond, ada, ben, cleo, visitor
):
    page = sign_in(visitor(), ben)
    page.goto(f"/studies/pond/discuss/{in_discussion(pond, ada, [ben, cleo]).pk}/")
    held = []
    page.route("**/draft/", lambda route: held.append(route))
    field, say = page.get_by_label("Say something"), page.get_by_role("button", name="Say it")
    field.fill("Look at turn 3.")
    with page.expect_request("**/draft/"):
        say.click()
    field.press("Control+a")
    page.keyboard.type("And at turn 4.")
    say.click()
    for route in held:
        route.continue_()
    page.unroute("**/draft/")
    expect(page.get_by_role("article")).to_have_count(1)
    expect(page.get_by_role("article")).to_contain_text("Look at turn 3.")
    expect(field).to_be_editable()
    field.fill("And at turn 4.")
    say.click()
    expect(page.get_by_role("article")).to_have_count(2)
    texts = DiscussionRemark.objects.order_by("pk").values_list("text", flat=True)
    assert list(texts) == ["Look at turn 3.", "And at turn 4."]


def test_who_says_something_sees_it_above_the_form(pond, ada, ben, cleo, visitor):
    discussed = in_discussion(pond, ada, [ben, cleo])
    for number in range(40):
        discussions.say(
            study_id=pond.pk,
            round_item_id=discussed.pk,
            text=f"Remark {number}.",
            by=ben,
            at=timezone.now(),
        )
    page = sign_in(visitor(), ben)
    page.goto(f"/studies/pond/discuss/{discussed.pk}/")
    expect(page.get_by_text("Remark 0.")).to_be_hidden()
    page.get_by_label("Say something").fill("Look at turn 3.")
    page.get_by_role("button", name="Say it").click()
    expect(page.get_by_text("Look at turn 3.")).to_be_in_viewport()
    expect(page.get_by_role("button", name="Say it")).to_be_in_viewport()
