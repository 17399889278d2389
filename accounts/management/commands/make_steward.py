"""Appoint a data steward from the server's console: the first one has nobody to approve them."""

import getpass
import sys

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email
from django.utils import timezone

from accounts import rules
from accounts.actions import people
from accounts.models import Role
from accounts.queries import people as queries


class Command(BaseCommand):
    help = (
        "Make an account a data steward, approved for a year. An account that does not exist yet is "
        "created: the command asks for the name and the password. The steward still signs the "
        "agreement and, where it is required, sets up a second factor before seeing anything."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", metavar="EMAIL")
        parser.add_argument(
            "--admin", action="store_true", help="also an administrator, who sets roles"
        )
        parser.add_argument(
            "--name", default="", help="full name of a new account; else it is asked for"
        )

    def handle(self, *args: object, email: str, admin: bool, name: str, **options: object) -> None:
        now = timezone.now()
        try:
            validate_email(email)
            if not queries.account_exists(email):
                full_name = name or _asked("Full name")
                people.create(email=email, full_name=full_name, password=_password(), at=now)
        except ValidationError as problem:
            raise CommandError(" ".join(problem.messages)) from None
        roles = {Role.STEWARD, Role.ADMIN} if admin else {Role.STEWARD}
        people.appoint(email=email, roles=roles, approved_until=now + rules.LONGEST_TERM, at=now)
        self.stdout.write(
            f"{email} is a data steward, approved for a year. Next: sign in and sign the agreement."
        )


def _asked(what: str) -> str:
    answer = input(f"{what}: ").strip()
    if not answer:
        raise CommandError(f"{what} is needed to create the account.")
    return answer


def _password() -> str:
    """From the terminal, unseen and twice; or the first line of a pipe."""
    if not sys.stdin.isatty():
        password = sys.stdin.readline().rstrip("\n")
    else:
        password = getpass.getpass("Password: ")
        if getpass.getpass("Password again: ") != password:
            raise CommandError("The two passwords differ. Run the command again.")
    validate_password(password)
    return password
