//! Batch norms that an exporter folded into convolutions.
//!
//! The file does not have them, the framework that the model comes from runs them: a kernel of their
//! own after each convolution. The measured rows are of such a framework.

use calipers_arch::is_norm_folded;
use calipers_arch::network::{BlockKind, Network, NetworkOp, Op, Val};
use calipers_ops::Work;
use calipers_sym::Expr;
use hashbrown::HashSet;

use super::{Kernel, KernelKind, elements, plain};

/// More convolutions than this, without any norm but with biases throughout, were not trained so.
const TOO_MANY_WITHOUT: usize = 40;

/// Which convolutions had a batch norm.
pub(super) struct Unfolded {
    had_norms: bool,
    /// Results of convolutions that never had one: those that squeeze and excite.
    without: HashSet<Val>,
}

impl Unfolded {
    pub(super) fn of(net: &Network<'_>) -> Self {
        let without = net
            .all()
            .filter(|unit| unit.is(BlockKind::SqueezeExcite))
            .flat_map(NetworkOp::walk)
            .filter(|unit| unit.is(BlockKind::Convolution))
            .flat_map(|unit| unit.outputs.iter().copied())
            .collect();
        Self { had_norms: is_norm_folded(net) || is_partly_folded(net), without }
    }

    /// Whether the framework runs a batch norm after this convolution.
    pub(super) fn has_norm(&self, unit: &NetworkOp) -> bool {
        self.had_norms
            && unit.convolution().is_some_and(|conv| conv.bias)
            && !unit.outputs.iter().any(|output| self.without.contains(output))
    }
}

/// Whether the norms behind convolutions were folded where paths are joined by concatenation, or
/// while norms before convolutions were left.
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
        // Convolutions are built with biases or without; where both are, the biases were norms.
        return biased * 4 >= all && biased * 4 <= all * 3;
    }
    biased * 20 >= all * 19
}

/// The norm after a convolution: it reads what the convolution gives, and writes as much.
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
