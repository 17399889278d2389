"""The first account that may decide: on a new server nobody is there to appoint it."""

from datetime import datetime

from django.core import signing
from django.db import connection, transaction
from django.utils.translation import gettext as _

from accounts import editions, rules
from accounts.actions import people, terms
from accounts.models import Role, User
from accounts.queries.people import somebody_decides

SALT = "accounts.first_run"
HOLDS_FOR = 24 * 60 * 60  # seconds
LOCK = 7_019_221  # of PostgreSQL: two who come at the same moment


class CannotBegin(Exception):
    """Why nobody was appointed, as a sentence for whoever tried."""


def token() -> str | None:
    """What opens the first account, for a day; None where somebody decides already."""
    return None if somebody_decides() else signing.dumps("first", salt=SALT)


@transaction.atomic
def begin(
    *, token: str, email: str, full_name: str, affiliation: str, password: str, at: datetime
) -> User:
    """Make the first data steward and administrator, and put the shipped agreement in force."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    if somebody_decides():
        raise CannotBegin(
            _("The first account exists already. Ask whoever holds it to appoint you.")
        )
    try:
        signing.loads(token, salt=SALT, max_age=HOLDS_FOR)
    except signing.BadSignature:
        raise CannotBegin(
            _(
                "This is not the token, or it is older than a day. Start the server anew for another."
            )
        ) from None
    account = people.create(email=email, full_name=full_name, password=password, at=at)
    people.introduce(user=account, full_name=full_name, affiliation=affiliation, at=at)
    people.appoint(
        email=email,
        roles={Role.STEWARD, Role.ADMIN},
        approved_until=at + rules.LONGEST_TERM,
        at=at,
    )
    terms.publish(edition=editions.read(editions.newest_shipped()), by=account, at=at)
    return account
