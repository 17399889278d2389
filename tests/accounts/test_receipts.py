"""A receipt that is checked without the server: by the script that ships with it."""

import json
import subprocess
import sys

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts import receipts
from accounts.receipts.verify_receipt import is_sealed
from tests.accounts.conftest import sign
from tests.services import LONGEST


@pytest.fixture
def receipt(as_user, eli):
    """What eli downloads after signing, and the script that comes with it."""
    signature = sign(eli)
    browser = as_user(eli)
    script = browser.get("/access/receipts/verifier/").content
    return browser.get(f"/access/receipts/{signature.pk}/signed/").content, script, signature


def check(tmp_path, content: bytes, script: bytes, *arguments: str):
    (tmp_path / "verify.py").write_bytes(script)
    (tmp_path / "receipt.json").write_bytes(content)
    command = [sys.executable, "-I", "-S", "verify.py", "receipt.json", *arguments]
    return subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=LONGEST
    )


def test_a_receipt_is_good_by_itself(tmp_path, receipt):
    content, script, signature = receipt
    done = check(tmp_path, content, script, "--key", receipts.public_key())
    assert (done.returncode, done.stderr) == (0, "")
    assert signature.text_sha256 in done.stdout
    assert "signed by: Eli" in done.stdout


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("text", "I promise nothing.", "SHA-256 differs"),
        ("sha256", "0" * 64, "SHA-256 differs"),
        ("seal", "0" * 128, "seal is not"),
        ("seal", "zz", "no receipt"),
        ("key", "11" * 32, "Another server"),
        ("format", "other", "no receipt"),
    ],
)
def test_a_receipt_that_was_changed_is_not(tmp_path, receipt, field, value, problem):
    content, script, _ = receipt
    changed = json.dumps(json.loads(content) | {field: value}).encode()
    done = check(tmp_path, changed, script, "--key", receipts.public_key())
    assert done.returncode == 1
    assert problem in done.stderr


def test_nobody_reads_another_s_receipt(as_user, receipt, ben):
    signature = receipt[2]
    assert as_user(ben).get(f"/access/receipts/{signature.pk}/signed/").status_code == 404


@given(
    text=st.binary(max_size=80), secret=st.binary(min_size=32, max_size=32), bit=st.integers(0, 511)
)
@settings(max_examples=15)
def test_the_script_agrees_with_a_library(text, secret, bit):
    key = Ed25519PrivateKey.from_private_bytes(secret)
    public, seal = key.public_key().public_bytes_raw(), key.sign(text)
    assert is_sealed(text, key=public, seal=seal)
    assert not is_sealed(text + b".", key=public, seal=seal)
    broken = bytearray(seal)
    broken[bit // 8] ^= 1 << bit % 8
    assert not is_sealed(text, key=public, seal=bytes(broken))
