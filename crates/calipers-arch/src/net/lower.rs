//! Which plain operator each quantised, fused or packed operator stands for.
//!
//! To add one, add its line to [`LOWERINGS`]. An operator without a line stands for itself.

use super::build::{Builder, Given};

/// What an operator stands for.
#[derive(Clone, Copy)]
pub(super) enum Lowering {
    /// Its first input, looked through.
    Through,
    /// This operator, with these of its inputs.
    As(&'static str, &'static [usize]),
    /// Several, which the function adds.
    Steps(fn(&mut Builder<'_>, &Given<'_>)),
}

use Lowering::{As, Steps, Through};

/// Sorted by name.
pub(super) const LOWERINGS: &[(&str, Lowering)] = &[
    ("Attention", Steps(|b, n| attention(b, n, 5))),
    ("BatchNormalization", As("BatchNormalization", &[0, 1, 2, 3, 4])),
    ("BiasAdd", Steps(bias_add)),
    ("BiasGelu", Steps(bias_gelu)),
    ("BiasSoftmax", Steps(bias_softmax)),
    ("Cast", Through),
    ("CastLike", Through),
    ("Conv", Steps(fused_conv)),
    ("ConvInteger", As("Conv", &[0, 1])),
    ("DecoderMaskedSelfAttention", Steps(|b, n| attention(b, n, 5))),
    ("DequantizeLinear", Through),
    ("Dropout", Through),
    ("DynamicQuantizeLSTM", As("LSTM", &[0, 1, 2, 3, 4, 5, 6, 7])),
    ("DynamicQuantizeLinear", Through),
    ("DynamicQuantizeMatMul", Steps(|b, n| matmul(b, n, [0, 1, 4], None))),
    ("EmbedLayerNormalization", Steps(embeddings)),
    ("FastGelu", Steps(bias_gelu)),
    ("FusedConv", Steps(fused_conv)),
    ("FusedGemm", Steps(fused_gemm)),
    ("FusedMatMul", As("MatMul", &[0, 1])),
    ("FusedMatMulActivation", As("MatMul", &[0, 1])),
    ("GatherBlockQuantized", As("Gather", &[0, 1])),
    ("GemmFastGelu", Steps(|b, n| matmul(b, n, [0, 1, 2], Some("Gelu")))),
    ("GemmFloat8", As("Gemm", &[0, 1, 2])),
    ("GroupNorm", As("GroupNormalization", &[0, 1, 2])),
    ("Identity", Through),
    ("MatMulBnb4", As("MatMul", &[0, 1])),
    ("MatMulFpQ4", As("MatMul", &[0, 1])),
    ("MatMulInteger", As("MatMul", &[0, 1])),
    ("MatMulInteger16", As("MatMul", &[0, 1])),
    ("MatMulIntegerToFloat", Steps(|b, n| matmul(b, n, [0, 1, 6], None))),
    ("MatMulNBits", Steps(|b, n| matmul(b, n, [0, 1, 5], None))),
    ("NhwcConv", As("Conv", &[0, 1, 2])),
    ("NhwcFusedConv", Steps(fused_conv)),
    ("NhwcMaxPool", As("MaxPool", &[0])),
    ("PackedAttention", Steps(|b, n| attention(b, n, 5))),
    ("QAttention", Steps(|b, n| attention(b, n, usize::MAX))),
    ("QGemm", As("Gemm", &[0, 3, 6])),
    ("QLinearAdd", As("Add", &[0, 3])),
    ("QLinearAveragePool", As("AveragePool", &[0])),
    ("QLinearConcat", Steps(concat)),
    ("QLinearConv", As("Conv", &[0, 3, 8])),
    ("QLinearConvTranspose", As("ConvTranspose", &[0, 3, 8])),
    ("QLinearGlobalAveragePool", As("GlobalAveragePool", &[0])),
    ("QLinearLeakyRelu", As("LeakyRelu", &[0])),
    ("QLinearMatMul", As("MatMul", &[0, 3])),
    ("QLinearMul", As("Mul", &[0, 3])),
    ("QLinearReduceMean", As("ReduceMean", &[0])),
    ("QLinearSigmoid", As("Sigmoid", &[0])),
    ("QLinearSoftmax", As("Softmax", &[0])),
    ("QLinearWhere", As("Where", &[0, 1, 4])),
    ("QuantizeLinear", Through),
    ("ReorderInput", Steps(reorder)),
    ("ReorderOutput", Steps(reorder)),
    ("SimplifiedLayerNormalization", As("RMSNormalization", &[0, 1])),
    ("SkipGroupNorm", Steps(skip_group_norm)),
    ("SkipLayerNormalization", Steps(|b, n| skip_norm(b, n, "LayerNormalization", &[2, 3], 4))),
    (
        "SkipSimplifiedLayerNormalization",
        Steps(|b, n| skip_norm(b, n, "RMSNormalization", &[2], 3)),
    ),
    ("Sum", Steps(sum)),
    ("TransposeMatMul", As("MatMul", &[0, 1])),
];

/// What an operator stands for, if not for itself. Names are looked up without their domain: none
/// of them means two things.
pub(super) fn lowering(op: &str) -> Option<Lowering> {
    let place = LOWERINGS.binary_search_by(|(name, _)| (*name).cmp(op)).ok()?;
    Some(LOWERINGS[place].1)
}

/// The contrib operators project to query, key and value before they attend; the standard one of
/// the same name does not. It is kept by another name, for the block is called `Attention`. What is
/// added to the scores stands at `bias`.
fn attention(b: &mut Builder<'_>, n: &Given<'_>, bias: usize) {
    if n.row.is_none_or(|row| row.domain == calipers_ops::ONNX) {
        b.finish("DotProductAttention", n, n.inputs);
        return;
    }
    let mut projected = b.inner("MatMul", n, &[n.input(0), n.input(1)]);
    if n.input(2).is_some() {
        projected = b.inner("Add", n, &[projected, n.input(2)]);
    }
    b.finish("PackedAttention", n, &[projected, n.input(bias)]);
}

fn bias_add(b: &mut Builder<'_>, n: &Given<'_>) {
    let biased = b.step("Add", n, &[n.input(0), n.input(1)]);
    b.finish("Add", n, &[biased, n.input(2)]);
}

fn bias_gelu(b: &mut Builder<'_>, n: &Given<'_>) {
    let mut x = n.input(0);
    if n.input(1).is_some() {
        x = b.step("Add", n, &[x, n.input(1)]);
    }
    b.finish("Gelu", n, &[x]);
}

fn bias_softmax(b: &mut Builder<'_>, n: &Given<'_>) {
    let biased = b.step("Add", n, &[n.input(0), n.input(1)]);
    b.finish("Softmax", n, &[biased]);
}

/// A product, its bias at the third place, and a curve.
fn matmul(b: &mut Builder<'_>, n: &Given<'_>, at: [usize; 3], curve: Option<&'static str>) {
    let operands = [n.input(at[0]), n.input(at[1])];
    let bias = n.input(at[2]);
    let mut steps: Vec<(&'static str, super::build::Slot)> = Vec::new();
    steps.extend(bias.map(|_| ("Add", bias)));
    steps.extend(curve.map(|curve| (curve, None)));
    b.chain("MatMul", n, &operands, &steps);
}

/// Token, segment and position tables, added and normalised.
fn embeddings(b: &mut Builder<'_>, n: &Given<'_>) {
    let mut sum = b.step("Gather", n, &[n.input(2), n.input(0)]);
    if n.input(4).is_some() {
        let segments = b.step("Gather", n, &[n.input(4), n.input(1)]);
        sum = b.step("Add", n, &[sum, segments]);
    }
    sum = b.step("Add", n, &[sum, n.input(3)]);
    b.finish("LayerNormalization", n, &[sum, n.input(5), n.input(6)]);
}

/// Channels in blocks, as ONNX Runtime lays them out for a processor, and back: the same data. With
/// channels last it is a transposition too.
fn reorder(b: &mut Builder<'_>, n: &Given<'_>) {
    if b.int(n, "channels_last") == Some(1) {
        b.finish("Transpose", n, &[n.input(0)]);
    } else {
        b.through(n);
    }
}

/// A convolution, what is added to it, and its curve. That of the standard has neither; that of
/// blocked channels has the same name.
fn fused_conv(b: &mut Builder<'_>, n: &Given<'_>) {
    let operands = [n.input(0), n.input(1), n.input(2)];
    let mut steps: Vec<(&'static str, super::build::Slot)> = Vec::new();
    steps.extend(n.input(3).map(|_| ("Add", n.input(3))));
    steps.extend(b.activation(n).map(|curve| (curve, None)));
    b.chain("Conv", n, &operands, &steps);
}

fn fused_gemm(b: &mut Builder<'_>, n: &Given<'_>) {
    let operands = [n.input(0), n.input(1), n.input(2)];
    let curve: Vec<_> = b.activation(n).map(|curve| (curve, None)).into_iter().collect();
    b.chain("Gemm", n, &operands, &curve);
}

/// Each part comes with its scale and zero point, after those of the result.
fn concat(b: &mut Builder<'_>, n: &Given<'_>) {
    let parts: Vec<_> = (2..n.inputs.len()).step_by(3).map(|at| n.input(at)).collect();
    b.finish("Concat", n, &parts);
}

fn skip_group_norm(b: &mut Builder<'_>, n: &Given<'_>) {
    let mut sum = b.step("Add", n, &[n.input(0), n.input(3)]);
    if n.input(4).is_some() {
        sum = b.step("Add", n, &[sum, n.input(4)]);
    }
    b.name_output(n, 1, sum);
    b.finish("GroupNormalization", n, &[sum, n.input(1), n.input(2)]);
}

/// A residual addition and the norm after it. The sum is the fourth output.
fn skip_norm(
    b: &mut Builder<'_>,
    n: &Given<'_>,
    norm: &'static str,
    weights: &[usize],
    bias: usize,
) {
    let mut path = n.input(0);
    if n.input(bias).is_some() {
        path = b.step("Add", n, &[path, n.input(bias)]);
    }
    let sum = b.step("Add", n, &[path, n.input(1)]);
    b.name_output(n, 3, sum);
    let mut inputs = vec![sum];
    inputs.extend(weights.iter().map(|at| n.input(*at)));
    b.finish(norm, n, &inputs);
}

/// A sum of many is additions, two at a time.
fn sum(b: &mut Builder<'_>, n: &Given<'_>) {
    let parts: Vec<_> = n.inputs.iter().copied().flatten().collect();
    match parts[..] {
        [] => {}
        [only] => b.name_output(n, 0, Some(only)),
        [first, ref middle @ .., last] => {
            let add = |b: &mut Builder<'_>, sum, next| b.step("Add", n, &[sum, Some(next)]);
            let sum = middle.iter().try_fold(first, |sum, next| add(b, Some(sum), *next));
            b.finish("Add", n, &[sum, Some(last)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use calipers_samples::{Attribute, Node};

    use super::LOWERINGS;
    use crate::blocks::testing::{Look as _, Tiny};

    #[test]
    fn blocked_channels_and_what_is_fused() {
        let mut t = Tiny::new();
        let x = t.input(&["1", "8", "16", "16"]);
        let (weight, bias) = (t.weight(&[8, 8, 3, 3]), t.weight(&[8]));
        let pads = Attribute::ints("pads", &[1; 4]);
        let blocked = |op: &str, inputs: &[&str], output: &str, with: &[Attribute]| {
            Node::new(op, inputs, &[output], with).in_domain(calipers_ops::NCHWC)
        };
        t.push(&blocked("ReorderInput", &[&x], "a", &[]));
        let limits = Attribute::floats("activation_params", &[0.0, 6.0]);
        let clip = [pads.clone(), Attribute::string("activation", "Clip"), limits];
        t.push(&blocked("Conv", &["a", &weight, &bias], "b", &clip));
        t.push(&blocked("Conv", &["b", &weight, &bias, "a"], "c", &[pads]));
        let channels = [Attribute::int("channels", 8)];
        t.push(&blocked("ReorderOutput", &["c"], "y", &channels));
        let seen = t.output("y");
        let found = ["Conv", "ReLU6", "ResidualAdd"].map(|kind| seen.count(kind));
        assert_eq!(found, [2, 1, 1]);
    }

    #[test]
    fn the_table_is_sorted() {
        assert!(LOWERINGS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
