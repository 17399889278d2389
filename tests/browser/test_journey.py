"""The whole path in a real Chromium: from signing up to the export that leaves."""

import re
import sys
import zipfile

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.actions import teams
from annotation.models import Study, Submission, TeamRole
from judging import standin
from tests.cast import PASSWORD, study_with

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lake(ada, dora, gwen) -> Study:
    """A study with four items whose annotators have not come yet."""
    return study_with(
        rubric="dialogue_safety",
        key="lake",
        n_items=4,
        team={
            ada: [TeamRole.COORDINATOR],
            dora: [TeamRole.ADJUDICATOR],
            gwen: [TeamRole.RESEARCHER, TeamRole.EXPORTER],
        },
    )


def test_from_sign_up_to_export(
    lake, ada, dora, gwen, sam, visitor, keep, start_worker, start_server, settings
):
    endpoint = start_server(
        "stand-in", [sys.executable, "-m", "judging.standin", "--port", "{port}"], "/v1/models"
    )
    settings.LLM_BASE_URL = f"{endpoint}/v1"
    start_worker(CONCORD_LLM_BASE_URL=settings.LLM_BASE_URL)
    people = {name: visitor() for name in ("Hana Sato", "Ivo Novak")}
    for name, page in people.items():
        sign_up(page, name)
        keep(page, "checklist")
        sign_the_agreement(page, name, keep)
        ask_for_access(page)
        page.goto("/studies/lake/rate/")
        expect(page.locator("main")).to_contain_text("The decision of a data steward")
        keep(page, "waiting")

    steward = signed_in(visitor, sam)
    for name in people:
        approve(steward, name, keep)

    coordinator = signed_in(visitor, ada)
    for name in people:
        add_annotator(coordinator, email_of(name))
    keep(coordinator, "team")
    people["Hana Sato"].goto("/studies/lake/rate/")
    expect(people["Hana Sato"].locator("main")).to_contain_text("nothing of its data is granted")
    for name in people:
        grant(steward, name, keep)
    open_a_round(coordinator, keep)

    hana, ivo = people.values()
    hana.goto("/studies/lake/rate/")
    keep(hana, "rate")
    for keys in ("y", "ny", "nny", "nnn1"):
        rate_by_keyboard(hana, keys)
    keep(hana, "rated")
    ivo.goto("/studies/lake/rate/")
    for keys in ("y", "ny", "nny"):
        rate_by_keyboard(ivo, keys)

    researcher = signed_in(visitor, gwen)
    researcher.goto("/studies/lake/agreement/matrix/")
    researcher.get_by_role("heading", name="Item level: every criterion").click()
    agreement = researcher.get_by_role("row", name="2 people")
    expect(agreement).to_contain_text("1.00")
    keep(researcher, "agreement-before")
    rate_by_keyboard(ivo, "nnn2")  # where Hana found a safe reply
    expect(ivo.get_by_role("heading", name="Nothing left to rate")).to_be_visible()
    expect(agreement).not_to_contain_text("1.00")
    keep(researcher, "agreement-after")

    adjudicate(signed_in(visitor, dora), keep)
    run_a_judge(coordinator, keep)

    coordinator.goto("/studies/lake/rounds/1/")
    coordinator.get_by_role("button", name="Close the round").click()
    status = coordinator.locator("#round-status")
    expect(status).to_contain_text("Fleiss’ κ")
    expect(status).not_to_contain_text("Computing")
    # Three of four alike: (3/4 - 7/32) / (1 - 7/32), Fleiss (1971)
    expect(status).to_contain_text("0.68")
    keep(coordinator, "round-closed")

    let_it_leave(coordinator, keep)
    export(researcher, keep)
    coordinator.goto("/studies/lake/export/")
    expect(coordinator.locator("main")).to_contain_text("exporter")
    keep(coordinator, "export-refused")
    assert Submission.objects.filter(is_current=True, origin="round").count() == 8


def test_an_annotator_reads_chinese_in_the_dark_on_a_phone(
    lake, ada, dora, gwen, sam, ben, visitor, keep
):
    for account in (ben, sam):
        teams.set_roles(
            study_id=lake.pk,
            email=account.email,
            roles=[TeamRole.ANNOTATOR],
            by=None,
            at=timezone.now(),
        )
    page = signed_in(
        visitor, ada, viewport={"width": 390, "height": 844}, color_scheme="dark", locale="zh-CN"
    )
    for address in ("/", "/studies/lake/", "/studies/lake/team/", "/studies/lake/rounds/"):
        page.goto(address)
        expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
        expect(page.locator("footer")).to_contain_text("自由软件")
        overflow = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert overflow == 0, f"{address} is wider than the phone"
        keep(page, f"phone{address.replace('/', '-')}zh")


def email_of(name: str) -> str:
    return f"{name.split()[0].lower()}@example.org"


def signed_in(visitor, account, **options) -> Page:
    page = visitor(**options)
    page.goto("/accounts/login/")
    page.locator("input[name=login]").fill(account.email)
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("form:has(input[name=password]) button[type=submit]").click()
    expect(page.locator("input[name=password]")).to_have_count(0)
    return page


def sign_up(page: Page, name: str) -> None:
    page.goto("/")
    page.get_by_role("link", name="Create an account").first.click()
    page.get_by_label("Email").fill(email_of(name))
    page.get_by_label("Full name").fill(name)
    page.get_by_label("Affiliation").fill("Lakeside Clinic")
    page.locator("input[name=password1]").fill(PASSWORD)
    page.locator("input[name=password2]").fill(PASSWORD)
    page.locator("form:has(input[name=password2]) button[type=submit]").click()
    expect(page.locator("input[name=password2]")).to_have_count(0)
    page.goto("/access/")


def sign_the_agreement(page: Page, name: str, keep) -> None:
    page.goto("/access/sign/")
    keep(page, "sign")
    page.get_by_label("Your full name").fill(name)
    page.get_by_label("Affiliation").fill("Lakeside Clinic")
    page.get_by_label("I have read the agreement").check()
    page.get_by_role("button", name="Sign the agreement").click()
    expect(page.get_by_role("button", name="Sign the agreement")).to_have_count(0)
    enter_the_password_if_asked(page, keep)
    expect(page.get_by_role("heading", name="Confirm Access")).to_have_count(0)


def ask_for_access(page: Page) -> None:
    page.goto("/access/request/")
    page.locator("textarea").first.fill("Rating for the study of the lake.")
    page.get_by_role("button", name="Send the request").click()


def approve(page: Page, name: str, keep) -> None:
    page.goto("/access/requests/")
    keep(page, "requests")
    page.get_by_role("row", name=name).get_by_role("link").click()
    keep(page, "request")
    page.get_by_role("button", name="Approve access").click()
    enter_the_password_if_asked(page, keep)
    expect(page.locator("#toasts")).to_contain_text("Approved")


def grant(page: Page, name: str, keep) -> None:
    """What a coordinator proposed for a person, in one step."""
    page.goto("/data-sets/")
    page.locator("main a[href='/data-sets/lake/']").first.click()
    keep(page, "grants")
    card = page.get_by_role("article").filter(has_text=name)
    card.get_by_role("button", name="Approve all of it").click()
    enter_the_password_if_asked(page, keep)
    expect(card).to_have_count(0)


def enter_the_password_if_asked(page: Page, keep) -> None:
    """What reaches far asks once in five minutes."""
    page.wait_for_load_state()
    if page.get_by_role("heading", name="Confirm Access").count():
        keep(page, "password-again")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Confirm").click()


def add_annotator(page: Page, email: str) -> None:
    page.goto("/studies/lake/team/")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Annotator").check()
    page.get_by_role("button", name="Set the roles").click()
    expect(page.get_by_role("table")).to_contain_text(email)


def open_a_round(page: Page, keep) -> None:
    page.goto("/studies/lake/rounds/open/")
    for name in ("Hana Sato", "Ivo Novak"):
        page.get_by_label(name).check()
    keep(page, "open-round")
    page.get_by_role("button", name="Open the round").click()
    expect(page.locator("#round-status")).to_contain_text("0 / 8")
    keep(page, "round-open")


def rate_by_keyboard(page: Page, keys: str) -> None:
    """Answer with single keys, then Enter; wait until the next item stands there."""
    assignment = page.locator("#work input[name=assignment]").get_attribute("value")
    for key in keys:
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.locator(f"#work input[name=assignment][value='{assignment}']")).to_have_count(0)


def adjudicate(page: Page, keep) -> None:
    page.goto("/studies/lake/adjudicate/")
    keep(page, "adjudication-queue")
    page.locator("main").get_by_role("link").filter(
        has_text=re.compile("Decide|Item|item")
    ).first.click()
    page.wait_for_load_state()
    expect(page.locator("main")).not_to_contain_text("Hana")
    expect(page.locator("main")).not_to_contain_text("Ivo")
    page.keyboard.press("1")
    page.get_by_label("a gap in the rubric").check()
    page.locator("#reason").fill("The reply answers what was said.")
    keep(page, "adjudication")
    page.get_by_role("button", name="Decide").click()
    expect(page.locator("#reason")).to_have_count(0)


def run_a_judge(page: Page, keep) -> None:
    page.goto("/studies/lake/judges/")
    keep(page, "judges")
    page.get_by_role("link", name="Start a judge").click()
    page.get_by_label("LLM").fill(standin.NAME)
    page.get_by_label("Repeats").fill("3")
    keep(page, "start-judge")
    page.get_by_role("button", name="Start the judge").click()
    run = page.locator("#run-status")
    expect(run).to_contain_text("/ 12")
    keep(page, "run")
    expect(run).to_contain_text("Finished")
    keep(page, "run-finished")


def let_it_leave(page: Page, keep) -> None:
    page.goto("/studies/lake/export/disclosure/")
    expect(page.locator("#disclosure_tests")).to_contain_text("So few are easily remembered")
    ruling = page.locator("form", has_text="May this leave?")
    ruling.get_by_label("Reason").fill("All of them agreed to be named.")
    page.get_by_role("button", name="It may leave").click()
    asked = page.get_by_role("heading", name="Confirm Access")
    expect(asked.or_(page.get_by_text("let it pass on"))).to_be_visible()
    enter_the_password_if_asked(page, keep)
    expect(page.locator("main")).to_contain_text("let it pass on")
    keep(page, "disclosure-ruled")


def export(page: Page, keep) -> None:
    page.goto("/studies/lake/export/")
    enter_the_password_if_asked(page, keep)
    keep(page, "export")
    page.get_by_role("button", name="Build the export").click()
    keep(page, "export-is-built")
    ready = page.get_by_role("button", name="Download")
    expect(ready).to_be_visible()
    with page.expect_download() as download:
        ready.click()
    with zipfile.ZipFile(download.value.path()) as archive:
        names = {name.rsplit("/", 1)[-1] for name in archive.namelist()}
        text = b"".join(
            archive.read(name) for name in archive.namelist() if not name.endswith(".parquet")
        ).decode()
    assert {"ratings.csv", "ratings.jsonl", "rubric.json", "manifest.json", "SHA256SUMS"} <= names
    assert "Hana" not in text, "a rater's name left with the export"
    assert "The frogs, I think." not in text, "texts left although nobody asked for them"
