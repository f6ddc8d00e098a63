//! What sections are built from: the report, how much of it is shown, and which reasons for unknown
//! figures were given already.
//!
//! ```text
//! total    unknown: the shape of w overflows
//! size     unknown, as above
//! ```

use std::collections::{BTreeMap, BTreeSet};

use calipers_report::{Report, Unknown};

use crate::table::Value;
use crate::text::{self, Charset};
use crate::value::Spans;

/// Columns of a reason next to its figure; a hostile name may be part of it.
const REASON: usize = 240;

/// How much of the report is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// What fits one screen.
    Brief,
    /// Everything, as a card has it.
    Full,
}

/// What sections of one document are built from.
pub(crate) struct Context<'a> {
    pub(super) report: &'a Report,
    pub(super) detail: Detail,
    /// Positions of reasons in the report that are next to their figure.
    placed: BTreeSet<usize>,
    given: BTreeSet<&'a str>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(report: &'a Report, detail: Detail) -> Self {
        Self { report, detail, placed: BTreeSet::new(), given: BTreeSet::new() }
    }

    /// Whether the document has to fit one screen.
    pub(super) fn is_brief(&self) -> bool {
        self.detail == Detail::Brief
    }

    /// That the field at a path of the report is unknown, with the reason given for the field or
    /// for the section around it. A brief document gives each reason once.
    pub(super) fn unknown(&mut self, path: &str) -> Spans {
        let found = self.find(path);
        if !self.is_brief() {
            return Value::Missing(found.map(|(_, entry)| entry.reason.clone())).into();
        }
        let Some((place, entry)) = found else { return Value::Missing(None).into() };
        self.placed.insert(place);
        if !self.given.insert(&entry.reason) {
            return Spans::from(Value::Missing(None)).and_quiet(", as above");
        }
        let reason = text::prose(&entry.reason, Charset::Unicode);
        Value::Missing(Some(text::truncate(&reason, REASON, Charset::Unicode))).into()
    }

    /// Leaves out of the end of the document why a field is unknown, since its formula is shown.
    pub(super) fn settle(&mut self, path: &str) {
        if let Some((place, _)) = self.find(path) {
            self.placed.insert(place);
        }
    }

    /// A figure, or that it is unknown, with the reason.
    pub(super) fn known<T>(
        &mut self,
        path: &str,
        figure: Option<T>,
        set: impl FnOnce(T) -> Value,
    ) -> Spans {
        match figure {
            Some(figure) => set(figure).into(),
            None => self.unknown(path),
        }
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
        self.report
            .unknown
            .iter()
            .enumerate()
            .filter(|(_, entry)| !entry.what.is_empty() && matching(entry))
            .max_by_key(|(_, entry)| entry.what.len())
    }

    /// Reasons that no section has given, in the report's order, each with its fields.
    pub(super) fn rest(&self) -> Vec<(Vec<&'a str>, &'a str)> {
        let mut order = vec![];
        let mut fields: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (place, entry) in self.report.unknown.iter().enumerate() {
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
        let unknown = vec![
            entry("parameters", "no sizes"),
            entry("graph.depth", "a cycle"),
            entry("graph.dep", "not this one"),
            entry("cost", "no sizes"),
        ];
        let report = Report { unknown, ..Report::default() };
        let mut context = Context::new(&report, Detail::Brief);
        let missing = |reason: &str| Spans::from(Value::Missing(Some(reason.to_owned())));
        let bare = || Spans::from(Value::Missing(None));
        assert_eq!(context.unknown("graph.depth"), missing("a cycle"));
        assert_eq!(context.unknown("parameters.total"), missing("no sizes"));
        assert_eq!(context.unknown("parameters.bytes"), bare().and_quiet(", as above"));
        assert_eq!(context.unknown("graph.nodes"), bare());
        assert_eq!(
            context.rest(),
            [(vec!["graph.dep"], "not this one"), (vec!["cost"], "no sizes")]
        );
        let mut full = Context::new(&report, Detail::Full);
        assert_eq!(full.unknown("parameters.total"), missing("no sizes"));
        assert_eq!(full.unknown("parameters.bytes"), missing("no sizes"));
    }
}
