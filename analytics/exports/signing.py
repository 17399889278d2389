"""The key under which this server signs what leaves it: made once, kept beside the data."""

import os
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings

_SEED = 32  # bytes


def sign(content: bytes) -> bytes:
    return _key().sign(content)


def is_signed(content: bytes, *, signature: str, key: str) -> bool:
    """Whether whoever has the key, of which this is the public part in hex, signed the content."""
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(signature), content)
    except (ValueError, InvalidSignature):
        return False
    return True


def public_key() -> str:
    """What signatures are checked with, in hex. Whoever checks has it from this server's page."""
    return _key().public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()


def _key() -> Ed25519PrivateKey:
    given = settings.SIGNING_KEY or _kept(settings.KEY_DIR / "signing.hex")
    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(given))


def _kept(path: Path) -> str:
    """What stands in the file; of two processes that find none, one makes it for both."""
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = path.with_name(f"{path.name}.{os.getpid()}")
        made.touch(mode=0o600)
        made.write_text(os.urandom(_SEED).hex(), encoding="ascii")
        try:
            path.hardlink_to(made)  # all of it, or the other's
        except FileExistsError:
            pass
        finally:
            made.unlink()
    return path.read_text(encoding="ascii").strip()
