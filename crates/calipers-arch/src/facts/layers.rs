//! Contractions: how many convolutions, and in which type they compute.

use std::collections::BTreeMap;

use calipers_ir::DType;
use calipers_report::{ArchitectureFacts, Parameters};

use crate::network::{BlockKind, Network, NetworkOp};

/// Whether a unit is an operator whose weights show the type.
fn is_weighted(unit: &NetworkOp) -> bool {
    let contraction = unit.traits().and_then(|traits| traits.contraction);
    contraction.is_some_and(|contraction| !contraction.weights.is_empty())
}

pub(super) fn fill(net: &Network<'_>, _: &Parameters, facts: &mut ArchitectureFacts) {
    let counted = |count: i64| Some(count).filter(|count| *count > 0);
    facts.convs = counted(net.count(BlockKind::Convolution));
    let depthwise =
        net.all().filter(|unit| unit.convolution().is_some_and(|conv| conv.is_depthwise()));
    facts.depthwise = counted(i64::try_from(depthwise.count()).unwrap_or(i64::MAX));
    facts.precision = precision(net).map(str::to_owned);
}

/// The floating-point type that most weights are computed in. Where all products are of integers,
/// it is the type between them.
fn precision(net: &Network<'_>) -> Option<&'static str> {
    let mut weights: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut weighted = false;
    for unit in net.all().filter(|unit| is_weighted(unit)) {
        let stored = unit.inputs.iter().flatten().filter(|input| !net.is_data(**input));
        let elements = stored.filter_map(|input| net.elements(*input)).map(|n| n as u64);
        let elements = elements.fold(0, u64::saturating_add);
        weighted |= elements > 0;
        if let Some(name) = float_of(net, unit) {
            let sum = weights.entry(name).or_default();
            *sum = sum.saturating_add(elements);
        }
    }
    if !weighted {
        return None;
    }
    if weights.values().all(|elements| *elements == 0) {
        let all = net.all().filter(|unit| unit.parts.is_empty());
        for name in all.filter_map(|unit| float_of(net, unit)) {
            *weights.entry(name).or_default() += 1;
        }
    }
    weights.into_iter().max_by_key(|(_, elements)| *elements).map(|(name, _)| name)
}

fn float_of(net: &Network<'_>, unit: &NetworkOp) -> Option<&'static str> {
    match net.dtype(*unit.outputs.first()?)? {
        DType::Float64 => Some("fp64"),
        DType::Float32 => Some("fp32"),
        DType::Float16 => Some("fp16"),
        DType::Bfloat16 => Some("bf16"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use calipers_report::{ArchitectureFacts, Parameters};
    use calipers_samples::{Attribute, DataType};

    use crate::blocks::testing::{Inspect as _, Tiny};

    fn facts(tiny: Tiny, output: &str) -> ArchitectureFacts {
        let mut facts = ArchitectureFacts::default();
        tiny.output(output).inspect(|net| super::fill(net, &Parameters::default(), &mut facts));
        facts
    }

    #[test]
    fn halves_between_casts() {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "8"]);
        let x = t.cast(&x, 10);
        let w = t.raw(DataType::F16, &[8, 4], &[0; 64]);
        let y = t.op("MatMul", &[&x, &w]);
        let y = t.cast(&y, 1);
        let found = facts(t, &y);
        assert_eq!(found.precision.as_deref(), Some("fp16"));
        assert_eq!((found.convs, found.depthwise), (None, None));
    }

    #[test]
    fn convolutions_are_counted() {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "8", "4", "4"]);
        let w = t.weight(&[8, 1, 3, 3]);
        let y = t.op_with("Conv", &[&x, &w], &[Attribute::int("group", 8)]);
        let w = t.weight(&[4, 8, 1, 1]);
        let y = t.op("Conv", &[&y, &w]);
        let found = facts(t, &y);
        assert_eq!((found.convs, found.depthwise), (Some(2), Some(1)));
        assert_eq!(found.precision.as_deref(), Some("fp32"));
    }

    #[test]
    fn without_weights_there_is_no_type() {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "8"]);
        let y = t.op("Relu", &[&x]);
        assert_eq!(facts(t, &y).precision, None);
    }
}
