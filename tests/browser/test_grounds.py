"""Words of the dialogue as evidence, in a real Chromium: by mouse, by keyboard, on a phone."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Draft, RatingGrounds
from tests.annotation.test_grounds import meadow, meadow_round
from tests.browser.test_adjudicating import is_accessible
from tests.browser.test_nothing_lost import killed
from tests.browser.test_rating import press
from tests.browser.walking import FIND_WIDE, sign_in
from tests.services import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

__all__ = ["meadow", "meadow_round"]
RATE = "/studies/meadow/rate/"
EVIDENCE = "[name='grounds.warmth.evidence']"
SELECT = """([turn, start, end]) => {
  const text = document.querySelectorAll(".turn__text")[turn - 1].firstChild;
  const range = document.createRange();
  range.setStart(text, start);
  range.setEnd(text, end);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}"""


@pytest.fixture
def rating(meadow_round, ben, visitor) -> Page:
    page = visitor()
    sign_in(page, ben)
    page.goto(RATE)
    return page


def kept() -> list[tuple[int | None, list[str], list[str]]]:
    return list(RatingGrounds.objects.values_list("confidence", "defensible", "evidence"))


def test_selected_words_and_a_turn_in_focus_become_evidence(rating, keep):
    press(rating, "3")
    rating.evaluate(SELECT, [4, 0, 5])
    press(rating, "e")
    expect(rating.locator(".quotes li")).to_have_text(["4: “Frogs” Take away"])
    press(rating, "jje")
    expect(rating.locator(EVIDENCE)).to_have_value("4:0-5 2")
    expect(rating.locator(".quotes li").nth(1)).to_contain_text("2: “What do you miss most?”")
    rating.locator("[name='grounds.warmth.confidence']").select_option("Fairly sure")
    expect(rating.get_by_role("checkbox", name="3", exact=True)).to_be_hidden()
    rating.get_by_role("checkbox", name="2", exact=True).check()
    keep(rating, "grounds")
    is_accessible(rating)
    rating.get_by_role("button", name="Take away").nth(1).click()
    expect(rating.locator(EVIDENCE)).to_have_value("4:0-5")
    press(rating, ["Escape", "Enter", "y", "Enter"])
    expect(rating.locator("[data-part='outbox']")).to_have_attribute("data-waiting", "0")
    expect(rating.locator(".pace__words")).to_have_text("2 of 2")
    assert kept() == [(2, ["2"], ["4:0-5"])]


def test_undo_takes_it_back_and_a_killed_tab_keeps_it(rating):
    press(rating, "2")
    rating.get_by_role("checkbox", name="3", exact=True).check()
    rating.evaluate(SELECT, [4, 0, 5])
    rating.get_by_role("button", name="The selected words").first.click()
    expect(rating.locator(EVIDENCE)).to_have_value("4:0-5")
    rating.get_by_role("button", name="Undo").click()
    expect(rating.locator(EVIDENCE)).to_have_value("")
    expect(rating.get_by_role("checkbox", name="3", exact=True)).to_be_checked()
    rating.locator(EVIDENCE).fill("2")
    rating.get_by_label("Why this value?").fill("It asks back.")
    waits = rating.evaluate("JSON.stringify(localStorage)")
    said = {"grounds.warmth.rationale": "It asks back."}
    wait_until(Draft.objects.filter(fields__contains=said).exists, what="the draft with its words")
    assert "miss most" not in waits
    assert "asks back" not in waits
    context = rating.context
    killed(rating)
    again = context.new_page()
    again.goto(RATE)
    expect(again.locator(EVIDENCE)).to_have_value("2")
    expect(again.get_by_label("Why this value?")).to_have_value("It asks back.")
    again.keyboard.press("ArrowUp")
    expect(again.get_by_role("checkbox", name="3", exact=True)).to_be_checked()
    expect(again.locator(".quotes li")).to_contain_text(["What do you miss most?"])


def test_words_that_are_not_there_are_not_sent(rating):
    press(rating, "2")
    rating.locator(EVIDENCE).fill("9")
    rating.locator(EVIDENCE).press("Enter")
    press(rating, ["y", "Enter"])
    expect(rating.locator(EVIDENCE)).to_be_focused()
    said = rating.locator(EVIDENCE).evaluate("field => field.validationMessage")
    assert "lies in no text" in said
    expect(rating.locator(".pace__words")).to_have_text("1 of 2")
    rating.locator(EVIDENCE).fill("1")
    rating.locator(EVIDENCE).press("Control+Enter")
    expect(rating.locator(".pace__words")).to_have_text("2 of 2")
    expect(rating.locator("[data-part='outbox']")).to_have_attribute("data-waiting", "0")
    assert kept() == [(None, [], ["1:0-35"])]


def test_on_a_phone_in_chinese_and_in_the_dark(meadow_round, ben, visitor, keep):
    page = visitor(viewport={"width": 390, "height": 844}, has_touch=True, color_scheme="dark")
    sign_in(page, ben)
    page.goto("/")
    page.get_by_role("button", name="中文").tap()
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    page.goto(RATE)
    page.evaluate(SELECT, [4, 0, 5])
    page.get_by_text("问题", exact=True).tap()
    page.locator(".level").nth(1).tap()
    page.locator("[data-behaviour='quote']").first.tap()
    expect(page.locator(EVIDENCE)).to_have_value("4:0-5")
    assert page.evaluate(FIND_WIDE) == []
    keep(page, "grounds-phone")
    is_accessible(page)
