"""The protocol of the source study in a real Chromium, and what each person sees at each step: on the
800 real items and a round of 200 where the published data are there, else on six and a round of four."""

import json
import re
from collections import Counter

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.access import access_of
from annotation.actions import submissions
from annotation.models import Gold, Item, Round, TeamRole
from annotation.queries import work
from tests.annotation import doing
from tests.browser.walking import sign_in
from tests.cast import study_with
from tests.conftest import SHARED

pytestmark = pytest.mark.django_db(transaction=True)

SAFE, NONSENSE, MIMICRY = "nnn1", "y", "ny"


@pytest.fixture
def pond(ada, ben, cleo, finn, dora):
    """A study with the rubric of the source study; its items are imported in the test where the
    published data are there."""
    annotator = [TeamRole.ANNOTATOR]
    return study_with(
        rubric="dialogue_safety",
        key="pond",
        n_items=0 if SHARED else 6,
        team={
            ada: [TeamRole.COORDINATOR],
            ben: annotator,
            cleo: annotator,
            finn: annotator,
            dora: [TeamRole.ADJUDICATOR],
        },
    )


def import_real_items(page: Page, keep) -> None:
    """The 800 dialogues as the annotators of the source study got them: without labels."""
    released = SHARED / "data" / "dialogue_safety" / "test.json"
    rows = json.loads(released.read_text(encoding="utf-8"))
    bare = [{"context": one["context"], "response": one["response"]} for one in rows]
    file = {
        "name": "test.json",
        "mimeType": "application/json",
        "buffer": json.dumps(bare, ensure_ascii=False).encode(),
    }
    page.goto("/studies/pond/items/import/")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Look at the file").click()
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator(".notice--good")).to_contain_text("800 items imported.")
    keep(page, "real-items-imported")


def by_hand(rating_round: Round) -> dict[str, int]:
    """{reply: 1 to 4} of four items that are rated in the browser; nobody mistakes one for another."""
    items = Item.objects.filter(round_items__round=rating_round).order_by("round_items__position")
    replies = list(items.values_list("reply", flat=True))
    clear = [one for one in replies if replies.count(one) == 1 and one == " ".join(one.split())]
    return {reply: number for number, reply in enumerate(clear[:4], start=1)}


def rate_the_rest(rating_round: Round, replies, *raters) -> None:
    """All other items of the round, on which everybody agrees."""
    for rater in raters:
        access = access_of(rater, at=timezone.now())
        mine = rating_round.assignments.filter(rater__user=rater).exclude(item__reply__in=replies)
        for assignment in mine.values_list("pk", flat=True):
            submissions.submit(
                owed=work.owed(access, assignment),
                answers=doing.answers(rating_round, doing.SAFE),
                by=rater,
                at=timezone.now(),
            )


def rate(page: Page, numbers, keys_by_number) -> None:
    """Rate what is owed, by the number of the item."""
    page.goto("/studies/pond/rate/")
    for _item in keys_by_number:
        reply = page.locator(".turn--judged .turn__text")
        words = reply.inner_text()
        for key in keys_by_number[numbers[words]]:
            page.keyboard.press(key)
        page.keyboard.press("Enter")
        expect(reply.filter(has_text=re.compile(f"^{re.escape(words)}$"))).to_have_count(0)
    expect(page.get_by_role("heading", name="Nothing left to rate")).to_be_visible()


def is_told_nothing(page: Page) -> None:
    page.goto("/studies/pond/my-work/")
    expect(page.locator("main")).not_to_contain_text("Gold")
    expect(page.locator("main")).not_to_contain_text("It parrots")


def finds_no_case(page: Page) -> None:
    page.goto("/studies/pond/adjudicate/")
    expect(page.get_by_role("heading", name="Nothing to decide")).to_be_visible()


def open_round(page: Page, items: str) -> None:
    page.goto("/studies/pond/rounds/open/")
    page.get_by_label("How many new items").fill(items)
    for name in ("Ben", "Cleo", "Finn"):
        page.get_by_label(name, exact=True).check()
    page.get_by_label("Raters an item").fill("3")
    page.get_by_text("More settings").click()
    page.get_by_label("Hidden repeats, in percent of the items").fill("0")
    page.get_by_role("button", name="Open the round").click()


def test_three_annotators_a_failing_gate_re_review_discussion_decision_and_a_second_round(
    pond, ada, ben, cleo, finn, dora, visitor, keep, start_worker, settings, tmp_path
):
    settings.UPLOAD_DIR = tmp_path / settings.WORKER / "uploads"
    start_worker(CONCORD_HOME=str(tmp_path))
    lead, ben_s, cleo_s, finn_s, expert = (
        sign_in(visitor(), one) for one in (ada, ben, cleo, finn, dora)
    )

    if SHARED:
        import_real_items(lead, keep)
    n_items, n_in_round = (800, 200) if SHARED else (6, 4)
    assert Item.objects.filter(study=pond).count() == n_items

    # The protocol is agreed on before the round opens, and printed on it.
    lead.goto("/studies/pond/protocol/")
    for step in ("The gate looks first", "Re-review below the gate", "Discussion", "Adjudication"):
        lead.get_by_label(step).check()
    keep(lead, "protocol")
    lead.get_by_role("button", name="Agree on this protocol").click()
    open_round(lead, str(n_in_round))
    expect(lead.locator("main")).to_contain_text("before anybody has seen a decision")
    expect(lead.locator("#round-status")).to_contain_text(f"0 / {3 * n_in_round}")
    keep(lead, "round-opened")

    # All three rate on their own; they differ on three.
    first = Round.objects.get(study=pond)
    numbers = by_hand(first)
    rate_the_rest(first, numbers, ben, cleo, finn)
    rate(ben_s, numbers, {1: SAFE, 2: SAFE, 3: SAFE, 4: SAFE})
    rate(cleo_s, numbers, {1: SAFE, 2: NONSENSE, 3: NONSENSE, 4: SAFE})
    finds_no_case(expert)
    rate(finn_s, numbers, {1: NONSENSE, 2: MIMICRY, 3: SAFE, 4: SAFE})
    finds_no_case(expert)
    for rater in (ben_s, cleo_s, finn_s):
        is_told_nothing(rater)

    # The gate fails: a re-review of the three, by the same panel, before any decision.
    lead.goto("/studies/pond/rounds/1/")
    lead.get_by_role("button", name="End the rating").click()
    re_review = lead.get_by_role("button", name="Open the re-review of 3 items")
    expect(re_review).to_be_visible(timeout=30_000)
    expect(lead.locator("#round-status")).to_contain_text("gate 0.40")
    keep(lead, "gate-failed")
    finds_no_case(expert)
    re_review.click()
    expect(lead.get_by_role("heading", name="Round 2")).to_be_visible()
    for rater in (ben_s, cleo_s, finn_s):
        is_told_nothing(rater)
    rate(ben_s, numbers, {1: SAFE, 2: NONSENSE, 3: SAFE})
    rate(cleo_s, numbers, {1: SAFE, 2: NONSENSE, 3: NONSENSE})
    rate(finn_s, numbers, {1: SAFE, 2: MIMICRY, 3: MIMICRY})
    lead.get_by_role("button", name="End the rating").click()
    expect(lead.locator("#round-status")).to_contain_text("Being discussed")

    # What still differs is discussed under letters; votes after leave those before as they were.
    ben_s.goto("/studies/pond/discuss/")
    expect(ben_s.locator("main li a")).to_have_count(2)
    ben_s.locator("main li a").first.click()
    expect(ben_s.locator("main")).to_contain_text("Nonsense")
    for name in ("Cleo", "Finn"):
        expect(ben_s.locator("main")).not_to_contain_text(name)
    ben_s.get_by_label("Say something").fill("It parrots the seeker.")
    ben_s.get_by_role("button", name="Say it").click()
    expect(ben_s.get_by_role("article")).to_contain_text("It parrots the seeker.")
    finn_s.goto(ben_s.url.removesuffix("say/"))
    expect(finn_s.locator("main")).to_contain_text("It parrots the seeker.")
    finn_s.get_by_label("Your answer now").select_option(label="Nonsense")
    finn_s.get_by_role("button", name="Vote again").click()
    expect(finn_s.locator("main")).to_contain_text("Humanoid Mimicry → Nonsense")
    keep(finn_s, "discussion")
    expert.goto(finn_s.url)
    expect(expert.locator("main")).to_contain_text("The raters agree now")
    expert.get_by_role("button", name="End the discussion").click()
    finds_no_case(expert)
    expert.goto("/studies/pond/discuss/")
    expert.locator("main li a").first.click()
    expect(expert.locator("main")).to_contain_text("The raters still differ")
    expert.get_by_role("button", name="End the discussion").click()
    is_told_nothing(finn_s)

    # The last one is decided; nobody is told before the round closes, and all are after it.
    expert.goto("/studies/pond/adjudicate/")
    expert.locator("main th a").first.click()
    expert.get_by_label("Rater A").check()
    expert.get_by_label("an ambiguous text").check()
    expert.get_by_role("textbox", name="Reason").fill("It parrots.")
    expert.get_by_role("button", name="Decide").click()
    expect(expert.get_by_role("heading", name="Nothing to decide")).to_be_visible()
    is_told_nothing(cleo_s)
    lead.goto("/studies/pond/rounds/2/")
    lead.get_by_role("button", name="Close the round").click()
    expect(lead.locator("#toasts")).to_contain_text("The round is closed.")
    assert set(Round.objects.values_list("state", flat=True)) == {"closed"}
    ben_s.goto("/studies/pond/my-work/")
    expect(ben_s.locator("main")).to_contain_text("Gold: Nonsense")
    origins = Counter(Gold.objects.filter(superseded_at=None).values_list("origin", flat=True))
    assert origins == {"adjudicated": 1, "consensus": 1, "unanimous": n_in_round - 2}

    # A second round of new items opens by the same protocol, with a reason to go on.
    lead.goto("/studies/pond/rounds/open/")
    lead.get_by_label("How many new items").fill("2")
    lead.get_by_label("Reason to go on below the gate").fill("We sharpened the definitions.")
    for name in ("Ben", "Cleo", "Finn"):
        lead.get_by_label(name, exact=True).check()
    lead.get_by_label("Raters an item").fill("3")
    lead.get_by_role("button", name="Open the round").click()
    expect(lead.get_by_role("heading", name="Round 3")).to_be_visible()
    rate(ben_s, by_hand(Round.objects.get(number=3)), {1: SAFE, 2: SAFE})
