//! `calipers bench MODEL`: measured latency, throughput and memory, beside the predicted latency.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use calipers::{Bindings, NodePrediction, Options};
use calipers_render::output::{Answer, Format};
use calipers_render::{page, sections, tables};
use calipers_report::{Benchmark, GroupKind, units};
use calipers_runtime::bench::{
    BatchDimension, BenchmarkQuery, Effort, Prediction, Stage, benchmark,
};
use calipers_runtime::verify::Subject;

use super::hardware::{Chosen, Wanted};
use super::verify::failed;
use super::{Privacy, model};
use crate::args::Execution;
use crate::exit::ExitStatus;
use crate::files::Scratch;
use crate::output::Target;
use crate::problem::Problem;
use crate::progress::Progress;

/// What to measure, how, and where the result goes.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) model: PathBuf,
    pub(crate) format: &'static Format,
    pub(crate) output: Target,
    pub(crate) effort: Effort,
    pub(crate) batches: Vec<u64>,
    pub(crate) threads: Vec<usize>,
    pub(crate) target_latency_ms: Option<f64>,
    pub(crate) profile: bool,
    pub(crate) device: Chosen,
    pub(crate) device_file: Option<PathBuf>,
    pub(crate) execution: Execution,
    pub(crate) bindings: Bindings,
    pub(crate) privacy: Privacy,
}

impl Bench {
    /// Measures the model and writes the result.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        model::check(&self.model, &self.output)?;
        let measured = self.measured()?;
        let answer = Answer::new(&measured)
            .tables(tables::benchmark(&measured))
            .documents(|| vec![sections::benchmark(&measured)])
            .html(|| page::benchmark(&measured));
        self.output.write_answer(&answer, self.format)?;
        verdict(&measured)
    }

    /// The threads of the headline.
    fn measured_threads(&self) -> Option<u32> {
        let given = self.threads.first().copied().or(self.execution.session.threads);
        let all = || std::thread::available_parallelism().ok().map(usize::from);
        given.or_else(all).and_then(|threads| u32::try_from(threads).ok())
    }

    /// The prediction; where there is none for this machine, what to do.
    fn with_advice(&self, mut found: Prediction) -> Prediction {
        if let (Some(why), Chosen::Auto) = (&mut found.reason, &self.device) {
            why.push_str("; run calipers calibrate to measure this machine");
        }
        found
    }

    fn measured(&self) -> anyhow::Result<Benchmark> {
        let progress = RefCell::new(Some(model::progress(&self.model)));
        let model = model::open(&self.model)?;
        let wanted = Wanted {
            devices: vec![match &self.device {
                Chosen::One(id) => Chosen::One(id.clone()),
                _ => Chosen::Auto,
            }],
            device_file: self.device_file.clone(),
            batch: self.batches.first().copied(),
            ..Wanted::default()
        };
        let mut question = wanted.question()?;
        // A device with fewer cores is timed with all of them.
        question.threads = self.measured_threads();
        let options = Options::new()
            .bindings(self.bindings.clone())
            .hardware(question)
            .redact_names(self.privacy.redact_names)
            .show_secrets(self.privacy.show_secrets);
        let predicted =
            model.predict(&options).map_err(|error| model::unusable(&self.model, &error))?;
        let subject = Subject {
            model: model.original_ir(),
            shown: model.shown_ir(&options),
            path: Some(&self.model),
        };
        let batch = calipers::Batch::find(model.original_ir(), &self.bindings);
        let scratch = match self.profile {
            true => Some(Scratch::new()?),
            false => None,
        };
        let query = BenchmarkQuery {
            subject: &subject,
            bindings: &self.bindings,
            session: &self.execution.session,
            synthesize: self.execution.synthesize,
            batch: BatchDimension {
                fixed: batch.fixed.filter(|_| batch.has_dimension && batch.symbols.is_empty()),
                symbols: batch.symbols.into_iter().collect(),
            },
            batches: &self.batches,
            threads: &self.threads,
            effort: self.effort,
            scratch: scratch.as_ref().map(Scratch::path),
            weights_bytes: predicted.report.memory.weights_bytes,
            target_latency_ms: self.target_latency_ms,
            prediction: &self.with_advice(prediction(&predicted)),
        };
        let show = |stage: Stage| {
            let message = match stage {
                Stage::Loading => "loading the model".to_owned(),
                Stage::Measuring(_, 1) => "measuring".to_owned(),
                Stage::Measuring(place, all) => format!("measuring point {} of {all}", place + 1),
                Stage::Profiling => "profiling".to_owned(),
            };
            // One sign of life at a time: the old one ends before the new one starts.
            drop(progress.borrow_mut().take());
            *progress.borrow_mut() = Some(Progress::start(message));
        };
        Ok(benchmark(&query, &show).map_err(failed)?)
    }
}

/// The estimate, with the block of each node: the outermost part that is not the graph itself or a
/// sequence of repeats.
fn prediction(predicted: &NodePrediction) -> Prediction {
    let hardware = predicted.report.hardware.as_ref();
    let outline = &predicted.outline;
    let is_block = |group: usize| {
        outline.groups.get(group).is_some_and(|group| group.kind == GroupKind::Block)
    };
    let mut found = Prediction {
        device: hardware
            .and_then(|hardware| hardware.device.as_ref())
            .map(|device| device.name.clone())
            .unwrap_or_default(),
        latency_ms: hardware.and_then(|hardware| hardware.latency_ms),
        threads: hardware.and_then(|hardware| hardware.threads),
        reason: hardware.and_then(|hardware| hardware.no_latency.clone()),
        node_ms: predicted.node_ms.iter().map(|(node, ms)| (*node, *ms)).collect(),
        ..Prediction::default()
    };
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, node) in predicted.order.iter().copied().enumerate() {
        let around = outline.around(outline.home(node));
        if let Some(group) = around.filter(|group| is_block(*group)).last() {
            members.entry(group).or_default().push(place);
        }
    }
    // An exporter may write a constant or a mask of the last block first; the node in the middle
    // shows where a block is.
    let mut blocks: Vec<(usize, Vec<usize>)> = members.into_iter().collect();
    blocks.sort_by_key(|(_, places)| places[places.len() / 2]);
    let names = blocks.iter().map(|(group, _)| outline.groups[*group].name.as_str()).collect();
    found.blocks = numbered(names);
    for (number, (_, places)) in blocks.into_iter().enumerate() {
        let nodes = places.into_iter().map(|place| (predicted.order[place], number));
        found.block_of_node.extend(nodes);
    }
    found
}

/// Names of blocks, each once. In a network with stages the blocks of each stage count from 1; here
/// they count through.
fn numbered(names: Vec<&str>) -> Vec<String> {
    let stem = |name: &str| -> String {
        let (stem, number) = name.rsplit_once(' ').unwrap_or((name, ""));
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        if is_number { stem } else { name }.to_owned()
    };
    let mut seen = BTreeSet::new();
    let repeated: BTreeSet<String> =
        names.iter().filter(|name| !seen.insert(**name)).map(|name| stem(name)).collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let name = |name: &str| {
        let stem = stem(name);
        if !repeated.contains(&stem) {
            return name.to_owned();
        }
        let count = counts.entry(stem.clone()).or_default();
        *count += 1;
        format!("{stem} {count}")
    };
    names.into_iter().map(name).collect()
}

/// The exit status: a target that is not met is a failed gate.
fn verdict(measured: &Benchmark) -> anyhow::Result<ExitStatus> {
    match (measured.target_latency_ms, measured.target_met) {
        (Some(target), Some(false)) => Err(Problem::gate(&format!(
            "the median of {} is above the target of {}",
            units::time(measured.latency_ms.median),
            units::time(target)
        ))
        .into()),
        _ => Ok(ExitStatus::Done),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_several_stages_count_through() {
        let names = vec!["Stem", "Block 1", "Block 2", "Block 1", "Layer 1", "Layer 2", "Head"];
        let wanted = ["Stem", "Block 1", "Block 2", "Block 3", "Layer 1", "Layer 2", "Head"];
        assert_eq!(numbered(names), wanted);
    }
}
