"""Name a jury, and end it: each is a line in the trail, and the figures follow."""

from collections.abc import Collection
from dataclasses import asdict
from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User
from analytics.juries.proposing import CannotSeat, Proposal, proposal
from analytics.models import Jury
from analytics.stats.juries import JuryRule
from annotation.actions.studies import note_change
from annotation.models import Study
from annotation.queries.studies import StudyAccess
from annotation.rubric.sentences import sentence

LONGEST_REASON = 300


@transaction.atomic
def name_jury(
    *,
    study_access: StudyAccess,
    name: str,
    members: Collection[int],
    rule: JuryRule,
    quorum: int,
    by: User,
    at: datetime,
) -> Jury:
    """Have judges rate as one from now on, by weights made now. CannotSeat."""
    _refuse_others(study_access)
    study = Study.objects.select_for_update().get(pk=study_access.study.pk)
    found = proposal(study=study, name=name, members=members, rule=rule, quorum=quorum)
    jury = Jury.objects.create(
        study=study,
        key=f"jury_{Jury.objects.filter(study=study).count() + 1}",
        name=found.name,
        members=list(found.seated.members),
        rule=rule.value,
        quorum=quorum,
        weights=_weights(found),
        made_on=list(found.seated.made_on),
        n_seen=found.n_seen,
        named_at=at,
        named_by=by,
    )
    events.record(
        "jury.named",
        subject=f"study:{study.pk}",
        by=by,
        at=at,
        facts={
            "jury": jury.pk,
            "members": len(jury.members),
            "rule": jury.rule,
            "quorum": quorum,
            "answers_seen": jury.n_seen,
        },
    )
    note_change(study_id=study.pk)
    return jury


@transaction.atomic
def end_jury(
    *, study_access: StudyAccess, jury_id: int, reason: str, by: User, at: datetime
) -> Jury:
    """Leave a jury out of figures from now on; what it was made up of stays. CannotSeat, and
    Jury.DoesNotExist where the study has none of this number in force."""
    _refuse_others(study_access)
    study = Study.objects.select_for_update().get(pk=study_access.study.pk)
    jury = Jury.objects.get(pk=jury_id, study=study, ended_at=None)
    if not reason.strip():
        raise CannotSeat(sentence("Say why the jury ends."))
    if len(reason.strip()) > LONGEST_REASON:
        raise CannotSeat(sentence("The reason has at most {n} characters.", n=LONGEST_REASON))
    jury.ended_at, jury.ended_by, jury.end_reason = at, by, reason.strip()
    jury.save(update_fields=["ended_at", "ended_by", "end_reason"])
    events.record("jury.ended", subject=f"study:{study.pk}", by=by, at=at, facts={"jury": jury.pk})
    note_change(study_id=study.pk)
    return jury


def _weights(found: Proposal) -> dict[str, dict[str, dict[str, float | int | None]]]:
    """{criterion: {member's number: weight, share right, items}}."""
    return {
        criterion: {
            str(member): asdict(one)
            for member, one in zip(found.seated.members, of_all, strict=True)
        }
        for criterion, of_all in found.seated.weights.items()
    }


def _refuse_others(study_access: StudyAccess) -> None:
    if not study_access.may_coordinate:
        raise CannotSeat(sentence("The juries of a study are named by its coordinators."))
