"""A data set as its stewards see it: what waits, and who could see what on any day."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from django.db.models import Count, Prefetch, Q
from django.http import Http404

from accounts.access import Access
from accounts.models import AccessRequest, Decision, Event, User
from annotation.models import (
    BrokenGlass,
    DataSet,
    Grant,
    GrantDecision,
    Item,
    Study,
    TeamRole,
)
from annotation.models.grants import LEVELS
from annotation.queries.grants import asked, decider
from annotation.queries.items import ItemShown, shown
from annotation.queries.wording import said
from annotation.rules.granting import (
    WAITS,
    DataLevel,
    Decider,
    GrantStage,
    reason_not_to_decide,
)

ITEMS_A_PAGE = 20


class NoSuchDataSet(Http404):
    """There is no such data set, or not for this account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingPerson:
    """What was asked for one person in a data set, and why it cannot be decided."""

    person: User
    grants: tuple[Grant, ...]
    levels: tuple[str, ...]
    has_to_be_approved: bool
    reason_not_to_decide: str

    @property
    def first(self) -> Grant:
        return self.grants[0]

    @property
    def purpose(self) -> str:
        """What it is for; the roles themselves, where they were all that was said."""
        said_of_it = self.first.purpose
        roles = said_of_it.split(", ")
        if set(roles) <= set(TeamRole.values):
            return ", ".join(str(TeamRole(role).label) for role in roles)
        return said_of_it


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenBy:
    """One line of who may see what: a grant that was in force, and by whose decision."""

    grant: Grant
    level: str
    roles: tuple[str, ...]
    decided_by: tuple[str, ...]

    @property
    def answer(self) -> str:
        """What the data steward wrote back, if anything."""
        last = self.grant.decisions.exclude(reason="").order_by("-pk").first()
        return last.reason if last else ""


def may_look(access: Access) -> bool:
    return access.may_decide_requests or access.may_manage_accounts or access.may_read_events


def data_sets(access: Access) -> list[DataSet]:
    """Every data set, with how many requests wait in it; none for who does not govern."""
    if not may_look(access):
        return []
    waiting = Count("grants", filter=Q(grants__stage__in=list(WAITS)))
    return list(
        DataSet.objects.annotate(n_waiting=waiting).select_related("steward").order_by("name")
    )


def n_waiting_for(access: Access, *, at: datetime) -> int:
    """How many people wait for a grant that this account may decide about now."""
    if not access.may_decide_requests or access.user_id is None:
        return 0
    me = Decider(account=access.user_id, is_steward=True)
    waiting = Grant.objects.filter(stage__in=list(WAITS)).select_related("data_set")
    return len(
        {
            grant.person_id
            for grant in waiting
            for it in [asked(grant)]
            if not reason_not_to_decide(it, me, at=at) and me.account not in it.approved_by
        }
    )


def levels_to_ask(data_set_id: int, person_id: int, *, at: datetime) -> list[DataLevel]:
    """What somebody neither holds of a data set nor has asked for."""
    own = Grant.objects.filter(data_set=data_set_id, person=person_id)
    held = Grant.objects.in_force(at).filter(pk__in=own).values_list("level", flat=True)
    known = {*held, *own.filter(stage__in=list(WAITS)).values_list("level", flat=True)}
    return [level for level in DataLevel if level.value not in known]


def data_set_for(access: Access, key: str) -> DataSet:
    """A data set for who governs it or audits; NoSuchDataSet."""
    found = DataSet.objects.filter(key=key).select_related("steward").first()
    if found is None or not may_look(access):
        raise NoSuchDataSet
    return found


def waiting_in(data_set: DataSet, *, by: User, at: datetime) -> list[WaitingPerson]:
    """The requests that wait in a data set, person by person, the oldest first."""
    grants = (
        data_set.grants.filter(stage__in=list(WAITS))
        .select_related("person", "proposed_by", "data_set")
        .order_by("person", "pk")
    )
    open_requests = set(
        AccessRequest.objects.filter(decision=Decision.OPEN).values_list("user", flat=True)
    )
    found = [
        _waiting(list(of_person), open_requests, by=by, at=at)
        for _person, of_person in groupby(grants, lambda grant: grant.person_id)
    ]
    return sorted(found, key=lambda one: one.first.asked_at)


def _waiting(
    grants: list[Grant], open_requests: set[int], *, by: User, at: datetime
) -> WaitingPerson:
    person = grants[0].person
    reason = reason_not_to_decide(asked(grants[0]), decider(by, at=at), at=at)
    return WaitingPerson(
        person=person,
        grants=tuple(grants),
        levels=tuple(str(LEVELS[DataLevel(grant.level)]) for grant in grants),
        has_to_be_approved=person.pk in open_requests,
        reason_not_to_decide=said(reason) if reason else "",
    )


def who_sees_what(
    data_set: DataSet, *, at: datetime, person: User | None = None, level: str = ""
) -> list[SeenBy]:
    """Who could see what of a data set at a moment, since when, and by whose decision."""
    approvals = GrantDecision.objects.filter(what=GrantStage.APPROVED).select_related("by")
    grants = (
        Grant.objects.in_force(at)
        .filter(data_set=data_set)
        .select_related("person")
        .prefetch_related(Prefetch("decisions", queryset=approvals))
        .order_by("person__full_name", "person", "pk")
    )
    if level:
        grants = grants.filter(level=level)
    if person:
        grants = grants.filter(person=person)
    roles = roles_at(data_set, at=at)
    return [
        SeenBy(
            grant=grant,
            level=str(LEVELS[DataLevel(grant.level)]),
            roles=tuple(sorted(roles.get(grant.person_id, ()))),
            decided_by=tuple(one.by.full_name for one in grant.decisions.all() if one.by),
        )
        for grant in grants
    ]


def roles_at(data_set: DataSet, *, at: datetime) -> dict[int, set[str]]:
    """{account: its roles in any study of the data set at a moment}, as the trail has them."""
    found: dict[int, set[str]] = {}
    for study in Study.objects.filter(data_set=data_set).values_list("pk", flat=True):
        lines = Event.objects.filter(
            subject=f"study:{study}", verb__in=["study.created", "team.roles_set"], at__lte=at
        )
        told = lines.order_by("at", "pk").values_list("verb", "facts")
        for account, roles in dict(_roles_told(told)).items():
            found.setdefault(account, set()).update(roles)
    return found


def _roles_told(
    lines: Iterable[tuple[str, Mapping[str, object]]],
) -> Iterator[tuple[int, list[str]]]:
    for verb, facts in lines:
        if verb == "team.roles_set":
            yield facts["account"], facts["roles"]  # type: ignore[misc]  # as `teams.set_roles` wrote them
        elif coordinator := facts.get("coordinator"):
            yield coordinator, ["coordinator"]  # type: ignore[misc]  # as `studies.create` wrote it


def own_grants(data_set_id: int, person_id: int) -> list[SeenBy]:
    """Everything that was asked for somebody in a data set, the newest first."""
    grants = Grant.objects.filter(data_set=data_set_id, person=person_id).order_by("-pk")
    return [
        SeenBy(grant=grant, level=str(LEVELS[DataLevel(grant.level)]), roles=(), decided_by=())
        for grant in grants
    ]


def latest_end(data_set: DataSet, *, at: datetime) -> datetime:
    """Until when a grant may last that is given now."""
    return at + timedelta(days=data_set.longest_days)


def glasses(data_set: DataSet) -> list[BrokenGlass]:
    """The newest of those who broke the glass of a data set, or asked to."""
    newest = data_set.broken_glasses.select_related("person", "witness").order_by("-pk")
    return list(newest[:20])


def has_broken_glass(data_set: DataSet, access: Access, *, at: datetime) -> bool:
    broken = data_set.broken_glasses.filter(person=access.user_id, since__lte=at, until__gt=at)
    return access.may_enter and broken.exists()


def texts_through_glass(
    data_set: DataSet, access: Access, *, page: int
) -> list[tuple[Item, ItemShown]]:
    """Some items of a data set with their texts, for who may see them."""
    first = max(page - 1, 0) * ITEMS_A_PAGE
    items = (
        Item.objects.visible_to(access)
        .filter(study__data_set=data_set)
        .select_related("dialogue", "study")
        .order_by("study", "position", "pk")[first : first + ITEMS_A_PAGE]
    )
    return [
        (item, shown(item.dialogue.turns, item.reply, item.reply_speaker, item.content_note))
        for item in items
    ]
