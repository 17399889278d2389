"""What a coordinator does in a real Chromium: items, a round that was a mistake, another edition."""

import copy

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone
from playwright.sync_api import expect

from annotation.actions import rubrics
from annotation.models import ItemNote, Quarantine, Round, RubricChange
from annotation.rubric.loading import shipped
from tests.annotation.doing import NONSENSE, SAFE, rate
from tests.browser.test_adjudicating import PHONE_IN_CHINESE, is_accessible
from tests.browser.walking import sign_in
from tests.cast import PASSWORD

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_item_is_found_noted_and_set_aside(pond_round, ada, visitor, keep):
    page = sign_in(visitor(), ada)
    page.goto("/studies/pond/items/")
    page.get_by_label("In the key or the reply").fill("come back in spring. (4)")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    assert "spring" not in page.url
    is_accessible(page)
    page.get_by_role("link", name="d4.1").click()
    page.get_by_label("Add a note").fill("Is a turn missing?")
    page.context.set_offline(True)
    page.get_by_role("button", name="Keep the note").click()
    expect(page.locator("#toasts")).to_contain_text("Nothing on this page is lost")
    page.context.set_offline(False)
    Session.objects.all().delete()
    page.get_by_role("button", name="Keep the note").click()
    dialog = page.get_by_role("dialog", name="Sign in again")
    dialog.locator("[name=login]").fill(ada.email)
    dialog.locator("[name=password]").fill(PASSWORD)
    dialog.get_by_role("button", name="Sign In", exact=True).click()
    expect(page.locator("main")).to_contain_text("Is a turn missing?")
    page.get_by_label("Add a note").fill("It is.")
    page.get_by_role("button", name="Keep the note").dblclick()
    expect(page.locator("main")).to_contain_text("It is.")
    page.get_by_label("Reason").fill("A turn is missing.")
    page.get_by_role("button", name="Set it aside").click()
    expect(page.get_by_role("button", name="Let it count again")).to_be_visible()
    keep(page, "item")
    is_accessible(page)
    page.get_by_role("button", name="Let it count again").click()
    expect(page.locator("main")).to_contain_text("counts again")
    assert ItemNote.objects.count() == 2
    assert Quarantine.objects.get().lifted_at


def test_a_round_is_cancelled_and_its_items_are_free(pond_round, ada, ben, cleo, visitor, keep):
    rate(pond_round, ben, 1, SAFE)
    page = sign_in(visitor(), ada)
    page.goto("/studies/pond/rounds/1/")
    page.get_by_text("This round should not have been opened").click()
    page.get_by_label("Reason").fill("It had the wrong panel.")
    keep(page, "round-cancel")
    is_accessible(page)
    page.get_by_role("button", name="Cancel the round").click()
    expect(page.locator("main")).to_contain_text("It had the wrong panel.")
    assert Round.objects.get().state == "cancelled"
    page.goto("/studies/pond/rounds/open/")
    expect(page.locator("main")).to_contain_text("New items (6 left)")


@pytest.fixture
def version(pond):
    """An edition under which “nonsense” has another code."""
    definition = copy.deepcopy(dict(shipped()["dialogue_safety"]))
    for label in definition["criteria"][0]["labels"]:
        if label["key"] == "nonsense":
            label["code"] = 99
    return rubrics.publish(definition=definition, by=None, at=timezone.now())


def test_a_study_goes_on_under_another_edition_and_back(pond, version, ada, visitor, keep):
    page = sign_in(visitor(), ada)
    page.goto("/studies/pond/rubric/")
    page.get_by_role("navigation", name="Contents").get_by_text("What a judge is asked").click()
    expect(page.get_by_role("heading", name="What a judge is asked")).to_be_in_viewport()
    page.get_by_role("link", name="Change the rubric").click()
    is_accessible(page)
    page.get_by_role("link", name="What would it change?").click()
    keep(page, "rubric-change")
    is_accessible(page)
    page.get_by_label("Nonsense becomes").select_option(label="Humanoid Mimicry")
    page.get_by_role("button", name="Go on under this edition").click()
    expect(page.locator("main")).to_contain_text("From edition 1 to 2")
    page.get_by_role("button", name="Take this change back").click()
    expect(page.locator("main")).to_contain_text("taken back")
    assert RubricChange.objects.get().undone_at


@pytest.mark.parametrize(
    "place",
    [
        *("items/", "rounds/1/", "rounds/1/reassign/", "rounds/open/", "protocol/"),
        *("rubric/editions/", "rubric/editions/2/", "settings/"),
    ],
)
def test_pages_on_a_phone_in_chinese_and_in_the_dark(
    pond_round, version, ada, ben, cleo, visitor, keep, place
):
    rate(pond_round, ben, 1, NONSENSE)
    page = sign_in(visitor(**PHONE_IN_CHINESE), ada)
    answer = page.goto(f"/studies/pond/{place}")
    assert answer.status == 200  # a page that refuses would be accessible, too
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    keep(page, f"phone-{place.replace('/', '-')}")
    is_accessible(page)
