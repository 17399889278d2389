"""Spreading what is hard to read among what is not."""

from collections.abc import Collection, Sequence


def mixed(items: Sequence[int], heavy: Collection[int]) -> list[int]:
    """The items with the heavy ones spread evenly among the others; each kind keeps its order.

    Two heavy ones follow each other only where more than half of all are heavy.
    """
    hard = [item for item in items if item in heavy]
    others = iter([item for item in items if item not in heavy])
    found: list[int] = []
    n_hard = 0
    for place in range(1, len(items) + 1):
        if place * len(hard) // len(items) > n_hard:
            found.append(hard[n_hard])
            n_hard += 1
        else:
            found.append(next(others))
    return found
