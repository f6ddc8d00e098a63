//! Findings that only one of two models has.

use calipers_report::{Finding, FindingChanges, FindingCount};
use hashbrown::HashMap;

/// Which findings are new and which are resolved.
///
/// Nodes may be renamed and counts may grow, so a finding is the same when its id is. One that names
/// more nodes than before is not new.
pub(crate) fn compare(a: &[Finding], b: &[Finding]) -> FindingChanges {
    let new = missing_from(a, b);
    let resolved = missing_from(b, a);
    let mut unchanged_by_id: Vec<FindingCount> = Vec::new();
    for finding in missing_from(&new, b) {
        match unchanged_by_id.iter_mut().find(|known| known.id == finding.id) {
            Some(known) => known.count += 1,
            None => unchanged_by_id.push(FindingCount {
                id: finding.id,
                severity: finding.severity,
                count: 1,
            }),
        }
    }
    let unchanged = (b.len() - new.len()) as u64;
    FindingChanges { new, resolved, unchanged, unchanged_by_id }
}

/// Findings of the second list whose ids are fewer times in the first.
fn missing_from(known: &[Finding], found: &[Finding]) -> Vec<Finding> {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for finding in known {
        *left.entry(finding.id.as_str()).or_default() += 1;
    }
    let is_missing = |finding: &&Finding| match left.get_mut(finding.id.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    found.iter().filter(is_missing).cloned().collect()
}

#[cfg(test)]
mod tests {
    use calipers_report::Severity;

    use super::*;

    fn finding(id: &str, nodes: &[&str]) -> Finding {
        Finding {
            id: id.to_owned(),
            severity: Severity::Warning,
            title: String::new(),
            detail: String::new(),
            nodes: nodes.iter().map(|node| (*node).to_owned()).collect(),
            recommendation: String::new(),
        }
    }

    #[test]
    fn renamed_nodes_do_not_make_a_finding_new() {
        let a = [finding("x", &["n1"]), finding("y", &[])];
        let b = [finding("x", &["other"]), finding("z", &[]), finding("x", &["second"])];
        let changes = compare(&a, &b);
        assert_eq!(changes.new, [b[1].clone(), b[2].clone()]);
        assert_eq!(changes.resolved, [a[1].clone()]);
        assert_eq!(changes.unchanged, 1);
        assert_eq!(changes.unchanged_by_id.len(), 1);
        assert_eq!(
            (changes.unchanged_by_id[0].id.as_str(), changes.unchanged_by_id[0].count),
            ("x", 1)
        );
    }
}
