//! How numbers are held in few bits.
//!
//! Every contraction with weights is examined on its own (`form`): how its weights are stored, and
//! whether the data it takes is quantized too. The scheme is the form that they share.
//!
//! | scheme | what makes it |
//! |---|---|
//! | `qdq-int8` | weights and data come out of `DequantizeLinear`, with scales that are stored |
//! | `qoperator-int8` | operators that take integers and scales: `QLinearConv`, `QLinearMatMul`, `QGemm` |
//! | `dynamic-int8` | the data is quantized as it comes: `DynamicQuantizeLinear`, `MatMulInteger`, `DynamicQuantizeLSTM` |
//! | `weight-only-int4` | the weights are held in few bits, the data is not: `MatMulNBits`, or `DequantizeLinear` of the weights alone |
//! | `float8` | numbers of eight bits that are floats |
//! | `mixed` | more than one of these, none of them on nine tenths of the quantized contractions |
//!
//! Embedding tables do not decide: a model whose products are dynamic and whose embeddings
//! come out of `DequantizeLinear` is dynamic.

mod form;
mod stated;

use std::collections::BTreeMap;

use calipers_ir::GraphOrigin;
use calipers_report::{Granularity, Parameters, Quantization, Scheme};
pub use form::{Form, Observed, observe, table_is_narrow};

use crate::network::{Network, Origin};

/// The scheme, and how much of the model it covers. The network must be as it was built, before
/// recognition.
pub fn describe(net: &Network<'_>, parameters: &Parameters) -> Quantization {
    if net.model.header.graph_origin == GraphOrigin::Absent {
        return stated::of_weights(net.model, parameters);
    }
    let mut all: Vec<Observed> = Vec::new();
    let mut tables: BTreeMap<bool, u64> = BTreeMap::new();
    for (_, unit) in net.units() {
        if let Some(observed) = form::observe(net, unit) {
            all.push(observed);
        } else if unit.is("Gather")
            && let Some(table) = unit.input(0).filter(|val| net.origin(*val) == Origin::Constant)
            && let Some(narrow) = form::table_is_narrow(net, unit, table)
        {
            *tables.entry(narrow).or_default() += 1;
        }
    }
    let weighted: Vec<&Observed> = all.iter().filter(|observed| observed.weighted).collect();
    let mut quantized: Vec<&Observed> =
        weighted.iter().copied().filter(|observed| observed.form != Form::Float).collect();
    let counted = quantized.len() as u64;
    // A model may quantize only products of two activations: those then say how.
    if quantized.is_empty() {
        quantized = all.iter().filter(|observed| observed.form != Form::Float).collect();
    }
    let narrow_tables = tables.get(&true).copied().unwrap_or(0);
    let scheme = scheme(&quantized, narrow_tables > 0 && weighted.is_empty());
    if !scheme.is_quantized() {
        return Quantization {
            scheme,
            contractions: weighted.len() as u64,
            evidence: vec![match weighted.len() {
                0 => "nothing is quantized".to_owned(),
                1 => "the only operator with weights computes in floating point".to_owned(),
                count => format!("all {count} operators with weights compute in floating point"),
            }],
            ..Quantization::default()
        };
    }
    let mut unquantized: BTreeMap<String, u64> = BTreeMap::new();
    for observed in weighted.iter().filter(|observed| observed.form == Form::Float) {
        *unquantized.entry(observed.op.clone()).or_default() += 1;
    }
    if let Some(count) = tables.get(&false) {
        unquantized.insert("Gather".to_owned(), *count);
    }
    let evidence = evidence(&quantized, weighted.len(), narrow_tables, &unquantized);
    Quantization {
        scheme,
        contractions_quantized: counted,
        contractions: weighted.len() as u64,
        weights_percent: percent(parameters),
        bits: common(quantized.iter().filter_map(|observed| observed.bits)),
        block: common(quantized.iter().filter_map(|observed| observed.block)),
        granularity: granularity(&quantized),
        symmetric: symmetric(&quantized),
        unquantized,
        evidence,
    }
}

/// Of the quantized contractions, this share must agree for one scheme; in hundredths.
const AGREE: usize = 90;

fn scheme(quantized: &[&Observed], tables_alone: bool) -> Scheme {
    let mut counts: BTreeMap<Scheme, usize> = BTreeMap::new();
    for observed in quantized {
        *counts.entry(observed.scheme()).or_default() += 1;
    }
    match counts.into_iter().max_by_key(|(_, count)| *count) {
        None if tables_alone => Scheme::WeightOnly { bits: 8 },
        None => Scheme::None,
        Some((scheme, count)) if count * 100 >= quantized.len() * AGREE => scheme,
        Some(_) => Scheme::Mixed,
    }
}

/// What most of them are.
fn common(values: impl Iterator<Item = i64>) -> Option<i64> {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(value, _)| value)
}

fn granularity(quantized: &[&Observed]) -> Option<Granularity> {
    let mut found = quantized.iter().filter_map(|observed| observed.granularity);
    let first = found.next()?;
    Some(if found.all(|other| other == first) { first } else { Granularity::Mixed })
}

/// Whether all are symmetric, when all are known.
fn symmetric(quantized: &[&Observed]) -> Option<bool> {
    if quantized.iter().any(|observed| observed.symmetric == Some(false)) {
        return Some(false);
    }
    quantized.iter().all(|observed| observed.symmetric == Some(true)).then_some(true)
}

/// Share of the learned elements that take at most eight bits.
fn percent(parameters: &Parameters) -> Option<f64> {
    let total = parameters.total.filter(|total| *total > 0)?;
    let narrow = parameters.by_dtype.iter().filter(|(dtype, _)| stated::is_narrow(**dtype));
    let narrow = narrow.map(|(_, n)| *n).fold(0, u64::saturating_add);
    #[expect(clippy::cast_precision_loss, reason = "a share needs a few digits")]
    Some(narrow as f64 / total as f64 * 100.0)
}

fn evidence(
    quantized: &[&Observed],
    weighted: usize,
    narrow_tables: u64,
    unquantized: &BTreeMap<String, u64>,
) -> Vec<String> {
    let mut ways: BTreeMap<(Form, &str), u64> = BTreeMap::new();
    for observed in quantized {
        *ways.entry((observed.form, observed.op.as_str())).or_default() += 1;
    }
    let mut lines: Vec<String> = ways
        .iter()
        .map(|((form, op), count)| format!("{count} × {op} {}", form.description()))
        .collect();
    let count = quantized.iter().filter(|observed| observed.weighted).count();
    if weighted > 0 {
        lines.push(format!("{count} of {weighted} operators with weights are quantized"));
    }
    if narrow_tables > 0 {
        lines.push("embedding tables are quantized as well".to_owned());
    }
    if !unquantized.is_empty() {
        let left: Vec<String> =
            unquantized.iter().map(|(op, count)| format!("{count} × {op}")).collect();
        lines.push(format!("not quantized: {}", left.join(", ")));
    }
    lines
}

#[cfg(test)]
mod tests;
