"""Which draft may take the place of which."""

import pytest

from annotation.rules.drafting import (
    LONGEST_NAME,
    LONGEST_VALUE,
    MOST_FIELDS,
    TYPED,
    DraftVersion,
    is_older,
    problem_with_fields,
    reason_not_to_replace,
)

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("kept", "coming", "base", "is_refused"),
    [
        (None, DraftVersion("a", 1), 0, False),
        (DraftVersion("a", 1), DraftVersion("a", 2), 0, False),
        (DraftVersion("a", 1), DraftVersion("b", 1), 0, True),
        (DraftVersion("a", 1), DraftVersion("b", 2), 1, False),
        (DraftVersion("a", 3), DraftVersion("b", 2), 1, True),
    ],
)
def test_only_who_has_seen_the_other_draft_replaces_it(kept, coming, base, is_refused):
    assert bool(reason_not_to_replace(kept, coming, base=base)) is is_refused


@pytest.mark.parametrize(
    ("kept", "is_dropped"), [(None, False), (("a", 1), False), (("a", 2), True), (("b", 9), False)]
)
def test_what_its_writer_sent_before_is_dropped(kept, is_dropped):
    assert is_older(kept and DraftVersion(*kept), DraftVersion("a", 2)) is is_dropped


def fields(n, value=""):
    return {f"field{place}": value for place in range(n)}


@pytest.mark.parametrize(
    ("values", "is_refused"),
    [
        ({}, False),
        (fields(MOST_FIELDS), False),
        (fields(MOST_FIELDS + 1), True),
        ({"n" * LONGEST_NAME: ""}, False),
        ({"n" * (LONGEST_NAME + 1): ""}, True),
        ({"n" * LONGEST_NAME + TYPED: "typed"}, True),
        ({"warmth": "v" * LONGEST_VALUE}, False),
        ({"warmth": "v" * (LONGEST_VALUE + 1)}, True),
        ({"warmth" + TYPED: "v" * (LONGEST_VALUE + 1)}, False),
        (fields(2) | {"warmth": "v" * (LONGEST_VALUE + 1)} | fields(2), True),
    ],
)
def test_a_form_has_so_many_fields_of_such_lengths_and_what_is_typed_is_longer(values, is_refused):
    assert bool(problem_with_fields(values)) is is_refused
