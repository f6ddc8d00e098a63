//! `Model`: its version, its description, and what kind of model it is.

use calipers_ir::assembly::{Assembly, Call};
use calipers_ir::{Format, GraphId, Model, ModelBuilder, Source};

use super::blobs::Blobs;
use super::features::{self, Description, Feature, add_metadata};
use super::fields::{integer, message, text};
use super::{mil, network};
use crate::Error;
use crate::elements::StoredElements;
use crate::error::Trace;
use crate::input::Input;
use crate::wire::{Message, Part, Payload};

/// Kinds of model by the field that holds one.
const KINDS: &[(u32, &str)] = &[
    (200, "pipelineClassifier"),
    (201, "pipelineRegressor"),
    (202, "pipeline"),
    (300, "glmRegressor"),
    (301, "supportVectorRegressor"),
    (302, "treeEnsembleRegressor"),
    (303, "neuralNetworkRegressor"),
    (304, "bayesianProbitRegressor"),
    (400, "glmClassifier"),
    (401, "supportVectorClassifier"),
    (402, "treeEnsembleClassifier"),
    (403, "neuralNetworkClassifier"),
    (404, "kNearestNeighborsClassifier"),
    (500, "neuralNetwork"),
    (501, "itemSimilarityRecommender"),
    (502, "mlProgram"),
    (555, "customModel"),
    (556, "linkedModel"),
    (560, "classConfidenceThresholding"),
    (600, "oneHotEncoder"),
    (601, "imputer"),
    (602, "featureVectorizer"),
    (603, "dictVectorizer"),
    (604, "scaler"),
    (606, "categoricalMapping"),
    (607, "normalizer"),
    (609, "arrayFeatureExtractor"),
    (610, "nonMaximumSuppression"),
    (900, "identity"),
    (2000, "textClassifier"),
    (2001, "wordTagger"),
    (2002, "visionFeaturePrint"),
    (2003, "soundAnalysisPreprocessing"),
    (2004, "gazetteer"),
    (2005, "wordEmbedding"),
    (2006, "audioFeaturePrint"),
    (3000, "serializedModel"),
];

/// Stages of a pipeline that are listed.
const MAX_LISTED: usize = 64;

/// The parts of a `Model`.
#[derive(Clone, Copy, Default)]
struct Parts<'a> {
    version: Option<i64>,
    description: Option<Part<'a>>,
    is_updatable: bool,
    kind: Option<(u32, Part<'a>)>,
}

impl Parts<'_> {
    /// What kind of model it is.
    fn name(&self) -> String {
        let Some((number, _)) = self.kind else { return "a model without a kind".to_owned() };
        let known = KINDS.iter().find(|(field, _)| *field == number);
        known.map_or_else(|| format!("kind {number}"), |(_, name)| (*name).to_owned())
    }
}

/// Reads a model.
pub(super) fn read(input: Input, source: &Source) -> Result<Model, Error> {
    let bytes = source.size();
    let mut builder = ModelBuilder::default();
    builder.source = input.source;
    builder.decoder = Some(&StoredElements);
    builder.header.format = Format::CoreMl;
    builder.header.file_name = input.name;
    builder.header.bytes = bytes;
    let folder = input.folder;
    let mut blobs = Blobs::new(folder);
    if bytes > 0 && !has_kind(source).map_err(|trace| trace.finish("model", bytes))? {
        let hint = "it describes a Core ML model and holds none: it may be cut short";
        return Err(Error::NoGraph { hint: hint.to_owned() });
    }
    model(&mut builder, &mut blobs, Part::of_source(source))
        .map_err(|trace| trace.finish("model", bytes))?;
    if let Some(folder) = blobs.folder.take() {
        blobs.files.check_files(&*folder, &builder.names);
        for external in builder.externals_mut().filter(|it| it.problem.is_none()) {
            external.problem = blobs.files.range_problem(external);
        }
    }
    builder.data_files = blobs.files.files;
    Ok(builder.finish()?)
}

fn has_kind(source: &Source) -> Result<bool, Trace> {
    Ok(parts(Part::of_source(source))?.kind.is_some())
}

fn model(builder: &mut ModelBuilder, blobs: &mut Blobs, part: Part<'_>) -> Result<(), Trace> {
    let parts = parts(part)?;
    builder.header.ir_version = parts.version;
    let description = match parts.description {
        Some(part) => features::read(part, builder).map_err(|trace| trace.within("description"))?,
        None => Description::default(),
    };
    add_metadata(builder, "kind", parts.name());
    if parts.is_updatable {
        add_metadata(builder, "is updatable", "true".to_owned());
    }
    let graph = builder.add_main_graph()?;
    match parts.kind {
        Some((200..=202, part)) => pipeline(builder, blobs, graph, &parts, part, &description),
        _ => network(builder, blobs, graph, &parts, &description),
    }
}

/// Reads the graph of a model that is not made of others.
fn network(
    builder: &mut ModelBuilder,
    blobs: &mut Blobs,
    graph: GraphId,
    parts: &Parts<'_>,
    description: &Description,
) -> Result<(), Trace> {
    for (role, features) in [
        ("input", &description.inputs),
        ("output", &description.outputs),
        ("state", &description.states),
    ] {
        describe(builder, role, features);
    }
    let within = |trace: Trace| trace.within(&parts.name());
    match parts.kind {
        Some((502, part)) => {
            let function = &description.default_function;
            mil::read(Assembly::new(builder, graph), blobs, part, function).map_err(within)
        }
        Some((303 | 403 | 500, part)) => {
            network::read(Assembly::new(builder, graph), part, description).map_err(within)
        }
        _ => named(builder, graph, parts, description),
    }
}

/// Models that run one after another. The graph is that of the first network among them; without
/// one, the pipeline is an operator.
fn pipeline(
    builder: &mut ModelBuilder,
    blobs: &mut Blobs,
    graph: GraphId,
    whole: &Parts<'_>,
    part: Part<'_>,
    description: &Description,
) -> Result<(), Trace> {
    let (mut stages, mut names) = (Vec::new(), Vec::new());
    // A pipeline that ends in a class or a number holds a plain one.
    let plain = match whole.kind {
        Some((202, _)) => Some(part),
        _ => message(part, 1)?,
    };
    let Some(plain) = plain else { return named(builder, graph, whole, description) };
    for field in Message::from(plain).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (1, Payload::Bytes(part)) => stages.push(parts(part)?),
            (2, Payload::Bytes(part)) => names.push(text(part)),
            _ => {}
        }
    }
    let title = |place: usize| match names.get(place) {
        Some(name) if !name.is_empty() => name.clone(),
        _ => format!("stage {place}"),
    };
    let listed = stages.iter().enumerate().take(MAX_LISTED);
    let listed: Vec<String> =
        listed.map(|(place, stage)| format!("{}: {}", title(place), stage.name())).collect();
    add_metadata(builder, "stages", listed.join(", "));
    let is_network = |stage: &Parts<'_>| matches!(stage.kind, Some((303 | 403 | 500 | 502, _)));
    let Some(place) = stages.iter().position(is_network) else {
        return named(builder, graph, whole, description);
    };
    let stage = &stages[place];
    add_metadata(builder, "stage whose graph is shown", title(place));
    // What the author wrote is said of the whole.
    let header = builder.header.clone();
    let inside = match stage.description {
        Some(part) => features::read(part, builder)?,
        None => Description::default(),
    };
    builder.header = header;
    network(builder, blobs, graph, stage, &inside)
}

fn parts(part: Part<'_>) -> Result<Parts<'_>, Trace> {
    let mut parts = Parts::default();
    for field in Message::from(part).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (1, Payload::Varint(value)) => parts.version = Some(integer(value)),
            (2, Payload::Bytes(part)) => parts.description = Some(part),
            (10, Payload::Varint(value)) => parts.is_updatable = value != 0,
            (200.., Payload::Bytes(part)) => parts.kind = Some((field.number, part)),
            _ => {}
        }
    }
    Ok(parts)
}

/// What a type cannot say: which sizes are allowed, and the colors of images.
fn describe(builder: &mut ModelBuilder, role: &str, features: &[Feature]) {
    for feature in features.iter().filter(|feature| !feature.sizes.is_empty()) {
        let key = format!("sizes of {role} {}", feature.name);
        builder.header.metadata.push((key, feature.sizes.clone()));
    }
}

/// A model that is one operator without a description of its insides here.
fn named(
    builder: &mut ModelBuilder,
    graph: GraphId,
    parts: &Parts<'_>,
    description: &Description,
) -> Result<(), Trace> {
    let mut call = Call { written: parts.name(), ..Call::default() };
    for feature in &description.inputs {
        let ty = feature.kind.value_type(builder);
        let ty = builder.add_type(ty)?;
        let mut assembly = Assembly::new(builder, graph);
        let name = assembly.name(&feature.name);
        assembly.add_input(name, Some(ty));
        call.inputs.push(name);
    }
    for feature in &description.outputs {
        let ty = feature.kind.value_type(builder);
        let ty = builder.add_type(ty)?;
        let mut assembly = Assembly::new(builder, graph);
        let name = assembly.name(&feature.name);
        assembly.add_output(name, Some(ty));
        call.outputs.push(name);
    }
    Assembly::new(builder, graph).add(&call)?;
    Ok(())
}
