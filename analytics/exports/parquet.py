"""Tables as Parquet, a batch of rows at a time; loaded only by workers on files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from analytics.exports.columns import ExportColumn, Holds
from analytics.exports.jsonlines import as_json, plain

if TYPE_CHECKING:
    import pyarrow as pa

AT_ONCE = 10_000


class ParquetTable:
    """A Parquet file being written; the same rows always give the same bytes."""

    def __init__(self, path: Path, columns: Sequence[ExportColumn]) -> None:
        from pyarrow import parquet  # noqa: PLC0415 -- megabytes that only workers on files need

        self._columns = columns
        self._schema = schema_of(columns)
        self._writer = parquet.ParquetWriter(path, self._schema, compression="zstd")
        self._rows: list[dict[str, object]] = []

    def __enter__(self) -> "ParquetTable":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._flush()
        self._writer.close()

    def write(self, row: Mapping[str, object]) -> None:
        self._rows.append({one.name: _value(one, row.get(one.name)) for one in self._columns})
        if len(self._rows) == AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa  # noqa: PLC0415 -- as above

        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self._schema))
            self._rows = []


def schema_of(columns: Sequence[ExportColumn]) -> "pa.Schema":
    import pyarrow as pa  # noqa: PLC0415 -- as above

    types: Mapping[Holds, Any] = {
        Holds.TEXT: pa.string(),
        Holds.INTEGER: pa.int64(),
        Holds.NUMBER: pa.float64(),
        Holds.TRUTH: pa.bool_(),
        Holds.LIST: pa.list_(pa.string()),
        Holds.TURNS: pa.list_(pa.struct([("speaker", pa.string()), ("text", pa.string())])),
        Holds.RECORD: pa.string(),
    }
    return pa.schema([(one.name, types[one.holds]) for one in columns])


def _value(column: ExportColumn, value: object) -> object:
    if value is None:
        return None
    if column.holds is Holds.RECORD:
        return as_json(value)
    if column.holds is Holds.NUMBER:
        return float(str(value))
    return plain(value)
