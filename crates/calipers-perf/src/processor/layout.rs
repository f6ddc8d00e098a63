//! Blocks of channels: the NCHWc layout, and the copies into and out of it.
//!
//! ONNX Runtime convolves images in blocks of as many channels as a vector has floats. It keeps
//! that layout through pooling, additions and activations, and reorders where another operator
//! reads a value.

use calipers_arch::network::{Convolution, Network, Op, Val};
use calipers_ir::AttributeValue;
use calipers_ops::{Movement, Work};
use calipers_sym::Expr;
use hashbrown::{HashMap, HashSet};

use super::timing::ProcessorKind;
use crate::kernels::{Kernel, KernelKind, elements};

/// Channels in a block: the floats of a 512-bit vector.
const BLOCK: i64 = 16;

/// Reordering copies this many channels at a time.
const ALIGNMENT: i64 = 4;

/// Whether a convolution with stored weights runs on blocks of channels.
pub(super) fn is_blocked(conv: &Convolution) -> bool {
    let (inputs, outputs) = (conv.in_channels.unwrap_or(1), conv.out_channels.unwrap_or(1));
    if conv.transposed || conv.rank() != Some(2) {
        return false;
    }
    match conv.groups {
        1 => inputs < BLOCK || inputs % ALIGNMENT == 0,
        groups if conv.is_depthwise() && outputs == groups => groups % ALIGNMENT == 0,
        groups => (inputs / groups) % BLOCK == 0 && (outputs / groups) % BLOCK == 0,
    }
}

/// Whether a blocked convolution reads its input as it is: it has fewer channels than a block.
pub(super) fn reads_unblocked(conv: &Convolution) -> bool {
    conv.groups == 1 && conv.in_channels.unwrap_or(1) < BLOCK
}

/// The multiply-accumulates of a convolution with its channels filled up to whole blocks.
pub(super) fn padded_macs(conv: &Convolution, macs: &Expr) -> Expr {
    let whole = |channels: i64| (channels + BLOCK - 1) / BLOCK * BLOCK;
    let mut macs = macs.clone();
    let mut pad = |channels: Option<i64>| {
        if let Some(channels) = channels.filter(|channels| *channels > 0 && channels % BLOCK != 0) {
            macs = (&macs * whole(channels)).floor_div(&Expr::from(channels));
        }
    };
    pad(conv.out_channels);
    if conv.groups == 1 && !reads_unblocked(conv) {
        pad(conv.in_channels);
    }
    macs
}

/// How a kernel treats the layout of what it reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Needs blocks, but for a first input with few channels.
    Blocked { reads_unblocked: bool },
    /// Needs blocks where its input has whole ones.
    Pool,
    /// Keeps the layout of its inputs where all are in blocks.
    Follows,
    /// Scales channels: a convolution where its input is in blocks.
    Scale,
    /// Moves channels behind the image: its copy is the reordering.
    ChannelsLast,
    /// Moves channels before the image.
    ChannelsFirst,
    /// Needs the standard layout.
    Standard,
}

/// Adds the copies between layouts.
pub(super) fn with_reorders(
    net: &Network<'_>,
    kernels: Vec<Kernel>,
    views: &[(Val, Val)],
    convolutions: &HashMap<usize, Convolution>,
) -> Vec<Kernel> {
    let roles: Vec<Role> =
        kernels.iter().enumerate().map(|(at, it)| role(net, it, convolutions.get(&at))).collect();
    let mut layout = Layout {
        net,
        blocked: HashSet::new(),
        in_both: HashSet::new(),
        needs_standard: standard_readers(net, &kernels, &roles, views),
        found: Vec::with_capacity(kernels.len()),
    };
    for (kernel, role) in kernels.into_iter().zip(roles) {
        layout.add(kernel, role);
    }
    let Some(like) = layout.found.first().cloned() else { return layout.found };
    for val in views.iter().map(|(_, of)| of).chain(&net.outputs) {
        layout.copy_to_standard(&like, *val);
    }
    layout.found
}

/// Values that something reads in the standard layout.
fn standard_readers(
    net: &Network<'_>,
    kernels: &[Kernel],
    roles: &[Role],
    views: &[(Val, Val)],
) -> HashSet<Val> {
    let others = kernels
        .iter()
        .zip(roles)
        .filter(|(_, role)| !matches!(role, Role::Blocked { reads_unblocked: false }));
    others
        .flat_map(|(kernel, _)| kernel.reads.iter().copied())
        .chain(views.iter().map(|(_, of)| *of))
        .chain(net.outputs.iter().copied())
        .collect()
}

fn role(net: &Network<'_>, kernel: &Kernel, conv: Option<&Convolution>) -> Role {
    use ProcessorKind as P;
    let Some(kind) = kernel.processor else { return Role::Standard };
    let traits = net.written_operator(kernel.node).map(|row| row.traits);
    let movement = traits.and_then(|it| it.movement);
    match kind {
        P::Conv | P::Pointwise | P::Stem | P::Depthwise => {
            Role::Blocked { reads_unblocked: conv.is_some_and(reads_unblocked) }
        }
        P::Pool => Role::Pool,
        P::Reduce if traits.is_some_and(|it| it.pool().is_some()) => Role::Pool,
        P::Elementwise if kernel.kind == KernelKind::BatchNorm => Role::Scale,
        P::Transpose => match permutation(net, kernel) {
            Some([0, 2, 3, 1]) => Role::ChannelsLast,
            Some([0, 3, 1, 2]) => Role::ChannelsFirst,
            _ => Role::Standard,
        },
        P::Copy if movement == Some(Movement::Join) && joins_channels(net, kernel) => Role::Follows,
        P::Resize => Role::Follows,
        P::Elementwise | P::Transcendental | P::Gelu => {
            let is_sum_or_product = traits.is_some_and(|it| it.is_commutative);
            let is_unary = kernel.reads.len() == 1 && kernel.weights == Expr::ZERO;
            match is_unary || (is_sum_or_product && have_one_shape(net, kernel)) {
                true => Role::Follows,
                false => Role::Standard,
            }
        }
        _ => Role::Standard,
    }
}

fn permutation<'n>(net: &Network<'n>, kernel: &Kernel) -> Option<&'n [i64]> {
    match net.model.attribute(kernel.node, "perm")? {
        AttributeValue::Ints(axes) => axes.held(),
        _ => None,
    }
}

/// Whether a kernel joins whole blocks of channels.
fn joins_channels(net: &Network<'_>, kernel: &Kernel) -> bool {
    let axis = match net.model.attribute(kernel.node, "axis") {
        Some(AttributeValue::Int(axis)) => *axis,
        _ => return false,
    };
    (axis == 1 || axis == -3) && kernel.reads.iter().all(|val| has_whole_blocks(net, *val))
}

fn has_whole_blocks(net: &Network<'_>, val: Val) -> bool {
    net.rank(val) == Some(4) && net.dim(val, 1).is_some_and(|channels| channels % BLOCK == 0)
}

fn have_one_shape(net: &Network<'_>, kernel: &Kernel) -> bool {
    match kernel.reads[..] {
        [a, b] => net.same_shape(a, b),
        _ => false,
    }
}

struct Layout<'n, 'a> {
    net: &'n Network<'a>,
    /// Values in blocks of channels.
    blocked: HashSet<Val>,
    /// Values that were copied to the other layout.
    in_both: HashSet<Val>,
    /// Values that something reads in the standard layout.
    needs_standard: HashSet<Val>,
    found: Vec<Kernel>,
}

impl Layout<'_, '_> {
    fn add(&mut self, mut kernel: Kernel, role: Role) {
        let is_blocked = |layout: &Self, val: &Val| layout.blocked.contains(val);
        let all_blocked =
            !kernel.reads.is_empty() && kernel.reads.iter().all(|val| is_blocked(self, val));
        let gives_blocks = match role {
            Role::Blocked { reads_unblocked } => {
                return self.add_convolution(kernel, reads_unblocked);
            }
            Role::Pool => {
                let is_whole = kernel.reads.iter().all(|val| has_whole_blocks(self.net, *val));
                if is_whole {
                    self.copy_to_blocks(&kernel);
                }
                is_whole
            }
            Role::Follows => {
                // On blocks it copies vectors.
                if all_blocked && kernel.processor == Some(ProcessorKind::Resize) {
                    kernel.processor = Some(ProcessorKind::Elementwise);
                }
                all_blocked
            }
            Role::Scale if all_blocked => {
                kernel.processor = Some(ProcessorKind::Depthwise);
                kernel.work.macs = kernel.results.clone();
                true
            }
            Role::ChannelsLast if all_blocked => {
                kernel.processor = Some(ProcessorKind::Reorder);
                self.found.push(kernel);
                return;
            }
            Role::ChannelsFirst
                if !kernel.writes.iter().any(|val| self.needs_standard.contains(val)) =>
            {
                kernel.processor = Some(ProcessorKind::Reorder);
                true
            }
            _ => false,
        };
        if gives_blocks {
            self.blocked.extend(kernel.writes.iter().copied());
        } else {
            for val in kernel.reads.clone() {
                self.copy_to_standard(&kernel, val);
            }
        }
        self.found.push(kernel);
    }

    /// A convolution on blocks. What it adds to its results must be in blocks too; else the
    /// addition is a kernel of its own, in the standard layout.
    fn add_convolution(&mut self, mut kernel: Kernel, reads_unblocked: bool) {
        let added: Vec<Val> = kernel.reads.iter().skip(1).copied().collect();
        let is_apart = added.iter().any(|val| !self.blocked.contains(val));
        let first = kernel.reads.first().copied();
        match first {
            Some(val) if reads_unblocked => self.copy_to_standard(&kernel, val),
            Some(val) if !self.blocked.contains(&val) && self.in_both.insert(val) => {
                self.reorder(&kernel, val);
            }
            _ => {}
        }
        let written = kernel.writes.clone();
        if is_apart {
            let sum = addition(&kernel);
            kernel.reads.truncate(1);
            kernel.activations = &kernel.activations - &kernel.results;
            self.found.push(kernel);
            if let Some(val) = written.first() {
                self.reorder(&sum, *val);
            }
            for val in added {
                self.copy_to_standard(&sum, val);
            }
            self.found.push(sum);
        } else {
            self.found.push(kernel);
            self.blocked.extend(written);
        }
    }

    fn copy_to_blocks(&mut self, kernel: &Kernel) {
        for val in &kernel.reads {
            if !self.blocked.contains(val) && self.in_both.insert(*val) {
                self.reorder(kernel, *val);
            }
        }
    }

    fn copy_to_standard(&mut self, kernel: &Kernel, val: Val) {
        if self.blocked.contains(&val) && self.in_both.insert(val) {
            self.reorder(kernel, val);
        }
    }

    fn reorder(&mut self, like: &Kernel, val: Val) {
        let size = elements(self.net, val);
        self.found.push(Kernel {
            kind: KernelKind::Copy,
            op: Op::Operator("ReorderOutput"),
            processor: Some(ProcessorKind::Reorder),
            activations: &size * 2,
            results: size,
            reads: vec![val],
            writes: Vec::new(),
            ..bare(like)
        });
    }
}

/// A kernel at the same node that does nothing.
pub(super) fn bare(like: &Kernel) -> Kernel {
    Kernel {
        work: Work::none(),
        activations: Expr::ZERO,
        weights: Expr::ZERO,
        depth: Expr::ONE,
        results: Expr::ZERO,
        rows: Expr::ONE,
        lanes: Expr::ONE,
        steps: Expr::ONE,
        quantized: None,
        reads: Vec::new(),
        writes: Vec::new(),
        is_sized: true,
        ..like.clone()
    }
}

/// The addition to a kernel's results, as a kernel of its own.
pub(super) fn addition(kernel: &Kernel) -> Kernel {
    Kernel {
        kind: KernelKind::Elementwise,
        op: Op::Operator("Add"),
        processor: Some(ProcessorKind::Elementwise),
        activations: &kernel.results * 3,
        results: kernel.results.clone(),
        ..bare(kernel)
    }
}
