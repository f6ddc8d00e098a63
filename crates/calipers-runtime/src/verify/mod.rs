//! Checks inferred types and shapes against executions of the model.
//!
//! Every value of the main graph is added to the outputs of a copy of the model, in batches whose
//! values fit in memory together; the graph is executed as written, at two or three bindings of its
//! free dimensions.

mod bindings;
mod compare;
mod nodes;

use std::path::Path;

use calipers_infer::{BindError, Bindings, Typed, infer_shapes};
use calipers_ir::{Model, ValueId};
use calipers_measure::assume;
use calipers_measure::memory::{self, Caches, Size};
use calipers_report::{ComparedBytes, Execution, NodeCounts, SkippedValue, Verification};
use hashbrown::HashMap;

pub(crate) use self::bindings::plan;
use self::compare::{Comparison, compare};
use crate::session::{Observed, Read, Session, open};
use crate::{Error, ModelSource, SessionOptions, Tensor, available, synthesize};

/// Bytes of exposed values that one run holds.
const BATCH_BYTES: u64 = 100_000_000;

/// Values that a list of the report names; it counts them all.
const NAMED: usize = 1000;

/// What to verify.
pub struct Subject<'a> {
    /// The model with every text as the file has it.
    pub model: &'a Model,
    /// The same model with the texts that may be shown.
    pub shown: &'a Model,
    /// Where the file is.
    pub path: Option<&'a Path>,
}

/// How to verify.
pub struct VerificationQuery<'a> {
    /// Sizes of free dimensions.
    pub bindings: &'a Bindings,
    /// How the model is executed.
    pub session: &'a SessionOptions,
    /// Whether missing weights are synthesized.
    pub synthesize: bool,
    /// A private folder for the runtime's profile; without one nodes are not counted.
    pub scratch: Option<&'a Path>,
}

/// Runs a model and compares every value with what was inferred. `progress` gets the number of the
/// execution that begins, and of all.
///
/// # Errors
///
/// Those of loading the model, and of running it at the first binding.
pub fn verify(
    subject: &Subject<'_>,
    query: &VerificationQuery<'_>,
    progress: &dyn Fn(u64, u64),
) -> Result<Verification, Error> {
    let model = subject.model;
    let weights = if query.synthesize { synthesize::weights(model)? } else { Vec::new() };
    let synthesized_weights = !weights.is_empty();
    let source = ModelSource::new(model, subject.path, weights)?;
    let options = SessionOptions { as_written: true, ..query.session.clone() };
    let values = computed(model);
    let mut verifier = Verifier {
        subject,
        source,
        options,
        values: &values,
        scratch: query.scratch,
        seen: HashMap::new(),
        runtime: String::new(),
        nodes: None,
    };
    let plans = bindings::plans(model, query.bindings).map_err(refused)?;
    let total = plans.len() as u64;
    let mut executions: Vec<Execution> = Vec::new();
    for (number, plan) in plans.into_iter().enumerate() {
        progress(number as u64, total);
        match verifier.execute(plan, number as u64) {
            Ok(execution) => executions.push(execution),
            Err((error, _)) if number == 0 => return Err(error),
            // A model need not take every size; at the first one it ran.
            Err((error, sizes)) => executions.push(Execution {
                sizes,
                error: Some(error.to_string()),
                ..Execution::default()
            }),
        }
    }
    let mut verified = Verification {
        model: model.header.file_name.clone(),
        runtime: verifier.runtime.clone(),
        synthesized_weights,
        values: values.len() as u64,
        nodes: verifier.nodes,
        executions,
        inner_nodes: (model.nodes().len() - model.main().order.len()) as u64,
        ..Verification::default()
    };
    verifier.summarize(&mut verified);
    Ok(verified)
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn refused(error: BindError) -> Error {
    Error::Request(error.to_string())
}

/// Values that nodes of the main graph compute, each once.
fn computed(model: &Model) -> Vec<ValueId> {
    let mut seen = hashbrown::HashSet::new();
    let outputs = model.main().order.iter().flat_map(|node| model.outputs(*node).iter().flatten());
    outputs.copied().filter(|value| seen.insert(*value)).collect()
}

/// What became of a value: the worst over all executions.
enum Outcome {
    Compared(Comparison, u64),
    NotRun(String),
}

struct Verifier<'a> {
    subject: &'a Subject<'a>,
    source: ModelSource,
    options: SessionOptions,
    values: &'a [ValueId],
    scratch: Option<&'a Path>,
    seen: HashMap<ValueId, Outcome>,
    runtime: String,
    nodes: Option<NodeCounts>,
}

type Failed = (Error, std::collections::BTreeMap<String, i64>);

impl Verifier<'_> {
    /// Runs the model at one binding and compares.
    fn execute(&mut self, plan: Bindings, number: u64) -> Result<Execution, Failed> {
        let model = self.subject.model;
        let sizes = plan.sizes(model);
        let failed = |error| (error, sizes.clone());
        let typed = infer_shapes(model, &plan).map_err(|error| failed(refused(error)))?;
        available::check(model, &typed).map_err(failed)?;
        let inputs = synthesize::inputs(model, &typed).map_err(failed)?;
        // What an integer input holds decides shapes.
        let plan = bindings::with_values(model, &typed, plan, &inputs);
        let typed = infer_shapes(model, &plan).map_err(|error| failed(refused(error)))?;
        let mut observed: HashMap<ValueId, Observed> = HashMap::new();
        {
            // Without exposed values first: an error here is the model's own.
            let profile = self.scratch.filter(|_| number == 0).map(|folder| folder.join("profile"));
            let options = SessionOptions { profile, ..self.options.clone() };
            let mut session = open(&self.source, &options).map_err(failed)?;
            self.runtime = session.runtime();
            self.take(&mut *session, &inputs, &mut observed).map_err(failed)?;
            if options.profile.is_some() {
                self.nodes = nodes::counts(model, &mut *session);
            }
        }
        let mut batches = self.batches(&typed, &observed);
        while let Some(batch) = batches.pop() {
            match self.expose(&batch, &inputs, &mut observed) {
                Ok(()) => {}
                // One value that cannot be read must not hide the others.
                Err(_) if batch.len() > 1 => {
                    let (left, right) = batch.split_at(batch.len() / 2);
                    batches.extend([right.to_vec(), left.to_vec()]);
                }
                Err(error) => {
                    let reason = error.to_string();
                    self.seen.entry(batch[0]).or_insert(Outcome::NotRun(reason));
                }
            }
        }
        if !self.options.engine.keeps_types() {
            for (value, found) in &mut observed {
                compare::take_type(found, typed.fact(*value));
            }
        }
        let mut compared = 0;
        for value in self.values {
            let Some(found) = observed.get(value) else { continue };
            compared += 1;
            let verdict = compare(typed.fact(*value), found);
            let worst = match self.seen.get(value) {
                Some(Outcome::Compared(known, _)) => verdict.is_worse(known),
                _ => true,
            };
            if worst {
                self.seen.insert(*value, Outcome::Compared(verdict, number));
            }
        }
        Ok(Execution {
            values: compared,
            peak_activation_bytes: self.peak(&typed, &inputs, &observed),
            kv_cache_bytes: self.cache(&typed, &observed),
            sizes: sizes.clone(),
            error: None,
        })
    }

    /// Values that are not outputs, in batches that fit in memory.
    fn batches(&self, typed: &Typed, observed: &HashMap<ValueId, Observed>) -> Vec<Vec<ValueId>> {
        let mut batches: Vec<Vec<ValueId>> = Vec::new();
        let mut bytes = u64::MAX;
        for value in self.values.iter().filter(|value| !observed.contains_key(*value)) {
            let size = match memory::size(typed.fact(*value), &assume::Sizes::new()) {
                Size::Bytes(bytes) => bytes,
                _ => 1_000_000,
            };
            bytes = bytes.saturating_add(size);
            if bytes > BATCH_BYTES {
                batches.push(Vec::new());
                bytes = size;
            }
            if let Some(batch) = batches.last_mut() {
                batch.push(*value);
            }
        }
        batches
    }

    fn expose(
        &self,
        batch: &[ValueId],
        inputs: &[(String, Tensor)],
        observed: &mut HashMap<ValueId, Observed>,
    ) -> Result<(), Error> {
        let model = self.subject.model;
        let name = |value: &ValueId| model.name(model.value(*value).name).to_owned();
        let names: Vec<String> = batch.iter().map(name).collect();
        let mut session = match self.options.engine.returns_any_value() {
            true => open(&self.source, &self.options)?,
            false => open(&self.source.exposing(&names), &self.options)?,
        };
        let outputs = session.run(inputs, Some(&names), Read::Types)?;
        for (value, output) in batch.iter().zip(outputs) {
            observed.insert(*value, output.observed);
        }
        Ok(())
    }

    /// Takes the types of the model's own outputs.
    fn take(
        &self,
        session: &mut dyn Session,
        inputs: &[(String, Tensor)],
        observed: &mut HashMap<ValueId, Observed>,
    ) -> Result<(), Error> {
        let outputs = session.run(inputs, None, Read::Types)?;
        for (value, output) in self.subject.model.main().outputs.iter().zip(outputs) {
            observed.insert(*value, output.observed);
        }
        Ok(())
    }

    /// The peak of live bytes, as inferred and from the sizes that were observed.
    fn peak(
        &self,
        typed: &Typed,
        inputs: &[(String, Tensor)],
        observed: &HashMap<ValueId, Observed>,
    ) -> Option<ComparedBytes> {
        let model = self.subject.model;
        let sizes = assume::Sizes::new();
        let inferred = memory::peak(model, &|value| memory::size(typed.fact(value), &sizes))?;
        let fed: HashMap<ValueId, Size> = model
            .required_inputs()
            .into_iter()
            .zip(inputs)
            .map(|(value, (_, tensor))| {
                let bytes = tensor.dtype().bytes(tensor.elements().len() as u64);
                (value, bytes.map_or(Size::Uncounted, Size::Bytes))
            })
            .collect();
        let size = |value: ValueId| match observed.get(&value) {
            Some(found) => found.bytes().map_or(Size::Uncounted, Size::Bytes),
            None => match fed.get(&value) {
                Some(size) => size.clone(),
                // Values of subgraphs are not exposed; they count as inferred.
                None if model.value(value).graph != model.main_id() => {
                    memory::size(typed.fact(value), &sizes)
                }
                None => Size::Unknown("it was not read".to_owned()),
            },
        };
        Some(ComparedBytes { inferred, observed: memory::peak(model, &size)? })
    }

    /// Bytes of the KV cache after the run.
    fn cache(&self, typed: &Typed, observed: &HashMap<ValueId, Observed>) -> Option<ComparedBytes> {
        let sizes = assume::Sizes::new();
        let caches = Caches::find(self.subject.model, typed);
        let mut bytes = ComparedBytes::default();
        for (_, present) in caches.values() {
            let present = present?;
            let Size::Bytes(inferred) = memory::size(typed.fact(present), &sizes) else {
                return None;
            };
            bytes.inferred += inferred;
            bytes.observed += observed.get(&present)?.bytes()?;
        }
        (bytes.inferred > 0).then_some(bytes)
    }

    /// Counts and lists what was found, in the order of the values.
    fn summarize(&self, verified: &mut Verification) {
        let shown = self.subject.shown;
        for value in self.values {
            let name = shown.name(shown.value(*value).name);
            let skipped =
                |reason: &str| SkippedValue { value: name.to_owned(), reason: reason.to_owned() };
            match self.seen.get(value) {
                Some(Outcome::Compared(Comparison::Equal, _)) => verified.equal += 1,
                Some(Outcome::Compared(Comparison::DataDependent, _)) => {
                    verified.equal += 1;
                    verified.data_dependent += 1;
                }
                Some(Outcome::Compared(Comparison::NotInferred(reason), _)) => {
                    push(&mut verified.not_inferred, skipped(reason));
                }
                Some(Outcome::Compared(
                    Comparison::Different { inferred, observed },
                    execution,
                )) => {
                    let (node, op) = compare::producer(shown, *value);
                    push(
                        &mut verified.different,
                        calipers_report::DifferentValue {
                            value: name.to_owned(),
                            node,
                            op,
                            inferred: inferred.clone(),
                            observed: observed.clone(),
                            execution: *execution,
                        },
                    );
                }
                Some(Outcome::NotRun(reason)) => push(&mut verified.not_run, skipped(reason)),
                None => push(&mut verified.not_run, skipped("the runtime did not return it")),
            }
        }
    }
}

fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() < NAMED {
        list.push(item);
    }
}
