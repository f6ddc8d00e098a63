//! Batch norms that an exporter folded into convolutions.
//!
//! The file does not contain them, but the PyTorch model that it was exported from runs each one as
//! a kernel after its convolution. The timing models were fitted on that.

use calipers_arch::is_norm_folded;
use calipers_arch::network::{BlockKind, Network, NetworkOp, Op, Val};
use calipers_ops::Work;
use calipers_sym::Expr;
use hashbrown::HashSet;

use super::{Kernel, KernelKind, elements, plain};

/// A network with more convolutions than this, all with biases and no norm, had its norms folded.
const TOO_MANY_WITHOUT: usize = 40;

/// The convolutions that had a batch norm before the export.
pub(super) struct Unfolded {
    had_norms: bool,
    /// Outputs of convolutions that never had one: those of squeeze-and-excite blocks.
    without: HashSet<Val>,
}

impl Unfolded {
    pub(super) fn new(net: &Network<'_>) -> Self {
        let without = net
            .all()
            .filter(|unit| unit.is(BlockKind::SqueezeExcite))
            .flat_map(NetworkOp::walk)
            .filter(|unit| unit.is(BlockKind::Convolution))
            .flat_map(|unit| unit.outputs.iter().copied())
            .collect();
        Self { had_norms: is_norm_folded(net) || is_partly_folded(net), without }
    }

    /// Whether PyTorch runs a batch norm after this convolution.
    pub(super) fn has_norm(&self, unit: &NetworkOp) -> bool {
        self.had_norms
            && unit.convolution().is_some_and(|conv| conv.bias)
            && !unit.outputs.iter().any(|output| self.without.contains(output))
    }
}

/// Whether the norms after convolutions were folded, in networks that join paths by concatenation
/// or that keep norms before convolutions.
fn is_partly_folded(net: &Network<'_>) -> bool {
    let convs = net.all().filter_map(|unit| unit.convolution());
    let (mut all, mut biased) = (0_usize, 0_usize);
    for conv in convs {
        all += 1;
        biased += usize::from(conv.bias);
    }
    let mut others = BlockKind::NORMS.iter().copied().filter(|kind| *kind != BlockKind::BatchNorm);
    if all <= TOO_MANY_WITHOUT || others.any(|kind| net.count(kind) > 0) {
        return false;
    }
    if net.count(BlockKind::BatchNorm) > 0 {
        // Models build convolutions all with or all without biases; a mix comes from folding.
        return biased * 4 >= all && biased * 4 <= all * 3;
    }
    biased * 20 >= all * 19
}

/// The batch norm after a convolution: it reads and writes the convolution's output.
pub(super) fn after(net: &Network<'_>, unit: &NetworkOp) -> Kernel {
    let mut kernel = plain(net, unit, KernelKind::BatchNorm);
    let results: Expr = unit.outputs.iter().map(|output| elements(net, *output)).sum();
    kernel.op = Op::Block(BlockKind::BatchNorm);
    kernel.work = Work::of_flops(&results * 2);
    kernel.activations = &results * 2;
    kernel.weights = Expr::ZERO;
    kernel.reads = kernel.writes.clone();
    kernel.quantized = None;
    kernel
}
