"""Typed reports, and that they are those of the command."""

from __future__ import annotations

import dataclasses
import json
import os
import pickle
import subprocess
from pathlib import Path

import pytest

import calipers
from calipers import types

from conftest import ZOO


def printed(command: str, *arguments: str) -> str:
    return subprocess.run([command, *arguments], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("name", ["bert_tiny_cls_op17", "densenet121_op17", "dynamo-cond_if", "detr_tiny_op17"])
def test_json_is_that_of_the_command(command: str, name: str) -> None:
    path = ZOO / f"{name}.onnx"
    expected = printed(command, "inspect", str(path), "--format", "json")
    report = calipers.open(path).report()
    assert report.to_json() == expected
    assert calipers.report_json(path) == expected
    assert report.to_dict() == json.loads(expected) == calipers.report_dict(path)
    assert types.Report.from_dict(json.loads(expected)).to_json() == expected
    assert types.Report.from_json(expected) == report
    assert pickle.loads(pickle.dumps(report)).to_json() == expected


def test_bytes_are_reported_as_a_file_is(command: str, tmp_path: Path) -> None:
    # It has no external data, which is not looked for where there is no folder.
    data, path = calipers._calipers.demo(), tmp_path / "model.onnx"
    path.write_bytes(data)
    expected = printed(command, "inspect", str(path), "--format", "json")
    assert calipers.report_json(data) == calipers.demo().report().to_json() == expected


def test_options_are_those_of_the_command(command: str, bert: Path) -> None:
    options = ["--device=l4", "--precision=fp16", "--dim=batch=4", "--dim=sequence=16", "--runtime=tensorrt", "--sha256"]
    expected = printed(command, "inspect", str(bert), "--format", "json", "--weights", *options)
    report = calipers.open(bert).report(
        device="l4",
        precision="fp16",
        dims={"batch": 4, "sequence": 16},
        runtime="tensorrt",
        sha256=True,
        weights=True,
    )
    assert report.to_json() == expected
    assert report.hardware is not None and report.hardware.device is not None
    assert report.weights is not None


def test_inputs_and_values(digits: calipers.Model) -> None:
    report = digits.report(inputs={"image": (2, 1, 28, 28)})
    assert report.graph.inputs[0].name == "image"
    one, two = digits.report(dims={"batch": 1}).cost.macs, report.cost.macs
    assert one is not None and two == 2 * one


@pytest.mark.parametrize(
    "options, arguments",
    [
        ({"batch": 0}, ["--batch=0"]),
        ({"device": "rtx4091"}, ["--device=rtx4091"]),
        ({"dims": {"batch": -1}}, ["--dim=batch=-1"]),
        ({"dims": {"nothing": 1}}, ["--dim=nothing=1"]),
        ({"inputs": {"image": (1, 2)}}, ["--input=image=1x2"]),
        ({"precision": "fp17"}, ["--precision=fp17"]),
        ({"select": "weights"}, ["--select=weights"]),
        ({"select": "nothing"}, ["--select=nothing"]),
        ({"max_bytes": "5 apples", "weights": True}, ["--max-bytes=5 apples", "--weights"]),
    ],
)
def test_errors_have_the_words_of_the_command(
    command: str, tmp_path: Path, options: dict[str, object], arguments: list[str]
) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(calipers._calipers.demo())
    ran = subprocess.run([command, "inspect", str(path), *arguments], capture_output=True, text=True)
    assert ran.returncode == 2
    with pytest.raises(calipers.OptionError) as caught:
        calipers.open(path).report(**options)  # type: ignore[arg-type]
    assert ran.stderr.startswith(f"error: {caught.value}\n")
    for line in (caught.value.hint or "").splitlines():
        assert line in ran.stderr


def test_unknown_options_are_refused(digits: calipers.Model) -> None:
    with pytest.raises(TypeError):
        digits.report(devise="l4")  # type: ignore[call-arg]


def test_records_are_frozen(digits: calipers.Model) -> None:
    report = digits.report()
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.schema_version = "3"  # type: ignore[misc]
    assert all(isinstance(finding, calipers.Finding) for finding in report.findings)
    assert report.findings == digits.check()
    assert digits.report(ignore="*").findings == []
    assert types.Finding.from_dict(report.findings[0].to_dict()) == report.findings[0]
    with pytest.raises(ValueError, match="missing field"):
        types.Finding.from_dict({})


def test_figures_are_those_of_onnx() -> None:
    # Written by a script with the `onnx` package.
    facts = json.loads((ZOO / "densenet121_op17.facts.json").read_text())
    report = calipers.open(ZOO / "densenet121_op17.onnx").report()
    assert report.parameters.total == facts["initializer_elements"]
    assert report.graph.nodes == facts["nodes"]
    assert report.architecture.family == "densenet"


def test_documents(command: str, digits: calipers.Model, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(calipers._calipers.demo())
    card = printed(command, "card", str(path), "--no-date", "--format", "markdown")
    assert digits.card() == digits.report().card() == card
    assert digits.card(front_matter=False, sections=["summary"]) != card
    with pytest.raises(calipers.OptionError):
        digits.card(sections=["nothing"])
    page = tmp_path / "page.html"
    subprocess.run([command, "report", str(path), "-o", str(page)], check=True, capture_output=True)
    assert digits.html() == page.read_text()


def test_notebooks_get_html_and_markdown(digits: calipers.Model) -> None:
    report = digits.report()
    shown = report._repr_html_()
    # The page is in a frame: no style and no script of it is outside the attribute.
    outside = shown.split("<iframe")[0]
    assert "<style" not in outside and "<script" not in outside
    assert "11,370" in outside
    # Headings of a notebook are its author's.
    assert "<h1" not in outside and "--full" not in outside
    assert 'sandbox="allow-scripts"' in shown and shown.count("<iframe") == 1
    assert digits._repr_html_() == shown
    assert report._repr_markdown_().startswith("# ")
    assert repr(report).startswith("<Report of model.onnx: LeNet")
    assert repr(digits) == "calipers.open('model.onnx')"


def test_hostile_names_stay_text() -> None:
    hostile = sorted((ZOO.parent / "hostile").glob("*.onnx"))
    assert hostile
    for path in hostile:
        try:
            model = calipers.open(path)
            outside = model._repr_html_().split("<iframe")[0]
        except calipers.CalipersError:
            continue
        assert "<script" not in outside and "<img" not in outside


def test_comparison(command: str, bert: Path) -> None:
    other = ZOO / "bert_tiny_fp16.onnx"
    a, b = calipers.open(bert), calipers.open(other)
    expected = subprocess.run(
        [command, "compare", str(bert), str(other), "--format", "json", "--gate", "macs <= +5%"],
        capture_output=True,
        text=True,
        cwd=os.sep,
    ).stdout
    comparison = a.compare(b, gates=["macs <= +5%"])
    assert comparison.to_json() == expected
    assert comparison.gates[0].expression == "macs <= +5%"
    assert types.Comparison.from_dict(comparison.to_dict()).verdict == comparison.verdict
    assert a.compare(b.report()).verdict.compatibility
    with pytest.raises(calipers.OptionError, match="cannot use the gate"):
        a.compare(b, gates=["macs < nothing"])


def test_devices() -> None:
    ids = [device["id"] for device in calipers.devices()]
    assert "l4" in ids and len(ids) == len(set(ids))


def test_types_follow_the_schema() -> None:
    for name, root in (("inspect", types.Report), ("compare", types.Comparison)):
        schema = json.loads(calipers._calipers.schema(name))
        assert {field.name for field in dataclasses.fields(root)} == set(schema["properties"])
        assert set(schema["$defs"]) <= set(types.__all__)


@pytest.mark.parametrize(
    "text, words",
    [
        ("{", "it is not valid JSON"),
        ('{"schema_version": "2.0"}', "not a report of Calipers"),
        ('{"schema_version": "1.0", "generator": {"name": "calipers"}}', "schema version 1.0"),
        ('{"schema_version": "2.0", "generator": {"name": "calipers"}, "findings": 1}', "not a report of schema 2.0"),
    ],
)
def test_what_is_no_report_is_refused(text: str, words: str) -> None:
    with pytest.raises(calipers.ReadError, match=words) as caught:
        types.Report.from_json(text)
    assert caught.value.hint == "save one with `calipers inspect MODEL -o report.json`"
