"""Whose copy a file is, told by the order of its rows.

A recipient's rows stand in an order of their own (`order.py`), and rows that are left of a copy
stand in it still. In a file that is nobody's copy, each step from an item to the next goes either
way in anybody's order; so many steps the right way by chance is what `CHANCE` bounds, over all
recipients together.
"""

import csv
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path
from zipfile import is_zipfile

from analytics.exports import zips
from analytics.exports.cells import text_in
from analytics.exports.jsonlines import rows_in
from analytics.exports.order import order_for, place_of
from analytics.models import Export

CHANCE = 1e-9
RATINGS = "ratings.jsonl"


class CannotTrace(Exception):
    """A sentence that says why nothing can be told from this file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """Whose order a file has: `in_order` of `steps` from an item to the next go as in theirs."""

    email: str
    study: str
    in_order: int
    steps: int


def trace(path: Path) -> Recipient | None:
    """The recipient whose copy a file was made from; None where it cannot be told."""
    items = [key for key, _same in groupby(items_in(path))]
    steps = len(items) - 1
    if steps < 1:
        return None
    made = Export.objects.select_related("study", "exported_by").order_by(
        "study", "exported_by", "-pk"
    )
    recipients = list(made.distinct("study", "exported_by"))
    best: Recipient | None = None
    for export in recipients:
        order = order_for(export.study.release_key, export.exported_by_id)
        told = Recipient(
            email=export.exported_by.email,
            study=export.study.key,
            in_order=_in_order(items, order),
            steps=steps,
        )
        if best is None or told.in_order > best.in_order:
            best = told
    if best is None or by_chance(best) * len(recipients) > CHANCE:
        return None
    return best


def items_in(path: Path) -> Iterator[str]:
    """The key of the item of each row: of an archive, a table, or JSON Lines."""
    if is_zipfile(path):
        with zips.opened(path) as archive:
            if RATINGS not in archive.namelist():
                raise CannotTrace(f"There is no {RATINGS} in the zip.")
            with archive.open(RATINGS) as lines:
                yield from _items_of(rows_in(lines, RATINGS))
    elif path.suffix.lower() == ".parquet":
        from pyarrow import parquet  # noqa: PLC0415 -- megabytes, for one kind of file

        for batch in parquet.ParquetFile(path).iter_batches(columns=["item"]):
            yield from _items_of(batch.to_pylist())
    elif path.suffix.lower() == ".csv":
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from map(text_in, _items_of(csv.DictReader(file)))
    else:
        with path.open("rb") as lines:
            yield from _items_of(rows_in(lines, path.name))


def _items_of(rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    for number, row in enumerate(rows, start=1):
        if not isinstance(item := row.get("item"), str):
            raise CannotTrace(f"Row {number} names no item: there must be a column “item”.")
        yield item


def _in_order(items: Sequence[str], order: str) -> int:
    places = [place_of(item, order) for item in items]
    return sum(before < after for before, after in pairwise(places))


def by_chance(told: Recipient) -> float:
    """How likely so many steps go the right way in a file that is nobody's copy, at most.

    Chernoff's bound for independent steps. Those of a random order hinder one another, which makes
    it less likely still.
    """
    share = told.in_order / told.steps
    if share <= 1 / 2:
        return 1.0
    missed = 1 - share
    surprise = share * math.log(2 * share) + (missed and missed * math.log(2 * missed))
    return math.exp(-told.steps * surprise)
