"""Items that are held out: drawn before judges see them, spent to certify, counted, ended."""

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction

from accounts.access import access_of
from accounts.models import Event
from analytics.figures import store
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from analytics.trust import cards, policies
from analytics.trust.numbers import PART, RestsOn
from analytics.trust.words import said_of_judges
from annotation.models import HeldOutItem, HoldOut, TeamRole
from annotation.queries.studies import study_for
from judging.actions import holding_out, runs, templates
from judging.actions.judges import Settings
from judging.models import HoldOutUse, JudgeCall, JudgeRun
from judging.queries.templates import items_to_preview
from tests.analytics.made import human, rate
from tests.cast import study_with
from tests.judging.conftest import work_until_it_rests

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_cache")]

PROMPT = 'answers = "plain"\nsystem = "{words} {{{{criteria}}}}"\nuser = "{{{{item}}}} {{{{answer_form}}}}"\n'
PAGE = "/studies/pond/judges/hold-out/"


@pytest.fixture
def held(pond, ada):
    """Half of the pond is held out."""
    return holding_out.draw(study=pond, percent=50, seed="s", by=ada, at=pond.created_at)


@pytest.fixture
def judged(pond, scripted, fast_clock):
    """judged(of_hold_out=True, ...) starts a judge by a version of the prompt “brief”."""

    def start(*, version=None, reason="", of_hold_out=False):
        run = runs.start(
            study=pond,
            judge=Settings(llm="echo", base_url=scripted.base_url, as_json=False, template=version),
            repeats=1,
            concurrency=2,
            by=None,
            at=fast_clock(),
            of_hold_out=of_hold_out,
            hold_out_reason=reason,
        )
        return work_until_it_rests(run, fast_clock)

    return start


def version(study, words):
    text = PROMPT.format(words=words)
    at = study.created_at
    return templates.write(study=study, name="brief", text=text, note="", by=None, at=at).pk


def items_of(run):
    return set(run.calls.values_list("item", flat=True))


def apart():
    return set(HeldOutItem.objects.values_list("item", flat=True))


def report_on(study):
    study.refresh_from_db()
    return store.up_to_date(study_id=study.pk, part=PART, at=study.created_at)[PLAIN]


def test_the_same_seed_holds_the_same_out_and_only_one_is_in_force(pond, ada, held):
    with pytest.raises(holding_out.CannotHoldOut, match="has a hold-out"):
        holding_out.draw(study=pond, percent=20, seed="t", by=ada, at=pond.created_at)
    first = apart()
    holding_out.end(study=pond, reason="Another seed.", by=ada, at=pond.created_at)
    again = holding_out.draw(study=pond, percent=50, seed="s", by=ada, at=pond.created_at)

    assert set(again.held_out_items.values_list("item", flat=True)) == first
    assert len(first) == 3
    assert Event.objects.filter(verb="hold_out.drawn", facts__seed="s").count() == 2


def test_runs_and_previews_are_about_the_others_unless_the_hold_out_is_spent(
    pond, ada, held, judged
):
    tried = items_to_preview(study_for(access_of(ada, at=pond.created_at), "pond"))
    developed, certified = judged(), judged(of_hold_out=True)

    assert len(tried) == 3
    assert not items_of(developed) & apart()
    assert items_of(certified) == apart()
    use = HoldOutUse.objects.get()
    assert (use.run, use.family, use.n_items) == (certified, "", 3)
    assert Event.objects.get(verb="hold_out.used").facts["by_family"] == 1


def test_a_judge_is_asked_again_about_the_hold_out_only_for_a_reason(pond, held, judged):
    judged(of_hold_out=True)
    with pytest.raises(runs.CannotRun, match="A hold-out is spent once"):
        judged(of_hold_out=True)
    judged(of_hold_out=True, reason="The endpoint had lost half of the answers.")

    assert HoldOutUse.objects.count() == 2
    assert JudgeRun.objects.count() == 2, "a run that was refused leaves nothing"


def test_versions_of_one_prompt_are_counted_as_one_family(pond, held, judged):
    for words in ("Be brief.", "Be very brief."):
        judged(version=version(pond, words), of_hold_out=True)
    rate(human("ruth"), HeldOutItem.objects.first().item, safety="safe_response")

    said = said_of_judges(report_on(pond))

    assert len(said) == 2
    assert all("used 2 times by judges of this family" in one for one in said)
    assert all("The hold-out, 3 items." in one for one in said)


def test_what_certifies_rests_on_the_hold_out_alone(pond, held, judged):
    people = human("ruth")
    for item in pond.items.all():
        rate(people, item, safety="safe_response")
    judged()
    before = report_on(pond)
    judged(of_hold_out=True)
    after = report_on(pond)

    assert before.known == ()
    (known,) = after.known
    assert known.rests_on(after) is RestsOn.HOLD_OUT
    assert known.unscored.n_items == after.n_held_out == 3
    (card,) = cards.as_json(after, policies.held(pond))["cards"]
    assert (card["rests_on"], card["n_held_out"]) == ("hold-out", 3)
    assert card["hold_out_used"]["by_family"] == 1


def test_without_a_hold_out_figures_say_what_the_prompt_had_seen(pond, judged):
    first, second = version(pond, "Be brief."), version(pond, "Be very brief.")
    judged(version=first)
    judged(version=second)
    report = report_on(pond)

    assert report.n_held_out is None
    assert [one.rests_on(report) for one in report.known] == [RestsOn.ALL, RestsOn.SEEN]
    assert "seen while the prompt was written" in said_of_judges(report)[1]


def test_judged_dialogues_cannot_be_held_out_any_more(pond, judged):
    judged()
    with pytest.raises(holding_out.CannotHoldOut, match="judges were asked about every dialogue"):
        holding_out.draw(study=pond, percent=50, seed="s", by=None, at=pond.created_at)


def test_answers_to_what_is_held_out_are_shown_item_by_item_once_it_has_ended(
    as_user, ada, pond, held, judged
):
    run = judged(of_hold_out=True)
    call = JudgeCall.objects.filter(run=run).first()
    pages = [
        f"/studies/pond/judges/{run.pk}/calls/{call.pk}/",
        f"/studies/pond/agreement/items/{call.item_id}/",
    ]
    browser = as_user(ada)

    for page in pages:
        told = browser.get(page).content.decode()
        assert "This item is held out" in told
        assert "Safe Response" not in told
    holding_out.end(study=pond, reason="To look at what was missed.", by=ada, at=pond.created_at)
    for page in pages:
        told = browser.get(page).content.decode()
        assert "This item is held out" not in told
        assert "Safe Response" in told


def test_the_page_draws_counts_and_ends(as_user, ada, gwen, pond, judged):
    browser = as_user(ada)
    assert "6 dialogues" in browser.get(PAGE).content.decode()
    assert browser.post(PAGE + "draw/", {"percent": "150"}).status_code == 422
    browser.post(PAGE + "draw/", {"percent": "50", "seed": "s"})
    judged(of_hold_out=True)
    page = browser.get(PAGE).content.decode()

    assert "3 items are held out" in page
    assert "Concord’s own" in page
    assert as_user(gwen).get(PAGE).status_code == 200
    assert as_user(gwen).post(PAGE + "end/", {"reason": "No."}).status_code == 403
    assert browser.post(PAGE + "end/", {"reason": " "}).status_code == 422
    browser.post(PAGE + "end/", {"reason": "The paper is out."})
    assert HoldOut.objects.get().end_reason == "The paper is out."
    assert "The paper is out." in browser.get(PAGE).content.decode()


def test_the_start_page_offers_development_or_the_hold_out(as_user, ada, pond, scripted, held):
    page = as_user(ada).get("/studies/pond/judges/start/").content.decode()

    assert "Items for development" in page
    assert "The hold-out, to certify (3 items)" in page
    assert "Why the hold-out is used again" in page


def test_a_study_without_a_hold_out_starts_judges_as_ever(as_user, ada, pond, scripted):
    page = as_user(ada).get("/studies/pond/judges/start/").content.decode()

    assert "All items" in page
    assert "hold-out" not in page


def test_the_command_holds_out_starts_on_it_and_ends(pond, scripted, capsys):
    call_command("hold_out", "pond", percent=50, seed="s")
    assert "Held 3 items out with the seed s" in capsys.readouterr().out
    start = ("judge", "start", "pond", "--llm", "echo", "--plain", "--hold-out")
    call_command(*start)
    run = JudgeRun.objects.get()
    assert items_of(run) == apart()
    runs.finish(run_id=run.pk, by=None, at=pond.created_at)
    with pytest.raises(CommandError, match="spent once"):
        call_command(*start)
    call_command(*start, "--because", "It was ended before it began.")
    call_command("hold_out", "pond", end="Enough.")
    with pytest.raises(CommandError, match="no hold-out"):
        call_command("hold_out", "pond", end="Twice.")


def test_nobody_changes_a_hold_out_or_takes_a_use_back(pond, held, judged):
    judged(of_hold_out=True)
    for change in (
        HeldOutItem.objects.all().delete,
        HoldOutUse.objects.all().delete,
        lambda: HoldOut.objects.update(seed="t"),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()


def test_figures_of_other_pages_are_of_all_items(held, pond):
    ratings = matrices.read(pond.pk)

    assert ratings.items.size == 6
    assert ratings.held_out.sum() == 3


def test_a_stratum_gives_its_share(ada):
    study = study_with(
        rubric="dialogue_safety", key="lake", team={ada: [TeamRole.COORDINATOR]}, n_items=40
    )
    held = holding_out.draw(study=study, percent=25, seed="s", by=None, at=study.created_at)

    assert held.held_out_items.count() == 10


@pytest.mark.parametrize("page", ["", "trust/", "judges/", "safety/", "routing/", "calibration/"])
def test_figures_open_while_a_judge_is_in_development(as_user, ada, pond, held, judged, page):
    for item in pond.items.all():
        rate(human(f"ruth-{item.pk}"), item, safety="safe_response")
    judged()

    assert as_user(ada).get(f"/studies/pond/agreement/{page}").status_code == 200
