//! What inference makes of inputs, bindings and loops; the models are built so that the answer can
//! be read off.
#![allow(clippy::unwrap_used, reason = "a test may stop where its own tools fail")]

mod bindings;
mod layouts;
mod loops;
mod values;

use std::collections::BTreeMap;

use calipers_infer::{BindError, Bindings, Typed, infer};
use calipers_ir::Model;
use calipers_samples::ModelBuilder;

fn read(builder: &ModelBuilder) -> Model {
    calipers_formats::read(builder.build(), "test.onnx").unwrap()
}

/// What is known of a value of the main graph, in one line.
fn fact_text(model: &Model, typed: &Typed, name: &str) -> String {
    let is_named = |value: &calipers_ir::Value| {
        value.graph == model.main_id() && model.name(value.name) == name
    };
    let (id, _) = model.values().find(|(_, value)| is_named(value)).unwrap();
    typed.fact(id).to_string()
}

/// What is known of a value under some bindings.
fn inferred(builder: &ModelBuilder, bindings: &Bindings, name: &str) -> String {
    let model = read(builder);
    fact_text(&model, &infer(&model, bindings).unwrap(), name)
}

fn refused(builder: &ModelBuilder, bindings: &Bindings) -> BindError {
    infer(&read(builder), bindings).unwrap_err()
}

fn free() -> Bindings {
    Bindings::default()
}

fn inputs(shapes: &[(&str, &[i64])]) -> Bindings {
    let inputs = shapes.iter().map(|(name, shape)| ((*name).to_owned(), shape.to_vec())).collect();
    Bindings { inputs, ..free() }
}

fn dims(sizes: &[(&str, i64)]) -> Bindings {
    let dims = sizes.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
    Bindings { dims, ..free() }
}

fn values(elements: &[(&str, &[i64])]) -> Bindings {
    let values = elements.iter().map(|(name, list)| ((*name).to_owned(), list.to_vec())).collect();
    Bindings { values, ..free() }
}

fn names(builder: &ModelBuilder, bindings: &Bindings) -> BTreeMap<String, Option<i64>> {
    bindings.names(&read(builder))
}
