"""Numbers that carry their own check."""

import re

_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_CHECKS = "10X98765432"  # GB 11643: by the weighted sum modulo 11


def bare(number: str) -> str:
    """Without the blanks and hyphens between its groups."""
    return re.sub(r"[\s-]", "", number)


def is_resident_id(number: str) -> bool:
    """Whether the last sign of a Chinese resident id follows from the others."""
    signs = bare(number).upper()
    total = sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, signs[:17], strict=True))
    return _CHECKS[total % 11] == signs[17]


def passes_luhn(number: str) -> bool:
    """Whether the number of a card is one."""
    total = 0
    for place, digit in enumerate(reversed(bare(number))):
        doubled = int(digit) * (1 + place % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0
