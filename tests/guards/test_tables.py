"""The tables are as the migrations made them, and `verify_audit` knows how that is."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from accounts.ledger import catalogue, roles
from accounts.ledger.catalogue import MADE
from accounts.ledger.verifying import verify
from bench.tampering import execute

# What whoever looks after a database does to it, and what PostgreSQL does by itself.
ORDINARY = [
    "CREATE INDEX of_ours ON annotation_rating (score)",
    "ANALYZE annotation_rating",
    "ALTER TABLE annotation_rating SET (autovacuum_vacuum_scale_factor = 0.01)",
    "ALTER TABLE annotation_rating ALTER score SET STATISTICS 500",
    "CREATE STATISTICS of_ours ON submission_id, score FROM annotation_rating",
    "COMMENT ON TABLE annotation_rating IS 'What was answered.'",
    "CREATE ROLE concord_test_backup; GRANT SELECT ON annotation_rating TO concord_test_backup",
    "CREATE TABLE of_ours (id int)",
    "ALTER TABLE annotation_gold RENAME CONSTRAINT annotation_gold_pkey TO the_key",
]
# Who may do more than `migrate` lets anybody, and what is said of it.
RIGHTS = {
    "GRANT SELECT ON annotation_item TO PUBLIC": ("annotation_item", "Everybody may SELECT"),
    "GRANT UPDATE ON accounts_event TO concord_test_app": (
        "accounts_event",
        "concord_test_app may UPDATE",
    ),
    "GRANT INSERT ON accounts_rowdigest TO concord_test_app": (
        "accounts_rowdigest",
        "concord_test_app may INSERT",
    ),
    "GRANT TRUNCATE ON annotation_seat TO concord_test_app": (
        "annotation_seat",
        "concord_test_app may TRUNCATE",
    ),
    "GRANT UPDATE (label) ON annotation_gold TO concord_test_app": (
        "annotation_gold",
        "concord_test_app may UPDATE label",
    ),
    "GRANT UPDATE (password) ON accounts_user TO concord_test_auditor": (
        "accounts_user",
        "concord_test_auditor may UPDATE password",
    ),
    "GRANT INSERT ON django_session TO concord_test_auditor": (
        "django_session",
        "concord_test_auditor may INSERT",
    ),
}


def found_in(folder):
    return [(one.table, one.problem) for one in verify(folder=folder).findings]


def test_the_file_is_what_the_command_prints(db):
    printed = StringIO()
    call_command("describe_tables", stdout=printed)
    assert MADE.read_text(encoding="utf-8") == printed.getvalue(), (
        "Run, where a migration is new: python -m config.launch exec --throwaway sh -c"
        " 'python manage.py migrate && python manage.py describe_tables > accounts/ledger/tables.txt'"
    )


@pytest.mark.parametrize("what", ORDINARY)
def test_what_an_owner_does_for_speed_is_no_alarm(db, tmp_path, what):
    execute(what)
    assert found_in(tmp_path) == []


@pytest.fixture
def granted(db):
    roles.grant(application="concord_test_app", auditor="concord_test_auditor")


def test_the_rights_that_migrate_gives_are_no_alarm(granted, tmp_path):
    assert found_in(tmp_path) == []


@pytest.mark.parametrize("grant", RIGHTS)
def test_a_right_more_is_named(granted, tmp_path, grant):
    execute(grant)
    table, who = RIGHTS[grant]
    assert found_in(tmp_path) == [(table, f"{who} there, a right that `migrate` does not give.")]


def test_a_setting_that_switches_triggers_off_is_named(granted, tmp_path):
    execute(
        f"ALTER DATABASE {connection.settings_dict['NAME']} SET session_replication_role = replica"
    )
    [(where, _problem)] = found_in(tmp_path)
    assert where == "pg_settings"


def test_a_table_of_the_same_name_in_front_is_named(db, tmp_path):
    execute("CREATE SCHEMA shadow; CREATE TABLE shadow.annotation_seat (id int)")
    execute("SET LOCAL search_path TO public, shadow")
    assert found_in(tmp_path) == [
        ("annotation_seat", "Another table of this name stands in its way.")
    ]


def test_what_cannot_be_compared_is_named(db, tmp_path):
    """Where a column is gone, or what stands there is not to be read."""
    execute("ALTER TABLE annotation_rating DROP COLUMN path")
    found = found_in(tmp_path)
    assert ("PostgreSQL", 'It cannot be compared: column "path" does not exist.') in found
    assert ("annotation_rating", "It is not as the migrations made it.") in found


def test_tables_of_before_an_upgrade_are_told_to_be_migrated(db, tmp_path):
    MigrationRecorder.Migration.objects.filter(name="0015_who_somebody_is").delete()
    [(where, problem)] = found_in(tmp_path)
    assert where == "django_migrations"
    assert "accounts.0015_who_somebody_is" in problem


def test_a_dump_that_was_read_again_is_no_alarm(db):
    """PostgreSQL writes checks of lists otherwise after it."""
    [(check,)] = execute(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'grant_level_is_known'"
    )
    execute("ALTER TABLE annotation_grant DROP CONSTRAINT grant_level_is_known")
    execute(f"ALTER TABLE annotation_grant ADD CONSTRAINT grant_level_is_known {check}")
    [(again,)] = execute(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'grant_level_is_known'"
    )
    assert again != check
    assert list(catalogue.differences()) == []
