"""A comparison of three generators in a real Chromium: from an empty study to how well people and a
judge agree about replies of which nobody knows who wrote them."""

import json
import os

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Item, Round, Submission, TeamRole
from tests.annotation.doing import NONSENSE, SAFE, rate
from tests.browser.test_journey import rate_by_keyboard
from tests.browser.walking import sign_in
from tests.cast import study_with
from tests.judging.conftest import Scripted
from tests.services import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

N = int(os.environ.get("CONCORD_TEST_CONVERSATIONS", "10"))
GENERATORS = ("aspen", "birch", "cedar")
FILE = "key,dialogue\n" + "".join(
    f"c{number},[seeker]The pond has been quiet for {number} days.\n" for number in range(N)
)


@pytest.fixture
def lake(ada, ben, cleo, settings, tmp_path):
    """A study with its people, and nothing to rate."""
    settings.UPLOAD_DIR = tmp_path / settings.WORKER / "uploads"
    team = {
        ada: [TeamRole.COORDINATOR],
        ben: [TeamRole.ANNOTATOR],
        cleo: [TeamRole.ANNOTATOR],
    }
    return study_with(rubric="dialogue_safety", key="lake", n_items=0, team=team)


@pytest.fixture
def endpoint(settings):
    """An endpoint at which three LLMs write and a fourth judges, rightly."""
    scripted = Scripted()
    scripted.answer = answer
    settings.LLM_BASE_URL = scripted.base_url
    yield scripted
    scripted.close()


def answer(body, _number):
    """Cedar parrots the seeker, and whoever rates sees that."""
    asked = body["messages"][-1]["content"]
    if body["model"] == "cedar":
        return asked
    if body["model"] in GENERATORS:
        address = " Write to frog@example.org." if body["model"] == "birch" else ""
        return f"What would you like to hear there?{address} ({asked[-8:]})"
    parrots = "What would you like" not in asked
    label = "nonsense" if parrots else "safe_response"
    return json.dumps({"safety": {"reasoning": "It says so.", "answer": label}})


def test_three_generators_from_nothing_to_agreement(
    lake, ada, ben, cleo, endpoint, visitor, keep, start_worker, settings, tmp_path
):
    start_worker(CONCORD_LLM_BASE_URL=settings.LLM_BASE_URL, CONCORD_HOME=str(tmp_path))
    page = sign_in(visitor(), ada)
    bring_conversations(page)
    have_replies_written(page, keep)
    assert Item.objects.exclude(generator="").count() == 3 * N
    assert Item.objects.filter(generator="birch", reply__contains="[email]").count() == N
    sent = [(one["model"], one["messages"][-1]["content"]) for one in endpoint.requests]
    sent = [(llm, said) for llm, said in sent if "My exam is" not in said]  # that is made up
    assert len(set(sent)) == len(sent) == 3 * N, "each conversation is sent once to each"

    open_a_round(page)
    people_rate(visitor, ben, cleo)
    run_the_judge(page)

    page.goto("/studies/lake/agreement/matrix/")
    page.get_by_role("heading", name="Item level: every criterion").click()
    table = page.locator("main")
    expect(page.get_by_role("row", name="2 people").first).to_contain_text("1.00")
    expect(table).to_contain_text("owl")
    keep(page, "replies-agreement")
    assert Submission.objects.filter(origin="judge").count() == 3 * N


def bring_conversations(page: Page) -> None:
    page.goto("/studies/lake/items/import/")
    file = {"name": "pond.csv", "mimeType": "text/csv", "buffer": FILE.encode()}
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Look at the file").click()
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator(".notice--good")).to_contain_text(str(N))


def have_replies_written(page: Page, keep) -> None:
    page.goto("/studies/lake/judges/replies/")
    page.get_by_role("link", name="Have replies written").click()
    for number, name in enumerate(GENERATORS):
        part = page.get_by_role("group", name=f"Generator {number + 1}")
        part.get_by_label("Name of the source").fill(name)
        part.get_by_label("LLM").fill(name)
        part.get_by_label("System prompt").fill(f"You are {name}.")
    for number in range(len(GENERATORS)):
        part = page.get_by_role("group", name=f"Generator {number + 1}")
        part.get_by_role("button", name="Try it first").click()
        expect(part.locator("#probe")).to_contain_text("Tried with a made-up dialogue")
    keep(page, "replies-tried")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview")).to_contain_text("You are birch.")
    expect(page.locator("#preview")).to_contain_text(f"{N} replies")
    keep(page, "replies-preview")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("#generation-status")).to_contain_text("aspen")
    keep(page, "replies-running")
    kind = page.get_by_role("group", name="Addresses of mail")
    expect(kind.get_by_role("combobox")).to_have_value("redact", timeout=120_000)
    keep(page, "replies-identifiers")
    page.get_by_role("button", name="Make items of the replies").click()
    expect(page.locator("#generation-status")).to_contain_text(f"{3 * N} replies are items")
    keep(page, "replies-taken-in")


def open_a_round(page: Page) -> None:
    page.goto("/studies/lake/rounds/open/")
    for name in ("Ben", "Cleo"):
        page.get_by_label(name).check()
    page.get_by_text("More settings").click()
    page.get_by_label("Hidden repeats").fill("0")
    page.get_by_role("button", name="Open the round").click()
    expect(page.locator("#round-status")).to_contain_text(f"0 / {6 * N}")


def people_rate(visitor, ben, cleo) -> None:
    """One reply on the screen, where nothing says whose it is; then the others, by the text alone."""
    screen = sign_in(visitor(), ben)
    screen.goto("/studies/lake/rate/")
    for name in GENERATORS:
        expect(screen.locator("body")).not_to_contain_text(name)
    shown = screen.locator("main").inner_text()
    rate_by_keyboard(screen, "nnn1" if "What would you like" in shown else "y")
    wait_until(Submission.objects.exists, what="the answer from the screen")
    rating_round = Round.objects.get()
    for assignment in rating_round.assignments.select_related("rater__user", "item"):
        user = assignment.rater.user
        if not Submission.objects.filter(assignment=assignment).exists():
            is_safe = "What would you like" in assignment.item.reply
            rate(rating_round, user, assignment.position, SAFE if is_safe else NONSENSE)
    assert {ben, cleo} == {one.rater.user for one in rating_round.seats.all()}


def run_the_judge(page: Page) -> None:
    page.goto("/studies/lake/judges/start/")
    page.get_by_label("LLM", exact=True).fill("owl")
    page.get_by_role("button", name="Try it first").click()
    expect(page.locator("#probe")).to_contain_text("answered, and the answer can be read")
    page.get_by_role("button", name="Start the judge").click()
    run = page.locator("#run-status")
    expect(run).to_contain_text(f"{3 * N} / {3 * N}", timeout=120_000)
    expect(run).to_contain_text("Finished")
