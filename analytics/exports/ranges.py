"""Which part of a file is asked for, so that a download that broke off goes on where it ended.

RFC 9110, section 14: one range of bytes; whoever asks for several gets the whole.
"""

import re

_ASKED = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


class OutOfRange(Exception):
    """The file has no such part."""


def part_asked(header: str, size: int) -> range | None:
    """The bytes that a header `Range` asks for; None where it asks for the whole."""
    asked = _ASKED.fullmatch(header.replace(" ", ""))
    if asked is None or not any(asked.groups()):
        return None
    first, last = asked.groups()
    if not first:  # so many at the end
        part = range(max(size - int(last), 0), size)
    else:
        part = range(int(first), min(int(last) + 1, size) if last else size)
    if not part:
        raise OutOfRange
    return part
