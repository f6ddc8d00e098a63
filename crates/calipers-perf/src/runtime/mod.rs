//! Runtimes: which kernels each one launches for the same network.
//!
//! | | PyTorch | ONNX Runtime | TensorRT |
//! |---|---|---|---|
//! | batch norm folded by the exporter | a kernel | none | none |
//! | GELU written with tanh | a kernel per operator | one kernel | one kernel |
//! | attention | one kernel where exported from fused attention | one kernel with a mask | one kernel |
//! | fusions | none | [`ONNX_RUNTIME`](fusion::ONNX_RUNTIME) | those, and pointwise chains |
//!
//! The timing models were fitted on PyTorch, so the other two have a wider range.

mod fusion;

use calipers_arch::network::{BlockKind, BlockProperties as _, Network, NetworkOp, Op};
use calipers_report::Runtime;
pub(crate) use fusion::fuse;
use fusion::{Fusion, ONNX_RUNTIME, PROCESSOR, TENSORRT};

/// What a runtime makes of a network.
pub(crate) struct RuntimeModel {
    /// Whether batch norms that the exporter folded into convolutions run as kernels.
    pub(crate) unfolds_norms: bool,
    /// Whether a GELU that is written with tanh is one kernel.
    pub(crate) fuses_tanh_gelu: bool,
    /// Whether a norm or activation that is written as several operators is one kernel.
    pub(crate) fuses_block: fn(&Network<'_>, &NetworkOp) -> bool,
    /// Which attentions are one kernel.
    pub(crate) attention: FusedAttention,
    /// Pairs of kernels that run as one.
    pub(crate) fusions: &'static [Fusion],
    /// Factor on the range, because the timing models were fitted on another runtime.
    pub(crate) range_factor: f64,
}

/// Which attentions a runtime runs as one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FusedAttention {
    /// Those that the file has as one operator.
    Never,
    /// Those that were exported from PyTorch's fused attention.
    Exported,
    /// Those with a mask and equal numbers of heads, which ONNX Runtime's `AttentionFusion` matches.
    Masked,
    /// All of them.
    All,
}

impl RuntimeModel {
    /// ONNX Runtime on a processor.
    pub(crate) const PROCESSOR: Self = Self {
        unfolds_norms: false,
        fuses_tanh_gelu: true,
        fuses_block: is_fused_on_processors,
        attention: FusedAttention::Never,
        fusions: PROCESSOR,
        range_factor: 1.0,
    };

    /// Returns the model of a runtime.
    pub(crate) const fn new(runtime: Runtime) -> &'static Self {
        match runtime {
            Runtime::PyTorch => &Self {
                unfolds_norms: true,
                fuses_tanh_gelu: false,
                fuses_block: |_, _| true,
                attention: FusedAttention::Exported,
                fusions: &[],
                range_factor: 1.0,
            },
            Runtime::OnnxRuntime => &Self {
                unfolds_norms: false,
                fuses_tanh_gelu: true,
                fuses_block: |_, _| true,
                attention: FusedAttention::Masked,
                fusions: ONNX_RUNTIME,
                range_factor: 1.25,
            },
            Runtime::TensorRt => &Self {
                unfolds_norms: false,
                fuses_tanh_gelu: true,
                fuses_block: |_, _| true,
                attention: FusedAttention::All,
                fusions: TENSORRT,
                range_factor: 1.25,
            },
        }
    }

    /// Whether the timing models were fitted on this runtime.
    pub(crate) fn is_measured(&self) -> bool {
        self.range_factor <= 1.0
    }
}

/// Whether ONNX Runtime has a fusion for a norm or activation on a processor. GELU and SiLU are
/// fused as PyTorch exports them, with constants second; a norm only where it divides by the
/// deviation.
fn is_fused_on_processors(net: &Network<'_>, block: &NetworkOp) -> bool {
    let nodes = || block.walk().filter(|part| part.parts.is_empty());
    match block.op {
        _ if nodes().count() < 2 => true,
        Op::Block(BlockKind::LayerNorm | BlockKind::RmsNorm) => {
            !nodes().any(|node| node.is("Reciprocal"))
        }
        Op::Block(BlockKind::Gelu) => {
            let scales = |node: &NetworkOp| {
                node.is("Mul") && node.input(0).is_some_and(|factor| !net.is_data(factor))
            };
            !(nodes().any(|node| node.is("Tanh")) && nodes().any(scales))
        }
        Op::Block(BlockKind::Silu | BlockKind::Relu6) => true,
        Op::Block(kind) => kind.activation().is_none(),
        Op::Operator(_) | Op::Unknown => true,
    }
}

#[cfg(test)]
mod tests;
