//! What blocks of convolutions ask of a convolution, whatever was folded around it.

use calipers_ops::Traits;

use crate::network::{
    BlockKind, Convolution, NORMS as LAYER_NORMS, Network, NetworkOp, OpId, OpSet, Ops, Val, With,
};

/// Kinds and operators that are a convolution, perhaps with norm and activation.
pub(super) const CONVS: Ops = Ops {
    blocks: &[BlockKind::ConvNormAct, BlockKind::Convolution],
    operators: &["Conv", "ConvTranspose"],
};

/// Activations between layers, as kinds and as operators.
pub(super) const ACTIVATIONS: (&[BlockKind], (With, &str)) = (
    BlockKind::ACTIVATIONS,
    (With(|traits| traits.activation().is_some() && !is_gate(traits)), "Clip"),
);

/// Norms, as kinds and as operators.
pub(super) const NORMS: ((&[BlockKind], With), BlockKind) = (LAYER_NORMS, BlockKind::Lrn);

/// Unaries that end a gate: between nothing and all.
pub(super) const GATES: (BlockKind, With) = (BlockKind::HardSigmoid, With(is_gate));

fn is_gate(traits: &Traits) -> bool {
    traits.activation().is_some_and(|activation| activation.is_gate())
}

/// Pooling over windows.
pub(super) const POOLS: With = With::WINDOW_POOLS;

/// The convolution that a unit is, perhaps with norm and activation, when its channels and its
/// kernel are known.
pub(super) fn conv<'n>(net: &'n Network<'_>, id: OpId) -> Option<&'n Convolution> {
    let convolution = net.unit(id).folded_convolution()?;
    convolution.in_channels.and(convolution.out_channels).and(convolution.side())?;
    Some(convolution)
}

/// Whether an activation was folded behind a convolution.
pub(super) fn is_activated(net: &Network<'_>, id: OpId) -> bool {
    net.unit(id).conv_norm_act().is_some_and(|folded| folded.activation.is_some())
}

/// The convolution that gives a value, with its unit.
pub(super) fn conv_of<'n>(net: &'n Network<'_>, val: Val) -> Option<(OpId, &'n Convolution)> {
    let unit = net.producer(val)?;
    conv(net, unit).map(|conv| (unit, conv))
}

/// The convolutions on a way, when there is nothing next to them but norms, activations, and what
/// scales channels.
pub(super) fn convs_among<'n>(net: &'n Network<'_>, way: &[OpId]) -> Option<Vec<&'n Convolution>> {
    let mut convs = Vec::new();
    for id in way {
        let unit = net.unit(*id);
        match conv(net, *id) {
            Some(conv) => convs.push(conv),
            None if unit.is(ACTIVATIONS) || unit.is(NORMS) => {}
            None if unit.is(BlockKind::SqueezeExcite) || scales(net, unit) => {}
            None => return None,
        }
    }
    Some(convs)
}

/// Whether a unit multiplies by a constant, or adds one.
pub(super) fn scales(net: &Network<'_>, unit: &NetworkOp) -> bool {
    unit.is(["Add", "Div", "Mul"]) && net.data_and_constant(unit).is_some()
}

/// The activation that alone reads a value.
pub(super) fn activation_after(net: &Network<'_>, val: Val) -> Option<OpId> {
    net.only_use(val).filter(|unit| net.unit(*unit).is(ACTIVATIONS))
}

/// The pointwise convolution that alone reads a value.
pub(super) fn pointwise_after(net: &Network<'_>, val: Val) -> Option<OpId> {
    net.only_use(val).filter(|unit| conv(net, *unit).is_some_and(|conv| conv.is_pointwise()))
}

/// The axis that channels lie on, of a `Concat` that joins along it: the second, or the last of
/// networks that keep channels there.
pub(super) fn joins_channels(net: &Network<'_>, unit: &NetworkOp) -> bool {
    let (Some(axis), Some(rank)) = (net.int(unit, "axis"), net.rank(unit.output())) else {
        return false;
    };
    let Ok(rank) = i64::try_from(rank) else { return false };
    let axis = if axis < 0 { axis + rank } else { axis };
    match rank {
        0 | 1 => false,
        // Tokens lie on the second of three axes, except before a convolution.
        3 if axis == 1 => {
            let output = unit.output();
            let mut users = net.uses(output).map(|user| net.unit(user));
            users.any(|user| user.is(CONVS) || user.is(NORMS))
        }
        _ => axis == 1 || axis == rank - 1,
    }
}

/// The spatial sizes of a value that is images: the product of all but the first two dimensions.
pub(super) fn area(net: &Network<'_>, val: Val) -> Option<i64> {
    let shape = net.shape(val)?;
    if shape.len() < 3 {
        return None;
    }
    shape.iter().skip(2).try_fold(1_i64, |area, side| area.checked_mul(side.as_const()?))
}

/// Values on a way back, each with the unit that was stepped over to reach it.
pub(super) type Chain = Vec<(Val, Option<OpId>)>;

/// Back from a value through convolutions, pooling, norms, activations and blocks of them, along
/// the one input that is data. Gives each value on the way, the first one first.
pub(super) fn chain(net: &Network<'_>, val: Val, also: impl OpSet) -> Chain {
    let mut at = val;
    let mut values = vec![(val, None)];
    while values.len() < MAX_CHAIN
        && let Some(id) = net.producer(at)
    {
        let unit = net.unit(id);
        let known = unit.is(CONVS)
            || unit.is(ACTIVATIONS)
            || unit.is(NORMS)
            || unit.is(BLOCKS)
            || unit.is(&also)
            || scales(net, unit);
        let mut inputs = net.data_inputs(unit);
        let (Some(input), None) = (inputs.next(), inputs.next()) else { break };
        if !known {
            break;
        }
        values.push((input, Some(id)));
        at = input;
    }
    values
}

/// The first value that all these chains come through, and the units of the chains behind it.
pub(super) fn meeting(chains: &[Chain]) -> Option<(Val, Vec<OpId>)> {
    let (first, others) = chains.split_first()?;
    let met = first
        .iter()
        .map(|(val, _)| *val)
        .find(|val| others.iter().all(|chain| chain.iter().any(|(other, _)| other == val)))?;
    let mut units: Vec<OpId> = chains
        .iter()
        .flat_map(|chain| {
            let end = chain.iter().position(|(val, _)| *val == met).unwrap_or(0);
            chain.iter().take(end + 1).filter_map(|(_, unit)| *unit)
        })
        .collect();
    units.sort_unstable();
    units.dedup();
    Some((met, units))
}

/// Blocks that have one input and keep the resolution, or shrink it.
const BLOCKS: &[BlockKind] = &[
    BlockKind::BasicBlock,
    BlockKind::Bottleneck,
    BlockKind::Csp,
    BlockKind::DepthwiseSeparable,
    BlockKind::Fire,
    BlockKind::InvertedResidual,
    BlockKind::SqueezeExcite,
];

/// Steps that a chain is followed back.
const MAX_CHAIN: usize = 48;

/// Branches that a block joins at most.
pub(super) const MAX_BRANCHES: usize = 32;

/// Convolutions for the tests of blocks.
#[cfg(test)]
pub(crate) mod sketch {
    use calipers_samples::Attribute;

    use super::super::testing::Tiny;

    /// A convolution, as the tests write it.
    #[derive(Clone, Copy)]
    pub(crate) struct Shape {
        pub inputs: i64,
        pub outputs: i64,
        pub kernel: i64,
        pub stride: i64,
        pub groups: i64,
    }

    /// From some channels to others, with a square kernel.
    pub(crate) fn shape(inputs: i64, outputs: i64, kernel: i64) -> Shape {
        Shape { inputs, outputs, kernel, stride: 1, groups: 1 }
    }

    impl Shape {
        pub(crate) fn stride(self, stride: i64) -> Self {
            Self { stride, ..self }
        }

        pub(crate) fn groups(self, groups: i64) -> Self {
            Self { groups, ..self }
        }
    }

    pub(crate) fn conv(t: &mut Tiny, x: &str, shape: Shape) -> String {
        let Shape { inputs, outputs, kernel, stride, groups } = shape;
        let weight = t.weight(&[outputs, inputs / groups, kernel, kernel]);
        let bias = t.weight(&[outputs]);
        let with = [
            Attribute::ints("kernel_shape", &[kernel; 2]),
            Attribute::ints("pads", &[kernel / 2; 4]),
            Attribute::ints("strides", &[stride; 2]),
            Attribute::int("group", groups),
        ];
        t.op_with("Conv", &[x, &weight, &bias], &with)
    }

    pub(crate) fn conv_relu(t: &mut Tiny, x: &str, shape: Shape) -> String {
        let y = conv(t, x, shape);
        t.op("Relu", &[&y])
    }

    pub(crate) fn concat(t: &mut Tiny, parts: &[&str], axis: i64) -> String {
        t.op_with("Concat", parts, &[Attribute::int("axis", axis)])
    }

    /// Twice as high and wide.
    pub(crate) fn larger(t: &mut Tiny, x: &str) -> String {
        let none = "";
        let scales = t.floats(&[1.0, 1.0, 2.0, 2.0]);
        t.op_with("Resize", &[x, none, &scales], &[Attribute::string("mode", "nearest")])
    }

    pub(crate) fn pool(t: &mut Tiny, x: &str, kernel: i64, stride: i64) -> String {
        let pads = [(kernel - stride + 1) / 2; 4];
        let with = [
            Attribute::ints("kernel_shape", &[kernel; 2]),
            Attribute::ints("pads", &pads),
            Attribute::ints("strides", &[stride; 2]),
        ];
        t.op_with("MaxPool", &[x], &with)
    }

    pub(crate) fn linear(t: &mut Tiny, x: &str, inputs: i64, outputs: i64) -> String {
        let (weight, bias) = (t.weight(&[inputs, outputs]), t.weight(&[outputs]));
        let y = t.op("MatMul", &[x, &weight]);
        t.op("Add", &[&y, &bias])
    }
}
