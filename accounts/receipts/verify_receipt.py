"""Check a receipt of Concord: python verify_receipt.py FILE [--key KEY]

Needs Python and nothing else, no network and no server. KEY is the public key that the server's
data steward named, or that stood on the page of the receipt: without it, you learn that whoever
holds the key in the file has sealed this text, and not who that is.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path

# Ed25519 (RFC 8032): the field, the curve, the order of its base point and the point itself.
P = 2**255 - 19
D = -121665 * pow(121666, P - 2, P) % P
ORDER = 2**252 + 27742317777372353535851937790883648493
Y = 4 * pow(5, P - 2, P) % P

Point = tuple[int, int, int, int]


def add(a: Point, b: Point) -> Point:
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    w, x, y, z = f - e, h - g, h + g, f + e
    return w * x % P, y * z % P, x * y % P, w * z % P


def times(n: int, point: Point) -> Point:
    total = (0, 1, 1, 0)
    while n:
        if n & 1:
            total = add(total, point)
        point, n = add(point, point), n >> 1
    return total


def point_at(y: int, sign: int) -> Point:
    if y >= P:
        raise ValueError
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P or (x == 0 and sign):
        raise ValueError
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


def read_point(encoded: bytes) -> Point:
    number = int.from_bytes(encoded, "little")
    return point_at(number & ((1 << 255) - 1), number >> 255)


def is_sealed(text: bytes, *, key: bytes, seal: bytes) -> bool:
    """Whether whoever holds `key` has sealed `text`."""
    if len(key) != 32 or len(seal) != 64:
        return False
    try:
        holder, commitment = read_point(key), read_point(seal[:32])
    except ValueError:
        return False
    s = int.from_bytes(seal[32:], "little")
    if s >= ORDER:
        return False
    h = int.from_bytes(hashlib.sha512(seal[:32] + key + text).digest(), "little") % ORDER
    left, right = times(s, point_at(Y, 0)), add(commitment, times(h, holder))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (
        left[1] * right[2] - right[1] * left[2]
    ) % P == 0


def problem_with(receipt: dict[str, str], key: str) -> str:
    """What is wrong with a receipt; nothing if it is good."""
    try:
        text = receipt["text"].encode()
        seal, named = bytes.fromhex(receipt["seal"]), bytes.fromhex(receipt["key"])
        if receipt["format"] != "concord-receipt-1":
            return "This is no receipt that this script knows."
        if hashlib.sha256(text).hexdigest() != receipt["sha256"]:
            return "The text is not the one that was signed: its SHA-256 differs."
    except (KeyError, ValueError, AttributeError, TypeError):
        return "This is no receipt that this script knows."
    if key and key.lower() != receipt["key"]:
        return "Another server sealed it: its key is not the one you named."
    if not is_sealed(text, key=named, seal=seal):
        return "The seal is not of this text, or not of this key."
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--key", default="", help="64 digits: the server's public key")
    options = parser.parse_args()
    try:
        receipt = json.loads(options.file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        sys.exit(f"{options.file} cannot be read: {error}")
    problem = problem_with(receipt, options.key)
    if problem:
        sys.exit(problem)
    print(f"Good. Sealed by {receipt['key']}, SHA-256 {receipt['sha256']}.")
    print(receipt["text"].rpartition("---\n")[2].strip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
