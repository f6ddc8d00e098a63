//! Which findings to show: by id, by group, or by a pattern.

use calipers_report::{Finding, Severity};

use super::{RULES, Rule};

/// Which findings are wanted. Without any pattern, all are.
///
/// A pattern is an id (`graph-cycle`), a group (`security`), or either with `*` for any letters and
/// `?` for one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    select: Vec<String>,
    ignore: Vec<String>,
}

/// A pattern that no rule answers to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no finding {pattern:?}")]
pub struct SelectionError {
    /// The pattern.
    pub pattern: String,
    /// The id or group that is spelt most like it.
    pub nearest: Option<&'static str>,
}

impl Selection {
    /// Findings that match one of `select`, or all where it is empty, less those that match one of
    /// `ignore`. A pattern that matches no rule is an error: it would never do anything.
    pub fn new(select: Vec<String>, ignore: Vec<String>) -> Result<Self, SelectionError> {
        for pattern in select.iter().chain(&ignore) {
            Self::named(pattern)?;
        }
        Ok(Self { select, ignore })
    }

    /// Ids of the rules that a pattern names, in the order of the table.
    pub fn named(pattern: &str) -> Result<Vec<&'static str>, SelectionError> {
        let named = RULES.iter().filter(|rule| answers(rule, pattern));
        let ids: Vec<_> = named.map(|rule| rule.id).collect();
        if ids.is_empty() {
            let pattern = pattern.to_owned();
            return Err(SelectionError { nearest: nearest(&pattern), pattern });
        }
        Ok(ids)
    }

    /// Whether findings of this id are wanted.
    pub fn takes(&self, id: &str) -> bool {
        let Some(rule) = RULES.iter().find(|rule| rule.id == id) else { return true };
        let any = |patterns: &[String]| patterns.iter().any(|pattern| answers(rule, pattern));
        (self.select.is_empty() || any(&self.select)) && !any(&self.ignore)
    }

    /// Whether all that is asked for comes of reading every weight.
    pub fn is_of_weights(&self) -> bool {
        let mut wanted = RULES.iter().filter(|rule| self.takes(rule.id));
        !self.select.is_empty() && wanted.all(|rule| rule.group == "weights")
    }

    /// Leaves only the findings that are wanted.
    pub fn apply(&self, findings: &mut Vec<Finding>) {
        findings.retain(|finding| self.takes(&finding.id));
    }
}

/// Whether some finding is as severe as that or more.
pub fn any_as_severe(findings: &[Finding], threshold: Severity) -> bool {
    // The most severe is the smallest.
    findings.iter().any(|finding| finding.severity <= threshold)
}

fn answers(rule: &Rule, pattern: &str) -> bool {
    matches(pattern, rule.id) || matches(pattern, rule.group)
}

/// Whether a text matches a pattern of letters, `?` and `*`. Time grows with the product of their
/// lengths at worst: on a mismatch only the last `*` takes one more letter.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(byte) if *byte == b'?' || *byte == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    p = at + 1;
                    t = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

/// The id or group that is spelt most like a pattern, when one is near.
fn nearest(pattern: &str) -> Option<&'static str> {
    let names = RULES.iter().flat_map(|rule| [rule.id, rule.group]);
    calipers_devices::nearest(pattern, names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(select: &[&str], ignore: &[&str]) -> Selection {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        Selection::new(owned(select), owned(ignore)).unwrap()
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
            assert_eq!(matches(pattern, text), wanted, "{pattern:?} against {text:?}");
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
    fn what_needs_the_weights_read_is_told() {
        assert!(selection(&["weights"], &[]).is_of_weights());
        assert!(selection(&["dead-filters"], &[]).is_of_weights());
        assert!(!selection(&["weights", "security"], &[]).is_of_weights());
        assert!(!Selection::default().is_of_weights());
    }

    #[test]
    fn a_pattern_that_does_nothing_is_told() {
        let error = Selection::new(vec![], vec!["graph-cylce".into()]).unwrap_err();
        assert_eq!(error.nearest, Some("graph-cycle"));
        assert!(Selection::new(vec!["zzz*".into()], vec![]).is_err());
    }
}
