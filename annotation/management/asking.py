"""What commands are asked for by name: a study, an account, a file; and how they show progress."""

import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from accounts.models import User
from annotation.models import Study
from annotation.readers.records import Source


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


def study_named(key: str) -> Study:
    study = Study.objects.filter(key=key).first()
    if study is not None:
        return study
    known = ", ".join(Study.objects.order_by("key").values_list("key", flat=True))
    raise CommandError(
        f"There is no study “{key}”. "
        + (f"The studies are: {known}." if known else "Make one with the command create_study.")
    )


def source_named(file: str) -> Source:
    path = Path(file)
    return Source(path=path, name=path.name, most_bytes=settings.UPLOAD_LIMIT_MB * 2**20)


def progress(unit: str):
    """Wrap rows so that their passing is drawn on a terminal, and nowhere else."""
    return partial(_drawn, unit=f" {unit}")


def _drawn(rows: Iterable, *, unit: str) -> Iterable:
    return tqdm(rows, unit=unit, file=sys.stderr, disable=None, leave=False)
