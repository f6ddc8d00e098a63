"""Models on Ray Data: datasets with a column of paths, URLs or bytes.

    import ray
    from calipers.ray import models

    models(ray.data.from_items(paths)).write_parquet("models")

Tasks that a lost worker was running are repeated elsewhere, so the result is complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from calipers import _calipers
from calipers._options import arguments
from calipers._scan import BATCH, partitions, reports_of_batch, rows_of_batch

import ray  # type: ignore[import-not-found, unused-ignore]

if TYPE_CHECKING:
    import pyarrow
    from typing_extensions import Unpack

    from calipers._options import EstimateOptions
    from calipers._scan import TableName
    from ray.data import Dataset  # type: ignore[import-not-found, unused-ignore]


class _Batch:
    """A function of batches. Workers import it, so it holds nothing that cannot be copied."""

    def __init__(self, column: str, name: str | None, given: list[str], threads: int | None = None) -> None:
        self.column, self.name, self.given, self.threads = column, name, given, threads

    def sources(self, batch: pyarrow.Table) -> tuple[list[str | bytes | None], list[str | None]]:
        # Arrow keeps bytes as they are; numpy drops zeros at their end.
        sources = batch[self.column].to_pylist()
        return sources, [None] * len(sources) if self.name is None else batch[self.name].to_pylist()

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        raise NotImplementedError


class _Texts(_Batch):
    """The rows of each model, as `calipers.scan` collects them."""

    def __init__(self, table: str, column: str, name: str | None, given: list[str], threads: int | None = None) -> None:
        super().__init__(column, name, given, threads)
        self.table = table

    def texts(self, batch: pyarrow.Table) -> list[str | None]:
        return rows_of_batch(*self.sources(batch), self.table, self.given, self.threads)

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        import pyarrow

        return pyarrow.table({"rows": pyarrow.array(self.texts(batch), pyarrow.string())})


class _Rows(_Texts):
    """The rows of each model, with the types of the table."""

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        import pyarrow

        return pyarrow.table(_calipers.table_of(self.table, [text for text in self.texts(batch) if text is not None]))


class _Reports(_Batch):
    """The report on each model."""

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        import pyarrow

        found = reports_of_batch(*self.sources(batch), self.given, self.threads)
        added = zip(*[(None, None) if one is None else one for one in found], strict=True)
        for column, values in zip(("report", "error"), added, strict=True):
            batch = batch.append_column(column, pyarrow.array(values, pyarrow.string()))
        return batch


def models(
    dataset: Dataset,
    column: str = "item",
    *,
    name: str | None = None,
    table: TableName = "models",
    **options: Unpack[EstimateOptions],
) -> Dataset:
    """Returns the rows of the models whose paths, URLs or bytes are in a column, with the columns of `calipers scan`.

    A model that cannot be read is a row with its `error`; null is left out. `name` is the column of names for models in
    bytes, which become their `path`.
    """
    return _mapped(dataset, _Rows(table, column, name, arguments(options)))


def reports(
    dataset: Dataset, column: str = "item", *, name: str | None = None, **options: Unpack[EstimateOptions]
) -> Dataset:
    """Returns the dataset with the columns `report`, which is JSON, and `error`, which says why there is none."""
    return _mapped(dataset, _Reports(column, name, arguments(options)))


def rows_of(addresses: list[str], table: str, given: list[str], threads: int | None = None) -> list[str | None]:
    """Returns the rows of every model, as `calipers.scan` collects them."""
    dataset = ray.data.from_items(addresses, override_num_blocks=partitions(len(addresses)))
    mapped = _mapped(dataset, _Texts(table, "item", None, given, threads))
    # Ray Data holds back resources for other operators. There is only this one, and small clusters would run one task.
    mapped.context.op_resource_reservation_enabled = False
    return [row["rows"] for row in mapped.take_all()]


def _mapped(dataset: Dataset, batch: _Batch) -> Dataset:
    return dataset.map_batches(batch.__call__, batch_size=BATCH, batch_format="pyarrow")
