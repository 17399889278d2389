"""Receipts of signatures with the server's seal, which can be checked without the server."""

import hashlib
import json
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

FORMAT = "concord-receipt-1"
VERIFIER = Path(__file__).parent / "verify_receipt.py"


def signed(text: str) -> str:
    """A signed text with its fingerprint and the seal on it, as JSON."""
    content = text.encode()
    receipt = {
        "format": FORMAT,
        "text": text,
        "sha256": hashlib.sha256(content).hexdigest(),
        "key": public_key(),
        "seal": _key().sign(content).hex(),
    }
    return json.dumps(receipt, ensure_ascii=False, indent=1) + "\n"


def public_key() -> str:
    return _key().public_key().public_bytes_raw().hex()


def _key() -> Ed25519PrivateKey:
    secret = settings.RECEIPT_KEY or settings.SECRET_KEY
    return Ed25519PrivateKey.from_private_bytes(
        hashlib.sha256(f"concord.receipts:{secret}".encode()).digest()
    )
