"""Whose address counts behind proxies."""

import pytest

from accounts.addresses import neighbourhood, true_address

PROXY, CLINIC, LIE = "10.0.0.2", "203.0.113.7", "198.51.100.9"


@pytest.mark.parametrize(
    ("forwarded", "n_proxies", "address"),
    [
        ("", 0, PROXY),
        (LIE, 0, PROXY),
        ("", 1, PROXY),
        (CLINIC, 1, CLINIC),
        (f"{LIE}, {CLINIC}", 1, CLINIC),
        (f"{LIE}, {CLINIC}, 10.0.0.9", 2, CLINIC),
        (CLINIC, 2, PROXY),
        (f"{CLINIC}:4711", 1, CLINIC),
        ("[2001:db8::1]:4711", 1, "2001:db8::1"),
        ("2001:db8::1", 1, "2001:db8::1"),
        ("unknown", 1, PROXY),
        (f"{CLINIC},", 1, PROXY),
    ],
)
def test_what_our_outermost_proxy_saw_counts(forwarded, n_proxies, address):
    assert true_address(forwarded=forwarded, remote=PROXY, n_proxies=n_proxies) == address


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        (CLINIC, CLINIC),
        (f"::ffff:{CLINIC}", CLINIC),
        ("2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"),
        ("a name", "a name"),
    ],
)
def test_a_network_of_ipv6_counts_as_one(address, counted):
    assert neighbourhood(address) == counted
