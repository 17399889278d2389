"""The first page in a real Chromium: each verdict in both languages, themes and widths, and what a
symbol says to keyboard and touch, with and without scripts."""

import re

import pytest
from django.core.cache import cache
from playwright.sync_api import expect

from analytics.models import FixedPolicy
from analytics.policies.loading import read
from analytics.stats.verdicts import Verdict
from annotation.models import Rater, TeamRole
from tests.analytics.made import AT, human, items_of, judge, rate
from tests.analytics.test_trust import SMALL, truth
from tests.browser.walking import sign_in
from tests.cast import study_with

pytestmark = pytest.mark.django_db(transaction=True)

URL = "/studies/shore/agreement/"
RULES = read("small", SMALL.text.replace("epsilon = 0.15", "epsilon = 0.2"))
# What each judge gives item by item, and how often it was asked.
JUDGES = {
    "trusted": (truth, 2),
    "too-kind": (lambda place: min(truth(place) + (place % 5 < 4), 5), 2),
    "once": (truth, 1),
    "blind": (lambda place: 5, 2),
    "wavering": (lambda place: max(1, min(5, truth(place) + (place % 3 - 1))), 2),
    "strict": (lambda place: max(truth(place) - (place % 8 < 1), 1), 2),
}


@pytest.fixture
def shore(ada, gwen):
    """40 items, safety rated by two people and six judges, from trusted to ruled out."""
    cache.clear()
    study = study_with(
        rubric="mentalalign",
        key="shore",
        team={ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]},
        n_items=40,
    )
    people = [human("ruth"), human("rolf")]
    judges = {name: judge(name) for name in JUDGES}
    for place, item in enumerate(items_of(study)):
        for number, person in enumerate(people):
            rate(person, item, safety=min(truth(place) + number * (place % 10 == 3), 5))
        for name, (give, repeats) in JUDGES.items():
            for repeat in range(1, repeats + 1):
                rate(judges[name], item, repeat=repeat, safety=give(place))
    FixedPolicy.objects.create(
        study=study,
        key="small",
        text=RULES.text,
        sha256=RULES.sha256,
        n_judged=0,
        fixed_by=ada,
        fixed_at=AT,
    )
    return study


def test_each_verdict_stands_there_in_both_languages_themes_and_widths(shore, gwen, visitor, keep):
    page = visitor(viewport={"width": 1440, "height": 900})
    sign_in(page, gwen)
    page.goto("/")
    for language, first in (("en", "May a judge be used?"), ("中文", "评审可以使用吗？")):
        page.get_by_role("button", name=language, exact=True).click()
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(URL)
        expect(page.get_by_role("heading", level=1)).to_have_text(first)
        expect(page.locator(".chart svg")).to_be_visible()
        lights = page.locator(".light .badge").all_inner_texts()
        assert len(set(lights)) == len(Verdict), lights
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            for theme in ("light", "dark"):
                page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
                keep(page, f"first-page-{'en' if language == 'en' else 'zh'}-{width}-{theme}")


def test_a_card_shows_every_column_at_a_desk(shore, gwen, visitor):
    page = visitor(viewport={"width": 1440, "height": 900})
    sign_in(page, gwen)
    page.goto(f"{URL}trust/safety/{Rater.objects.get(key='wavering').pk}/")
    table = page.get_by_role("group", name="What the verdicts rest on")
    expect(table.get_by_role("columnheader", name="Items")).to_be_visible()
    assert table.evaluate("one => one.scrollWidth - one.clientWidth") <= 0


def test_a_symbol_says_what_it_means_by_keyboard_and_without_scripts(shore, gwen, visitor):
    page = visitor(java_script_enabled=False)
    sign_in(page, gwen)
    page.goto(URL)
    symbol = page.get_by_role("button", name="ICC(A,1)", exact=True)
    says = page.locator("#glass-icc_a1")
    expect(says).to_be_hidden()
    symbol.focus()
    page.keyboard.press("Enter")
    expect(says).to_be_visible()
    expect(says).to_contain_text("Whether single raters give the same values")
    page.keyboard.press("Escape")
    expect(says).to_be_hidden()
    symbol.click()
    says.get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"/agreement/glossary/#icc_a1$"))


def test_a_mark_says_value_interval_and_n_to_a_pointer_and_to_the_keyboard(shore, gwen, visitor):
    page = visitor()
    sign_in(page, gwen)
    page.goto(URL)
    tip = page.locator(".tip")
    says = re.compile(
        r"Safety, Strict, reply by reply: 0\.\d\d, 95 % interval 0\.\d\d to \d\.\d\d; 40 items, 160 pairs$"
    )
    mark = page.locator(".chart svg a").filter(has=page.locator("[aria-label*='Strict']"))
    mark.hover()
    expect(tip).to_have_text(says)
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    mark.focus()
    expect(tip).to_have_text(says)


def test_the_pages_stand_under_four_questions(shore, gwen, visitor):
    page = visitor(viewport={"width": 390, "height": 800})
    sign_in(page, gwen)
    page.goto(URL)
    page.get_by_role("navigation", name="Agreement").get_by_role("link", name="What to do").click()
    expect(page).to_have_url(re.compile(r"/agreement/routing/$"))
    second = page.get_by_role("navigation", name="What to do")
    expect(second.get_by_role("link")).to_have_text(["Routing", "Calibration", "Plan"])
    expect(second.locator("[aria-current='page']")).to_have_text("Routing")
