"""The application adds to what is kept; neither it nor an auditor can change or delete it."""

import pytest
from django.db import ProgrammingError, connection, transaction

from accounts.ledger import roles, sealing
from accounts.ledger.governed import governed
from accounts.ledger.verifying import verify
from tests.annotation.doing import NONSENSE, SAFE, correct, decide, rate

KEPT = [
    "accounts_event",
    "accounts_rowdigest",
    "accounts_seal",
    *(one.table for one in governed() if one.may_change is not None),
]
CHANGES = {
    "delete": "DELETE FROM {}",
    "truncate": "TRUNCATE {} CASCADE",
    "triggers off": "ALTER TABLE {} DISABLE TRIGGER ALL",
    "another trigger": "CREATE TRIGGER x BEFORE INSERT ON {} EXECUTE FUNCTION accounts_refuse_change()",
    "drop": "DROP TABLE {} CASCADE",
}


@pytest.fixture
def become(db):
    """become(role) is to be that role until the test ends."""
    roles.grant(application="concord_test_app", auditor="concord_test_auditor")

    def become(role):
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL ROLE {role}")

    yield become
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")


def refused(statement) -> bool:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    except ProgrammingError:
        return True
    return False


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("role", ["concord_test_app", "concord_test_auditor"])
def test_no_role_changes_what_is_kept(become, role, change):
    become(role)
    allowed = [table for table in KEPT if not refused(CHANGES[change].format(table))]
    assert not allowed


def test_the_application_changes_no_column_but_those_that_are_named(become):
    become("concord_test_app")
    allowed = {
        (one.table, column)
        for one in governed()
        if one.may_change is not None
        for column in one.columns
        if not refused(f'UPDATE {one.table} SET "{column}" = "{column}" WHERE false')  # noqa: S608 -- ours
    }
    assert allowed == {(one.table, column) for one in governed() for column in one.may_change or ()}


def test_the_application_writes_no_digest_of_its_own(become):
    become("concord_test_app")
    assert refused(
        "INSERT INTO accounts_rowdigest (table_name, edition, row_ids, digests, noted_at)"
        " VALUES ('x', 1, '{1}', '{}', now())"
    )


def test_the_application_does_nothing_with_the_rights_of_the_owner(become, ben):
    """The triggers of the ledger act as the owner: where they write, nothing stands in for its tables."""
    become("concord_test_app")
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE accounts_rowdigest (LIKE public.accounts_rowdigest)")
        cursor.execute(
            "CREATE FUNCTION pg_temp.act() RETURNS trigger LANGUAGE plpgsql AS"
            " $$BEGIN RAISE insufficient_privilege USING MESSAGE = current_user; END$$"
        )
        cursor.execute(
            "CREATE TRIGGER act BEFORE INSERT ON pg_temp.accounts_rowdigest"
            " FOR EACH ROW EXECUTE FUNCTION pg_temp.act()"
        )
    assert not refused("UPDATE accounts_user SET affiliation = 'x'")


def test_the_application_cannot_switch_all_triggers_off(become):
    become("concord_test_app")
    assert refused("SET LOCAL session_replication_role TO 'replica'")


def test_an_auditor_reads_the_ledger_and_no_text(become):
    become("concord_test_auditor")
    assert not refused("SELECT * FROM accounts_seal")
    assert not refused("SELECT * FROM accounts_event")
    assert refused("SELECT * FROM annotation_dialogue")
    assert refused("SELECT * FROM accounts_user")


def test_the_application_works_with_these_rights(
    settings, tmp_path, pond_round, ben, cleo, dora, become
):
    settings.CHECKPOINT_DIR = tmp_path
    become("concord_test_app")
    rate(pond_round, ben, 1, NONSENSE)
    first = rate(pond_round, cleo, 1, NONSENSE)
    correct(pond_round, cleo, 1, SAFE, supersedes=first.submission_id)
    decide(pond_round, dora, 1)
    sealing.seal_all()
    assert verify(folder=tmp_path).findings == []
