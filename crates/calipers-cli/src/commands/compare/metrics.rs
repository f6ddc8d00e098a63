//! Metrics that the user measured: of the command line, and of a file for each model.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use calipers_report::Metric;
use serde_json::Value;

use super::Compare;
use crate::problem::{Problem, reason};

/// A file with metrics is smaller than this.
const MAX_BYTES: u64 = 16_000_000;
/// Metrics of a file that are taken.
const MAX_METRICS: usize = 64;
/// Objects inside objects that are looked into.
const MAX_DEPTH: usize = 4;

/// Every metric, with a value for each model.
pub(super) fn all(compare: &Compare) -> Result<Vec<Metric>, Problem> {
    let mut metrics = compare.metrics.clone();
    let files: Vec<Vec<(String, f64)>> =
        compare.evals.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in files.iter().flatten() {
        let shared =
            files.iter().filter(|file| file.iter().any(|(other, _)| other == name)).count();
        if shared > 1 && !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() && !files.is_empty() {
        let message = "the --eval files have no metric in common";
        return Err(Problem::unusable(&message)
            .hint("each must be an object such as {\"accuracy\": 0.761}"));
    }
    for name in names.into_iter().take(MAX_METRICS) {
        let value = |file: &Vec<(String, f64)>| {
            file.iter().find(|(other, _)| other == name).map(|(_, value)| *value)
        };
        metrics.push(Metric {
            name: name.clone(),
            values: files.iter().map(value).collect(),
            lower_is_better: calipers::is_error_metric(name),
        });
    }
    Ok(metrics)
}

/// The numbers of a file, with the names of the objects they are in.
fn read(path: &Path) -> Result<Vec<(String, f64)>, Problem> {
    let problem = |why: &str| Problem::unusable(&format!("cannot use {}: {why}", path.display()));
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| problem(&reason(&error)))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(problem("it is too large"));
    }
    let json: Value = serde_json::from_slice(&bytes)
        .map_err(|error| problem(&format!("it is not valid JSON: {error}")))?;
    if !json.is_object() {
        return Err(problem("it must be an object such as {\"accuracy\": 0.761}"));
    }
    let mut numbers = Vec::new();
    collect(&json, "", 0, &mut numbers);
    Ok(numbers)
}

fn collect(json: &Value, name: &str, depth: usize, numbers: &mut Vec<(String, f64)>) {
    match json {
        Value::Number(value) => {
            numbers.extend(value.as_f64().map(|value| (name.to_owned(), value)));
        }
        Value::Object(fields) if depth < MAX_DEPTH => {
            for (field, value) in fields.iter().take(MAX_METRICS) {
                let name = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
                collect(value, &name, depth + 1, numbers);
            }
        }
        _ => {}
    }
}
