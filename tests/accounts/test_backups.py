"""A backup, and bringing it back, are done whole or not at all."""

import gzip
import hashlib
import json
from datetime import datetime
from types import SimpleNamespace

import pytest
from django.utils import timezone

from accounts.ledger import checkpoints
from accounts.models import User
from accounts.operations import backups

pytestmark = pytest.mark.django_db(transaction=True)


def full(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_backup_for_which_the_disk_is_too_small_leaves_nothing_on_it(tmp_path, ben, monkeypatch):
    monkeypatch.setattr(backups, "_copy_ledger", full)
    with pytest.raises(OSError, match="No space"):
        backups.back_up(to=tmp_path / "backup", by=None, at=timezone.now())
    assert list(tmp_path.iterdir()) == []


def without_end(folder):
    packed = folder / "tables" / "accounts_user.gz"
    packed.write_bytes(packed.read_bytes()[:-9])


def other_rows(folder):
    packed = folder / "tables" / "accounts_user.gz"
    packed.write_bytes(gzip.compress(gzip.decompress(packed.read_bytes()).replace(b"\t", b"", 1)))


def no_rows(folder):
    (folder / "tables" / "accounts_user.gz").write_bytes(gzip.compress(b""))


def told_otherwise(folder):
    manifest = json.loads((folder / "backup.json").read_text())
    del manifest["tables"]["accounts_event"]
    (folder / "backup.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("change", "with_sums", "words"),
    [
        (no_rows, False, "tables/accounts_user.gz is not as it was backed up"),
        (no_rows, True, r"tables/accounts_user.gz has 0 rows, not \d"),
        (without_end, True, "tables/accounts_user.gz cannot be read: EOFError"),
        (other_rows, True, "tables/accounts_user.gz cannot be read: "),
        (told_otherwise, True, "The tables here are not those of the backup"),
        (lambda folder: (folder / "tables" / "accounts_user.gz").unlink(), False, "accounts_user"),
        (
            lambda folder: (folder / "ledger" / "2099-01.jsonl").touch(),
            False,
            "2099-01.jsonl is no",
        ),
        (lambda folder: (folder / "backup.json").write_text("{"), False, "no backup of Concord's"),
        (lambda folder: (folder / "backup.json").write_text("[" * 9_999), False, "no backup of"),
        (lambda folder: (folder / "backup.json").write_text("{}"), False, "no backup of Concord's"),
        (lambda folder: (folder / "backup.json").unlink(), False, "no backup of Concord's"),
    ],
)
def test_a_backup_that_was_changed_is_not_restored(
    tmp_path, ben, monkeypatch, change, with_sums, words
):
    """The second time as by somebody who makes the sums anew."""
    folder = tmp_path / "backup"
    backups.back_up(to=folder, by=None, at=timezone.now())
    change(folder)
    if with_sums:
        manifest = json.loads((folder / "backup.json").read_text())
        manifest["files"] = {
            name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
            for name in manifest["files"]
        }
        (folder / "backup.json").write_text(json.dumps(manifest))
    User.objects.filter(pk=ben.pk).update(affiliation="Since")
    nobody = SimpleNamespace(objects=SimpleNamespace(exists=lambda: False))
    monkeypatch.setattr(backups, "User", nobody)
    with pytest.raises(backups.CannotRestore, match=words):
        backups.restore(source=folder, at=timezone.now())
    assert User.objects.get(pk=ben.pk).affiliation == "Since"


@pytest.mark.parametrize("month", ["2026-11", "2099-01"])
def test_checkpoints_of_rows_that_are_not_in_the_backup_are_not_written_over(
    tmp_path, ben, monkeypatch, settings, month
):
    """They are all that tells what was done since."""
    settings.CHECKPOINT_DIR = tmp_path / "ledger"
    at = datetime.fromisoformat(f"{month}-01T00:00Z")
    checkpoints.promise([b"a" * 32], sequence=1, at=at)
    backups.back_up(to=tmp_path / "backup", by=None, at=timezone.now())
    checkpoints.promise([b"b" * 32], sequence=2, at=at)
    since = settings.CHECKPOINT_DIR / f"{month}.jsonl"
    text = since.read_text()
    monkeypatch.setattr(
        backups, "User", SimpleNamespace(objects=SimpleNamespace(exists=lambda: False))
    )
    with pytest.raises(backups.CannotRestore, match=f"{month}.jsonl has checkpoints of a ledger"):
        backups.restore(source=tmp_path / "backup", at=timezone.now())
    assert since.read_text() == text


def test_a_restore_whose_files_cannot_be_written_can_be_tried_again(tmp_path, ben, monkeypatch):
    backups.back_up(to=tmp_path / "backup", by=None, at=timezone.now())
    User.objects.filter(pk=ben.pk).update(affiliation="Since")
    monkeypatch.setattr(backups, "_reason_not_to", lambda *_: None)
    monkeypatch.setattr(backups, "_bring_back", full)
    with pytest.raises(OSError, match="No space"):
        backups.restore(source=tmp_path / "backup", at=timezone.now())
    assert User.objects.get(pk=ben.pk).affiliation == "Since"
