//! The kernels that a runtime launches for a network.
//!
//! A kernel is one launch: a matrix product with its bias, a convolution, a norm, an attention, an
//! activation, an element-wise operation. Kernels come from the recognized network: a norm that a
//! file writes as nine nodes is one kernel, a cast or a view is none, and shape computations do not
//! run at all. What else is fused depends on the runtime, see [`runtime`](crate::runtime).
//!
//! Sizes are expressions in the free dimensions, so kernels are found once and evaluated at every
//! batch.

mod norms;
mod quantized;
mod shape;

use calipers_arch::network::{
    AttentionScope, BlockKind, BlockProperties as _, Convolution, DetailKey, GeluForm, Network,
    NetworkOp, Op, Val,
};
use calipers_ir::NodeId;
use calipers_ops::{KernelClass, Lowering, Traits, Work, product};
use calipers_report::Runtime;
use calipers_sym::Expr;
use hashbrown::HashSet;
pub use shape::kernel_of_shape;

pub(crate) use crate::devices::KernelKind;
use crate::processor::ProcessorKind;
use crate::runtime::{self, FusedAttention, RuntimeModel};

/// The kind of a matrix product with this many rows.
fn product_kind(rows: i128) -> KernelKind {
    if rows <= FEW_ROWS { KernelKind::Gemv } else { KernelKind::Gemm }
}

/// A kind at a number of rows: a product of few rows is a matrix-vector product.
pub(crate) fn kind_at(kind: KernelKind, rows: i128) -> KernelKind {
    match kind {
        KernelKind::Gemm => product_kind(rows),
        kind => kind,
    }
}

/// The kind of a convolution.
fn convolution_kind(
    channels: i64,
    groups: i64,
    is_depthwise: bool,
    is_pointwise: bool,
) -> KernelKind {
    match () {
        () if is_depthwise => KernelKind::Depthwise,
        () if groups > 1 => KernelKind::Grouped,
        () if channels < 8 => KernelKind::Stem,
        () if is_pointwise => KernelKind::Pointwise,
        () => KernelKind::Conv,
    }
}

/// One launch.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its kind, which selects the timing model.
    pub kind: KernelKind,
    /// The operator or block it computes, e.g. `Linear` or `GELU`; the main one of a fused kernel.
    pub op: Op,
    /// The node it computes; the main one of a fused kernel, the last one of a block.
    pub node: NodeId,
    /// Its arithmetic.
    pub work: Work,
    /// Elements of activations that are read and written.
    pub activations: Expr,
    /// Elements of weights that are read.
    pub weights: Expr,
    /// Products that are summed for one result.
    pub depth: Expr,
    /// Elements that are written, which are computed in parallel.
    pub results: Expr,
    /// Rows of a matrix product, else 1.
    pub rows: Expr,
    /// Queries of all heads of an attention, which are computed in parallel; else 1.
    pub lanes: Expr,
    /// Sequential steps: time steps of a recurrence, else 1.
    pub steps: Expr,
    /// How it is quantized, where the file says so.
    pub quantized: Option<Quantized>,
    /// Activations that it reads. A kernel that reads what it writes works on a copy.
    pub reads: Vec<Val>,
    /// Values that it writes.
    pub writes: Vec<Val>,
    /// Whether the shapes of all that it reads and writes are known; unknown ones count as 0.
    pub is_sized: bool,
    /// What it is on a processor, for kernels that run on one; `None` for those of other devices.
    pub processor: Option<ProcessorKind>,
}

/// Most rows of a product that runs as a matrix-vector product.
const FEW_ROWS: i128 = 4;

impl Kernel {
    /// Returns the kind at a number of rows: a product of few rows is a matrix-vector product.
    pub fn kind_at(&self, rows: i128) -> KernelKind {
        kind_at(self.kind, rows)
    }

    /// Whether it is a batch norm that the exporter folded into a convolution, see `norms`.
    pub fn is_unfolded(&self) -> bool {
        self.kind == KernelKind::BatchNorm && self.reads == self.writes
    }
}

/// The quantization of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quantized {
    /// Bits of a stored weight, or of the operands where there is none.
    pub bits: u32,
    /// Whether only the weights are quantized: they are widened before the product.
    pub weights_only: bool,
}

/// The kernels of a network, and its views.
pub(crate) struct Launches {
    pub kernels: Vec<Kernel>,
    /// A view, and what it is a view of.
    pub views: Vec<(Val, Val)>,
    /// The fusions that were applied, and how often.
    pub fusions: Vec<(&'static str, usize)>,
}

/// The kind of kernel that operators of a class run as; `None` for those that do not run. The
/// kind of a convolution also depends on its shape.
fn kind_of(class: KernelClass) -> Option<KernelKind> {
    Some(match class {
        KernelClass::Attention => KernelKind::Attention,
        KernelClass::BatchNorm => KernelKind::BatchNorm,
        KernelClass::Convolution => KernelKind::Conv,
        KernelClass::Copy => KernelKind::Copy,
        KernelClass::Depthwise => KernelKind::Depthwise,
        KernelClass::Elementwise => KernelKind::Elementwise,
        KernelClass::Gather => KernelKind::Gather,
        KernelClass::Gemm => KernelKind::Gemm,
        KernelClass::Irregular => KernelKind::Other,
        KernelClass::LayerNorm => KernelKind::LayerNorm,
        KernelClass::Pool => KernelKind::Pool,
        KernelClass::Recurrent => KernelKind::Recurrent,
        KernelClass::Reduce => KernelKind::Reduce,
        KernelClass::Softmax => KernelKind::Softmax,
        KernelClass::View => return None,
    })
}

/// Blocks that are one kernel each whatever they are made of.
fn whole(kind: BlockKind) -> Option<KernelKind> {
    Some(match kind {
        BlockKind::BatchNorm | BlockKind::InstanceNorm | BlockKind::GroupNorm | BlockKind::Lrn => {
            KernelKind::BatchNorm
        }
        BlockKind::LayerNorm | BlockKind::RmsNorm | BlockKind::L2Norm => KernelKind::LayerNorm,
        BlockKind::ResidualAdd | BlockKind::Rotary => KernelKind::Elementwise,
        kind if kind.activation().is_some() => KernelKind::Elementwise,
        _ => return None,
    })
}

/// The kernels that PyTorch launches, in order of execution.
pub fn of_pytorch(net: &Network<'_>) -> Vec<Kernel> {
    launches(net, Runtime::PyTorch).kernels
}

/// The kernels that a runtime launches, in order of execution, and the views of the network.
pub(crate) fn launches(net: &Network<'_>, runtime: Runtime) -> Launches {
    launches_of(net, RuntimeModel::new(runtime))
}

/// The kernels that a model of a runtime launches, in order of execution, and the views.
pub(crate) fn launches_of(net: &Network<'_>, runtime: &'static RuntimeModel) -> Launches {
    let mut finder = Finder {
        net,
        runtime,
        unfolded: runtime.unfolds_norms.then(|| norms::Unfolded::new(net)),
        for_products: read_by_products(net),
        found: Launches { kernels: Vec::new(), views: Vec::new(), fusions: Vec::new() },
    };
    for (_, unit) in net.units() {
        finder.add(unit);
    }
    runtime::fuse(net, finder.found, runtime.fusions)
}

/// Values that matrix products read, and nothing else.
fn read_by_products(net: &Network<'_>) -> HashSet<Val> {
    let leaves = || net.all().filter(|unit| unit.parts.is_empty());
    let is_product = |unit: &&NetworkOp| unit.is(["MatMul", "Gemm"]);
    let mut read: HashSet<Val> = leaves()
        .filter(is_product)
        .flat_map(|unit| unit.inputs.iter().flatten().copied())
        .collect();
    for unit in leaves().filter(|unit| !is_product(unit)) {
        for input in unit.inputs.iter().flatten() {
            read.remove(input);
        }
    }
    for output in &net.outputs {
        read.remove(output);
    }
    read
}

/// Work that is left.
enum Task<'n> {
    NetworkOp(&'n NetworkOp),
    /// An attention that is one kernel, with the operators that it consists of.
    Attention(&'n NetworkOp, Vec<&'n NetworkOp>),
}

struct Finder<'n, 'a> {
    net: &'n Network<'a>,
    runtime: &'static RuntimeModel,
    /// Batch norms that the exporter folded, for a runtime that runs them.
    unfolded: Option<norms::Unfolded>,
    /// Values that only matrix products read.
    for_products: HashSet<Val>,
    found: Launches,
}

impl<'n> Finder<'n, '_> {
    fn add(&mut self, unit: &'n NetworkOp) {
        let net = self.net;
        // An explicit stack: a model may nest blocks as deeply as it likes.
        let mut stack = vec![Task::NetworkOp(unit)];
        while let Some(task) = stack.pop() {
            let unit = match task {
                Task::NetworkOp(unit) => unit,
                Task::Attention(unit, core) => {
                    self.found.kernels.push(attention(net, unit, &core));
                    continue;
                }
            };
            let parts = || unit.parts.iter().rev().map(Task::NetworkOp);
            match unit.op {
                _ if let Some(traits) = unit.traits() => self.operator(unit, traits),
                Op::Block(BlockKind::Linear) => self.push(gemm(net, unit)),
                Op::Block(BlockKind::Convolution) => self.convolution(unit),
                Op::Block(BlockKind::Attention) => {
                    stack.extend(attention_tasks(net, unit, self.runtime.attention));
                }
                // Model code for PyTorch mostly writes the tanh approximation out, an operator at
                // a time.
                Op::Block(BlockKind::Gelu)
                    if !self.runtime.fuses_tanh_gelu
                        && unit.gelu().is_some_and(|gelu| gelu.form == GeluForm::Tanh) =>
                {
                    stack.extend(parts());
                }
                op => match op.block().and_then(whole) {
                    Some(_) if !(self.runtime.fuses_block)(net, unit) => stack.extend(parts()),
                    Some(kind) => self.push(plain(net, unit, kind)),
                    // An unknown operator is modeled as one pass over its data.
                    None if unit.parts.is_empty() => {
                        self.push(plain(net, unit, KernelKind::Elementwise));
                    }
                    None => stack.extend(parts()),
                },
            }
        }
    }

    /// The kernel of a single operator.
    fn operator(&mut self, unit: &'n NetworkOp, traits: &Traits) {
        let net = self.net;
        match traits.kernel {
            KernelClass::Copy if self.is_read_as_it_lies(unit) => self.view(unit),
            KernelClass::Convolution => self.convolution(unit),
            KernelClass::Recurrent => self.push(recurrent(net, unit)),
            // Either of the two matrices may be stored.
            KernelClass::Gemm if traits.contraction.is_some_and(|it| it.weights == [1, 0]) => {
                self.push(gemm(net, unit));
            }
            KernelClass::Gemm if unit.is(["Experts", "MoE"]) => self.push(mixture(net, unit)),
            class => match kind_of(class) {
                Some(kind) => self.push(plain(net, unit, kind)),
                None => self.view(unit),
            },
        }
    }

    fn convolution(&mut self, unit: &NetworkOp) {
        let kernel = convolution(self.net, unit);
        // Quantizers fold norms first, so a quantized convolution has none.
        let is_quantized = kernel.quantized.is_some();
        self.push(kernel);
        let has_norm = |norms: &norms::Unfolded| !is_quantized && norms.has_norm(unit);
        if self.unfolded.as_ref().is_some_and(has_norm) {
            self.push(norms::after(self.net, unit));
        }
    }

    fn push(&mut self, kernel: Kernel) {
        self.found.kernels.push(kernel);
    }

    /// Whether a matrix is transposed for products only, which read either layout.
    fn is_read_as_it_lies(&self, unit: &NetworkOp) -> bool {
        let Some([rest @ .., a, b]) = self.net.ints(unit, "perm") else { return false };
        let is_kept = rest.iter().enumerate().all(|(at, axis)| i64::try_from(at) == Ok(*axis));
        is_kept && a > b && unit.outputs.iter().all(|output| self.for_products.contains(output))
    }

    fn view(&mut self, unit: &NetworkOp) {
        if let Some(input) = unit.input(0).filter(|input| self.net.is_data(*input)) {
            self.found.views.extend(unit.outputs.iter().map(|output| (*output, input)));
        }
    }
}

/// An attention as one kernel between its projections, or operator by operator; last first.
fn attention_tasks<'n>(
    net: &Network<'_>,
    unit: &'n NetworkOp,
    fused: FusedAttention,
) -> Vec<Task<'n>> {
    const OWN: &[BlockKind] = &[
        BlockKind::Linear,
        BlockKind::Convolution,
        BlockKind::LayerNorm,
        BlockKind::RmsNorm,
        BlockKind::Rotary,
    ];
    let core: Vec<&NetworkOp> = unit.parts.iter().filter(|part| !part.is(OWN)).collect();
    let last = unit.parts.iter().rposition(|part| !part.is(OWN));
    let is_one = match fused {
        FusedAttention::Never => is_one_operator(&core),
        FusedAttention::Exported => is_exported_as_one(net, &core),
        FusedAttention::Masked => is_masked(net, unit, &core),
        FusedAttention::All => true,
    };
    let mut tasks = Vec::new();
    for (place, part) in unit.parts.iter().enumerate() {
        if !is_one || part.is(OWN) {
            tasks.push(Task::NetworkOp(part));
        }
        if is_one && Some(place) == last {
            tasks.push(Task::Attention(unit, core.clone()));
        }
    }
    tasks.reverse();
    tasks
}

fn gemm(net: &Network<'_>, unit: &NetworkOp) -> Kernel {
    let mut kernel = plain(net, unit, KernelKind::Gemm);
    let features = unit.linear().and_then(|linear| linear.in_features);
    let summed = || net.shape(unit.input(0)?)?.last().cloned();
    if let Some(depth) = features.map(Expr::from).or_else(summed) {
        kernel.depth = depth;
    }
    let shape = unit.outputs.first().and_then(|output| net.shape(*output)).unwrap_or_default();
    let [rest @ .., _] = shape else { return kernel };
    // With stored weights, the rows of the whole batch are one product; else each sample has its own.
    let is_batched = kernel.reads.len() > 1;
    kernel.rows =
        if is_batched { rest.last().cloned() } else { Some(product(rest)) }.unwrap_or(Expr::ONE);
    kernel
}

/// A mixture of experts: of the weights, those of as many experts are read as the tokens choose,
/// each of them others, until all are read.
fn mixture(net: &Network<'_>, unit: &NetworkOp) -> Kernel {
    let mut kernel = plain(net, unit, KernelKind::Gemm);
    let shape = unit.input(0).and_then(|input| net.shape(input)).unwrap_or_default();
    let [rest @ .., hidden] = shape else { return kernel };
    kernel.depth = hidden.clone();
    kernel.rows = product(rest);
    let experts = unit.input(1).and_then(|scores| net.dim(scores, -1)).filter(|all| *all > 1);
    let Some(experts) = experts.map(Expr::from) else { return kernel };
    let chosen = &kernel.rows * net.int(unit, "k").unwrap_or(1);
    kernel.weights = (&kernel.weights * Expr::min(&chosen, &experts)).floor_div(&experts);
    kernel
}

fn convolution(net: &Network<'_>, unit: &NetworkOp) -> Kernel {
    let known = unit.convolution();
    let groups = known.map_or(1, |conv| conv.groups);
    let channels = known.and_then(|conv| conv.in_channels).unwrap_or(1);
    let is_depthwise = known.is_some_and(Convolution::is_depthwise);
    let is_pointwise = known.is_some_and(Convolution::is_pointwise);
    let kind = convolution_kind(channels, groups, is_depthwise, is_pointwise);
    let mut kernel = plain(net, unit, kind);
    let rank = known.and_then(Convolution::rank).unwrap_or(2);
    let rank = u32::try_from(rank).unwrap_or(2).min(3);
    let side = known.and_then(Convolution::side).unwrap_or(1);
    kernel.depth = Expr::from(channels / groups.max(1)) * Expr::from(side).pow(rank);
    kernel
}

/// Whether ONNX Runtime's `AttentionFusion` matches: self-attention with as many heads of keys as
/// of queries, a mask added to the scores, and no rotary or relative positions. An attention that
/// the file has as one operator is one kernel anyway.
fn is_masked(net: &Network<'_>, unit: &NetworkOp, core: &[&NetworkOp]) -> bool {
    let products = core.iter().filter(|unit| unit.is(["MatMul", "Einsum"])).count();
    let Some(attention) = unit.attention().filter(|_| products >= 2) else { return true };
    let adds_mask = || core.iter().any(|unit| unit.is("Add") && net.data_pair(unit).is_some());
    attention.heads == attention.kv_heads
        && attention.over == AttentionScope::Own
        && !(attention.windowed || attention.relative || attention.rotary)
        && (attention.causal || adds_mask())
}

/// Whether the file has an attention as one operator.
fn is_one_operator(core: &[&NetworkOp]) -> bool {
    core.iter().filter(|unit| unit.is(["MatMul", "Einsum"])).count() < 2
}

/// Whether an attention was exported from PyTorch's fused attention, which is written with queries
/// and keys each multiplied by the root of the scale. Code that computes attention step by step
/// scales one of them, or the scores.
fn is_exported_as_one(net: &Network<'_>, core: &[&NetworkOp]) -> bool {
    let products = core.iter().filter(|unit| unit.is(["MatMul", "Einsum"])).count();
    let scaled =
        core.iter().filter(|unit| unit.is(["Mul", "Div"]) && net.data_and_constant(unit).is_some());
    products < 2 || scaled.count() >= 2
}

fn attention(net: &Network<'_>, unit: &NetworkOp, core: &[&NetworkOp]) -> Kernel {
    let mut kernel = plain(net, unit, KernelKind::Attention);
    kernel.work = work(net, core.iter().flat_map(|unit| unit.walk()));
    // Queries, keys and values are read, including cached ones, and the result is written.
    let made: HashSet<Val> = core.iter().flat_map(|unit| unit.outputs.iter().copied()).collect();
    let mut reads: Vec<Val> = core.iter().flat_map(|unit| net.data_inputs(unit)).collect();
    reads.retain(|val| !made.contains(val));
    reads.sort_unstable();
    reads.dedup();
    let outside: HashSet<Val> = unit
        .parts
        .iter()
        .filter(|part| !core.iter().any(|inner| std::ptr::eq(*inner, *part)))
        .flat_map(|part| part.inputs.iter().flatten().copied())
        .chain(unit.outputs.iter().copied())
        .collect();
    let mut writes: Vec<Val> = core.iter().flat_map(|unit| unit.outputs.iter().copied()).collect();
    writes.retain(|val| outside.contains(val));
    let result = core.last().and_then(|unit| unit.outputs.first().copied());
    if writes.is_empty() {
        writes.extend(result);
    }
    kernel.results = result.map_or(Expr::ZERO, |val| elements(net, val));
    kernel.activations = reads.iter().chain(&writes).map(|val| elements(net, *val)).sum();
    kernel.is_sized = reads.iter().chain(&writes).all(|val| net.shape(*val).is_some());
    kernel.weights = Expr::ZERO;
    // Two multiply-accumulates per result and key.
    kernel.depth = if kernel.results == Expr::ZERO {
        Expr::ONE
    } else {
        kernel.work.macs.floor_div(&(&kernel.results * 2))
    };
    if let Some(width) = head_dim(unit).filter(|width| *width > 0) {
        kernel.lanes = kernel.results.floor_div(&Expr::from(width));
    }
    (kernel.reads, kernel.writes) = (reads, writes);
    kernel
}

/// The width of a head of an attention.
fn head_dim(unit: &NetworkOp) -> Option<i64> {
    unit.walk().find_map(|part| part.number(DetailKey::HeadDim))
}

/// A recurrent layer: a product for each step, and the steps wait for each other.
fn recurrent(net: &Network<'_>, unit: &NetworkOp) -> Kernel {
    let mut kernel = plain(net, unit, KernelKind::Recurrent);
    // Time is the first dimension, unless `layout` is 1.
    let time = usize::from(net.int(unit, "layout") == Some(1));
    let shape = unit.input(0).and_then(|input| net.shape(input));
    if let Some(steps) = shape.and_then(|shape| shape.get(time)) {
        kernel.steps = steps.clone();
    }
    if let Some(hidden) = net.int(unit, "hidden_size") {
        kernel.depth = Expr::from(hidden);
    }
    kernel
}

pub(crate) fn elements(net: &Network<'_>, val: Val) -> Expr {
    net.shape(val).map_or(Expr::ZERO, product)
}

/// A kernel that reads the inputs of an operator or block and writes its outputs.
pub(crate) fn plain(net: &Network<'_>, unit: &NetworkOp, kind: KernelKind) -> Kernel {
    let sum =
        |vals: &mut dyn Iterator<Item = Val>| -> Expr { vals.map(|val| elements(net, val)).sum() };
    let inputs = || unit.inputs.iter().flatten().copied();
    let reads: Vec<Val> = net.data_inputs(unit).collect();
    let read: Expr = match kind {
        // Only the gathered rows of a table are read.
        KernelKind::Gather => sum(&mut unit.outputs.iter().copied()),
        _ => sum(&mut reads.iter().copied()),
    };
    let written: Expr = sum(&mut unit.outputs.iter().copied());
    let weights = match kind {
        KernelKind::Gather => Expr::ZERO,
        _ => sum(&mut inputs().filter(|val| !net.is_data(*val))),
    };
    let is_sized = reads.iter().chain(&unit.outputs).all(|val| net.shape(*val).is_some());
    Kernel {
        kind,
        op: unit.op,
        node: unit.node,
        work: work(net, unit.walk()),
        activations: read + &written,
        weights,
        depth: Expr::ONE,
        results: written,
        rows: Expr::ONE,
        lanes: Expr::ONE,
        steps: Expr::ONE,
        quantized: quantized::quantization(net, unit),
        reads,
        writes: unit.outputs.clone(),
        is_sized,
        processor: None,
    }
}

/// Arithmetic of units, each node once.
fn work<'a>(net: &Network<'_>, units: impl Iterator<Item = &'a NetworkOp>) -> Work {
    let mut seen = HashSet::new();
    let mut work = Work::none();
    for unit in units.filter(|unit| unit.parts.is_empty()) {
        if let Some(own) = share(net, unit) {
            work.macs += &own.macs;
            work.other_flops += &own.other_flops;
            continue;
        }
        if seen.insert(unit.node)
            && let Some(Ok(cost)) = net.typed.cost(unit.node)
        {
            work.macs += &cost.macs;
            work.other_flops += &cost.other_flops;
        }
    }
    work
}

/// The arithmetic of one of the products that a node is lowered to. `None` where the node is one
/// product, or a size is unknown.
fn share(net: &Network<'_>, unit: &NetworkOp) -> Option<Work> {
    let lowering = net.written_operator(unit.node)?.traits.lowering;
    if !matches!(lowering, Lowering::MatMuls { .. }) {
        return None;
    }
    let results = elements(net, unit.output());
    if unit.is_contraction() {
        let depth = net.dim(unit.input(0)?, -1)?;
        return Some(Work::of_macs(results * depth));
    }
    Some(Work::of_flops(results))
}

#[cfg(test)]
mod tests;
