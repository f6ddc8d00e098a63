//! What models are, against labels that people wrote.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a suite prints its score")]

mod common;

use serde_json::Value;

/// Where the report says what a label names.
fn found<'a>(report: &'a Value, field: &str) -> &'a Value {
    match field {
        "kind" | "style" | "family" => &report["architecture"][field],
        "task" => &report["task"]["kind"],
        "quantization" => &report["quantization"]["scheme"],
        _ => &report["architecture"]["facts"][field],
    }
}

/// Whether a figure is the label's; a label may allow several words, parted by `|`.
fn agrees(label: &Value, found: &Value) -> bool {
    match (label, found) {
        (Value::String(label), Value::String(found)) => label.split('|').any(|word| word == found),
        _ => label == found,
    }
}

/// Every field of every label. Prints each miss; `CALIPERS_LABELS` names one model to look at.
#[test]
fn models_are_what_their_labels_say() {
    let Some(shared) = common::shared() else { return };
    let labels: Value =
        serde_json::from_slice(&std::fs::read(shared.join("models/labels.json")).unwrap()).unwrap();
    let only = std::env::var("CALIPERS_LABELS").unwrap_or_default();
    let (mut right, mut all, mut sure) = (0, 0, 0);
    for (name, label) in labels.as_object().unwrap() {
        if !name.contains(&only) {
            continue;
        }
        let report = common::report(&shared.join("models").join(format!("{name}.onnx"))).unwrap();
        let report = serde_json::to_value(&report).unwrap();
        for (field, wanted) in label.as_object().unwrap() {
            let found = found(&report, field);
            all += 1;
            if agrees(wanted, found) {
                right += 1;
                continue;
            }
            let confidence = match field.as_str() {
                "kind" | "style" | "family" => &report["architecture"]["confidence"],
                "task" => &report["task"]["confidence"],
                _ => &Value::Null,
            };
            let wrong = !found.is_null() && confidence == "high";
            sure += usize::from(wrong);
            eprintln!(
                "{name}: {field} is {wanted}, found {found}{}",
                if wrong { ", surely" } else { "" }
            );
        }
    }
    eprintln!("labels: {right} of {all} fields, {sure} wrong with high confidence");
    if only.is_empty() {
        assert!(right * 100 >= all * 97, "fewer than 97 % of the labels");
        assert_eq!(sure, 0, "wrong with high confidence");
    }
}
