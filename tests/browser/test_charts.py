"""Charts in a real Chromium: what a mark says to pointer and keyboard, where it leads, its theme."""

import re

import pytest
from playwright.sync_api import Page, expect

from annotation.actions.studies import note_change
from annotation.models import TeamRole
from tests.analytics.meadow import meadow
from tests.browser.walking import PHONE, UNFOLD, sign_in

pytestmark = pytest.mark.django_db(transaction=True)

CALIBRATION = "/studies/meadow/agreement/calibration/"
SERIES = (
    {"light": "rgb(11, 100, 99)", "dark": "rgb(116, 204, 192)"},
    {"light": "rgb(176, 73, 28)", "dark": "rgb(240, 160, 112)"},
)
MARK = "svg a [role='graphics-symbol']"


@pytest.fixture
def study(ada, gwen):
    return meadow({ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]})


@pytest.fixture
def reader(study, gwen, visitor) -> Page:
    page = visitor()
    sign_in(page, gwen)
    return page


def first_chart(page: Page):
    """The first that is unfolded."""
    return page.locator(".chart:visible").first


def test_a_mark_says_its_figure_to_a_pointer_and_to_the_keyboard_and_leads_to_its_items(
    reader, keep
):
    reader.goto(CALIBRATION)
    link = first_chart(reader).locator("svg a:has([aria-label*='95 % interval'])").first
    mark = link.locator("[role='graphics-symbol']")
    expect(mark).to_be_visible()
    mark.hover()
    tip = reader.locator(".tip")
    expect(tip).to_have_text(mark.get_attribute("aria-label"))
    expect(tip).to_have_text(re.compile(r"people .*95 % interval .* pairs"))
    keep(reader, "chart-hover")
    reader.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    link.focus()
    expect(tip).to_be_visible()
    reader.keyboard.press("Enter")
    expect(reader).to_have_url(re.compile(r"/agreement/criteria/guidance/judge_humans/\d+/items/"))


def test_a_mark_that_leads_nowhere_says_its_figure_to_the_keyboard(reader):
    """Two judges have no list of items of their own."""
    reader.goto("/studies/meadow/agreement/raters/")
    reader.evaluate(UNFOLD)
    grid = reader.locator(".chart[id^='chart-pairs']")
    pair = grid.get_by_label(re.compile(r"^Elm \(judge\) and Oak|^Oak \(judge\) and Elm"))
    expect(pair).to_be_visible()
    pair.focus()
    tip = reader.locator(".tip")
    expect(tip).to_have_text(re.compile(r"0\.\d\d, 95 % interval .*, 96 items$"))
    expect(grid.locator(".role-axis[tabindex], .role-title [tabindex]")).to_have_count(0)


def test_a_wide_chart_is_scrolled_on_a_phone_and_not_shrunk(reader):
    reader.set_viewport_size(PHONE)
    reader.goto("/studies/meadow/agreement/matrix/")
    drawing = first_chart(reader).locator("svg")
    expect(drawing).to_be_visible()
    assert (
        drawing.evaluate("one => one.getBoundingClientRect().width / one.viewBox.baseVal.width")
        == 1
    )
    assert reader.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_names_at_an_axis_stand_whole(reader):
    """In the letters that it was laid out with, where a reader has them."""
    reader.goto("/studies/meadow/agreement/judges/")
    drawing = first_chart(reader).locator("svg")
    expect(drawing).to_be_visible()
    left, names = drawing.evaluate("""one => [one.getBoundingClientRect().left,
      [...one.querySelectorAll(".role-axis-label text")].map(
        text => text.getBoundingClientRect().left)]""")
    assert left <= min(names)


def test_a_chart_follows_the_theme(reader, keep):
    reader.goto(CALIBRATION)
    mark = first_chart(reader).locator(MARK).first
    expect(mark).to_be_visible()
    colours = {}
    for theme in ("light", "dark"):
        reader.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        colours[theme] = mark.evaluate("one => getComputedStyle(one).fill")
        keep(reader, f"chart-{theme}")
    assert colours in SERIES


def test_a_chart_stays_while_its_page_follows_new_ratings(reader, study):
    reader.goto(CALIBRATION)
    drawing = first_chart(reader).locator("svg")
    expect(drawing).to_be_visible()
    drawing.evaluate("one => { one.dataset.seen = 'yes' }")
    note_change(study_id=study.pk)
    study.refresh_from_db()
    expect(reader.locator("#calibration")).to_contain_text(f"Revision {study.revision},")
    expect(drawing).to_have_attribute("data-seen", "yes")


def test_without_scripts_the_drawing_stands_there(study, gwen, visitor, keep):
    page = visitor(java_script_enabled=False)
    sign_in(page, gwen)
    page.goto(CALIBRATION)
    picture = first_chart(page).locator("img, svg")
    expect(picture).to_be_visible()
    assert picture.bounding_box()["height"] > 200
    keep(page, "chart-without-scripts")
