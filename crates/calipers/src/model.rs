//! A model that was read, and the stages it goes through.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use calipers_formats::Folder;
use calipers_infer::{BindError, Bindings, Typed};
use calipers_ir::{Masking, Source};
use calipers_lint::Evidence;
use calipers_measure::{LayerQuery, Sweep, Weights};
use calipers_perf::{Batch, ExecutionPlan, HardwareQuery, ModelProfile};
use calipers_report::{GraphView, LayerTable, Report, ShapeTable, SweepTable};
use calipers_sym::Budget;

use crate::{Error, Options};

/// Steps of symbolic arithmetic that an analysis may take with large expressions, see [`Budget`].
const STEPS: u64 = 1_000_000;

/// A neural network that was read from a file or from memory.
///
/// What an analysis sees is one of the forms that `Names` makes of it, so no output can show a
/// name or a secret that the options do not allow.
#[derive(Debug)]
pub struct Model {
    names: Names,
    path: Option<PathBuf>,
    /// Where its data files are, where that is not the folder of the path.
    folder: Option<SharedFolder>,
}

/// A folder that prints as nothing: it may hold credentials.
struct SharedFolder(Arc<dyn Folder>);

impl fmt::Debug for SharedFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedFolder")
    }
}

/// The forms of a model that differ in the texts they show, each made when it is first needed.
#[derive(Debug)]
struct Names {
    /// With every text as the file has it.
    as_written: calipers_ir::Model,
    /// With secrets masked; `None` where there are none.
    masked: OnceLock<Option<Box<calipers_ir::Model>>>,
    /// With a word for every name, and secrets in the rest masked, or not.
    redacted: [OnceLock<Box<calipers_ir::Model>>; 2],
}

impl Names {
    fn new(as_written: calipers_ir::Model) -> Self {
        Self { as_written, masked: OnceLock::new(), redacted: Default::default() }
    }

    fn masked(&self) -> &calipers_ir::Model {
        let model = &self.as_written;
        let masked = self.masked.get_or_init(|| {
            Masking::is_needed(model).then(|| Box::new(model.renamed(&mut Masking::default())))
        });
        masked.as_deref().unwrap_or(model)
    }

    /// The form that the options ask for.
    fn shown(&self, options: &Options) -> &calipers_ir::Model {
        let show_secrets = options.show_secrets;
        match options.redact_names {
            true => {
                let redacted = &self.redacted[usize::from(show_secrets)];
                let redact = || calipers_summary::redacted(&self.as_written, show_secrets);
                redacted.get_or_init(|| Box::new(redact()))
            }
            false if show_secrets => &self.as_written,
            false => self.masked(),
        }
    }
}

impl Model {
    /// Opens a model file. Only the graph is read; weights stay on disk.
    ///
    /// # Errors
    ///
    /// [`Error::Read`] if the file cannot be read as a model.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let names = Names::new(calipers_formats::open(path)?);
        let inside = path.is_dir().then(|| calipers_formats::model_in_folder(path)).flatten();
        let path = inside.unwrap_or_else(|| path.to_owned());
        Ok(Self { names, path: Some(path), folder: None })
    }

    /// Reads a model from memory. `name` is the file name that the report shows; files with external
    /// data are not opened.
    ///
    /// # Errors
    ///
    /// [`Error::Read`] if the bytes cannot be read as a model.
    pub fn read(bytes: Vec<u8>, name: &str) -> Result<Self, Error> {
        Self::read_source(Source::new(bytes), name, None)
    }

    /// Reads a model from any source of bytes: a buffer that somebody else holds, or ranges of a remote
    /// file. Its data files are looked for in `folder`, where there is one.
    ///
    /// # Errors
    ///
    /// [`Error::Read`] if the bytes cannot be read as a model, or cannot be fetched.
    pub fn read_source(
        source: Source,
        name: &str,
        folder: Option<Arc<dyn Folder>>,
    ) -> Result<Self, Error> {
        let names = Names::new(calipers_formats::read_source(source, name, folder.clone())?);
        Ok(Self { names, path: None, folder: folder.map(SharedFolder) })
    }

    /// Whether its bytes are fetched in ranges, so that it can neither be executed nor have its weights read.
    pub fn is_remote(&self) -> bool {
        self.names.as_written.source.whole().is_none()
    }

    /// The graph as it was read, with secrets masked, for use with the crates of single stages.
    pub fn ir(&self) -> &calipers_ir::Model {
        self.names.masked()
    }

    /// The graph with every text as the file has it, for runtimes. It may hold secrets: nothing of
    /// it is to be shown. Its ids are those of [`Model::shown_ir`].
    pub fn original_ir(&self) -> &calipers_ir::Model {
        &self.names.as_written
    }

    /// The graph with the texts that the options allow.
    pub fn shown_ir(&self, options: &Options) -> &calipers_ir::Model {
        self.names.shown(options)
    }

    /// The graph with every text as the file has it, for what is never shown.
    pub(crate) fn as_written(&self) -> &calipers_ir::Model {
        &self.names.as_written
    }

    /// The graph with the texts that the options allow.
    pub(crate) fn as_shown(&self, options: &Options) -> &calipers_ir::Model {
        self.names.shown(options)
    }

    /// The graph with the texts that the options allow, and their sizes by the names that it shows.
    fn shown(&self, options: &Options) -> (&calipers_ir::Model, Bindings) {
        let model = self.names.shown(options);
        (model, shown_bindings(model, &options.bindings))
    }

    /// Reports everything that the options ask for.
    ///
    /// # Errors
    ///
    /// [`Error::Bind`] if the model does not take the given sizes, [`Error::Device`] if a device is
    /// unknown.
    pub fn analyze(&self, options: &Options) -> Result<Report, Error> {
        self.run(options, &mut Extras::default())
    }

    /// Like [`Model::analyze`], plus the collapsible graph for the HTML viewer.
    ///
    /// # Errors
    ///
    /// Those of [`Model::analyze`].
    pub fn explore(&self, options: &Options) -> Result<(Report, GraphView), Error> {
        let mut extras = Extras { with_view: true, ..Extras::default() };
        let report = self.run(options, &mut extras)?;
        Ok((report, extras.view))
    }

    /// Like [`Model::analyze`], plus the estimated time and the block of each node.
    ///
    /// # Errors
    ///
    /// Those of [`Model::analyze`].
    pub fn predict(&self, options: &Options) -> Result<NodePrediction, Error> {
        let mut extras = Extras { with_outline: true, with_times: true, ..Extras::default() };
        let report = self.run(options, &mut extras)?;
        let order = self.names.shown(options).main().order.clone();
        let Extras { outline, node_ms, .. } = extras;
        Ok(NodePrediction { report, outline, node_ms, order })
    }

    /// Like [`Model::analyze`], plus the tables of nodes and of values, from one inference.
    ///
    /// # Errors
    ///
    /// Those of [`Model::analyze`].
    pub fn describe(&self, options: &Options) -> Result<Description, Error> {
        let mut extras = Extras { with_tables: true, ..Extras::default() };
        let report = self.run(options, &mut extras)?;
        Ok(Description { report, layers: extras.layers, shapes: extras.shapes })
    }

    /// A number for the elements of each stored tensor that is at hand, from its type, its dimensions and parts
    /// of its bytes. Equal tensors have equal numbers. Nothing of a remote model is read.
    pub fn sample_digests(&self) -> BTreeMap<calipers_ir::TensorId, u64> {
        match self.is_remote() {
            true => BTreeMap::new(),
            false => {
                let digests =
                    calipers_compare::weights::sample_digests(self.as_written(), &self.data());
                digests.into_iter().collect()
            }
        }
    }

    /// The type and shape of every value.
    ///
    /// # Errors
    ///
    /// [`Error::Bind`] if the model does not take the given sizes.
    pub fn shapes(&self, options: &Options) -> Result<ShapeTable, Error> {
        let _budget = Budget::new(STEPS);
        let (model, bindings) = self.shown(options);
        let typed = calipers_infer::infer_shapes(model, &bindings)?;
        let table = calipers_measure::shapes(model, &typed, &bindings);
        check_whole(&model.source)?;
        Ok(table)
    }

    /// Every node of the main graph with its shapes, parameters and cost.
    ///
    /// # Errors
    ///
    /// [`Error::Bind`] if the model does not take the given sizes.
    pub fn layers(&self, options: &Options, query: &LayerQuery) -> Result<LayerTable, Error> {
        let _budget = Budget::new(STEPS);
        let (model, bindings) = self.shown(options);
        let typed = calipers_infer::infer(model, &bindings)?;
        let table = calipers_measure::layers(model, &typed, &bindings, query);
        check_whole(&model.source)?;
        Ok(table)
    }

    /// Cost and memory at every combination of the given sizes.
    ///
    /// # Errors
    ///
    /// [`Error::Sweep`] if there are too many combinations, [`Error::Bind`] if the model does not
    /// take one of them.
    pub fn sweep(&self, options: &Options, sweep: &Sweep) -> Result<SweepTable, Error> {
        let (model, _) = self.shown(options);
        let Sweep { dims, inputs, values } = sweep.clone();
        let sweep = Sweep {
            dims: shown_keys(dims, |name| model.shown_symbol(name).to_owned()),
            inputs: shown_keys(inputs, |name| model.shown_input(name).to_owned()),
            values: shown_keys(values, |name| model.shown_input(name).to_owned()),
        };
        let table = calipers_measure::sweep(model, &sweep)?;
        check_whole(&model.source)?;
        Ok(table)
    }

    /// Takes the model through all stages, then applies what changes the finished report. The
    /// summary is last: it describes all the rest.
    pub(crate) fn run(&self, options: &Options, extras: &mut Extras) -> Result<Report, Error> {
        let _budget = Budget::new(STEPS);
        let question = &options.hardware_query()?;
        let (model, mut bindings) = self.shown(options);
        bind_batch(model, &mut bindings, question)?;
        let typed = calipers_infer::infer(model, &bindings)?;
        let weights = options.weights.then(|| self.weights(model, options)).transpose()?;
        let mut report = stages(model, &bindings, &typed, question, weights.as_ref(), extras)?;
        if extras.with_tables {
            let query = LayerQuery::default();
            extras.layers = calipers_measure::layers(model, &typed, &bindings, &query);
            extras.shapes = calipers_measure::shapes(model, &typed, &bindings);
        }
        options.findings.apply(&mut report.findings);
        if options.fingerprints {
            let data = self.data();
            calipers_measure::fingerprint(model, &data, &mut report);
            data.iter().flatten().try_for_each(check_whole)?;
        }
        check_whole(&model.source)?;
        let architecture = &mut report.architecture;
        architecture.diagram = calipers_render::mermaid(&architecture.block_diagram);
        architecture.flow = calipers_render::mermaid(&architecture.flow_diagram);
        report.summary = Some(calipers_summary::summarize_for(&report, options.audience));
        Ok(report)
    }

    fn weights(&self, model: &calipers_ir::Model, options: &Options) -> Result<Weights, Error> {
        self.check_local("its weights are not read")?;
        let progress = |read, total| {
            if let Some(progress) = &options.progress {
                progress(read, total);
            }
        };
        let data = self.data();
        let limit = options.max_weight_bytes.unwrap_or(calipers_measure::MAX_WEIGHT_BYTES);
        let weights = calipers_measure::read_weights_within(model, &data, limit, &progress);
        data.iter().flatten().try_for_each(check_whole)?;
        Ok(weights)
    }

    /// Refuses what needs every byte of a remote model.
    pub(crate) fn check_local(&self, consequence: &str) -> Result<(), Error> {
        match self.is_remote() {
            true => {
                let reason = format!("the model is remote, so {consequence}; download it first");
                Err(calipers_formats::Error::Unavailable(reason).into())
            }
            false => Ok(()),
        }
    }

    /// The model's data files in its order, or why they cannot be read.
    pub(crate) fn data(&self) -> Vec<Result<calipers_ir::Source, calipers_formats::DataError>> {
        // Data files are opened by their locations as the file has them.
        let model = &self.names.as_written;
        match (&self.path, &self.folder) {
            (Some(path), _) => calipers_formats::open_data(path, model),
            (None, Some(folder)) => calipers_formats::open_data_in(&*folder.0, model),
            (None, None) => {
                let files = model.data_files.iter();
                files.map(|_| Err(calipers_formats::DataError::NoFolder)).collect()
            }
        }
    }
}

/// A report with the tables of nodes and of values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    /// The report.
    pub report: Report,
    /// Every node of the main graph.
    pub layers: LayerTable,
    /// Every value.
    pub shapes: ShapeTable,
}

/// A report with the estimated time and the block of each node.
#[derive(Debug)]
pub struct NodePrediction {
    /// The report.
    pub report: Report,
    /// The parts of the network.
    pub outline: calipers_arch::view::Outline,
    /// Milliseconds of the kernels at each node; empty where there is no estimate.
    pub node_ms: BTreeMap<calipers_ir::NodeId, f64>,
    /// The nodes of the main graph, in order of execution.
    pub order: Vec<calipers_ir::NodeId>,
}

/// What an analysis adds to the report, where it is asked for.
#[derive(Debug, Default)]
pub(crate) struct Extras {
    pub(crate) with_view: bool,
    pub(crate) with_outline: bool,
    pub(crate) with_times: bool,
    pub(crate) with_tables: bool,
    /// Every node.
    pub(crate) layers: LayerTable,
    /// Every value.
    pub(crate) shapes: ShapeTable,
    /// The collapsible graph.
    pub(crate) view: GraphView,
    /// The nodes in the order of its list.
    pub(crate) order: Vec<calipers_ir::NodeId>,
    /// The parts of the network.
    pub(crate) outline: calipers_arch::view::Outline,
    /// Milliseconds of the kernel at each node.
    pub(crate) node_ms: BTreeMap<calipers_ir::NodeId, f64>,
}

/// Every stage after inference, each on the output of those before it.
fn stages(
    model: &calipers_ir::Model,
    bindings: &Bindings,
    typed: &Typed,
    question: &HardwareQuery,
    weights: Option<&Weights>,
    extras: &mut Extras,
) -> Result<Report, Error> {
    let mut measured = calipers_measure::measure(model, typed, bindings, question.context)?;
    let (architecture, task, quantization, hardware, findings) = {
        let recognized = calipers_arch::recognize(model, typed, &measured);
        let running = ExecutionPlan::new(&recognized.net, question.runtime);
        let subject =
            ModelProfile::new(model, bindings, typed, &measured, &recognized, &running, question);
        if extras.with_view {
            (extras.view, extras.order) =
                calipers_arch::view::describe(model, typed, &measured, &recognized);
            extras.view.sizes = calipers_perf::size_choices(&subject, question);
        }
        if extras.with_outline {
            extras.outline = calipers_arch::view::outline(model, &recognized);
        }
        if extras.with_times {
            // Without an estimate the hardware section has the reason.
            extras.node_ms = calipers_perf::node_times(&subject, question).unwrap_or_default();
        }
        let hardware = calipers_perf::answer(&subject, question);
        let findings =
            calipers_lint::check(&Evidence::new(model, typed, &measured, &recognized, weights));
        let calipers_arch::Recognized { architecture, task, quantization, .. } = recognized;
        (architecture, task, quantization, hardware, findings)
    };
    let weights = weights.map(|weights| weights.summarize(&mut measured.unknown));
    let is_unknown = measured.unknown.iter().any(|unknown| unknown.what == "memory.kv_cache");
    if measured.memory.kv_cache.is_none() && !is_unknown {
        let why = calipers_arch::why_no_kv_cache(&architecture);
        measured.memory.kv_cache_absent = Some(why.to_owned());
    }
    Ok(Report {
        weights,
        model: measured.file,
        bindings: measured.bindings,
        graph: measured.graph,
        shapes: measured.shapes,
        cost: measured.cost,
        parameters: measured.parameters,
        memory: measured.memory,
        architecture,
        task,
        quantization,
        hardware: Some(hardware),
        findings,
        assumptions: measured.assumptions,
        unknown: measured.unknown,
        ..Report::default()
    })
}

/// Sizes by the names that a model shows: options give those of the file.
fn shown_bindings(model: &calipers_ir::Model, bindings: &Bindings) -> Bindings {
    let Bindings { dims, inputs, values } = bindings.clone();
    Bindings {
        dims: shown_keys(dims, |name| model.shown_symbol(name).to_owned()),
        inputs: shown_keys(inputs, |name| model.shown_input(name).to_owned()),
        values: shown_keys(values, |name| model.shown_input(name).to_owned()),
    }
}

fn shown_keys<T, C>(named: C, shown: impl Fn(&str) -> String) -> C
where
    C: IntoIterator<Item = (String, T)> + FromIterator<(String, T)>,
{
    named.into_iter().map(|(name, value)| (shown(&name), value)).collect()
}

/// Refuses what was computed from a file that another process shortened meanwhile, or that could not be fetched.
pub(crate) fn check_whole(source: &calipers_ir::Source) -> Result<(), Error> {
    Ok(calipers_formats::check_complete(source)?)
}

/// Binds the batch that is asked for, where the file leaves it free.
fn bind_batch(
    model: &calipers_ir::Model,
    bindings: &mut Bindings,
    question: &HardwareQuery,
) -> Result<(), BindError> {
    let Some(asked) = question.batch.and_then(|batch| i64::try_from(batch).ok()) else {
        return Ok(());
    };
    let bound = bindings.sizes(model);
    for name in Batch::find(model, bindings).symbols {
        match bound.get(&name) {
            Some(first) if *first != asked => {
                return Err(BindError::Twice { name, first: *first, second: asked });
            }
            Some(_) => {}
            None => _ = bindings.dims.insert(name, asked),
        }
    }
    Ok(())
}
