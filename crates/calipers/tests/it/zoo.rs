//! Real models against facts that were found by running them: counts, types, inputs, outputs.
//!
//! Each model has a `NAME.facts.json` next to it. The suite prints its score and fails unless every
//! fact of every model is right.
use std::collections::BTreeMap;
use std::path::Path;

use calipers_report::{Dimension, OperatorCount, Port, Report};
use calipers_testkit::{Corpus, Facts, Outcome, score};
use serde_json::{Value, json};

use crate::support;

calipers_testkit::tests! {
    each_corpus: [facts_of_executed_models_are_right];
    test: [
        reading_from_memory_and_from_disk_agree,
    ];
}

fn facts_of_executed_models_are_right(corpus: &Corpus) -> Outcome {
    let (mut models, mut facts) = (0, 0);
    let mut wrong = Vec::new();
    for Facts { model, truth } in corpus.facts() {
        let checks = compare(&truth, &support::report(&model).unwrap());
        models += 1;
        facts += checks.len();
        for (what, wanted, found) in checks.into_iter().filter(|(_, wanted, found)| wanted != found)
        {
            wrong.push(format!("{}: {what} is {wanted}, found {found}", model.display()));
        }
    }
    let right = facts - wrong.len();
    score(format!("facts, {}: {right} of {facts} in {models} models", corpus.name()));
    assert!(models >= 15, "only {models} models found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
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
    let reported_elements = graph.initializer_elements.values().sum::<u64>();
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
        ("initializer_elements", truth["initializer_elements"].clone(), json!(reported_elements)),
        ("elements by type", json!(by_dtype), json!(graph.initializer_elements)),
        ("inputs", ports(&truth["inputs"]), reported_ports(&graph.inputs)),
        ("outputs", ports(&truth["outputs"]), reported_ports(&graph.outputs)),
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
        // The facts call the type of a sequence of maps UNDEFINED.
        let name = port[1].as_str().filter(|name| *name != "UNDEFINED").map(dtype);
        json!([port[0], name, port[2]])
    };
    truth.as_array().unwrap().iter().map(port).collect()
}

fn reported_ports(ports: &[Port]) -> Value {
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
fn reading_from_memory_and_from_disk_agree() {
    for path in Corpus::repository().models() {
        let name = Path::new(path.file_name().unwrap()).to_string_lossy().into_owned();
        let model = calipers::Model::read(std::fs::read(&path).unwrap(), &name).unwrap();
        let from_memory = crate::support::analyze(&model);
        let from_disk = support::report(&path).unwrap();
        assert_eq!(from_memory.graph, from_disk.graph, "{name}");
        assert_eq!(from_memory.parameters, from_disk.parameters, "{name}");
    }
}
