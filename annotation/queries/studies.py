"""Which studies an account takes part in, and what it may do in each."""

from dataclasses import dataclass

from accounts.access import Access
from annotation.models import Membership, Study, TeamRole
from annotation.rubric.sentences import Sentence, sentence


class NotOnTheTeam(Exception):
    """The account has no part in the study; to it, the study does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyAccess:
    """A study as one account may use it."""

    study: Study
    access: Access
    roles: frozenset[str]

    @property
    def may_rate(self) -> bool:
        return TeamRole.ANNOTATOR in self.roles

    @property
    def may_adjudicate(self) -> bool:
        return TeamRole.ADJUDICATOR in self.roles

    @property
    def may_coordinate(self) -> bool:
        return TeamRole.COORDINATOR in self.roles

    @property
    def may_see_agreement(self) -> bool:
        return bool(self.roles & {TeamRole.COORDINATOR, TeamRole.RESEARCHER})

    @property
    def may_run_judges(self) -> bool:
        return self.may_coordinate

    @property
    def may_export(self) -> bool:
        return TeamRole.EXPORTER in self.roles

    def reason_not_to_export(self) -> Sentence | None:
        if self.may_export:
            return None
        return sentence(
            "Exporting needs the role “exporter” in this study. Ask its coordinator to add it."
        )


def studies_of(access: Access) -> list[StudyAccess]:
    """The studies that an account takes part in, by name; none before the gate lets it in."""
    if not access.may_enter:
        return []
    memberships = (
        Membership.objects.filter(user=access.user_id)
        .select_related("study__rubric_version")
        .order_by("study__name")
    )
    return [
        StudyAccess(study=membership.study, access=access, roles=frozenset(membership.roles))
        for membership in memberships
    ]


def study_for(access: Access, key: str) -> StudyAccess:
    """One study for one account, or NotOnTheTeam."""
    if access.may_enter:
        membership = (
            Membership.objects.filter(user=access.user_id, study__key=key)
            .select_related("study__rubric_version")
            .first()
        )
        if membership is not None:
            return StudyAccess(
                study=membership.study, access=access, roles=frozenset(membership.roles)
            )
    raise NotOnTheTeam
