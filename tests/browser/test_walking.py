"""Answering a graph of questions in a real Chromium: by keyboard, by touch, without scripts."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Rating, TeamRole
from annotation.rubric.loading import parse_toml
from tests.annotation.doing import opened
from tests.browser.test_adjudicating import is_accessible
from tests.browser.test_rating import all_saved, press, sign_in
from tests.cast import study_with
from tests.graphs import CARE_TOML

pytestmark = pytest.mark.django_db(transaction=True)

RATE = "/studies/crisis/rate/"


@pytest.fixture
def crisis_round(ada, ben, cleo):
    study = study_with(
        rubric=parse_toml(CARE_TOML),
        key="crisis",
        team={ada: [TeamRole.COORDINATOR], ben: [TeamRole.ANNOTATOR], cleo: [TeamRole.ANNOTATOR]},
    )
    return opened(study, ada, [ben, cleo])


@pytest.fixture
def walking(crisis_round, ben, visitor) -> Page:
    page = visitor()
    sign_in(page, ben)
    page.goto(RATE)
    return page


def level(page: Page, dimension: str, words: str) -> None:
    line = page.locator(f".levels [data-dimension='{dimension}'] .severity:visible")
    expect(line).to_have_text(words)


def trail(page: Page) -> list[str]:
    return page.locator(".trail button").all_text_contents()


def stored() -> dict[str, tuple[object, str]]:
    rows = Rating.objects.values_list("criterion_key", "label", "score", "path")
    return {key: (score if label is None else label, way) for key, label, score, way in rows}


def test_by_keyboard_and_back_what_is_still_on_the_way_stays(walking):
    press(walking, "y2nn")
    expect(walking.get_by_text("Result: Warm, after 4 questions")).to_be_visible()
    level(walking, "noticing", "Could be better")
    level(walking, "guiding", "Best practice")
    press(walking, "bbb")
    expect(walking.get_by_text("Does the reply pass over it?")).to_be_visible()
    assert trail(walking) == ["1 Yes", "2 In part", "3 No", "4 No"]
    press(walking, "y")
    expect(walking.get_by_text("Result: Warm, after 3 questions")).to_be_visible()
    expect(walking.get_by_text("Dropped: 3 No")).to_be_visible()
    assert trail(walking) == ["1 Yes", "2 Yes", "4 No"]
    level(walking, "noticing", "May harm")
    level(walking, "guiding", "Not relevant")
    press(walking, "u")
    level(walking, "guiding", "Best practice")
    press(walking, ["b", "b", "b", "y", "Enter"])
    all_saved(walking)
    assert stored() == {
        "walk": ("warm", "risk:yes missed:yes tone:no"),
        "noticing": (3, ""),
        "guiding": (0, ""),
    }


def test_by_touch_on_a_phone(crisis_round, ben, visitor):
    page = visitor(viewport={"width": 390, "height": 844}, has_touch=True)
    sign_in(page, ben)
    page.goto(RATE)
    page.get_by_text("Questions", exact=True).tap()
    for words in ("No", "Yes"):
        page.locator("fieldset:visible label.choice").filter(has_text=words).first.tap()
    expect(page.get_by_text("Result: Cold, after 2 questions")).to_be_visible()
    is_accessible(page)
    page.get_by_role("button", name="Back").first.tap()
    expect(page.get_by_text("Is the tone cold?")).to_be_visible()
    is_accessible(page)


def test_without_scripts_answers_off_the_way_are_left_out(crisis_round, ben, visitor):
    page = visitor(java_script_enabled=False)
    sign_in(page, ben)
    page.goto(RATE)
    expect(page.locator("fieldset")).to_have_count(4)
    for field in ("risk", "missed", "tone"):
        page.locator(f"[name='answer.walk.{field}'][value=no]").check()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Left out, because")).to_be_visible()
    assert stored()["walk"] == ("warm", "risk:no tone:no")
