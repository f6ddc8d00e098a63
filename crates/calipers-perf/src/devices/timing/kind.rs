//! Which kinds of kernels share a timing model.

use calipers_report::KernelKind;

/// Returns the kind whose timing model is used where this one has none.
pub(super) fn substitute(kind: KernelKind) -> Option<KernelKind> {
    match kind {
        KernelKind::Grouped | KernelKind::Pointwise | KernelKind::Stem => Some(KernelKind::Conv),
        KernelKind::Gemv | KernelKind::Recurrent => Some(KernelKind::Gemm),
        KernelKind::Other => Some(KernelKind::Elementwise),
        KernelKind::Attention
        | KernelKind::BatchNorm
        | KernelKind::Conv
        | KernelKind::Copy
        | KernelKind::Depthwise
        | KernelKind::Elementwise
        | KernelKind::Gather
        | KernelKind::Gemm
        | KernelKind::LayerNorm
        | KernelKind::Pool
        | KernelKind::Reduce
        | KernelKind::Softmax => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_substitute_needs_no_substitute() {
        for kind in KernelKind::ALL.iter().copied().filter_map(substitute) {
            assert_eq!(substitute(kind), None, "{kind:?}");
        }
    }
}
