//! What pickles of a file can do to the program that loads them.

use std::collections::HashSet;

use calipers_ir::{Hazard, Source, Span};

use crate::pickle::{Import, Judgment, Outcome, judge, nested_imports, run};

/// Hazards that are noted.
const MAX_HAZARDS: usize = 1 << 12;

/// Pickles that are looked for one after another.
const MAX_IN_ROW: usize = 1 << 8;

/// Hazards, each once.
#[derive(Debug, Default)]
pub(super) struct Hazards {
    known: HashSet<Import>,
    pub(super) found: Vec<Hazard>,
    /// Whether the code of imports is in the file, as TorchScript has it.
    pub(super) has_code: bool,
}

impl Hazards {
    /// Notes what a pickle imports, where it breaks, and what pickles inside it import.
    pub(super) fn add(&mut self, source: &Source, outcome: &Outcome<'_>) {
        self.add_imports(&outcome.imports);
        self.add_imports(&nested_imports(source, outcome));
        if let Some(problem) = &outcome.problem {
            self.push(Hazard::BrokenPickle { problem: problem.clone() });
        }
    }

    /// Reads pickles one after another, for what they import.
    pub(super) fn check(&mut self, source: &Source, span: Span) {
        let outcome = run(source, span);
        self.add(source, &outcome);
        if outcome.problem.is_none() {
            self.check_after(source, Span { start: outcome.end, end: span.end });
        }
    }

    /// The same for what follows a pickle, which may be something else.
    pub(super) fn check_after(&mut self, source: &Source, span: Span) {
        let mut left = span;
        for _ in 0..MAX_IN_ROW {
            if left.start >= left.end {
                return;
            }
            let outcome = run(source, left);
            if outcome.problem.is_some() && outcome.imports.is_empty() {
                return;
            }
            self.add(source, &outcome);
            left.start = outcome.end;
            if outcome.problem.is_some() {
                return;
            }
        }
    }

    pub(super) fn push(&mut self, hazard: Hazard) {
        if self.found.len() < MAX_HAZARDS {
            self.found.push(hazard);
        }
    }

    fn add_imports(&mut self, imports: &[Import]) {
        for import in imports {
            let judgment = judge(import);
            let is_own = self.has_code && import.module.split('.').next() == Some("__torch__");
            if judgment == Judgment::Harmless
                || is_own && judgment != Judgment::Dangerous
                || !self.known.insert(import.clone())
            {
                continue;
            }
            self.push(Hazard::Import {
                module: import.module.clone(),
                name: import.name.clone(),
                is_dangerous: judgment == Judgment::Dangerous,
            });
        }
    }
}
