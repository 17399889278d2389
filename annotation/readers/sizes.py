"""How many rows a file has, before it is read: known quickly, or not at all."""

from annotation.readers.problems import CannotRead
from annotation.readers.records import Source, csv_rows, jsonl_lines


def rows_in(source: Source) -> int | None:
    """The rows under the header of a table, or the lines of JSON; None where it takes reading."""
    try:
        match source.suffix:
            case ".csv" | ".tsv":
                return max(0, sum(1 for _ in csv_rows(source.path)) - 1)
            case ".jsonl" | ".ndjson":
                return jsonl_lines(source.path)
    except (CannotRead, OSError):
        return None  # whoever reads it says what is wrong
    return None
