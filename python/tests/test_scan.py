"""Tables of many models: what is read, what is an error, what is refused before anything is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import calipers
from calipers import _calipers, _scan


@pytest.fixture
def folder(tmp_path: Path, bert: Path) -> Path:
    (tmp_path / "bert.onnx").write_bytes(bert.read_bytes())
    (tmp_path / "broken.onnx").write_bytes(b"\xff" * 64)
    (tmp_path / "digits.onnx").write_bytes(_calipers.demo())
    return tmp_path


def test_unreadable_files_are_rows(folder: Path) -> None:
    table = pyarrow.table(calipers.scan([folder, folder / "missing.onnx"]))
    errors = {Path(row["path"]).name: row["error"] for row in table.select(["path", "error"]).to_pylist()}
    assert list(errors) == ["bert.onnx", "broken.onnx", "digits.onnx", "missing.onnx"]
    assert [name for name, error in errors.items() if error] == ["broken.onnx", "missing.onnx"]


def test_threads_do_not_change_the_table(folder: Path) -> None:
    one, eight = (pyarrow.table(calipers.scan(folder, table="layers", threads=threads)) for threads in (1, 8))
    assert one.equals(eight) and one.num_rows > 10


@pytest.mark.parametrize(
    ("options", "words"),
    [({"engine": "spark"}, "no engine 'spark'"), ({"threads": 0}, "threads=0"), ({"table": "weights"}, "no table")],
)
def test_wrong_arguments_are_refused(folder: Path, options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        calipers.scan(folder, **options)  # type: ignore[arg-type]


def test_paths_urls_bytes_and_none(folder: Path) -> None:
    path = str(folder / "digits.onnx")
    sources = [path, f"file://{path}", _calipers.demo(), _calipers.demo(), None]
    names = [None, None, "a", None, None]
    texts = _scan.rows_of_batch(sources, names, "models", [], threads=3)
    rows = [None if text is None else json.loads(text) for text in texts]
    assert [row and row["path"] for row in rows] == [path, path, "a", "model.onnx", None]
    assert len({row["macs"] for row in rows if row}) == 1
    reports = _scan.reports_of_batch(sources, names, [])
    assert [report and report[1] for report in reports] == [None] * 5
    assert reports[0] is not None and reports[0][0] == calipers.report_json(path)


def test_an_internal_error_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = _calipers.rows

    def panics(source: bytes | str, *arguments: Any) -> str:
        if isinstance(source, bytes):
            return rows(source, *arguments)
        raise calipers.InternalError("internal error at values.rs:7")

    monkeypatch.setattr(_calipers, "rows", panics)
    monkeypatch.setattr(_calipers, "report_json", panics)
    for given, path in (([], "secret.onnx"), (["--redact-names"], "model-")):
        [text] = _scan.rows_of_batch(["secret.onnx"], [None], "models", given)
        [row] = pyarrow.table(_calipers.table_of("models", [text or ""])).to_pylist()
        assert row["path"].startswith(path) and row["error"] == "internal error at values.rs:7"
    assert _scan.rows_of_batch(["secret.onnx"], [None], "layers", []) == [""]
    [report] = _scan.reports_of_batch(["secret.onnx"], [None], [])
    assert report is not None and report[0] is None and report[1] == "internal error at values.rs:7"


def test_an_interrupt_is_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupts(*arguments: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(_calipers, "rows", interrupts)
    with pytest.raises(KeyboardInterrupt):
        _scan.rows_of_batch(["a.onnx"], [None], "models", [])
