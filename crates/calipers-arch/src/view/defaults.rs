//! Default values of attributes, by operator and version of its operator set.

use std::sync::LazyLock;

use calipers_ops::canonical_domain;
use hashbrown::HashMap;

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
pub(super) fn defaults(
    domain: &str,
    op: &str,
    version: i64,
) -> &'static [(&'static str, &'static str)] {
    // Versions of an operator are in ascending order.
    let versions = DEFAULTS.get(canonical_domain(domain)).and_then(|operators| operators.get(op));
    let found = versions.and_then(|rows| rows.iter().rev().find(|(since, _)| *since <= version));
    found.map_or(&[], |(_, values)| values)
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
