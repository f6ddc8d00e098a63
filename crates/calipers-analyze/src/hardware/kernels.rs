//! What a framework launches when it runs the network.
//!
//! A kernel is one launch: a product with its bias, a convolution, a norm, an attention, an
//! activation, an element-wise step. They come from the recognised network, so a norm that a file
//! writes as nine nodes is one kernel, a cast or a view is none, and what is computed from shapes
//! alone does not run at all.
//!
//! Sizes are expressions in the free dimensions, so kernels are found once and evaluated at every
//! batch.

use calipers_ir::NodeId;
use calipers_ops::product;
use calipers_sym::Expr;
use hashbrown::HashSet;

use crate::net::{Net, Unit, Val};

/// What kind of work a kernel does, as far as its speed goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum KernelKind {
    Attention,
    BatchNorm,
    /// A convolution over space.
    Conv,
    /// A copy in another order.
    Copy,
    /// A convolution of each channel by itself.
    Depthwise,
    Elementwise,
    Gather,
    /// A matrix product.
    Gemm,
    /// A convolution of groups of channels.
    Grouped,
    LayerNorm,
    /// A convolution of single points: a matrix product in another layout.
    Pointwise,
    Pool,
    Recurrent,
    Reduce,
    Softmax,
    /// A convolution of so few channels that tensor cores stay empty.
    Stem,
    /// Anything else that runs.
    Other,
}

/// One launch.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) kind: KernelKind,
    /// The node it comes from; of several, the last.
    pub(crate) node: NodeId,
    pub(crate) macs: Expr,
    pub(crate) other_flops: Expr,
    /// Elements of activations that are read and written.
    pub(crate) activations: Expr,
    /// Elements of weights that are read.
    pub(crate) weights: Expr,
    /// Products that are added up for one result.
    pub(crate) depth: Expr,
    /// Results that can be worked on side by side.
    pub(crate) results: Expr,
    /// Whether it computes on, or holds its weights as, few bits.
    pub(crate) quantized: bool,
}

/// Operators that only say how data lies, and so do not run.
const FREE: &[&str] = &["Expand", "Flatten", "Reshape", "Slice", "Split", "Squeeze", "Unsqueeze"];

/// Kinds that are one kernel each whatever they are made of.
fn whole(kind: &str) -> Option<KernelKind> {
    Some(match kind {
        "BatchNorm" | "InstanceNorm" | "GroupNorm" | "LRN" => KernelKind::BatchNorm,
        "LayerNorm" | "RMSNorm" | "L2Norm" => KernelKind::LayerNorm,
        "CELU" | "ELU" | "GELU" | "HardSigmoid" | "HardSwish" | "LeakyReLU" | "Mish" | "PReLU"
        | "ReLU" | "ReLU6" | "SELU" | "SiLU" | "Sigmoid" | "Softplus" | "Tanh" | "ResidualAdd"
        | "Add" | "Rotary" => KernelKind::Elementwise,
        "Softmax" | "LogSoftmax" => KernelKind::Softmax,
        "AveragePool" | "GlobalAveragePool" | "GlobalMaxPool" | "MaxPool" => KernelKind::Pool,
        "ReduceMax" | "ReduceMean" | "ReduceMin" | "ReduceSum" | "ArgMax" | "TopK" => {
            KernelKind::Reduce
        }
        "Concat" | "DepthToSpace" | "Pad" | "SpaceToDepth" | "Transpose" => KernelKind::Copy,
        "Gather" | "GatherElements" | "GatherND" | "ScatterND" => KernelKind::Gather,
        "GRU" | "LSTM" | "RNN" => KernelKind::Recurrent,
        _ => return None,
    })
}

/// The kernels of a network, in order of execution.
pub(crate) fn find(net: &Net<'_>) -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for (_, unit) in net.units() {
        add(net, unit, &mut kernels);
    }
    kernels
}

fn add(net: &Net<'_>, unit: &Unit, kernels: &mut Vec<Kernel>) {
    // Blocks nest a handful deep; a stack of our own keeps that no promise of the model's.
    let mut stack = vec![unit];
    while let Some(unit) = stack.pop() {
        match unit.op {
            op if FREE.contains(&op) => {}
            "Linear" | "MatMul" | "Gemm" | "Einsum" => kernels.push(gemm(net, unit)),
            "Convolution" | "Conv" | "ConvTranspose" => kernels.push(convolution(net, unit)),
            "Attention" => {
                let (own, core): (Vec<&Unit>, Vec<&Unit>) = unit.parts.iter().partition(|part| {
                    part.is_any(&["Linear", "Convolution", "LayerNorm", "RMSNorm", "Rotary"])
                });
                if is_one_kernel(net, &core) {
                    kernels.push(attention(net, unit, &core));
                    stack.extend(own.into_iter().rev());
                } else {
                    stack.extend(unit.parts.iter().rev());
                }
            }
            // Only a curve that a framework has as one operator is one kernel; the approximation by
            // a hyperbolic tangent is mostly written out in the model's own code.
            "GELU" if unit.word("form") == Some("tanh") => stack.extend(unit.parts.iter().rev()),
            op => match whole(op) {
                Some(kind) => kernels.push(plain(net, unit, kind)),
                None if unit.parts.is_empty() => {
                    kernels.push(plain(net, unit, KernelKind::Elementwise));
                }
                None => stack.extend(unit.parts.iter().rev()),
            },
        }
    }
}

fn gemm(net: &Net<'_>, unit: &Unit) -> Kernel {
    let mut kernel = plain(net, unit, KernelKind::Gemm);
    if let Some(depth) = unit.number("in").or_else(|| net.dim(unit.input(0)?, -1)) {
        kernel.depth = Expr::from(depth);
    }
    kernel
}

fn convolution(net: &Net<'_>, unit: &Unit) -> Kernel {
    let number = |name| unit.number(name).unwrap_or(1);
    let (groups, channels) = (number("groups"), number("in"));
    let kind = if unit.says("depthwise") {
        KernelKind::Depthwise
    } else if groups > 1 {
        KernelKind::Grouped
    } else if channels < 8 {
        KernelKind::Stem
    } else if unit.says("pointwise") {
        KernelKind::Pointwise
    } else {
        KernelKind::Conv
    };
    let mut kernel = plain(net, unit, kind);
    let rank = u32::try_from(unit.number("rank").unwrap_or(2)).unwrap_or(2).min(3);
    kernel.depth = Expr::from(channels / groups.max(1)) * Expr::from(number("kernel")).pow(rank);
    kernel
}

/// Whether the framework ran an attention as one kernel. PyTorch writes its fused attention with
/// queries and keys each multiplied by the root of the scale; code that attends step by step scales
/// one of them, or the scores.
fn is_one_kernel(net: &Net<'_>, core: &[&Unit]) -> bool {
    let products = core.iter().filter(|unit| unit.is_any(&["MatMul", "Einsum"])).count();
    let scaled = core
        .iter()
        .filter(|unit| unit.is_any(&["Mul", "Div"]) && net.data_and_constant(unit).is_some());
    products < 2 || scaled.count() >= 2
}

fn attention(net: &Net<'_>, unit: &Unit, core: &[&Unit]) -> Kernel {
    let mut kernel = plain(net, unit, KernelKind::Attention);
    let (macs, other_flops) = work(net, core.iter().flat_map(|unit| unit.walk()));
    (kernel.macs, kernel.other_flops) = (macs, other_flops);
    // Queries, keys and values are read, and as much is written.
    kernel.activations = &kernel.results * 4;
    kernel.weights = Expr::ZERO;
    // Two products for every result and key.
    kernel.depth = kernel.macs.floor_div(&(&kernel.results * 2));
    kernel
}

/// A kernel that reads what the unit reads and writes what it gives.
fn plain(net: &Net<'_>, unit: &Unit, kind: KernelKind) -> Kernel {
    let (macs, other_flops) = work(net, unit.walk());
    let elements = |val: &Val| net.shape(*val).map_or(Expr::ZERO, product);
    let inputs = || unit.inputs.iter().flatten();
    let read: Expr = match kind {
        // Of a table, only the rows that are picked.
        KernelKind::Gather => unit.outputs.iter().map(elements).sum(),
        _ => inputs().filter(|val| net.is_data(**val)).map(elements).sum(),
    };
    let written: Expr = unit.outputs.iter().map(elements).sum();
    let weights = match kind {
        KernelKind::Gather => Expr::ZERO,
        _ => inputs().filter(|val| !net.is_data(**val)).map(elements).sum(),
    };
    Kernel {
        kind,
        node: unit.node,
        macs,
        other_flops,
        activations: read + &written,
        weights,
        depth: Expr::ONE,
        results: written,
        quantized: false,
    }
}

/// Arithmetic of units, each node once.
fn work<'a>(net: &Net<'_>, units: impl Iterator<Item = &'a Unit>) -> (Expr, Expr) {
    let mut seen = HashSet::new();
    let (mut macs, mut other) = (Expr::ZERO, Expr::ZERO);
    for unit in units.filter(|unit| unit.parts.is_empty()) {
        if seen.insert(unit.node)
            && let Some(Ok(cost)) = net.typed.cost(unit.node)
        {
            macs += &cost.macs;
            other += &cost.other_flops;
        }
    }
    (macs, other)
}
