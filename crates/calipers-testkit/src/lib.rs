//! The models, tables and test harness of the Calipers test suites.
//!
//! A suite checks Calipers against truth from outside: executed models, published tables, labels.
//! [`Corpus`] finds that truth. The repository's own corpus is in every clone. The extended corpus
//! holds models that may not be redistributed; it is a folder next to the checkout, or the one that
//! `CALIPERS_SHARED` names.
//!
//! A test that has nothing to check must not report `ok`. The integration tests of a crate are one
//! binary without libtest: each module lists its tests with [`tests!`], `main` runs them with
//! [`main`], and a test that misses its models reports `ignored` with the reason.
//!
//! ```
//! use calipers_testkit::Corpus;
//!
//! let corpus = Corpus::repository();
//! assert!(corpus.models().len() > 40);
//! assert!(corpus.labels().iter().any(|label| label.name == "resnet50"));
//! ```
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "only tests use this crate")]

mod corpus;
pub mod growth;
mod harness;
mod mutate;
mod sequence;
mod strings;
mod tiny;

pub use corpus::{Corpus, Facts, Label, PublishedMacs, TorchvisionMacs, files, fixture, root};
pub use harness::{Ignored, IntoOutcome, Outcome, Suite, main, score};
pub use mutate::{Edit, Expected, known_edits, mutant};
pub use sequence::{FOUR, Heads};
pub use strings::{Place, STRING_PLACES, every_string, marked, rewrite_strings};
pub use tiny::{Tiny, TinyModel};
