"""Care for those who read what is hard to read, in a real Chromium."""

import pytest
from playwright.sync_api import expect

from annotation.models import Care, Item
from tests.annotation.doing import opened
from tests.browser.test_adjudicating import is_accessible
from tests.browser.test_rating import RATE, item_in_view, press
from tests.browser.walking import sign_in

pytestmark = pytest.mark.django_db(transaction=True)

NOTE = "Mentions self-harm."


@pytest.fixture
def heavy(pond, ada, ben, cleo):
    """The first three of six items are hard to read; then a round opens."""
    Item.objects.filter(study=pond, position__lte=3).update(content_note=NOTE)
    opened(pond, ada, [ben, cleo])
    return pond


@pytest.fixture
def reading(heavy, ben, visitor):
    """reading(**care) is ben in front of his first item."""

    def read(**care):
        Care.objects.create(study=heavy, support="Call 116 123.", **care)
        page = visitor()
        sign_in(page, ben)
        page.goto(RATE)
        return page

    return read


def is_heavy(page) -> bool:
    return page.locator("[data-part='reveal']").count() == 1


def read_all(page) -> list[bool]:
    """Rate whatever comes, and say of each whether it was heavy."""
    found = []
    while page.get_by_role("heading", name="Nothing left to rate").count() == 0:
        found.append(is_heavy(page))
        place = page.locator("#work").get_attribute("data-place")
        press(page, ["y", "Enter"])
        expect(page.locator(f"#work[data-place='{place}']")).to_have_count(0)
        expect(page.locator("#work .work__form[inert]")).to_have_count(0)
    return found


def test_a_break_is_offered_after_heavy_reading_and_holds_nobody_up(reading, keep):
    page = reading(break_after=2)
    offer = page.get_by_text("That was a lot of heavy reading")
    for number in (2, 3):
        press(page, ["y", "Enter"])
        item_in_view(page, number)
    press(page, ["y"])
    item_in_view(page, 3)
    expect(offer).to_be_hidden()
    press(page, ["Enter"])
    item_in_view(page, 4)
    expect(page.get_by_text("Frogs come back in spring. (2)")).to_be_hidden()
    page.get_by_text("I am ready: show the text").click()
    expect(page.get_by_text("Frogs come back in spring. (2)")).to_be_visible()
    press(page, ["y", "Enter"])
    item_in_view(page, 5)
    expect(offer).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="nothing is lost")).to_be_visible()
    keep(page, "break")
    is_accessible(page)
    page.get_by_role("button", name="Go on").click()
    expect(offer).to_be_hidden()
    page.get_by_text("Support", exact=True).click()
    expect(page.get_by_text("Call 116 123.")).to_be_visible()


def test_a_day_holds_so_many_heavy_items_and_then_light_ones(reading, keep):
    page = reading(most_a_day=1)
    assert sorted(read_all(page)) == [False, False, False, True]
    expect(page.get_by_text("at most 1 heavy items a day")).to_be_visible()
    keep(page, "a-day-is-full")


def test_heavy_and_light_ones_come_in_turn(reading):
    page = reading()
    found = read_all(page)
    assert sorted(found) == [False] * 3 + [True] * 3
    assert not any(all(found[at : at + 2]) for at in range(5)), "two heavy ones in a row"
