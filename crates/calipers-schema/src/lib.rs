//! The JSON Schemas of what Calipers writes.
//!
//! They follow from the types of `calipers-report` and their documentation, and are made while this crate is built: no
//! program carries the code that makes them.
//!
//! ```
//! let schema = calipers_schema::document("inspect").unwrap();
//! assert_eq!(schema["title"], "Report");
//! ```
#![forbid(unsafe_code)]

use serde_json::Value;

include!(concat!(env!("OUT_DIR"), "/schemas.rs"));

/// The schema of what a command writes as JSON, by the name that `calipers schema` has for it.
pub fn document(name: &str) -> Option<Value> {
    find(DOCUMENTS, name)
}

/// The schema of a row of a dataset, by the name of its table.
pub fn row(table: &str) -> Option<Value> {
    find(ROWS, table)
}

fn find(schemas: &[(&str, &str)], name: &str) -> Option<Value> {
    let (_, json) = schemas.iter().find(|(known, _)| *known == name)?;
    serde_json::from_str(json).ok()
}

#[cfg(test)]
mod tests {
    use calipers_report::{Comparison, Report, Summary, WeightChanges, Weights};

    use super::*;

    fn has_every_section(name: &str, whole: &Value) {
        let schema = document(name).unwrap();
        for section in whole.as_object().unwrap().keys() {
            assert!(schema["properties"][section].is_object(), "{name} lacks {section}");
        }
    }

    #[test]
    fn schemas_have_every_section() {
        let report = Report {
            weights: Some(Weights::default()),
            summary: Some(Summary::default()),
            ..Report::default()
        };
        has_every_section("inspect", &serde_json::to_value(report).unwrap());
        let comparison = Comparison {
            weights: Some(WeightChanges::default()),
            notes: vec![String::new()],
            ..Comparison::default()
        };
        has_every_section("compare", &serde_json::to_value(comparison).unwrap());
    }

    #[test]
    fn closed_sets_list_their_ids() {
        let schema = document("inspect").unwrap();
        assert_eq!(schema["$defs"]["NormPosition"]["enum"], serde_json::json!(["post", "pre"]));
    }

    #[test]
    fn every_schema_is_read() {
        assert!(DOCUMENTS.iter().all(|(name, _)| document(name).is_some_and(|it| it.is_object())));
        assert!(ROWS.iter().all(|(name, _)| row(name).is_some_and(|it| it.is_object())));
        assert_eq!(document("weights"), None);
    }
}
