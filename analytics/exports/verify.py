"""Check a release, in its own folder: python verify.py PUBLIC_KEY (from the server it came from)."""

import hashlib
import json
import sys
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

if __name__ == "__main__":
    signed = Path("manifest.json").read_bytes()
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(sys.argv[1]))
    key.verify(bytes.fromhex(Path("manifest.sig").read_text()), signed)
    for name, told in json.loads(signed)["files"].items():
        if hashlib.sha256(Path(name).read_bytes()).hexdigest() != told["sha256"]:
            sys.exit(f"{name} is not as it was signed.")
    print("Signed by that key, and every file as it was signed.")  # noqa: T201 -- a program
