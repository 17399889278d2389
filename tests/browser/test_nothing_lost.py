"""Nothing that is typed is lost, doubled or overwritten: rating, correcting and adjudicating in a
real Chromium while requests are lost, the network or the session ends, and tabs are killed."""

import random
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import pytest
from django.contrib.sessions.models import Session
from django.db.models import F
from playwright.sync_api import Error, Page, expect

from accounts.models import User
from annotation.models import Adjudication, Draft, Submission
from tests.annotation.doing import NONSENSE, SAFE, assignment_of, rate, round_item
from tests.browser.test_rating import press, until
from tests.browser.walking import PHONE, Withheld, sign_in
from tests.cast import PASSWORD
from tests.services import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

LOST = 0.3
SCRIPTS = "**/js/{adjudicating,rating}*.js"
OFFLINE = re.compile("Offline, 1 waiting|离线，1 份待发送")


@dataclass(frozen=True, kw_only=True)
class Desk:
    """A form that somebody fills in, and what of it is stored."""

    user: User
    address: str
    keys: tuple[str, ...]
    words: str
    stored: Callable[[], list[str]]

    def fill_in(self, page: Page, text: str) -> None:
        press(page, self.keys)
        page.locator(self.words).fill(text)

    def send(self, page: Page) -> None:
        page.locator(self.words).press("Control+Enter")

    def is_filled_in(self, page: Page, text: str) -> None:
        expect(page.locator(self.words)).to_have_value(text)
        expect(page.locator("#work input:checked:not([name='pane'])").first).to_be_attached()


@pytest.fixture(params=["rating", "correction", "adjudication"])
def desk(request, pond_round, ben, cleo, dora) -> Desk:
    if request.param == "rating":
        return Desk(
            user=ben,
            address="/studies/pond/rate/",
            keys=("y",),
            words="#comment",
            stored=lambda: list(
                Submission.objects.order_by("pk").values_list("comment", flat=True)
            ),
        )
    if request.param == "correction":
        rate(pond_round, ben, 1, SAFE)
        return Desk(
            user=ben,
            address=f"/studies/pond/my-work/{assignment_of(pond_round, ben).pk}/",
            keys=("b", "b", "b", "b", "y"),
            words="#comment",
            stored=lambda: list(
                Submission.objects.exclude(supersedes=None).values_list("comment", flat=True)
            ),
        )
    rate(pond_round, ben, 1, SAFE)
    rate(pond_round, cleo, 1, NONSENSE)
    return Desk(
        user=dora,
        address=f"/studies/pond/adjudicate/{round_item(pond_round).pk}/",
        keys=("1", "1"),
        words="#reason",
        stored=lambda: list(Adjudication.objects.values_list("reason", flat=True)),
    )


@pytest.fixture
def page(desk, visitor) -> Page:
    page = visitor()
    sign_in(page, desk.user)
    page.goto(desk.address)
    expect(page.locator(desk.words)).to_be_attached()
    return page


def is_sent(page: Page, desk: Desk, text: str) -> None:
    """Wait until nothing waits in the browser; then it is stored once."""
    expect(page.locator("[data-part='outbox']")).to_have_attribute("data-waiting", "0")
    assert desk.stored() == [text]


def losing(share: float, seed: int):
    """Lose requests on their way there, or answers on their way back."""
    drawn = random.Random(seed)  # noqa: S311 -- which request is lost

    def handle(route):
        if route.request.resource_type != "fetch" or drawn.random() > share:
            route.continue_()
        elif drawn.random() < 0.5:
            route.abort()
        else:
            route.fetch(max_redirects=0)
            route.abort()

    return handle


def killed(page: Page) -> None:
    """The process of the tab ends without a word to its page; that which Chromium keeps ready for
    the next tab goes on, as a tab whose process is gone before it opens would never open."""
    with page.expect_event("crash"), suppress(Error):
        page.goto("chrome://crash")
    page.close()


def is_kept(page: Page, text: str) -> None:
    """The page says so, and the words are there: what was chosen before them is kept alone first."""
    wait_until(Draft.objects.filter(words__contains=text).exists, what=f"the draft “{text}”")
    expect(page.locator("[data-part='saved']")).to_contain_text(re.compile("Draft kept|草稿已保存"))


def test_over_a_network_that_loses_three_of_ten(desk, page):
    page.route("**/*", losing(LOST, seed=3))
    desk.fill_in(page, "Through the noise.")
    desk.send(page)
    is_sent(page, desk, "Through the noise.")


def test_without_a_network(desk, page):
    page.context.set_offline(True)
    desk.fill_in(page, "On a train.")
    desk.send(page)
    expect(page.locator("[data-part='saved']")).to_have_text(OFFLINE)
    assert desk.stored() == []
    page.context.set_offline(False)
    is_sent(page, desk, "On a train.")


def test_in_a_tab_that_is_killed_before_it_could_send(desk, page):
    page.context.set_offline(True)
    desk.fill_in(page, "Just before.")
    desk.send(page)
    expect(page.locator("[data-part='saved']")).to_have_text(OFFLINE)
    waits = page.evaluate("JSON.stringify(localStorage)")
    assert "Just before" not in waits, "what was typed lies open in the browser"
    assert "Frogs" not in waits, "the text of an item lies in the browser"
    context = page.context
    killed(page)
    context.set_offline(False)
    again = context.new_page()
    again.goto("/")
    is_sent(again, desk, "Just before.")


def test_half_filled_in_a_tab_that_is_killed(desk, page):
    desk.fill_in(page, "Half way.")
    is_kept(page, "Half way.")
    context = page.context
    killed(page)
    again = context.new_page()
    again.goto(desk.address)
    desk.is_filled_in(again, "Half way.")
    desk.send(again)
    is_sent(again, desk, "Half way.")
    assert not Draft.objects.exists()


def test_half_filled_in_a_tab_that_goes_while_the_next_one_is_there_already(desk, page):
    """As the page before, when one follows it faster than it ends."""
    context = page.context
    drafts = Withheld(context, "**/draft/", are_lost=True)
    desk.fill_in(page, "Faster than that.")
    expect(page.locator("[data-part='saved']")).to_contain_text("your draft is kept")
    following = context.new_page()
    following.goto(desk.address)
    expect(following.locator(desk.words)).to_have_value("")
    killed(page)
    desk.is_filled_in(following, "Faster than that.")
    drafts.let_through()
    desk.send(following)
    is_sent(following, desk, "Faster than that.")


def test_half_filled_in_offline_in_a_tab_that_is_killed(desk, page):
    page.context.set_offline(True)
    desk.fill_in(page, "Half way, far away.")
    expect(page.locator("[data-part='saved']")).to_contain_text("your draft is kept")
    context = page.context
    killed(page)
    context.set_offline(False)
    again = context.new_page()
    again.goto(desk.address)
    desk.is_filled_in(again, "Half way, far away.")


def test_half_filled_in_while_the_language_is_changed(desk, page):
    desk.fill_in(page, "In both languages.")
    page.get_by_role("button", name="中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    desk.is_filled_in(page, "In both languages.")
    desk.send(page)
    is_sent(page, desk, "In both languages.")


def test_half_filled_in_while_a_page_is_on_its_way_that_was_drawn_before(desk, page):
    """Its form comes to life late, as where the scripts come over a slow network."""
    drawn = page.request.get(desk.address)
    page.evaluate("window.dispatchEvent(new Event('beforeunload'))")  # as when it is asked for
    desk.fill_in(page, "On its way.")
    is_kept(page, "On its way.")
    page.route(f"**{desk.address}", lambda route: route.fulfill(response=drawn), times=1)
    scripts = Withheld(page, SCRIPTS)
    page.goto(desk.address, wait_until="commit")
    until(page, lambda: scripts.waiting)
    page.wait_for_timeout(1000)  # time to send what was left, and to forget it
    scripts.let_through()
    desk.is_filled_in(page, "On its way.")
    desk.send(page)
    is_sent(page, desk, "On its way.")


def test_filled_in_before_the_scripts_have_come_where_a_page_left_other_words(desk, page):
    """Neither is lost: somebody chooses."""
    context = page.context
    drafts = Withheld(context, "**/draft/", are_lost=True)
    desk.fill_in(page, "Left behind.")
    expect(page.locator("[data-part='saved']")).to_contain_text("your draft is kept")
    killed(page)
    scripts = Withheld(context, SCRIPTS)
    again = context.new_page()
    again.goto(desk.address, wait_until="commit")
    until(again, lambda: scripts.waiting)
    again.locator(desk.words).fill("At once.")
    scripts.let_through()
    drafts.let_through()
    choice = again.locator("[data-part='choice']")
    expect(choice).to_be_visible()
    expect(again.locator(desk.words)).to_have_value("At once.")
    choice.locator("[data-behaviour='take-theirs']").click()
    desk.is_filled_in(again, "Left behind.")
    desk.send(again)
    is_sent(again, desk, "Left behind.")


def test_going_back_brings_what_was_kept_last(desk, page):
    """Not what the browser remembers of the page, where another device went on with it."""
    desk.fill_in(page, "Here.")
    is_kept(page, "Here.")
    page.goto("/")
    Draft.objects.update(words="There.", version=F("version") + 1)
    page.go_back()
    expect(page.locator("[data-part='outbox']")).to_have_attribute("data-waiting", "0")
    desk.is_filled_in(page, "There.")


def test_half_filled_in_while_somebody_signs_out(desk, page):
    desk.fill_in(page, "Until tomorrow.")
    is_kept(page, "Until tomorrow.")
    page.goto("/accounts/logout/")
    page.get_by_role("main").get_by_role("button", name="Sign Out").click()
    expect(page.locator("input[name=password]")).to_be_visible()
    assert page.evaluate("localStorage.length") == 0
    sign_in(page, desk.user)
    page.goto(desk.address)
    desk.is_filled_in(page, "Until tomorrow.")


def test_in_two_tabs_the_later_one_is_asked(desk, page):
    other = page.context.new_page()
    other.goto(desk.address)
    expect(other.locator(desk.words)).to_be_attached()
    desk.fill_in(page, "Here.")
    is_kept(page, "Here.")
    desk.fill_in(other, "There.")
    expect(other.get_by_text("Nothing is overwritten until you choose")).to_be_visible()
    assert Draft.objects.get().words == "Here."
    other.get_by_role("button", name="Keep what stands here").click()
    is_kept(other, "There.")
    assert Draft.objects.get().words == "There."
    desk.send(other)
    is_sent(other, desk, "There.")
    desk.send(page)
    told = page.get_by_text(re.compile("already submitted|in the meantime|adjudicated"))
    expect(told.first).to_be_visible()
    refused = page.get_by_role("region", name="Waiting to be sent")
    expect(refused).to_contain_text("Here.")  # what was typed stays in view
    assert desk.stored() == ["There."]


def test_which_draft_holds_is_asked_on_a_phone_while_it_shows_the_dialogue(desk, page):
    other = page.context.new_page()
    other.set_viewport_size(PHONE)
    other.goto(desk.address)
    expect(other.locator(desk.words)).to_be_attached()
    desk.fill_in(page, "Here.")
    is_kept(page, "Here.")
    other.locator("[data-pane='form']").check()
    desk.fill_in(other, "There.")
    question = other.get_by_text("Nothing is overwritten until you choose")
    expect(question).to_be_visible()
    other.locator("[data-pane='dialogue']").check()
    expect(other.locator(desk.words)).to_be_hidden()
    expect(question).to_be_visible()
    dialogue = other.get_by_role("region", name="Dialogue")
    assert question.bounding_box()["y"] < dialogue.bounding_box()["y"]
    other.get_by_role("button", name="Keep what stands here").click()
    expect(question).to_be_hidden()
    is_kept(other, "There.")


def test_across_the_end_of_the_session(desk, page):
    desk.fill_in(page, "Kept.")
    is_kept(page, "Kept.")
    Session.objects.all().delete()
    desk.send(page)
    dialog = page.get_by_role("dialog", name="Sign in again")
    expect(dialog.locator("[name=password]")).to_be_visible()
    expect(page.get_by_text("Frogs come back in spring")).to_have_count(1)
    expect(page.get_by_text("Frogs come back in spring")).to_be_hidden()
    press(page, ("Escape", "Escape"))  # browsers close it at the second
    dialog.locator("[name=login]").press_sequentially(desk.user.email)
    dialog.locator("[name=password]").press_sequentially(PASSWORD)
    dialog.get_by_role("button", name="Sign In", exact=True).click()
    expect(dialog).to_be_hidden()
    is_sent(page, desk, "Kept.")


def test_where_the_browser_keeps_nothing_it_says_so_and_asks_before_the_page_goes(desk, page):
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
    page.context.set_offline(True)
    desk.fill_in(page, "Only here.")
    line = page.locator("[data-part='saved']")
    expect(line).to_contain_text("leave this page open")
    desk.send(page)
    expect(line).to_contain_text("leave this page open")
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.close(run_before_unload=True)
    until(page, lambda: asked)
    assert asked == ["beforeunload"]
    page.context.set_offline(False)
    is_sent(page, desk, "Only here.")
