//! Real models against facts that were found by running them: counts, types, inputs, outputs.
//!
//! A `NAME.facts.json` stands beside each model. The suite prints its score and fails unless every
//! fact of every model is right.
#![allow(clippy::unwrap_used, reason = "a test may stop where its own tools fail")]

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use calipers_report::{Dimension, OperatorCount, Port, Report};
use serde_json::{Value, json};

#[test]
fn facts_of_executed_models_are_right() {
    let (mut models, mut right_models, mut facts, mut right_facts) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for folder in common::model_folders() {
        for path in common::files(&folder, ".facts.json") {
            let truth: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            let model = path.with_file_name(truth["file"].as_str().unwrap());
            let report = common::report(&model).unwrap();
            let checks = compare(&truth, &report);
            models += 1;
            facts += checks.len();
            let bad: Vec<_> =
                checks.into_iter().filter(|(_, wanted, told)| wanted != told).collect();
            right_models += usize::from(bad.is_empty());
            right_facts -= bad.len() as i64;
            for (what, wanted, told) in bad {
                wrong.push(format!("{}: {what} is {wanted}, told {told}", model.display()));
            }
        }
    }
    right_facts += facts as i64;
    println!("zoo: {right_models} of {models} models, {right_facts} of {facts} facts right");
    assert!(models >= 30, "only {models} models found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each fact with what it must be and what the report says.
fn compare(truth: &Value, report: &Report) -> Vec<(&'static str, Value, Value)> {
    let graph = &report.graph;
    let by_dtype: BTreeMap<_, _> = truth["initializer_elements_by_dtype"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, count)| (dtype(name), count.as_u64().unwrap()))
        .collect();
    let told_elements = graph.initializer_elements.values().sum::<u64>();
    vec![
        ("ir_version", truth["ir_version"].clone(), json!(report.model.ir_version)),
        (
            "producer",
            truth["producer"].clone(),
            json!([report.model.producer.name, report.model.producer.version]),
        ),
        ("opsets", truth["opsets"].clone(), json!(report.model.opsets)),
        ("nodes", truth["nodes"].clone(), json!(graph.nodes)),
        ("nodes_total", truth["nodes_with_subgraphs"].clone(), json!(graph.nodes_total)),
        ("operators", truth["operators"].clone(), counts(&graph.operators)),
        (
            "operators_total",
            truth["operators_with_subgraphs"].clone(),
            counts(&graph.operators_total),
        ),
        ("initializers", truth["initializers"].clone(), json!(graph.initializers)),
        ("functions", truth["functions"].clone(), json!(graph.functions)),
        ("initializer_elements", truth["initializer_elements"].clone(), json!(told_elements)),
        ("elements by type", json!(by_dtype), json!(graph.initializer_elements)),
        ("inputs", ports(&truth["inputs"]), told_ports(&graph.inputs)),
        ("outputs", ports(&truth["outputs"]), told_ports(&graph.outputs)),
    ]
}

/// Operators by name. The facts leave the domain out.
fn counts(operators: &[OperatorCount]) -> Value {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for operator in operators {
        *counts.entry(&operator.op).or_default() += operator.count;
    }
    json!(counts)
}

/// The facts' inputs and outputs with types spelt as the report spells them.
fn ports(truth: &Value) -> Value {
    let port = |port: &Value| {
        // The facts look for a tensor; of a sequence of maps they say that it is none.
        let name = port[1].as_str().filter(|name| *name != "UNDEFINED").map(dtype);
        json!([port[0], name, port[2]])
    };
    truth.as_array().unwrap().iter().map(port).collect()
}

fn told_ports(ports: &[Port]) -> Value {
    let port = |port: &Port| {
        let shape = port.shape.as_ref().map(|dims| {
            let dim = |dim: &Dimension| match dim {
                Dimension::Size(size) => json!(size),
                Dimension::Symbol(name) => json!(name),
                Dimension::Unknown => Value::Null,
            };
            dims.iter().map(dim).collect::<Vec<_>>()
        });
        json!([port.name, port.dtype, shape])
    };
    ports.iter().map(port).collect()
}

/// ONNX's name of a type, as the report spells it.
fn dtype(onnx: &str) -> String {
    match onnx {
        "FLOAT" => "float32".to_owned(),
        "DOUBLE" => "float64".to_owned(),
        other => other.to_lowercase(),
    }
}

/// The same bytes give the same report, wherever they come from.
#[test]
fn reading_from_memory_and_from_disk_agree() {
    for path in common::files(&common::fixtures().join("zoo"), ".onnx") {
        let name = Path::new(path.file_name().unwrap()).to_string_lossy().into_owned();
        let model = calipers_formats::read(std::fs::read(&path).unwrap(), &name).unwrap();
        let from_memory = calipers_analyze::analyze(&model);
        let from_disk = common::report(&path).unwrap();
        assert_eq!(from_memory.graph, from_disk.graph, "{name}");
        assert_eq!(from_memory.parameters, from_disk.parameters, "{name}");
    }
}
