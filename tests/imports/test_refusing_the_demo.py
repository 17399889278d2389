"""The demo is loaded only where it is one, into a database that is empty."""

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User

pytestmark = pytest.mark.django_db


def test_a_database_with_accounts_of_others_gets_no_known_passwords(db, settings, eli):
    settings.DEMO = True
    with pytest.raises(CommandError, match="Let DATABASE_URL name an empty database"):
        call_command("load_demo")
    assert list(User.objects.all()) == [eli]


def test_it_is_loaded_only_where_this_is_a_demo(db, settings):
    settings.DEMO = False
    before = User.objects.count()
    with pytest.raises(CommandError, match="only where CONCORD_DEMO=1 is set"):
        call_command("load_demo")
    assert User.objects.count() == before
