//! Inputs and outputs as a caller sees them, and what loading the model requires.
//!
//! Everything is in the reports: a saved one serves as well as a model.

mod ports;
mod shape;

use calipers_ops::{ML, ONNX, canonical_domain};
use calipers_report::{GraphOrigin, Interface, InterfaceChange, InterfacePart, Report};

use crate::Side;

/// The IR version since which an initializer need not be an input, so that one that is can be meant
/// to be overridden.
const OPTIONAL_INPUTS_IR: i64 = 4;

/// Compares what callers of two models see. The names that count are those of the file, also where
/// the report shows others.
pub(crate) fn compare(first: Side<'_>, second: Side<'_>) -> Interface {
    let (a, b) = (first.report, second.report);
    for side in [first, second] {
        if side.report.model.graph_origin != GraphOrigin::Stored {
            let label = side.label;
            let not_compared = format!("`{label}` stores weights, and no inputs or outputs.");
            return Interface { not_compared, ..Interface::default() };
        }
    }
    let mut changes = ports::compare(first, second);
    changes.extend(overridable(a, b));
    changes.extend(opsets(a, b));
    changes.extend(ir_version(a, b));
    changes.extend(data_files(a, b));
    changes.sort_by_key(|change| !change.breaking);
    let compatible = !changes.iter().any(|change| change.breaking);
    Interface { compatible, changes, ..Interface::default() }
}

/// Inputs that an initializer fills, which a caller may feed.
fn overridable(a: &Report, b: &Report) -> Option<InterfaceChange> {
    let (before, after) = (a.graph.overridable_inputs, b.graph.overridable_inputs);
    if before == after {
        return None;
    }
    // Older files list every initializer among the inputs; nobody feeds those.
    let is_meant = a.model.ir_version.is_some_and(|version| version >= OPTIONAL_INPUTS_IR);
    Some(InterfaceChange {
        what: InterfacePart::Input,
        name: String::new(),
        detail: format!("{before} inputs had default values, {after} have them now"),
        breaking: is_meant && after < before,
        a: Some(before.to_string()),
        b: Some(after.to_string()),
    })
}

/// Domains of operators, and their versions.
fn opsets(a: &Report, b: &Report) -> Vec<InterfaceChange> {
    let mut changes = Vec::new();
    let uses = |report: &Report, domain: &str| {
        report.graph.operators_total.iter().any(|operator| operator.domain == domain)
    };
    let local = |report: &Report, domain: &str| {
        report.graph.local_functions.iter().any(|function| function.domain == domain)
    };
    let (opsets_a, opsets_b) = (&a.model.opsets, &b.model.opsets);
    for (domain, version) in opsets_b {
        let before = opsets_a.get(domain);
        if before == Some(version) {
            continue;
        }
        let is_used = uses(b, domain);
        if !is_used && !uses(a, domain) {
            continue;
        }
        let is_new = before.is_none() || !uses(a, domain) && is_used;
        let needs_runtime = is_new && is_used && !local(b, domain) && !is_standard(domain);
        let detail = match before {
            _ if needs_runtime => {
                format!("operators of `{domain}` are new: the runtime must provide them")
            }
            None => format!("`{domain}` {version} is new"),
            Some(before) => format!("`{domain}` is version {version}, was {before}"),
        };
        changes.push(InterfaceChange {
            what: if before.is_some() { InterfacePart::Opset } else { InterfacePart::Domain },
            name: domain.clone(),
            detail,
            breaking: needs_runtime,
            a: before.map(i64::to_string),
            b: Some(version.to_string()),
        });
    }
    // A domain that was imported before and has its first operator now.
    for operator in &b.graph.operators_total {
        let domain = &operator.domain;
        let is_listed = changes.iter().any(|change| change.name == *domain);
        if is_listed || uses(a, domain) || is_standard(domain) || local(b, domain) {
            continue;
        }
        changes.push(InterfaceChange {
            what: InterfacePart::Domain,
            name: domain.clone(),
            detail: format!("operators of `{domain}` are new: the runtime must provide them"),
            breaking: true,
            a: None,
            b: opsets_b.get(domain).map(i64::to_string),
        });
    }
    let is_gone = |domain: &str| !opsets_b.contains_key(domain) && uses(a, domain);
    for (domain, version) in opsets_a.iter().filter(|(domain, _)| is_gone(domain)) {
        changes.push(InterfaceChange {
            what: InterfacePart::Domain,
            name: domain.clone(),
            detail: format!("`{domain}` {version} is not needed any longer"),
            breaking: false,
            a: Some(version.to_string()),
            b: None,
        });
    }
    changes
}

/// Whether every runtime has the operators of a domain.
fn is_standard(domain: &str) -> bool {
    matches!(canonical_domain(domain), ONNX | ML)
}

fn ir_version(a: &Report, b: &Report) -> Option<InterfaceChange> {
    let (before, after) = (a.model.ir_version, b.model.ir_version);
    if before == after {
        return None;
    }
    let text = |version: Option<i64>| version.map(|version| version.to_string());
    let shown = |version| text(version).unwrap_or_else(|| "not stated".to_owned());
    Some(InterfaceChange {
        what: InterfacePart::IrVersion,
        name: String::new(),
        detail: format!("The IR version is {}, was {}", shown(after), shown(before)),
        breaking: false,
        a: text(before),
        b: text(after),
    })
}

/// Files with weights that have to be shipped with the model.
fn data_files(a: &Report, b: &Report) -> Option<InterfaceChange> {
    let (before, after) = (a.model.data_files.len(), b.model.data_files.len());
    if before == after {
        return None;
    }
    let detail = match (before, after) {
        (0, _) => {
            "Weights are in data files now, which have to be shipped with the model".to_owned()
        }
        (_, 0) => "All weights are in the model file now".to_owned(),
        _ => format!("The weights are in {after} data files, were in {before}"),
    };
    Some(InterfaceChange {
        what: InterfacePart::Data,
        name: String::new(),
        detail,
        breaking: false,
        a: Some(before.to_string()),
        b: Some(after.to_string()),
    })
}
