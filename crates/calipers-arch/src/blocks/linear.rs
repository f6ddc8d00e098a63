//! Linear layers: a product with stored weights, and its bias.
//!
//! | form | written by |
//! |---|---|
//! | `MatMul` with a constant, `Add` of a constant vector | most exporters |
//! | `Gemm` with constant weights | PyTorch, for inputs of two dimensions |
//! | `Einsum` that sums over axes of a constant | Keras, JAX |
//! | `MatMulInteger`, `QLinearMatMul`, `QGemm`, `MatMulNBits`, `FusedMatMul`, … | quantizers, ONNX Runtime; lowered to the above |
//!
//! Extracts `in` and `out`, the widths, and `bias`. Products of two values of the data are not linear
//! layers; they stay what they are.

use super::Pattern;
use crate::network::{BlockKind, Found, Linear, Network, NetworkOp, Op, OpId, Ops, Origin, Val};

pub(super) const LINEAR: Pattern = Pattern {
    kind: BlockKind::Linear,
    description: "Linear layer: matrix multiplication with weights, and a bias.",
    anchors: Ops::operators(&["Einsum", "Gemm", "MatMul"]),
    matcher: find,
};

fn find(net: &Network<'_>, start: OpId) -> Option<Found> {
    let unit = net.unit(start);
    let (x, weight) = (unit.input(0)?, unit.input(1)?);
    if !net.is_data(x) || net.origin(weight) != Origin::Constant {
        return None;
    }
    let (wide, out) = match unit.op {
        Op::Operator("Einsum") => einsum(net, unit, x, weight)?,
        _ => widths(net, unit, x, weight),
    };
    let mut found = Found::new([start]);
    let mut bias = unit.is("Gemm") && unit.input(2).is_some();
    // A vector as long as the result is wide; a table of positions is longer.
    if !bias
        && let Some(add) = net.only_use(unit.output()).filter(|add| net.unit(*add).is("Add"))
        && let Some((_, vector)) = net.data_and_constant(net.unit(add))
        && is_vector(net, vector, out)
    {
        found.units.push(add);
        bias = true;
    }
    Some(found.with(Linear { in_features: wide, out_features: out, bias }).taking([x]))
}

/// Widths of a product. Weights of few bits are packed, so the values' own widths go first.
fn widths(net: &Network<'_>, unit: &NetworkOp, x: Val, weight: Val) -> (Option<i64>, Option<i64>) {
    let flips = |name| unit.is("Gemm") && net.int(unit, name) == Some(1);
    let wide = net.dim(x, if flips("transA") { -2 } else { -1 });
    let out = net.dim(unit.output(), -1);
    if net.rank(weight) != Some(2) {
        // A product with a vector has no last axis.
        let vector = net.rank(weight) == Some(1);
        return (wide, if vector { Some(1) } else { out });
    }
    let (rows, columns) = if flips("transB") { (-1, -2) } else { (-2, -1) };
    (wide.or_else(|| net.dim(weight, rows)), out.or_else(|| net.dim(weight, columns)))
}

/// Whether a constant is a vector of this length; of any, where it is not known.
fn is_vector(net: &Network<'_>, val: Val, length: Option<i64>) -> bool {
    let elements = net.elements(val).and_then(|count| i64::try_from(count).ok());
    match (elements, length) {
        (Some(elements), Some(length)) => {
            elements == length && (net.rank(val) == Some(0) || net.dim(val, -1) == Some(length))
        }
        _ => net.rank(val) == Some(1),
    }
}

/// Widths of a sum over axes: the weights' letters that the result lacks, and those that it has and
/// the data lacks. Letters that all three share are not axes of a linear layer.
fn einsum(
    net: &Network<'_>,
    unit: &NetworkOp,
    x: Val,
    weight: Val,
) -> Option<(Option<i64>, Option<i64>)> {
    let equation: String = net.equation(unit)?.chars().filter(|c| *c != ' ').collect();
    let (left, result) = equation.split_once("->")?;
    let (of_x, of_weight) = left.split_once(',')?;
    if of_weight.contains(',') || net.rank(weight)? != of_weight.chars().count() {
        return None;
    }
    let (mut wide, mut out) = (Some(1_i64), Some(1_i64));
    let dims = net.shape(weight)?;
    for (letter, dim) in of_weight.chars().zip(dims) {
        let side = match (of_x.contains(letter), result.contains(letter)) {
            (true, false) => &mut wide,
            (false, true) => &mut out,
            _ => return None,
        };
        *side = side.zip(dim.as_const()).and_then(|(product, dim)| product.checked_mul(dim));
    }
    // Without an axis to sum over it is an outer product.
    let sums = of_weight.chars().any(|letter| !result.contains(letter));
    (sums && net.is_data(x)).then_some((wide, out))
}

#[cfg(test)]
mod tests {
    use calipers_samples::{Attribute, DataType};

    use super::super::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    fn built(build: impl FnOnce(&mut Tiny, &str) -> String) -> Seen {
        Tiny::new().over(&["batch", "seq", "8"], build)
    }

    /// Widths and whether there is a bias.
    fn layer(seen: &Seen) -> Option<(Option<i64>, Option<i64>, bool)> {
        seen.first(BlockKind::Linear, |_, unit| {
            let linear = unit.linear().unwrap();
            (linear.in_features, linear.out_features, linear.bias)
        })
    }

    #[test]
    fn products_with_and_without_bias() {
        let plain = built(|t, x| {
            let w = t.weight(&[8, 4]);
            t.op("MatMul", &[x, &w])
        });
        assert_eq!(layer(&plain), Some((Some(8), Some(4), false)));
        for flip in [false, true] {
            let biased = built(|t, x| {
                let (w, b) = (t.weight(&[8, 4]), t.weight(&[4]));
                let y = t.op("MatMul", &[x, &w]);
                if flip { t.op("Add", &[&b, &y]) } else { t.op("Add", &[&y, &b]) }
            });
            assert_eq!(layer(&biased), Some((Some(8), Some(4), true)));
            assert_eq!(biased.kinds(), ["Linear"]);
            assert!(biased.takes_the_input(BlockKind::Linear));
        }
    }

    #[test]
    fn gemm_with_flipped_weights() {
        let mut tiny = Tiny::new();
        let x = tiny.input(&["batch", "8"]);
        let (w, b) = (tiny.weight(&[4, 8]), tiny.weight(&[4]));
        let y = tiny.op_with("Gemm", &[&x, &w, &b], &[Attribute::int("transB", 1)]);
        assert_eq!(layer(&tiny.output(&y)), Some((Some(8), Some(4), true)));
    }

    #[test]
    fn weights_of_few_bits() {
        let packed = built(|t, x| {
            let w = t.raw(DataType::U8, &[4, 1, 16], &[0; 64]);
            let scales = t.weight(&[4]);
            let facts = [("K", 8), ("N", 4), ("bits", 4), ("block_size", 32)];
            let facts = facts.map(|(name, value)| Attribute::int(name, value));
            t.contrib_with("MatMulNBits", &[x, &w, &scales], &facts)
        });
        assert_eq!(layer(&packed), Some((Some(8), Some(4), false)));
        let stored = built(|t, x| {
            let x = t.quantized(x);
            let w = t.raw(DataType::U8, &[8, 4], &[1; 32]);
            let scale = t.scalar(0.1);
            let w = t.op("DequantizeLinear", &[&w, &scale]);
            let y = t.op("MatMul", &[&x, &w]);
            let b = t.weight(&[4]);
            let y = t.op("Add", &[&y, &b]);
            t.quantized(&y)
        });
        assert_eq!(layer(&stored), Some((Some(8), Some(4), true)));
        assert_eq!(stored.kinds(), ["Linear"]);
    }

    #[test]
    fn einsum_over_weights() {
        let heads = built(|t, x| {
            let w = t.weight(&[8, 2, 3]);
            t.op_with("Einsum", &[x, &w], &[Attribute::string("equation", "bsd,dnh->bsnh")])
        });
        assert_eq!(layer(&heads), Some((Some(8), Some(6), false)));
        let rows = built(|t, x| {
            let w = t.weight(&[8]);
            t.op_with("Einsum", &[x, &w], &[Attribute::string("equation", "bsd,d->bsd")])
        });
        assert_eq!(layer(&rows), None);
    }

    #[test]
    fn near_misses() {
        let of_data = built(|t, x| {
            let other = t.input(&["batch", "8", "4"]);
            t.op("MatMul", &[x, &other])
        });
        assert_eq!(of_data.kinds(), ["MatMul"]);
        // What is added is a table of positions, not a bias.
        let positions = built(|t, x| {
            let (w, table) = (t.weight(&[8, 4]), t.weight(&[1, 16, 4]));
            let y = t.op("MatMul", &[x, &w]);
            t.op("Add", &[&y, &table])
        });
        assert_eq!(positions.kinds(), ["Linear", "Add"]);
        // Something else reads the product before the bias.
        let shared = built(|t, x| {
            let (w, b) = (t.weight(&[8, 4]), t.weight(&[4]));
            let y = t.op("MatMul", &[x, &w]);
            let biased = t.op("Add", &[&y, &b]);
            t.op("Sub", &[&biased, &y])
        });
        assert_eq!(shared.kinds(), ["Linear", "Add", "Sub"]);
    }
}
