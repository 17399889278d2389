"""A page of figures that follows new ratings, in a real Chromium: what is shut, and opened again."""

import pytest
from playwright.sync_api import expect

from annotation.actions.studies import note_change
from annotation.models import TeamRole
from tests.analytics.meadow import meadow
from tests.browser.walking import sign_in

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_fold_that_is_opened_shows_the_newest_figures(ada, gwen, visitor):
    study = meadow({ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]})
    page = visitor()
    sign_in(page, gwen)
    page.goto("/studies/meadow/agreement/matrix/")
    went_in = page.get_by_role("heading", name="What went in")
    page.get_by_text("What to doubt").click()
    expect(went_in).to_be_visible()
    page.get_by_text("What to doubt").click()
    note_change(study_id=study.pk)
    study.refresh_from_db()
    expect(page.locator("#agreement")).to_contain_text(f"revision {study.revision},")
    expect(went_in).to_have_count(0)
    page.get_by_text("What to doubt").click()
    expect(went_in).to_be_visible()
    expect(page.get_by_text("One moment …").locator("visible=true")).to_have_count(0)


def test_a_page_that_nobody_sees_asks_nothing_until_it_is_looked_at(ada, gwen, visitor):
    study = meadow({ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]})
    page = visitor()
    sign_in(page, gwen)
    page.add_init_script(
        "window.isAway = true; Object.defineProperty(document, 'hidden', { get: () => isAway })"
    )
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/studies/meadow/agreement/matrix/")
    page.wait_for_load_state("networkidle")
    note_change(study_id=study.pk)
    study.refresh_from_db()
    assert not [url for url in asked if "matrix/?revision=" in url]
    page.evaluate("isAway = false; document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("#agreement")).to_contain_text(f"revision {study.revision},")
