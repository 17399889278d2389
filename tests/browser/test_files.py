"""Files go in and out through workers, in a real Chromium."""

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import User
from analytics.exports import actions as exports
from annotation.actions.jobs.moves import give_up
from annotation.actions.jobs.working import BROKE
from annotation.models import FileJob, TeamRole
from tests.analytics.made import human, items_of, make_for_all, rate
from tests.browser.walking import sign_in
from tests.cast import PASSWORD, add_items, study_with

pytestmark = pytest.mark.django_db(transaction=True)

ROWS = "key,dialogue,reply\n" + "".join(
    f"i{number},[seeker]I cannot sleep. ({number}),{'nan' if number % 3 else 'Since when?'}\n"
    for number in range(600)
)
WINDOWS = {
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
    "desk": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light"},
}

AS_TALL_AS_WIDE = """() => {
  const figure = document.querySelector("figure");
  for (const side of ["width", "height"]) figure.querySelector("svg").setAttribute(side, 1000);
  return figure.getBoundingClientRect().height;
}"""
SHADES = """() => [getComputedStyle(document.documentElement).backgroundColor,
  getComputedStyle(document.querySelector("figure svg rect")).fill,
  getComputedStyle(document.querySelector("figure svg .role-title-text text")).fill]"""


@pytest.fixture(autouse=True)
def folders(settings, tmp_path):
    settings.UPLOAD_DIR = tmp_path / settings.WORKER / "uploads"
    settings.EXPORT_DIR = tmp_path / settings.WORKER / "exports"
    return tmp_path


@pytest.fixture
def lake(ada, gwen):
    """A study without items, for a coordinator and an exporter."""
    team = {ada: [TeamRole.COORDINATOR], gwen: [TeamRole.EXPORTER]}
    return study_with(rubric="dialogue_safety", key="lake", n_items=0, team=team)


@pytest.fixture
def window(visitor):
    """window(user, "phone", "zh-hans") is a browser of that size in which they are signed in."""

    def open_for(user: User, size: str, language: str) -> Page:
        client = Client()  # what reaches far asks for the password again
        client.force_login(user)
        client.cookies["django_language"] = language
        return sign_in(visitor(**WINDOWS[size]), user, client)

    return open_for


def send_a_file(page: Page) -> None:
    page.goto("/studies/lake/items/import/")
    file = {"name": "frogs.csv", "mimeType": "text/csv", "buffer": ROWS.encode()}
    page.locator("input[type=file]").set_input_files(file)
    page.locator("form[enctype] button[type=submit]").click()


def fits(page: Page) -> bool:
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("size", WINDOWS)
def test_a_file_is_looked_at_and_imported_while_its_owner_watches(
    lake, ada, window, keep, start_worker, folders, size, language
):
    page = window(ada, size, language)
    send_a_file(page)
    expect(page.locator("progress")).to_be_visible()
    FileJob.objects.update(state="running", heartbeat_at=timezone.now(), done=412, total=600)
    expect(page.locator("progress")).to_have_attribute("value", "68")
    keep(page, f"file-job-{size}-{language}")
    assert fits(page)

    FileJob.objects.update(state="waiting")
    start_worker(CONCORD_HOME=str(folders))
    send_a_file(page)
    expect(page.locator("#import-problems")).to_be_visible()
    keep(page, f"file-checked-{size}-{language}")
    assert fits(page)
    page.locator("button[name=skip_bad]").press("Enter")
    expect(page.locator(".notice--good")).to_contain_text("200")
    keep(page, f"file-imported-{size}-{language}")
    assert fits(page)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("size", WINDOWS)
def test_an_export_is_awaited_cancelled_and_fetched(lake, gwen, window, keep, size, language):
    page = window(gwen, size, language)
    page.goto("/studies/lake/export/")
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("form:has(input[name=password]) button").click()
    page.locator("form:has(input[name=with_texts]) button").click()
    expect(page.locator("progress")).to_be_visible()
    keep(page, f"export-under-way-{size}-{language}")
    assert fits(page)
    page.locator("form[action$='cancel/'] button").press("Enter")
    expect(page.locator(".notice")).to_be_visible()

    page.locator("form:has(input[name=with_texts]) button").click()
    expect(page.locator("progress")).to_be_visible()
    exports.build_asked(job_id=FileJob.objects.latest("pk").pk, clock=timezone.now)
    ready = page.locator(
        f"form[action='/studies/lake/export/{FileJob.objects.latest('pk').pk}/'] button"
    )
    expect(ready).to_be_visible()
    keep(page, f"export-ready-{size}-{language}")
    assert fits(page)
    with page.expect_download() as download:
        ready.press("Enter")
    assert download.value.suggested_filename == "lake-r0.zip"


@pytest.mark.parametrize(("size", "language"), [("phone", "zh-hans"), ("desk", "en")])
def test_a_report_and_its_verification_are_awaited_cancelled_and_read(
    lake, gwen, window, keep, tmp_path, size, language
):
    lake.memberships.filter(user=gwen).update(roles=[TeamRole.RESEARCHER])
    add_items(lake, range(1, 7))
    for rater in (human("ruth"), human("rolf")):
        for item in items_of(lake):
            rate(rater, item, safety="safe_response")
    page = window(gwen, size, language)
    page.goto("/studies/lake/agreement/report/")

    def seen(state: str) -> None:
        keep(page, f"report-{state}-{size}-{language}")
        assert fits(page)

    def ask_for_both() -> None:
        page.locator("#writeup form button").press("Enter")
        expect(page.locator("progress")).to_have_count(1)
        page.locator("#verified form button").press("Enter")
        expect(page.locator("progress")).to_have_count(2)

    ask_for_both()
    seen("waiting")
    FileJob.objects.update(
        state="running", attempts=1, heartbeat_at=timezone.now(), done=7, total=20
    )
    expect(page.locator("progress[value='35']")).to_have_count(2)
    seen("running")
    for job in FileJob.objects.all():
        give_up(job=job, reason=BROKE, at=timezone.now())
    expect(page.locator("#writeup .notice--bad")).to_be_visible()
    expect(page.locator("#verified .notice--bad")).to_be_visible()
    seen("failed")

    ask_for_both()
    for left in (1, 0):
        page.locator("form[action$='cancel/'] button").first.press("Enter")
        expect(page.locator("progress")).to_have_count(left)
    expect(page.locator("#writeup .notice")).to_be_visible()
    expect(page.locator("#verified .notice")).to_be_visible()
    seen("cancelled")

    ask_for_both()
    make_for_all("report")
    make_for_all("verification")
    expect(page.locator("#writeup .hash").first).to_be_visible()
    expect(page.locator("progress")).to_have_count(0)
    seen("done")
    with page.expect_download() as download:
        page.locator("a[href$='report.html']").click()
    download.value.save_as(tmp_path / "report.html")
    page.goto(f"file://{tmp_path}/report.html")
    seen("file")
    expect(page.locator("figure svg text").first).to_be_visible()
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(SHADES) == ["rgb(26, 33, 34)", "rgb(26, 33, 34)", "rgb(229, 234, 232)"]
    seen("dark")
    page.set_viewport_size({"width": 1032, "height": 700})  # A4 across, less its margins
    page.emulate_media(media="print")
    seen("paper")
    assert page.evaluate(AS_TALL_AS_WIDE) < 700, "a figure and its words are on one page"
    assert page.evaluate(SHADES) == ["rgb(255, 255, 255)", "rgb(255, 255, 255)", "rgb(27, 37, 39)"]
