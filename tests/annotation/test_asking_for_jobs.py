"""What is asked for while the same is under way, and what of it that ends at that moment."""

import pytest
from django.db import connection
from django.utils import timezone

from annotation.actions.jobs import moves
from annotation.models import FileJob, JobKind
from tests.services import beside, came_of

pytestmark = pytest.mark.django_db(transaction=True)
KINDS = [JobKind.REPORT, JobKind.VERIFICATION, JobKind.EXPORT]


@pytest.fixture
def ask(pond, ada):
    def asked(kind):
        about = {"study_id": pond.pk, "what": "en", "options": {}, "at": timezone.now()}
        return moves.ask(kind=kind, by=ada, **about)

    return asked


def end(job) -> None:
    claimed = moves.claim(job_id=job.pk, at=timezone.now())
    moves.finish(job=claimed, result={}, done=1, at=timezone.now())


def end_elsewhere(job) -> None:
    """By a worker with a connection of its own."""

    came_of(beside(lambda: end(job)))


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_under_way_is_not_begun_twice(ask, kind):
    first = ask(kind)
    with pytest.raises(moves.AskedAlready) as same:
        ask(kind)
    assert same.value.job_id == first.pk


@pytest.mark.parametrize("n_done", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_what_ends_while_it_is_asked_for_again_is_begun_again(ask, kind, n_done):
    """After the database has refused the new one, and before it is looked up why."""
    for _time in range(n_done):
        end(ask(kind))
    under_way = [ask(kind)]

    def end_before_it_is_looked_up(execute, sql, params, many, context):
        if sql.startswith("SELECT") and "annotation_filejob" in sql and under_way:
            end_elsewhere(under_way.pop())
        return execute(sql, params, many, context)

    with connection.execute_wrapper(end_before_it_is_looked_up):
        again = ask(kind)
    assert not under_way
    assert FileJob.objects.get(pk=again.pk).state == "waiting"
    assert FileJob.objects.filter(state="done").count() == n_done + 1
