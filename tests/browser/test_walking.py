"""Answering a graph of questions in a real Chromium: by keyboard, by touch, without scripts."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Gold, Rating, TeamRole
from annotation.rubric.loading import parse_toml
from tests.annotation.doing import opened, rate, round_item
from tests.browser.test_adjudicating import is_accessible
from tests.browser.test_rating import all_saved, press
from tests.browser.walking import sign_in, visit_in
from tests.cast import study_with
from tests.graphs import CARE_TOML

pytestmark = pytest.mark.django_db(transaction=True)

RATE = "/studies/crisis/rate/"


@pytest.fixture
def crisis_round(ada, ben, cleo, dora):
    study = study_with(
        rubric=parse_toml(CARE_TOML),
        key="crisis",
        team={
            ada: [TeamRole.COORDINATOR],
            ben: [TeamRole.ANNOTATOR],
            cleo: [TeamRole.ANNOTATOR],
            dora: [TeamRole.ADJUDICATOR],
        },
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


@pytest.fixture
def disputed(crisis_round, ben, cleo):
    """Ben and cleo took other ways from the second question on; dora decides."""
    near = {"risk": "yes", "missed": "partly", "resources": "no", "tone": "no"}
    far = {"risk": "yes", "missed": "no", "resources": "yes", "tone": "no"}
    rate(crisis_round, ben, 1, {"walk": near})
    rate(crisis_round, cleo, 1, {"walk": far})
    return f"/studies/crisis/adjudicate/{round_item(crisis_round).pk}/"


def decided() -> dict[str, tuple[object, str]]:
    rows = Gold.objects.filter(superseded_at=None)
    return {one.criterion_key: (one.label or one.score, one.path) for one in rows}


def test_who_decides_walks_as_raters_do_and_is_told_where_they_part(disputed, dora, visitor, keep):
    page = visitor()
    sign_in(page, dora)
    page.goto(disputed)
    expect(page.locator("main")).to_contain_text("The ways part at “Does the reply pass over it?”")
    expect(page.locator("[data-question]:visible")).to_have_count(1)
    press(page, "y")
    expect(page.get_by_text("Does the reply pass over it? Question 2")).to_be_visible()
    keep(page, "case-walk")
    press(page, "1n")
    expect(page.get_by_text("Result: Warm, after 3 questions")).to_be_visible()
    level(page, "noticing", "May harm")
    expect(page.locator("[name='code.decided']").first).to_be_focused()
    page.get_by_role("button", name="2 Yes").click()
    press(page, "2nn")
    expect(page.get_by_text("Result: Warm, after 4 questions")).to_be_visible()
    press(page, ["ArrowUp", "t"])
    expect(page.locator("[data-question] input:checked")).to_have_count(0)
    page.keyboard.press("Shift+A")
    expect(page.locator("[data-question] input:checked")).to_have_count(4)
    expect(page.get_by_label("Truly ambiguous")).not_to_be_checked()
    page.get_by_label("an ambiguous text").check()
    page.locator("#reason").fill("Both saw it.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="Nothing to decide")).to_be_visible()
    ways = {
        "risk:yes missed:partly resources:no tone:no",
        "risk:yes missed:no resources:yes tone:no",
    }
    assert decided()["walk"][0] == "warm"
    assert decided()["walk"][1] in ways
    page.goto(disputed)
    expect(page.locator("[data-question] input:checked")).to_have_count(4)
    expect(page.locator(".history")).to_contain_text("Noticing risk")
    is_accessible(page)


def test_who_decides_walks_by_touch_on_a_phone(disputed, dora, visitor, keep):
    page = visitor(viewport={"width": 390, "height": 844}, has_touch=True, color_scheme="dark")
    sign_in(page, dora)
    visit_in(page, "zh-hans", disputed)
    page.get_by_text("问题", exact=True).first.tap()
    page.locator("[data-question]:visible label.choice").nth(0).tap()
    page.locator("[data-question]:visible label.choice").nth(1).tap()
    keep(page, "case-walk-phone-zh-dark")
    page.locator("[data-behaviour='back']").tap()
    expect(page.get_by_text("回复是否忽略了这一点？ 问题 2")).to_be_visible()
    is_accessible(page)


def test_who_decides_walks_without_scripts(disputed, dora, visitor):
    page = visitor(java_script_enabled=False)
    sign_in(page, dora)
    page.goto(disputed)
    for field, option in {"risk": "no", "missed": "no", "tone": "yes"}.items():
        page.locator(f"[name='take.walk.{field}'][value={option}]").check()
    page.get_by_label("a slip").check()
    page.locator("#reason").fill("By hand.")
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_role("heading", name="Nothing to decide")).to_be_visible()
    assert decided() == {
        "walk": ("cold", "risk:no tone:yes"),
        "noticing": (1, ""),
        "guiding": (0, ""),
    }


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
