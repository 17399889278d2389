"""A backup, and bringing it back, are done whole or not at all."""

import pytest
from django.utils import timezone

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


def test_a_restore_whose_files_cannot_be_written_can_be_tried_again(tmp_path, ben, monkeypatch):
    backups.back_up(to=tmp_path / "backup", by=None, at=timezone.now())
    User.objects.filter(pk=ben.pk).update(affiliation="Since")
    monkeypatch.setattr(backups, "_reason_not_to", lambda *_: None)
    monkeypatch.setattr(backups, "_bring_back", full)
    with pytest.raises(OSError, match="No space"):
        backups.restore(source=tmp_path / "backup", at=timezone.now())
    assert User.objects.get(pk=ben.pk).affiliation == "Since"
