"""Recorded answers come in by a page and by program: looked at by a worker, then brought in."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from accounts.models import Event
from annotation.models import FileJob, Submission
from judging.models import JudgeCall, JudgeRun
from tests.imports.sending import bring_in, upload, work_off
from tests.imports.test_importing_by_program import asks  # noqa: F401 -- a fixture
from tests.services import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.UPLOAD_DIR = tmp_path / settings.WORKER / "uploads"
    return tmp_path


def recorded(pond, **changes):
    """A line an item, each answered with a label, but for what `changes` say."""
    rows = [
        {"item": item.key, "run": 0, "model": "owl-1", "content": "Safe Response"} | changes
        for item in pond.items.order_by("position")
    ]
    return "\n".join(map(json.dumps, rows))


def sent(browser, pond, text, **fields):
    return upload(browser, pond.key, text, what="answers", name="answers.jsonl", **fields)


def test_a_file_is_looked_at_and_then_its_answers_are_calls_of_a_judge(pond, ada, as_user):
    browser = as_user(ada)
    page = sent(browser, pond, recorded(pond))

    assert "Every row can be imported." in page.text
    assert "owl-1" in page.text
    assert not JudgeRun.objects.exists()

    done = bring_in(browser, page)

    assert "6 answers imported." in done.text
    run = JudgeRun.objects.get()
    assert (run.judge.llm, run.calls.count(), run.started_by) == ("owl-1", 6, ada)
    assert Submission.objects.filter(judge_call__run=run).count() == 6
    assert Event.objects.get(verb="completions.imported").actor == ada
    again = sent(browser, pond, recorded(pond))
    assert "The study has all of this already." in again.text


def test_what_is_wrong_is_named_by_line_and_field_and_can_be_left_out(pond, ada, as_user):
    browser = as_user(ada)
    text = recorded(pond) + '\n{"item": "d1.1", "run": -1, "content": "x"}\n{"item": "nobody"'
    page = sent(browser, pond, text)

    assert "2 rows cannot be imported" in page.text
    assert "A run is a whole number from 0 on." in page.text
    assert "line 7" in page.text
    assert ">run<" in page.text
    assert bring_in(browser, page).status_code == 200
    assert not JudgeCall.objects.exists()

    page = sent(browser, pond, text)
    assert "6 answers imported." in bring_in(browser, page, skip_bad="1").text


REFUSED = [
    ("", {}, "empty"),
    ('{"some": "thing"}', {}, "no file of answers that is known"),
    ('{"item": "d1.1", "content": "x"}', {}, "Name the LLM"),
]


@pytest.mark.parametrize(("text", "fields", "words"), REFUSED)
def test_a_file_that_is_none_of_answers_gets_a_sentence(pond, ada, as_user, text, fields, words):
    page = sent(as_user(ada), pond, text, **fields)

    assert words in page.text
    assert not JudgeRun.objects.exists()


def test_who_answered_and_how_they_were_asked_can_be_said(pond, ada, as_user):
    browser = as_user(ada)
    text = "\n".join(
        json.dumps({"item": str(number), "content": "Safe Response"}) for number in range(6)
    )
    page = sent(browser, pond, text, llm="owl-2", by_position="on", language="zh-hans")
    bring_in(browser, page)

    judge = JudgeRun.objects.get().judge
    assert (judge.llm, judge.prompt_language) == ("owl-2", "zh-hans")


def test_while_judges_are_under_letters_it_tells_no_outcomes(pond, ada, as_user):
    pond.judges_blinded_at = timezone.now()
    pond.save()

    page = sent(as_user(ada), pond, recorded(pond))

    assert "New answers" in page.text
    assert "New answers that can be read" not in page.text
    assert "read" not in FileJob.objects.get().result


def test_an_annotator_and_who_may_run_no_judges_import_none(pond, ada, ben, as_user):
    assert as_user(ben).get(reverse("import_answers", args=["pond"])).status_code in {403, 404}

    page = sent(as_user(ada), pond, recorded(pond))
    as_user(ada).post(f"{page.address}import/")
    pond.memberships.filter(user=ada).update(roles=["researcher"])
    work_off()

    assert FileJob.objects.latest("pk").state == "refused"
    assert not JudgeRun.objects.exists()


def test_a_program_brings_them_in_as_well(asks, pond, ada):  # noqa: F811 -- pytest passes the fixture
    file = SimpleUploadedFile("a.jsonl", recorded(pond).encode())
    came = asks(ada, "post", "answers/", {"file": file})
    assert came.status_code == 202
    work_off()
    job = f"jobs/{came.json()['id']}/"
    found = asks(ada, "get", job).json()
    assert (found["what"], found["counts"]["new"], found["counts"]["read"]) == ("answers", 6, 6)

    asks(ada, "post", f"{job}import/", {})
    work_off()
    assert JudgeCall.objects.count() == 6


def test_a_real_worker_does_it(pond, ada, as_user, start_worker, home):
    browser = as_user(ada)
    start_worker(CONCORD_HOME=str(home))
    file = SimpleUploadedFile("a.jsonl", recorded(pond).encode())
    browser.post(reverse("import_answers", args=["pond"]), {"file": file})
    check = FileJob.objects.get()
    wait_until(lambda: FileJob.objects.get(pk=check.pk).state == "done")
    browser.post(reverse("file_job_import", args=["pond", check.pk]))
    wait_until(lambda: FileJob.objects.latest("pk").state == "done")

    assert JudgeCall.objects.count() == 6
