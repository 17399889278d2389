"""What workers do for figures."""

import time
from contextlib import nullcontext, suppress

from celery import shared_task
from django.utils import timezone

from analytics import queue
from analytics.agreement import backlog, gates
from analytics.agreement import numbers as agreement
from analytics.copies import actions as copies
from analytics.exports import actions as exports
from analytics.figures import memo, slice_store
from analytics.figures import store as snapshots
from analytics.parts import PARTS
from analytics.report import actions as writeups
from analytics.trust import sentinels, webhook
from analytics.verification import actions as verifications
from annotation.actions import rounds
from annotation.queries.rounds import protocol_of


@shared_task
def refresh_report(study_id: int, part: str = agreement.GLANCE.key) -> None:
    """Bring a part of a study's figures up to date, however much changes a few times a second."""
    _refresh_in_its_line(study_id=study_id, part=part)


@shared_task
def refresh_slice(study_id: int, part: str, within: str) -> None:
    """Compute the figures of a slice that somebody looks at."""
    _refresh_in_its_line(study_id=study_id, part=part, within=within)


@shared_task
def refresh_at_length(study_id: int, part: str, within: str) -> None:
    """Either, where it takes longer than the figures of other studies can wait."""
    queue.begun_at_length(study_id=study_id, part=part, within=within)
    _refresh(study_id=study_id, part=part, within=within)


def _refresh_in_its_line(*, study_id: int, part: str, within: str = "") -> None:
    """Make it at once, or leave it to the other line: one that turns out to take long as well."""
    if not queue.takes_long(study_id=study_id, part=part):
        with suppress(queue.TakesLong):
            _refresh(study_id=study_id, part=part, within=within, gives_way=True)
            return
    queue.have_at_length(study_id=study_id, part=part, within=within)


def _refresh(*, study_id: int, part: str, within: str, gives_way: bool = False) -> None:
    """Make a part; one that `gives_way` to others ends with TakesLong between two of its results."""
    wanted = PARTS[part]
    if not within:
        rest = snapshots.rest(study_id=study_id, part=wanted, at=timezone.now())
        time.sleep(rest.total_seconds())
    with (
        queue.noting_how_long(study_id=study_id, part=part),
        queue.seldom_where_it_fails(study_id=study_id, part=part, within=within),
        memo.asking(queue.until_it_takes_long()) if gives_way else nullcontext(),
    ):
        now = timezone.now()
        if within:
            slice_store.refresh(study_id=study_id, part=wanted, within=within, at=now)
        else:
            snapshots.refresh(study_id=study_id, part=wanted, at=now, by_turns=wanted.by_turns)


@shared_task
def catch_up() -> None:
    """Do what nobody waits for, and what could not be queued because Redis was away: now and then,
    from the scheduler."""
    for round_id in backlog.rounds_without_verdict():
        report_on_round.delay(round_id)
    for study_id in backlog.studies_behind():
        refresh_report.delay(study_id)


@shared_task
def check_sentinels() -> None:
    """Compare what judges answered to their sentinels with what they answered first."""
    sentinels.check_finished(at=timezone.now())


@shared_task(autoretry_for=(OSError,), retry_backoff=5, retry_backoff_max=60, max_retries=8)
def tell_of_sentinels(check_id: int) -> None:
    """Tell another program that a judge did not pass, and try again where that is away."""
    webhook.send(check_id)


@shared_task
def remind_of_copies() -> None:
    """Write to those who have copies to destroy; nothing depends on it, for the pages compare days."""
    copies.remind(at=timezone.now())


# Acknowledged at once, as other jobs are: the scheduler finds what a killed worker left.
@shared_task(acks_late=False)
def build_writeup(job_id: int) -> None:
    """Write the report that somebody asked for."""
    writeups.build(job_id=job_id, clock=timezone.now)


@shared_task(acks_late=False)
def build_export(job_id: int) -> None:
    """Build the export that somebody asked for."""
    exports.build_asked(job_id=job_id, clock=timezone.now)


@shared_task(acks_late=False)
def verify(job_id: int) -> None:
    """Recompute figures with published packages."""
    verifications.run(job_id=job_id, clock=timezone.now)


@shared_task
def report_on_round(round_id: int) -> None:
    """Compute the agreement of a round from what its raters gave independently."""
    protocol = protocol_of(round_id)
    kappa = gates.kappa_of_round(protocol, round_id)
    rounds.record_kappa(round_id=round_id, kappa=kappa, at=timezone.now())
