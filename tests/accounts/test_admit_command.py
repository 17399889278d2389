"""Who asked to be let in is decided about from the command line, as on the page."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.access import access_of
from accounts.models import Decision, Event

pytestmark = pytest.mark.django_db


def day(days):
    return (timezone.localdate() + timedelta(days=days)).isoformat()


def test_who_waits_is_printed_and_let_in_until_the_end_of_a_day(asked, sam, capsys):
    call_command("admit")
    assert asked.user.email in capsys.readouterr().out
    call_command("admit", account=asked.user.email.upper(), until=day(30), by=sam.email)
    assert asked.user.email not in capsys.readouterr().out
    asked.user.refresh_from_db()
    assert timezone.localdate(asked.user.approved_until).isoformat() == day(30)
    assert access_of(asked.user, at=timezone.now()).may_enter
    assert Event.objects.get(verb="access.decided").actor == sam


def test_a_refusal_has_its_reason(asked, sam):
    call_command("admit", account=asked.user.email, refuse="Who invited you?", by=sam.email)
    asked.refresh_from_db()
    assert (asked.decision, asked.reason) == (Decision.REFUSED, "Who invited you?")


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ({"until": "soon"}, "Enter a valid date"),
        ({"until": day(4000)}, "a year"),
        ({}, "Say until when with --until"),
        ({"until": day(30), "by": None}, "Name a data steward"),
        ({"until": day(30), "by": "ben"}, "Name a data steward"),
        ({"until": day(30), "account": None}, "Say whose request"),
        ({"until": day(30), "account": "moon@example.org"}, "No request of moon@example.org waits"),
    ],
)
def test_nothing_is_decided_otherwise(asked, sam, ben, given, refusal):
    about = {"account": asked.user.email, "by": sam.email} | given
    if about["by"] == "ben":
        about["by"] = ben.email
    with pytest.raises(CommandError, match=refusal):
        call_command("admit", **about)
    asked.refresh_from_db()
    assert asked.decision == Decision.OPEN
