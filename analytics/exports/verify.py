"""Check a release, in its own folder: python verify.py PUBLIC_KEY (from the server it came from)."""

import hashlib
import json
import sys
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def problem_with(signed: bytes, key: str) -> str:
    """What is not as it was signed; nothing if all of it is."""
    signature = bytes.fromhex(Path("manifest.sig").read_text(encoding="utf-8"))
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(signature, signed)
    except InvalidSignature:
        return "manifest.json is not as it was signed, or by another key."
    sums = {name: told["sha256"] for name, told in json.loads(signed)["files"].items()}
    for name, sha256 in sums.items():
        if sum_of(name) != sha256:
            return f"{name} is not as it was signed."
    sums |= {name: sum_of(name) for name in ("manifest.json", "manifest.sig")}
    told = Path("SHA256SUMS").read_text(encoding="utf-8").splitlines()
    if sorted(told) != sorted(f"{sha256}  {name}" for name, sha256 in sums.items()):
        return "SHA256SUMS does not say what these files are."
    return ""


def sum_of(name: str) -> str:
    return hashlib.sha256(Path(name).read_bytes()).hexdigest()


def main(key: str) -> None:
    try:
        signed = Path("manifest.json").read_bytes()
        problem = problem_with(signed, key)
    except (OSError, ValueError) as error:
        problem = f"This cannot be checked: {error}"
    if problem:
        sys.exit(problem)
    known = {*json.loads(signed)["files"], "manifest.json", "manifest.sig", "SHA256SUMS"}
    strangers = sorted({path.name for path in Path().iterdir()} - known)
    said = ["Signed by that key, and every file as it was signed."]
    said += [f"Not of the release: {stranger}" for stranger in strangers]
    sys.stdout.write("\n".join(said) + "\n")


if __name__ == "__main__":
    main(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)
