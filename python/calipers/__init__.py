"""Reads an ONNX file and reports what the model is, what it costs, where it runs and what is risky about it.

>>> import calipers
>>> report = calipers.demo().report()
>>> report.task.kind
'image-classification'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from calipers._calipers import Table, __version__
from calipers._errors import CalipersError, InternalError, OptionError, ReadError
from calipers._model import Model, demo, devices, open, report_dict, report_json
from calipers._scan import scan

if TYPE_CHECKING:
    from calipers import types as types
    from calipers._types import Comparison, Finding, Report

__all__ = [
    "CalipersError",
    "Comparison",
    "Finding",
    "InternalError",
    "Model",
    "OptionError",
    "ReadError",
    "Report",
    "Table",
    "__version__",
    "demo",
    "devices",
    "open",
    "report_dict",
    "report_json",
    "scan",
]

for _error in (CalipersError, InternalError, OptionError, ReadError):
    _error.__module__ = "calipers"
del _error


def __getattr__(name: str) -> object:
    # The types of the report are many; whoever needs none does not wait for them.
    if name in ("Comparison", "Finding", "Report"):
        from calipers import _types

        return getattr(_types, name)
    raise AttributeError(f"module 'calipers' has no attribute {name!r}")
