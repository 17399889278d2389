"""What an account may do now, worked out from facts at the moment it is asked.

Nothing has to run for an approval to lapse: time is compared when somebody knocks.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import AnonymousUser

from accounts.models import AccessRequest, Decision, Role, Terms, TermsAcceptance, User


class Step(StrEnum):
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
    missing: tuple[Step, ...]
    roles: frozenset[str] = frozenset()

    @property
    def is_signed_in(self) -> bool:
        return self.user_id is not None

    @property
    def may_enter(self) -> bool:
        """Signed in, signed, approved and in term: may see what their teams let them see."""
        return not self.missing

    @property
    def may_decide_requests(self) -> bool:
        return self.may_enter and Role.STEWARD in self.roles

    @property
    def may_manage_studies(self) -> bool:
        return self.may_enter and bool(self.roles & {Role.STEWARD, Role.ADMIN})

    @property
    def may_read_events(self) -> bool:
        return self.may_enter and bool(self.roles & {Role.AUDITOR, Role.ADMIN, Role.STEWARD})


NOBODY = Access(user_id=None, standing=Standing.VISITOR, missing=(Step.SIGN_IN,))


def access_of(user: User | AnonymousUser, *, at: datetime) -> Access:
    """Work out what `user` may do at `at`; an inactive or anonymous one may do nothing."""
    if not isinstance(user, User) or not user.is_active:
        return NOBODY
    missing = tuple(_missing_steps(user, at))
    return Access(
        user_id=user.pk,
        standing=_standing(missing),
        missing=missing,
        roles=frozenset(user.roles),
    )


def current_terms() -> Terms | None:
    """The edition in force, or None on a server that has not published one: then nobody enters."""
    return Terms.objects.order_by("-number").first()


def has_signed(user: User, *, at: datetime) -> bool:
    newest = Terms.objects.order_by("-number").values("pk")[:1]
    return TermsAcceptance.objects.filter(user=user, terms=newest, effective_until__gt=at).exists()


def _missing_steps(user: User, at: datetime):
    if user.suspended_at is not None:
        yield Step.REINSTATEMENT
    if settings.MFA_REQUIRED and not Authenticator.objects.filter(user=user).exists():
        yield Step.SECOND_FACTOR
    if not has_signed(user, at=at):
        yield Step.SIGNATURE
    if user.approved_until is None or user.approved_until <= at:
        asked = AccessRequest.objects.filter(user=user, decision=Decision.OPEN).exists()
        yield Step.DECISION if asked else Step.REQUEST


def _standing(missing: tuple[Step, ...]) -> Standing:
    if Step.REINSTATEMENT in missing:
        return Standing.SUSPENDED
    return Standing.APPLICANT if missing else Standing.APPROVED
