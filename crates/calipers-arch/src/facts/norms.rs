//! Norms and activations.

use std::collections::BTreeMap;

use calipers_ops::Activation as OperatorActivation;
use calipers_report::{Activation, ArchitectureFacts, NormKind};
use hashbrown::HashSet;

use crate::network::{
    BlockKind, BlockProperties as _, FeedForwardActivation, Network, NetworkOp, Op, Val,
};

/// Norms that are layers, and their names in the report.
const NORMS: &[(BlockKind, NormKind)] = &[
    (BlockKind::BatchNorm, NormKind::BatchNorm),
    (BlockKind::GroupNorm, NormKind::GroupNorm),
    (BlockKind::InstanceNorm, NormKind::InstanceNorm),
    (BlockKind::Lrn, NormKind::Lrn),
    (BlockKind::LayerNorm, NormKind::LayerNorm),
    (BlockKind::RmsNorm, NormKind::RmsNorm),
];

/// Operators that are as often a gate or an output. They count right between two layers only.
const PERHAPS: &[&str] = &["Sigmoid", "Softplus", "Tanh"];

pub(super) fn fill(net: &Network<'_>, facts: &mut ArchitectureFacts) {
    for (kind, name) in NORMS {
        let count = net.count(*kind);
        if count > 0 {
            facts.norm.insert(*name, count);
        }
    }
    facts.activation = activation(net);
    facts.silu = Some(silus(net)).filter(|count| *count > 0);
    facts.batchnorm_folded = is_norm_folded(net).then_some(true);
}

/// The activation between layers that is used most. Where there are feed-forward layers it is
/// theirs, since they know a gate when they see one; two that are used alike are not distinguished.
fn activation(net: &Network<'_>) -> Option<Activation> {
    let mut counts: BTreeMap<Activation, u64> = BTreeMap::new();
    for layers in net.all().filter_map(|unit| unit.feed_forward()) {
        if let Ok(activation) = layers.activation.id().parse() {
            *counts.entry(activation).or_default() += 1;
        }
    }
    if counts.is_empty() {
        let between = Between::find(net);
        for unit in activations(net) {
            if let Some(activation) = activation_of(unit).and_then(|it| it.id().parse().ok())
                && (!unit.is(PERHAPS) || between.layers(unit))
            {
                *counts.entry(activation).or_default() += 1;
            }
        }
    }
    let most = *counts.values().max()?;
    let mut names = counts.iter().filter(|(_, count)| **count == most).map(|(name, _)| *name);
    let name = names.next()?;
    names.next().is_none().then_some(name)
}

/// The activation of a unit that may be between layers.
fn activation_of(unit: &NetworkOp) -> Option<OperatorActivation> {
    match unit.block() {
        Some(kind) => kind.activation().filter(|activation| !activation.is_gate()),
        None if unit.is(PERHAPS) => unit.traits()?.activation(),
        None => None,
    }
}

/// Every activation, without those that another is made of.
fn activations<'n>(net: &'n Network<'_>) -> impl Iterator<Item = &'n NetworkOp> {
    let mut stack: Vec<&NetworkOp> = net.units().map(|(_, unit)| unit).collect();
    std::iter::from_fn(move || {
        loop {
            let unit = stack.pop()?;
            if activation_of(unit).is_some() {
                return Some(unit);
            }
            stack.extend(&unit.parts);
        }
    })
}

/// SiLUs but for those that are half of a gated feed-forward layer.
fn silus(net: &Network<'_>) -> i64 {
    let mut count = 0;
    let mut stack: Vec<&NetworkOp> = net.units().map(|(_, unit)| unit).collect();
    while let Some(unit) = stack.pop() {
        if unit.is(BlockKind::Silu) {
            count += 1;
        } else if unit.feed_forward().is_none_or(|layers| {
            layers.activation != FeedForwardActivation::Gated(OperatorActivation::Silu)
        }) {
            stack.extend(&unit.parts);
        }
    }
    count
}

/// What layers give and take, whatever blocks they are in.
struct Between {
    given: HashSet<Val>,
    taken: HashSet<Val>,
}

impl Between {
    fn find(net: &Network<'_>) -> Self {
        let (mut given, mut taken) = (HashSet::new(), HashSet::new());
        for unit in net.all() {
            if unit.is(BlockKind::WEIGHTED) {
                given.extend(&unit.outputs);
                taken.extend(unit.input(0));
            } else if NORMS.iter().any(|(kind, _)| unit.is(kind)) {
                given.extend(&unit.outputs);
            }
        }
        Self { given, taken }
    }

    /// Whether an activation has a layer right before and right behind it.
    fn layers(&self, unit: &NetworkOp) -> bool {
        unit.input(0).is_some_and(|input| self.given.contains(&input))
            && unit.outputs.iter().any(|output| self.taken.contains(output))
    }
}

/// Fewer convolutions than this may do without norms.
const MIN_DEEP: i64 = 16;

/// Fewer steps down than this are not backbone: networks that keep the size of an image, as those
/// that sharpen it, and small ones that play games, are built without norms on purpose.
const MIN_STEPS_DOWN: i64 = 4;

/// Branches that are joined by concatenation make it only in networks that are deeper still.
const MIN_VERY_DEEP: i64 = 64;

/// Joins or depthwise convolutions that make the case.
const MIN_SIGNS: i64 = 4;

/// Whether batch norms were folded into the convolutions. What speaks for it: no norm at all, yet
/// many convolutions that nearly all have a bias, in a network that goes down in size several times
/// and joins paths by addition or works channel by channel, or joins branches and is very deep. Such networks do not train without
/// norms. A plain chain with biases, as VGG is, says nothing: it may have had norms or not.
pub fn is_norm_folded(net: &Network<'_>) -> bool {
    if NORMS.iter().any(|(kind, _)| net.count(*kind) > 0) {
        return false;
    }
    let (mut convs, mut biased, mut depthwise, mut down, mut linears) = (0, 0, 0, 0, 0);
    let (mut joins, mut scaled_joins, mut branches) = (0, 0, 0);
    let scaled: HashSet<Val> =
        net.all().filter(|unit| scales(net, unit)).map(NetworkOp::output).collect();
    for unit in net.all() {
        if let Some(conv) = unit.convolution() {
            convs += 1;
            biased += i64::from(conv.bias);
            depthwise += i64::from(conv.is_depthwise());
            down += i64::from(conv.stride > 1 && !conv.transposed);
        }
        match unit.op {
            Op::Block(BlockKind::Linear) => linears += 1,
            Op::Operator("Concat") => branches += i64::from(net.data_inputs(unit).count() > 2),
            Op::Operator("Add") if joins_charts(net, unit) => {
                joins += 1;
                let by_number = unit.inputs.iter().flatten().any(|input| scaled.contains(input));
                scaled_joins += i64::from(by_number);
            }
            _ if unit.has_trait(|traits| traits.pool().is_some()) => {
                let strides = net.ints(unit, "strides").unwrap_or_default();
                down += i64::from(strides.iter().any(|stride| *stride > 1));
            }
            _ => {}
        }
    }
    // Paths that are scaled by a number before they join are how deep networks do without norms.
    convs >= MIN_DEEP
        && convs > linears
        && biased * 20 >= convs * 19
        && down >= MIN_STEPS_DOWN
        && (joins >= MIN_SIGNS
            || depthwise >= MIN_SIGNS
            || branches >= MIN_SIGNS && convs >= MIN_VERY_DEEP)
        && scaled_joins * 2 <= joins
}

/// Whether a unit multiplies data by one number.
fn scales(net: &Network<'_>, unit: &NetworkOp) -> bool {
    unit.is("Mul")
        && net.data_and_constant(unit).is_some_and(|(_, number)| net.elements(number) == Some(1))
}

/// Whether a unit adds two feature maps.
fn joins_charts(net: &Network<'_>, unit: &NetworkOp) -> bool {
    net.data_pair(unit).is_some_and(|(a, b)| {
        net.rank(a).is_some_and(|rank| rank > 2)
            && net.same_shape(a, b)
            && net.dim(a, 1).is_some_and(|channels| channels > 1)
    })
}

#[cfg(test)]
mod tests {
    use calipers_report::{Activation, ArchitectureFacts};
    use calipers_samples::Attribute;

    use crate::blocks::testing::{Inspect as _, Tiny};

    fn facts(tiny: Tiny, output: &str) -> ArchitectureFacts {
        let mut facts = ArchitectureFacts::default();
        tiny.output(output).inspect(|net| super::fill(net, &mut facts));
        facts
    }

    fn conv(t: &mut Tiny, x: &str, stride: i64) -> String {
        let (w, b) = (t.weight(&[8, 8, 3, 3]), t.weight(&[8]));
        let same = Attribute::ints("pads", &[1, 1, 1, 1]);
        t.op_with("Conv", &[x, &w, &b], &[Attribute::ints("strides", &[stride; 2]), same])
    }

    /// Blocks of two convolutions, each joined with its input or not.
    fn network(blocks: i64, steps_down: i64, joined: bool, scale: bool) -> Option<bool> {
        let mut t = Tiny::new();
        let mut x = t.input(&["1", "8", "64", "64"]);
        for block in 0..blocks {
            if block < steps_down {
                x = conv(&mut t, &x, 2);
            }
            let y = conv(&mut t, &x, 1);
            let y = t.op("Relu", &[&y]);
            let mut y = conv(&mut t, &y, 1);
            if scale {
                y = t.with("Mul", &y, 0.1);
            }
            if joined {
                y = t.op("Add", &[&y, &x]);
            }
            x = t.op("Relu", &[&y]);
        }
        facts(t, &x).batchnorm_folded
    }

    #[test]
    fn folded_norms_are_inferred_from_deep_residual_networks() {
        assert_eq!(network(8, 5, true, false), Some(true));
        // A chain, as VGG is.
        assert_eq!(network(8, 5, false, false), None);
        // One that keeps the size of an image.
        assert_eq!(network(12, 0, true, false), None);
        // A small one.
        assert_eq!(network(4, 4, true, false), None);
        // One whose paths are scaled, to train without norms.
        assert_eq!(network(8, 5, true, true), None);
    }

    #[test]
    fn the_activation_is_the_commonest_between_layers() {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "8"]);
        let w = t.weight(&[8, 8]);
        let y = t.op("MatMul", &[&x, &w]);
        let y = t.op("Tanh", &[&y]);
        let y = t.op("MatMul", &[&y, &w]);
        let y = t.op("Sigmoid", &[&y]);
        let found = facts(t, &y);
        // The sigmoid is the output's, not a layer's.
        assert_eq!(found.activation, Some(Activation::Tanh));
        assert_eq!(found.silu, None);
    }

    #[test]
    fn every_activation_of_an_operator_has_its_place_in_the_report() {
        for activation in calipers_ops::Activation::ALL {
            assert_eq!(activation.id().parse::<Activation>().unwrap().id(), activation.id());
            assert!(activation.gated_id().parse::<Activation>().is_ok(), "{activation:?}");
        }
    }

    #[test]
    fn a_tie_is_not_decided() {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "8"]);
        let y = t.op("Relu", &[&x]);
        let y = t.op("Elu", &[&y]);
        assert_eq!(facts(t, &y).activation, None);
    }

    /// Modules of three joined branches, with downsampling steps between them.
    fn branches(modules: usize) -> Option<bool> {
        let mut t = Tiny::new();
        let mut x = t.input(&["1", "8", "64", "64"]);
        for module in 0..modules {
            if module < 5 {
                x = conv(&mut t, &x, 2);
            }
            let parts = [0; 3].map(|_| {
                let y = conv(&mut t, &x, 1);
                t.op("Relu", &[&y])
            });
            let joined = [parts[0].as_str(), &parts[1], &parts[2]];
            let y = t.op_with("Concat", &joined, &[Attribute::int("axis", 1)]);
            let (w, b) = (t.weight(&[8, 24, 1, 1]), t.weight(&[8]));
            x = t.op("Conv", &[&y, &w, &b]);
        }
        facts(t, &x).batchnorm_folded
    }

    #[test]
    fn branches_decide_in_very_deep_networks() {
        assert_eq!(branches(16), Some(true));
        assert_eq!(branches(9), None);
    }
}
