//! The figures that a summary may state: each with what it measures and what it may be called.
//!
//! One list serves three readers. The checker looks every number of a text up in it, the prompt of
//! a language model is made of it, and the property test holds the built-in prose to it.
//!
//! ```
//! use calipers_summary::facts;
//!
//! let mut report = calipers_report::Report::default();
//! report.parameters.total = Some(22_565_376);
//! let facts = facts::from_report(&report);
//! assert!(facts.iter().any(|fact| fact.label == "parameters" && fact.text == "22.57 M (22,565,376)"));
//! ```

use calipers_report::units;
use calipers_report::{Dimension, Hardware, Port, Range, Report, Severity};

use super::names;

/// What a figure measures. Two figures of different quantities are never the same claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// How many there are.
    Count,
    /// Bytes.
    Bytes,
    /// Multiply-accumulates.
    Macs,
    /// Operations, each multiply-accumulate two of them.
    Flops,
    /// Milliseconds.
    Millis,
    /// Percent.
    Percent,
    /// Samples or tokens per second.
    PerSecond,
    /// How many times one thing is another.
    Ratio,
}

/// One figure of the report.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// What it is, in words: none of the model's own.
    pub label: String,
    /// What it measures.
    pub quantity: Quantity,
    /// Its value, in bytes, operations, milliseconds, percent.
    pub value: f64,
    /// The value as the report's renderings write it.
    pub text: String,
    /// What it is about: the key of a row of `TOPICS`.
    pub topic: &'static str,
    /// The device that it is true of, where it is true of one alone.
    pub device: Option<String>,
}

/// Nouns by which figures of a topic may be called. A number next to one of these nouns must be a
/// figure of that topic; `12 trees` is not a claim about layers.
pub(super) const TOPICS: &[(&str, &[&str])] = &[
    ("activations", &["activation", "activations", "peak"]),
    ("batch", &["batch", "batches", "sample", "samples", "sequences"]),
    ("bits", &["bit", "bits"]),
    ("block", &["group", "groups"]),
    ("blocks", &["block", "blocks", "residual", "module", "modules"]),
    ("cache", &["cache", "keys"]),
    ("classes", &["class", "classes", "categories", "labels"]),
    ("constants", &["constant", "constants"]),
    ("contractions", &["contraction", "contractions", "products"]),
    ("convolutions", &["convolution", "convolutions", "conv", "convs"]),
    ("depth", &["depth", "deep"]),
    ("devices", &["device", "devices", "machines"]),
    ("experts", &["expert", "experts"]),
    ("feed-forward", &["feed-forward", "ffn", "wide", "width"]),
    ("file", &["file", "files", "disk"]),
    (
        "findings",
        &["finding", "findings", "error", "errors", "warning", "warnings", "info", "infos"],
    ),
    ("functions", &["function", "functions"]),
    ("head-width", &["head", "heads", "wide", "width"]),
    ("heads", &["head", "heads"]),
    ("hidden", &["hidden", "width", "wide", "dimensions", "dimensional"]),
    ("initializers", &["initializer", "initializers"]),
    ("inputs", &["input", "inputs"]),
    ("kernels", &["kernel", "kernels"]),
    ("layers", &["layer", "layers"]),
    ("memory", &["memory", "ram", "vram"]),
    ("moved", &["moved", "traffic", "moves"]),
    ("nodes", &["node", "nodes", "operations"]),
    ("norms", &["norm", "norms", "layernorm", "rmsnorm", "batchnorm"]),
    ("opset", &["opset"]),
    ("other", &["element-wise", "elementwise", "also", "other"]),
    ("outputs", &["output", "outputs"]),
    ("parameters", &["parameter", "parameters", "weights"]),
    ("positions", &["position", "positions", "places", "boxes"]),
    ("sequence", &["token", "tokens", "context", "sequence"]),
    (
        "shape",
        &["pixel", "pixels", "channel", "channels", "features", "columns", "values", "numbers"],
    ),
    ("strides", &["stride", "strides"]),
    ("tables", &["scores"]),
    ("tensors", &["tensor", "tensors"]),
    ("trees", &["tree", "trees"]),
    ("vocabulary", &["vocabulary", "vocab"]),
    ("weights", &["weight", "weights", "parameters"]),
];

/// Whether a word may name figures of a topic.
pub(super) fn may_name(word: &str, topic: &str) -> bool {
    TOPICS.iter().any(|(key, nouns)| *key == topic && nouns.contains(&word))
}

/// Topics whose figures are bytes.
const OF_BYTES: &[&str] = &["activations", "cache", "file", "memory", "moved", "weights"];

/// Whether a word names figures in bytes, or counts.
pub(super) fn is_noun(word: &str, bytes: bool) -> bool {
    let reported = TOPICS.iter().filter(|(_, nouns)| nouns.contains(&word));
    reported.into_iter().any(|(topic, _)| *topic == "file" || OF_BYTES.contains(topic) == bytes)
}

/// Devices whose figures are listed.
const DEVICES: usize = 200;

/// Every figure of the report that a summary may state, the weightiest first.
pub fn from_report(report: &Report) -> Vec<Fact> {
    let mut facts = Facts::default();
    stored(report, &mut facts);
    run(report, &mut facts);
    network(report, &mut facts);
    graph(report, &mut facts);
    quantization(report, &mut facts);
    ports(report, &mut facts);
    assumed(report, &mut facts);
    if let Some(hardware) = &report.hardware {
        machines(hardware, &mut facts);
    }
    findings(report, &mut facts);
    weights(report, &mut facts);
    facts.list
}

#[derive(Default)]
struct Facts {
    list: Vec<Fact>,
    /// The device whose figures are being added.
    device: Option<String>,
}

#[expect(clippy::cast_precision_loss, reason = "claims are rounded more than a float is")]
impl Facts {
    fn count(&mut self, label: &str, value: Option<u64>, topic: &'static str) {
        let Some(value) = value else { return };
        let text = match value {
            0..1000 => value.to_string(),
            _ => format!("{} ({})", units::count(value), units::integer(value)),
        };
        self.add(label, Quantity::Count, value as f64, text, topic);
    }

    /// A count that the report holds as a signed number; a negative one is not a count.
    fn signed(&mut self, label: &str, value: Option<i64>, topic: &'static str) {
        self.count(label, value.and_then(|value| u64::try_from(value).ok()), topic);
    }

    fn bytes(&mut self, label: &str, value: Option<u64>, topic: &'static str) {
        let Some(value) = value else { return };
        self.add(label, Quantity::Bytes, value as f64, units::bytes(value), topic);
    }

    fn operations(&mut self, label: &str, value: Option<u64>, unit: &str, topic: &'static str) {
        let Some(value) = value else { return };
        let quantity = if unit == "MACs" { Quantity::Macs } else { Quantity::Flops };
        self.add(label, quantity, value as f64, units::operations(value, unit), topic);
    }

    fn percent(&mut self, label: &str, value: Option<f64>, topic: &'static str) {
        let Some(value) = value.filter(|value| value.is_finite()) else { return };
        self.add(label, Quantity::Percent, value, units::percent(value), topic);
    }

    fn span(&mut self, label: &str, span: Option<Range<f64>>, topic: &'static str) {
        let Some(Range { low, expected, high }) = span else { return };
        let text = units::time_range(low, expected, high);
        self.add(label, Quantity::Millis, expected, text, topic);
        self.add(&format!("{label}, at best"), Quantity::Millis, low, units::time(low), topic);
        self.add(&format!("{label}, at worst"), Quantity::Millis, high, units::time(high), topic);
    }

    fn rate(&mut self, label: &str, value: Option<f64>, topic: &'static str) {
        let Some(value) = value.filter(|value| value.is_finite()) else { return };
        self.add(label, Quantity::PerSecond, value, units::rate(value), topic);
    }

    fn add(
        &mut self,
        label: &str,
        quantity: Quantity,
        value: f64,
        text: String,
        topic: &'static str,
    ) {
        let (label, device) = (label.to_owned(), self.device.clone());
        self.list.push(Fact { label, quantity, value, text, topic, device });
    }
}

fn stored(report: &Report, facts: &mut Facts) {
    let parameters = &report.parameters;
    facts.count("parameters", parameters.total, "parameters");
    facts.count("trainable parameters", parameters.trainable, "parameters");
    facts.count("parameters that training does not change", parameters.non_trainable, "parameters");
    facts.count("tensors of parameters", Some(parameters.tensors), "tensors");
    facts.count("constants", parameters.constants, "constants");
    facts.bytes("size of the weights", report.memory.weights_bytes, "weights");
    facts.bytes("size of the parameters", parameters.bytes, "weights");
    facts.bytes("size of the model file", Some(report.model.bytes), "file");
    if report.model.external_bytes > 0 {
        facts.bytes("weights in files next to it", Some(report.model.external_bytes), "file");
        facts.count("files next to the model", Some(report.model.data_files.len() as u64), "file");
    }
    for (dtype, elements) in &parameters.by_dtype {
        facts.count(&format!("parameters in {dtype}"), Some(*elements), "parameters");
    }
    for row in &parameters.by_op {
        if let Some(op) = names::operator(&row.op) {
            facts.bytes(&format!("weights of {op}"), row.bytes, "weights");
        }
    }
}

fn run(report: &Report, facts: &mut Facts) {
    let cost = &report.cost;
    facts.operations("FLOPs of one run", cost.flops(), "FLOPs", "cost");
    facts.operations("MACs of one run", cost.macs, "MACs", "cost");
    facts.operations("other FLOPs of one run", cost.other_flops, "FLOPs", "other");
    facts.bytes("bytes moved by one run", cost.bytes_moved, "moved");
    facts.percent("share of nodes whose cost is known", Some(cost.coverage), "nodes");
    facts.count("nodes whose cost is not known", Some(cost.unknown_count), "nodes");
    if let Some(first) = cost.top_nodes.first()
        && let Some(op) = names::operator(&first.op)
    {
        facts.percent(&format!("share of the most expensive node, a {op}"), first.percent, "nodes");
        facts.operations("MACs of the most expensive node", first.macs, "MACs", "cost");
    }
    let memory = &report.memory;
    facts.bytes("peak of activations", memory.peak_activation_bytes, "activations");
    let in_place = memory.peak_activation_in_place_bytes;
    facts.bytes("peak of activations with reuse in place", in_place, "activations");
    if let Some(cache) = &memory.kv_cache {
        facts.bytes("KV cache per token", cache.bytes_per_token, "cache");
        facts.bytes("KV cache of one sequence", cache.bytes_at_context, "cache");
        facts.bytes("KV cache of constant length", cache.fixed_bytes, "cache");
        facts.bytes("KV cache within the window", cache.bytes_in_window, "cache");
        facts.count("layers with a KV cache", Some(cache.layers), "layers");
        facts.count("KV cache heads", cache.kv_heads, "heads");
        facts.count("dimension of a cached head", cache.head_dim, "head-width");
        facts.count("tokens in the cache", cache.context, "sequence");
        facts.count("window of attention in tokens", cache.window, "sequence");
        facts.count("sequences with a cache", cache.sequences, "batch");
    }
}

fn network(report: &Report, facts: &mut Facts) {
    let reported = &report.architecture.facts;
    for (label, value, topic) in [
        ("layers", reported.layers, "layers"),
        ("attention heads", reported.heads, "heads"),
        ("heads for keys and values", reported.kv_heads, "heads"),
        ("dimension of a head", reported.head_dim, "head-width"),
        ("hidden width", reported.hidden, "hidden"),
        ("feed-forward width", reported.ffn, "feed-forward"),
        ("vocabulary", reported.vocab, "vocabulary"),
        ("experts", reported.experts, "experts"),
        ("experts for each token", reported.experts_per_token, "experts"),
        ("residual additions", reported.residuals, "blocks"),
        ("convolutions", reported.convs, "convolutions"),
        ("depthwise convolutions", reported.depthwise, "convolutions"),
        ("squeeze-and-excite blocks", reported.squeeze_excite, "blocks"),
        ("SiLU activations", reported.silu, "blocks"),
        ("positions at which objects are found", reported.positions, "positions"),
        ("classes", reported.classes.or(report.task.classes), "classes"),
        ("trees", reported.trees, "trees"),
    ] {
        facts.signed(label, value, topic);
    }
    for (norm, count) in &reported.norm {
        facts.signed(norm.id(), Some(*count), "norms");
    }
    for stride in reported.strides.iter().flatten() {
        facts.signed("stride of a scale", Some(*stride), "strides");
    }
    for block in &report.architecture.blocks {
        facts.count(&format!("{} blocks", block.kind.id()), Some(block.count), "blocks");
    }
    for repeat in &report.architecture.repeats {
        facts.count(&format!("times that {} repeats", repeat.name), Some(repeat.times), "blocks");
        if repeat.name.ends_with("layer") {
            facts.count(&format!("{}s in a row", repeat.name), Some(repeat.times), "layers");
        }
    }
}

fn graph(report: &Report, facts: &mut Facts) {
    let graph = &report.graph;
    facts.count("nodes", Some(graph.nodes), "nodes");
    facts.count("nodes including subgraphs and functions", Some(graph.nodes_total), "nodes");
    facts.count("nodes on the longest path", graph.depth, "depth");
    facts.count("inputs", Some(graph.inputs.len() as u64), "inputs");
    facts.count("outputs", Some(graph.outputs.len() as u64), "outputs");
    facts.count("initializers", Some(graph.initializers), "initializers");
    facts.count("functions", Some(graph.functions), "functions");
    for operator in graph.operators_total.iter().chain(&graph.operators) {
        if let Some(op) = names::operator(&operator.op) {
            facts.count(&format!("{op} nodes"), Some(operator.count), "nodes");
            let label = format!("share of {op} among the nodes");
            facts.percent(&label, Some(operator.percent), "nodes");
        }
    }
    for (domain, version) in &report.model.opsets {
        if calipers_ops::is_known_domain(domain) {
            facts.signed(&format!("opset of {domain}"), Some(*version), "opset");
        }
    }
}

fn quantization(report: &Report, facts: &mut Facts) {
    let reported = &report.quantization;
    if !reported.scheme.is_quantized() {
        return;
    }
    let quantized = Some(reported.contractions_quantized);
    facts.count("quantized operators with weights", quantized, "contractions");
    facts.count("operators with weights", Some(reported.contractions), "contractions");
    facts.percent("share of the weights that is quantized", reported.weights_percent, "weights");
    facts.signed("bits per quantized weight", reported.bits, "bits");
    facts.signed("weights that share a scale", reported.block, "parameters");
    facts.signed("weights in a group", reported.block, "block");
    for (op, count) in &reported.unquantized {
        if let Some(op) = names::operator(op) {
            facts.count(&format!("{op} nodes in floating point"), Some(*count), "nodes");
        }
    }
}

fn ports(report: &Report, facts: &mut Facts) {
    let sizes = |port: &Port| -> Vec<i64> {
        let fixed = |dim: &Dimension| match dim {
            Dimension::Size(size) => Some(*size),
            _ => None,
        };
        port.shape.iter().chain(&port.inferred).flatten().filter_map(fixed).collect()
    };
    for port in report.graph.inputs.iter().chain(&report.graph.outputs) {
        for size in sizes(port) {
            facts.signed("a dimension of an input or output", Some(size), "shape");
        }
    }
}

fn assumed(report: &Report, facts: &mut Facts) {
    let of_hardware = report.hardware.iter().flat_map(|hardware| &hardware.assumptions);
    for assumption in report.assumptions.iter().chain(of_hardware) {
        if let Ok(size) = assumption.value.parse() {
            let is_dimension = assumption.what.starts_with("dimension ");
            let topic = if is_dimension { "sequence" } else { "batch" };
            facts.count("a size that is assumed", Some(size), topic);
            facts.count("a side of an image that is assumed", Some(size), "shape");
            facts.count("samples that are assumed", Some(size), "batch");
        }
    }
    for bound in report.bindings.values() {
        if let calipers_report::Binding::Size(size) = bound {
            facts.signed("a size that is bound", Some(*size), "sequence");
            facts.signed("samples that are bound", Some(*size), "batch");
            facts.signed("a side that is bound", Some(*size), "shape");
        }
    }
}

fn machines(hardware: &Hardware, facts: &mut Facts) {
    facts.count("batch", Some(hardware.batch), "batch");
    facts.count("context in tokens", hardware.context, "sequence");
    if let Some(device) = &hardware.device {
        let on = |what: &str| format!("{what} on {}", device.name);
        facts.device = Some(device.name.clone());
        facts.bytes(&on("memory needed"), hardware.memory_bytes, "memory");
        facts.bytes(&format!("memory of {}", device.name), device.memory_bytes, "memory");
        facts.span(&on("time of one run"), hardware.latency_ms, "time");
        facts.span(&on("time of one run in eager mode"), hardware.eager_ms, "time");
        facts.rate(&on("samples per second"), hardware.throughput, "batch");
        facts.count(&on("largest batch"), hardware.largest_batch, "batch");
        facts.count(&on("longest context"), hardware.largest_context, "sequence");
        facts.count(&on("kernels of one run"), hardware.kernels, "kernels");
        facts.percent(&on("share of peak compute"), hardware.peak_percent, "peak");
        facts.device = None;
    }
    if let Some(generation) = &hardware.generation {
        facts.span("time to the first token", generation.first_token_ms, "time");
        facts.span("time of each further token", generation.token_ms, "time");
        facts.rate("tokens per second", generation.tokens_per_s, "sequence");
        facts.rate("tokens per second of the whole batch", generation.tokens_per_s_all, "sequence");
        facts.count("tokens of the prompt", Some(generation.prompt), "sequence");
        facts.count("tokens in the sequence", Some(generation.context), "sequence");
    }
    let rows = &hardware.devices;
    if !rows.is_empty() {
        let fitting = rows.iter().filter(|row| row.fits == Some(true)).count() as u64;
        facts.count("devices compared", Some(rows.len() as u64), "devices");
        facts.count("devices that it fits", Some(fitting), "devices");
        let lacking = rows.iter().filter(|row| row.fits == Some(false)).count() as u64;
        facts.count("devices that it does not fit", Some(lacking), "devices");
    }
    for row in rows.iter().take(DEVICES) {
        facts.device = Some(row.name.clone());
        facts.span(&format!("time of one run on {}", row.name), row.latency_ms, "time");
        facts.bytes(&format!("memory needed on {}", row.name), row.memory_bytes, "memory");
        facts.bytes(&format!("memory of {}", row.name), row.device_memory_bytes, "memory");
        facts.rate(&format!("samples per second on {}", row.name), row.throughput, "batch");
        facts.count(&format!("largest batch on {}", row.name), row.largest_batch, "batch");
    }
    facts.device = None;
}

fn findings(report: &Report, facts: &mut Facts) {
    let count = |severity: Severity| {
        Some(report.findings.iter().filter(|finding| finding.severity == severity).count() as u64)
    };
    facts.count("findings", Some(report.findings.len() as u64), "findings");
    facts.count("errors among the findings", count(Severity::Error), "findings");
    facts.count("warnings among the findings", count(Severity::Warning), "findings");
    facts.count("infos among the findings", count(Severity::Info), "findings");
}

fn weights(report: &Report, facts: &mut Facts) {
    let Some(read) = &report.weights else { return };
    facts.percent("share of zeros among the weights", Some(read.sparsity_percent), "weights");
    facts.count("NaN weights", Some(read.nan), "parameters");
    facts.count("infinite weights", Some(read.infinite), "parameters");
    facts.bytes("duplicate weights", Some(read.duplicate_bytes), "weights");
}
