"""The ledger is a chain, and every row that it governs is as it was written."""

import pytest
from django.utils import timezone

from accounts import events
from accounts.ledger import sealing
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
