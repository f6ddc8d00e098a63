//! The kind of a kernel that was measured alone, from its shape.

use super::{KernelKind, convolution_kind, product_kind};

/// The kind of a measured kernel as the timing models spell it, and how many products are summed for
/// one result. `operator` and `shape` are columns of the table of measured kernels; `None` where
/// either is not known.
///
/// A product is rows x depth x columns, an attention batch x heads x length x width; a convolution is
/// a list such as `b8 c64 o64 hw56 k3 s1 g1`.
pub fn kernel_of_shape(operator: &str, shape: &str) -> Option<(&'static str, i64)> {
    let side = |at: usize| shape.split('x').nth(at)?.parse::<i64>().ok();
    let named = |name: &str| {
        let letters = |part: &&str| part.trim_end_matches(|c: char| c.is_ascii_digit()) == name;
        shape.split(' ').find(letters)?[name.len()..].parse::<i64>().ok()
    };
    let (kind, depth) = match operator {
        "gemm" => (product_kind(i128::from(side(0)?)), side(1)?),
        "conv" | "depthwise" => {
            let (channels, groups, kernel) = (named("c")?, named("g")?, named("k")?);
            let is_depthwise = groups > 1 && groups == channels;
            let kind = convolution_kind(channels, groups, is_depthwise, kernel == 1);
            (kind, channels / groups.max(1) * kernel * kernel)
        }
        "attention" => (KernelKind::Attention, side(2)?),
        "batchnorm" => (KernelKind::BatchNorm, 1),
        "elementwise" => (KernelKind::Elementwise, 1),
        "gather" => (KernelKind::Gather, 1),
        "layernorm" => (KernelKind::LayerNorm, 1),
        "maxpool" => (KernelKind::Pool, 1),
        "reduce" => (KernelKind::Reduce, 1),
        "softmax" => (KernelKind::Softmax, 1),
        "transpose" => (KernelKind::Copy, 1),
        _ => return None,
    };
    Some((kind.id(), depth))
}

#[cfg(test)]
mod tests {
    use super::kernel_of_shape;

    #[test]
    fn shapes_decide_the_kind() {
        for (operator, shape, wanted) in [
            ("gemm", "4x768x3072", ("gemv", 768)),
            ("gemm", "5x768x3072", ("gemm", 768)),
            ("conv", "b8 c64 o64 hw56 k3 s1 g1", ("conv", 576)),
            ("conv", "b8 c64 o256 hw56 k1 s1 g1", ("pointwise", 64)),
            ("conv", "b32 c3 o768 hw224 k16 s16 g1", ("stem", 768)),
            ("conv", "b8 c128 o128 hw56 k3 s1 g32", ("grouped", 36)),
            ("depthwise", "b8 c144 o144 hw56 k3 s1 g144", ("depthwise", 9)),
            ("attention", "8x12x1024x64", ("attention", 1024)),
            ("transpose", "4096x4096", ("copy", 1)),
        ] {
            assert_eq!(kernel_of_shape(operator, shape), Some(wanted), "{operator} {shape}");
        }
        assert_eq!(kernel_of_shape("gemm", "768"), None);
        assert_eq!(kernel_of_shape("fft", "768"), None);
    }
}
