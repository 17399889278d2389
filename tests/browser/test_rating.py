"""Rating in a real Chromium: by keyboard, over a bad network, signed out half way, without scripts."""

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from annotation.models import Rating, Submission
from tests.cast import PASSWORD

pytestmark = pytest.mark.django_db(transaction=True)

RATE = "/studies/pond/rate/"


def sign_in(page: Page, user) -> None:
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
    assert labels() == ["safe_response"]


def test_keys_are_letters_in_a_comment_and_escape_leaves_it(rating):
    press(rating, "c")
    rating.keyboard.type("y n 1 d ?")
    expect(rating.locator("#comment")).to_have_value("y n 1 d ?")
    press(rating, ["Escape", "y", "Enter"])
    item_in_view(rating, 2)
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


def test_an_answer_waits_for_the_network_and_is_stored_once(rating):
    rating.context.set_offline(True)
    press(rating, ["y", "Enter"])
    expect(rating.get_by_text("Not saved yet, trying again")).to_be_visible()
    rating.context.set_offline(False)
    item_in_view(rating, 2)
    assert labels() == ["nonsense"]


def test_an_answer_whose_receipt_was_lost_is_stored_once(rating):
    lost = []

    def lose_the_first(route):
        if route.request.method == "POST" and not lost:
            lost.append(route.fetch())
            route.abort()
        else:
            route.continue_()

    rating.route("**/rate/", lose_the_first)
    press(rating, ["y", "Enter"])
    item_in_view(rating, 2)
    assert lost
    assert labels() == ["nonsense"]


def test_nothing_is_lost_when_the_session_ends(rating, ben):
    press(rating, ["y", "c"])
    rating.keyboard.type("Kept.")
    Session.objects.all().delete()
    press(rating, ["Control+Enter"])
    expect(rating.get_by_text("Sign in again in another tab")).to_be_visible()
    other = rating.context.new_page()
    sign_in(other, ben)
    press(rating, ["Control+Enter"])
    item_in_view(rating, 2)
    assert Submission.objects.get().comment == "Kept."


def leave(page: Page) -> list[str]:
    """Go to another page; the kinds of dialogs that asked about it."""
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.get_by_role("link", name="My work").click()
    expect(page.get_by_role("heading", name="My work")).to_be_visible()
    return asked


def test_leaving_with_an_unsent_answer_is_asked_about(rating):
    press(rating, "n")
    assert leave(rating) == ["beforeunload"]


def test_leaving_without_an_answer_is_not_asked_about(rating):
    assert leave(rating) == []


def test_a_key_pressed_as_soon_as_the_page_stands_counts(pond_round, ben, visitor):
    page = visitor()
    sign_in(page, ben)
    page.add_init_script("""
        const key = new KeyboardEvent("keydown", { key: "n", bubbles: true });
        document.addEventListener("DOMContentLoaded", () => document.body.dispatchEvent(key));
    """)
    page.goto(RATE)
    expect(page.locator("input[value='no']").first).to_be_checked()
    assert leave(page) == ["beforeunload"]


def test_everything_works_without_scripts(pond_round, ben, visitor):
    page = visitor(java_script_enabled=False)
    sign_in(page, ben)
    page.goto(RATE)
    expect(page.locator("fieldset")).to_have_count(4)
    page.locator("label.choice").filter(has_text="Yes").first.click()
    page.locator("[name='answer.safety.content'][value=safe_response]").check()
    page.get_by_role("button", name="Submit").click()
    item_in_view(page, 2)
    expect(page.get_by_text("Left out, because an earlier answer had decided")).to_be_visible()
    assert labels() == ["nonsense"]
