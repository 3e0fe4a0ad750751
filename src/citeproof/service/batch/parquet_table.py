"""The references of a batch as one Parquet file, for data frames and databases; needs the extra `parquet`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, BinaryIO

from citeproof.reporters.reference_report import COLUMNS
from citeproof.serializers import Json
from citeproof.service.batch.document_checker import DocumentOutcome

FILE = "results.parquet"
_GROUP = 50_000  # rows that are in memory
_NUMBERS = frozenset({"line", "column", "page", "year"})
_FRACTIONS = frozenset({"score", "confidence"})


def has_parquet() -> bool:
    """Return whether a Parquet file can be written here."""
    return find_spec("pyarrow") is not None


class ParquetTable:
    """Rows that become a file at the end; the same rows give the same bytes."""

    def __init__(self, file: BinaryIO) -> None:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        from pyarrow import parquet  # noqa: PLC0415 - same

        self._pa = pa
        types = {**dict.fromkeys(_NUMBERS, pa.int64()), **dict.fromkeys(_FRACTIONS, pa.float64())}
        columns = [(name, types.get(name, pa.string())) for name in COLUMNS]
        self._schema = pa.schema([("document", pa.string()), *columns])
        self._writer: Any = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._rows: list[list[Any]] = []

    def add(self, row: Json, outcome: DocumentOutcome) -> None:
        """Add the references of a document."""
        for cells in outcome.rows:
            self._rows.append([row["id"], *map(_fit_cell, COLUMNS, cells)])
        if len(self._rows) >= _GROUP:
            self._flush()

    def close(self) -> None:
        """Write what is left, and the end of the file."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        columns = list(zip(*self._rows, strict=True)) or [()] * len(self._schema)
        arrays = [
            self._pa.array(column, type=field.type)
            for column, field in zip(columns, self._schema, strict=True)
        ]
        self._writer.write_table(self._pa.Table.from_arrays(arrays, schema=self._schema))
        self._rows.clear()


def _fit_cell(name: str, value: Any) -> Any:  # noqa: ANN401 - any value of a cell
    """Return a value that its column can hold."""
    if value is None or name in _NUMBERS or name in _FRACTIONS:
        return value
    return str(value)
