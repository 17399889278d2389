"""The ledger is a chain, and every row that it governs is as it was written."""

import io
import re

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from accounts import events
from accounts.ledger import sealing
from accounts.ledger.marks import introduce
from accounts.ledger.verifying import verify
from accounts.models import Event, Seal, Unsealed


@pytest.fixture
def folder(settings, tmp_path):
    settings.CHECKPOINT_DIR = tmp_path / "ledger"
    return settings.CHECKPOINT_DIR


@pytest.fixture
def sealed(folder, asked, uma):
    """A few things have happened: people signed and asked, and all of it is sealed."""
    for number in range(20):
        events.record("made.up", subject=f"line:{number}", by=uma, at=timezone.now())
    sealing.seal_all()


def test_what_happens_is_sealed_in_order_and_without_a_gap(sealed):
    assert list(Seal.objects.order_by("pk").values_list("pk", flat=True)) == list(
        range(1, Seal.objects.count() + 1)
    )
    assert not Unsealed.objects.exists()
    assert not Event.objects.filter(seal=None).exists()


def test_a_sound_ledger_is_found_sound(sealed, folder):
    audit = verify(folder=folder)
    assert audit.findings == []
    assert audit.n_sealed == Seal.objects.count()
    assert audit.n_rows > 0


def test_a_file_of_checkpoints_that_a_full_disk_left_empty_stops_no_sealing(sealed, folder, uma):
    (folder / "9999-12.jsonl").touch()
    events.record("made.up", subject="line:later", by=uma, at=timezone.now())
    assert sealing.seal_all() == 1
    assert verify(folder=folder).findings == []


def said_of(folder) -> tuple[int, str]:
    """What the command ends with, and says."""
    told = io.StringIO()
    try:
        call_command("verify_audit", checkpoints=folder, stdout=told)
    except SystemExit as end:
        return end.code, told.getvalue()
    return 0, told.getvalue()


def changed(folder, change):
    """The lines of the one file of checkpoints, as `change` gives them back."""
    (file,) = folder.glob("*.jsonl")
    file.write_bytes(b"".join(change(file.read_bytes().splitlines(keepends=True))))


def test_checkpoints_that_are_not_where_they_are_looked_for_are_missed(sealed, folder, tmp_path):
    assert said_of(folder)[0] == 0
    nowhere, empty = tmp_path / "nowhere", tmp_path / "empty"
    empty.mkdir()
    assert f"There is no folder {nowhere}" in said_of(nowhere)[1]
    assert f"There is no checkpoint in {empty}." in said_of(empty)[1]
    assert (said_of(nowhere)[0], said_of(empty)[0]) == (1, 1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: [*lines[:-2], lines[-2][:40]], "No checkpoint knows this row"),
        (lambda lines: lines[2:], "No checkpoint knows this row"),
        (lambda lines: [*lines[2:], *lines[:2]], "knows this row stands behind later ones"),
        (lambda lines: [*lines[:2], lines[2].replace(b'"rows":"', b'"rows":"0')], "No checkpoint"),
        (
            lambda lines: [re.sub(rb'"hash":"\w+"', b'"hash":""', one) for one in lines],
            "There is no",
        ),
        (
            lambda lines: [re.sub(rb'"hash":"\w+"', b'"hash":"%064x"' % 7, one) for one in lines],
            "A checkpoint has seen another row here",
        ),
        (
            lambda lines: [
                one + b"[5]\n7\n" + b"[" * 99_999 + b'\n{"sequence":"a"}\n' for one in lines
            ],
            "All of it is as it was written",
        ),
    ],
    ids=["cut", "without begin", "turned", "short", "no hash", "another", "more"],
)
def test_checkpoints_that_were_changed_are_found(sealed, folder, uma, change, words):
    events.record("made.up", subject="line:later", by=uma, at=timezone.now())
    sealing.seal_all()
    changed(folder, change)
    assert words in said_of(folder)[1]


def test_who_may_sign_in_as_the_application_cannot_read_the_secret_of_its_session(db):
    """What a session asked last is shown to every other one of the same role."""
    session = connection.copy()
    try:
        session.connect()
        [secret] = session.connection.execute(
            "SELECT current_setting('concord.session')"
        ).fetchone()
        introduce(connection=session)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(
                "SELECT query FROM pg_stat_activity WHERE pid = %s",
                [session.connection.info.backend_pid],
            )
            [asked] = cursor.fetchone()
    finally:
        session.close()
    assert len(secret) == 80
    assert "set_config" in asked
    assert not re.search("[0-9a-f]{40}", asked)


def test_what_waits_is_read_and_not_all_that_is_sealed(folder, uma):
    """After a rush too, of which the table of what waits has kept the pages."""
    for number in range(2_000):
        events.record("made.up", subject=f"line:{number}", by=uma, at=timezone.now())
    sealing.seal_all()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE accounts_event, accounts_seal")
    events.record("made.up", subject="line:later", by=uma, at=timezone.now())
    before = read_from_end_to_end()
    assert [one.may_be_sealed for one in sealing.waiting()] == [True]
    assert read_from_end_to_end() == before


def read_from_end_to_end() -> int:
    """How many rows of what is sealed this transaction has read without an index."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(seq_tup_read) FROM pg_stat_xact_user_tables"
            " WHERE relname IN ('accounts_event', 'accounts_rowdigest', 'accounts_seal')"
        )
        [[rows]] = cursor.fetchall()
    return rows
