"""Decisions on plain values: the reason why not, in a sentence, or None."""

from datetime import datetime, timedelta

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

LONGEST_TERM = timedelta(days=365)
RENEWAL_OPENS = timedelta(days=60)


def latest_end(*, at: datetime, signed_until: datetime) -> datetime:
    """The moment at which an approval given at `at` ends at the latest."""
    return min(at + LONGEST_TERM, signed_until)


def may_renew(until: datetime | None, *, at: datetime) -> bool:
    """Whether what ends at `until` (None: never was) may be asked for again."""
    return until is None or until - RENEWAL_OPENS <= at


def reason_not_to_decide(*, decider: int, requester: int, is_open: bool) -> str | None:
    if decider == requester:
        return _("Nobody decides their own request: another data steward must do it.")
    if not is_open:
        return _("This request has been decided already.")
    return None


def reason_not_to_approve(
    *, until: datetime, at: datetime, signed_until: datetime | None, suspended: bool
) -> str | None:
    """`signed_until` is the end of the signature under the agreement in force, if there is one."""
    if suspended:
        return _("This account is suspended. Reinstate it before you approve its request.")
    if signed_until is None or signed_until <= at:
        return _("This person has not signed the agreement in force. They must sign it first.")
    if until <= at:
        return _("The end of the term lies in the past. Choose a later day.")
    if until > latest_end(at=at, signed_until=signed_until):
        return _(
            "Access lasts a year at most and no longer than the signature: until %(day)s at the latest."
        ) % {"day": date_format(localtime(latest_end(at=at, signed_until=signed_until)))}
    return None


def reason_not_to_suspend(*, by: int, account: int, suspended: bool) -> str | None:
    if by == account:
        return _("Nobody suspends themself: ask another data steward.")
    if suspended:
        return _("This account is suspended already.")
    return None


def reason_not_to_reinstate(*, by: int, account: int, suspended_by: int | None) -> str | None:
    if suspended_by is None:
        return _("This account is not suspended.")
    if by == account:
        return _("Nobody reinstates themself: another person must do it.")
    if by == suspended_by:
        return _("You suspended this account, so another person must reinstate it.")
    return None


def reason_not_to_set_roles(*, by: int, account: int) -> str | None:
    if by == account:
        return _("Nobody changes their own roles: another administrator must do it.")
    return None
