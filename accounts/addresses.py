"""From which address a request comes, where proxies stand in front."""

from ipaddress import IPv6Address, ip_address, ip_network

HOUSEHOLD = 64  # bits of an IPv6 address that whoever has one has all the rest of


def true_address(*, forwarded: str, remote: str, n_proxies: int) -> str:
    """The address that our outermost proxy saw.

    Each proxy appends whom it heard: ours are the last `n_proxies` of `X-Forwarded-For`, and what
    stands left of them anybody may have written. `remote` is who speaks to us.
    """
    heard = [entry.strip() for entry in forwarded.split(",")]
    named = heard[-n_proxies] if 0 < n_proxies <= len(heard) else remote
    return _without_port(named) or remote


def neighbourhood(address: str) -> str:
    """The addresses that count as one: an IPv4 address, or a network of IPv6."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, HOUSEHOLD), strict=False))


def _without_port(text: str) -> str | None:
    """The address in `1.2.3.4:5678`, `[::1]:5678`, or alone; None if it is none."""
    candidates = [text, text.strip("[]"), text.rpartition(":")[0].strip("[]")]
    for candidate in candidates:
        try:
            return str(ip_address(candidate))
        except ValueError:
            continue
    return None
