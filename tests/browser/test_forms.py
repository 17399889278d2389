"""Long forms in a real Chromium: what is folded, and where one is led when something is wrong."""

import pytest
from playwright.sync_api import expect

from tests.annotation.doing import close, rate
from tests.browser.walking import sign_in

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_mistake_behind_the_fold_comes_into_view_with_its_field(pond, ada, visitor):
    page = sign_in(visitor(), ada)
    page.goto("/studies/pond/rounds/open/")
    fold = page.get_by_text("More settings")
    expect(fold).to_contain_text("Hidden repeats, in percent of the items")
    fold.click()
    repeats = page.get_by_label("Hidden repeats, in percent of the items")
    repeats.fill("4000")
    fold.click()
    expect(repeats).to_be_hidden()
    for name in ("Ben", "Cleo"):
        page.get_by_label(name, exact=True).check()
    page.get_by_role("button", name="Open the round").click()
    expect(repeats).to_be_focused()
    expect(repeats).to_be_in_viewport()


def test_a_round_asks_for_what_its_items_need(pond, pond_round, ada, ben, cleo, visitor):
    for rater in (ben, cleo):
        for place in pond_round.assignments.filter(rater__user=rater):
            rate(pond_round, rater, place.position)
    close(pond_round, ada)
    page = sign_in(visitor(), ada)
    page.goto("/studies/pond/rounds/open/")
    page.get_by_text("More settings").click()
    about = {
        "new": page.get_by_label("How many new items"),
        "listed": page.get_by_label("List of items (CSV)"),
        "qualify": page.get_by_label("To qualify, in percent"),
    }
    asked = {
        "The items of round 1 again": set(),
        "New items (0 left)": {"new"},
        "New items of a list": {"listed"},
        "Items with gold, to qualify": {"new", "qualify"},
    }
    for choice, needed in asked.items():
        page.get_by_text(choice).click()
        for name, field in about.items():
            expect(field).to_be_visible(visible=name in needed)


def test_what_is_wrong_with_the_whole_comes_into_view(pond, ada, visitor):
    page = sign_in(visitor(viewport={"width": 390, "height": 500}), ada)
    page.goto("/studies/pond/rounds/open/")
    page.get_by_label("Ben", exact=True).check()
    page.get_by_role("button", name="Open the round").click()
    refusal = page.locator(".errorlist")
    expect(refusal).to_be_focused()
    expect(refusal).to_be_in_viewport()
