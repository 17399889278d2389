"""Prompts of a study at work: versions, previews, and what is kept of what was sent."""

import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.db import InternalError, transaction
from django.db.utils import IntegrityError
from django.utils import timezone

from accounts.models import Event
from annotation.models import Item
from annotation.readers.texts import content_sha256
from judging.actions import endpoints, runs, templates
from judging.actions.judges import Settings
from judging.models import Judge, JudgeRun, PromptTemplate, SentText
from judging.prompts import loading
from judging.rules.budget import tokens_in
from tests.judging.test_endpoints import added
from tests.judging.test_worker import PUBLISHED, accuracies, is_finished
from tests.services import wait_until

BASE = "/studies/pond/judges/prompts/"
TEXT = loading.shipped()["dialogue_safety-few-shot-en"].text
OWN = 'answers = "plain"\nsystem = "Be brief. {{criteria}}"\nuser = "{{item}} {{answer_form}}"\n'


def written(study, text=OWN, name="brief", note=""):
    call = {"study": study, "name": name, "text": text, "note": note, "by": None}
    return templates.write(**call, at=study.created_at)


@pytest.mark.django_db
def test_a_version_is_written_in_the_browser_and_the_next_shows_what_changed(as_user, ada, pond):
    browser = as_user(ada)
    answer = browser.post(BASE + "write/", {"name": "brief", "text": OWN, "note": "First."})
    assert answer.headers["Location"] == f"{BASE}brief/1/"

    again = OWN.replace("Be brief.", "Be very brief.")
    browser.post(BASE + "write/", {"name": "brief", "text": again, "note": "Shorter."})
    page = browser.get(f"{BASE}brief/2/").content.decode()

    assert "<del>system = &quot;Be brief." in page
    assert "<ins>system = &quot;Be very brief." in page
    assert browser.get(f"{BASE}brief/1/prompt.toml").content.decode() == OWN
    assert [one.number for one in PromptTemplate.objects.order_by("number")] == [1, 2]
    assert Event.objects.filter(verb="prompt.written", actor=ada).count() == 2


@pytest.mark.django_db
def test_a_mistake_is_told_beside_what_was_written(as_user, ada, pond):
    answer = as_user(ada).post(BASE + "write/", {"name": "brief", "text": OWN.replace("m", "n", 1)})

    assert answer.status_code == 422
    assert not PromptTemplate.objects.exists()


@pytest.mark.django_db
def test_the_same_words_make_no_second_version(pond):
    written(pond)
    with pytest.raises(templates.CannotWrite, match="Version 1 says this already"):
        written(pond)


@pytest.mark.django_db
def test_a_preview_says_what_an_item_and_the_study_cost_where_a_price_is_known(
    as_user, ada, pond, elsewhere
):
    browser = as_user(ada)
    form = {"name": "brief", "text": OWN, "item": pond.items.first().key}
    unpriced = browser.post(BASE + "preview/", form).content.decode()
    assert "For the 6 items of the study" in unpriced
    assert "Nobody has said what an LLM costs" in unpriced

    today = timezone.now().date()
    record = added(elsewhere)
    for day, price in ((today - timedelta(days=9), 1), (today, 100)):
        endpoints.set_price(
            endpoint=record,
            llm="owl-1",
            prompt=Decimal(price),
            answer=Decimal(0),
            currency="EUR",
            since=day,
            by=None,
            at=timezone.now(),
        )
    shown = browser.post(BASE + "preview/", form).content.decode()
    tokens = sum(
        tokens_in(text)
        for text in re.findall(r'<pre class="verbatim"[^>]*>(.*?)</pre>', shown, re.S)
    )
    [of_item, of_study] = re.findall(r"([\d.]+) EUR", shown)

    assert "owl-1" in shown
    assert float(of_item) == pytest.approx(tokens * 100 / 1_000_000, rel=0.03), "the newest price"
    assert float(of_study) == pytest.approx(6 * float(of_item), abs=0.006)


@pytest.mark.django_db
def test_a_preview_shows_the_messages_about_an_item_and_is_noted(as_user, ada, pond):
    item = Item.objects.filter(study=pond).exclude(reply=None).first()
    page = as_user(ada).post(BASE + "preview/", {"name": "brief", "text": OWN, "item": item.key})

    assert item.reply in page.content.decode()
    assert "Be brief." in page.content.decode()
    assert Event.objects.filter(verb="prompt.tried", subject=f"item:{item.pk}").exists()


@pytest.mark.django_db
def test_what_was_kept_is_never_changed(pond):
    one = written(pond)
    SentText.objects.create(sha256="0" * 64, text="As it was sent.")
    for change in (
        PromptTemplate.objects.filter(pk=one.pk).update,
        SentText.objects.all().update,
    ):
        with pytest.raises((InternalError, IntegrityError)), transaction.atomic():
            change(text="Otherwise.")


@pytest.mark.django_db(transaction=True)
def test_the_whole_prompt_is_kept_as_it_was_sent(as_user, ada, pond, scripted, capsys):
    written(pond, TEXT, name="few-shot")
    call_command(
        "judge",
        "start",
        "pond",
        "--llm",
        "echo",
        "--prompt",
        "few-shot",
        "--repeats",
        "2",
        "--inline",
    )
    run = JudgeRun.objects.get()
    call = run.calls.first()
    (exchange,) = call.exchanges
    kept = dict(SentText.objects.values_list("sha256", "text"))

    assert (run.judge.template.name, run.judge.json_answer) == ("few-shot", False)
    assert len(exchange["messages"]) == 18
    assert exchange["asked"] == ["safety"]
    sent = {tuple(one["content"] for one in body["messages"]) for body in scripted.requests}
    assert tuple(kept[sha256] for _role, sha256 in exchange["messages"]) in sent
    assert len(sent) == 6
    page = as_user(ada).get(f"/studies/pond/judges/{run.pk}/calls/{call.pk}/").content.decode()
    assert "as it was sent" in page
    assert "not as it was sent" not in page


@pytest.mark.django_db(transaction=True)
def test_another_version_is_another_judge(pond, scripted, capsys):
    for text in (OWN, OWN.replace("brief", "short")):
        written(pond, text)
        call_command("judge", "start", "pond", "--llm", "echo", "--prompt", "brief", "--inline")

    assert Judge.objects.count() == 2
    with pytest.raises(CommandError, match="no prompt brief/3"):
        call_command("judge", "start", "pond", "--llm", "echo", "--prompt", "brief/3")


def test_the_few_shot_condition_runs_from_a_template_alone(
    dialogue_safety, start_replay, start_worker, settings, capsys
):
    settings.LLM_BASE_URL = base_url = start_replay()
    start_worker(CONCORD_LLM_BASE_URL=base_url)

    key, shipped = dialogue_safety.key, "dialogue_safety-few-shot-zh"
    call_command("judge", "prompt", key, "few-shot", "--shipped", shipped)
    start = ["start", key, "--llm", "gpt-3.5-turbo-0301", "--prompt", "few-shot"]
    call_command("judge", *start, "--repeats", "5", "--concurrency", "32")
    run = JudgeRun.objects.get()
    wait_until(is_finished(run))

    assert accuracies(run) == PUBLISHED


@pytest.mark.django_db
def test_no_judge_is_shown_the_answer_to_an_item_that_it_rates(pond, scripted):
    item = pond.items.first()
    turns = item.dialogue.turns
    item.content_sha256 = content_sha256(turns, reply=item.reply, reply_speaker="supporter")
    item.save()
    said = ", ".join(f'"{turn["speaker"]}: {turn["text"]}"' for turn in turns)
    for number, reply in enumerate((item.reply, item.reply + " Really."), start=1):
        example = f'[[examples]]\ndialogue = [{said}]\nreply = "supporter: {reply}"\n'
        text = f'{OWN}{example}answers = {{ safety = "safe_response" }}\n'
        prompt = written(pond, text=text, name=f"few-{number}")
        judge = Settings(llm="echo", base_url=scripted.base_url, as_json=False, template=prompt.pk)
        asked = {"study": pond, "judge": judge, "repeats": 1, "concurrency": 1, "by": None}
        if number == 1:
            with pytest.raises(runs.CannotRun, match="Example 1 of the prompt is an item"):
                runs.start(**asked, at=timezone.now())
            assert not JudgeRun.objects.exists()
        else:
            assert runs.start(**asked, at=timezone.now()).calls.count() == 6
