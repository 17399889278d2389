"""Show and set the roles that accounts have on the server."""

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.actions import people
from accounts.management.refusing import refusing
from accounts.models import Role, User


class Command(BaseCommand):
    help = (
        "Print who has a role on this server; with --account give an account exactly the roles "
        "that are named. The roles in a study are those of the command team."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--account", metavar="EMAIL", help="the account whose roles are set")
        parser.add_argument(
            "--role",
            action="append",
            default=[],
            choices=Role.values,
            help="a role that it has from now on; repeat it for several",
        )
        parser.add_argument(
            "--by", metavar="EMAIL", help="the administrator in whose name this is done"
        )

    def handle(
        self,
        *args: object,
        account: str | None,
        role: list[str],
        by: str | None,
        **options: object,
    ) -> None:
        if role and not account:
            raise CommandError("Say whose roles these are with --account.")
        if account:
            if not by:
                raise CommandError("Say who does this with --by.")
            with refusing(people.CannotChange):
                people.set_roles(
                    user_id=_known(account).pk,
                    roles=[Role(one) for one in role],
                    by=_administrator(by),
                    at=timezone.now(),
                )
        for one in User.objects.exclude(roles=[]).order_by("email"):
            self.stdout.write(f"{one.email:<40} {', '.join(one.roles)}")


def _known(email: str) -> User:
    found = User.objects.filter(email=email.strip().lower(), is_active=True).first()
    if found is None:
        raise CommandError(f"No account has the email address {email}.")
    return found


def _administrator(email: str) -> User:
    found = _known(email)
    if Role.ADMIN not in found.roles:
        raise CommandError(f"{email} is no administrator, who alone sets roles.")
    return found
