"""Claims that are fixed beforehand, in the form of PRML 0.1 (Pre-Registered ML Manifest).

A manifest is a small YAML document that binds one metric, a comparator, a threshold, a data set and a
seed; its canonical bytes are named by their SHA-256 (spec.falsify.dev/v0.1, sections 2 to 4).
"""

import hashlib
import math
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import yaml

VERSION = "prml/0.1"
COMPARATORS = (">=", ">", "==", "<=", "<")
_REQUIRED: Mapping[str, type | tuple[type, ...]] = {
    "version": str,
    "claim_id": str,
    "created_at": str,
    "metric": str,
    "comparator": str,
    "threshold": (int, float),
    "dataset": dict,
    "seed": int,
    "producer": dict,
}
_WIDEST = 1_000_000
_MARKS_NOWHERE = {"\u2028", "\u2029", "\ufeff"}


class NotPrml(Exception):
    """A sentence that says why a text is no manifest."""


class _OnceEach(yaml.SafeLoader):
    """Reads YAML in which no key stands twice."""


def _mapping(loader: _OnceEach, node: yaml.MappingNode) -> dict[Any, Any]:
    keys = [loader.construct_object(key) for key, _value in node.value]
    if not all(isinstance(key, str) for key in keys):
        raise NotPrml("A key is no text.")
    if len(keys) != len(set(keys)):
        raise NotPrml("A key stands there twice.")
    return loader.construct_mapping(node, deep=True)


_OnceEach.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def canonical(manifest: Mapping[str, Any]) -> bytes:
    """The bytes that a manifest is named by: keys in order, two spaces, one end a line. NotPrml."""
    if problem := next(_problems(manifest), None):
        raise NotPrml(problem)
    whole = {**manifest, "threshold": float(manifest["threshold"])}
    text = yaml.safe_dump(
        whole, sort_keys=True, default_flow_style=False, allow_unicode=True, width=_WIDEST
    )
    return text.encode()


def sha256_of(manifest: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(manifest)).hexdigest()


def read_manifest(content: bytes) -> dict[str, Any]:
    """The manifest in a file. NotPrml says what is wrong with it."""
    try:
        found = yaml.load(content.decode(), _OnceEach)  # noqa: S506 -- a SafeLoader
        if not isinstance(found, dict):
            raise NotPrml("This is not a mapping of keys to values.")
        canonical(found)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
        raise NotPrml("This is not YAML in UTF-8 as PRML has it.") from None
    return found


def claim_id(at: datetime, *, of: str) -> str:
    """A UUID of version 7 for a moment; the rest of it is drawn from what the claim is `of`."""
    milliseconds = int(at.timestamp() * 1000)
    drawn = int.from_bytes(hashlib.sha256(of.encode()).digest()[:10])
    number = (milliseconds << 80) | drawn
    number = (number & ~(0xF << 76)) | (0x7 << 76)
    return str(UUID(int=(number & ~(0x3 << 62)) | (0x2 << 62)))


def moment(at: datetime) -> str:
    """RFC 3339 in UTC, to the second."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _problems(manifest: Mapping[str, Any]) -> Iterator[str]:
    for key, kind in _REQUIRED.items():
        if not isinstance(manifest.get(key), kind) or isinstance(manifest[key], bool):
            yield f"“{key}” is missing, or not of its kind."
    if manifest["version"] != VERSION:
        yield f"“version” must be {VERSION}."
    if manifest["comparator"] not in COMPARATORS:
        yield f"“comparator” must be one of {' '.join(COMPARATORS)}."
    if not math.isfinite(manifest["threshold"]):
        yield "“threshold” must be a finite number."
    if not 0 <= manifest["seed"] < 2**64:
        yield "“seed” must be a whole number from 0 to 2^64 − 1."
    for text in _texts(manifest, {}):
        if any(unicodedata.category(one) == "Cc" or one in _MARKS_NOWHERE for one in text):
            yield "A text holds a control character, which PRML forbids."
        if not unicodedata.is_normalized("NFC", text):
            yield "A text is not in Unicode’s normal form C."


def _texts(value: Any, seen: dict[int, Any]) -> Iterator[str]:
    """Every text in a value; what aliases of YAML name again is in `seen`, and looked at once."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (Mapping, list)) and id(value) not in seen:
        seen[id(value)] = value
        for one in [*value, *(value.values() if isinstance(value, Mapping) else ())]:
            yield from _texts(one, seen)
