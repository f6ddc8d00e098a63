//! The kernels that ONNX Runtime runs on a processor.
//!
//! They differ from those of a GPU: attention runs operator by operator, a bias is part of a product
//! in few places, a convolution runs on blocks of channels (NCHWc), and views and shape computations
//! are nodes that are dispatched too.

use calipers_arch::network::{
    Attention, BlockKind, BlockProperties as _, Convolution, Network, NetworkOp, Op, Val,
};
use calipers_ir::NodeId;
use calipers_ops::{Class, ImageOp, KernelClass, Movement, Norm};
use calipers_sym::Expr;
use hashbrown::{HashMap, HashSet};

use super::layout::{self, addition, bare};
use super::quantizers::{Arithmetic, Quantizers};
use super::shape_nodes;
use super::timing::ProcessorKind;
use crate::kernels::{self, Kernel, KernelKind, Launches};
use crate::runtime::RuntimeModel;

/// Dispatches that starting a run takes as long as.
const RUN_DISPATCHES: usize = 2;

/// The kernels that ONNX Runtime runs on a processor, in order of execution. The last one is that of
/// the nodes that only cost their dispatch.
pub fn kernels(net: &Network<'_>) -> Vec<Kernel> {
    let Launches { kernels: launched, views, .. } =
        kernels::launches_of(net, &RuntimeModel::PROCESSOR);
    let mut builder = Builder {
        net,
        units: products(net),
        quantizers: Quantizers::new(net),
        is_static: !shape_nodes::is_dynamic(net),
        activated: activated(&launched),
        biased: HashSet::new(),
        masked: masked(net, |it| it.causal || it.windowed).map(|it| it.node).collect(),
        denormal: masked(net, |it| it.windowed).map(NetworkOp::output).collect(),
        views: views.len(),
        convolutions: HashMap::new(),
        found: Vec::with_capacity(launched.len()),
    };
    for kernel in launched {
        builder.add(kernel);
    }
    builder.add_copies();
    let Builder { quantizers, views: dispatched, convolutions, found, .. } = builder;
    let mut found = layout::with_reorders(net, found, &views, &convolutions);
    let Some(first) = found.first().cloned() else { return found };
    found.extend(quantizers.kernels(&first));
    let dispatched = dispatched + shape_nodes::count(net) + RUN_DISPATCHES;
    found.push(dispatches(&first, dispatched));
    found
}

/// The block of each contraction and the node of its product, by the node that names the block.
fn products<'n>(net: &'n Network<'_>) -> HashMap<NodeId, (&'n NetworkOp, NodeId)> {
    let mut units = HashMap::new();
    for unit in net.all() {
        if let Some(product) =
            unit.walk().find(|part| part.parts.is_empty() && part.is_contraction())
        {
            units.entry(unit.node).or_insert((unit, product.node));
        }
    }
    units
}

/// Values that a GELU reads.
fn activated(kernels: &[Kernel]) -> HashSet<Val> {
    let gelus = kernels.iter().filter(|kernel| kernel.op == Op::Block(BlockKind::Gelu));
    gelus.flat_map(|kernel| kernel.reads.iter().copied()).collect()
}

/// Softmaxes of attention that masks scores out whatever the input: causal, or in windows that are
/// shifted over the border of an image.
fn masked<'n>(
    net: &'n Network<'_>,
    is_masked: fn(&Attention) -> bool,
) -> impl Iterator<Item = &'n NetworkOp> {
    let attentions = net.all().filter(move |unit| unit.attention().is_some_and(is_masked));
    attentions.flat_map(NetworkOp::walk).filter(|part| part.is_class(Class::Softmax))
}

/// Nodes that only cost their dispatch.
fn dispatches(like: &Kernel, count: usize) -> Kernel {
    Kernel {
        kind: KernelKind::Other,
        op: Op::Operator("Reshape"),
        steps: Expr::from(i64::try_from(count).unwrap_or(i64::MAX)),
        processor: Some(ProcessorKind::View),
        ..bare(like)
    }
}

struct Builder<'n, 'a> {
    net: &'n Network<'a>,
    units: HashMap<NodeId, (&'n NetworkOp, NodeId)>,
    quantizers: Quantizers<'n, 'a>,
    /// Whether every input has a fixed shape.
    is_static: bool,
    /// Values that a GELU reads.
    activated: HashSet<Val>,
    /// Those to which the GELU adds a bias.
    biased: HashSet<Val>,
    /// Softmaxes over scores with some masked out.
    masked: HashSet<NodeId>,
    /// Results of softmaxes with a mask that is added.
    denormal: HashSet<Val>,
    /// Nodes that only cost their dispatch.
    views: usize,
    /// Convolutions by the place of their kernel.
    convolutions: HashMap<usize, Convolution>,
    found: Vec<Kernel>,
}

impl Builder<'_, '_> {
    fn add(&mut self, mut kernel: Kernel) {
        let (unit, product) = self
            .units
            .get(&kernel.node)
            .map_or((None, kernel.node), |(unit, product)| (Some(*unit), *product));
        let arithmetic = match kernel.quantized {
            Some(it) if !it.weights_only => self.quantizers.arithmetic(product),
            _ => Arithmetic::Float,
        };
        if arithmetic == Arithmetic::Float && kernel.quantized.is_some_and(|it| !it.weights_only) {
            kernel.quantized = None;
        }
        let conv = unit.and_then(NetworkOp::convolution);
        // Weights that are widened in every run are not stored in blocks.
        let is_widened = arithmetic == Arithmetic::Float && self.is_dequantized(product);
        let is_blocked = !is_widened && conv.is_none_or(layout::is_blocked);
        let kind = self.kind(&kernel, product, arithmetic, conv, is_blocked);
        kernel.processor = Some(kind);
        if let Some(conv) = conv {
            match kind {
                ProcessorKind::Im2col => {
                    let outputs = conv.out_channels.unwrap_or(1) / conv.groups.max(1);
                    kernel.rows = Expr::from(outputs.max(1));
                }
                _ if arithmetic == Arithmetic::Float => {
                    kernel.work.macs = layout::padded_macs(conv, &kernel.work.macs);
                }
                _ => {}
            }
            self.convolutions.insert(self.found.len(), conv.clone());
        }
        if matches!(kind, ProcessorKind::Recurrent | ProcessorKind::RecurrentInt8) {
            kernel.rows = self.sequences(&kernel);
        }
        let rest = self.rest(&kernel, unit, product, arithmetic);
        self.found.push(kernel);
        self.found.extend(rest);
    }

    /// Sequences that a recurrent layer computes apart from each other: the batch, and directions.
    fn sequences(&self, kernel: &Kernel) -> Expr {
        let shapes = kernel.writes.iter().filter_map(|output| self.net.shape(*output));
        shapes
            .filter_map(|shape| match shape {
                [_, directions, batch, _] | [directions, batch, _] => Some(directions * batch),
                _ => None,
            })
            .next()
            .unwrap_or(Expr::ONE)
    }

    /// Kernels that follow a product: a bias that no fusion takes in, and what makes floats of the
    /// sums of a `ConvInteger`.
    fn rest(
        &mut self,
        kernel: &Kernel,
        unit: Option<&NetworkOp>,
        product: NodeId,
        arithmetic: Arithmetic,
    ) -> Vec<Kernel> {
        if kernel.processor == Some(ProcessorKind::ConvInteger) {
            // A cast, the product with the scales, and the bias.
            let pass = Kernel { activations: &kernel.results * 2, ..addition(kernel) };
            return vec![pass.clone(), pass.clone(), pass];
        }
        let has_bias = unit.and_then(NetworkOp::linear).is_some_and(|linear| linear.bias);
        let is_whole = self.net.written_operator(product).is_some_and(|row| row.name == "Gemm");
        if !has_bias || is_whole || arithmetic != Arithmetic::Float {
            return Vec::new();
        }
        let output = kernel.writes.first().copied();
        match output.and_then(|output| self.net.rank(output)) {
            // `MatMul` and `Add` become `Gemm`.
            Some(..=2) => Vec::new(),
            _ if self.is_static => {
                self.views += 2;
                Vec::new()
            }
            _ if output.is_some_and(|output| self.activated.contains(&output)) => {
                self.biased.extend(output);
                Vec::new()
            }
            _ => vec![Kernel { activations: &kernel.results * 2, ..addition(kernel) }],
        }
    }

    /// Slices and expansions are views elsewhere; a processor copies them.
    fn add_copies(&mut self) {
        let net = self.net;
        let copied = |unit: &&NetworkOp| {
            unit.parts.is_empty()
                && matches!(unit.movement(), Some(Movement::Slice | Movement::Expand))
                && net.is_data(unit.output())
        };
        for unit in net.all().filter(copied) {
            let mut kernel = kernels::plain(net, unit, KernelKind::Copy);
            kernel.activations = &kernel.results * 2;
            kernel.processor = Some(ProcessorKind::Copy);
            self.found.push(kernel);
            self.views = self.views.saturating_sub(1);
        }
    }

    fn is_dequantized(&self, product: NodeId) -> bool {
        let inputs = self.net.model.inputs(product);
        let weights = inputs.get(1).copied().flatten();
        weights.is_some_and(|value| self.quantizers.dequantized(value).is_some())
    }

    fn kind(
        &self,
        kernel: &Kernel,
        product: NodeId,
        arithmetic: Arithmetic,
        conv: Option<&Convolution>,
        is_blocked: bool,
    ) -> ProcessorKind {
        use ProcessorKind as P;
        match kernel.kind {
            KernelKind::Gemm | KernelKind::Gemv => match arithmetic {
                Arithmetic::Signed => P::GemmInt8,
                Arithmetic::Unsigned => P::GemmUint8,
                Arithmetic::Float if kernel.reads.iter().any(|val| self.denormal.contains(val)) => {
                    P::MaskedBatched
                }
                Arithmetic::Float if kernel.reads.len() > 1 => P::Batched,
                Arithmetic::Float => P::Gemm,
            },
            KernelKind::Conv
            | KernelKind::Pointwise
            | KernelKind::Stem
            | KernelKind::Depthwise
            | KernelKind::Grouped => match arithmetic {
                _ if self.is_without_fast_kernel(product) => P::ConvInteger,
                Arithmetic::Signed | Arithmetic::Unsigned
                    if kernel.kind == KernelKind::Depthwise =>
                {
                    P::DepthwiseInt8
                }
                Arithmetic::Signed => P::ConvInt8,
                Arithmetic::Unsigned => P::ConvUint8,
                Arithmetic::Float if !is_blocked => P::Im2col,
                Arithmetic::Float if kernel.kind == KernelKind::Depthwise => P::Depthwise,
                Arithmetic::Float if conv.is_some_and(layout::reads_unblocked) => P::Stem,
                Arithmetic::Float if kernel.kind == KernelKind::Pointwise => P::Pointwise,
                Arithmetic::Float => P::Conv,
            },
            KernelKind::Attention => P::Batched,
            KernelKind::Softmax if self.quantizers.is_on_integers(kernel.node) => P::SoftmaxInt8,
            KernelKind::Softmax if self.masked.contains(&kernel.node) => P::MaskedSoftmax,
            KernelKind::Softmax => P::Softmax,
            KernelKind::LayerNorm => P::LayerNorm,
            KernelKind::BatchNorm => self.norm(kernel),
            KernelKind::Reduce => P::Reduce,
            KernelKind::Pool => self.pool(kernel),
            KernelKind::Gather => P::Gather,
            KernelKind::Recurrent if kernel.quantized.is_some() => P::RecurrentInt8,
            KernelKind::Recurrent => P::Recurrent,
            KernelKind::Copy | KernelKind::Elementwise | KernelKind::Other => self.pass(kernel),
        }
    }

    /// Whether a product is `ConvInteger`, which leaves its sums as integers.
    fn is_without_fast_kernel(&self, product: NodeId) -> bool {
        self.net.written_operator(product).is_some_and(|row| row.name == "ConvInteger")
    }

    fn norm(&self, kernel: &Kernel) -> ProcessorKind {
        let norm = self.net.written_operator(kernel.node).and_then(|row| row.traits.norm());
        match (kernel.op, norm) {
            (Op::Block(BlockKind::Lrn), _) | (_, Some(Norm::LocalResponse)) => {
                ProcessorKind::LocalResponse
            }
            (Op::Block(BlockKind::BatchNorm), _) | (_, Some(Norm::Batch)) => {
                ProcessorKind::Elementwise
            }
            _ => ProcessorKind::LayerNorm,
        }
    }

    fn pool(&self, kernel: &Kernel) -> ProcessorKind {
        let pool = self.net.written_operator(kernel.node).and_then(|row| row.traits.pool());
        match pool.is_some_and(|pool| pool.is_global()) {
            true => ProcessorKind::Reduce,
            false => ProcessorKind::Pool,
        }
    }

    /// The kind of one pass over data.
    fn pass(&self, kernel: &Kernel) -> ProcessorKind {
        if kernel.op == Op::Block(BlockKind::Gelu) {
            return match kernel.reads.iter().any(|val| self.biased.contains(val)) {
                true => ProcessorKind::BiasGelu,
                false => ProcessorKind::Gelu,
            };
        }
        if let Some(activation) = kernel.op.block().and_then(|block| block.activation()) {
            return match activation.is_transcendental() {
                true => ProcessorKind::Transcendental,
                false => ProcessorKind::Elementwise,
            };
        }
        let Some(row) = self.net.written_operator(kernel.node) else {
            return ProcessorKind::Elementwise;
        };
        match row.traits.movement {
            _ if kernel.op.block().is_some() => ProcessorKind::Elementwise,
            _ if row.traits.is_transcendental => ProcessorKind::Transcendental,
            _ if row.traits.image() == Some(ImageOp::Resize) => ProcessorKind::Resize,
            _ if row.traits.class == Class::Quantization => ProcessorKind::Quantize,
            Some(Movement::Transpose) => ProcessorKind::Transpose,
            Some(_) => ProcessorKind::Copy,
            None if row.traits.kernel == KernelClass::Copy => ProcessorKind::Copy,
            None => ProcessorKind::Elementwise,
        }
    }
}
