"""Models in Daft: expressions over columns of paths, URLs or bytes.

    import daft
    from calipers.daft import model, report_json

    models = daft.from_pydict({"path": paths}).with_column("model", model(daft.col("path")))
    models.where(models["model"]["macs"] > 10**9).show()

On a Ray cluster, `daft.set_runner_ray()` runs the same expressions there.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from calipers import _calipers
from calipers._options import arguments
from calipers._scan import BATCH, partitions, reports_of_batch, rows_of_batch

import daft  # type: ignore[import-not-found, unused-ignore]
from daft import DataType, Series

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from calipers._options import EstimateOptions
    from daft import Expression

_TYPES = {
    "varchar": DataType.string(),
    "bigint": DataType.int64(),
    "double": DataType.float64(),
    "boolean": DataType.bool(),
    "varchar[]": DataType.list(DataType.string()),
}


def _function(batch: Callable[..., list[Any]], dtype: DataType) -> Callable[..., Expression]:
    function: Callable[..., Expression] = daft.func.batch(return_dtype=dtype, batch_size=BATCH)(batch)
    return function


def _struct(table: str) -> DataType:
    fields = {name: _TYPES[kind] for name, kind in _calipers.columns(table)}
    struct: DataType = DataType.struct(fields)
    return struct


def model(column: Expression, name: Expression | None = None, **options: Unpack[EstimateOptions]) -> Expression:
    """Returns the row of each model in the table `models`, as a struct; the column has paths, URLs or bytes.

    A model that cannot be read has its `error`; null stays null. `name` is the column of names for models in bytes.
    """
    given = arguments(options)

    def calipers_model(sources: Series, names: Series) -> list[Any]:
        texts = rows_of_batch(sources.to_pylist(), _names(names, len(sources)), "models", given)
        return [None if text is None else json.loads(text) for text in texts]

    return _function(calipers_model, _struct("models"))(column, daft.lit(None) if name is None else name)


def report_json(column: Expression, name: Expression | None = None, **options: Unpack[EstimateOptions]) -> Expression:
    """Returns the report on each model as JSON; the column has paths, URLs or bytes.

    It is null where the model cannot be read; `model` has the reason. `name` is the column of names for models in bytes.
    """
    given = arguments(options)

    def calipers_report(sources: Series, names: Series) -> list[str | None]:
        found = reports_of_batch(sources.to_pylist(), _names(names, len(sources)), given)
        return [None if one is None else one[0] for one in found]

    return _function(calipers_report, DataType.string())(column, daft.lit(None) if name is None else name)


def rows_of(addresses: list[str], table: str, given: list[str], threads: int | None = None) -> list[str | None]:
    """Returns the rows of every model, as `calipers.scan` collects them.

    On a cluster, results that were kept on a lost worker are lost with it. Models without a result are read again.
    """
    import pyarrow

    def calipers_rows(sources: Series) -> list[str | None]:
        paths = sources.to_pylist()
        return rows_of_batch(paths, [None] * len(paths), table, given, threads)

    rows = _function(calipers_rows, DataType.string())(daft.col("path")).alias("rows")
    found: dict[str, str | None] = {}
    missing = addresses
    while missing:
        # A table per part: parts that a worker makes of one table would be lost with it.
        length = -(-len(missing) // partitions(len(missing)))
        parts = [missing[start : start + length] for start in range(0, len(missing), length)]
        frame = daft.from_arrow([pyarrow.table({"path": part}) for part in parts])
        try:
            for batch in frame.select(daft.col("path"), rows).to_arrow_iter():
                found.update(zip(batch["path"].to_pylist(), batch["rows"].to_pylist(), strict=True))
        except Exception as error:
            if not _is_loss(error):
                raise
        left = [address for address in missing if address not in found]
        if len(left) == len(missing):
            raise RuntimeError(f"{len(left)} models have no result: the workers that read them were lost")
        missing = left
    return [found[address] for address in addresses]


def _is_loss(error: Exception) -> bool:
    """Returns whether what failed is a worker or a result on it."""
    if daft.get_or_infer_runner_type() != "ray":
        return False
    from ray import exceptions  # type: ignore[import-not-found, unused-ignore]

    lost = (exceptions.ObjectLostError, exceptions.ActorDiedError, exceptions.NodeDiedError, exceptions.WorkerCrashedError)
    return isinstance(error, lost)


def _names(names: Series, length: int) -> list[str | None]:
    # A literal has one value.
    given: list[str | None] = names.to_pylist()
    return given * length if len(given) == 1 else given
