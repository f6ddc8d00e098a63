//! The findings: what is wrong or risky about a model, and what to do about it.
//!
//! Each kind of finding is a `Rule` in a file of its own, in the folder of its group: id, severity,
//! title, what it checks, why it matters, an example, a recommendation, and the check. To add one,
//! write the file and add its line to `RULES`.
//!
//! A rule is an *error* only if a runtime refuses the model, or if loading the file is unsafe.
//! `scripts/refusals` runs ONNX Runtime on a model for each error rule (see `examples/refusals.rs`).
//! Titles are noun phrases or short statements. Recommendations are imperative sentences with the
//! command, function or flag to use.
#![forbid(unsafe_code)]

mod commands;
mod contradiction;
mod deployment;
mod evidence;
mod quantization;
mod runtimes;
mod security;
mod select;
mod structure;
mod weights;

#[cfg(test)]
pub(crate) mod testing;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use calipers_arch::Recognized;
use calipers_arch::network::{Network, Origin};
use calipers_infer::Typed;
use calipers_ir::{GraphOrigin, Header, Model, NodeId};
use calipers_measure::Measured;
use calipers_measure::assume::Sizes;
use calipers_measure::weights::Weights;
use calipers_report::units;
use calipers_report::{
    Architecture, Cost, Finding, FindingRule, FindingTable, GraphFacts, Parameters, Quantization,
    Report, Severity,
};
pub use select::{Selection, SelectionError, any_as_severe};

/// The input of every check: the outputs of the earlier stages.
pub struct Evidence<'a> {
    model: &'a Model,
    typed: &'a Typed,
    /// Sizes assumed for free dimensions.
    sizes: &'a Sizes,
    /// The network with its blocks recognized.
    net: &'a Network<'a>,
    graph: &'a GraphFacts,
    parameters: &'a Parameters,
    cost: &'a Cost,
    architecture: &'a Architecture,
    quantization: &'a Quantization,
    /// Statistics of the weights, if they were read.
    weights: Option<&'a Weights>,
    /// What the nodes depend on, computed once for all rules.
    origins: OnceCell<Vec<Origin>>,
}

impl<'a> Evidence<'a> {
    /// Borrows the outputs of the earlier stages.
    pub fn new(
        model: &'a Model,
        typed: &'a Typed,
        measured: &'a Measured,
        recognized: &'a Recognized<'a>,
        weights: Option<&'a Weights>,
    ) -> Self {
        Self {
            model,
            typed,
            sizes: &measured.sizes,
            net: &recognized.net,
            graph: &measured.graph,
            parameters: &measured.parameters,
            cost: &measured.cost,
            architecture: &recognized.architecture,
            quantization: &recognized.quantization,
            weights,
            origins: OnceCell::new(),
        }
    }

    /// Returns what the outputs of each node in the main graph depend on.
    pub(crate) fn origins(&self) -> &[Origin] {
        self.origins.get_or_init(|| evidence::origins(self.model))
    }
}

/// A kind of finding: its documentation and its check.
pub(crate) struct Rule {
    /// Stable name, such as `graph-cycle`.
    pub(crate) id: &'static str,
    pub(crate) severity: Severity,
    /// Folder and family: `contradiction`, `deployment`, `quantization`, `security`, `structure`,
    /// `weights`.
    pub(crate) group: &'static str,
    /// A noun phrase or short statement.
    pub(crate) title: &'static str,
    /// What the rule examines, and what it ignores.
    pub(crate) checks: &'static str,
    /// Why it matters.
    pub(crate) why: &'static str,
    /// A model that has the problem.
    pub(crate) example: &'static str,
    /// What to do about it: full sentences with the command, function or flag to use. A check that
    /// knows the exact names or versions replaces it for its finding.
    pub(crate) recommendation: &'static str,
    pub(crate) check: fn(&Evidence<'_>) -> Option<Hit>,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    /// What was found, with figures, without a final period.
    pub(crate) detail: String,
    /// Names of the affected nodes or tensors: all of them or the first few.
    pub(crate) nodes: Vec<String>,
    /// Replaces the severity of the rule where this case is less severe.
    pub(crate) severity: Option<Severity>,
    /// Replaces the recommendation of the rule where a more exact one is known.
    pub(crate) recommendation: Option<String>,
}

impl Hit {
    /// Creates a hit with the first few of the affected names; the detail states the total.
    pub(crate) fn new(detail: String, names: impl IntoIterator<Item = String>) -> Self {
        let nodes = names.into_iter().take(SHOWN).collect();
        Self { detail, nodes, severity: None, recommendation: None }
    }

    /// Lowers the severity of this finding.
    pub(crate) fn severity(self, severity: Severity) -> Self {
        Self { severity: Some(severity), ..self }
    }

    /// Replaces the recommendation of the rule.
    pub(crate) fn recommend(self, recommendation: impl Into<String>) -> Self {
        Self { recommendation: Some(recommendation.into()), ..self }
    }

    /// Creates a hit for these nodes; `None` if there are none.
    fn of_nodes(model: &Model, nodes: &[NodeId], detail: String) -> Option<Self> {
        let labels = nodes.iter().map(|node| model.node_label(*node));
        (!nodes.is_empty()).then(|| Self::new(detail, labels))
    }

    /// Creates a hit for these nodes whose detail counts them by kind.
    fn of_kinds(model: &Model, nodes: &[NodeId], kind: impl Fn(NodeId) -> String) -> Option<Self> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for node in nodes {
            *counts.entry(kind(*node)).or_default() += 1;
        }
        let reported = counts.iter().map(|(kind, count)| format!("{} {kind}", number(*count)));
        let detail = format!("{}: {}", counted(nodes.len(), "node"), listed(reported));
        Self::of_nodes(model, nodes, detail)
    }
}

/// Names listed with a finding.
const SHOWN: usize = 8;

/// Every rule, by group and then by id.
pub(crate) const RULES: &[&Rule] = &[
    &contradiction::declared_type_wrong::RULE,
    &contradiction::domain_not_imported::RULE,
    &contradiction::duplicate_name::RULE,
    &contradiction::duplicate_node_name::RULE,
    &contradiction::graph_cycle::RULE,
    &contradiction::no_opset::RULE,
    &contradiction::no_outputs::RULE,
    &contradiction::nodes_out_of_order::RULE,
    &contradiction::shapes_contradict::RULE,
    &contradiction::tensor_data::RULE,
    &contradiction::tensor_size::RULE,
    &contradiction::tensor_type::RULE,
    &contradiction::undefined_input::RULE,
    &contradiction::undefined_output::RULE,
    &contradiction::unused_opset::RULE,
    &deployment::batch_norm_not_folded::RULE,
    &deployment::casts_back_and_forth::RULE,
    &deployment::constants_not_folded::RULE,
    &deployment::control_flow::RULE,
    &deployment::data_dependent_shapes::RULE,
    &deployment::dead_nodes::RULE,
    &deployment::deprecated_operators::RULE,
    &deployment::dynamic_dimensions::RULE,
    &deployment::external_data_missing::RULE,
    &deployment::half_softmax::RULE,
    &deployment::int64_inputs::RULE,
    &deployment::layout_churn::RULE,
    &deployment::model_over_2gb::RULE,
    &deployment::newer_ir::RULE,
    &deployment::no_runtime_yet::RULE,
    &deployment::operators_not_in_opset::RULE,
    &deployment::operators_of_vendors::RULE,
    &deployment::operators_unknown::RULE,
    &deployment::runtime_versions::RULE,
    &deployment::shapes_not_folded::RULE,
    &deployment::types_of_targets::RULE,
    &deployment::unused_initializers::RULE,
    &deployment::weights_as_inputs::RULE,
    &quantization::activation_range::RULE,
    &quantization::block_size::RULE,
    &quantization::conv_weights_per_tensor::RULE,
    &quantization::depthwise_per_tensor::RULE,
    &quantization::float_islands::RULE,
    &quantization::float_layer_between::RULE,
    &quantization::quantization_readiness::RULE,
    &quantization::scale_invalid::RULE,
    &quantization::scale_vanishing::RULE,
    &quantization::zero_point_wrong::RULE,
    &security::broken_pickle::RULE,
    &security::calls_out::RULE,
    &security::code_in_layers::RULE,
    &security::external_data_keys::RULE,
    &security::external_data_overlap::RULE,
    &security::external_data_range::RULE,
    &security::external_data_refused::RULE,
    &security::function_expansion::RULE,
    &security::harmful_names::RULE,
    &security::metadata_links::RULE,
    &security::metadata_secrets::RULE,
    &security::misstated_header::RULE,
    &security::names_not_utf8::RULE,
    &security::operators_load_code::RULE,
    &security::output_hinges_on_match::RULE,
    &security::oversized_values::RULE,
    &security::pickle_imports::RULE,
    &security::python_operators::RULE,
    &security::unknown_fields::RULE,
    &structure::attention_quadratic::RULE,
    &structure::deep_without_shortcut::RULE,
    &structure::dense_layer_dominates::RULE,
    &structure::embedding_dominates::RULE,
    &structure::embedding_untied::RULE,
    &structure::extreme_bottleneck::RULE,
    &structure::linear_layers_in_a_row::RULE,
    &structure::no_normalization::RULE,
    &structure::one_node_dominates::RULE,
    &weights::constant_weights::RULE,
    &weights::dead_filters::RULE,
    &weights::duplicate_weights::RULE,
    &weights::sparse_weights::RULE,
    &weights::subnormal_weights::RULE,
    &weights::weight_outliers::RULE,
    &weights::weights_fit_float16::RULE,
    &weights::weights_not_finite::RULE,
];

/// Rules about what only ONNX has: operator sets, domains, the runtimes and the tools that read them.
const ONNX_ONLY: &[&str] = &[
    "batch-norm-not-folded",
    "constants-not-folded",
    "deprecated-operators",
    "domain-not-imported",
    "int64-inputs",
    "model-over-2gb",
    "newer-ir",
    "no-opset",
    "no-runtime-yet",
    "operators-not-in-opset",
    "operators-of-vendors",
    "runtime-versions",
    "shapes-not-folded",
    "types-of-targets",
    "unused-opset",
    "weights-as-inputs",
];

/// Groups of rules that examine the file, and not the graph.
const OF_FILES: &[&str] = &["security", "weights"];

impl Rule {
    /// Whether it has something to examine in such a file.
    fn applies(&self, header: &Header) -> bool {
        match header.graph_origin {
            _ if header.format.is_onnx() => true,
            GraphOrigin::Stored => !ONNX_ONLY.contains(&self.id),
            // What Calipers builds says nothing of the file.
            GraphOrigin::Built | GraphOrigin::Absent => {
                OF_FILES.contains(&self.group) || self.id == "external-data-missing"
            }
        }
    }
}

/// Runs every check that applies and returns the findings, most severe first, then in the order of `RULES`. Each
/// rule contributes at most one finding.
pub fn check(evidence: &Evidence<'_>) -> Vec<Finding> {
    let rules = RULES.iter().filter(|rule| rule.applies(&evidence.model.header));
    let hits = rules.filter_map(|rule| Some((rule, (rule.check)(evidence)?)));
    let mut findings: Vec<_> = hits.map(|(rule, hit)| rule.finding(hit, evidence.model)).collect();
    findings.sort_by_key(|finding| finding.severity);
    findings
}

impl Rule {
    /// What to do about it in a file that is not ONNX: tools for ONNX do not read it.
    fn advice(&self, advice: String, header: &Header) -> String {
        const OF_ONNX: [&str; 4] = ["onnx", "ONNX", "SessionOptions", "ORT"];
        let is_of_onnx = OF_ONNX.iter().any(|name| advice.contains(name));
        match (header.format.is_onnx() || !is_of_onnx, self.id) {
            (true, _) => advice,
            (false, "operators-unknown") => {
                "Check that the runtime has these operators; the totals do not include their cost."
                    .to_owned()
            }
            (false, _) => "Change it in the source model, and convert that again.".to_owned(),
        }
    }

    fn finding(&self, hit: Hit, model: &Model) -> Finding {
        // A command with a word in place of a name would not run.
        let exact = hit.recommendation.filter(|_| !model.is_redacted());
        let advice = exact.unwrap_or_else(|| self.recommendation.to_owned());
        Finding {
            id: self.id.to_owned(),
            severity: hit.severity.unwrap_or(self.severity),
            title: self.title.to_owned(),
            detail: hit.detail,
            nodes: hit.nodes,
            recommendation: self.advice(advice, &model.header),
        }
    }
}

/// Returns the documentation of every rule, by group and then by id.
pub fn rules() -> Vec<FindingRule> {
    let described = |rule: &&Rule| FindingRule {
        id: rule.id.to_owned(),
        severity: rule.severity,
        group: rule.group.to_owned(),
        title: rule.title.to_owned(),
        checks: rule.checks.to_owned(),
        why: rule.why.to_owned(),
        example: rule.example.to_owned(),
        recommendation: rule.recommendation.to_owned(),
    };
    RULES.iter().map(described).collect()
}

/// Returns the findings of a report with their counts.
pub fn finding_table(report: &Report) -> FindingTable {
    let count = |severity| {
        report.findings.iter().filter(|finding| finding.severity == severity).count() as u64
    };
    FindingTable {
        file: report.model.file.clone(),
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
        infos: count(Severity::Info),
        findings: report.findings.clone(),
    }
}

/// Formats a count: `12`, `1,204`.
pub(crate) fn number(count: usize) -> String {
    units::integer(count as u64)
}

/// Formats a count with its noun: `1 node`, `2 nodes`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    plural(count, noun, &format!("{noun}s"))
}

/// Formats a count with an irregular noun: `1 entry`, `2 entries`.
pub(crate) fn plural(count: usize, one: &str, many: &str) -> String {
    units::counted(count as u64, one, many)
}

/// Joins the first few texts and the number of the others: a hostile file may have thousands.
pub(crate) fn listed(texts: impl IntoIterator<Item = String>) -> String {
    let mut texts = texts.into_iter();
    let mut reported: Vec<String> = texts.by_ref().take(SHOWN).collect();
    let more = texts.count();
    if more > 0 {
        reported.push(format!("and {} more", number(more)));
    }
    reported.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUPS: [&str; 6] =
        ["contradiction", "deployment", "quantization", "security", "structure", "weights"];

    #[test]
    fn rules_are_sorted_and_unique() {
        for pair in RULES.windows(2) {
            let key = |rule: &Rule| (rule.group, rule.id);
            assert!(key(pair[0]) < key(pair[1]), "{:?} is out of order", key(pair[1]));
        }
        let mut ids: Vec<_> = RULES.iter().map(|rule| rule.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), RULES.len(), "an id is used twice");
    }

    #[test]
    fn rules_of_onnx_are_rules() {
        for id in ONNX_ONLY {
            assert!(RULES.iter().any(|rule| rule.id == *id), "{id}");
        }
    }

    #[test]
    fn every_rule_is_documented() {
        for rule in RULES {
            assert!(GROUPS.contains(&rule.group), "{}: group {:?}", rule.id, rule.group);
            let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(rule.id.chars().all(kebab) && !rule.id.is_empty(), "{:?}", rule.id);
            // The title is a heading without a period; the others are sentences.
            for text in [rule.checks, rule.why, rule.example, rule.recommendation] {
                assert!(text.len() > 20 && text.ends_with('.'), "{}: {text:?}", rule.id);
                assert!(text.matches('`').count() % 2 == 0, "{}: {text:?}", rule.id);
            }
            assert!(rule.title.len() > 8 && !rule.title.ends_with('.'), "{}", rule.id);
            assert!(rule.recommendation.starts_with(char::is_uppercase), "{}", rule.id);
            for text in [rule.title, rule.checks, rule.why, rule.example, rule.recommendation] {
                assert!(!text.contains("  "), "{}: a gap in {text:?}", rule.id);
            }
        }
    }
}
