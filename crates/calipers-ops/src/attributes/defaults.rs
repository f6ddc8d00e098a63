//! Default values of attributes, by operator and version of its operator set.

use std::sync::LazyLock;

use calipers_ir::{GraphKind, Model, NodeId, OpsetImport};
use hashbrown::HashMap;

use crate::canonical_domain;

/// Operators of the standard, written by `scripts/attribute-defaults.py`.
const TABLE: &str = include_str!("defaults.txt");

type Versions = Vec<(i64, Vec<(&'static str, &'static str)>)>;

/// By domain, then by operator.
static DEFAULTS: LazyLock<HashMap<&str, HashMap<&str, Versions>>> = LazyLock::new(|| {
    let mut table: HashMap<&str, HashMap<&str, Versions>> = HashMap::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split('\t');
        let (Some(domain), Some(op), Some(version)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let Ok(version) = version.parse() else { continue };
        let values = fields.filter_map(|field| field.split_once('='));
        table.entry(domain).or_default().entry(op).or_default().push((version, values.collect()));
    }
    table
});

/// Names and default values of an operator's attributes at a version of its operator set; none where
/// the operator is not a standard one.
pub fn defaults(domain: &str, op: &str, version: i64) -> &'static [(&'static str, &'static str)] {
    // Versions of an operator are in ascending order.
    let versions = DEFAULTS.get(canonical_domain(domain)).and_then(|operators| operators.get(op));
    let found = versions.and_then(|rows| rows.iter().rev().find(|(since, _)| *since <= version));
    found.map_or(&[], |(_, values)| values)
}

/// Default values of a node's attributes, at the version of the operator set that its graph imports.
pub fn defaults_of(model: &Model, id: NodeId) -> &'static [(&'static str, &'static str)] {
    let node = model.node(id);
    let domain = canonical_domain(model.name(node.domain));
    version_of(model, id).map_or(&[], |version| defaults(domain, model.name(node.op), version))
}

/// The version of the operator set that a node's operator is from; `None` where it is not imported.
pub fn version_of(model: &Model, id: NodeId) -> Option<i64> {
    let node = model.node(id);
    let domain = canonical_domain(model.name(node.domain));
    // A graph inside a function's body imports what the function does.
    let mut graph = model.graph(node.graph);
    while let Some(parent) = graph.parent {
        graph = model.graph(parent);
    }
    let imports = match graph.kind {
        GraphKind::Function(function) => &model.function(function).opsets,
        _ => &model.header.opsets,
    };
    let is_import = |import: &&OpsetImport| canonical_domain(model.name(import.domain)) == domain;
    imports.iter().find(is_import).map(|import| import.version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_has_the_defaults_of_the_last_change_before_it() {
        // The schema of Gemm: version 7 removed `broadcast`, and 11 and 13 changed no default.
        let gemm = [("alpha", "1"), ("beta", "1"), ("transA", "0"), ("transB", "0")];
        assert_eq!(defaults("", "Gemm", 17), gemm);
        assert!(defaults("ai.onnx", "Gemm", 6).contains(&("broadcast", "0")));
        assert_eq!(defaults("com.example", "Gemm", 17), []);
        assert_eq!(defaults("", "Relu", 17), []);
    }

    #[test]
    fn every_line_of_the_table_is_read() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(DEFAULTS.values().flat_map(HashMap::values).map(Vec::len).sum::<usize>(), lines);
    }
}
