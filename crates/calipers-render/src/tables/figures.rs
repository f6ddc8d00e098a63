//! Key figures of many models.

use calipers_report::KeyFigures;

use crate::table::{Column, Table, Value};

/// The models, a row each, with the fields of [`KeyFigures`] as columns.
pub fn figures(models: &[KeyFigures]) -> Table {
    let columns = [
        "path",
        "card",
        "error",
        "bytes",
        "kind",
        "family",
        "task",
        "precision",
        "quantization",
        "nodes",
        "parameters",
        "weights_bytes",
        "macs",
        "flops",
        "lower_bound",
        "peak_activation_bytes",
        "kv_cache_bytes_per_token",
        "device",
        "latency_ms",
        "memory_bytes",
        "errors",
        "warnings",
        "infos",
    ];
    let mut set = Table::new("figures", columns.map(Column::data).to_vec());
    for model in models {
        set.row(row(model));
    }
    set
}

fn row(model: &KeyFigures) -> Vec<Value> {
    let name = |text: &Option<String>| Value::optional(text.clone(), Value::Name);
    let integer = |value: Option<u64>| Value::optional(value, Value::Integer);
    let bytes = |value: Option<u64>| Value::optional(value, Value::Bytes);
    vec![
        Value::name(&model.path),
        name(&model.card),
        Value::optional(model.error.clone(), Value::Prose),
        bytes(model.bytes),
        Value::optional(model.kind, |kind| Value::name(kind.id())),
        Value::optional(model.family, |family| Value::name(family.id())),
        Value::optional(model.task, |task| Value::name(task.id())),
        Value::optional(model.precision, |dtype| Value::name(dtype.to_string())),
        Value::optional(model.quantization, |scheme| Value::name(scheme.id())),
        integer(model.nodes),
        integer(model.parameters),
        bytes(model.weights_bytes),
        Value::optional(model.macs, Value::Magnitude),
        Value::optional(model.flops, Value::Magnitude),
        Value::optional(model.lower_bound, Value::Flag),
        bytes(model.peak_activation_bytes),
        bytes(model.kv_cache_bytes_per_token),
        name(&model.device),
        Value::optional(model.latency_ms, Value::Milliseconds),
        bytes(model.memory_bytes),
        integer(model.errors),
        integer(model.warnings),
        integer(model.infos),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{csv, jsonl};

    #[test]
    fn columns_are_the_fields_of_the_json() {
        let mut model = KeyFigures { path: "a.onnx".into(), ..KeyFigures::default() };
        (model.macs, model.infos, model.latency_ms) = (Some(7), Some(3), Some(1.5));
        (model.kind, model.lower_bound) = (Some(calipers_report::ModelKind::Cnn), Some(false));
        let table = figures(std::slice::from_ref(&model));
        let json = serde_json::to_string(&model).unwrap();
        assert_eq!(jsonl::table(&table), format!("{json}\n"));
        let sheet = csv::table(&table);
        let lines: Vec<Vec<&str>> = sheet.lines().map(|line| line.split(',').collect()).collect();
        let json = serde_json::to_value(&model).unwrap();
        assert_eq!(lines[0].len(), json.as_object().unwrap().len());
        for (name, cell) in lines[0].iter().zip(&lines[1]) {
            let wanted = match &json[name] {
                serde_json::Value::Null => String::new(),
                serde_json::Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(*cell, wanted, "{name}");
        }
    }
}
