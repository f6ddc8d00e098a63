"""Tables in the libraries that take Arrow."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow
import pytest

import calipers

from conftest import ZOO


def test_layers_are_those_of_the_command(command: str, bert: Path) -> None:
    printed = subprocess.run(
        [command, "layers", str(bert), "--dim", "batch=1", "--format", "json"], capture_output=True, check=True
    ).stdout
    expected = json.loads(printed)["layers"]
    table = pyarrow.table(calipers.open(bert).layers(dims={"batch": 1}))
    for column in ("index", "node", "op", "scope", "parameters", "macs", "flops", "bytes_moved", "intensity"):
        assert table[column].to_pylist() == [layer[column] for layer in expected]
    names = [[operand and operand["name"] for operand in layer["inputs"]] for layer in expected]
    assert table["inputs"].to_pylist() == names


def test_shapes_have_names_and_sizes(digits: calipers.Model) -> None:
    table = pyarrow.table(digits.shapes())
    row = dict(zip(table["value"].to_pylist(), table["shape"].to_pylist()))
    assert row["image"] == ["batch", "1", "28", "28"]
    sizes = dict(zip(table["value"].to_pylist(), table["sizes"].to_pylist()))
    assert sizes["image"] == [None, 1, 28, 28]
    bound = pyarrow.table(digits.shapes(dims={"batch": 3}))
    assert bound["sizes"].to_pylist()[bound["value"].to_pylist().index("image")] == [3, 1, 28, 28]


def test_subgraphs_have_rows() -> None:
    table = pyarrow.table(calipers.open(ZOO / "dynamo-cond_if.onnx").shapes())
    assert len(set(table["graph"].to_pylist())) > 1


def test_every_library_takes_a_table(digits: calipers.Model) -> None:
    layers = digits.layers(dims={"batch": 1})
    macs = sum(value for value in pyarrow.table(layers)["macs"].to_pylist() if value is not None)
    assert macs == digits.report(dims={"batch": 1}).cost.macs
    assert int(pandas.DataFrame.from_arrow(layers)["macs"].sum()) == macs
    assert polars.DataFrame(layers)["macs"].sum() == macs
    relation = duckdb.sql("SELECT sum(macs) FROM layers")
    assert relation is not None
    assert [int(row[0]) for row in relation.fetchall()] == [macs]
    assert len(layers) == 10 and "macs" in repr(layers)


def test_the_most_expensive_come_first(digits: calipers.Model) -> None:
    macs = pyarrow.table(digits.layers(top=3, dims={"batch": 1}))["macs"].to_pylist()
    assert len(macs) == 3 and macs == sorted(macs, reverse=True)


def test_a_table_outlives_its_model() -> None:
    table = pyarrow.table(calipers.demo().layers())
    assert table.num_rows == 10
    table.validate(full=True)


def test_an_option_is_refused(digits: calipers.Model) -> None:
    with pytest.raises(calipers.OptionError):
        digits.layers(top=0)
