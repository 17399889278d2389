"""Which studies an account takes part in, and what it may do in each."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.utils.translation import get_language

from accounts.access import Access
from annotation.models import Membership, Study, TeamRole
from annotation.queries.grants import person_of
from annotation.queries.wording import said
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.granting import (
    SPLIT_LEVELS,
    THE_STUDY,
    Action,
    Asker,
    DataLevel,
    Split,
    Thing,
    reason_to_refuse,
)


class NotOnTheTeam(Exception):
    """The account has no part in the study; to it, the study does not exist."""


class NotGranted(NotOnTheTeam):
    """The account is on the team, but nothing of the data is granted to it: a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyAccess:
    """A study as one account may use it: its roles, and what of the data set is granted to it."""

    study: Study
    access: Access
    person: Asker
    at: datetime

    @property
    def description(self) -> str:
        """What the study is about, in the language of the page or the nearest there is."""
        return said(self.study.description)

    @property
    def description_language(self) -> str:
        """The BCP 47 tag of the language in which that is said."""
        return self.study.description.spoken_for(get_language()).replace("_", "-")

    @property
    def roles(self) -> frozenset[str]:
        return self.person.roles

    @property
    def levels(self) -> frozenset[DataLevel]:
        """What it holds of the data set at this moment."""
        return self.person.levels(self.at)

    @property
    def sees_single_raters(self) -> bool:
        """Whether it is told who answered what; figures name nobody to who is not (ADR 31)."""
        return DataLevel.PER_RATER in self.levels

    @property
    def splits(self) -> frozenset[Split]:
        """The splits of the data set that are granted to it at this moment."""
        return frozenset(one for one, level in SPLIT_LEVELS.items() if level in self.levels)

    def reason_not_to(self, action: Action, thing: Thing = THE_STUDY) -> Sentence | None:
        """The one decision, about this account and study."""
        return reason_to_refuse(self.person, action, thing, at=self.at)

    @property
    def why_not_to_enter(self) -> str:
        """Why the study shows nothing to this account, in the language of the page, or nothing."""
        reason = self.reason_not_to(Action.ENTER)
        return said(reason) if reason else ""

    @property
    def may_rate(self) -> bool:
        return self.reason_not_to(Action.RATE) is None

    @property
    def may_adjudicate(self) -> bool:
        return self.reason_not_to(Action.ADJUDICATE) is None

    @property
    def may_coordinate(self) -> bool:
        return self.reason_not_to(Action.COORDINATE) is None

    @property
    def may_discuss(self) -> bool:
        """Whether items under discussion may concern this account."""
        return self.may_rate or self.may_adjudicate or self.may_coordinate

    @property
    def may_see_agreement(self) -> bool:
        return self.reason_not_to(Action.SEE_FIGURES) is None

    @property
    def may_run_judges(self) -> bool:
        return self.reason_not_to(Action.RUN_JUDGES) is None

    @property
    def may_export(self) -> bool:
        return self.reason_not_to(Action.EXPORT) is None

    def reason_not_to_export(self) -> Sentence | None:
        if TeamRole.EXPORTER not in self.roles:
            return sentence(
                "Exporting needs the role “exporter” in this study. Ask its coordinator to add it."
            )
        return self.reason_not_to(Action.EXPORT)


def may_make_studies(access: Access) -> bool:
    """Whether an account may begin a study: those who manage them, and coordinators of any."""
    coordinates = Membership.objects.filter(
        user=access.user_id, roles__contains=[TeamRole.COORDINATOR]
    )
    return access.may_manage_studies or (access.may_enter and coordinates.exists())


def studies_of(access: Access) -> list[StudyAccess]:
    """The studies that an account takes part in, by name; none before the gate lets it in."""
    if not access.may_enter:
        return []
    memberships = (
        Membership.objects.filter(user=access.user_id)
        .select_related("study__rubric_version")
        .order_by("study__name")
    )
    return [_as_used(access, membership) for membership in memberships]


def study_for(access: Access, key: str) -> StudyAccess:
    """One study for one account, or NotOnTheTeam; NotGranted, if only the data is missing."""
    if access.may_enter:
        membership = (
            Membership.objects.filter(user=access.user_id, study__key=key)
            .select_related("study__rubric_version")
            .first()
        )
        if membership is not None:
            study_access = _as_used(access, membership)
            if reason := study_access.reason_not_to(Action.ENTER):
                raise NotGranted(reason)
            return study_access
    raise NotOnTheTeam


def membership_for(access: Access, key: str) -> StudyAccess:
    """A study for who is on its team, whatever is granted to them: to say what is missing."""
    found = next((one for one in studies_of(access) if one.study.key == key), None)
    if found is None:
        raise NotOnTheTeam
    return found


def _as_used(access: Access, membership: Membership) -> StudyAccess:
    study = membership.study
    return StudyAccess(
        study=study,
        access=access,
        person=person_of(access, study.data_set_id, frozenset(membership.roles)),
        at=timezone.now(),
    )
