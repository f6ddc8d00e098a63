//! What blocks of convolutions ask of a convolution, whatever was folded around it.

use crate::net::{Net, Unit, UnitId, Val};

/// Kinds and operators that are a convolution, perhaps with norm and activation.
pub(super) const CONVS: &[&str] = &["Conv", "ConvNormAct", "ConvTranspose", "Convolution"];

/// Activations that stand between layers, as kinds and as operators.
pub(super) const ACTIVATIONS: &[&str] = &[
    "CELU",
    "Celu",
    "Clip",
    "ELU",
    "Elu",
    "GELU",
    "Gelu",
    "HardSwish",
    "LeakyReLU",
    "LeakyRelu",
    "Mish",
    "PReLU",
    "PRelu",
    "ReLU",
    "ReLU6",
    "Relu",
    "SELU",
    "Selu",
    "SiLU",
    "Softplus",
    "Tanh",
];

/// Norms, as kinds and as operators.
pub(super) const NORMS: &[&str] = &[
    "BatchNorm",
    "BatchNormalization",
    "GroupNorm",
    "GroupNormalization",
    "InstanceNorm",
    "InstanceNormalization",
    "LRN",
    "LayerNorm",
    "LayerNormalization",
    "RMSNorm",
    "RMSNormalization",
];

/// Curves that end a gate: between nothing and all.
pub(super) const GATES: &[&str] = &["HardSigmoid", "Sigmoid"];

/// Pooling over windows.
pub(super) const POOLS: &[&str] = &["AveragePool", "LpPool", "MaxPool"];

/// A convolution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conv {
    pub(super) inputs: i64,
    pub(super) outputs: i64,
    /// The longest side of the kernel.
    pub(super) kernel: i64,
    pub(super) stride: i64,
    pub(super) dilation: i64,
    pub(super) groups: i64,
    pub(super) transposed: bool,
    /// Whether an activation was folded behind it.
    pub(super) activated: bool,
}

impl Conv {
    /// Whether it looks at one place only, and at all channels.
    pub(super) fn pointwise(&self) -> bool {
        self.kernel == 1 && self.groups == 1 && !self.transposed
    }

    /// Whether it looks at each channel by itself.
    pub(super) fn depthwise(&self) -> bool {
        self.groups > 1 && self.groups == self.inputs && !self.transposed
    }

    /// Whether it looks at a neighbourhood.
    pub(super) fn spatial(&self) -> bool {
        self.kernel > 1 && !self.transposed
    }
}

/// The convolution that a unit is.
pub(super) fn conv(net: &Net<'_>, id: UnitId) -> Option<Conv> {
    let unit = net.unit(id);
    if !unit.is_any(CONVS) {
        return None;
    }
    let leaf = unit.walk().find(|part| part.is_any(&["Conv", "ConvTranspose"]))?;
    let shape = net.shape(leaf.input(1)?)?;
    let (first, second) = (shape.first()?.as_const()?, shape.get(1)?.as_const()?);
    let kernel = shape.get(2..)?.iter().map(|side| side.as_const().unwrap_or(1)).max()?;
    let groups = net.int(leaf, "group").unwrap_or(1);
    let most = |name| net.ints(leaf, name).and_then(|list| list.iter().copied().max()).unwrap_or(1);
    let transposed = leaf.is("ConvTranspose");
    let (inputs, outputs) = if transposed {
        (first, second.checked_mul(groups)?)
    } else {
        (second.checked_mul(groups)?, first)
    };
    let (stride, dilation) = (most("strides"), most("dilations"));
    let activated = unit.is("ConvNormAct") && unit.word("activation").is_some();
    Some(Conv { inputs, outputs, kernel, stride, dilation, groups, transposed, activated })
}

/// The convolution that gives a value, with its unit.
pub(super) fn conv_of(net: &Net<'_>, val: Val) -> Option<(UnitId, Conv)> {
    let unit = net.producer(val)?;
    conv(net, unit).map(|conv| (unit, conv))
}

/// The convolutions on a way, when there is nothing beside them but norms, activations, and what
/// scales channels.
pub(super) fn convs_among(net: &Net<'_>, way: &[UnitId]) -> Option<Vec<Conv>> {
    let mut convs = Vec::new();
    for id in way {
        let unit = net.unit(*id);
        match conv(net, *id) {
            Some(conv) => convs.push(conv),
            None if unit.is_any(ACTIVATIONS) || unit.is_any(NORMS) => {}
            None if unit.is("SqueezeExcite") || scales(net, unit) => {}
            None => return None,
        }
    }
    Some(convs)
}

/// Whether a unit multiplies by a constant, or adds one.
pub(super) fn scales(net: &Net<'_>, unit: &Unit) -> bool {
    unit.is_any(&["Add", "Div", "Mul"]) && net.data_and_constant(unit).is_some()
}

/// The activation that alone reads a value.
pub(super) fn activation_after(net: &Net<'_>, val: Val) -> Option<UnitId> {
    net.only_use(val).filter(|unit| net.unit(*unit).is_any(ACTIVATIONS))
}

/// The pointwise convolution that alone reads a value.
pub(super) fn pointwise_after(net: &Net<'_>, val: Val) -> Option<UnitId> {
    net.only_use(val).filter(|unit| conv(net, *unit).is_some_and(|conv| conv.pointwise()))
}

/// The axis that channels lie on, of a `Concat` that joins along it: the second, or the last of
/// networks that keep channels there.
pub(super) fn joins_channels(net: &Net<'_>, unit: &Unit) -> bool {
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
            users.any(|user| user.is_any(CONVS) || user.is_any(NORMS))
        }
        _ => axis == 1 || axis == rank - 1,
    }
}

/// The spatial sizes of a value that is images: the product of all but the first two dimensions.
pub(super) fn area(net: &Net<'_>, val: Val) -> Option<i64> {
    let shape = net.shape(val)?;
    if shape.len() < 3 {
        return None;
    }
    shape.iter().skip(2).try_fold(1_i64, |area, side| area.checked_mul(side.as_const()?))
}

/// Values on a way back, each with the unit that was stepped over to reach it.
pub(super) type Chain = Vec<(Val, Option<UnitId>)>;

/// Back from a value through convolutions, pooling, norms, activations and blocks of them, along
/// the one input that is data. Gives each value on the way, the first one first.
pub(super) fn chain(net: &Net<'_>, val: Val, also: &[&str]) -> Chain {
    let mut at = val;
    let mut values = vec![(val, None)];
    while values.len() < MAX_CHAIN
        && let Some(id) = net.producer(at)
    {
        let unit = net.unit(id);
        let known = unit.is_any(CONVS)
            || unit.is_any(ACTIVATIONS)
            || unit.is_any(NORMS)
            || unit.is_any(BLOCKS)
            || unit.is_any(also)
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
pub(super) fn meeting(chains: &[Chain]) -> Option<(Val, Vec<UnitId>)> {
    let (first, others) = chains.split_first()?;
    let met = first
        .iter()
        .map(|(val, _)| *val)
        .find(|val| others.iter().all(|chain| chain.iter().any(|(other, _)| other == val)))?;
    let mut units: Vec<UnitId> = chains
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
const BLOCKS: &[&str] = &[
    "BasicBlock",
    "Bottleneck",
    "CSP",
    "DepthwiseSeparable",
    "Fire",
    "InvertedResidual",
    "SqueezeExcite",
];

/// Steps that a chain is followed back.
const MAX_CHAIN: usize = 48;

/// Branches that a block joins at most.
pub(super) const MAX_BRANCHES: usize = 32;

/// Convolutions for the tests of blocks.
#[cfg(test)]
pub(super) mod sketch {
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
