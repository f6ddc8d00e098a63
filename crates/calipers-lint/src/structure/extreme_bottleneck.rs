//! A very narrow layer that all data passes through.

use calipers_arch::network::{BlockKind, Network, NetworkOp, Val};
use calipers_report::Severity;
use calipers_report::units;
use hashbrown::HashMap;

use super::super::{Evidence, Hit, Rule};
use super::layers::{Layers, weighted, widths};

/// Ratio of the width before and after the layer to its own.
const FACTOR: i64 = 64;

/// Operations between the narrow layer and the next one: a norm, an activation, a view.
const MAX_STEPS: usize = 4;

pub(crate) const RULE: Rule = Rule {
    id: "extreme-bottleneck",
    severity: Severity::Info,
    group: "structure",
    title: "Extreme bottleneck layer",
    checks: "A dense layer or convolution with 64 times fewer output than input channels, followed \
             by a layer that expands them 64 times again, without a path around the two.",
    why: "Information that does not fit the narrow layer is lost for all later layers. In an \
          autoencoder that is the purpose; elsewhere it is often a configuration error.",
    example: "A classifier whose features go from 2,048 channels to 16 and back to 1,024.",
    recommendation: "Check the width of this layer in the model definition; no action is needed if \
                     the model compresses on purpose.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let net = evidence.net;
    if weighted(net) < 2 {
        return None;
    }
    let layers = Layers::from_network(net);
    // The number of live values after each layer: with one, all data passes through it.
    let mut last: HashMap<Val, usize> = HashMap::new();
    for (at, unit) in layers.units.iter().enumerate() {
        last.extend(net.data_inputs(unit).map(|input| (input, at)));
    }
    let mut closing = vec![0_usize; layers.units.len()];
    last.values().for_each(|at| closing[*at] += 1);
    let mut open = net.inputs.iter().filter(|input| last.contains_key(*input)).count();
    let mut narrow = Vec::new();
    for (at, unit) in layers.units.iter().enumerate() {
        open += unit.outputs.iter().filter(|output| last.contains_key(*output)).count();
        open = open.saturating_sub(closing[at]);
        if open == 1 && unit.is(BlockKind::WEIGHTED) && is_narrow(net, &layers, unit).is_some() {
            narrow.push(unit);
        }
    }
    let first = narrow.first()?;
    let next = is_narrow(net, &layers, first)?;
    let (wide, out) = widths(first)?;
    let label = net.model.node_label(first.node);
    let detail = format!(
        "{label:?} reduces {} channels to {}, and {:?} expands them to {}",
        units::signed(wide),
        units::signed(out),
        net.model.node_label(next.node),
        units::signed(widths(next)?.1)
    );
    Some(Hit::new(detail, narrow.iter().map(|unit| net.model.node_label(unit.node))))
}

/// Returns the layer that expands the output of this one again.
fn is_narrow<'n>(
    net: &Network<'_>,
    layers: &Layers<'n>,
    unit: &NetworkOp,
) -> Option<&'n NetworkOp> {
    let (wide, out) = widths(unit)?;
    if out < 1 || wide / out < FACTOR {
        return None;
    }
    let mut val = unit.output();
    for _ in 0..MAX_STEPS {
        let next = layers.units[layers.only_reader(net, val)?];
        if next.is(BlockKind::WEIGHTED) {
            let (again, wider) = widths(next)?;
            return (again == out && wider / out >= FACTOR).then_some(next);
        }
        val = *next.outputs.first()?;
    }
    None
}

#[cfg(test)]
mod tests {
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised;

    fn network(middle: i64, around: bool) -> Vec<u8> {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "256"]);
        let w = t.weight(&[256, middle]);
        let y = t.op("MatMul", &[&x, &w]);
        let y = t.op("Relu", &[&y]);
        let w = t.weight(&[middle, 256]);
        let mut y = t.op("MatMul", &[&y, &w]);
        if around {
            y = t.op("Mul", &[&y, &x]);
        }
        t.build(&y)
    }

    #[test]
    fn a_place_too_narrow_is_reported() {
        let reported = raised(&RULE, network(4, false)).unwrap();
        assert!(reported.detail.contains("reduces 256 channels to 4"), "{}", reported.detail);
    }

    #[test]
    fn a_wider_place_or_a_way_around_is_not() {
        assert_eq!(raised(&RULE, network(5, false)), None);
        // A gate, as in squeeze-and-excite.
        assert_eq!(raised(&RULE, network(4, true)), None);
    }
}
