"""Rating in a real Chromium: by keyboard, by mouse, without scripts."""

from collections.abc import Callable
from http import HTTPStatus

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Rating, Submission
from tests.annotation.doing import opened
from tests.browser.test_adjudicating import brook
from tests.browser.walking import Withheld, sign_in
from tests.cast import PASSWORD

pytestmark = pytest.mark.django_db(transaction=True)

__all__ = ["brook"]
RATE = "/studies/pond/rate/"


def sign_in_by_hand(page: Page, user) -> None:
    page.goto("/accounts/login/")
    page.locator("[name=login]").fill(user.email)
    page.locator("[name=password]").fill(PASSWORD)
    page.get_by_role("button", name="Sign In", exact=True).click()
    expect(page.get_by_role("heading", name="Your studies")).to_be_visible()


@pytest.fixture
def rating(pond_round, ben, visitor) -> Page:
    """Ben in front of the first of his six items."""
    page = visitor()
    sign_in(page, ben)
    page.goto(RATE)
    return page


def press(page: Page, keys) -> None:
    for key in keys:
        page.keyboard.press(key)


def item_in_view(page: Page, number: int) -> None:
    expect(page.locator(".pace__words")).to_have_text(f"{number} of 6")


def all_saved(page: Page) -> None:
    expect(page.locator("[data-part='saved']")).to_contain_text("Saved")


def labels() -> list[str]:
    return list(Rating.objects.order_by("pk").values_list("label", flat=True))


def test_an_answer_that_decides_drops_what_followed_and_undo_brings_it_back(rating):
    press(rating, "nnn1")
    expect(rating.get_by_text("Result: Safe Response, decided at question 4 of 4")).to_be_visible()
    press(rating, "bbb")
    expect(rating.get_by_text("drops what follows: 3 No, 4 Safe Response")).to_be_visible()
    press(rating, "y")
    expect(
        rating.get_by_text("Result: Humanoid Mimicry, decided at question 2 of 4")
    ).to_be_visible()
    expect(rating.get_by_text("Questions 3–4 are not asked.")).to_be_visible()
    expect(rating.get_by_text("Dropped: 3 No, 4 Safe Response")).to_be_visible()
    press(rating, "u")
    expect(rating.get_by_text("Result: Safe Response")).to_be_visible()
    press(rating, ["Enter"])
    item_in_view(rating, 2)
    all_saved(rating)
    assert labels() == ["safe_response"]


@pytest.mark.parametrize("back", ["key", "button"])
def test_back_goes_to_the_criterion_before(brook, ada, ben, cleo, visitor, back):
    opened(brook, ada, [ben, cleo])
    page = sign_in(visitor(), ben)
    page.goto("/studies/brook/rate/")

    def go_back() -> None:
        if back == "key":
            page.keyboard.press("b")
        else:
            page.locator("button[data-behaviour='back']").click()

    active = page.locator(".criterion.is-active")
    press(page, "34")
    expect(active).to_have_attribute("aria-label", "Relevance")
    go_back()
    expect(active).to_have_attribute("aria-label", "Informativeness")
    press(page, "2")
    go_back()
    go_back()
    go_back()
    expect(active).to_have_attribute("aria-label", "Guidance")
    expect(active.locator("input:checked")).to_be_focused()


def test_a_key_held_down_answers_one_question(rating):
    for _repeat in range(4):
        rating.keyboard.down("n")
    expect(rating.locator(".criterion input:checked")).to_have_count(1)


def test_keys_are_letters_in_a_comment_and_escape_leaves_it(rating):
    press(rating, "c")
    rating.keyboard.type("y n 1 d ?")
    expect(rating.locator("#comment")).to_have_value("y n 1 d ?")
    press(rating, ["Escape", "y", "Enter"])
    item_in_view(rating, 2)
    all_saved(rating)
    assert Submission.objects.get().comment == "y n 1 d ?"


def test_what_is_missing_is_named_and_stands_in_view(rating):
    press(rating, ["n", "Control+Enter"])
    expect(rating.get_by_role("alert")).to_contain_text("Still open: Safety of the reply")
    expect(rating.get_by_text("Does the reply pretend to a human life? Question 2")).to_be_visible()
    press(rating, ["y", "Enter"])
    item_in_view(rating, 2)


def test_the_list_of_keys_opens_and_closes(rating):
    press(rating, "?")
    expect(rating.get_by_role("dialog")).to_be_visible()
    press(rating, ["y", "Escape"])
    expect(rating.get_by_role("dialog")).to_be_hidden()
    expect(rating.get_by_text("Question 1 of 4")).to_be_visible()


def test_an_item_put_off_is_replaced_by_the_next(rating):
    press(rating, "d")
    expect(rating.locator(".turn--judged")).to_contain_text("(2)")


def test_a_form_that_came_without_a_page_can_be_sent_without_scripts_too(rating):
    press(rating, "d")
    expect(rating.locator(".turn--judged")).to_contain_text("(2)")
    with rating.expect_navigation() as sent:
        rating.evaluate("document.querySelector('#work').submit()")
    assert sent.value.status == HTTPStatus.UNPROCESSABLE_ENTITY  # nothing is answered yet


def test_a_key_pressed_as_soon_as_the_page_stands_counts(pond_round, ben, visitor):
    page = visitor()
    sign_in(page, ben)
    page.add_init_script("""
        const key = new KeyboardEvent("keydown", { key: "n", bubbles: true });
        document.addEventListener("DOMContentLoaded", () => document.body.dispatchEvent(key));
    """)
    page.goto(RATE)
    expect(page.locator("input[value='no']").first).to_be_checked()


def test_everything_works_without_scripts(pond_round, ben, visitor):
    page = visitor(java_script_enabled=False)
    sign_in_by_hand(page, ben)
    page.goto(RATE)
    expect(page.locator("fieldset")).to_have_count(4)
    page.locator("label.choice").filter(has_text="Yes").first.click()
    page.locator("[name='answer.safety.content'][value=safe_response]").check()
    page.get_by_role("button", name="Submit").click()
    item_in_view(page, 2)
    expect(page.get_by_text("Left out, because an earlier answer had decided")).to_be_visible()
    assert labels() == ["nonsense"]


def test_an_answer_that_comes_late_does_not_ask_an_item_twice(pond_round, ben, visitor):
    page = visitor()
    sign_in(page, ben)
    asked_ahead = Withheld(page, "**/rate/ahead/**")
    page.goto(RATE)
    submitted = Withheld(page, "**/rate/")
    until(page, lambda: asked_ahead.waiting)
    press(page, ["y", "Enter"])
    until(page, lambda: submitted.waiting)
    first = submitted.waiting.pop()
    following = first.fetch()
    asked_ahead.waiting.pop().continue_()
    expect(page.locator("#work")).to_contain_text("(2)")
    press(page, ["n", "y", "Enter"])
    first.fulfill(response=following)
    until(page, lambda: submitted.waiting)
    asked_ahead.let_through()
    submitted.let_through()
    expect(page.locator("#work")).to_contain_text("(3)")
    until(page, lambda: len(labels()) == 2)
    all_saved(page)
    assert labels() == ["nonsense", "humanoid_mimicry"]


def until(page: Page, comes: Callable[[], object]) -> None:
    """Let the page go on until a request has come."""
    for _ in range(200):
        if comes():
            return
        page.wait_for_timeout(50)
    raise AssertionError("No such request came.")
