//! Why a figure is unknown, said once.
//!
//! ```text
//! total    unknown: the shape of w overflows
//! size     unknown, as above
//! ```

use std::collections::{BTreeMap, BTreeSet};

use calipers_report::Unknown;

use super::page::{Line, Role};
use crate::text::{self, Charset};

/// Columns of a reason beside its figure; a hostile name may be part of it.
const REASON: usize = 240;

/// The report's reasons, and which of them the page has given already.
pub(super) struct Reasons<'a> {
    unknown: &'a [Unknown],
    charset: Charset,
    /// Positions in `unknown` that stand beside their figure.
    placed: BTreeSet<usize>,
    said: BTreeSet<&'a str>,
}

impl<'a> Reasons<'a> {
    pub(super) fn new(unknown: &'a [Unknown], charset: Charset) -> Self {
        Self { unknown, charset, placed: BTreeSet::new(), said: BTreeSet::new() }
    }

    /// The word `unknown` for the field at a path of the report, with the reason given for the
    /// field or for the section it stands in.
    pub(super) fn unknown(&mut self, path: &str) -> Line {
        let word = Line::of(Role::Warning, "unknown");
        let Some((place, entry)) = self.find(path) else { return word };
        self.placed.insert(place);
        if !self.said.insert(&entry.reason) {
            return word.and(Role::Quiet, ", as above");
        }
        let reason = text::prose(&entry.reason, self.charset);
        word.and(Role::Quiet, format!(": {}", text::truncate(&reason, REASON, self.charset)))
    }

    /// Leaves out of the page's end why a field is unknown, since the page gives its formula.
    pub(super) fn settle(&mut self, path: &str) {
        if let Some((place, _)) = self.find(path) {
            self.placed.insert(place);
        }
    }

    /// A figure, or `unknown` with its reason.
    pub(super) fn figure(&mut self, path: &str, figure: Option<Line>) -> Line {
        figure.unwrap_or_else(|| self.unknown(path))
    }

    /// Whether the report explains why this very field is unknown.
    pub(super) fn explains(&self, path: &str) -> bool {
        self.find(path).is_some()
    }

    fn find(&self, path: &str) -> Option<(usize, &'a Unknown)> {
        let matching = |entry: &Unknown| {
            path.strip_prefix(entry.what.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        // The longest path is the closest to the field.
        self.unknown
            .iter()
            .enumerate()
            .filter(|(_, entry)| !entry.what.is_empty() && matching(entry))
            .max_by_key(|(_, entry)| entry.what.len())
    }

    /// What the page has not said yet: reasons in the report's order, each with its fields.
    pub(super) fn rest(&self) -> Vec<(Vec<&'a str>, &'a str)> {
        let mut order = vec![];
        let mut fields: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (place, entry) in self.unknown.iter().enumerate() {
            if self.placed.contains(&place) {
                continue;
            }
            let group = fields.entry(&entry.reason).or_default();
            if group.is_empty() {
                order.push(entry.reason.as_str());
            }
            group.push(&entry.what);
        }
        order.into_iter().map(|why| (fields.remove(why).unwrap_or_default(), why)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(what: &str, reason: &str) -> Unknown {
        Unknown { what: what.to_owned(), reason: reason.to_owned() }
    }

    #[test]
    fn a_reason_is_found_by_field_or_section_and_given_once() {
        let unknown = [
            entry("parameters", "no sizes"),
            entry("graph.depth", "a cycle"),
            entry("graph.dep", "not this one"),
            entry("cost", "no sizes"),
        ];
        let mut reasons = Reasons::new(&unknown, Charset::Unicode);
        let line = |role, text: &str| Line::of(Role::Warning, "unknown").and(role, text);
        assert_eq!(reasons.unknown("graph.depth"), line(Role::Quiet, ": a cycle"));
        assert_eq!(reasons.unknown("parameters.total"), line(Role::Quiet, ": no sizes"));
        assert_eq!(reasons.unknown("parameters.bytes"), line(Role::Quiet, ", as above"));
        assert_eq!(reasons.unknown("graph.nodes"), line(Role::Plain, ""));
        assert_eq!(
            reasons.rest(),
            [(vec!["graph.dep"], "not this one"), (vec!["cost"], "no sizes")]
        );
    }
}
