//! The kernels that ONNX Runtime runs on a processor.
//!
//! They differ from those of a GPU: attention runs operator by operator, activations are fused into
//! convolutions only, a convolution runs on blocks of channels (NCHWc) where they divide by a
//! vector, and views and shape computations are nodes that are dispatched too.

use calipers_arch::network::{
    BlockKind, BlockProperties as _, Convolution, Network, NetworkOp, Op,
};
use calipers_infer::declared_inputs;
use calipers_ir::{Model, NodeId, Producer, ValueId};
use calipers_ops::{Movement, Work};
use calipers_sym::Expr;
use hashbrown::{HashMap, HashSet};

use super::timing::ProcessorKind;
use crate::kernels::{self, Kernel, KernelKind};
use crate::runtime::RuntimeModel;

/// Channels in a block of the NCHWc layout: the floats of a 512-bit vector.
const BLOCK: i64 = 16;

/// The kernels that ONNX Runtime runs on a processor, in order of execution. The last one stands for
/// the nodes that only cost their dispatch.
pub fn kernels(net: &Network<'_>) -> Vec<Kernel> {
    let launches = kernels::launches_of(net, &RuntimeModel::PROCESSOR);
    // A block is named by its last node; its product is another one.
    let mut units: HashMap<NodeId, (&NetworkOp, NodeId)> = HashMap::new();
    for unit in net.all() {
        if let Some(product) =
            unit.walk().find(|part| part.parts.is_empty() && part.is_contraction())
        {
            units.entry(unit.node).or_insert((unit, product.node));
        }
    }
    let quantizers = Quantizers::new(net);
    let mut found: Vec<Kernel> = Vec::with_capacity(launches.kernels.len());
    for mut kernel in launches.kernels {
        let (unit, product) = units
            .get(&kernel.node)
            .map_or((None, kernel.node), |(unit, product)| (Some(*unit), *product));
        let is_unfused = kernel.quantized.is_some() && quantizers.is_unfused(net, product);
        kernel.processor = Some(kind(net, &kernel, unit, product, is_unfused));
        if is_unfused {
            found.push(dequantization(&kernel));
            kernel.quantized = None;
        }
        found.push(kernel);
    }
    // Slices and expansions are views elsewhere; a processor copies them.
    let copied = |unit: &&NetworkOp| {
        unit.parts.is_empty()
            && matches!(unit.movement(), Some(Movement::Slice | Movement::Expand))
            && net.is_data(unit.output())
    };
    for unit in net.all().filter(copied) {
        let mut kernel = kernels::plain(net, unit, KernelKind::Copy);
        kernel.activations = &kernel.results * 2;
        kernel.processor = Some(ProcessorKind::Copy);
        found.push(kernel);
    }
    let dispatched = launches.views.len() + shape_nodes(net);
    if let Some(first) = found.first().filter(|_| dispatched > 0) {
        found.push(dispatches(first, dispatched));
    }
    found
}

/// Widening stored 8-bit weights to floats in every run.
fn dequantization(kernel: &Kernel) -> Kernel {
    Kernel {
        processor: Some(ProcessorKind::Quantize),
        kind: KernelKind::Elementwise,
        work: Work::none(),
        activations: kernel.weights.clone(),
        results: kernel.weights.clone(),
        depth: Expr::ONE,
        rows: Expr::ONE,
        ..kernel.clone()
    }
}

/// Nodes that only cost their dispatch.
fn dispatches(like: &Kernel, count: usize) -> Kernel {
    Kernel {
        kind: KernelKind::Other,
        op: Op::Operator("Reshape"),
        work: Work::none(),
        activations: Expr::ZERO,
        weights: Expr::ZERO,
        depth: Expr::ONE,
        results: Expr::ZERO,
        rows: Expr::ONE,
        steps: Expr::from(i64::try_from(count).unwrap_or(i64::MAX)),
        quantized: None,
        processor: Some(ProcessorKind::View),
        reads: Vec::new(),
        writes: Vec::new(),
        is_sized: true,
        ..like.clone()
    }
}

fn kind(
    net: &Network<'_>,
    kernel: &Kernel,
    unit: Option<&NetworkOp>,
    product: NodeId,
    is_unfused: bool,
) -> ProcessorKind {
    use ProcessorKind as P;
    let is_int8 = kernel.quantized.is_some_and(|it| !it.weights_only) && !is_unfused;
    let written = net.model.name(net.model.node(product).op);
    match kernel.kind {
        KernelKind::Gemm | KernelKind::Gemv if is_int8 && kernel.reads.len() > 1 => P::GemmInteger,
        KernelKind::Gemm | KernelKind::Gemv if is_int8 => P::GemmInt8,
        KernelKind::Gemm | KernelKind::Gemv if kernel.reads.len() > 1 => P::Batched,
        KernelKind::Gemm | KernelKind::Gemv => P::Gemm,
        KernelKind::Conv
        | KernelKind::Pointwise
        | KernelKind::Stem
        | KernelKind::Depthwise
        | KernelKind::Grouped => match () {
            () if written == "ConvInteger" => P::ConvInteger,
            () if is_int8 && written == "Conv" => P::ConvQdq,
            () if is_int8 && kernel.kind == KernelKind::Depthwise => P::DepthwiseInt8,
            () if is_int8 => P::ConvInt8,
            () if !unit.and_then(NetworkOp::convolution).is_none_or(is_blocked) => P::Im2col,
            () if kernel.kind == KernelKind::Depthwise => P::Depthwise,
            () if kernel.kind == KernelKind::Stem => P::Stem,
            () if kernel.kind == KernelKind::Pointwise => P::Pointwise,
            () => P::Conv,
        },
        KernelKind::Attention => P::Batched,
        KernelKind::Softmax => P::Softmax,
        KernelKind::LayerNorm | KernelKind::BatchNorm => P::LayerNorm,
        KernelKind::Reduce => P::Reduce,
        KernelKind::Pool if written.starts_with("Global") => P::Reduce,
        KernelKind::Pool => P::Pool,
        KernelKind::Gather => P::Gather,
        KernelKind::Recurrent => P::Recurrent,
        KernelKind::Copy if written == "Transpose" => P::Transpose,
        KernelKind::Copy => P::Copy,
        KernelKind::Elementwise
            if written.contains("QuantizeLinear") || written == "DequantizeLinear" =>
        {
            P::Quantize
        }
        KernelKind::Elementwise if is_transcendental(kernel, written) => P::Transcendental,
        KernelKind::Elementwise => P::Elementwise,
        KernelKind::Other => P::Elementwise,
    }
}

/// Whether a convolution runs on blocks of channels.
fn is_blocked(conv: &Convolution) -> bool {
    let (inputs, outputs) = (conv.in_channels.unwrap_or(1), conv.out_channels.unwrap_or(1));
    let whole = |channels: i64| channels % BLOCK == 0;
    if conv.transposed || conv.rank().is_some_and(|rank| rank != 2) {
        return false;
    }
    match conv.groups {
        1 => whole(outputs) && (whole(inputs) || inputs < BLOCK),
        _ if conv.is_depthwise() => whole(outputs),
        groups => whole(inputs / groups) && whole(outputs / groups),
    }
}

/// Whether an element-wise kernel computes exponentials or the like for every element.
fn is_transcendental(kernel: &Kernel, written: &str) -> bool {
    if let Some(block) = kernel.op.block() {
        return block.activation().is_some()
            && !matches!(block, BlockKind::Relu | BlockKind::ResidualAdd);
    }
    matches!(
        written,
        "Erf"
            | "Exp"
            | "Gelu"
            | "FastGelu"
            | "BiasGelu"
            | "QuickGelu"
            | "HardSwish"
            | "Log"
            | "Mish"
            | "Pow"
            | "Sigmoid"
            | "Sin"
            | "Cos"
            | "Softplus"
            | "Tanh"
            | "Elu"
            | "Selu"
    )
}

/// Products between quantizers that ONNX Runtime does not fuse.
struct Quantizers {
    /// Nodes that read each value.
    readers: HashMap<ValueId, Vec<NodeId>>,
    outputs: HashSet<ValueId>,
}

impl Quantizers {
    fn new(net: &Network<'_>) -> Self {
        let model = net.model;
        let mut readers: HashMap<ValueId, Vec<NodeId>> = HashMap::new();
        for node in &model.main().order {
            for input in model.inputs(*node).iter().flatten() {
                readers.entry(*input).or_default().push(*node);
            }
        }
        Self { readers, outputs: model.main().outputs.iter().copied().collect() }
    }

    /// Whether a product is written between quantizers, and its result is not quantized at once.
    /// ONNX Runtime then dequantizes the operands and computes in floats.
    fn is_unfused(&self, net: &Network<'_>, product: NodeId) -> bool {
        let model = net.model;
        let reads_floats = model.inputs(product).first().copied().flatten().is_some_and(|value| {
            match model.value(value).producer {
                Producer::Node { node, .. } => {
                    model.name(model.node(node).op) == "DequantizeLinear"
                }
                _ => false,
            }
        });
        if !reads_floats {
            return false;
        }
        let outputs = model.outputs(product);
        let Some(output) = outputs.first().copied().flatten() else { return false };
        let readers = self.readers.get(&output).map_or(&[][..], Vec::as_slice);
        let is_quantized = readers.len() == 1
            && readers.iter().all(|node| model.name(model.node(*node).op) == "QuantizeLinear");
        !is_quantized || self.outputs.contains(&output)
    }
}

/// Nodes that compute shapes in every run. Where every input has a fixed shape they are folded when
/// the session starts.
fn shape_nodes(net: &Network<'_>) -> usize {
    let model = net.model;
    let is_free = |dims: &[Expr]| dims.iter().any(|dim| dim.as_const().is_none());
    let is_dynamic = declared_inputs(model)
        .iter()
        .any(|(_, fact)| fact.as_tensor().and_then(|it| it.dims()).is_none_or(is_free));
    if !is_dynamic {
        return 0;
    }
    let data: HashSet<NodeId> = net.all().map(|unit| unit.node).collect();
    let mut folded: HashSet<ValueId> = HashSet::new();
    let mut count = 0;
    for node in &model.main().order {
        if is_folded(model, *node, &folded) {
            folded.extend(model.outputs(*node).iter().flatten().copied());
        } else if !data.contains(node) {
            count += 1;
        }
    }
    count
}

/// Whether a node reads constants only.
fn is_folded(model: &Model, node: NodeId, folded: &HashSet<ValueId>) -> bool {
    model
        .inputs(node)
        .iter()
        .flatten()
        .all(|value| model.value(*value).initializer.is_some() || folded.contains(value))
}
