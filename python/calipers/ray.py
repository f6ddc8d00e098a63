"""Models on Ray Data.

    import ray
    from calipers.ray import models

    models(ray.data.from_items(paths)).write_parquet("models")

Tasks that a lost worker was running are repeated elsewhere, so the result is complete.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from calipers import _calipers
from calipers._options import arguments
from calipers._scan import rows_of_one

import ray

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from calipers._options import EstimateOptions
    from ray.data import Dataset

# Models of one task: starting it takes milliseconds, and a lost one is repeated.
_BATCH = 64


class _Rows:
    """The rows of a batch of models. Workers import it, so it holds nothing that cannot be copied."""

    def __init__(self, table: str, given: list[str], column: str) -> None:
        self.table, self.given, self.column = table, given, column

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[str]]:
        options = _calipers.Options(self.given)
        return {"rows": [rows_of_one(str(path), self.table, options) for path in batch[self.column]]}


class _Objects(_Rows):
    """The same as columns."""

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        texts = super().__call__(batch)["rows"]
        rows = [json.loads(line) for text in texts for line in text.splitlines()]
        return {name: [row.get(name) for row in rows] for name, _ in _calipers.columns(self.table)}


def models(dataset: Dataset, column: str = "item", table: str = "models", **options: Unpack[EstimateOptions]) -> Dataset:
    """Returns the rows of the models whose paths or URLs are in a column."""
    return dataset.map_batches(_Objects(table, arguments(options), column).__call__, batch_size=_BATCH)


def rows_of(addresses: list[str], table: str, given: list[str]) -> list[str]:
    """Returns the rows of every model, as `calipers.scan` collects them."""
    blocks = max(1, min(len(addresses) // _BATCH, 256))
    dataset = ray.data.from_items(addresses, override_num_blocks=blocks)
    mapped = dataset.map_batches(_Rows(table, given, "item").__call__, batch_size=_BATCH)
    return [row["rows"] for row in mapped.take_all()]
