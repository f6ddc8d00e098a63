//! The table of operators against the standard's own list: every operator has its row, with the
//! versions at which it changed, and a rule.
#![allow(clippy::unwrap_used, reason = "a test may stop where its own tools fail")]

use std::collections::BTreeMap;

use calipers_ops::{FAMILIES, Operator, find};

/// Operators that the walk itself understands, because they hold graphs.
const HOLDING_GRAPHS: &[&str] = &["If", "Loop", "Scan", "SequenceMap"];

/// Domain and name of each operator, and the versions at which it appeared or changed.
fn schemas() -> BTreeMap<(&'static str, &'static str), Vec<i64>> {
    let lines = include_str!("onnx_schemas.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let schemas = lines.map(|line| {
        let mut words = line.split_whitespace();
        let key = (words.next().unwrap(), words.next().unwrap());
        (key, words.map(|version| version.parse().unwrap()).collect())
    });
    schemas.collect()
}

fn rows() -> impl Iterator<Item = &'static Operator> {
    FAMILIES.iter().flat_map(|rows| rows.iter())
}

#[test]
fn the_list_is_whole() {
    let schemas = schemas();
    assert_eq!(schemas.len(), 227);
    assert_eq!(schemas.values().map(Vec::len).sum::<usize>(), 659);
}

#[test]
fn every_operator_of_the_standard_has_its_row_and_versions() {
    let wrong: Vec<String> = schemas()
        .iter()
        .filter_map(|((domain, name), versions)| match find(domain, name) {
            None => Some(format!("{domain} {name} has no row")),
            Some(row) if row.since != versions.as_slice() => {
                let since = row.since;
                Some(format!("{domain} {name} changed at {versions:?}, and its row says {since:?}"))
            }
            Some(_) => None,
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_row_has_versions_that_the_standard_lacks() {
    let schemas = schemas();
    let wrong: Vec<String> = rows()
        .filter(|row| row.domain.starts_with("ai.onnx") && !row.since.is_empty())
        .filter(|row| !schemas.contains_key(&(row.domain, row.name)))
        .map(|row| format!("{} {} is not in the standard", row.domain, row.name))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_operator_has_a_rule() {
    let missing: Vec<String> = rows()
        .filter(|row| row.rule.is_none())
        .filter(|row| !(row.domain == "ai.onnx" && HOLDING_GRAPHS.contains(&row.name)))
        .map(|row| format!("{} {}", row.domain, row.name))
        .collect();
    assert!(missing.is_empty(), "{} lack a rule:\n{}", missing.len(), missing.join("\n"));
}
