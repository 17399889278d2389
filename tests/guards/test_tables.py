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
# Who may do more by being somebody else, and what is set for whoever signs in.
BESIDE_RIGHTS = {
    "ALTER ROLE concord_test_app SUPERUSER": "concord_test_app is a superuser",
    "ALTER ROLE concord_test_auditor SUPERUSER": "concord_test_auditor is a superuser",
    "ALTER ROLE concord_test_app CREATEROLE": "concord_test_app may make roles",
    "ALTER ROLE concord_test_app BYPASSRLS": "concord_test_app passes every policy",
    "ALTER ROLE concord_test_app REPLICATION": "concord_test_app may replicate",
    "GRANT pg_write_all_data TO concord_test_app": "concord_test_app may act as pg_write_all_data",
    "CREATE ROLE concord_test_other LOGIN; GRANT pg_write_all_data TO concord_test_other": (
        "concord_test_other writes to every table"
    ),
    "GRANT CREATE ON SCHEMA public TO concord_test_app": "concord_test_app may make what it likes",
    "GRANT CREATE ON SCHEMA public TO PUBLIC": "concord_test_app may make what it likes",
    "GRANT SELECT ON annotation_item TO concord_test_app WITH GRANT OPTION": (
        "concord_test_app may hand on its right to SELECT"
    ),
    "GRANT UPDATE ON SEQUENCE annotation_gold_id_seq TO PUBLIC": (
        "Everybody may set from where its ids go on"
    ),
    "GRANT SET ON PARAMETER session_replication_role TO concord_test_app": (
        "concord_test_app may set session_replication_role"
    ),
    "CREATE SCHEMA concord_test_app; CREATE TABLE concord_test_app.annotation_gold (id int)": (
        "What stands in the schema concord_test_app is found before the tables"
    ),
    "ALTER ROLE concord_test_app SET synchronous_commit TO off": "synchronous_commit is set",
    "ALTER ROLE concord_test_app SET row_security TO off": "row_security is set",
    "ALTER ROLE concord_test_app SET role TO concord": "role is set",
    "ALTER ROLE concord_test_app SET concord.session TO 'x'": "concord.session is set",
    "ALTER ROLE ALL SET search_path TO others, public": "search_path is set",
    "ALTER ROLE ALL SET search_path TO public, pg_catalog": "search_path is set",
    "ALTER ROLE ALL SET local_preload_libraries TO others": "local_preload_libraries is set",
}
# What is set, or may be, without a word in it for or against what is kept.
HARMLESS = [
    'ALTER ROLE concord_test_app SET search_path TO "$user", public',
    "ALTER ROLE concord_test_app SET synchronous_commit TO local",
    "ALTER ROLE concord_test_app SET statement_timeout TO '1min'",
    "ALTER ROLE concord_test_app SET work_mem TO '64MB'",
    "CREATE ROLE concord_test_other; ALTER ROLE concord_test_other SET search_path TO others",
    "CREATE ROLE concord_test_other SUPERUSER LOGIN",
    "CREATE SCHEMA others; CREATE VIEW others.of_ours AS SELECT * FROM annotation_rating",
    "GRANT pg_read_all_data TO concord_test_auditor",
]


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


@pytest.mark.parametrize("what", BESIDE_RIGHTS)
def test_what_gives_rights_or_sets_things_beside_them_is_named(granted, tmp_path, what):
    execute(what)
    told = [problem for _where, problem in found_in(tmp_path)]
    assert any(problem.startswith(BESIDE_RIGHTS[what]) for problem in told), told


@pytest.mark.parametrize("what", HARMLESS)
def test_what_is_set_for_speed_or_for_others_is_no_alarm(granted, tmp_path, what):
    execute(what)
    assert found_in(tmp_path) == []


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
