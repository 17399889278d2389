"""What an account may do now, worked out from facts at the moment it is asked.

Nothing has to run for an approval to lapse: time is compared when somebody knocks.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Least

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
    FACTOR_SHOWN = "factor_shown"
    SIGNATURE = "signature"
    REQUEST = "request"
    DECISION = "decision"


# Before these are done, whoever is there may be a stranger with a stolen password.
PROOFS = frozenset({AccessStep.SECOND_FACTOR, AccessStep.FACTOR_SHOWN})


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
        return self.is_signed_in and not {AccessStep.REINSTATEMENT, *PROOFS} & set(self.missing)

    @property
    def owes_factor(self) -> bool:
        """The account has a second factor, and this session was opened without it."""
        return AccessStep.FACTOR_SHOWN in self.missing

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
    def may_see_server(self) -> bool:
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
    has_provider: bool


def access_of(user: User | AnonymousUser, *, at: datetime) -> Access:
    """Work out what `user` may do at `at`; an inactive or anonymous one may do nothing."""
    if not isinstance(user, User):
        return NOBODY
    return access_without_session(facts_of(user.pk), at=at)


def access_without_session(facts: Facts, *, at: datetime) -> Access:
    """What a worker or a program may do, for whom nobody shows a factor: the account has one, or
    signs in by a provider that is believed."""
    vouched = facts.has_provider and bool(settings.SSO_SECOND_FACTOR)
    return access_by(facts, at=at, factor_was_vouched=vouched)


def access_by(
    facts: Facts | None,
    *,
    at: datetime,
    factor_was_shown: bool = True,
    factor_was_vouched: bool = False,
) -> Access:
    """Work out what the account with these facts may do at `at`; without facts, nothing.

    `factor_was_shown`: in the session that asks.
    `factor_was_vouched`: a provider says that it asked for one, and is believed.
    """
    if facts is None or not facts.is_active:
        return NOBODY
    factor = _missing_factor(facts, was_shown=factor_was_shown, was_vouched=factor_was_vouched)
    missing = tuple(_missing_steps(facts, at, factor))
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


def who_may_enter(*, at: datetime) -> QuerySet[Any, Any]:
    """The accounts that hold a signature and an approval at this moment."""
    return _at_large().filter(approved_until__gt=at, signed_until__gt=at)


def whose_time_ends(*, after: datetime, until: datetime) -> list[tuple[User, datetime]]:
    """Who may enter after the one moment and, unless they sign or ask again, not after the other."""
    ends = _at_large().annotate(ends=Least("approved_until", "signed_until"))
    # LEAST of SQL passes over NULL: an account with one of the two may not enter at all.
    both = ends.filter(approved_until__gt=after, signed_until__gt=after, ends__lte=until)
    return [(account, account.ends) for account in both.order_by("pk")]


def _at_large() -> QuerySet[Any, Any]:
    """Accounts that are neither switched off nor suspended, with what is looked up about them."""
    accounts: QuerySet[Any, Any] = User.objects.annotate(**_lookups())
    return accounts.filter(is_active=True, is_suspended=False)


def _lookups() -> dict[str, Exists | Subquery]:
    theirs = {"user": OuterRef("pk")}
    later = Terms.objects.filter(number__gt=OuterRef("terms__number"))
    resigned_by = later.annotate(by=Coalesce("resign_by", "published_at")).order_by("by")
    # The end of grace is NULL under the edition in force, and then the signature's own end counts.
    signatures = TermsAcceptance.objects.filter(**theirs).annotate(
        holds_until=Least("effective_until", Subquery(resigned_by.values("by")[:1]))
    )
    factors = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]
    return {
        "signed_until": Subquery(signatures.order_by("-holds_until").values("holds_until")[:1]),
        "is_suspended": Exists(Suspension.objects.filter(**theirs, reinstated_at__isnull=True)),
        "has_asked": Exists(AccessRequest.objects.filter(**theirs, decision=Decision.OPEN)),
        "has_second_factor": Exists(Authenticator.objects.filter(**theirs, type__in=factors)),
        "has_provider": Exists(SocialAccount.objects.filter(**theirs)),
    }


_FIELDS = tuple(field.attname for field in User._meta.concrete_fields)
_LOOKUPS = ("signed_until", "is_suspended", "has_asked", "has_second_factor", "has_provider")
# Asked before every page, so prepared.
_ACCOUNT = Prepared(
    lambda user_id: (
        User.objects.filter(pk=user_id).annotate(**_lookups()).values_list(*_FIELDS, *_LOOKUPS)
    )
)


def _missing_steps(facts: Facts, at: datetime, factor: AccessStep | None) -> Iterator[AccessStep]:
    if facts.is_suspended:
        yield AccessStep.REINSTATEMENT
    if factor is not None:
        yield factor
    if facts.signed_until is None or facts.signed_until <= at:
        yield AccessStep.SIGNATURE
    if facts.approved_until is None or facts.approved_until <= at:
        yield AccessStep.DECISION if facts.has_asked else AccessStep.REQUEST


def _missing_factor(facts: Facts, *, was_shown: bool, was_vouched: bool) -> AccessStep | None:
    if was_vouched:
        return None
    if facts.has_second_factor:
        return None if was_shown else AccessStep.FACTOR_SHOWN
    return AccessStep.SECOND_FACTOR if settings.MFA_REQUIRED else None


def _standing(missing: tuple[AccessStep, ...]) -> Standing:
    if AccessStep.REINSTATEMENT in missing:
        return Standing.SUSPENDED
    return Standing.APPLICANT if missing else Standing.APPROVED
