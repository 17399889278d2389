"""Emails about access. They say that something happened, never what was written or seen."""

from collections.abc import Callable
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _

from accounts.access import who_may_enter
from accounts.models import Role, User
from accounts.post import Letter, post


def tell_stewards_of_request(applicant: User, *, at: datetime) -> None:
    stewards = who_may_enter(at=at).filter(roles__contains=[Role.STEWARD])
    for steward in stewards.exclude(pk=applicant.pk):
        _send_after_commit(steward, "requested")


def tell_of_grants(steward: User) -> None:
    _send_after_commit(steward, "grants")


def tell_applicant_of_decision(applicant: User) -> None:
    _send_after_commit(applicant, "decided")


def remind_of_end(account: User) -> None:
    _send_after_commit(account, "ends")


def tell_of_sentinels(account: User) -> None:
    _send_after_commit(account, "sentinels")


def remind_of_copies(account: User) -> None:
    _send_after_commit(account, "copies")


def tell_of_copies(steward: User) -> None:
    _send_after_commit(steward, "missed_copies")


def tell_of_work(account: User, words: Callable[[], tuple[str, str]]) -> None:
    """`words` gives subject and text in the language that is switched on meanwhile."""
    _send(account, words)


def _send_after_commit(to: User, kind: str) -> None:
    _send(to, lambda: _words(kind))


def _send(to: User, words: Callable[[], tuple[str, str]]) -> None:
    """Write in the language the person signed in, with an address to go to where the server knows its
    own; a mail server that is away undoes nothing."""
    language = to.acceptances.order_by("-pk").values_list("language", flat=True).first()
    with translation.override(language or settings.LANGUAGE_CODE):
        subject, body = words()
    letter = Letter(to=to.email, subject=subject, text=body + _address())
    transaction.on_commit(lambda: post(letter), robust=True)


def _address() -> str:
    own = (one for one in settings.CSRF_TRUSTED_ORIGINS if "*" not in one)
    address = next(own, "")
    return f"\n\n{address}/" if address else ""


def _words(kind: str) -> tuple[str, str]:
    if kind == "requested":
        return (
            _("Concord: a request for access waits for a decision"),
            _(
                "Somebody has asked for access. Sign in to Concord and open “Access requests” to read "
                "and decide it."
            ),
        )
    if kind == "grants":
        return (
            _("Concord: a request for data waits for a decision"),
            _(
                "Somebody waits to be granted data of a study, and sees nothing of it until then. Sign in "
                "to Concord and open “Data sets” to decide."
            ),
        )
    if kind == "ends":
        return (
            _("Concord: your access ends soon"),
            _(
                "Your signature or your approval ends soon, or a new edition of the agreement waits to "
                "be signed. Sign in to Concord and open “Your access”: it takes a few minutes now, and "
                "nothing stops."
            ),
        )
    if kind == "sentinels":
        return (
            _("Concord: a judge may have changed"),
            _(
                "A judge of a study that you coordinate was asked again about its sentinels, and "
                "it is not shown that it still answers as before. Sign in to Concord and open "
                "its trust card."
            ),
        )
    if kind == "copies":
        return (
            _("Concord: copies that you fetched are to be destroyed"),
            _(
                "Releases that you fetched have reached the day on which they are to be destroyed. "
                "Sign in to Concord, open “Your access” and “Your copies”, and state what became of "
                "them."
            ),
        )
    if kind == "missed_copies":
        return (
            _("Concord: copies that left have not been stated as destroyed"),
            _(
                "Somebody has not stated in time that copies of a data set are destroyed, or has "
                "stated that they are not. Sign in to Concord and open the data set."
            ),
        )
    return (
        _("Concord: your request for access was decided"),
        _("A data steward has decided your request. Sign in to Concord to see the decision."),
    )
