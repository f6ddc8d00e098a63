"""Models in Daft: expressions over columns of paths, URLs or bytes.

    import daft
    from calipers.daft import model, report_json

    models = daft.from_pydict({"path": paths}).with_column("model", model(daft.col("path")))
    models.where(models["model"]["macs"] > 10**9).show()

On a Ray cluster, `daft.set_runner_ray()` runs the same expressions there.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from calipers import _calipers
from calipers._options import arguments
from calipers._scan import rows_of_one

import daft
from daft import DataType, Series

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from calipers._options import EstimateOptions
    from daft import Expression

# Models that a worker takes at a time: their cost differs, and a lost batch is repeated.
_BATCH = 32

_TYPES = {
    "varchar": DataType.string(),
    "bigint": DataType.int64(),
    "double": DataType.float64(),
    "boolean": DataType.bool(),
    "varchar[]": DataType.list(DataType.string()),
}


def _struct(table: str) -> DataType:
    return DataType.struct({name: _TYPES[kind] for name, kind in _calipers.columns(table)})


def _each(column: Series, table: str, given: list[str]) -> list[str | None]:
    options = _calipers.Options(given)

    def one(value: Any) -> str | None:
        if value is None:
            return None
        if isinstance(value, bytes):
            return rows_of_one("model.onnx", table, options, value)
        return rows_of_one(value, table, options)

    return [one(value) for value in column.to_pylist()]


def model(column: Expression, **options: Unpack[EstimateOptions]) -> Expression:
    """Returns the row of each model in the table `models`, as a struct; the column has paths, URLs or bytes."""
    given = arguments(options)

    @daft.func.batch(return_dtype=_struct("models"), batch_size=_BATCH)
    def calipers_model(values: Series) -> list[Any]:
        return [None if text is None else json.loads(text) for text in _each(values, "models", given)]

    return calipers_model(column)


def report_json(column: Expression, **options: Unpack[EstimateOptions]) -> Expression:
    """Returns the report on each model as JSON; null where it cannot be read. The column has paths, URLs or bytes."""
    given = arguments(options)

    @daft.func.batch(return_dtype=DataType.string(), batch_size=_BATCH)
    def calipers_report(values: Series) -> list[str | None]:
        from calipers._errors import CalipersError

        options = _calipers.Options(given)
        reports: list[str | None] = []
        for value in values.to_pylist():
            try:
                name = "model.onnx" if isinstance(value, bytes) else value
                reports.append(None if value is None else _calipers.report_json(value, name, options))
            except CalipersError:
                reports.append(None)
        return reports

    return calipers_report(column)


def rows_of(addresses: list[str], table: str, given: list[str]) -> list[str]:
    """Returns the rows of every model, as `calipers.scan` collects them."""

    @daft.func.batch(return_dtype=DataType.string(), batch_size=_BATCH)
    def calipers_rows(values: Series) -> list[str | None]:
        return _each(values, table, given)

    frame = daft.from_pydict({"path": addresses})
    # Pieces are spread over workers; one piece would run on one of them.
    frame = frame.into_partitions(max(1, min(len(addresses) // _BATCH, 256)))
    found: dict[str, list[str]] = frame.select(calipers_rows(daft.col("path")).alias("rows")).to_pydict()
    return found["rows"]
