"""What a worker makes for all is asked for once, watched, cancelled, and made once whatever happens."""

import time
from contextlib import closing, contextmanager
from datetime import timedelta
from io import BytesIO
from types import SimpleNamespace
from zipfile import ZipFile

import numpy as np
import pytest
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from accounts.models import Event
from analytics.figures.memo import remembered
from analytics.models import Verification, Writeup
from analytics.report import bundle
from annotation.actions.jobs import moves
from annotation.models import FileJob, FilePiece, Grant
from tests.analytics.made import human, items_of, make_for_all, rate
from tests.services import wait_until

pytestmark = pytest.mark.usefixtures("empty_cache")

REPORT = "/studies/pond/agreement/report/"
CHECKS = "/studies/pond/agreement/verification/"
REPORT_BUTTON = f'<form method="post" action="{REPORT}">'
CHECKS_BUTTON = f'<form method="post" action="{CHECKS}"'


@pytest.fixture
def rated(pond):
    for rater in (human("ruth"), human("rolf")):
        for item in items_of(pond):
            rate(rater, item, safety="nonsense")
    pond.refresh_from_db()
    return pond


def n_asked(verb: str) -> int:
    return Event.objects.filter(verb=verb).count()


def test_a_report_is_written_anew_only_when_it_would_say_something_new(rated, as_user, ada):
    client = as_user(ada)
    for _ in range(2):
        client.post(REPORT)
    make_for_all("report")
    asked = Writeup.objects.get().asked_at
    client.post(REPORT)
    assert n_asked("report.asked") == 1
    assert Writeup.objects.get().asked_at == asked
    assert REPORT_BUTTON not in client.get(REPORT).content.decode()

    client.post(CHECKS)
    make_for_all("verification")
    assert REPORT_BUTTON in client.get(REPORT).content.decode(), "it will tell of the verification"
    client.post(REPORT)
    assert n_asked("report.asked") == 2
    make_for_all("report")
    client.post(REPORT)
    assert n_asked("report.asked") == 2

    rate(human("rita"), items_of(rated)[0], safety="nonsense")
    client.post(REPORT)
    assert n_asked("report.asked") == 3


def test_a_report_is_whole_though_its_worker_never_heard_that_it_was_kept(
    rated, as_user, ada, monkeypatch
):
    @contextmanager
    def cut_off():
        with transaction.atomic():
            yield
        raise OperationalError("the connection is lost")

    client = as_user(ada)
    client.post(REPORT)
    with monkeypatch.context() as broken:
        broken.setattr("analytics.report.actions.transaction", SimpleNamespace(atomic=cut_off))
        with pytest.raises(OperationalError):
            make_for_all("report")
    assert FileJob.objects.get().state == "done"
    assert client.get(REPORT).status_code == 200
    whole = client.get(f"{REPORT}files/report.zip")
    assert ZipFile(BytesIO(b"".join(whole.streaming_content))).testzip() is None


def test_figures_are_verified_again_only_when_there_are_others(rated, as_user, ada):
    client = as_user(ada)
    client.post(CHECKS)
    make_for_all("verification")
    client.post(CHECKS)
    assert n_asked("agreement.verification_asked") == 1
    assert CHECKS_BUTTON not in client.get(REPORT).content.decode()
    rate(human("rita"), items_of(rated)[0], safety="nonsense")
    assert CHECKS_BUTTON in client.get(REPORT).content.decode()
    client.post(CHECKS)
    assert n_asked("agreement.verification_asked") == 2


@pytest.mark.django_db(transaction=True)
def test_a_report_that_was_cancelled_has_nothing_more_computed_for_it(
    rated, as_user, ada, monkeypatch
):
    computed = []

    def write(_order, *, watch, **_more):
        as_user(ada).post(f"/studies/pond/files/{FileJob.objects.get().pk}/cancel/")
        wait_until(lambda: watch.__self__.is_stopped)
        remembered(computed.append, np.array([time.time()]))

    as_user(ada).post(REPORT)
    monkeypatch.setattr(bundle, "write", write)
    make_for_all("report")
    assert (state_of(FileJob.objects.get()), computed) == ("cancelled", [])


@pytest.mark.parametrize(
    ("address", "kind", "made", "verb"),
    [
        (REPORT, "report", Writeup, "report.asked"),
        (CHECKS, "verification", Verification, "agreement.verification_asked"),
    ],
)
class TestBoth:
    def test_what_another_concord_made_may_be_asked_for_again(
        self, rated, as_user, ada, address, kind, made, verb
    ):
        client = as_user(ada)
        client.post(address)
        make_for_all(kind)
        made.objects.update(concord="0.0.1")
        client.post(address)
        assert n_asked(verb) == 2

    def test_one_is_under_way_at_a_time_whoever_asks(
        self, rated, as_user, ada, gwen, address, kind, made, verb
    ):
        as_user(ada).post(address)
        as_user(gwen).post(address)
        assert FileJob.objects.filter(kind=kind).count() == 1
        assert n_asked(verb) == 1
        assert "It waits for a worker." in as_user(gwen).get(address).text

    def test_who_may_ask_for_it_may_cancel_it_and_nobody_else(
        self, rated, as_user, ada, gwen, ben, address, kind, made, verb
    ):
        as_user(ada).post(address)
        cancel = f"/studies/pond/files/{FileJob.objects.get().pk}/cancel/"
        assert cancel in as_user(gwen).get(address).text
        assert as_user(ben).post(cancel).status_code == 404
        assert FileJob.objects.get().state == "waiting"
        back = as_user(gwen).post(cancel, {"next": address})
        assert back.url == address
        assert FileJob.objects.get().state == "cancelled"
        line = Event.objects.get(verb="job.cancelled")
        assert (line.actor, line.subject, line.facts["kind"]) == (gwen, f"study:{rated.pk}", kind)
        assert "Cancelled. Nothing of it was kept." in as_user(ada).get(address).text

        as_user(ada).post(address)
        make_for_all(kind)
        assert made.objects.count() == 1
        assert "Cancelled." not in as_user(ada).get(address).text

    def test_a_page_says_that_it_came_to_nothing_and_lets_one_begin_anew(
        self, rated, as_user, ada, address, kind, made, verb, monkeypatch
    ):
        client = as_user(ada)
        client.post(address)
        with monkeypatch.context() as broken:
            broken.setattr("analytics.ratings.matrices.read", None)
            with pytest.raises(TypeError):
                make_for_all(kind)
        assert "Something went wrong on the server" in client.get(address).text
        assert not made.objects.exists()
        client.post(address)
        make_for_all(kind)
        assert "Something went wrong on the server" not in client.get(address).text
        assert made.objects.get().revision == rated.revision

    def test_what_there_is_stays_while_the_next_is_made_or_cancelled(
        self, rated, as_user, ada, address, kind, made, verb
    ):
        client = as_user(ada)
        client.post(address)
        make_for_all(kind)
        first = made.objects.values().get()
        rate(human("rita"), items_of(rated)[0], safety="nonsense")
        client.post(address)
        client.post(f"/studies/pond/files/{FileJob.objects.latest('pk').pk}/cancel/")
        assert made.objects.values().get() == first
        assert "There are newer ratings." in client.get(address).text

    def test_its_steps_are_counted_on_the_page(
        self, rated, as_user, ada, address, kind, made, verb
    ):
        client = as_user(ada)
        client.post(address)
        progress = f"/studies/pond/files/{FileJob.objects.get().pk}/progress/"
        now = timezone.now()
        FileJob.objects.update(state="running", attempts=1, heartbeat_at=now, done=3)
        assert "3 steps done." in client.get(progress).text
        FileJob.objects.update(total=12)
        assert "3 of 12 steps done." in client.get(progress).text
        assert 'value="25"' in client.get(address).text


@contextmanager
def nothing_can_be_kept(made):
    """Who would write what was made waits until this is over; it can be read."""
    other = connection.copy()
    with closing(other), other.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute(f"LOCK TABLE {made._meta.db_table} IN EXCLUSIVE MODE")
        yield


def state_of(job: FileJob) -> str:
    return FileJob.objects.values_list("state", flat=True).get(pk=job.pk)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("address", "kind", "made"),
    [(REPORT, "report", Writeup), (CHECKS, "verification", Verification)],
)
class TestWorkers:
    def test_its_progress_is_seen_and_it_can_be_cancelled(
        self, rated, as_user, ada, gwen, start_worker, address, kind, made
    ):
        start_worker()
        as_user(ada).post(address)
        job = FileJob.objects.get()
        client = as_user(gwen)
        with nothing_can_be_kept(made):
            is_made = "Everything is made; it is being put together."
            progress = f"/studies/pond/files/{job.pk}/progress/"
            wait_until(lambda: is_made in client.get(progress).text, seconds=60)
            client.post(f"/studies/pond/files/{job.pk}/cancel/")
            wait_until(lambda: state_of(job) == "cancelled")
        assert not made.objects.exists()
        assert not FilePiece.objects.exists()
        assert "Cancelled. Nothing of it was kept." in client.get(address).text

    def test_one_whose_worker_is_killed_is_taken_up_again_and_made_once(
        self, rated, as_user, ada, start_worker, address, kind, made
    ):
        first = start_worker()
        as_user(ada).post(address)
        job = FileJob.objects.get()
        with nothing_can_be_kept(made):
            wait_until(lambda: FileJob.objects.get().done > 0, seconds=60)
            first.kill()
        assert state_of(job) == "running"
        assert not made.objects.exists()

        an_hour_ago = timezone.now() - timedelta(hours=1)
        FileJob.objects.update(heartbeat_at=an_hour_ago)  # as if its lease had run out
        moves.take_up(at=timezone.now())
        assert "The worker that had begun was lost." in as_user(ada).get(address).text
        start_worker()
        wait_until(lambda: state_of(job) == "done", seconds=60)
        assert FileJob.objects.get().attempts == 2
        assert made.objects.get().revision == rated.revision
        made_once = {"report": "report.built", "verification": "agreement.verified"}
        assert n_asked(made_once[kind]) == 1

    def test_it_stops_when_who_asked_may_not_see_figures_any_more(
        self, rated, as_user, gwen, start_worker, address, kind, made
    ):
        start_worker()
        as_user(gwen).post(address)
        job = FileJob.objects.get()
        with nothing_can_be_kept(made):
            wait_until(lambda: FileJob.objects.get().done > 0, seconds=60)
            Grant.objects.filter(person=gwen).update(revoked_at=timezone.now())
            wait_until(lambda: state_of(job) == "cancelled")
        assert not made.objects.exists()
