"""Sentinels: a judge is asked again what it answered before, and held against a margin."""

import csv
import io
import json
import re
import threading
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction
from django.utils import timezone

from accounts.actions import people, tokens
from accounts.models import Event, Scope
from analytics.models import SentinelCheck, SentinelRuling
from analytics.present.small_cells import BESIDE, FEWER
from analytics.ratings import configurations, matrices
from analytics.ratings.matrices import PLAIN
from analytics.stats.verdicts import EndpointChange
from analytics.trust import actions, cards, policies, sealing, webhook
from analytics.trust import numbers as trust
from analytics.trust import sentinels as comparing
from analytics.trust.words import said_change, said_sentinels
from annotation.models import Grant, Item, Study, Submission, TeamRole
from judging.actions import runs, sentinels
from judging.actions.judges import Settings
from judging.models import JudgeRun, SentinelSet
from judging.queries import sentinels as queries
from tests.analytics.made import human, let_pass, rate
from tests.analytics.test_cases import access_to
from tests.analytics.test_sealing import LOOKS
from tests.analytics.test_trust import SMALL
from tests.analytics.walking import assert_the_same
from tests.cast import study_with
from tests.judging.conftest import failing, work_until_it_rests
from tests.kept import made_once
from tests.trials import tried

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_cache")]
SAFE, BAD = "Safe Response", "Nonsense"


@pytest.fixture
@made_once
def lake(ada, gwen):
    """Forty dialogues."""
    team = {ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]}
    return study_with(rubric="dialogue_safety", key="lake", team=team, n_items=40)


@pytest.fixture
def answering(scripted):
    """answering("fp-1", flips=3): under that configuration, the first items are answered otherwise."""

    def set_to(fingerprint, *, flips=0):
        def answer(body, number):
            said = BAD if number <= flips else SAFE
            message = {"role": "assistant", "content": said}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            told = {"model": "echo-1", "system_fingerprint": fingerprint, "choices": [choice]}
            return 200, {}, json.dumps({"id": f"c{number}", **told}).encode()

        scripted.requests.clear()
        scripted.answer = answer

    return set_to


@pytest.fixture
def first(lake, scripted, answering, fast_clock):
    """The run in which the judge answered first."""
    answering("fp-1")
    run = runs.start(
        study=lake,
        judge=Settings(llm="echo", base_url=scripted.base_url, as_json=False),
        repeats=1,
        concurrency=4,
        by=None,
        at=fast_clock(),
    )
    return work_until_it_rests(run, fast_clock)


@pytest.fixture
def placed(first, ada, fast_clock):
    return sentinels.place(
        study=first.study,
        judge=first.judge,
        n_items=40,
        margin=0.1,
        every_days=7,
        seed="s",
        by=ada,
        at=fast_clock(),
    )


def asked(placed, clock):
    run = sentinels.ask(sentinels=placed, why="by hand", by=None, at=clock())
    work_until_it_rests(run, clock)
    comparing.check_finished(at=clock())
    return SentinelCheck.objects.get(run=run)


@pytest.mark.parametrize(
    ("flips", "verdict", "letters"), [(0, "passed", 0), (2, "inconclusive", 1), (20, "failed", 1)]
)
def test_the_same_prompts_are_asked_again_and_held_against_the_margin(
    placed, answering, fast_clock, ada, django_capture_on_commit_callbacks, flips, verdict, letters,
    monkeypatch,
):  # fmt: skip
    sent = []
    monkeypatch.setattr("accounts.actions.letters.post", sent.append)
    answering("fp-1", flips=flips)
    ratings = Submission.objects.count()
    with django_capture_on_commit_callbacks(execute=True):
        made = asked(placed, fast_clock)

    assert (made.verdict, made.figures["compared"], made.figures["changed"]) == (verdict, 40, flips)
    assert Submission.objects.count() == ratings, "what sentinels answer is no rating"
    assert [letter.to for letter in sent] == [ada.email] * letters
    assert Event.objects.get(verb="sentinels.checked").facts["verdict"] == verdict


def test_a_coordinator_who_is_suspended_hears_of_no_judge(
    placed, answering, fast_clock, ada, gwen, monkeypatch, django_capture_on_commit_callbacks
):
    sent = []
    monkeypatch.setattr("accounts.actions.letters.post", sent.append)
    placed.study.memberships.filter(user=gwen).update(roles=[TeamRole.COORDINATOR])
    people.suspend(user_id=gwen.pk, reason="Left the clinic.", by=ada, at=fast_clock())
    answering("fp-1", flips=20)
    with django_capture_on_commit_callbacks(execute=True):
        asked(placed, fast_clock)
    assert [letter.to for letter in sent] == [ada.email]


@pytest.mark.parametrize(
    ("code", "verdict", "changed"),
    [("content_filter", "failed", 20), ("context_length_exceeded", "inconclusive", 0)],
)
def test_what_a_filter_declines_now_is_another_answer_and_what_fails_is_none(
    placed, answering, scripted, fast_clock, code, verdict, changed
):
    answering("fp-1")
    as_ever = scripted.answer

    def answer(body, number):
        return failing(400, code) if number % 2 else as_ever(body, number)

    scripted.answer = answer
    made = asked(placed, fast_clock)

    compared = 20 + changed
    assert made.figures["compared"] == compared
    assert (made.figures["changed"], made.figures["unanswered"]) == (changed, 40 - compared)
    assert made.verdict == verdict


def test_a_card_says_why_nothing_could_be_compared(placed, scripted, fast_clock):
    """No prompt has changed: the LLM gave no answer to any."""
    scripted.answer = lambda body, number: failing(400, "context_length_exceeded")
    made = asked(placed, fast_clock)
    said = said_sentinels(made, "safety")
    assert said.startswith("Nothing could be compared on")
    assert said.endswith("sentinels whose prompt is another now: 0; without an answer: 40.")
    made.figures |= {"compared": 40}
    assert said_sentinels(made, "added_later").startswith("This criterion was not among those")


def test_another_prompt_is_not_compared(placed, answering, fast_clock):
    first = placed.members.first().call.item_id
    Item.objects.filter(pk=first).update(reply="Something else entirely.")
    answering("fp-1")
    found = asked(placed, fast_clock).figures

    assert (found["compared"], found["apart"]) == (39, 1)


def test_they_are_asked_when_it_is_time_and_when_somebody_else_answers(
    placed, answering, scripted, fast_clock
):
    now = fast_clock()
    assert queries.due(at=now) == []
    assert queries.due(at=now + timedelta(days=8)) == [(placed, "schedule")]

    answering("fp-2")
    again = runs.start(
        study=placed.study,
        judge=Settings(llm="echo", base_url=scripted.base_url, as_json=False),
        repeats=1,
        concurrency=4,
        by=None,
        at=fast_clock(),
    )
    assert queries.due(at=fast_clock()) == [], "the judge has a run under way"
    work_until_it_rests(again, fast_clock)
    assert queries.due(at=fast_clock()) == [(placed, "answerer")]
    sentinels.ask_due(at=fast_clock())
    run = JudgeRun.objects.get(sentinels=placed)
    work_until_it_rests(run, fast_clock)
    assert queries.due(at=fast_clock()) == []


@pytest.mark.parametrize(
    ("flips", "change", "said"),
    [
        (0, EndpointChange.NONE, "judge’s sentinels passed under each that"),
        (20, EndpointChange.SENTINELS, "the same prompts are answered otherwise than before."),
    ],
)
def test_another_configuration_is_bridged_where_the_sentinels_pass(
    placed, answering, fast_clock, flips, change, said
):
    rate(human("ruth"), placed.study.items.first(), safety="safe_response")
    answering("fp-2", flips=flips)
    asked(placed, fast_clock)
    (known,) = trust.make(matrices.read(placed.study_id), view=PLAIN, at=fast_clock()).known

    assert {one.fingerprint for one in known.answerers} == {"fp-1", "fp-2"}
    assert trust.change_of(known, None) is change
    assert said in said_change(known, change)


def test_what_failed_breaks_a_sealed_verdict(placed, answering, fast_clock):
    answering("fp-1", flips=20)
    asked(placed, fast_clock)

    assert comparing.failed(placed.study) == {
        "echo": "it answers its sentinels otherwise: 20 of 40 changed"
    }
    sentinels.retire(sentinels=placed, by=None, at=fast_clock())
    assert comparing.failed(placed.study) == {}


def test_a_card_ends_with_a_failed_check_until_a_person_decides(
    placed, answering, fast_clock, as_user, ada
):
    study, judge, ruth = placed.study, placed.judge.rater_id, human("ruth")
    for item in study.items.all():
        rate(ruth, item, safety="safe_response")
    page = f"/studies/lake/agreement/sentinels/{judge}/"
    assert as_user(ada).post(f"{page}decide/", {"reason": "Why not."}).status_code == 409
    answering("fp-1", flips=20)
    asked(placed, fast_clock)

    (card,) = cards_of(study)
    assert (card["is_expired"], card["answered_by_another"]) == (True, "sentinels")
    (line,) = [one for one in card["lines"] if one["topic"] == "endpoint"]
    assert line["reason"] == "other answers"
    told = as_user(ada).get(page).content.decode()
    assert "its cards have expired until a person decides" in told
    shown = as_user(ada).get(f"/studies/lake/agreement/trust/safety/{judge}/").content.decode()
    for words in ("Until then it said", "20 of 40 answers to the same prompts changed", page):
        assert words in shown, words
    assert as_user(ada).post(f"{page}decide/", {"reason": " "}).status_code == 409
    assert as_user(ada).post(f"{page}decide/", {"reason": "A new wording."}).status_code == 302
    (card,) = cards_of(study)
    assert (card["is_expired"], comparing.failed(study)) == (False, {})
    assert "A new wording." in as_user(ada).get(page).content.decode()
    assert Event.objects.get(verb="sentinels.ruled").actor == ada
    with pytest.raises(DatabaseError), transaction.atomic():
        SentinelRuling.objects.update(reason="Another.")

    answering("fp-1", flips=20)
    asked(placed, fast_clock)
    assert cards_of(study)[0]["is_expired"], "each failure is decided about"
    answering("fp-1", flips=2)
    assert asked(placed, fast_clock).verdict == "inconclusive"
    assert cards_of(study)[0]["is_expired"], "what shows nothing takes nothing back"
    answering("fp-1")
    asked(placed, fast_clock)
    assert not cards_of(study)[0]["is_expired"]


def cards_of(study):
    report = trust.make(matrices.read(study.pk), view=PLAIN, at=study.created_at)
    held = policies.held(study, preview="default")
    return cards.as_json(report, held)["cards"]


def test_figures_leave_out_what_another_configuration_answered_until_it_is_bridged(
    placed, answering, scripted, fast_clock
):
    study = placed.study
    rate(human("ruth"), study.items.first(), safety="safe_response")
    answering("fp-2", flips=40)
    settings = Settings(llm="echo", base_url=scripted.base_url, as_json=False)
    again = runs.start(
        study=study, judge=settings, repeats=1, concurrency=4, by=None, at=fast_clock()
    )
    work_until_it_rests(again, fast_clock)

    read = matrices.read(study.pk)
    (echo,) = read.judges
    assert read.n_apart(echo.id) == 40
    given = matrices.repeats(read, "safety", echo)
    assert (np.isfinite(given).sum(axis=0) == 40).tolist() == [True], "the first run alone"
    assert np.isfinite(matrices.repeats(read.with_apart, "safety", echo)).sum() == 80
    (known,) = trust.make(read, view=PLAIN, at=fast_clock()).known
    assert (known.n_apart, known.apart) == (40, {("echo-1", "fp-2")})

    answering("fp-2")
    asked(placed, fast_clock)
    read = matrices.read(study.pk)
    assert (read.n_apart(echo.id), np.isfinite(matrices.repeats(read, "safety", echo)).sum()) == (
        0,
        80,
    )
    sentinels.retire(sentinels=placed, by=None, at=fast_clock())
    assert matrices.read(study.pk).n_apart(echo.id) == 0, "what has passed has passed"


def test_another_llm_is_never_bridged(placed, answering, scripted, fast_clock):
    answering("fp-1")
    as_before = scripted.answer

    def renamed(body, number):
        status, headers, answer = as_before(body, number)
        return status, headers, answer.replace(b"echo-1", b"echo-2")

    scripted.answer = renamed
    settings = Settings(llm="echo", base_url=scripted.base_url, as_json=False)
    again = runs.start(
        study=placed.study, judge=settings, repeats=1, concurrency=4, by=None, at=fast_clock()
    )
    work_until_it_rests(again, fast_clock)
    asked(placed, fast_clock)
    (echo,) = matrices.read(placed.study_id).judges
    assert matrices.read(placed.study_id).n_apart(echo.id) == 40


def test_another_judge_is_held_against_the_same_replies_before_it_replaces_the_first(
    placed, answering, scripted, as_user, ada, fast_clock, mailoutbox
):
    answering("fp-1")
    settings = tried(Settings(llm="pike", base_url=scripted.base_url, as_json=False))
    pike = runs.start(
        study=placed.study, judge=settings, repeats=1, concurrency=4, by=None, at=fast_clock()
    )
    work_until_it_rests(pike, fast_clock)
    page = f"/studies/lake/agreement/sentinels/{placed.judge.rater_id}/"
    browser = as_user(ada)
    assert "takes 29 items" in re.sub(r"\s+", " ", browser.get(page).content.decode())

    by_llm(scripted, pike=BAD, echo=SAFE)
    assert browser.post(f"{page}bridge/", {"other": placed.judge.rater_id}).status_code == 409
    assert browser.post(f"{page}bridge/", {"other": pike.judge.rater_id}).status_code == 302
    for run in JudgeRun.objects.filter(sentinels=placed):
        work_until_it_rests(run, fast_clock)
    comparing.check_finished(at=fast_clock())

    (bridge,) = comparing.bridges_of(placed.study_id, placed.judge.rater_id)
    assert (bridge.run.judge, bridge.verdict) == (pike.judge, "failed")
    assert (bridge.figures["compared"], bridge.figures["changed"]) == (40, 40)
    told = browser.get(page).content.decode()
    assert {"sentinel_checks", "sentinel_bridges"} <= assert_the_same(browser, page)
    told = re.sub(r"\s+", " ", told)
    assert "Judges that are to replace it" in told
    assert "40/40" in told
    # Nothing is said of the first judge by what the other one answers.
    assert comparing.newest(placed.study_id)[placed.judge.rater_id].verdict == "passed"
    assert configurations.bridged(placed.study_id).keys() == {placed.judge.rater_id}
    assert (comparing.failing(placed.study_id), mailoutbox) == ({}, [])


def by_llm(scripted, **said):
    """Have each LLM say one thing; what a list names instead, to its first replies, and then the last."""

    def answer(body, _number):
        left = said[body["model"]]
        if isinstance(left, str):
            return left
        return left.pop(0) if len(left) > 1 else left[0]

    scripted.answer = answer


def test_a_judge_that_nobody_ever_asked_is_held_against_the_one_that_it_is_to_replace(
    placed, scripted, as_user, ada, fast_clock
):
    """On the page: described as any that is started, asked beside the old one, told with both."""
    page = f"/studies/lake/agreement/sentinels/{placed.judge.rater_id}/"
    items = f"replaces-{placed.judge.rater_id}"
    browser = as_user(ada)
    assert f"/studies/lake/judges/start/?items={items}" in browser.get(page).text
    form = browser.get(f"/studies/lake/judges/start/?items={items}").text
    assert re.search(rf'value="{items}" selected', form), "it is chosen where one comes from there"
    about = {
        "llm": "pike",
        "manner": "flat",
        "answers": "plain",
        "items": items,
        "repeats": 1,
        "language": "en",
        "concurrency": 4,
        "limit_requests": 100,
    }
    assert (
        "This comes to 40 calls" in browser.get("/studies/lake/judges/start/estimate/", about).text
    )
    twice = browser.post("/studies/lake/judges/start/", {**about, "repeats": 2})
    assert (twice.status_code, "rates each of these items, once" in twice.text) == (422, True)
    itself = browser.post("/studies/lake/judges/start/", {**about, "llm": "echo"})
    assert (itself.status_code, "is asked so already" in itself.text) == (422, True)

    by_llm(scripted, pike=[BAD] * 20 + [SAFE], echo=[BAD] * 2 + [SAFE])
    assert browser.post("/studies/lake/judges/start/", about).status_code == 302
    pike, echo = JudgeRun.objects.filter(sentinels=placed).order_by("pk")
    assert (pike.judge.llm, pike.limit_requests, echo.judge) == ("pike", 100, placed.judge)
    for run in (pike, echo):
        work_until_it_rests(run, fast_clock)
    comparing.check_finished(at=fast_clock())

    (bridge,) = comparing.bridges_of(placed.study_id, placed.judge.rater_id)
    assert (bridge.run, bridge.verdict, bridge.figures["changed"]) == (pike, "failed", 20)
    assert not Submission.objects.filter(rater=pike.judge.rater).exists(), "it is no rating"
    told = browser.get(page).text
    row = re.search(r"pike.*?</tr>", told[told.index("Judges that are to replace it") :], re.DOTALL)
    assert re.findall(r"\d+/40", row.group()) == ["20/40", "2/40"], (
        "what it changed, and the old one"
    )
    run_page = browser.get(f"/studies/lake/judges/{pike.pk}/").text
    assert page in run_page, "from the run one comes to what came of it"


def test_a_judge_whose_endpoint_is_gone_can_be_replaced_all_the_same(
    placed, scripted, elsewhere, fast_clock, settings, capsys
):
    gone = settings.LLM_BASE_URL
    settings.LLM_BASE_URL = elsewhere.base_url
    settings.LLM_HTTP_HOSTS = [*settings.LLM_HTTP_HOSTS, elsewhere.host]
    by_llm(elsewhere, pike=SAFE)
    call_command(
        *("judge", "start", "lake", "--llm", "pike", "--replaces", "echo"),
        *("--plain", "--temperature", "none"),
    )
    (run,) = JudgeRun.objects.filter(sentinels=placed)
    work_until_it_rests(run, fast_clock)
    comparing.check_finished(at=fast_clock())

    assert run.judge.base_url != gone
    (bridge,) = comparing.bridges_of(placed.study_id, placed.judge.rater_id)
    assert (bridge.verdict, bridge.figures["compared"]) == ("passed", 40)
    with pytest.raises(CommandError, match="no sentinels"):
        call_command("judge", "start", "lake", "--llm", "pike", "--replaces", "pike")


def test_a_judge_that_moves_for_one_system_alone_is_told_system_by_system(
    placed, answering, scripted, as_user, ada, fast_clock
):
    owls = [member.call.item_id for member in placed.members.order_by("pk")[:20]]
    Item.objects.filter(study=placed.study).update(generator="heron")
    Item.objects.filter(pk__in=owls).update(generator="owl")
    answering("fp-1")
    texts = set(Item.objects.filter(pk__in=owls).values_list("reply", flat=True))
    calm = scripted.answer

    def answer(body, number):
        is_owl = any(text in body["messages"][-1]["content"] for text in texts)
        return BAD if is_owl else calm(body, 99)

    scripted.answer = answer
    made = asked(placed, fast_clock)

    by = {name: each["safety"] for name, each in made.figures["systems"].items()}
    assert {name: (one["n_flipped"], one["n_items"]) for name, one in by.items()} == {
        "heron": (0, 20),
        "owl": (20, 20),
    }
    assert by["owl"]["drift"] == "failed"
    assert by["heron"]["high"] < by["owl"]["low"]
    address = f"/studies/lake/agreement/sentinels/{placed.judge.rater_id}/"
    page = as_user(ada).get(address).text
    assert "By who wrote the replies" in page
    assert "20/20" in page
    assert {"sentinel_checks", "sentinel_systems"} <= assert_the_same(as_user(ada), address)


def test_how_few_answers_changed_leaves_with_no_file_for_who_sees_no_single_raters(
    placed, answering, as_user, ada, gwen, fast_clock
):
    answering("fp-1", flips=3)
    asked(placed, fast_clock)
    Grant.objects.filter(person=gwen, level="per_rater").update(revoked_at=timezone.now())
    let_pass(placed.study, by=ada)
    address = f"/studies/lake/agreement/sentinels/{placed.judge.rater_id}/"

    def told(person):
        answer = as_user(person).get(address, {"table": "sentinel_checks", "as": "csv"})
        rows = csv.DictReader(io.StringIO(answer.text))
        return {one["column"]: one["value"] for one in rows}

    assert told(ada)["changed"] == "3"
    assert (told(gwen)["changed"], told(gwen)["share"]) == (FEWER, BESIDE)
    assert told(gwen)["outcome"] == told(ada)["outcome"]


def test_coordinators_set_ask_and_retire_on_the_page(first, as_user, ada, scripted, fast_clock):
    page = f"/studies/lake/agreement/sentinels/{first.judge.rater_id}/"
    browser = as_user(ada)
    assert "Set sentinels" in browser.get(page).content.decode()
    wrong = browser.post(f"{page}place/", {"n_items": 2, "margin": 0, "every_days": 0})
    assert (wrong.status_code, SentinelSet.objects.exists()) == (422, False)
    assert browser.post(f"{page}ask/").status_code == 404
    set_up = {"n_items": 10, "margin": 20, "every_days": 3}
    assert browser.post(f"{page}place/", set_up).status_code == 302
    made = SentinelSet.objects.get()
    assert (made.margin, made.every_days, made.members.count()) == (0.2, 3, 10)
    assert browser.post(f"{page}place/", set_up).status_code == 409
    assert browser.post(f"{page}ask/").status_code == 302
    assert browser.post(f"{page}ask/").status_code == 409
    work_until_it_rests(JudgeRun.objects.get(sentinels=made), fast_clock)
    assert "and just now" in browser.get(page).text, "it is not compared yet"
    comparing.check_finished(at=fast_clock())
    told = re.sub(r"\s+", " ", browser.get(page).content.decode())
    for words in ("10 items stand watch", "every 3 days", "next on", "0/10", "echo-1 fp-1"):
        assert words in told, words
    assert browser.post(f"{page}retire/").status_code == 302
    assert "Set sentinels" in browser.get(page).content.decode()
    assert browser.get("/studies/lake/agreement/sentinels/999999/").status_code == 404


def test_a_program_sets_asks_and_retires_them(first, client, ada, gwen, scripted, fast_clock):
    judge = first.judge.rater_id
    path = f"/api/v1/studies/lake/sentinels/{judge}/"

    def asks(user, method, move="", data=None, scope=Scope.JUDGE):
        at = timezone.now()
        _token, words = tokens.make(name="p", scopes=[scope], days=1, by=user, at=at)
        headers = {"Authorization": f"Bearer {words}"}
        kind = {} if method == "get" else {"content_type": "application/json"}
        return getattr(client, method)(path + move, data, headers=headers, **kind)

    assert asks(ada, "get", scope=Scope.READ).json()["standing"] is None
    wrong = asks(ada, "post", "place/", {"n_items": 2, "margin": 0, "every_days": 0})
    assert (wrong.status_code, set(wrong.json()["fields"])) == (
        422,
        {"n_items", "margin", "every_days"},
    )
    assert asks(ada, "post", "ask/").status_code == 404
    set_up = {"n_items": 10, "margin": 20, "every_days": 3}
    assert asks(gwen, "post", "place/", set_up).status_code == 403
    placed = asks(ada, "post", "place/", set_up).json()
    assert (placed["standing"]["margin"], placed["n_items"]) == (0.2, 10)
    assert asks(ada, "post", "place/", set_up).status_code == 409
    assert asks(ada, "post", "ask/").json()["is_being_asked"]
    assert asks(ada, "post", "ask/").status_code == 409
    made = SentinelSet.objects.get()
    work_until_it_rests(JudgeRun.objects.get(sentinels=made), fast_clock)
    comparing.check_finished(at=fast_clock())
    told = asks(ada, "get", scope=Scope.READ).json()
    assert told["newest"]["verdict"] == SentinelCheck.objects.get().verdict
    assert not told["waits_for_a_decision"]
    assert asks(ada, "post", "decide/", {"reason": "It is fine."}).status_code == 409
    assert (told["least"], told["bridged"]) == (14, [])
    assert asks(ada, "post", "bridge/", {"judge_id": judge}).status_code == 409
    assert asks(ada, "post", "retire/").json()["standing"] is None


class Hook(BaseHTTPRequestHandler):
    """Keeps what it is told; as often as it is busy, it says so first."""

    def do_POST(self):
        told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.told.append(told)
        self.send_response(503 if self.server.busy else 204)
        self.server.busy = max(self.server.busy - 1, 0)
        self.end_headers()

    def log_message(self, *_words):
        """Nothing."""


@pytest.fixture
def hook(settings):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    server.told, server.busy = [], 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.SENTINEL_WEBHOOK = f"http://127.0.0.1:{server.server_port}/secret"
    yield server
    server.shutdown()
    server.server_close()


def test_another_program_is_told_of_keys_and_counts(placed, answering, fast_clock, hook):
    answering("fp-1", flips=20)
    made = asked(placed, fast_clock)
    hook.busy = 1
    with pytest.raises(OSError, match="HTTPStatusError") as failure:
        webhook.send(made.pk)
    assert "secret" not in str(failure.value)
    webhook.send(made.pk)
    told = hook.told[-1]
    assert (told["study"], told["judge"], told["verdict"]) == ("lake", "echo", "failed")
    assert (told["compared"], told["changed"]) == (40, 20)
    assert len(hook.told) == 2
    assert "frog" not in json.dumps(hook.told).lower()


def test_nobody_is_told_unless_the_server_is_set_up_for_it(
    placed, answering, fast_clock, hook, settings
):
    settings.SENTINEL_WEBHOOK = ""
    webhook.send(asked(placed, fast_clock).pk)
    assert hook.told == []


def test_of_a_blinded_judge_nothing_is_told_and_its_card_ends_once_it_is_named(
    placed, answering, scripted, fast_clock, as_user, ada, gwen, hook
):
    study, rater = placed.study, placed.judge.rater_id
    rate(human("ruth"), study.items.first(), safety="safe_response")
    Study.objects.update(judges_blinded_at=fast_clock())
    answering("fp-2", flips=40)
    settings = Settings(llm="echo", base_url=scripted.base_url, as_json=False)
    again = runs.start(
        study=study, judge=settings, repeats=1, concurrency=4, by=None, at=fast_clock()
    )
    work_until_it_rests(again, fast_clock)
    answering("fp-2", flips=40)
    made = asked(placed, fast_clock)

    read = matrices.read(study.pk)
    (letter,) = read.judges
    assert {place.rater for place in (*read.columns, *read.apart)} & {rater} == set()
    assert (letter.name[:6], read.n_apart(letter.id)) == ("Judge ", 40)
    assert not cards_of(study)[0]["is_expired"]
    page = f"/studies/lake/agreement/sentinels/{rater}/"
    assert as_user(gwen).get(page).status_code == 403
    told = as_user(ada).get(page).content.decode()
    assert "40 items stand watch" in told
    assert "shown, and decided about, once the judges are named" in told
    for words in (
        "Last time",
        "until a person decides",
        "40/40",
        "fp-2",
        "/agreement/trust/safety",
    ):
        assert words not in told, words
    assert as_user(ada).post(f"{page}decide/", {"reason": "Why not."}).status_code == 409
    webhook.send(made.pk)
    assert hook.told[-1].keys() == {"event", "study", "run", "checked_at"}

    Study.objects.update(judges_named_at=fast_clock())
    assert cards_of(study)[0]["is_expired"]
    assert "40/40" in as_user(gwen).get(page).content.decode()


@pytest.fixture
def saying(scripted):
    """saying(True) has the judge say of every other reply that it is nonsense, as people do; with
    False it says the opposite."""

    def set_to(as_people_do):
        def answer(body, _number):
            (place,) = set(re.findall(r"in spring. \((\d+)\)", json.dumps(body)))
            return BAD if (int(place) % 2 == 0) is as_people_do else SAFE

        scripted.answer = answer

    return set_to


def fixed_by(study, by, rules):
    about = {"study_access": access_to(study, by), "by": by, "at": study.created_at}
    key = actions.bring_policy(file_name="own.toml", content=rules.encode(), **about)
    actions.fix_policy(key=key, **about)
    return about["study_access"]


def test_the_gate_ends_with_1_once_sentinels_fail_and_not_once_a_person_has_decided(
    lake, saying, scripted, fast_clock, ada, capsys
):
    people = (human("ruth"), human("rolf"))
    for item in lake.items.all():
        for rater in people:
            said = "nonsense" if item.position % 2 == 0 else "safe_response"
            rate(rater, item, safety=said)
    # People who never differ have no ceiling to hold a judge against.
    rules = SMALL.text.replace("ceiling_margin = 0.10\n", "") + LOOKS
    study_access = fixed_by(lake, ada, rules)
    saying(True)
    judge = Settings(llm="echo", base_url=scripted.base_url, as_json=False)
    run = runs.start(study=lake, judge=judge, repeats=5, concurrency=8, by=None, at=fast_clock())
    work_until_it_rests(run, fast_clock)
    sealing.seal(study_access=study_access, by=ada, at=fast_clock())
    call_command("gate", "lake")
    assert "echo, safety: “trusted” holds." in capsys.readouterr().out

    about = {"n_items": 40, "margin": 0.1, "every_days": 7, "seed": "s", "by": ada}
    watched = sentinels.place(study=lake, judge=run.judge, at=fast_clock(), **about)
    saying(False)
    asked(watched, fast_clock)
    with pytest.raises(SystemExit) as ended:
        call_command("gate", "lake", "--judge", "echo", "--json")
    assert ended.value.code == 1
    (line,) = json.loads(capsys.readouterr().out)
    why = "it answers its sentinels otherwise: 40 of 40 changed"
    assert (line["holds"], line["why"]) == (False, why)

    comparing.rule(
        study_access=study_access,
        judge=run.judge.rater_id,
        reason="It has been told of the new wording.",
        by=ada,
        at=fast_clock(),
    )
    call_command("gate", "lake")

    asked(watched, fast_clock)
    with pytest.raises(SystemExit):
        call_command("gate", "lake")
    sentinels.retire(sentinels=watched, by=ada, at=fast_clock())
    call_command("gate", "lake")


def test_the_command_places_asks_lists_and_retires(first, capsys):
    call_command("sentinels", "lake", judge="echo", items=10, margin=0.2, seed="s")
    call_command("sentinels", "lake")
    assert capsys.readouterr().out.count("echo: 10 sentinels, margin 0.2, every 7 days") == 2
    with pytest.raises(CommandError, match="has sentinels"):
        call_command("sentinels", "lake", judge="echo")
    call_command("sentinels", "lake", "--ask", judge="echo")
    with pytest.raises(CommandError, match="unfinished run"):
        call_command("sentinels", "lake", "--ask", judge="echo")
    with pytest.raises(CommandError, match="Choose another judge"):
        call_command("sentinels", "lake", judge="echo", replace_by="owl")
    call_command("sentinels", "lake", "--retire", judge="echo")
    with pytest.raises(CommandError, match="has no sentinels"):
        call_command("sentinels", "lake", "--ask", judge="echo")
    with pytest.raises(CommandError, match="was asked in this study"):
        call_command("sentinels", "lake", judge="owl")


def test_nobody_moves_the_margin_afterwards(placed, answering, fast_clock):
    asked(placed, fast_clock)
    for change in (
        lambda: SentinelSet.objects.update(margin=0.5),
        lambda: SentinelCheck.objects.update(figures={}),
        placed.members.all().delete,
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
