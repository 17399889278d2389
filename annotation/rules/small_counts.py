"""Which counts are so small that they tell what single items were given (ADR 47)."""

LEAST_ITEMS = 10


def enough(*counts: int) -> bool:
    """Whether what is made of these counts may be told to who sees no single raters."""
    return not any(0 < n < LEAST_ITEMS for n in counts)
