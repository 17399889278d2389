"""What a measurement gives."""

from typing import NamedTuple


class BenchFigure(NamedTuple):
    """One line of the table: what was measured, and the number with its unit."""

    name: str
    value: str
