"""What a run may use, reckoned before it is asked for and held against its limits."""

from decimal import Decimal

import pytest

from judging.rules.budget import (
    Limit,
    Price,
    Use,
    answer_tokens,
    is_count,
    reason_not_to_go_on,
    reason_not_to_limit_money,
    tokens_in,
)

TEXTS = [
    ("", 0),
    ("Frog", 1),
    ("Frogs", 2),
    ("青蛙", 2),
    ("青蛙 is frog", 4),
]


@pytest.mark.parametrize(("text", "tokens"), TEXTS)
def test_tokens_are_reckoned_from_characters(text, tokens):
    assert tokens_in(text) == tokens


def test_an_answer_takes_what_the_judge_allows_or_what_its_form_needs():
    assert answer_tokens(values=7, reasoned=True, most=300) == 300
    assert answer_tokens(values=7, reasoned=True, most=None) == 560
    assert answer_tokens(values=7, reasoned=False, most=None) == 70
    assert answer_tokens(values=7, reasoned=False, beside=2, most=None) == 150


ENOUGH = [
    (Limit(), Use(requests=9, tokens=9), True),
    (Limit(requests=9), Use(requests=9, tokens=10**9), True),
    (Limit(requests=8), Use(requests=9), False),
    (Limit(tokens=8), Use(requests=1, tokens=9), False),
    (Limit(requests=9, tokens=8), Use(requests=9, tokens=8), True),
]


@pytest.mark.parametrize(("limit", "use", "allowed"), ENOUGH)
def test_a_limit_allows_what_stays_within_all_of_it(limit, use, allowed):
    assert limit.allows(use) is allowed


def test_a_limit_that_is_used_up_is_no_limit_to_go_on_with():
    used = Use(requests=1_200, tokens=5, money=Decimal("0.25"))
    assert reason_not_to_go_on(Limit(requests=1_201), used) is None
    assert reason_not_to_go_on(Limit(), used) is None
    assert "1,200 requests" in reason_not_to_go_on(Limit(requests=1_200), used)
    assert "5 tokens" in reason_not_to_go_on(Limit(tokens=5), used)
    assert reason_not_to_go_on(Limit(tokens=6), used) is None
    assert "spent 0.2500" in reason_not_to_go_on(Limit(money=Decimal("0.25")), used)
    assert reason_not_to_go_on(Limit(money=Decimal("0.26")), used) is None


def test_a_price_is_for_a_million_tokens():
    price = Price(prompt=Decimal("2.5"), answer=Decimal(10))

    assert price.of(prompt=1_000_000, answer=100_000) == Decimal("3.5")
    assert price.of(prompt=1, answer=0) == Decimal("0.0000025")
    assert Limit(money=Decimal(1)).allows(Use(money=Decimal(1)))
    assert not Limit(money=Decimal(1)).allows(Use(money=Decimal("1.00000001")))


@pytest.mark.parametrize(
    ("price", "max_tokens", "words"),
    [(None, 10, "what this LLM costs"), (Price(prompt=1, answer=1), None, "longest answer")],
)
def test_without_a_price_or_a_longest_answer_money_cannot_be_limited(price, max_tokens, words):
    why = reason_not_to_limit_money(Limit(money=Decimal(1)), price=price, max_tokens=max_tokens)

    assert words in why
    assert not reason_not_to_limit_money(Limit(), price=price, max_tokens=max_tokens)


def test_uses_are_added_and_taken_away():
    one = Use(requests=3, tokens=50, money=Decimal("0.30"))
    other = Use(requests=2, tokens=8, money=Decimal("0.01"))
    assert one + other == Use(requests=5, tokens=58, money=Decimal("0.31"))
    assert one - other == Use(requests=1, tokens=42, money=Decimal("0.29"))
    assert one + other - other == one


@pytest.mark.parametrize(
    ("told", "counts"),
    [(0, True), (1, True), (-1, False), (True, False), ("12", False), (1.0, False), (None, False)],
)
def test_what_an_endpoint_says_it_used_may_be_no_number_of_tokens(told, counts):
    assert is_count(told) == counts
    assert not is_count(10**18)
