//! How numbers are held in few bits, of models that hold some so.

use calipers_report::Report;

use super::wording::{joined, quoted, spaced};
use crate::document::{Block, Facts};
use crate::table::Value;
use crate::units;
use crate::value::Spans;

pub(super) fn build(report: &Report) -> Vec<Block> {
    let quantization = &report.quantization;
    if matches!(quantization.scheme.as_str(), "" | "none") {
        return vec![];
    }
    let mut facts = Facts::default();
    facts.add("Scheme", Value::Prose(spaced(&quantization.scheme)));
    facts.add(
        "Contractions in few bits",
        format!(
            "{} of {}",
            units::integer(quantization.contractions_quantized),
            units::integer(quantization.contractions)
        ),
    );
    facts.add("Share of the weights", quantization.weights_percent.map(Value::Percent));
    facts.add("Bits of a weight", quantization.bits.map(|bits| bits.to_string()));
    facts.add("Weights that share a scale", quantization.block.map(|block| block.to_string()));
    facts.add("Scales", quantization.granularity.as_ref().map(Value::prose));
    facts.add("Symmetric", quantization.symmetric.map(Value::Flag));
    let floats = quantization.in_float.iter().take(10).map(|(op, count)| {
        Spans::from(Value::Integer(*count)).and_text(" ").and_value(Value::name(op))
    });
    facts.add("With weights in floats", joined(floats.collect(), ", "));
    vec![Block::Facts(facts), Block::list(quoted(&quantization.evidence, 6))]
}
