//! A test runner that can report a test as ignored while it runs.

use std::process::ExitCode;
use std::sync::Mutex;

use libtest_mimic::{Arguments, Completion, Trial};

use crate::Corpus;

/// Why a test has nothing to check on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored(pub String);

/// The result of a test that ran to its end: checked, or ignored for a reason. Failures panic.
pub type Outcome = Result<(), Ignored>;

/// What a test may return.
pub trait IntoOutcome {
    /// The outcome of a test that returned this.
    fn into_outcome(self) -> Outcome;
}

impl IntoOutcome for () {
    fn into_outcome(self) -> Outcome {
        Ok(())
    }
}

impl IntoOutcome for Outcome {
    fn into_outcome(self) -> Outcome {
        self
    }
}

/// The tests of one module, as [`tests!`](crate::tests) collects them.
#[derive(Default)]
pub struct Suite {
    trials: Vec<Trial>,
}

impl Suite {
    /// Adds a test that needs nothing but the repository. It returns nothing, or an [`Outcome`]
    /// where the machine may lack what it needs.
    pub fn test<R: IntoOutcome + 'static>(&mut self, module: &str, name: &str, test: fn() -> R) {
        self.push(module, name, move || test().into_outcome());
    }

    /// Adds a test that runs once on the repository's corpus and once on the extended one.
    pub fn each_corpus(&mut self, module: &str, name: &str, test: fn(&Corpus) -> Outcome) {
        let own = move || test(&Corpus::repository());
        self.push(module, &format!("{name}::repository"), own);
        self.extended(module, &format!("{name}::extended"), test);
    }

    /// Adds a test of models that only the extended corpus has.
    pub fn extended(&mut self, module: &str, name: &str, test: fn(&Corpus) -> Outcome) {
        self.push(module, name, move || test(&Corpus::extended()?));
    }

    fn push(&mut self, module: &str, name: &str, test: impl FnOnce() -> Outcome + Send + 'static) {
        // The first segment of a module's path is the name of the test binary.
        let module = module.split_once("::").map_or(module, |(_, rest)| rest);
        let trial = Trial::ignorable_test(format!("{module}::{name}"), move || match test() {
            Ok(()) => Ok(Completion::Completed),
            Err(Ignored(reason)) => Ok(Completion::ignored_with(reason)),
        });
        self.trials.push(trial);
    }
}

/// Scores of this run, printed after its tests.
static SCORES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Records a score, such as `labels: 475 of 475 fields`. [`main`] prints it after the tests.
pub fn score(line: impl Into<String>) {
    SCORES.lock().unwrap().push(line.into());
}

/// Runs the tests of all modules with libtest's arguments, and prints the scores.
pub fn main(suites: impl IntoIterator<Item = Suite>) -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = suites.into_iter().flat_map(|suite| suite.trials).collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    let mut scores = SCORES.lock().unwrap();
    scores.sort();
    for line in scores.iter() {
        println!("score: {line}");
    }
    conclusion.exit_code()
}

/// Lists the tests of a module, as the function `tests` that `main` calls.
///
/// A function that no list names is dead code, which the lints refuse.
///
/// ```
/// use calipers_testkit::{Corpus, Outcome};
///
/// calipers_testkit::tests! {
///     test: [arithmetic];
///     each_corpus: [models_exist];
/// }
///
/// fn arithmetic() {
///     assert_eq!(2 + 2, 4);
/// }
///
/// fn models_exist(corpus: &Corpus) -> Outcome {
///     assert!(!corpus.models().is_empty());
///     Ok(())
/// }
///
/// let suite = tests();
/// ```
#[macro_export]
macro_rules! tests {
    ($($kind:ident: [$($(#[$meta:meta])* $name:ident),* $(,)?];)*) => {
        /// The tests of this module.
        pub(crate) fn tests() -> $crate::Suite {
            let mut suite = $crate::Suite::default();
            $($($(#[$meta])* suite.$kind(module_path!(), stringify!($name), $name);)*)*
            suite
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_without_data_is_ignored_and_a_panic_fails() {
        let mut suite = Suite::default();
        suite.test("it::module", "passes", || {});
        suite.test("it::module", "misses", || Err::<(), _>(Ignored("no data".to_owned())));
        suite.test("it::module", "fails", || assert_eq!(1, 2, "on purpose"));
        let names: Vec<&str> = suite.trials.iter().map(Trial::name).collect();
        assert_eq!(names, ["module::passes", "module::misses", "module::fails"]);
        // What the run prints is not a result of these tests.
        let log = tempfile::NamedTempFile::new().unwrap();
        let logfile = Some(log.path().display().to_string());
        let conclusion =
            libtest_mimic::run(&Arguments { logfile, ..Arguments::default() }, suite.trials);
        let counts = (conclusion.num_passed, conclusion.num_ignored, conclusion.num_failed);
        assert_eq!(counts, (1, 1, 1));
    }
}
