//! Measures a model: latency, throughput, memory, and the time of its operators and blocks.

mod mapping;
mod measure;
mod memory;
mod noise;
mod profile;
mod statistics;
mod summary;

use std::path::Path;
use std::time::{Duration, Instant};

use calipers_infer::{Bindings, infer_shapes};
use calipers_ir::NodeId;
use calipers_report::{Benchmark, BenchmarkPoint, PredictedLatency, Range, RuntimeProfile};
use hashbrown::HashMap;

use self::mapping::NodeMap;
pub use self::measure::{Effort, Samples, measure};
use self::memory::Resident;
pub use self::noise::Watch;
pub use self::profile::{KernelEvent, KernelEvents, parse as parse_profile};
pub use self::statistics::{median, percentile, statistics};
use crate::session::{Engine, Provider, Read, Session, open};
use crate::verify::{Subject, plan};
use crate::{Error, ModelSource, SessionOptions, Tensor, available, synthesize};

/// Runs of the profiled session that are not counted.
const PROFILE_WARMUP: usize = 3;
/// Profiled runs at most.
const PROFILE_RUNS: f64 = 50.0;
/// The optimized graph of models with more weights is not saved: it holds them all.
const MOST_SAVED_BYTES: u64 = 1_000_000_000;

/// What to measure.
pub struct BenchmarkQuery<'a> {
    /// The model.
    pub subject: &'a Subject<'a>,
    /// Sizes of free dimensions.
    pub bindings: &'a Bindings,
    /// How it is executed.
    pub session: &'a SessionOptions,
    /// Whether missing weights are synthesized.
    pub synthesize: bool,
    /// The batch dimension.
    pub batch: BatchDimension,
    /// Batch sizes; the first is that of the headline.
    pub batches: &'a [u64],
    /// Numbers of threads; the first is that of the headline.
    pub threads: &'a [usize],
    /// How long to measure each point.
    pub effort: Effort,
    /// A private folder for the profile; without one no profile is made.
    pub scratch: Option<&'a Path>,
    /// Bytes of the weights.
    pub weights_bytes: Option<u64>,
    /// The longest median that is accepted.
    pub target_latency_ms: Option<f64>,
    /// The estimate.
    pub prediction: &'a Prediction,
}

/// The batch dimension of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchDimension {
    /// Names of the free dimensions that are the batch.
    pub symbols: Vec<String>,
    /// Its size, where the file fixes it; `None` where it is free or there is none.
    pub fixed: Option<u64>,
}

/// An estimate of the time of a model, by node.
#[derive(Clone, Debug, Default)]
pub struct Prediction {
    /// The display name of the device.
    pub device: String,
    /// The latency, where there is an estimate.
    pub latency_ms: Option<Range>,
    /// Intra-op threads of the device, where it is a processor.
    pub threads: Option<u32>,
    /// Why there is none.
    pub reason: Option<String>,
    /// Milliseconds of the kernel at each node.
    pub node_ms: HashMap<NodeId, f64>,
    /// Names of the blocks, in order of execution.
    pub blocks: Vec<String>,
    /// The block of each node.
    pub block_of_node: HashMap<NodeId, usize>,
}

/// What is being done, for progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Loading the model.
    Loading,
    /// Running it at a batch and a number of threads: which point, of how many.
    Measuring(usize, usize),
    /// Running it with the profiler.
    Profiling,
}

/// Measures a model.
///
/// # Errors
///
/// Those of loading the model, and of running it at the first batch.
pub fn benchmark(query: &BenchmarkQuery<'_>, progress: &dyn Fn(Stage)) -> Result<Benchmark, Error> {
    let model = query.subject.model;
    progress(Stage::Loading);
    let weights = if query.synthesize { synthesize::weights(model)? } else { Vec::new() };
    let synthesized_weights = !weights.is_empty();
    let source = ModelSource::new(model, query.subject.path, weights)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = match query.threads {
        [] => vec![query.session.threads.unwrap_or(cores)],
        threads => threads.to_vec(),
    };
    let batches: Vec<Option<u64>> = match query.batches {
        [] => vec![None],
        batches => batches.iter().copied().map(Some).collect(),
    };
    let mut bench = Bench { query, source };
    let first = bench.headline(batches[0], threads[0], progress)?;
    let Headline { mut report, options, inputs } = first;
    report.synthesized_weights = synthesized_weights;
    bench.points(&mut report, &batches, &threads, progress);
    if let Some(folder) = query.scratch {
        progress(Stage::Profiling);
        match bench.profile(folder, &options, &inputs, report.latency_ms.median) {
            Ok(profile) => report.profile = Some(profile),
            Err(error) => report.no_profile = Some(error.to_string()),
        }
    }
    Ok(report)
}

struct Bench<'a> {
    query: &'a BenchmarkQuery<'a>,
    source: ModelSource,
}

struct Headline {
    report: Benchmark,
    options: SessionOptions,
    inputs: Vec<(String, Tensor)>,
}

impl Bench<'_> {
    /// The sizes at a batch; those that are assumed without one.
    fn plan(&self, batch: Option<u64>) -> Result<(Bindings, Option<u64>), Error> {
        let query = self.query;
        let mut bindings = query.bindings.clone();
        if let Some(batch) = batch {
            if query.batch.symbols.is_empty() {
                if query.batch.fixed != Some(batch) {
                    return Err(Error::Request(match query.batch.fixed {
                        Some(fixed) => format!(
                            "the file fixes the batch at {fixed}; export it with a dynamic batch axis"
                        ),
                        None => "the model has no batch dimension".to_owned(),
                    }));
                }
            } else {
                let size = i64::try_from(batch)
                    .map_err(|_| Error::Request("the batch is too large".to_owned()))?;
                for symbol in &query.batch.symbols {
                    bindings.dims.insert(symbol.clone(), size);
                }
            }
        }
        let plan = plan(query.subject.model, &bindings)
            .map_err(|error| Error::Request(error.to_string()))?;
        let sizes = plan.sizes(query.subject.model);
        let bound = query.batch.symbols.iter().find_map(|symbol| sizes.get(symbol));
        let batch = bound.and_then(|size| u64::try_from(*size).ok()).or(query.batch.fixed);
        Ok((plan, batch))
    }

    fn inputs(&self, plan: &Bindings) -> Result<Vec<(String, Tensor)>, Error> {
        let model = self.query.subject.model;
        let typed = infer_shapes(model, plan).map_err(|error| Error::Request(error.to_string()))?;
        available::check(model, &typed)?;
        synthesize::inputs(model, &typed)
    }

    fn headline(
        &mut self,
        batch: Option<u64>,
        threads: usize,
        progress: &dyn Fn(Stage),
    ) -> Result<Headline, Error> {
        let query = self.query;
        let (plan, batch) = self.plan(batch)?;
        let inputs = self.inputs(&plan)?;
        let options = SessionOptions { threads: Some(threads), ..query.session.clone() };
        let before = Resident::now();
        let start = Instant::now();
        let mut session = open(&self.source, &options)?;
        let load_ms = start.elapsed().as_secs_f64() * 1e3;
        progress(Stage::Measuring(0, 1));
        let watch = Watch::start();
        let samples = measure(&query.effort, || timed(&mut *session, &inputs))?;
        let other_cores = watch.other_cores();
        let after = Resident::now();
        let latency = statistics(&samples.latencies_ms);
        let shown = query.subject.shown;
        let sizes = plan.sizes(query.subject.model).into_iter();
        let report = Benchmark {
            model: shown.header.file_name.clone(),
            runtime: session.runtime(),
            provider: options.provider.id().to_owned(),
            sizes: sizes.map(|(name, size)| (shown.shown_symbol(&name).to_owned(), size)).collect(),
            batch,
            threads: threads as u64,
            load_ms,
            warmup_runs: samples.warmup_runs as u64,
            warmup_stable: samples.is_stable,
            runs: samples.latencies_ms.len() as u64,
            latency_ms: latency,
            throughput: rate(batch, latency.median),
            memory: memory::added(before, after, query.weights_bytes),
            noise: noise::noise(&samples.latencies_ms, &latency, samples.is_stable, other_cores),
            predicted: predicted(query.prediction, latency.median),
            target_latency_ms: query.target_latency_ms,
            target_met: query.target_latency_ms.map(|target| latency.median <= target),
            ..Benchmark::default()
        };
        Ok(Headline { report, options, inputs })
    }

    /// Measures the other batches and threads. One that does not run is reported with the reason.
    fn points(
        &self,
        report: &mut Benchmark,
        batches: &[Option<u64>],
        threads: &[usize],
        progress: &dyn Fn(Stage),
    ) {
        let total = batches.len() * threads.len();
        if total < 2 {
            return;
        }
        report.points.push(BenchmarkPoint {
            batch: report.batch,
            threads: report.threads,
            runs: report.runs,
            latency_ms: Some(report.latency_ms),
            throughput: Some(report.throughput),
            reason: None,
        });
        for (place, threads) in threads.iter().enumerate() {
            let options = SessionOptions { threads: Some(*threads), ..self.query.session.clone() };
            let mut session = None;
            let skipped = usize::from(place == 0);
            for batch in batches.iter().skip(skipped) {
                progress(Stage::Measuring(report.points.len(), total));
                let point = self.point(*batch, &options, &mut session);
                report.points.push(point.unwrap_or_else(|error| BenchmarkPoint {
                    batch: *batch,
                    threads: *threads as u64,
                    reason: Some(error.to_string()),
                    ..BenchmarkPoint::default()
                }));
            }
        }
    }

    fn point(
        &self,
        batch: Option<u64>,
        options: &SessionOptions,
        session: &mut Option<Box<dyn Session>>,
    ) -> Result<BenchmarkPoint, Error> {
        let (plan, batch) = self.plan(batch)?;
        let inputs = self.inputs(&plan)?;
        let session = match session {
            Some(session) => session,
            None => session.insert(open(&self.source, options)?),
        };
        let samples = measure(&self.query.effort, || timed(&mut **session, &inputs))?;
        let latency = statistics(&samples.latencies_ms);
        Ok(BenchmarkPoint {
            batch,
            threads: options.threads.unwrap_or_default() as u64,
            runs: samples.latencies_ms.len() as u64,
            latency_ms: Some(latency),
            throughput: Some(rate(batch, latency.median)),
            reason: None,
        })
    }

    /// Runs the model with the profiler, in a session of its own.
    fn profile(
        &self,
        folder: &Path,
        options: &SessionOptions,
        inputs: &[(String, Tensor)],
        median_ms: f64,
    ) -> Result<RuntimeProfile, Error> {
        if options.engine != Engine::OnnxRuntime {
            return Err(Error::Request("this runtime writes no profile".to_owned()));
        }
        let unreadable =
            |error: std::io::Error| Error::Request(format!("the profile cannot be read: {error}"));
        let saves = matches!(options.provider, Provider::Cpu | Provider::Cuda)
            && self.query.weights_bytes.is_none_or(|bytes| bytes <= MOST_SAVED_BYTES);
        let saved = folder.join("optimized.onnx");
        let options = SessionOptions {
            profile: Some(folder.join("profile")),
            optimized: saves.then(|| saved.clone()),
            ..options.clone()
        };
        let mut session = match open(&self.source, &options) {
            Err(_) if saves => {
                open(&self.source, &SessionOptions { optimized: None, ..options.clone() })?
            }
            opened => opened?,
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 50")]
        let runs = (1000.0 / median_ms.max(1.0)).clamp(3.0, PROFILE_RUNS) as usize;
        for _ in 0..PROFILE_WARMUP + runs {
            session.run(inputs, None, Read::Nothing)?;
        }
        let written = session.end_profile()?;
        let text = std::fs::read_to_string(written).map_err(unreadable)?;
        let events = parse_profile(&text, PROFILE_WARMUP)?;
        let optimized = calipers_formats::open(&saved).ok();
        let nodes = NodeMap::new(self.query.subject.model, optimized.as_ref());
        Ok(summary::summarize(&events, &nodes, self.query.prediction, &|node| {
            self.query.subject.shown.node_label(node)
        }))
    }
}

fn timed(session: &mut dyn Session, inputs: &[(String, Tensor)]) -> Result<Duration, Error> {
    let start = Instant::now();
    session.run(inputs, None, Read::Nothing)?;
    Ok(start.elapsed())
}

/// Samples per second.
fn rate(batch: Option<u64>, ms: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "batches are small")]
    let samples = batch.unwrap_or(1) as f64;
    if ms > 0.0 { samples * 1e3 / ms } else { 0.0 }
}

fn predicted(prediction: &Prediction, median: f64) -> PredictedLatency {
    let expected = prediction.latency_ms.map(|range| range.expected).filter(|ms| *ms > 0.0);
    PredictedLatency {
        device: prediction.device.clone(),
        threads: prediction.threads,
        latency_ms: prediction.latency_ms,
        factor: expected.map(|expected| median / expected),
        reason: prediction.reason.clone(),
    }
}
