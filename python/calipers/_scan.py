"""Many models as one table, on this machine or on an engine."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Literal, TypeVar, Union

from calipers import _calipers
from calipers._errors import CalipersError, InternalError
from calipers._options import arguments

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from calipers._options import RowOptions

Engine = Literal["local", "daft", "ray"]
TableName = Literal["models", "layers", "tensors", "findings", "shapes"]
Read = TypeVar("Read")
Paths = Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]]]


# Models on servers that a core reads at the same time: a request takes tens of milliseconds, the analysis of a small
# model takes a few.
_REQUESTS = 16
# The connections that the process keeps.
_MOST_REQUESTS = 64

# Models of one task of an engine: starting a task takes milliseconds, and a lost one is repeated.
BATCH = 64


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
    **options: Unpack[RowOptions],
) -> _calipers.Table:
    """Returns the rows of many models in one table of a dataset, sorted by path.

    The engine decides where the models are read: in threads of this process, on Daft, or on Ray Data. The result is the
    same. A model that cannot be read is a row with its `error`. Columns are those of `calipers scan`.

    `threads` is the number of models that this process, or each task of an engine, reads at the same time. The default
    is one per core for files and 16 per core for URLs.

    >>> import tempfile, pathlib, calipers
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "digits.onnx").write_bytes(calipers._calipers.demo())
    >>> len(calipers.scan(folder))
    1
    """
    if engine not in ("local", "daft", "ray"):
        raise ValueError(f"no engine {engine!r}; the engines are local, daft, ray")
    if threads is not None and threads < 1:
        raise ValueError(f"threads={threads!r}: must be an integer >= 1")
    given = arguments(options)
    # Wrong names and options are raised here, before an engine starts.
    _calipers.columns(table)
    _calipers.Options(given)
    found = addresses(paths)
    if engine == "local":
        texts = rows_of_batch(found, [None] * len(found), table, given, threads, cores=os.cpu_count() or 1)
    elif engine == "daft":
        from calipers import daft

        texts = daft.rows_of(found, table, given, threads)
    else:
        from calipers import ray

        texts = ray.rows_of(found, table, given, threads)
    return _calipers.table_of(table, [text for text in texts if text is not None])


def rows_of_batch(
    sources: Sequence[str | bytes | None],
    names: Sequence[str | None],
    table: str,
    given: list[str],
    threads: int | None = None,
    cores: int = 1,
) -> list[str | None]:
    """Returns the rows of each model, a line of JSON each; None for None."""
    options = _calipers.Options(given)

    def rows(source: str | bytes, name: str) -> str:
        try:
            return _calipers.rows(source, name, table, options)
        except InternalError as error:
            # One model must not end the scan of a million. The row of a file without contents has the path as the
            # options show it.
            empty = _calipers.rows(b"", name, table, options).splitlines()
            return "".join(f"{json.dumps({**json.loads(line), 'error': str(error)})}\n" for line in empty)

    return _each(rows, sources, names, threads, cores)


def reports_of_batch(
    sources: Sequence[str | bytes | None],
    names: Sequence[str | None],
    given: list[str],
    threads: int | None = None,
) -> list[tuple[str | None, str | None] | None]:
    """Returns the report on each model as JSON, or why it cannot be read; None for None."""
    options = _calipers.Options(given)

    def report(source: str | bytes, name: str) -> tuple[str | None, str | None]:
        try:
            return _calipers.report_json(source, name, options), None
        except CalipersError as error:
            return None, str(error)

    return _each(report, sources, names, threads)


def partitions(models: int) -> int:
    """Returns the number of parts in which an engine gets that many models."""
    return max(1, min(models // BATCH, 1024))


def _each(
    read: Callable[[str | bytes, str], Read],
    sources: Sequence[str | bytes | None],
    names: Sequence[str | None],
    threads: int | None,
    cores: int = 1,
) -> list[Read | None]:
    def one(source: str | bytes | None, name: str | None) -> Read | None:
        if source is None:
            return None
        if isinstance(source, bytes):
            return read(source, name or "model.onnx")
        # Daft lists local files as URLs. A path is its own name: the rows are read from there.
        path = source.removeprefix("file://")
        return read(path, path)

    if threads is None:
        is_remote = any(isinstance(source, str) and "://" in source.removeprefix("file://") for source in sources)
        threads = min(cores * _REQUESTS, max(cores, _MOST_REQUESTS)) if is_remote else cores
    if min(threads, len(sources)) <= 1:
        return [one(source, name) for source, name in zip(sources, names)]
    with ThreadPoolExecutor(min(threads, len(sources))) as pool:
        return list(pool.map(one, sources, names))
