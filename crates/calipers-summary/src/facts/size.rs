//! Parameters, weights, and what a run costs.

use calipers_report::Report;
use calipers_report::units;

use super::super::names;
use super::super::parts::{assumptions, cost as cost_part, size};
use super::{Fact, Role, counted};
use crate::kind_of;

/// Parameters, their precision and their bytes.
pub(super) fn parameters(report: &Report) -> Vec<Fact> {
    let parameters = &report.parameters;
    let mut facts = vec![match parameters.total {
        None => Fact::new(Role::Statement, "The parameter count is unknown"),
        Some(0) => Fact::new(Role::Property, "no parameters"),
        Some(1) => Fact::new(Role::Property, "1 parameter"),
        Some(total) => Fact::new(Role::Property, format!("{} parameters", units::spoken(total))),
    }];
    if size::are_generated(report) {
        let text = "Most of the parameters are generated when the model is loaded";
        facts.push(Fact::new(Role::Statement, text));
    } else if let Some(bytes) = report.memory.weights_bytes.filter(|bytes| *bytes > 0) {
        facts.push(Fact::new(Role::Property, format!("{} of weights", units::bytes(bytes))));
    }
    if parameters.total.is_some_and(|total| total > 0)
        && let Some(precision) = report.model.precision
    {
        let mostly = if parameters.by_dtype.len() > 1 { "mostly " } else { "" };
        facts.push(Fact::new(Role::Property, format!("parameters {mostly}in {precision}")));
    }
    facts
}

/// Arithmetic and activation memory of one run.
pub(super) fn cost(report: &Report) -> Vec<Fact> {
    let run = (kind_of(report).run)(report);
    let mut facts = Vec::new();
    if report.graph.nodes > 0 {
        facts.push(match cost_part::arithmetic(report) {
            Some(arithmetic) => Fact::new(Role::Cost, format!("{arithmetic} for {run}")),
            None => Fact::new(Role::Statement, "The cost of a run could not be computed"),
        });
    }
    if let Some(bytes) = report.memory.peak_activation_bytes.filter(|bytes| *bytes > 0) {
        let text = format!("{} for its activations at their peak", units::bytes(bytes));
        facts.push(Fact::new(Role::Cost, text));
    }
    if let Some(nodes) = counted(Some(report.cost.unknown_count), "node", "nodes") {
        facts.push(Fact::new(Role::Statement, format!("The cost of {nodes} is unknown")).detail());
    }
    facts
}

/// The KV cache.
pub(super) fn cache(report: &Report) -> Vec<Fact> {
    let Some(cache) = &report.memory.kv_cache else { return Vec::new() };
    let mut facts = Vec::new();
    let known = |bytes: Option<u64>| bytes.filter(|bytes| *bytes > 0).map(units::bytes);
    if let Some(bytes) = known(cache.bytes_per_token) {
        facts.push(format!("a KV cache that takes {bytes} per token"));
    }
    if let Some(bytes) = known(cache.bytes_at_context) {
        facts.push(match cache.context {
            Some(tokens) => format!(
                "a KV cache that takes {bytes} per sequence at a context of {} tokens",
                units::integer(tokens)
            ),
            None => format!("a KV cache that takes {bytes} per sequence"),
        });
    }
    if facts.is_empty() {
        facts.push("a KV cache of unknown size".to_owned());
    }
    if let Some(window) = cache.window {
        facts.push(format!("an attention window of {} tokens", units::integer(window)));
    }
    facts.into_iter().map(|text| Fact::new(Role::Property, text)).collect()
}

/// Sizes that the figures assume. Dimensions have the model's own names, which no prompt lists.
pub(super) fn assumptions(report: &Report) -> Option<Fact> {
    let sizes = match cost_part::is_known(report) {
        true => format!("Figures assume {}", assumptions::sizes(report)?),
        false => format!("The cost could not be computed at {}", assumptions::sizes(report)?),
    };
    let prompt = "Figures assume sizes for the free dimensions";
    Some(Fact::new(Role::Statement, sizes).listed_as(prompt))
}

/// What an engineer may want to know of files, weights and memory traffic.
pub(super) fn details(report: &Report) -> Vec<Fact> {
    let (parameters, model) = (&report.parameters, &report.model);
    let mut facts = Vec::new();
    let mut property = |text: String| facts.push(Fact::new(Role::Property, text).detail());
    if model.bytes > 0 {
        property(format!("a model file of {}", units::bytes(model.bytes)));
    }
    if let Some(files) = counted(Some(model.data_files.len() as u64), "data file", "data files") {
        let bytes = units::bytes(model.external_bytes);
        property(format!("{files} next to the model file with {bytes} of tensors"));
    }
    if let Some(count) = parameters.non_trainable.filter(|count| *count > 0) {
        let count = units::spoken(count);
        property(format!("{count} parameters that training does not change"));
    }
    if let Some(row) = parameters.by_op.first()
        && let (Some(op), Some(bytes)) = (names::operator(&row.op), row.bytes)
    {
        property(format!("{} of weights in {op} nodes", units::bytes(bytes)));
    }
    if let Some(read) = &report.weights {
        property(format!("{} zeros among its weights", units::percent(read.sparsity_percent)));
        if let Some(weights) = counted(Some(read.nan), "NaN weight", "NaN weights") {
            property(weights);
        }
        if let Some(weights) = counted(Some(read.infinite), "infinite weight", "infinite weights") {
            property(weights);
        }
        if read.duplicate_bytes > 0 {
            property(format!("{} of duplicate weights", units::bytes(read.duplicate_bytes)));
        }
    }
    let mut cost = |text: String| facts.push(Fact::new(Role::Cost, text).detail());
    if let Some(bytes) = report.memory.peak_activation_in_place_bytes.filter(|bytes| *bytes > 0) {
        let bytes = units::bytes(bytes);
        cost(format!("{bytes} for its activations at their peak with in-place reuse"));
    }
    if let Some(bytes) = report.cost.bytes_moved.filter(|bytes| *bytes > 0) {
        cost(format!("{} of memory traffic per run", units::bytes(bytes)));
    }
    facts
}
