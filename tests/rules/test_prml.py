"""Manifests of claims: the bytes of the specification's own vectors, and what is refused."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from analytics.policies import prml

HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
MINIMAL = {
    "version": "prml/0.1",
    "claim_id": "01900000-0000-7000-8000-000000000000",
    "created_at": "2026-05-01T12:00:00Z",
    "metric": "accuracy",
    "comparator": ">=",
    "threshold": 0.85,
    "dataset": {"id": "imagenet-val-2012", "hash": HASH},
    "seed": 42,
    "producer": {"id": "studio-11.co"},
}
ZEROS = "0" * 64
EDGE = {
    **MINIMAL,
    "threshold": 0.5,
    "dataset": {"id": "test-dataset", "hash": ZEROS},
    "producer": {"id": "edge.example"},
}
# {vector of PRML 0.1: a manifest, the SHA-256 that the specification prints}
VECTORS = {
    "TV-001": (MINIMAL, "1a3466cc08ee7fb60a726ea1c4db6ecf48a9f847b9b7523bfb54b2ffaefee546"),
    "TV-002": (
        dict(reversed(MINIMAL.items())),
        "1a3466cc08ee7fb60a726ea1c4db6ecf48a9f847b9b7523bfb54b2ffaefee546",
    ),
    "TV-003": (
        {**MINIMAL, "threshold": 0.86},
        "b96b5b8d613e29d8c28c1cf91c03821b02224c41188c6128743fa2d55639d4bb",
    ),
    "TV-005": (
        {
            **MINIMAL,
            "claim_id": "01900000-0000-7000-8000-000000000002",
            "producer": {"id": "üniversite.edu.tr"},
        },
        "6cf48a868f8f2fec59647d4b8327a27aba7dc219c14ab799ad85398a5aa9e1b6",
    ),
    "TV-006": (
        {**EDGE, "claim_id": "01900000-0000-7000-8000-000000000003", "seed": 2**64 - 1},
        "57c71c567e0c4d86c691e311634730cd1ff0c65308f3a917d62d89d36d31c81d",
    ),
    "TV-007": (
        {**EDGE, "claim_id": "01900000-0000-7000-8000-000000000004", "seed": 0},
        "766d6ca6ee06b619bf4e49f586eff0e979adcd034abae31d2c52b93d00ef7b92",
    ),
    "TV-008": (
        {
            **MINIMAL,
            "claim_id": "01900000-0000-7000-8000-000000000005",
            "metric": "exact_match",
            "comparator": "==",
            "threshold": 1,
            "dataset": {"id": "synth-100", "hash": "abcdef0123456789" * 4},
            "seed": 7,
        },
        "fc2bf632dfb10bac8cf88b0c0756af2b53175c9b3078ae34aaf6ce63102c1b56",
    ),
    "TV-009": (
        {
            **MINIMAL,
            "claim_id": "01900000-0000-7000-8000-000000000006",
            "created_at": "2026-05-15T14:00:00Z",
            "threshold": 0.87,
            "prior_hash": "1a3466cc08ee7fb60a726ea1c4db6ecf48a9f847b9b7523bfb54b2ffaefee546",
            "notes": "Threshold raised after dataset re-curation found 12 mislabeled examples.",
        },
        "29c60f7ccfb1f12777127785be25e3b2ca121b9b85b020f7bbd8e89a65ff1a04",
    ),
    "TV-012": (
        {
            **MINIMAL,
            "claim_id": "01900000-0000-7000-8000-000000000009",
            "created_at": "2026-09-01T15:00:00Z",
            "metric": "mae",
            "comparator": "<=",
            "threshold": 2.5,
            "dataset": {
                "id": "boston-housing",
                "hash": "9999888877776666555544443333222211110000aaaaffffeeeeddddccccbbbb",
            },
            "seed": 1,
        },
        "ec1d18427451f0bd7886c6ac4027f07a779f899035c27ea52cb2765212866424",
    ),
    "TV-013": (
        {
            **MINIMAL,
            "claim_id": "01900000-0000-7000-8000-00000000000a",
            "created_at": "2026-06-01T12:00:00Z",
            "metric": "accuracy_pct",
            "threshold": 90,
            "dataset": {"id": "eval-2k", "hash": "abcd1234" * 8},
            "producer": {"id": "falsify.dev"},
        },
        "cb9683ce70f5d45d407b827d0b9223d342ebd3600c560ec6a9e76dd336bf007d",
    ),
}


@pytest.mark.parametrize("vector", VECTORS)
def test_the_specification_prints_the_same_hash(vector):
    manifest, printed = VECTORS[vector]
    assert prml.sha256_of(manifest) == printed


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"threshold": float("inf")}, "finite"),
        ({"threshold": True}, "threshold"),
        ({"seed": -1}, "seed"),
        ({"comparator": "~"}, "comparator"),
        ({"version": "prml/0.2"}, "version"),
        ({"metric": "a\u2028b"}, "control character"),
        ({"metric": "u\u0308"}, "normal form C"),
        ({"dataset": "imagenet"}, "dataset"),
    ],
)
def test_what_the_specification_forbids_is_refused(changes, words):
    with pytest.raises(prml.NotPrml, match=words):
        prml.canonical({**MINIMAL, **changes})


def test_a_file_is_read_back_to_the_same_bytes():
    content = prml.canonical(MINIMAL)
    assert prml.canonical(prml.read_manifest(content)) == content


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff", "not YAML"),
        (b"- a\n", "not a mapping"),
        (prml.canonical(MINIMAL) + b"seed: 43\n", "twice"),
        (b"metric: accuracy\n", "missing"),
    ],
)
def test_a_file_that_is_no_manifest_is_refused(content, words):
    with pytest.raises(prml.NotPrml, match=words):
        prml.read_manifest(content)


def test_a_claim_is_named_by_its_moment_and_by_what_it_is_of():
    at = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    one, same, other = (prml.claim_id(at, of=of) for of in ("one", "one", "other"))
    assert one == same != other
    assert (UUID(one).version, UUID(one).int >> 80) == (7, int(at.timestamp() * 1000))
