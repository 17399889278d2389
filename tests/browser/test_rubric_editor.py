"""A coordinator writes a rubric in a real Chromium, tries it and publishes it, and it is what an
annotator is asked."""

import re

import pytest
from playwright.sync_api import Page, expect

from annotation.models import RubricDraft, Study, Submission
from annotation.rubric.loading import load, parse_toml
from tests.annotation.doing import opened
from tests.browser.test_adjudicating import PHONE_IN_CHINESE, is_accessible
from tests.browser.test_rating import sign_in_by_hand
from tests.browser.walking import sign_in
from tests.judging.test_rubric_editor import WARMTH

pytestmark = pytest.mark.django_db(transaction=True)

HERE = "/studies/pond/rubric/write/"
KEPT = re.compile("Draft kept")


def write(page: Page, text: str) -> None:
    page.get_by_label("The rubric as TOML").fill(text)


def kept() -> list[str]:
    return list(RubricDraft.objects.values_list("words", flat=True))


def test_a_rubric_is_written_tried_published_and_asked(pond, ada, ben, cleo, visitor, keep):
    page = sign_in(visitor(), ada)
    page.goto("/studies/pond/rubric/")
    page.get_by_role("link", name="Write in the editor").click()
    expect(page.locator("#preview")).to_contain_text("Does the reply fail to make sense?")

    write(page, WARMTH.replace("measurement", "measured"))
    expect(page.locator("#checked")).to_contain_text(
        "criteria[0].measurement is missing: write measurement ="
    )
    expect(page.locator("#checked")).to_contain_text("criteria[0].measured is not known here")
    expect(page.locator(".is-mistaken")).to_have_count(2)
    is_accessible(page)
    keep(page, "rubric-editor-mistaken")
    page.get_by_role("button", name="Line 10").click()
    page.keyboard.type('measurement = "binary"')
    expect(page.locator("#checked")).to_contain_text("No mistake")

    trial = page.locator("#trial")
    expect(trial).to_contain_text("How warm is it?")
    expect(page.locator("#asked")).to_contain_text("How warm is it?")
    trial.get_by_label("Try it on an item").select_option("d2.1")
    expect(trial).to_contain_text("Frogs come back in spring. (2)")
    page.get_by_role("button", name="What would be stored?").click()
    expect(page.locator("#tried")).to_contain_text("“Warm” is not answered.")
    trial.locator("input[name='answer.warm'][value='1']").focus()
    page.keyboard.press("y")
    page.keyboard.press("Enter")
    expect(page.locator("#tried")).to_contain_text("warm = 1")
    keep(page, "rubric-editor-tried")
    is_accessible(page)
    assert not Submission.objects.exists()

    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", name="Warmth")).to_be_visible()
    study = Study.objects.get()
    assert study.rubric_version.content == load(parse_toml(WARMTH))
    opened(study, ada, [ben, cleo])
    annotator = sign_in(visitor(), ben)
    annotator.goto("/studies/pond/rate/")
    expect(annotator.locator("#work")).to_contain_text("How warm is it?")


def test_what_is_typed_outlives_the_network_and_the_tab(pond, ada, visitor):
    page = sign_in(visitor(), ada)
    page.goto(HERE)
    page.context.set_offline(True)
    write(page, "# Typed offline\n" + WARMTH)
    expect(page.locator("[data-part='saved']").first).to_contain_text("Offline")
    page.context.set_offline(False)
    expect(page.locator("[data-part='saved']").first).to_contain_text(KEPT)
    write(page, "# Typed last\n" + WARMTH)
    page.reload()
    expect(page.get_by_label("The rubric as TOML")).to_have_value("# Typed last\n" + WARMTH)
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_label("The rubric as TOML")).to_have_value("# Typed last\n" + WARMTH)
    assert kept() == ["# Typed last\n" + WARMTH]


def test_two_tabs_do_not_overwrite_each_other(pond, ada, visitor):
    page = sign_in(visitor(), ada)
    page.goto(HERE)
    other = page.context.new_page()
    other.goto(HERE)
    write(page, "# Here\n" + WARMTH)
    expect(page.locator("[data-part='saved']").first).to_contain_text(KEPT)
    write(other, "# There\n" + WARMTH)
    expect(other.get_by_text("in another tab or on another device")).to_be_visible()
    assert kept() == ["# Here\n" + WARMTH]
    other.get_by_role("button", name="Take what was filled in there").click()
    expect(other.get_by_label("The rubric as TOML")).to_have_value("# Here\n" + WARMTH)


def test_it_works_without_scripts(pond, ada, visitor):
    page = visitor(java_script_enabled=False)
    sign_in_by_hand(page, ada)
    page.goto(HERE)
    write(page, WARMTH.replace("measurement", "measured"))
    page.get_by_role("button", name="Check").click()
    expect(page.locator("#checked")).to_contain_text(
        "criteria[0].measurement is missing: write measurement ="
    )
    write(page, WARMTH)
    page.get_by_role("button", name="Check").click()
    page.locator("#trial input[value='1']").check()
    page.get_by_role("button", name="What would be stored?").click()
    expect(page.locator("#tried")).to_contain_text("warm = 1")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", name="Warmth")).to_be_visible()


def test_on_a_phone_in_chinese_and_in_the_dark(pond, ada, visitor, keep):
    page = sign_in(visitor(**PHONE_IN_CHINESE), ada)
    page.goto(HERE)
    page.locator("#rubric-text").fill(WARMTH.replace('key = "warm"', "key = "))
    expect(page.locator("#checked")).to_contain_text("值无效")
    keep(page, "rubric-editor-phone-zh-dark")
    is_accessible(page)
