"""Show who asked to be let in, and decide about them."""

from datetime import datetime
from typing import TypeVar

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.access import access_of
from accounts.actions import requests as decisions
from accounts.forms import ApproveForm, RefuseForm
from accounts.management.refusing import refusing
from accounts.models import AccessRequest, User
from accounts.queries import requests


class Command(BaseCommand):
    help = (
        "Print who asked to be let in and waits; with --account let somebody in until the end of a "
        "day, or refuse them for a reason that they can read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--account", metavar="EMAIL", help="whose request is decided")
        decided = parser.add_mutually_exclusive_group()
        decided.add_argument("--until", metavar="DAY", help="let them in until then, 2030-12-31")
        decided.add_argument("--refuse", metavar="REASON", help="why they are not let in")
        parser.add_argument(
            "--by", metavar="EMAIL", help="the data steward in whose name this is done"
        )

    def handle(
        self,
        *args: object,
        account: str | None = None,
        until: str | None = None,
        refuse: str | None = None,
        by: str | None = None,
        **options: object,
    ) -> None:
        at = timezone.now()
        if account:
            asked, steward = _waiting(account), _steward(by, at)
            with refusing(decisions.CannotDecide):
                _decide(asked, until=until, refusal=refuse, by=steward, at=at)
        elif until or refuse:
            raise CommandError("Say whose request it is with --account.")
        for one in requests.requests_by_decision(is_open=True):
            self.stdout.write(f"{one.user.email:<40} asked on {one.requested_at:%Y-%m-%d}")


def _decide(
    asked: AccessRequest, *, until: str | None, refusal: str | None, by: User, at: datetime
) -> None:
    """As the page does, with its forms."""
    if until:
        latest = requests.request_page(asked.pk, reader=by.pk, at=at).latest_end or at
        approved = _checked(ApproveForm({"until": until}, latest=latest))
        decisions.approve(request_id=asked.pk, until=approved.end_of_term(), by=by, at=at)
    elif refusal:
        refused = _checked(RefuseForm({"reason": refusal}))
        decisions.refuse(request_id=asked.pk, reason=refused.cleaned_data["reason"], by=by, at=at)
    else:
        raise CommandError("Say until when with --until, or why not with --refuse.")


Form = TypeVar("Form", ApproveForm, RefuseForm)


def _checked(form: Form) -> Form:
    if not form.is_valid():
        raise CommandError(" ".join(str(one) for told in form.errors.values() for one in told))
    return form


def _waiting(email: str) -> AccessRequest:
    for one in requests.requests_by_decision(is_open=True):
        if one.user.email == email.strip().lower():
            return one
    raise CommandError(f"No request of {email} waits for a decision.")


def _steward(email: str | None, at: datetime) -> User:
    found = User.objects.filter(email=(email or "").strip().lower()).first()
    if found is None or not access_of(found, at=at).may_decide_requests:
        raise CommandError("Name a data steward with --by: nobody else lets people in.")
    return found
