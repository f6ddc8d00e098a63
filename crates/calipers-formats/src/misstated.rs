//! What a header states of its tensors, held against the file.

use calipers_ir::{Hazard, Span};

/// Statements that are not so. Of each kind the first is kept in words, the others are counted: a
/// file can make one per tensor.
#[derive(Debug, Default)]
pub(crate) struct Misstated {
    kinds: Vec<(&'static str, String, u64)>,
}

impl Misstated {
    /// Notes a statement. `kind` is one of a fixed few.
    pub(crate) fn note(&mut self, kind: &'static str, what: impl FnOnce() -> String) {
        match self.kinds.iter_mut().find(|(known, ..)| *known == kind) {
            Some((.., count)) => *count += 1,
            None => self.kinds.push((kind, what(), 1)),
        }
    }

    /// One hazard for each kind, in the order they were noted.
    pub(crate) fn hazards(self) -> impl Iterator<Item = Hazard> {
        self.kinds.into_iter().map(|(_, first, count)| Hazard::Misstated {
            what: match count {
                1 => first,
                _ => format!("{first} (and {} more)", count - 1),
            },
        })
    }
}

/// The places that a header gives its tensors, in bytes from the start of the file.
pub(crate) struct Places<'a> {
    /// The file, as a message names it.
    pub(crate) file: &'a str,
    /// Its size.
    pub(crate) size: u64,
    /// Where the first tensor may begin.
    pub(crate) data_from: u64,
    /// Bytes that may be between two tensors.
    pub(crate) padding: u64,
    /// The tensors: their names and places.
    pub(crate) tensors: Vec<(&'a str, Span)>,
}

impl Places<'_> {
    /// Notes tensors beyond the end of the file, tensors that overlap, and bytes of no tensor.
    pub(crate) fn check(mut self, misstated: &mut Misstated) {
        let Self { file, size, data_from, padding, .. } = self;
        self.tensors.retain(|(_, span)| !span.is_empty());
        let end = self.tensors.iter().map(|(_, span)| span.end).max();
        // A file without tensors may end before the padding behind its header.
        let end = end.unwrap_or(data_from.min(size));
        if end > size {
            misstated.note("size", || {
                format!(
                    "the header of {file} describes a file of {end} bytes, and it has {size}: \
                     it is truncated"
                )
            });
        } else if size.saturating_sub(end) > padding {
            misstated
                .note("tail", || format!("{file} has {} bytes behind its last tensor", size - end));
        }
        self.tensors.sort_by_key(|(_, span)| (span.start, span.end));
        let mut before = ("the header", data_from);
        for (name, span) in self.tensors {
            if span.start < before.1 {
                misstated.note("overlap", || format!("{name:?} overlaps {:?} in {file}", before.0));
            } else if span.start - before.1 > padding {
                misstated.note("gap", || {
                    let gap = span.start - before.1;
                    format!("{file} has {gap} bytes of no tensor before {name:?}")
                });
            }
            if span.end > before.1 {
                before = (name, span.end);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(size: u64, padding: u64, tensors: &[(&str, u64, u64)]) -> Vec<String> {
        let mut misstated = Misstated::default();
        let tensors =
            tensors.iter().map(|(name, start, end)| (*name, Span { start: *start, end: *end }));
        Places { file: "m", size, data_from: 10, padding, tensors: tensors.collect() }
            .check(&mut misstated);
        let what = |hazard| match hazard {
            Hazard::Misstated { what } => what,
            other => panic!("{other:?}"),
        };
        misstated.hazards().map(what).collect()
    }

    #[test]
    fn places_are_checked() {
        assert_eq!(noted(30, 0, &[("b", 20, 30), ("a", 10, 20)]), [""; 0]);
        assert_eq!(noted(50, 31, &[("a", 10, 20), ("b", 32, 40)]), [""; 0]);
        assert_eq!(
            noted(30, 0, &[("a", 10, 40)]),
            ["the header of m describes a file of 40 bytes, and it has 30: it is truncated"]
        );
        assert_eq!(
            noted(40, 0, &[("a", 10, 20), ("b", 15, 30), ("c", 16, 25), ("d", 31, 35)]),
            [
                "m has 5 bytes behind its last tensor",
                "\"b\" overlaps \"a\" in m (and 1 more)",
                "m has 1 bytes of no tensor before \"d\"",
            ]
        );
        // An empty tensor takes no place.
        assert_eq!(noted(20, 0, &[("a", 10, 20), ("e", 15, 15)]), [""; 0]);
    }
}
