"""A table of a page held against its files: the same numbers in each, cell by cell."""

import csv
import io
import json
import re
from itertools import combinations, takewhile

from analytics.present.typesetting import FILES, TEX
from tests.analytics.reading import tables_in

SIZE = "Items (pairs)"  # a column that a page adds
# Those that hold words for programs of another kind.
WORDS = {SIZE, "The map", "formula", "It takes", "it_takes"}
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def assert_the_same(client, address, *, here=()):
    """Each table of the page and its files; those that stand `here` alone have none."""
    every = tables_in(client.get(address).content.decode())
    assert {table.id for table in every if not table.files} == set(here)
    found = [table for table in every if table.files]
    assert found
    for table in found:
        assert_all_hold_the_same(
            table,
            {kind: client.get(place).content.decode() for kind, place in table.files.items()},
        )
    return {table.id for table in found}


def assert_all_hold_the_same(table, file):
    of_csv = list(csv.DictReader(io.StringIO(file["csv"])))
    of_json = json.loads(file["json"])["figures"]
    assert [list(map(same, one.values())) for one in of_json] == [
        list(map(same, one.values())) for one in of_csv
    ], table.id
    assert_rows_are_those_of_the_csv(table, of_csv)
    assert_cells_are_those_of_latex(table, file["tex"])


def drawn_by(module, monkeypatch):
    """{id: every table that this module draws from now on}, of pages that hand out no files."""
    drawn, draw = {}, module.grid

    def noting(of, **more):
        drawn[of.key] = of
        return draw(of, **more)

    monkeypatch.setattr(module, "grid", noting)
    return drawn


def assert_as_written(page, drawn):
    """Each table of the page that has no files holds what it would be written as for programs and
    for paper."""
    found = [table for table in tables_in(page) if not table.files]
    assert found
    for table in found:
        file = {kind: FILES[kind].write(drawn[table.id]) for kind in ("csv", "json", "tex")}
        assert_all_hold_the_same(table, file)
    return {table.id for table in found}


def same(value: object) -> object:
    """What a program reads in the CSV or in JSON: a number, words, or nothing."""
    text = "" if value is None else str(value).lstrip("'")
    if text in {"True", "False"}:  # as Python says it, and a page sorts by it
        return text.lower()
    return float(text) if is_number(text) else text


def assert_rows_are_those_of_the_csv(table, records):
    """Each row has what the CSV has under the same headings, each column one key throughout."""
    lines = list(lines_of(records))
    assert_headings_are(table, [about for about, _line in lines])
    key_of = {}
    for row, (_about, line) in zip(table.rows, lines, strict=True):
        cells = [
            (head, same(cell.order))
            for head, cell in enumerate(row)
            if not cell.is_heading and cell.order and table.heads[head] not in WORDS
        ]
        told = [(key, value) for key, value, _n in line if key not in WORDS and value != ""]
        assert [value for _, value in cells] == [value for _, value in told], table.id
        for (head, _), (key, _) in zip(cells, told, strict=True):
            assert key_of.setdefault(head, key) == key, (table.id, table.heads[head])
        if table.heads[-1] == SIZE and row[-1].order:
            assert int(row[-1].order) == max(int(n) for *_, n in line if n), table.id
    assert len(set(key_of.values())) == len(key_of), table.id


def lines_of(records):
    """(what it is about, [(column, value, n)]) of each line; the next may be about the same."""
    about, line = (), []
    for record in records:
        if line and (headings_of(record) != about or record["column"] in {key for key, *_ in line}):
            yield about, line
            line = []
        about = headings_of(record)
        line.append((record["column"], value_of(record), record["n_items"]))
    if line:
        yield about, line


def value_of(record):
    """A range has no value, but an end on either side."""
    value = same(record["value"])
    if value != "" or same(record["low"]) == "":
        return value
    return f"{record['low']} {record['high']}"


def headings_of(record):
    """What the row is about, in the order of the columns."""
    return tuple(
        same(value) for _name, value in takewhile(lambda one: one[0] != "column", record.items())
    )


def assert_headings_are(table, abouts):
    """A page leaves out a heading that is the same in all rows, as the reader has chosen it."""
    shown = [tuple(same(cell.order) for cell in row if cell.is_heading) for row in table.rows]
    width, whole = len(shown[0]), len(abouts[0])
    for kept in combinations(range(whole), width):
        left = {tuple(about[n] for n in range(whole) if n not in kept) for about in abouts}
        if len(left) == 1 and shown == [tuple(about[n] for n in kept) for about in abouts]:
            return
    assert shown == abouts, table.id


def assert_cells_are_those_of_latex(table, text):
    """Row by row and cell by cell, in the columns that a page has; a heading stands once there."""
    head, *_ = re.findall(r"\\toprule\n(.*) \\\\\n", text)
    body = text.rpartition("\\midrule\n")[2].partition("\\bottomrule")[0]
    rows = [line for line in body.splitlines() if line.endswith(r" \\")]
    heads = iter(enumerate(cells_of(head)))
    places = [next(n for n, one in heads if shown.startswith(one)) for shown in table.heads]
    for row, line in zip(table.rows, rows, strict=True):
        printed = cells_of(line)
        for place, cell in zip(places, row, strict=True):
            numbers = NUMBER.findall(printed[place])
            assert numbers == NUMBER.findall(cell.text)[: len(numbers)], (table.id, line)


def cells_of(line: str) -> list[str]:
    """What LaTeX prints in each cell of a row, but for the letters of notes."""
    text = re.sub(r"\\textsuperscript\{[^}]*\}|\\allowbreak\{\}", "", line.removesuffix(r" \\"))
    for sign, written in TEX.items():
        text = text.replace(written, sign)
    return [cell.strip() for cell in text.split(" & ")]


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
