//! Selection of findings by id, group or pattern.

use calipers_report::{Finding, Severity};
use fast_glob::glob_match;

use super::{RULES, Rule};

/// The findings to report. Without patterns, all of them.
///
/// A pattern is an id (`graph-cycle`), a group (`security`), or a glob of either: `*` matches any
/// characters, `?` one.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    select: Vec<String>,
    ignore: Vec<String>,
}

/// A pattern that matches no rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no finding matches {pattern:?}")]
pub struct SelectionError {
    /// The pattern.
    pub pattern: String,
    /// The most similar id or group.
    pub nearest: Option<&'static str>,
}

impl Selection {
    /// Creates a selection: findings that match one of `select`, or all if it is empty, without those
    /// that match one of `ignore`.
    ///
    /// # Errors
    ///
    /// Returns an error if a pattern matches no rule.
    pub fn new(select: &[String], ignore: &[String]) -> Result<Self, SelectionError> {
        let all = |patterns: &[String]| {
            patterns.iter().try_for_each(|pattern| Self::named(pattern).map(drop))?;
            Ok(patterns.to_vec())
        };
        Ok(Self { select: all(select)?, ignore: all(ignore)? })
    }

    /// Returns the ids of the rules that a pattern matches, in the order of the rules.
    pub fn named(pattern: &str) -> Result<Vec<&'static str>, SelectionError> {
        let named = RULES.iter().filter(|rule| answers(rule, pattern));
        let ids: Vec<_> = named.map(|rule| rule.id).collect();
        let unknown = || SelectionError { pattern: pattern.to_owned(), nearest: nearest(pattern) };
        if ids.is_empty() { Err(unknown()) } else { Ok(ids) }
    }

    /// Whether the selection includes findings with this id.
    pub fn takes(&self, id: &str) -> bool {
        let Some(rule) = RULES.iter().find(|rule| rule.id == id) else { return true };
        let any = |patterns: &[String]| patterns.iter().any(|pattern| answers(rule, pattern));
        (self.select.is_empty() || any(&self.select)) && !any(&self.ignore)
    }

    /// Whether every selected rule requires reading the weights.
    pub fn is_of_weights(&self) -> bool {
        let mut wanted = RULES.iter().filter(|rule| self.takes(rule.id));
        !self.select.is_empty() && wanted.all(|rule| rule.group == "weights")
    }

    /// Keeps only the selected findings.
    pub fn apply(&self, findings: &mut Vec<Finding>) {
        findings.retain(|finding| self.takes(&finding.id));
    }
}

/// Whether a finding has this severity or a higher one.
pub fn any_as_severe(findings: &[Finding], threshold: Severity) -> bool {
    // Severities are ordered from the most severe.
    findings.iter().any(|finding| finding.severity <= threshold)
}

/// Whether a pattern matches the id or the group of a rule. A pattern that is malformed matches none.
fn answers(rule: &Rule, pattern: &str) -> bool {
    // A `!` would select all that does not match.
    let matches = |name: &str| !pattern.starts_with('!') && glob_match(pattern, name);
    matches(rule.id) || matches(rule.group)
}

/// Returns the id or group that is most similar to a pattern, if one is close.
fn nearest(pattern: &str) -> Option<&'static str> {
    let names = RULES.iter().flat_map(|rule| [rule.id, rule.group]);
    calipers_report::suggestions::nearest(pattern, names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(select: &[&str], ignore: &[&str]) -> Selection {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        Selection::new(&owned(select), &owned(ignore)).unwrap()
    }

    #[test]
    fn patterns_match_ids_groups_and_globs() {
        for (pattern, text, wanted) in [
            ("graph-cycle", "graph-cycle", true),
            ("graph", "graph-cycle", false),
            ("graph*", "graph-cycle", true),
            ("*cycle", "graph-cycle", true),
            ("*-c?cle", "graph-cycle", true),
            ("*a*a*", "graph-cycle", false),
            ("", "graph-cycle", false),
            ("***", "graph-cycle", true),
        ] {
            assert_eq!(glob_match(pattern, text), wanted, "{pattern:?} against {text:?}");
        }
    }

    #[test]
    fn what_is_ignored_is_ignored_even_when_selected() {
        let chosen = selection(&["security", "graph-*"], &["names-not-utf8"]);
        assert!(chosen.takes("graph-cycle") && chosen.takes("unknown-fields"));
        assert!(!chosen.takes("names-not-utf8") && !chosen.takes("newer-ir"));
        assert!(Selection::default().takes("newer-ir"));
    }

    #[test]
    fn what_needs_the_weights_read_is_reported() {
        assert!(selection(&["weights"], &[]).is_of_weights());
        assert!(selection(&["dead-filters"], &[]).is_of_weights());
        assert!(!selection(&["weights", "security"], &[]).is_of_weights());
        assert!(!Selection::default().is_of_weights());
    }

    #[test]
    fn a_pattern_that_does_nothing_is_reported() {
        let error = Selection::new(&[], &["graph-cylce".into()]).unwrap_err();
        assert_eq!(error.nearest, Some("graph-cycle"));
        assert!(Selection::new(&["zzz*".into()], &[]).is_err());
        assert!(Selection::new(&["graph-[".into()], &[]).is_err());
    }
}
