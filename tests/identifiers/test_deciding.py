"""What is decided about identifiers, of a kind and of a single hit."""

import pytest

from annotation.identifiers import Decisions, Hit, IdentifierKind, Treatment, place_of

PHONE, NAME = IdentifierKind.PHONE, IdentifierKind.NAME
TEXT = "我叫李明，电话13800138000。"
SAID = Decisions(by_kind={"phone": "redact"}, by_hit={"0": "keep", "there": "drop"})


@pytest.mark.parametrize(
    ("hit", "kind", "treatment"),
    [
        (0, PHONE, Treatment.KEEP),
        (1, PHONE, Treatment.REDACT),
        (0, NAME, Treatment.KEEP),
        (1, NAME, None),
        ("there", PHONE, Treatment.DROP),
        ("elsewhere", PHONE, Treatment.REDACT),
    ],
)
def test_what_is_said_of_a_hit_goes_before_what_is_said_of_its_kind(hit, kind, treatment):
    assert SAID.of(hit, kind) is treatment


def test_decisions_come_back_from_what_was_kept_of_an_import():
    kept = {
        "by_kind": {"phone": "keep"},
        "by_hit": {"2": "drop"},
        "reasons": {"phone": "a hotline"},
    }
    assert Decisions.among({"identifiers": kept, "dry_run": False}) == Decisions(**kept)
    assert Decisions.among({"dry_run": False}) == Decisions(by_kind={})


def test_a_hit_has_its_place_by_its_text_and_where_it_begins():
    places = {
        place_of(text, Hit(begin, begin + 2, kind))
        for text, begin, kind in [(TEXT, 2, NAME), (TEXT, 3, NAME), (TEXT + "1", 2, NAME)]
    }
    assert [len(place) for place in places] == [20, 20, 20]
    assert place_of(TEXT, Hit(2, 4, NAME)) == place_of(str(TEXT), Hit(2, 5, PHONE)) in places
    assert place_of("1:2", Hit(3, 4, NAME)) != place_of("2", Hit(31, 32, NAME))
