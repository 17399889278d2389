"""Who is on the team of a study."""

from dataclasses import dataclass

from django.utils import timezone

from accounts.access import Access
from annotation.models import Grant, Study, TeamRole
from annotation.queries.grants import person_of
from annotation.queries.studies import NotOnTheTeam, StudyAccess, study_for
from annotation.rules.granting import WAITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """An account on a team, with its roles."""

    account_id: int
    name: str
    email: str
    roles: tuple[TeamRole, ...]


def team_for(access: Access, key: str) -> StudyAccess:
    """A study whose team this account may change: its coordinators, and those who manage studies.

    NotOnTheTeam for everybody else: those who only manage studies see nothing but the team.
    """
    try:
        study_access = study_for(access, key)
    except NotOnTheTeam:
        study = Study.objects.filter(key=key).first() if access.may_manage_studies else None
        if study is None:
            raise
        person = person_of(access, study.data_set_id, frozenset())
        study_access = StudyAccess(study=study, access=access, person=person, at=timezone.now())
    if not (study_access.may_coordinate or access.may_manage_studies):
        raise NotOnTheTeam
    return study_access


def members_of(study: Study) -> list[Member]:
    """The team by name."""
    return [
        Member(
            account_id=member.user_id,
            name=member.user.full_name,
            email=member.user.email,
            roles=tuple(role for role in TeamRole if role in member.roles),
        )
        for member in study.memberships.select_related("user").order_by("user__full_name")
    ]


def n_waiting(study: Study) -> int:
    """How many levels were asked for in the data set of a study and are not decided."""
    return Grant.objects.filter(data_set=study.data_set_id, stage__in=list(WAITS)).count()
