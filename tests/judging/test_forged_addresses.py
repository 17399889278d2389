"""No form of an address gets past the list of hosts that the deployment keeps: counted and printed."""

import ipaddress
import sys
from itertools import product

import pytest

from judging.rules.endpoints import problem_with, problem_with_host

pytestmark = pytest.mark.pure

LISTED = "api.example.org"
INSIDE = (
    *("127.0.0.1", "127.1.2.3", "10.0.0.5", "172.16.0.9", "192.168.1.1"),
    "0.0.0.0",  # noqa: S104 -- asked for, nothing is bound to it
    *("169.254.169.254", "100.100.100.200", "168.63.129.16"),
)
NAMES = (
    *("localhost", "localhost.localdomain", "metadata.google.internal", "redis", "postgres"),
    *(
        "internal.example.org",
        "example.org",
        f"{LISTED}.evil.test",
        f"evil-{LISTED}",
        f"x.{LISTED}",
    ),
    *(f"{LISTED}.", f"{LISTED}%00.evil.test", f"{LISTED}%2eevil.test", "api。example。org"),
    *("аpi.example.org", "xn--pi-7kc.example.org", "api.example.org.nip.io", "127.0.0.1.nip.io"),
)
SCHEMES = ("http", "file", "gopher", "ftp", "dict", "ldap", "unix", "data", "javascript")
PORTS = (22, 80, 5432, 6379, 8000, 8443, 65535)


def written(address: str) -> set[str]:
    """An address of four bytes as resolvers take it: decimal, hexadecimal, octal, short, within IPv6."""
    number = int(ipaddress.ip_address(address))
    parts = [number >> shift & 255 for shift in (24, 16, 8, 0)]
    wide = "".join(chr(ord(one) + 0xFEE0) if one.isdigit() else one for one in address)
    return {
        *(address, f"{address}.", wide, str(number), hex(number), f"0{number:o}"),
        ".".join(hex(part) for part in parts),
        ".".join(f"0{part:o}" for part in parts),
        *(f"{parts[0]}.{number & 0xFFFFFF}", f"{parts[0]}.{parts[1]}.{number & 0xFFFF}"),
        *(f"[::ffff:{address}]", f"[::{address}]", f"[64:ff9b::{address}]"),
    }


def forms() -> list[str]:
    hosts = {*NAMES, "[::1]", "[::]", "[fe80::1]", "[fd00::1]"}.union(*map(written, INSIDE))
    behind = [f"https://{host}/v1" for host in hosts] + [f"//{host}/v1" for host in INSIDE]
    disguised = [
        form.format(listed=LISTED, host=host)
        for form, host in product(
            (
                "https://{listed}@{host}/v1",
                "https://{listed}:443@{host}/v1",
                "https://{host}#@{listed}/v1",
                "https://{host}?@{listed}/v1",
                "https://{host}\\@{listed}/v1",
                "https://{host}/{listed}/v1",
                "https://{host};{listed}/v1",
                "https://{host} {listed}/v1",
            ),
            INSIDE,
        )
    ]
    other = [f"{scheme}://{LISTED}/v1" for scheme in SCHEMES]
    other += [f"https://{LISTED}:{port}/v1" for port in PORTS]
    return [*behind, *disguised, *other, "", "https://", "https:///v1", LISTED, f"https:{LISTED}"]


def is_refused(address: str) -> bool:
    return bool(
        problem_with(address, http_hosts=["localhost"])
        or problem_with_host(address, allowed=[LISTED])
    )


def test_two_hundred_forms_of_other_addresses_are_refused(capsys):
    let_through = [address for address in forms() if not is_refused(address)]
    with capsys.disabled():
        sys.stdout.write(f"\n{len(forms())} addresses, {len(let_through)} let through\n")
    assert len(set(forms())) >= 200
    assert let_through == []


def test_the_listed_host_is_asked():
    assert not is_refused(f"https://{LISTED}/v1")
    assert not is_refused(f"https://{LISTED.upper()}/openai/deployments/x")
