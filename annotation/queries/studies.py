"""Which studies an account takes part in, and what it may do in each."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import JSONField, QuerySet
from django.http import Http404
from django.utils import timezone
from django.utils.translation import get_language

from accounts.access import Access
from accounts.models.prepared import Prepared
from annotation.models import Membership, RubricVersion, Study, TeamRole, revision_of
from annotation.queries.grants import person_of, person_of_each
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


class NotOnTheTeam(Http404):
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
        .defer("study__rubric_version__definition")  # which `content_of` has read once a process
        .order_by("study__name")
    )
    people = person_of_each(
        access, [(one.study.data_set_id, frozenset(one.roles)) for one in memberships]
    )
    now = timezone.now()
    return [
        StudyAccess(study=one.study, access=access, person=person, at=now)
        for one, person in zip(memberships, people, strict=True)
    ]


def study_for(access: Access, key: str) -> StudyAccess:
    """One study for one account, or NotOnTheTeam; NotGranted, if only the data is missing."""
    row = _ONE.first(user_id=access.user_id, key=key) if access.may_enter else None
    if row is None:
        raise NotOnTheTeam
    study_access = _as_used(access, _study_of(row[1:]), row[0])
    if reason := study_access.reason_not_to(Action.ENTER):
        raise NotGranted(reason)
    return study_access


def membership_for(access: Access, key: str) -> StudyAccess:
    """A study for who is on its team, whatever is granted to them: to say what is missing."""
    found = next((one for one in studies_of(access) if one.study.key == key), None)
    if found is None:
        raise NotOnTheTeam
    return found


def _as_used(access: Access, study: Study, roles: Iterable[str]) -> StudyAccess:
    return StudyAccess(
        study=study,
        access=access,
        person=person_of(access, study.data_set_id, frozenset(roles)),
        at=timezone.now(),
    )


_STUDY = [field.attname for field in Study._meta.concrete_fields]
_AS_JSON = [isinstance(field, JSONField) for field in Study._meta.concrete_fields]
_VERSION = [
    field.attname for field in RubricVersion._meta.concrete_fields if field.name != "definition"
]


def _one(user_id: int, key: str) -> QuerySet[Membership, Any]:
    return Membership.objects.filter(user=user_id, study__key=key).values_list(
        "roles",
        *(f"study__{name}" for name in _STUDY),
        revision_of("study"),
        *(f"study__rubric_version__{name}" for name in _VERSION),
    )


# Asked with every page of a study, so prepared.
_ONE = Prepared(_one)


def _study_of(row: tuple[Any, ...]) -> Study:
    """A study with the edition of its rubric, whose text `content_of` has read once a process."""
    n = len(_STUDY)
    values, revision, of_version = row[:n], row[n], row[n + 1 :]
    read = [
        json.loads(value) if as_json else value
        for value, as_json in zip(values, _AS_JSON, strict=True)
    ]
    study = Study.from_db(connection.alias, _STUDY, read)
    study.revision = revision
    study.rubric_version = RubricVersion.from_db(connection.alias, _VERSION, of_version)
    return study
