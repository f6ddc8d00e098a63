//! Writing quantized, fused and packed operators as the plain ones that they are variants of.
//!
//! Whether an operator is a variant is in its row in `calipers-ops`; each kind of [`Lowering`] is carried
//! out here.

use calipers_ops::{Activation, Lowering, Norm};

use super::build::{Builder, DOT_PRODUCT_ATTENTION, Given, Input, trimmed};
use super::{BlockKind, Op};

/// Adds a node to the network, as itself or as the plain operators it is a variant of.
pub(super) fn lower(b: &mut Builder<'_>, n: &Given<'_>) {
    match n.row.map_or(Lowering::Keep, |row| row.traits.lowering) {
        Lowering::Keep => b.plain(n),
        Lowering::Forward => b.through(n),
        Lowering::As(op, places) => {
            let inputs: Vec<Input> = places.iter().map(|place| n.input(*place)).collect();
            b.finish(op, n, trimmed(&inputs));
        }
        Lowering::MatMul { factors, bias, activation } => matmul(b, n, factors, bias, activation),
        Lowering::MatMuls { weights, gate } => matmuls(b, n, weights, gate),
        Lowering::Convolution => fused_conv(b, n),
        Lowering::Gemm => fused_gemm(b, n),
        Lowering::Attention => b.finish(DOT_PRODUCT_ATTENTION, n, n.inputs),
        Lowering::ProjectedAttention { bias } => attention(b, n, bias),
        Lowering::Activation(activation) => activated(b, n, activation),
        Lowering::BiasAdd => bias_add(b, n),
        Lowering::BiasGelu => bias_gelu(b, n),
        Lowering::BiasSoftmax => bias_softmax(b, n),
        Lowering::Embeddings => embeddings(b, n),
        Lowering::Concat => concat(b, n),
        Lowering::Reorder => reorder(b, n),
        Lowering::SkipNorm(norm) => skip_norm(b, n, norm),
        Lowering::Sum => sum(b, n),
    }
}

/// The operator of the standard that computes an activation function, or the block that represents it.
fn activated(b: &mut Builder<'_>, n: &Given<'_>, activation: Activation) {
    match (operator_of(activation), activation) {
        (Some(op), _) => b.finish(op, n, &n.inputs[..n.inputs.len().min(1)]),
        (None, Activation::Relu6) => {
            b.finish(BlockKind::Relu6, n, &n.inputs[..n.inputs.len().min(1)]);
        }
        (None, _) => b.plain(n),
    }
}

/// The operator of the standard that computes an activation function, where it has one.
fn operator_of(activation: Activation) -> Option<&'static str> {
    Some(match activation {
        Activation::Celu => "Celu",
        Activation::Elu => "Elu",
        Activation::Gelu => "Gelu",
        Activation::HardSigmoid => "HardSigmoid",
        Activation::HardSwish => "HardSwish",
        Activation::LeakyRelu => "LeakyRelu",
        Activation::Mish => "Mish",
        Activation::Prelu => "PRelu",
        Activation::Relu => "Relu",
        Activation::Selu => "Selu",
        Activation::Sigmoid => "Sigmoid",
        Activation::Silu => "Swish",
        Activation::Softplus => "Softplus",
        Activation::Softsign => "Softsign",
        Activation::Tanh => "Tanh",
        Activation::ThresholdedRelu => "ThresholdedRelu",
        Activation::Relu6 | Activation::ReluSquared => return None,
    })
}

/// Projection to queries, keys and values, and attention. What is added to the scores is the input
/// `bias`.
fn attention(b: &mut Builder<'_>, n: &Given<'_>, bias: Option<usize>) {
    let mut projected = b.inner("MatMul", n, &[n.input(0), n.input(1)]);
    if n.input(2).is_some() {
        projected = b.inner("Add", n, &[projected, n.input(2)]);
    }
    b.finish("PackedAttention", n, &[projected, bias.and_then(|at| n.input(at))]);
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

/// A product, its bias and an activation function.
fn matmul(
    b: &mut Builder<'_>,
    n: &Given<'_>,
    factors: [usize; 2],
    bias: Option<usize>,
    activation: Option<Activation>,
) {
    let operands = factors.map(|at| n.input(at));
    let mut steps: Vec<(Op, Input)> = Vec::new();
    steps.extend(bias.and_then(|at| n.input(at)).map(|bias| ("Add".into(), Some(bias))));
    steps.extend(activation.and_then(operator_of).map(|op| (op.into(), None)));
    b.chain("MatMul", n, &operands, &steps);
}

/// Products of one input, which is added to and normalized first where that is given. With a gate,
/// the activated first product multiplies the second; else each product is an output. What was
/// added up is the output behind those.
fn matmuls(b: &mut Builder<'_>, n: &Given<'_>, weights: &[[usize; 2]], gate: Option<Activation>) {
    let mut x = n.input(0);
    if n.input(1).is_some() {
        x = b.step_like(n.input(0), "Add", n, &[x, n.input(1)]);
        let outputs = if gate.is_some() { 1 } else { weights.len() };
        b.name_output(n, outputs, x);
    }
    if n.input(2).is_some() {
        x = b.step_like(n.input(0), "RMSNormalization", n, &[x, n.input(2)]);
    }
    let mut products = Vec::with_capacity(weights.len());
    for (place, [weight, bias]) in weights.iter().enumerate() {
        let output = if gate.is_some() { 0 } else { place };
        let mut product = b.step_to(output, "MatMul", n, &[x, n.input(*weight)]);
        if n.input(*bias).is_some() {
            product = b.step_to(output, "Add", n, &[product, n.input(*bias)]);
        }
        if gate.is_none() {
            b.name_output(n, place, product);
        }
        products.push(product);
    }
    if let (Some(op), [gated, value]) = (gate.and_then(operator_of), &products[..]) {
        let activated = b.step(op, n, &[*gated]);
        b.finish("Mul", n, &[activated, *value]);
    }
}

/// Token, segment and position tables, added and normalized.
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

/// A convolution, what is added to it, and its activation. That of the standard has neither; that of
/// blocked channels has the same name.
fn fused_conv(b: &mut Builder<'_>, n: &Given<'_>) {
    let operands = [n.input(0), n.input(1), n.input(2)];
    let mut steps: Vec<(Op, Input)> = Vec::new();
    steps.extend(n.input(3).map(|_| ("Add".into(), n.input(3))));
    steps.extend(b.activation(n).map(|activation| (activation, None)));
    b.chain("Conv", n, &operands, &steps);
}

fn fused_gemm(b: &mut Builder<'_>, n: &Given<'_>) {
    let operands = [n.input(0), n.input(1), n.input(2)];
    let activation: Vec<_> =
        b.activation(n).map(|activation| (activation, None)).into_iter().collect();
    b.chain("Gemm", n, &operands, &activation);
}

/// Each part comes with its scale and zero point, after those of the result.
fn concat(b: &mut Builder<'_>, n: &Given<'_>) {
    let parts: Vec<_> = (2..n.inputs.len()).step_by(3).map(|at| n.input(at)).collect();
    b.finish("Concat", n, &parts);
}

/// Residual additions and the norm behind them. The sum is an output of its own.
fn skip_norm(b: &mut Builder<'_>, n: &Given<'_>, norm: Norm) {
    // The skip, the bias on it, the norm's weights, and the output with the sum.
    let (op, skip, bias, weights, output): (_, _, _, &[usize], _) = match norm {
        Norm::Group => ("GroupNormalization", 3, 4, &[1, 2], 1),
        Norm::Rms => ("RMSNormalization", 1, 3, &[2], 3),
        Norm::Layer => ("LayerNormalization", 1, 4, &[2, 3], 3),
        // No operator adds to a tensor before one of these.
        Norm::Batch | Norm::Instance | Norm::LocalResponse | Norm::Lp | Norm::MeanVariance => {
            return b.plain(n);
        }
    };
    let add = |b: &mut Builder<'_>, sum, at| match n.input(at) {
        Some(operand) => b.step("Add", n, &[sum, Some(operand)]),
        None => sum,
    };
    // A group norm's bias is on the sum, the others' on what the layer before gives.
    let sum = match norm {
        Norm::Group => {
            let sum = b.step("Add", n, &[n.input(0), n.input(skip)]);
            add(b, sum, bias)
        }
        _ => {
            let path = add(b, n.input(0), bias);
            b.step("Add", n, &[path, n.input(skip)])
        }
    };
    b.name_output(n, output, sum);
    let inputs: Vec<Input> =
        std::iter::once(sum).chain(weights.iter().map(|at| n.input(*at))).collect();
    b.finish(op, n, &inputs);
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
    use calipers_ops::{Activation, Lowering};
    use calipers_samples::{Attribute, DataType, Node};

    use super::super::build::{DOT_PRODUCT_ATTENTION, plain_operator};
    use super::operator_of;
    use crate::blocks::testing::{Inspect as _, Seen, Tiny};
    use crate::network::{BlockKind, Op};

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
        let found = [Op::from("Conv"), BlockKind::Relu6.into(), BlockKind::ResidualAdd.into()];
        let found = found.map(|op| seen.count(op));
        assert_eq!(found, [2, 1, 1]);
    }

    /// Widths of the linear layers, by place.
    fn layers(seen: &Seen) -> Vec<(Option<i64>, Option<i64>)> {
        seen.inspect(|net| {
            let layers = net.all().filter_map(|unit| unit.linear());
            layers.map(|linear| (linear.in_features, linear.out_features)).collect()
        })
    }

    #[test]
    fn packed_products_are_linear_layers() {
        for (op, dtype, columns) in [
            ("MatMulBlockQuantizedFp8Weight", DataType::F8E4M3FN, 16),
            // Two to a byte.
            ("MatMulBlockQuantizedFp4Weight", DataType::U8, 8),
        ] {
            let mut t = Tiny::new();
            let x = t.input(&["2", "16"]);
            let bytes = vec![1; usize::try_from(8 * columns).unwrap()];
            let (weight, scale) = (t.raw(dtype, &[8, columns], &bytes), t.weight(&[8, 1]));
            let y = t.contrib(op, &[&x, &weight, &scale]);
            let seen = t.output(&y);
            assert_eq!(layers(&seen), [(Some(16), Some(8))], "{op}");
            assert_eq!(
                seen.inspect(|net| net.units().map(|(_, unit)| unit.contractions()).sum::<usize>()),
                1
            );
        }
    }

    #[test]
    fn grouped_packed_products_are_a_layer_each() {
        let attributes = |names: &[(&str, i64)]| -> Vec<Attribute> {
            names.iter().map(|(name, value)| Attribute::int(name, *value)).collect()
        };
        let mut t = Tiny::new();
        let x = t.input(&["2", "16"]);
        let (weight, scale) = (t.raw(DataType::U8, &[8, 1, 8], &[1; 64]), t.weight(&[8]));
        let inputs = [&x, "", "", &weight, &scale, "", &weight, &scale, ""];
        let with = attributes(&[("K", 16), ("N", 8), ("bits", 4), ("block_size", 16)]);
        let y = t.contrib_with("MatMulNBitsMlp", &inputs, &with);
        let seen = t.output(&y);
        assert_eq!(layers(&seen), [(Some(16), Some(8)); 2]);
        assert_eq!((seen.count(BlockKind::Silu), seen.count("Mul")), (1, 1));

        let mut t = Tiny::new();
        let x = t.input(&["2", "16"]);
        let (query, key) =
            (t.raw(DataType::U8, &[8, 1, 8], &[1; 64]), t.raw(DataType::U8, &[4, 1, 8], &[1; 32]));
        let scale = t.weight(&[8]);
        let inputs = [&x, "", "", &query, &scale, "", &key, &scale, "", &key, &scale, ""];
        let with = attributes(&[("K", 16), ("Nq", 8), ("Nkv", 4), ("bits", 4), ("block_size", 16)]);
        let node = Node::new("MatMulNBitsQkv", &inputs, &["q", "k", "v"], &with);
        t.push(&node.in_domain(calipers_ops::MICROSOFT));
        let seen = t.outputs(&["q", "k", "v"]);
        assert_eq!(layers(&seen), [(Some(16), Some(8)), (Some(16), Some(4)), (Some(16), Some(4))]);
    }

    /// Every contraction of the table is one in the network too, as itself or as what it lowers to.
    #[test]
    fn contractions_stay_contractions() {
        let rows = calipers_ops::FAMILIES.iter().flat_map(|rows| rows.iter());
        for row in rows.filter(|row| row.traits.is_contraction()) {
            let op = match row.traits.lowering {
                Lowering::Attention => DOT_PRODUCT_ATTENTION,
                lowering => lowering.contraction().unwrap_or(row.name),
            };
            let operator = plain_operator(op).unwrap();
            assert!(operator.traits.is_contraction(), "{} becomes {op}", row.name);
        }
    }

    #[test]
    fn activations_are_operators_of_themselves() {
        for activation in Activation::ALL {
            let Some(op) = operator_of(*activation) else { continue };
            let row = calipers_ops::find(calipers_ops::ONNX, op).unwrap();
            assert_eq!(row.traits.activation(), Some(*activation));
        }
    }
}
