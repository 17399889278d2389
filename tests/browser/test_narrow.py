"""The work screens at 320 pixels and at 200 % zoom, in a real Chromium."""

from dataclasses import replace

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.actions import protocol, rounds
from annotation.models import RoundItem, TeamRole
from annotation.rubric.loading import parse_toml
from annotation.rules.lifecycle import ItemState
from annotation.rules.protocol import WHOLE
from tests.annotation.doing import NONSENSE, SAFE, opened, rate, round_item
from tests.browser.walking import FIND_WIDE, sign_in, visit_in
from tests.cast import study_with
from tests.graphs import CARE_TOML

pytestmark = pytest.mark.django_db(transaction=True)

NARROW = {"viewport": {"width": 320, "height": 640}, "has_touch": True}
# A desk of 1280 x 720 at 200 %.
ZOOMED = {"viewport": {"width": 640, "height": 360}, "device_scale_factor": 2}
# What has more to it than can be seen, and cannot be scrolled to.
FIND_CUT = """() => [...document.querySelectorAll("main *")].filter((one) => {
  const style = getComputedStyle(one);
  const isClipped = style.overflowX === "hidden" || style.overflowX === "clip";
  const isHiddenOnPurpose = one.closest(".visually-hidden, [hidden]") || style.textOverflow === "ellipsis"
    || style.clipPath !== "none" || one.clientWidth < 2;
  return one.checkVisibility() && !isHiddenOnPurpose && isClipped && one.scrollWidth > one.clientWidth + 1;
}).map(one => one.outerHTML.slice(0, 160))"""


# The share of the window that nothing which sticks to its edges covers.
ROOM = """() => 1 - [...document.querySelectorAll(".work__actions")].filter(
  one => getComputedStyle(one).position === "sticky").reduce((sum, one) => sum + one.offsetHeight, 0) / innerHeight"""


@pytest.fixture(params=["rating", "walking", "adjudication", "adjudicating a graph", "discussion"])
def screen(request, ada, ben, cleo, dora):
    """(who is in front of it, where it is)"""
    team = {
        ada: [TeamRole.COORDINATOR],
        ben: [TeamRole.ANNOTATOR],
        cleo: [TeamRole.ANNOTATOR],
        dora: [TeamRole.ADJUDICATOR],
    }
    is_graph = request.param in ("walking", "adjudicating a graph")
    study = study_with(
        rubric=parse_toml(CARE_TOML) if is_graph else "dialogue_safety",
        key="brook",
        team=team,
        n_items=2,
    )
    if request.param == "discussion":
        agreed = replace(WHOLE, re_review=False)
        protocol.agree(study_id=study.pk, protocol=agreed, by=ada, at=timezone.now())
        study.refresh_from_db()
    rating_round = opened(study, ada, [ben, cleo])
    if request.param in ("rating", "walking"):
        return ben, "/studies/brook/rate/"
    if is_graph:
        far = {"risk": "yes", "missed": "no", "resources": "yes", "tone": "no"}
        rate(rating_round, ben, 1, {"walk": {"risk": "no", "tone": "yes"}})
        rate(rating_round, cleo, 1, {"walk": far})
    else:
        rate(rating_round, ben, 1, SAFE, comment="It holds the seeker.")
        rate(rating_round, cleo, 1, NONSENSE)
    if request.param != "discussion":
        return dora, f"/studies/brook/adjudicate/{round_item(rating_round).pk}/"
    for rater in (ben, cleo):
        rate(rating_round, rater, 2, SAFE)
    protocol.end_rating(round_id=rating_round.pk, by=ada, at=timezone.now())
    rounds.record_kappa(round_id=rating_round.pk, kappa=None, at=timezone.now())
    discussed = RoundItem.objects.get(state=ItemState.DISCUSSED)
    return ben, f"/studies/brook/discuss/{discussed.pk}/"


def holds_all(page: Page) -> None:
    assert page.evaluate(FIND_WIDE) == []
    assert page.evaluate(FIND_CUT) == []


def show_pane(page: Page, name: str) -> None:
    """Press the name of a pane, where they stand side by side only on a desk."""
    label = page.locator("label", has=page.locator(f"[data-pane='{name}']"))
    if label.count() and label.is_visible():
        label.click()


@pytest.mark.parametrize("size", [NARROW, ZOOMED], ids=["320 px", "200 %"])
def test_nothing_is_cut_and_nothing_scrolls_sideways(screen, size, visitor, keep, request):
    who, address = screen
    page = visitor(**size)
    sign_in(page, who)
    for language in ("en", "zh-hans"):
        visit_in(page, language, address)
        expect(page.locator(".turn--judged")).to_be_attached()
        page.evaluate(
            "document.querySelectorAll('main details').forEach(one => { one.open = true })"
        )
        for pane in ("dialogue", "form"):
            show_pane(page, pane)
            holds_all(page)
        show_pane(page, "dialogue")
        first = page.locator(".turn__text").first
        first.evaluate("one => one.scrollIntoView({ block: 'start' })")
        expect(first).to_be_in_viewport()
        assert page.evaluate(ROOM) >= 0.6, "what sticks leaves too little to read in"
    keep(page, f"narrow-{request.node.callspec.id}".replace(" ", "-").replace("%", ""))


def test_on_a_phone_the_reply_stays_in_view_while_its_questions_are_answered(
    pond_round, ben, visitor
):
    page = visitor(viewport={"width": 390, "height": 844}, has_touch=True)
    sign_in(page, ben)
    page.goto("/studies/pond/rate/")
    page.get_by_text("Questions", exact=True).tap()
    reply = page.locator(".turn--judged .turn__text")
    for _question in range(3):
        expect(reply).to_be_in_viewport()
        page.locator("fieldset:visible").get_by_text("No", exact=True).tap()
    page.mouse.wheel(0, 2000)
    page.wait_for_function("scrollY > 0")
    expect(reply).to_be_in_viewport()


def test_answers_on_several_scales_stay_within_a_phone(ada, ben, cleo, visitor):
    team = {ada: [TeamRole.COORDINATOR], ben: [TeamRole.ANNOTATOR], cleo: [TeamRole.ANNOTATOR]}
    study = study_with(rubric="mentalalign", key="pond", team=team, n_items=1)
    rating_round = opened(study, ada, [ben, cleo])
    keys = [criterion.key for criterion in rating_round.rubric.criteria]
    rate(rating_round, ben, 1, dict.fromkeys(keys, "4"))
    page = visitor(**NARROW)
    sign_in(page, ben)
    page.goto("/studies/pond/my-work/")
    table = page.get_by_role("region", name="My work")
    expect(table).to_contain_text("Understanding")
    assert table.evaluate("one => one.scrollWidth - one.clientWidth") == 0
