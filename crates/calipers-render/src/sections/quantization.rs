//! Quantization: scheme, coverage, and the evidence.

use calipers_report::Quantization;

use super::context::Context;
use super::wording::{joined, quoted};
use crate::document::{Block, Facts};
use crate::table::Value;
use crate::units;
use crate::value::Spans;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let quantization = &report.quantization;
    if !quantization.scheme.is_quantized() {
        return vec![];
    }
    let mut facts = Facts::default();
    facts.add("Scheme", Value::Prose(quantization.scheme.label().into_owned()));
    facts.add(
        "Quantized matrix products and convolutions",
        format!(
            "{} of {}",
            units::integer(quantization.contractions_quantized),
            units::integer(quantization.contractions)
        ),
    );
    facts.add("Quantized weights", quantization.weights_percent.map(Value::Percent));
    facts.add("Bits per weight", quantization.bits.map(|bits| bits.to_string()));
    facts.add("Block size", quantization.block.map(|block| block.to_string()));
    facts.add(
        "Scales",
        quantization.granularity.map(|granularity| Value::text(granularity.display_name())),
    );
    facts.add("Symmetric", quantization.symmetric.map(Value::Flag));
    let floats = quantization.unquantized.iter().take(10).map(|(op, count)| {
        Spans::from(Value::Integer(*count)).and_text(" ").and_value(Value::name(op))
    });
    facts.add("Not quantized", joined(floats.collect(), ", "));
    vec![Block::Facts(facts), Block::list(quoted(&quantization.evidence, 6))]
}

/// The scheme, and what of the model it holds for.
pub(super) fn brief(quantization: &Quantization) -> Vec<Spans> {
    if !quantization.scheme.is_quantized() {
        return vec![];
    }
    let mut values = vec![Spans::plain(quantization.scheme.label())];
    if quantization.contractions > 0 {
        let done = units::integer(quantization.contractions_quantized);
        let all = units::counted(
            quantization.contractions,
            "matrix product or convolution",
            "matrix products and convolutions",
        );
        values.push(Spans::plain(format!("{done} of {all}")));
    }
    let others = [
        quantization.weights_percent.map(|share| format!("{} of weights", units::percent(share))),
        quantization.bits.map(|bits| format!("{bits} bits")),
        quantization.block.map(|block| format!("blocks of {block}")),
        quantization.granularity.map(|granularity| granularity.display_name().to_owned()),
        quantization.symmetric.map(|yes| if yes { "symmetric" } else { "asymmetric" }.to_owned()),
    ];
    values.extend(others.into_iter().flatten().map(Spans::plain));
    values
}
