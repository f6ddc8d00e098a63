"""Options as keyword arguments, and as the command takes them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict, Union

Names = Union[str, Sequence[str]]
Path = Union[str, "os.PathLike[str]"]


class SizeOptions(TypedDict, total=False):
    """Sizes of free dimensions and inputs, and which names are shown."""

    dims: Mapping[str, int]
    inputs: Mapping[str, Sequence[int]]
    values: Mapping[str, int | Sequence[int]]
    redact_names: bool
    show_secrets: bool


class RowOptions(SizeOptions, total=False):
    """What changes the rows of a dataset."""

    device: Names
    device_file: Path
    runtime: Literal["onnxruntime", "pytorch", "tensorrt"]
    precision: str
    batch: int
    context: int
    weights: bool
    max_bytes: int | str


class EstimateOptions(RowOptions, total=False):
    """The device, the software and the sizes of an estimate."""

    threads: int


class ReportOptions(EstimateOptions, total=False):
    """Everything that a report can be asked for. See `Model.report`."""

    target_latency: str
    target_throughput: float
    target_first_token: str
    sha256: bool
    select: Names
    ignore: Names
    audience: Literal["engineer", "manager"]


def arguments(options: Mapping[str, object]) -> list[str]:
    """Returns the arguments of the command for keyword arguments; those that are None are left out."""
    given: list[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        option = _OPTIONS[name]
        if value is True:
            given.append(option)
        elif isinstance(value, Mapping):
            separator = "x" if name == "inputs" else ","
            given.extend(f"{option}={key}={_joined(entry, separator)}" for key, entry in value.items())
        elif isinstance(value, (str, os.PathLike)) or not isinstance(value, Sequence):
            given.append(f"{option}={value}")
        else:
            given.extend(f"{option}={entry}" for entry in value)
    return given


def _joined(value: object, separator: str) -> str:
    if isinstance(value, (str, int)) or not hasattr(value, "__iter__"):
        return str(value).lower() if isinstance(value, bool) else str(value)
    sizes = separator.join(str(entry) for entry in value)
    return sizes or "scalar"


_OPTIONS = {
    "dims": "--dim",
    "inputs": "--input",
    "values": "--value",
    "gates": "--gate",
} | {
    name: "--" + name.replace("_", "-")
    for name in (
        "redact_names show_secrets device device_file runtime precision threads batch context weights max_bytes"
        " target_latency target_throughput target_first_token sha256 select ignore audience sort top sections date"
        " config"
    ).split()
}
