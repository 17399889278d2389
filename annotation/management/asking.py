"""What commands are asked for by name: a study, an account."""

from django.core.management.base import CommandError, CommandParser

from accounts.models import User
from annotation.models import Study


def add_by(parser: CommandParser) -> None:
    parser.add_argument(
        "--by", metavar="EMAIL", help="the account in whose name this is done, for the audit trail"
    )


def account_named(email: str | None) -> User | None:
    if not email:
        return None
    account = User.objects.filter(email=email.strip().lower(), is_active=True).first()
    if account is None:
        raise CommandError(f"No account has the email address {email}.")
    return account


def account_given(email: str) -> User:
    """The same where there must be one."""
    account = account_named(email)
    if account is None:
        raise CommandError("Give the email address of an account with --by.")
    return account


def study_named(key: str) -> Study:
    study = Study.objects.filter(key=key).first()
    if study is not None:
        return study
    known = ", ".join(Study.objects.order_by("key").values_list("key", flat=True))
    raise CommandError(
        f"There is no study “{key}”. "
        + (f"The studies are: {known}." if known else "Make one with the command create_study.")
    )
