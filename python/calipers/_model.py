"""Models, and how they are opened."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, Union

from calipers import _calipers
from calipers._options import Names, Path, arguments

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from calipers._options import EstimateOptions, ReportOptions, SizeOptions
    from calipers._types import Comparison, Finding, Report


class Readable(Protocol):
    """A file that is open for reading bytes."""

    def read(self) -> bytes: ...


class Serializable(Protocol):
    """An `onnx.ModelProto`."""

    def SerializeToString(self) -> bytes: ...


Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, Readable, Serializable]


class Model:
    """A neural network that was read. It never changes, and threads can share it.

    >>> import calipers
    >>> model = calipers.demo()
    >>> report = model.report(device="l4")
    >>> report.parameters.total
    11370
    """

    __slots__ = ("_native",)

    def __init__(self, native: _calipers.Model) -> None:
        self._native = native

    @property
    def name(self) -> str:
        """The path or URL that the model was opened with, or the name of its bytes."""
        return self._native.name

    def report(
        self,
        *,
        device: Names | None = None,
        device_file: Path | None = None,
        runtime: Literal["onnxruntime", "pytorch", "tensorrt"] | None = None,
        precision: str | None = None,
        threads: int | None = None,
        batch: int | None = None,
        context: int | None = None,
        target_latency: str | None = None,
        target_throughput: float | None = None,
        target_first_token: str | None = None,
        dims: Mapping[str, int] | None = None,
        inputs: Mapping[str, Sequence[int]] | None = None,
        values: Mapping[str, int | Sequence[int]] | None = None,
        weights: bool = False,
        max_bytes: int | str | None = None,
        sha256: bool = False,
        select: Names | None = None,
        ignore: Names | None = None,
        audience: Literal["engineer", "manager"] | None = None,
        redact_names: bool = False,
        show_secrets: bool = False,
    ) -> Report:
        """Analyzes the model. The options are those of `calipers inspect`.

        Args:
            device: Device of the estimates, e.g. `rtx-4090`; `auto` is this machine. Several are compared.
            device_file: File with more devices.
            runtime: Software that runs the model.
            precision: Precision to compute in, e.g. `fp16`; the model's own by default.
            threads: Intra-op threads of a processor.
            batch: Samples per run.
            context: Tokens of a sequence.
            target_latency: Longest time of one run, e.g. `20ms`.
            target_throughput: Lowest throughput, in samples per second.
            target_first_token: Longest time to the first token, e.g. `500ms`.
            dims: Sizes of symbolic dimensions, e.g. `{"batch": 8}`.
            inputs: Shapes of inputs, e.g. `{"image": (1, 3, 224, 224)}`.
            values: Elements of integer inputs that shapes are computed from.
            weights: Also read every weight: NaN, dead filters, duplicates, ranges.
            max_bytes: Weights to read at most, e.g. `"500MB"`.
            sha256: Also compute SHA-256 of the files.
            select: Findings to report, by id or group; `*` and `?` are wildcards.
            ignore: Findings to leave out.
            audience: Whom the summary is for.
            redact_names: Replace names of the model by words such as `node-17`.
            show_secrets: Show secrets that were found in the model instead of masking them.

        Raises:
            OptionError: An option is wrong, or the model does not take it.

        >>> import calipers
        >>> calipers.demo().report(dims={"batch": 8}).bindings
        {'batch': 8}
        """
        from calipers._types import Report

        options = {name: value for name, value in locals().items() if name not in ("self", "Report")}
        return Report._of(self._native.report(_calipers.Options(arguments(options))))

    def check(self, **options: Unpack[ReportOptions]) -> list[Finding]:
        """Returns what is risky about the model, most severe first."""
        return self.report(**options).findings

    def shapes(self, **options: Unpack[SizeOptions]) -> Table:
        """Returns the type and shape of every value as an Arrow table.

        The columns are `graph` (empty for the main graph), `value`, `kind`, `dtype`, `shape` (texts: sizes, names
        and expressions), `sizes` (numbers, null where a dimension has none) and `reason`.

        >>> import calipers
        >>> len(calipers.demo().shapes())
        25
        """
        return self._native.shapes(arguments(options))

    def layers(
        self,
        *,
        sort: Literal["macs", "params", "bytes", "order"] | None = None,
        top: int | None = None,
        **options: Unpack[SizeOptions],
    ) -> Table:
        """Returns every node with its shapes, parameters and cost as an Arrow table.

        >>> import calipers
        >>> calipers.demo().layers(top=3).column_names[:3]
        ['index', 'node', 'op']
        """
        return self._native.layers(arguments({"sort": sort, "top": top, **options}))

    def compare(
        self,
        other: Model | Report,
        *,
        gates: Sequence[str] = (),
        config: Path | None = None,
        **options: Unpack[EstimateOptions],
    ) -> Comparison:
        """Returns what changes from this model, the baseline, to another one or to a saved report.

        Gates are judged, and a failed one is part of the result: `comparison.gates`. `calipers.toml` is read only
        where `config` names it.

        >>> import calipers
        >>> model = calipers.demo()
        >>> model.compare(model, gates=["macs <= +5%"]).gates[0].passed
        True
        """
        from calipers._types import Comparison

        native = other._native if isinstance(other, Model) else other._written()
        given = arguments({"gates": list(gates), "config": config, **options})
        return Comparison._of(self._native.compare(native, given))

    def card(
        self,
        *,
        front_matter: bool = True,
        date: str | None = None,
        sections: list[str] | None = None,
        **options: Unpack[ReportOptions],
    ) -> str:
        """Returns the model card as Markdown."""
        return self.report(**options).card(front_matter=front_matter, date=date, sections=sections)

    def html(self, **options: Unpack[ReportOptions]) -> str:
        """Returns the interactive report as one self-contained page, with the graph."""
        return self._native.html(_calipers.Options(arguments(options)))

    def __repr__(self) -> str:
        return f"calipers.open({self.name!r})"

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()

    def _repr_markdown_(self) -> str:
        return self.report()._repr_markdown_()


Table = _calipers.Table


def open(source: Source, *, name: str | None = None) -> Model:
    """Reads a model: a path, a URL, bytes, an open file, or an `onnx.ModelProto`.

    Of a file only the graph is read; weights stay on disk, or on the server. `bytes` are not copied. Files with external data are
    found for paths only. `name` is what the report calls a model that has no path.

    Raises:
        ReadError: It cannot be read as a model.

    >>> import calipers
    >>> try:
    ...     calipers.open(b"<html>", name="page.onnx")
    ... except calipers.ReadError as error:
    ...     print(error)
    cannot read page.onnx: this is an HTML page, not a model that Calipers reads
    """
    if isinstance(source, (str, os.PathLike)):
        return Model(_calipers.Model(source, ""))
    data, found = contents(source)
    return Model(_calipers.Model(data, name or found))


def contents(source: Any) -> tuple[bytes, str]:
    """Returns the bytes of what is not a path, and a name for them."""
    if isinstance(source, bytes):
        return source, _NAME
    if isinstance(source, memoryview):
        whole = source.obj
        if isinstance(whole, bytes) and source.contiguous and source.nbytes == len(whole):
            return whole, _NAME
        return source.tobytes(), _NAME
    if hasattr(source, "SerializeToString"):
        data = source.SerializeToString()
    elif hasattr(source, "read"):
        data = source.read()
        if isinstance(data, str):
            raise TypeError("the file is open for reading text; open it with mode 'rb'")
    else:
        try:
            data = memoryview(source)
        except TypeError:
            expected = "a path, a URL, bytes, a file that is open for reading bytes, or an onnx.ModelProto"
            raise TypeError(f"a model is {expected}, not {type(source).__name__!r}") from None
    if not isinstance(data, bytes):
        data = bytes(data)
    path = getattr(source, "name", None)
    return data, os.path.basename(path) if isinstance(path, str) and path else _NAME


_NAME = "model.onnx"


def demo() -> Model:
    """Returns the model that is built in: a small network that reads digits."""
    return Model(_calipers.Model(_calipers.demo(), _NAME))


def devices(file: Path | None = None) -> list[dict[str, Any]]:
    """Returns the devices that `device` can name, with those of a file.

    >>> import calipers
    >>> [device["name"] for device in calipers.devices() if device["id"] == "h100-sxm"]
    ['NVIDIA H100 SXM5 80 GB']
    """
    listed: list[dict[str, Any]] = json.loads(_calipers.devices(file))["devices"]
    return listed


def report_json(source: Source, *, name: str | None = None, **options: Unpack[ReportOptions]) -> str:
    """Returns the report as JSON in one call: the fastest way from a path or bytes to a report."""
    parsed = _calipers.Options(arguments(options)) if options else None
    if isinstance(source, (str, os.PathLike)):
        return _calipers.report_json(source, "", parsed)
    data, found = contents(source)
    return _calipers.report_json(data, name or found, parsed)


def report_dict(source: Source, *, name: str | None = None, **options: Unpack[ReportOptions]) -> dict[str, Any]:
    """Returns the report as dictionaries and lists in one call."""
    data: dict[str, Any] = json.loads(report_json(source, name=name, **options))
    return data
