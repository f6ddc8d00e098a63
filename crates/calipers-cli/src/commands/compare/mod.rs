//! `calipers compare A B`: what changed between models, and gates.

mod budget;
mod labels;
mod metrics;
mod side;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use calipers::gates::Gate;
use calipers::{Bindings, Compared, HardwareQuery, Options, rules};
use calipers_render::output::Answer;
use calipers_render::{comparison as render, markdown, sarif};
use calipers_report::{Comparison, ComparisonTable, Metric};

use self::budget::Budget;
use self::side::Opened;
use super::devices::unknown;
use super::{Privacy, Wanted, model};
use crate::args::ComparisonFormat;
use crate::exit::ExitStatus;
use crate::output::Target;
use crate::problem::{Problem, printable};
use crate::progress::Bar;

/// Devices whose latency is compared where none is named: a common GPU and a common CPU.
const DEVICES: [&str; 2] = ["l4", "i9-13900k"];

/// The models, what is asked of them, and the output.
#[derive(Debug)]
pub(crate) struct Compare {
    pub(crate) models: Vec<PathBuf>,
    /// Where the comparison goes, and in which format.
    pub(crate) outputs: Vec<(Target, ComparisonFormat)>,
    /// Whether to compare every weight.
    pub(crate) weights: bool,
    /// Bytes of weights to read at most.
    pub(crate) max_bytes: Option<u64>,
    /// Gates of the command line.
    pub(crate) gates: Vec<String>,
    /// The file with gates, where one was named.
    pub(crate) config: Option<PathBuf>,
    pub(crate) metrics: Vec<Metric>,
    /// Files with metrics, one for each model.
    pub(crate) evals: Vec<PathBuf>,
    pub(crate) wanted: Wanted,
    pub(crate) bindings: Bindings,
    pub(crate) privacy: Privacy,
}

impl Compare {
    /// Compares the models and writes what changed.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        for path in &self.models {
            self.check(path)?;
        }
        let rules = rules();
        let ids: Vec<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
        let budget = Budget::find(self, &ids)?;
        let metrics = metrics::all(self)?;
        let paths = self.paths(&budget)?;
        let sides: Vec<Opened> =
            paths.iter().map(|path| Opened::read(path, self.privacy)).collect::<Result<_, _>>()?;
        let options = self.options(&budget)?;
        let models: Vec<Compared<'_>> = sides.iter().map(Opened::compared).collect();
        let labels = labels::labels(&paths, self.privacy);
        let place = labels::place(&paths, self.privacy);
        let failed = match models.as_slice() {
            [a, b] => {
                let finish = |comparison: &mut Comparison| {
                    (comparison.a.label, comparison.b.label) =
                        (labels[0].clone(), labels[1].clone());
                    calipers::add_metrics(comparison, &metrics, (0, 1));
                    if self.models.len() == 1 && budget.baseline.is_none() {
                        let verdict = &mut comparison.verdict;
                        verdict.compatibility =
                            "No baseline was given, so only the gates were judged.".to_owned();
                        verdict.trade = String::new();
                    }
                    comparison.gates = judged(&budget.gates, comparison);
                };
                let comparison = self.write_pair(*a, *b, options, &finish, &place)?;
                failures(&comparison, None)
            }
            _ => {
                let table = self.table(&models, options, &labels, &metrics, &budget.gates)?;
                self.write_table(&table, &place)?;
                table.comparisons.iter().flat_map(|it| failures(it, Some(&it.b.label))).collect()
            }
        };
        Ok(report_failures(&failed))
    }

    /// Compares two models that were read, and judges the gates.
    pub(crate) fn pair(&self, a: Compared<'_>, b: Compared<'_>) -> anyhow::Result<Comparison> {
        let rules = rules();
        let ids: Vec<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
        let budget = Budget::find_named(self, &ids)?;
        let metrics = metrics::all(self)?;
        let compared = calipers::compare(a, b, &self.options(&budget)?);
        let mut comparison = compared.map_err(|error| self.failed(&error))?;
        self.label(&mut comparison);
        calipers::add_metrics(&mut comparison, &metrics, (0, 1));
        comparison.gates = judged(&budget.gates, &comparison);
        Ok(comparison)
    }

    /// Names both models, by as little of their paths as makes the names distinct.
    fn label(&self, comparison: &mut Comparison) {
        if let [a, b] = labels::labels(&self.models, self.privacy).as_slice() {
            (comparison.a.label, comparison.b.label) = (a.clone(), b.clone());
        }
    }

    /// Refuses a model that cannot be there, or that an output would replace.
    fn check(&self, path: &Path) -> anyhow::Result<()> {
        self.outputs.iter().try_for_each(|(target, _)| model::check(path, target))
    }

    /// The files to compare: the baseline of the budget comes first where one model was given.
    fn paths(&self, budget: &Budget) -> anyhow::Result<Vec<PathBuf>> {
        let [model] = self.models.as_slice() else { return Ok(self.models.clone()) };
        if let Some(baseline) = &budget.baseline {
            self.check(baseline)?;
            return Ok(vec![baseline.clone(), model.clone()]);
        }
        if let Some(gate) = budget.gates.iter().find(|gate| gate.needs_baseline()) {
            let message = format!("the gate `{}` needs a baseline", gate.expression());
            let hint = "give two models, or set `baseline` in calipers.toml";
            return Err(Problem::unusable(&message).hint(hint).into());
        }
        if budget.gates.is_empty() {
            let hint = "give a second model, or gates with --gate or calipers.toml";
            return Err(Problem::unusable(&"one model has nothing to be compared with")
                .hint(hint)
                .into());
        }
        Ok(vec![model.clone(), model.clone()])
    }

    fn options(&self, budget: &Budget) -> anyhow::Result<Options> {
        let mut bindings = self.bindings.clone();
        for (name, size) in &budget.dims {
            bindings.dims.entry(name.clone()).or_insert(*size);
        }
        let options = Options::new()
            .bindings(bindings)
            .hardware(self.question(&budget.devices)?)
            .weights(self.weights)
            .redact_names(self.privacy.redact_names)
            .show_secrets(self.privacy.show_secrets);
        Ok(model::with_limit(options, self.max_bytes))
    }

    /// The query with the devices that are compared.
    fn question(&self, devices: &[String]) -> Result<HardwareQuery, Problem> {
        let is_chosen = !self.wanted.devices.is_empty() || !devices.is_empty();
        let mut question = self.wanted.question()?;
        let mut table = match question.device.take() {
            Some(device) => vec![device],
            None if !self.wanted.devices.is_empty() => std::mem::take(&mut question.table),
            None => Vec::new(),
        };
        let defaults = DEVICES.iter().map(|id| (*id).to_owned()).filter(|_| !is_chosen);
        for id in devices.iter().cloned().chain(defaults) {
            let device = question.catalog.find(&id).map_err(|error| unknown(&error))?.clone();
            if !table.iter().any(|known| known.id == device.id) {
                table.push(device);
            }
        }
        question.table = table;
        Ok(question)
    }

    /// The options with a sign of life while weights are read.
    fn watched(&self, options: Options) -> Options {
        if !self.weights {
            return options;
        }
        let bar = Arc::new(Bar::start("comparing weights"));
        options.progress(move |bytes, total| bar.add(bytes, total))
    }

    /// Why the models cannot be compared.
    fn failed(&self, error: &calipers::Error) -> anyhow::Error {
        model::unusable(self.models.last().map_or("".as_ref(), PathBuf::as_path), error)
    }

    fn write_pair(
        &self,
        a: Compared<'_>,
        b: Compared<'_>,
        options: Options,
        finish: &dyn Fn(&mut Comparison),
        place: &str,
    ) -> anyhow::Result<Comparison> {
        let failed = |error| self.failed(&error);
        let is_page = |(_, format): &(Target, ComparisonFormat)| *format == ComparisonFormat::Html;
        let (mut comparison, view) = {
            let options = self.watched(options);
            match self.outputs.iter().any(is_page) {
                true => calipers::compare_graphs(a, b, &options).map_err(failed)?,
                false => (calipers::compare(a, b, &options).map_err(failed)?, None),
            }
        };
        finish(&mut comparison);
        let labels = (comparison.a.label.as_str(), comparison.b.label.as_str());
        let rules = rules();
        let answer = Answer::table(&comparison, render::figures(&comparison.figures, labels))
            .documents(|| vec![render::document(&comparison)])
            .sarif(|| sarif::comparison(&comparison, &rules, place));
        self.write(
            &answer,
            || render::page::html(&comparison, view.as_ref(), &render::document(&comparison)),
            || render::markdown(&comparison, &labels::key(&self.models)),
        )?;
        drop(answer);
        Ok(comparison)
    }

    /// Writes every output; a page and Markdown for comments are made for comparisons.
    fn write(
        &self,
        answer: &Answer<'_>,
        page: impl Fn() -> String,
        comment: impl Fn() -> String,
    ) -> anyhow::Result<()> {
        for (target, format) in &self.outputs {
            match format {
                ComparisonFormat::Html => target.write(&page())?,
                ComparisonFormat::Answer(format) if **format == markdown::FORMAT => {
                    target.write(&comment())?;
                }
                ComparisonFormat::Answer(format) => target.write_answer(answer, format)?,
            }
        }
        Ok(())
    }

    /// Several models, each compared with the first.
    fn table(
        &self,
        models: &[Compared<'_>],
        options: Options,
        labels: &[String],
        metrics: &[Metric],
        gates: &[Gate],
    ) -> anyhow::Result<ComparisonTable> {
        let mut comparisons = {
            let options = self.watched(options);
            calipers::compare_each(models, &options).map_err(|error| self.failed(&error))?
        };
        for (at, comparison) in comparisons.iter_mut().enumerate() {
            comparison.a.label.clone_from(&labels[0]);
            comparison.b.label.clone_from(&labels[at + 1]);
            calipers::add_metrics(comparison, metrics, (0, at + 1));
            comparison.gates = judged(gates, comparison);
        }
        Ok(calipers::table(comparisons, metrics))
    }

    fn write_table(&self, table: &ComparisonTable, place: &str) -> anyhow::Result<()> {
        let rules = rules();
        let answer = Answer::table(table, render::figure_rows(table))
            .documents(|| vec![render::table_document(table)])
            .sarif(|| {
                let last = table.comparisons.last().cloned().unwrap_or_default();
                sarif::comparison(&last, &rules, place)
            });
        self.write(
            &answer,
            || render::page::table_html(table),
            || render::table_markdown(table, &labels::key(&self.models)),
        )
    }
}

/// The results of the gates.
fn judged(gates: &[Gate], comparison: &Comparison) -> Vec<calipers_report::GateResult> {
    gates.iter().map(|gate| gate.judge(comparison)).collect()
}

/// Gates that failed, a line each.
fn failures(comparison: &Comparison, model: Option<&str>) -> Vec<String> {
    let failed = comparison.gates.iter().filter(|gate| !gate.passed);
    failed
        .map(|gate| {
            let of = model.map(|model| format!(" ({model})")).unwrap_or_default();
            format!("gate failed{of}: {}: {}", gate.expression, gate.detail)
        })
        .collect()
}

fn report_failures(failed: &[String]) -> ExitStatus {
    if failed.is_empty() {
        return ExitStatus::Done;
    }
    let lines: Vec<String> = failed.iter().map(|line| printable(line) + "\n").collect();
    // The exit status still reports the failure if standard error is closed.
    let _ = std::io::stderr().lock().write_all(lines.concat().as_bytes());
    ExitStatus::GateFailed
}
