"""Every example of the guide, of the docstrings and of the notebook runs."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from conftest import ROOT

GUIDE = ROOT / "docs" / "guide"


@pytest.mark.parametrize("module", ["calipers", "calipers._model", "calipers._record", "calipers._scan"])
def test_docstrings(module: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(module))
    assert failed == 0 and (tried > 0 or module == "calipers._record")


def test_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import calipers

    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.onnx").write_bytes(calipers._calipers.demo())
    failed, tried = doctest.testfile(str(GUIDE / "python.md"), module_relative=False)
    assert failed == 0 and tried > 10


def test_notebook(tmp_path: Path) -> None:
    notebook = nbformat.read(GUIDE / "calipers.ipynb", as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("text/html" in output.get("data", {}) for output in outputs)
    assert not any(output.output_type == "error" for output in outputs)
