"""Deciding by keyboard in a real Chromium, with the votes in view and without."""

from dataclasses import replace

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.actions import protocol
from annotation.models import Adjudication, Gold, TeamRole
from annotation.rules.protocol import AT_ONCE, Sight
from tests.annotation.doing import opened, rate, round_item
from tests.browser.walking import AXE, EVERYTHING, FIND_BREACHES, sign_in
from tests.cast import study_with

pytestmark = pytest.mark.django_db(transaction=True)

PHONE_IN_CHINESE = {
    "viewport": {"width": 390, "height": 844},
    "color_scheme": "dark",
    "locale": "zh-CN",
}

# Whether what has the focus lies behind the reply that sticks to the top, or the buttons at the bottom.
IS_COVERED = """() => {
  const one = document.activeElement, box = one.getBoundingClientRect();
  if (!one.closest(".work__form")) return false;
  const [reply, buttons] = [".work__dialogue", ".work__actions"].map(
    name => document.querySelector(name).getBoundingClientRect());
  return box.top < reply.bottom - 1 && box.bottom < reply.bottom + 24 || box.top > buttons.top - 24;
}"""


@pytest.fixture
def brook(ada, ben, cleo, dora):
    return study_with(
        rubric="mentalalign",
        key="brook",
        team={
            ada: [TeamRole.COORDINATOR],
            ben: [TeamRole.ANNOTATOR],
            cleo: [TeamRole.ANNOTATOR],
            dora: [TeamRole.ADJUDICATOR],
        },
        n_items=2,
    )


def differing(study, ada, ben, cleo):
    """A round in which cleo gives guidance and empathy the lowest values of item 1."""
    rating_round = opened(study, ada, [ben, cleo])
    keys = [criterion.key for criterion in rating_round.rubric.criteria]
    item = round_item(rating_round).item
    values = dict.fromkeys(keys, 5)
    for rater, given in ((ben, values), (cleo, values | {"guidance": 1, "empathy": 2})):
        own = rating_round.assignments.get(item=item, rater__user=rater)
        rate(rating_round, rater, own.position, given)
    return rating_round


def is_accessible(page):
    page.wait_for_load_state()  # it may just have begun
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    assert page.evaluate(FIND_BREACHES, EVERYTHING) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_one_raters_answers_are_taken_whole_by_keyboard(brook, ada, ben, cleo, dora, visitor, keep):
    rating_round = differing(brook, ada, ben, cleo)
    page = sign_in(visitor(), dora)
    page.goto(f"/studies/brook/adjudicate/{round_item(rating_round).pk}/")
    expect(page.locator(".conflict [data-letters]")).to_have_count(4)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    for _repeat in range(2):
        page.keyboard.down("1")  # held: it decides one criterion
    expect(page.locator(".conflict input:checked")).to_have_count(1)
    page.keyboard.press("Shift+A")
    expect(page.locator(".conflict [data-letters*='A']:checked")).to_have_count(2)
    page.keyboard.press("2")
    page.locator("#reason").fill("An ambiguous turn.")
    keep(page, "case-scales")
    is_accessible(page)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="Nothing to decide")).to_be_visible()
    decided = Adjudication.objects.get()
    assert (decided.code, decided.reason) == ("text", "An ambiguous turn.")
    scores = set(Gold.objects.filter(adjudication=decided).values_list("score", flat=True))
    assert scores in ({5}, {1, 2})


def test_who_decides_unseen_sees_the_votes_after_it(brook, ada, ben, cleo, dora, visitor, keep):
    protocol.agree(
        study_id=brook.pk,
        protocol=replace(AT_ONCE, sight=Sight.NOTHING.value),
        by=ada,
        at=timezone.now(),
    )
    brook.refresh_from_db()
    rating_round = differing(brook, ada, ben, cleo)
    page = sign_in(visitor(), dora)
    page.goto(f"/studies/brook/adjudicate/{round_item(rating_round).pk}/")
    expect(page.locator("main")).not_to_contain_text("Rater A")
    page.locator(".conflict").nth(0).get_by_role("radio").nth(2).check()
    page.locator(".conflict").nth(1).get_by_label("Truly ambiguous").check()
    page.get_by_label("a slip").check()
    page.locator("#reason").fill("On my own.")
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_role("heading", name="Decided")).to_be_visible()
    expect(page.locator("main")).to_contain_text("Rater A")
    expect(page.locator("main")).to_contain_text("truly ambiguous")
    page.get_by_role("button", name="Show what judges answer").click()
    expect(page.locator("main")).to_contain_text("No judge has rated this item.")
    page.goto(f"/studies/brook/adjudicate/{round_item(rating_round).pk}/")
    page.get_by_label("something else").check()
    page.locator("#reason").fill("On second thoughts.")
    page.get_by_role("button", name="Decide anew").click()
    expect(page.locator(".history li")).to_have_count(2)
    keep(page, "decided")
    is_accessible(page)


def test_on_a_phone_in_chinese_and_in_the_dark(brook, ada, ben, cleo, dora, visitor, keep):
    rating_round = differing(brook, ada, ben, cleo)
    page = sign_in(visitor(**PHONE_IN_CHINESE), dora)
    page.goto(f"/studies/brook/adjudicate/{round_item(rating_round).pk}/")
    page.get_by_text("问题", exact=True).first.click()
    expect(page.locator("#reason")).to_be_visible()
    keep(page, "case-phone-zh-dark")
    is_accessible(page)


def test_what_is_missing_is_seen_on_a_phone_from_either_tab(brook, ada, ben, cleo, dora, visitor):
    rating_round = differing(brook, ada, ben, cleo)
    page = sign_in(visitor(**PHONE_IN_CHINESE), dora)
    page.goto(f"/studies/brook/adjudicate/{round_item(rating_round).pk}/")
    dialogue, decide = (
        page.get_by_role("radio", name="对话"),
        page.get_by_role("button", name="裁定"),
    )
    decide.click()
    expect(page.locator("#reason")).to_be_focused()
    page.locator("#reason").fill("没有看到问题。")
    dialogue.check()
    decide.click()
    expect(page.get_by_role("alert")).to_contain_text("请选择分歧的来源")
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.locator("#reason")).to_be_visible()
    dialogue.check()
    expect(page.get_by_role("alert")).to_be_visible()


def test_nothing_covers_what_has_the_focus_on_a_phone(brook, ada, ben, cleo, dora, visitor):
    rating_round = differing(brook, ada, ben, cleo)
    page = sign_in(visitor(**PHONE_IN_CHINESE), dora)
    page.goto(f"/studies/brook/adjudicate/{round_item(rating_round).pk}/")
    page.get_by_role("radio", name="问题").check()
    covered = []
    for key in ("Tab", "Shift+Tab"):
        for _press in range(12):
            page.keyboard.press(key)
            covered.append(page.evaluate(IS_COVERED))
    assert not any(covered)
