//! Pairs of kernels that a runtime runs as one.
//!
//! Sources: ONNX Runtime, "Graph Optimizations" and `onnxruntime/core/optimizer`; TensorRT, "Layer
//! Fusion Catalog". A pair is fused only where nothing else reads the value between the two.

use std::collections::BTreeMap;

use calipers_arch::network::{BlockKind, Network, Op, Val};
use calipers_ops::Work;
use calipers_sym::Expr;
use hashbrown::{HashMap, HashSet};

use crate::kernels::{Kernel, KernelKind, Launches};

/// Two kernels that run as one.
pub(crate) struct Fusion {
    /// What is fused.
    name: &'static str,
    /// The kernel that computes the value between the two.
    first: fn(&Kernel) -> bool,
    /// The kernel that reads it.
    second: fn(&Kernel) -> bool,
    /// What must read the result of the second, where that matters.
    then: Option<fn(&Kernel) -> bool>,
    cost: FusedCost,
}

/// What the fused kernel costs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FusedCost {
    /// The second is part of the weights of the first: it costs nothing.
    Folded,
    /// The first applies the second to its results before it writes them.
    Epilogue,
    /// The second applies the first to what it reads.
    Prologue,
}

// ONNX Runtime: ConvBNFusion.
const CONV_BATCH_NORM: Fusion = Fusion {
    name: "Conv + BatchNorm",
    first: is_convolution,
    second: is_batch_norm,
    then: None,
    cost: FusedCost::Folded,
};

// ONNX Runtime: MatmulBNFusion.
const MATMUL_BATCH_NORM: Fusion = Fusion {
    name: "MatMul + BatchNorm",
    first: is_product,
    second: is_batch_norm,
    then: None,
    cost: FusedCost::Folded,
};

// ONNX Runtime: ConvActivationFusion. The CUDA execution provider fuses ReLU only; other activations
// run as kernels of their own.
const CONV_RELU: Fusion = Fusion {
    name: "Conv + ReLU",
    first: is_convolution,
    second: is_relu,
    then: None,
    cost: FusedCost::Epilogue,
};

// ONNX Runtime: ConvAddActivationFusion.
const CONV_ADD_RELU: Fusion = Fusion {
    name: "Conv + Add + ReLU",
    first: is_convolution,
    second: is_add,
    then: Some(is_relu),
    cost: FusedCost::Epilogue,
};

// ONNX Runtime: MatMulAddFusion.
const MATMUL_ADD: Fusion = Fusion {
    name: "MatMul + Add",
    first: is_product,
    second: is_bias,
    then: None,
    cost: FusedCost::Epilogue,
};

// ONNX Runtime: BiasGeluFusion.
const BIAS_GELU: Fusion = Fusion {
    name: "Add + GELU",
    first: is_bias,
    second: is_gelu,
    then: None,
    cost: FusedCost::Epilogue,
};

// ONNX Runtime: SkipLayerNormFusion.
const SKIP_LAYER_NORM: Fusion = Fusion {
    name: "Add + LayerNorm",
    first: is_add,
    second: is_layer_norm,
    then: None,
    cost: FusedCost::Prologue,
};

// ONNX Runtime: BiasSoftmaxFusion.
const BIAS_SOFTMAX: Fusion = Fusion {
    name: "Add + Softmax",
    first: is_add,
    second: is_softmax,
    then: None,
    cost: FusedCost::Prologue,
};

// ONNX Runtime: MatMulScaleFusion.
const SCALE_MATMUL: Fusion = Fusion {
    name: "scale + MatMul",
    first: is_scale,
    second: is_product,
    then: None,
    cost: FusedCost::Prologue,
};

// ONNX Runtime: MatMulScaleFusion.
const MATMUL_SCALE: Fusion = Fusion {
    name: "scale + MatMul",
    first: is_product,
    second: is_scale,
    then: None,
    cost: FusedCost::Epilogue,
};

// TensorRT: PointWise fusion.
const POINTWISE: Fusion = Fusion {
    name: "pointwise",
    first: takes_pointwise,
    second: is_pointwise,
    then: None,
    cost: FusedCost::Epilogue,
};

/// Fusions of ONNX Runtime with all graph optimizations, which is its default.
pub(crate) const ONNX_RUNTIME: &[Fusion] = &[
    CONV_BATCH_NORM,
    MATMUL_BATCH_NORM,
    CONV_RELU,
    CONV_ADD_RELU,
    MATMUL_ADD,
    BIAS_GELU,
    SKIP_LAYER_NORM,
    BIAS_SOFTMAX,
    SCALE_MATMUL,
    MATMUL_SCALE,
];

// ONNX Runtime: ConvActivationFusion and NchwcTransformer on a processor.
const CONV_ACTIVATION: Fusion = Fusion {
    name: "Conv + activation",
    first: is_convolution,
    second: is_conv_activation,
    then: None,
    cost: FusedCost::Epilogue,
};

// ONNX Runtime: NchwcTransformer adds to a convolution's result in place.
const CONV_ADD: Fusion = Fusion {
    name: "Conv + Add",
    first: is_convolution,
    second: is_add,
    then: None,
    cost: FusedCost::Epilogue,
};

// ONNX Runtime: NchwcTransformer runs a batch norm as a convolution.
const BATCH_NORM_ACTIVATION: Fusion = Fusion {
    name: "BatchNorm + activation",
    first: is_batch_norm,
    second: is_conv_activation,
    then: None,
    cost: FusedCost::Epilogue,
};

/// Fusions of ONNX Runtime on a processor.
pub(crate) const PROCESSOR: &[Fusion] = &[
    CONV_BATCH_NORM,
    MATMUL_BATCH_NORM,
    CONV_ACTIVATION,
    BATCH_NORM_ACTIVATION,
    CONV_ADD,
    BIAS_GELU,
    SCALE_MATMUL,
    MATMUL_SCALE,
];

/// Fusions of TensorRT's builder: those of ONNX Runtime, and chains of pointwise operations.
pub(crate) const TENSORRT: &[Fusion] =
    &[CONV_BATCH_NORM, MATMUL_BATCH_NORM, SKIP_LAYER_NORM, BIAS_SOFTMAX, SCALE_MATMUL, POINTWISE];

fn is_convolution(kernel: &Kernel) -> bool {
    matches!(
        kernel.kind,
        KernelKind::Conv
            | KernelKind::Depthwise
            | KernelKind::Grouped
            | KernelKind::Pointwise
            | KernelKind::Stem
    )
}

fn is_product(kernel: &Kernel) -> bool {
    kernel.kind == KernelKind::Gemm
}

fn is_batch_norm(kernel: &Kernel) -> bool {
    matches!(kernel.op, Op::Block(BlockKind::BatchNorm) | Op::Operator("BatchNormalization"))
}

fn is_relu(kernel: &Kernel) -> bool {
    matches!(kernel.op, Op::Block(BlockKind::Relu) | Op::Operator("Relu"))
}

/// An activation that a convolution applies to its results on a processor.
fn is_conv_activation(kernel: &Kernel) -> bool {
    is_relu(kernel)
        || matches!(
            kernel.op,
            Op::Block(
                BlockKind::HardSigmoid
                    | BlockKind::HardSwish
                    | BlockKind::LeakyRelu
                    | BlockKind::Relu6
            ) | Op::Operator(
                "Clip" | "HardSigmoid" | "HardSwish" | "LeakyRelu" | "Sigmoid" | "Tanh"
            )
        )
}

fn is_gelu(kernel: &Kernel) -> bool {
    matches!(kernel.op, Op::Block(BlockKind::Gelu) | Op::Operator("Gelu" | "FastGelu"))
}

/// An addition of two activations, or of one and a constant.
fn is_add(kernel: &Kernel) -> bool {
    matches!(kernel.op, Op::Block(BlockKind::ResidualAdd) | Op::Operator("Add"))
        && kernel.kind == KernelKind::Elementwise
}

/// An addition of a stored vector.
fn is_bias(kernel: &Kernel) -> bool {
    is_add(kernel) && kernel.reads.len() == 1 && kernel.weights != Expr::ZERO
}

/// A multiplication by one stored number.
fn is_scale(kernel: &Kernel) -> bool {
    matches!(kernel.op, Op::Operator("Mul" | "Div"))
        && kernel.reads.len() == 1
        && kernel.weights == Expr::ONE
}

fn is_layer_norm(kernel: &Kernel) -> bool {
    matches!(kernel.op, Op::Block(BlockKind::LayerNorm) | Op::Operator("LayerNormalization"))
}

fn is_softmax(kernel: &Kernel) -> bool {
    kernel.kind == KernelKind::Softmax
}

fn is_pointwise(kernel: &Kernel) -> bool {
    kernel.kind == KernelKind::Elementwise
}

/// Whether a kernel applies what follows to its results before it writes them.
fn takes_pointwise(kernel: &Kernel) -> bool {
    is_convolution(kernel)
        || matches!(
            kernel.kind,
            KernelKind::Attention
                | KernelKind::BatchNorm
                | KernelKind::Elementwise
                | KernelKind::Gemm
                | KernelKind::LayerNorm
        )
}

/// Fuses the kernels of a network.
pub(crate) fn fuse(net: &Network<'_>, launches: Launches, fusions: &[Fusion]) -> Launches {
    if fusions.is_empty() {
        return launches;
    }
    let mut fuser = Fuser::new(net, launches, fusions);
    for at in 0..fuser.kernels.len() {
        while fuser.fuse_at(at) {}
    }
    let Fuser { kernels, views, applied, .. } = fuser;
    let kernels = kernels.into_iter().flatten().collect();
    Launches { kernels, views, fusions: applied.into_iter().collect() }
}

struct Fuser<'f> {
    fusions: &'f [Fusion],
    /// In order of execution; `None` where a kernel became part of a later one.
    kernels: Vec<Option<Kernel>>,
    views: Vec<(Val, Val)>,
    /// The kernel that writes each value.
    writers: HashMap<Val, usize>,
    /// The one kernel that reads each value; values with more readers are absent.
    readers: HashMap<Val, usize>,
    /// Fusions by name, and how often each was applied.
    applied: BTreeMap<&'static str, usize>,
}

impl<'f> Fuser<'f> {
    fn new(net: &Network<'_>, launches: Launches, fusions: &'f [Fusion]) -> Self {
        let Launches { kernels, views, .. } = launches;
        let mut shared: HashSet<Val> = net.outputs.iter().copied().collect();
        shared.extend(views.iter().map(|(_, of)| *of));
        let (mut writers, mut readers) = (HashMap::new(), HashMap::new());
        for (at, kernel) in kernels.iter().enumerate() {
            for read in &kernel.reads {
                if readers.insert(*read, at).is_some_and(|other| other != at) {
                    shared.insert(*read);
                }
            }
            for written in &kernel.writes {
                if writers.insert(*written, at).is_some() {
                    shared.insert(*written);
                }
            }
        }
        readers.retain(|val, _| !shared.contains(val));
        let kernels = kernels.into_iter().map(Some).collect();
        Self { fusions, kernels, views, writers, readers, applied: BTreeMap::new() }
    }

    /// Takes one earlier kernel into the one at a place; whether there was any.
    fn fuse_at(&mut self, at: usize) -> bool {
        let Some(second) = self.kernels.get(at).and_then(Option::as_ref) else { return false };
        let Some((name, from, fused)) = second.reads.iter().find_map(|val| self.pair(*val, second))
        else {
            return false;
        };
        for written in &fused.writes {
            self.writers.insert(*written, at);
        }
        // What the first one read is now read here.
        for read in &fused.reads {
            if let Some(reader) = self.readers.get_mut(read).filter(|reader| **reader == from) {
                *reader = at;
            }
        }
        *self.applied.entry(name).or_default() += 1;
        self.kernels[from] = None;
        self.kernels[at] = Some(fused);
        true
    }

    /// The fusion that applies to a value that `second` reads: its name, the kernel that writes
    /// the value, and the fused kernel.
    fn pair(&self, between: Val, second: &Kernel) -> Option<(&'static str, usize, Kernel)> {
        self.readers.get(&between)?;
        let from = *self.writers.get(&between)?;
        let first = self.kernels.get(from)?.as_ref()?;
        if first.writes != [between] || !first.is_sized || !second.is_sized {
            return None;
        }
        let fits = |fusion: &&Fusion| {
            (fusion.first)(first)
                && (fusion.second)(second)
                && fusion.then.is_none_or(|then| self.is_followed(second, then))
                // A broadcast to a larger shape is not part of the smaller kernel.
                && (fusion.cost == FusedCost::Prologue || first.results == second.results)
        };
        let fusion = self.fusions.iter().find(fits)?;
        Some((fusion.name, from, fused(first, second, between, fusion.cost)))
    }

    /// Whether one kernel alone reads what another writes, and passes a test.
    fn is_followed(&self, kernel: &Kernel, test: fn(&Kernel) -> bool) -> bool {
        let reader = |val| self.kernels.get(*self.readers.get(val)?)?.as_ref();
        kernel.writes.first().and_then(reader).is_some_and(test)
    }
}

/// Two kernels as one: the value between them is neither written nor read.
fn fused(first: &Kernel, second: &Kernel, between: Val, cost: FusedCost) -> Kernel {
    if cost == FusedCost::Folded {
        return Kernel { writes: second.writes.clone(), ..first.clone() };
    }
    let main = if cost == FusedCost::Epilogue { first } else { second };
    let times = second.reads.iter().filter(|read| **read == between).count();
    let saved = &first.results * i64::try_from(times + 1).unwrap_or(2);
    let mut reads: Vec<Val> = first.reads.clone();
    reads.extend(second.reads.iter().copied().filter(|read| *read != between));
    Kernel {
        work: Work {
            macs: &first.work.macs + &second.work.macs,
            other_flops: &first.work.other_flops + &second.work.other_flops,
        },
        activations: &first.activations + &second.activations - saved,
        weights: &first.weights + &second.weights,
        results: second.results.clone(),
        reads,
        writes: second.writes.clone(),
        ..main.clone()
    }
}
