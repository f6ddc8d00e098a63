//! The JSON Schemas, one line each.

use schemars::schema_for;
use serde_json::{Map, Value};

use crate::{
    Benchmark, Comparison, ComparisonTable, FindingRow, FindingTable, GraphView, Hardware,
    KeyFigures, LayerRow, LayerTable, ModelRow, RENAMED, Report, RunResult, ShapeRow, ShapeTable,
    SweepTable, TensorRow, Verification,
};

/// What commands write as JSON, by the name that `calipers schema` has for it.
pub fn documents() -> Vec<(&'static str, Value)> {
    vec![
        ("inspect", report()),
        ("card", schema_for!(KeyFigures).to_value()),
        ("check", schema_for!(FindingTable).to_value()),
        ("compare", schema_for!(Comparison).to_value()),
        ("compare-table", schema_for!(ComparisonTable).to_value()),
        ("layers", schema_for!(LayerTable).to_value()),
        ("graph", schema_for!(GraphView).to_value()),
        ("hardware", schema_for!(Hardware).to_value()),
        ("sweep", schema_for!(SweepTable).to_value()),
        ("shapes", schema_for!(ShapeTable).to_value()),
        ("run", schema_for!(RunResult).to_value()),
        ("bench", schema_for!(Benchmark).to_value()),
        ("verify", schema_for!(Verification).to_value()),
    ]
}

/// The rows of datasets, by the name of their table.
pub fn rows() -> Vec<(&'static str, Value)> {
    vec![
        ("models", schema_for!(ModelRow).to_value()),
        ("layers", schema_for!(LayerRow).to_value()),
        ("tensors", schema_for!(TensorRow).to_value()),
        ("findings", schema_for!(FindingRow).to_value()),
        ("shapes", schema_for!(ShapeRow).to_value()),
    ]
}

/// The report, with the fields that version 2.0 renamed under `x-renamed-in-2.0`.
fn report() -> Value {
    let mut schema = schema_for!(Report);
    let renamed = RENAMED.iter().map(|(old, new)| ((*old).to_owned(), (*new).into()));
    schema.insert("x-renamed-in-2.0".to_owned(), renamed.collect::<Map<String, Value>>().into());
    schema.to_value()
}
