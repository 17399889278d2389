"""What an account may do now, worked out from facts at the moment it is asked.

Nothing has to run for an approval to lapse: time is compared when somebody knocks.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.db.models import Exists, OuterRef, Subquery

from accounts.models import (
    AccessRequest,
    Decision,
    Role,
    Suspension,
    Terms,
    TermsAcceptance,
    User,
)
from accounts.models.prepared import Prepared


class AccessStep(StrEnum):
    """What can stand between an account and the items, in the order it is done."""

    SIGN_IN = "sign_in"
    REINSTATEMENT = "reinstatement"
    SECOND_FACTOR = "second_factor"
    SIGNATURE = "signature"
    REQUEST = "request"
    DECISION = "decision"


class Standing(StrEnum):
    VISITOR = "visitor"
    APPLICANT = "applicant"
    APPROVED = "approved"
    SUSPENDED = "suspended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What one account may do at one moment; `missing` says why it may not, and what is next."""

    user_id: int | None
    standing: Standing
    missing: tuple[AccessStep, ...]
    roles: frozenset[str] = frozenset()

    @property
    def is_signed_in(self) -> bool:
        return self.user_id is not None

    @property
    def may_enter(self) -> bool:
        """Signed in, signed, approved and in term: may see what their teams let them see."""
        return not self.missing

    @property
    def may_sign(self) -> bool:
        """Signing comes after the second factor, so that a name is not typed by a stranger."""
        return self.is_signed_in and not {AccessStep.REINSTATEMENT, AccessStep.SECOND_FACTOR} & set(
            self.missing
        )

    @property
    def may_request(self) -> bool:
        return self.may_sign and AccessStep.SIGNATURE not in self.missing

    @property
    def may_decide_requests(self) -> bool:
        return self.may_enter and Role.STEWARD in self.roles

    @property
    def may_manage_studies(self) -> bool:
        return self.may_enter and bool(self.roles & {Role.STEWARD, Role.ADMIN})

    @property
    def may_manage_accounts(self) -> bool:
        return self.may_enter and bool(self.roles & {Role.STEWARD, Role.ADMIN})

    @property
    def may_set_roles(self) -> bool:
        return self.may_enter and Role.ADMIN in self.roles

    @property
    def may_read_events(self) -> bool:
        return self.may_enter and bool(self.roles & {Role.AUDITOR, Role.ADMIN, Role.STEWARD})


NOBODY = Access(user_id=None, standing=Standing.VISITOR, missing=(AccessStep.SIGN_IN,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of an account; `signed_until` is None without a signature in force."""

    user_id: int
    is_active: bool
    roles: frozenset[str]
    approved_until: datetime | None
    signed_until: datetime | None
    is_suspended: bool
    has_asked: bool
    has_second_factor: bool


def access_of(user: User | AnonymousUser, *, at: datetime) -> Access:
    """Work out what `user` may do at `at`; an inactive or anonymous one may do nothing."""
    if not isinstance(user, User):
        return NOBODY
    return access_by(facts_of(user.pk), at=at)


def access_by(facts: Facts | None, *, at: datetime) -> Access:
    """Work out what the account with these facts may do at `at`; without facts, nothing."""
    if facts is None or not facts.is_active:
        return NOBODY
    missing = tuple(_missing_steps(facts, at))
    return Access(
        user_id=facts.user_id,
        standing=_standing(missing),
        missing=missing,
        roles=facts.roles,
    )


def facts_of(user_id: int | None) -> Facts:
    """Fetch the facts about one account in one query."""
    known = account_and_facts(user_id)
    if known is None:
        raise User.DoesNotExist
    return known[1]


def account_and_facts(user_id: int | None) -> tuple[User, Facts] | None:
    """An account with the facts about it, in one query; None if there is no such account."""
    row = _ACCOUNT.first(user_id=user_id)
    if row is None:
        return None
    account = User.from_db(connection.alias, _FIELDS, row[: len(_FIELDS)])
    looked_up = dict(zip(_LOOKUPS, row[len(_FIELDS) :], strict=True))
    facts = Facts(
        user_id=account.pk,
        is_active=account.is_active,
        roles=frozenset(account.roles),
        approved_until=account.approved_until,
        **looked_up,
    )
    return account, facts


def current_terms() -> Terms | None:
    """The edition in force, or None on a server that has not published one: then nobody enters."""
    return Terms.objects.order_by("-number").first()


def _lookups() -> dict[str, Exists | Subquery]:
    theirs = {"user": OuterRef("pk")}
    in_force = Subquery(Terms.objects.order_by("-number").values("pk")[:1])
    signatures = TermsAcceptance.objects.filter(**theirs, terms=in_force)
    factors = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]
    return {
        "signed_until": Subquery(
            signatures.order_by("-effective_until").values("effective_until")[:1]
        ),
        "is_suspended": Exists(Suspension.objects.filter(**theirs, reinstated_at__isnull=True)),
        "has_asked": Exists(AccessRequest.objects.filter(**theirs, decision=Decision.OPEN)),
        "has_second_factor": Exists(Authenticator.objects.filter(**theirs, type__in=factors)),
    }


_FIELDS = tuple(field.attname for field in User._meta.concrete_fields)
_LOOKUPS = ("signed_until", "is_suspended", "has_asked", "has_second_factor")
# Asked before every page, so prepared.
_ACCOUNT = Prepared(
    lambda user_id: (
        User.objects.filter(pk=user_id).annotate(**_lookups()).values_list(*_FIELDS, *_LOOKUPS)
    )
)


def _missing_steps(facts: Facts, at: datetime) -> Iterator[AccessStep]:
    if facts.is_suspended:
        yield AccessStep.REINSTATEMENT
    if settings.MFA_REQUIRED and not facts.has_second_factor:
        yield AccessStep.SECOND_FACTOR
    if facts.signed_until is None or facts.signed_until <= at:
        yield AccessStep.SIGNATURE
    if facts.approved_until is None or facts.approved_until <= at:
        yield AccessStep.DECISION if facts.has_asked else AccessStep.REQUEST


def _standing(missing: tuple[AccessStep, ...]) -> Standing:
    if AccessStep.REINSTATEMENT in missing:
        return Standing.SUSPENDED
    return Standing.APPLICANT if missing else Standing.APPROVED
