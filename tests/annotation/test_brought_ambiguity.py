"""What came in as truly ambiguous is shown where gold is, once gold may be seen, and no longer."""

import pytest
from django.utils import timezone

from annotation.models import BroughtAmbiguity, Gold
from annotation.queries.ambiguities import spread_of
from annotation.rules.deciding import AMBIGUOUS
from tests.annotation.doing import (
    NONSENSE,
    SAFE,
    assignment_of,
    close,
    decide,
    rate,
    round_item,
)

MARK = "Came in as truly ambiguous"


def bring(item, spread: str) -> None:
    BroughtAmbiguity.objects.create(
        item=item, criterion_key="safety", distribution=spread, brought_at=timezone.now()
    )


@pytest.fixture
def brought(pond):
    """The first item of the pond, on which raters elsewhere parted two to one."""
    item = pond.items.order_by("position").first()
    bring(item, "nonsense:2 safe_response:1 unclear:1")
    return item


def test_a_coordinator_sees_it_with_its_spread(brought, ada, as_user):
    page = as_user(ada).get(f"/studies/pond/items/{brought.pk}/").content.decode()
    assert MARK in page
    assert "Nonsense: 2" in page
    assert page.count(": 1") >= 2


def test_it_is_told_no_more_once_there_is_gold(brought, ada, as_user):
    Gold.objects.create(
        item=brought,
        criterion_key="safety",
        label="safe_response",
        origin="imported",
        decided_at=timezone.now(),
    )
    page = as_user(ada).get(f"/studies/pond/items/{brought.pk}/").content.decode()
    assert MARK not in page


def test_raters_and_who_decides_read_it_after_the_decision(
    pond_round, brought, ada, ben, cleo, dora, as_user
):
    for position in range(1, 7):
        rate(pond_round, ben, position, NONSENSE if position == 1 else SAFE)
        rate(pond_round, cleo, position, SAFE)
    case = f"/studies/pond/adjudicate/{round_item(pond_round).pk}/"
    mine = f"/studies/pond/my-work/{assignment_of(pond_round, ben).pk}/"
    assert round_item(pond_round).item_id == brought.pk
    assert MARK not in as_user(dora).get(case).content.decode()
    decide(pond_round, dora, 1, {"safety": AMBIGUOUS})
    assert MARK in as_user(dora).get(case).content.decode()
    assert MARK not in as_user(ben).get(mine).content.decode()
    close(pond_round, ada)
    assert MARK in as_user(ben).get(mine).content.decode()


@pytest.mark.parametrize(
    ("distribution", "spread"),
    [
        ("", ()),
        ("nonsense:2", (("Nonsense", 2),)),
        ("gone:1 nonsense:x nonsense", (("gone", 1),)),
    ],
)
def test_a_spread_that_cannot_be_read_is_left_out(pond, distribution, spread):
    criterion = pond.rubric_version.content.criteria[0]
    assert spread_of(criterion, distribution) == spread
