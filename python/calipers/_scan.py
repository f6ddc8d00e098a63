"""Many models as one table, on this machine or on an engine."""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Literal, Union

from calipers import _calipers
from calipers._options import arguments

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from calipers._options import EstimateOptions

Engine = Literal["local", "daft", "ray"]
TableName = Literal["models", "layers", "tensors", "findings", "shapes"]
Paths = Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]]]


def addresses(paths: Paths) -> list[str]:
    """Returns the path or URL of every model that is meant, sorted.

    Folders are searched; patterns have `*`, `**` and `?`; `s3://bucket/prefix` is listed.
    """
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    return _calipers.addresses([os.fspath(path) for path in given])


def scan(
    paths: Paths,
    *,
    engine: Engine = "local",
    table: TableName = "models",
    threads: int | None = None,
    **options: Unpack[EstimateOptions],
) -> _calipers.Table:
    """Returns the rows of many models in one table of a dataset, sorted by path.

    The engine decides where the models are read: in threads of this process, on Daft, or on Ray Data. The result is the
    same. A model that cannot be read is a row with its `error`. Columns are those of `calipers scan`.

    >>> import tempfile, pathlib, calipers
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "digits.onnx").write_bytes(calipers._calipers.demo())
    >>> len(calipers.scan(folder))
    1
    """
    found = addresses(paths)
    if engine == "local":
        texts = _local(found, table, threads, arguments(options))
    elif engine == "daft":
        from calipers import daft

        texts = daft.rows_of(found, table, arguments(options))
    elif engine == "ray":
        from calipers import ray

        texts = ray.rows_of(found, table, arguments(options))
    else:
        raise ValueError(f"no engine {engine!r}; the engines are local, daft, ray")
    return _calipers.table_of(table, texts)


def rows_of_one(address: str, table: str, options: _calipers.Options, source: bytes | None = None) -> str:
    """Returns the rows of one model, a line of JSON each."""
    return _calipers.rows(address if source is None else source, address, table, options)


def _local(found: list[str], table: str, threads: int | None, given: list[str]) -> list[str]:
    options = _calipers.Options(given)
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        return list(pool.map(lambda address: rows_of_one(address, table, options), found))
