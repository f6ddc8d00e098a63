//! An unquantized layer between quantized ones.

use calipers_arch::network::{BlockKind, Val};
use calipers_arch::quantization::{Form, observe};
use calipers_report::{Scheme, Severity};
use hashbrown::HashSet;

use super::super::structure::Layers;
use super::super::{Evidence, Hit, Rule};
use super::contraction;

/// At least one in this many layers must be quantized; otherwise the quantized ones are islands.
const MOST: usize = 2;

pub(crate) const RULE: Rule = Rule {
    id: "float-layer-between",
    severity: Severity::Warning,
    group: "quantization",
    title: "Unquantized layer inside a quantized network",
    checks: "Models with stored scales in which at least half of the weighted layers are \
             quantized: convolutions and dense layers that are not, with quantized layers before \
             and after them. First and last layers often remain in float on purpose.",
    why: "The data is dequantized and quantized again around the layer, which costs more than the \
          layer saves. Often a `QuantizeLinear`/`DequantizeLinear` pair is missing.",
    example: "A quantized ResNet in which one convolution reads the sum of two branches without a \
              Q/DQ pair.",
    recommendation: "Remove the layer from `nodes_to_exclude` and run \
                     `onnxruntime.quantization.quantize_static` again, unless it was excluded on \
                     purpose.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let (Scheme::Qdq { .. } | Scheme::QOperator { .. }) = evidence.quantization.scheme else {
        return None;
    };
    let net = evidence.net;
    let layers = Layers::from_network(net);
    let forms: Vec<Option<Form>> = layers
        .units
        .iter()
        .map(|unit| {
            let layer = Some(*unit).filter(|unit| unit.is(BlockKind::WEIGHTED))?;
            observe(net, contraction(layer)?)
                .filter(|looked| looked.weighted)
                .map(|looked| looked.form)
        })
        .collect();
    let quantized =
        forms.iter().filter(|form| form.is_some_and(|form| form != Form::Float)).count();
    let all = forms.iter().flatten().count();
    if quantized * MOST < all {
        return None;
    }
    // Values after a quantized layer, and values before one.
    let is_quantized = |at: usize| forms[at].is_some_and(|form| form != Form::Float);
    let (mut after, mut before): (HashSet<Val>, HashSet<Val>) = Default::default();
    for (at, unit) in layers.units.iter().enumerate() {
        if is_quantized(at) || net.data_inputs(unit).any(|input| after.contains(&input)) {
            after.extend(&unit.outputs);
        }
    }
    for (at, unit) in layers.units.iter().enumerate().rev() {
        if is_quantized(at) || unit.outputs.iter().any(|output| before.contains(output)) {
            before.extend(net.data_inputs(unit));
        }
    }
    let between: Vec<String> = layers
        .units
        .iter()
        .zip(&forms)
        .filter(|(unit, form)| {
            **form == Some(Form::Float)
                && net.data_inputs(unit).any(|input| after.contains(&input))
                && unit.outputs.iter().any(|output| before.contains(output))
        })
        .map(|(unit, _)| net.model.node_label(unit.node))
        .collect();
    let first = between.first()?;
    let detail = format!(
        "{} of {all} weighted layers are unquantized between quantized ones; first {first:?}",
        between.len()
    );
    Some(Hit::new(detail, between))
}

#[cfg(test)]
mod tests {
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised;

    /// A chain of dense layers; `true` is quantized.
    fn chain(layers: &[bool]) -> Vec<u8> {
        let mut t = Tiny::new();
        let mut x = t.input(&["batch", "8"]);
        for quantized in layers {
            let mut w = t.weight(&[8, 8]);
            if *quantized {
                x = t.quantized(&x);
                w = t.raw(calipers_samples::DataType::I8, &[8, 8], &[1; 64]);
                let scale = t.scalar(0.1);
                w = t.op("DequantizeLinear", &[&w, &scale]);
            }
            let y = t.op("MatMul", &[&x, &w]);
            x = t.op("Relu", &[&y]);
        }
        t.build(&x)
    }

    #[test]
    fn a_float_layer_in_the_middle_is_reported() {
        let reported = raised(&RULE, chain(&[true, true, false, true])).unwrap();
        assert!(reported.detail.starts_with("1 of 4"), "{}", reported.detail);
    }

    #[test]
    fn the_first_and_the_last_are_not() {
        assert_eq!(raised(&RULE, chain(&[false, true, true, true, false])), None);
        assert_eq!(raised(&RULE, chain(&[true, true, true])), None);
        // Mostly in floats: the quantized ones are the islands.
        assert_eq!(raised(&RULE, chain(&[true, false, false, false, true])), None);
    }
}
