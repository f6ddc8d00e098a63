//! Which results need no place of their own.
//!
//! - A view ([`VIEWS`]) has the elements of its first input in their order, so it shares its place,
//!   and the place stays until neither is needed.
//! - The first output of an element-wise operator ([`ELEMENT_WISE`]) may overwrite an input of the
//!   same number of bytes: each element is read before its result is written. It does when nothing
//!   reads that input, or a view of it, afterwards, and the input was not lent by the caller. An
//!   input that is broadcast has fewer bytes and is never overwritten.
//!
//! Everything else reads inputs after it has begun to write: convolutions, products, reductions,
//! transpositions. Normalisations and softmax, which some runtimes do in place, count among them.

use calipers_ir::{Model, NodeId};

use calipers_infer::walk::{MeaningKind, Meanings};

/// What a node may do with the place of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reuse {
    Never,
    View,
    Overwrite,
}

/// Operators of the standard whose output is their first input under another shape, sorted.
const VIEWS: &[&str] = &["Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze"];

/// Operators that compute each element of the output from the elements at the same place, sorted.
const ELEMENT_WISE: &[&str] = &[
    "Abs",
    "Acos",
    "Acosh",
    "Add",
    "And",
    "Asin",
    "Asinh",
    "Atan",
    "Atanh",
    "BatchNormalization",
    "BiasGelu",
    "BitShift",
    "BitwiseAnd",
    "BitwiseNot",
    "BitwiseOr",
    "BitwiseXor",
    "Cast",
    "CastLike",
    "Ceil",
    "Celu",
    "Clip",
    "Cos",
    "Cosh",
    "DequantizeLinear",
    "Div",
    "Dropout",
    "Elu",
    "Equal",
    "Erf",
    "Exp",
    "FastGelu",
    "Floor",
    "Gelu",
    "Greater",
    "GreaterOrEqual",
    "HardSigmoid",
    "HardSwish",
    "IsInf",
    "IsNaN",
    "LeakyRelu",
    "Less",
    "LessOrEqual",
    "Log",
    "Max",
    "Mean",
    "Min",
    "Mish",
    "Mod",
    "Mul",
    "Neg",
    "Not",
    "Or",
    "PRelu",
    "Pow",
    "QuantizeLinear",
    "QuickGelu",
    "Reciprocal",
    "Relu",
    "Round",
    "Selu",
    "Shrink",
    "Sigmoid",
    "Sign",
    "Sin",
    "Sinh",
    "Softplus",
    "Softsign",
    "Sqrt",
    "Sub",
    "Sum",
    "Swish",
    "Tan",
    "Tanh",
    "ThresholdedRelu",
    "Where",
    "Xor",
];

pub(super) fn reuse_of(model: &Model, meanings: &Meanings, node: NodeId) -> Reuse {
    // A function of the model may bear any name.
    let MeaningKind::Operator(operator) = meanings.of(node).kind else { return Reuse::Never };
    if operator.domain == calipers_ops::ONNX && VIEWS.binary_search(&operator.name).is_ok() {
        Reuse::View
    } else if model.outputs(node).len() == 1 && ELEMENT_WISE.binary_search(&operator.name).is_ok() {
        Reuse::Overwrite
    } else {
        Reuse::Never
    }
}

#[cfg(test)]
mod tests {
    use super::{ELEMENT_WISE, VIEWS};

    #[test]
    fn the_tables_are_sorted_and_of_known_operators() {
        for table in [VIEWS, ELEMENT_WISE] {
            assert!(table.is_sorted());
            for name in table {
                let known = [calipers_ops::ONNX, calipers_ops::MICROSOFT]
                    .iter()
                    .any(|domain| calipers_ops::find(domain, name).is_some());
                assert!(known, "{name}");
            }
        }
    }
}
