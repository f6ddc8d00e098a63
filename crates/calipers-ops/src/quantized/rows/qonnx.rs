//! Quantizers of QONNX, Brevitas and FINN: floats in, floats of few values out.
//!
//! <https://github.com/fastmachinelearning/qonnx/tree/main/docs/qonnx-custom-ops>. Brevitas exported
//! the same operators under a domain of its own, and FINN its thresholds.

use crate::InputRole::{Moved, Scale, Setting};
use crate::context::{OpContext, Outcome};
use crate::contrib::inputs::like;
use crate::cost;
use crate::row::{InputRole, Operator};
use crate::traits::{Class, Lowering, Movement, family};
use crate::{BREVITAS, FINN, QONNX};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Quantization,
    [
        quantizer(FINN, "MultiThreshold", &[Moved, Scale]),
        quantizer(BREVITAS, "BipolarQuant", &[Moved, Scale]),
        quantizer(BREVITAS, "FloatQuant", FLOAT),
        quantizer(BREVITAS, "IntQuant", INTEGER),
        quantizer(BREVITAS, "Quant", INTEGER),
        quantizer(BREVITAS, "Trunc", TRUNCATED),
        quantizer(QONNX, "BipolarQuant", &[Moved, Scale]),
        quantizer(QONNX, "FloatQuant", FLOAT),
        quantizer(QONNX, "IntQuant", INTEGER),
        quantizer(QONNX, "MultiThreshold", &[Moved, Scale]),
        quantizer(QONNX, "Quant", INTEGER),
        quantizer(QONNX, "Trunc", TRUNCATED),
    ],
);

/// Scale, zero point and bits.
const INTEGER: &[InputRole] = &[Moved, Scale, Scale, Setting];

/// Scale, bits of the exponent and of the mantissa, bias of the exponent, largest value.
const FLOAT: &[InputRole] = &[Moved, Scale, Setting, Setting, Setting, Setting];

/// Scale, zero point, bits before and after, scale after.
const TRUNCATED: &[InputRole] = &[Moved, Scale, Scale, Setting, Setting, Scale];

const fn quantizer(
    domain: &'static str,
    name: &'static str,
    inputs: &'static [InputRole],
) -> Operator {
    Operator::new(domain, name, inputs)
        .passes(Movement::Convert)
        .lowers(Lowering::Forward)
        .in_place(true)
        .infer(quantized)
        .costs(cost::per_output::<2>)
}

/// The first input with each element rounded: type and shape stay.
fn quantized(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![like(ctx, 0, ctx.dtype(0))?])
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::reported;
    use crate::{BREVITAS, FINN, QONNX};

    #[test]
    fn quantizers_keep_type_and_shape() {
        for (domain, op, inputs) in [
            (QONNX, "Quant", &["float32[n, 8, 3, 3]", "float32[]", "float32[]", "float32[]"][..]),
            (BREVITAS, "BipolarQuant", &["float32[n, 8, 3, 3]", "float32[8, 1, 1, 1]"]),
            (FINN, "MultiThreshold", &["float32[n, 8, 3, 3]", "float32[8, 15]"]),
        ] {
            assert_eq!(reported(domain, op, inputs, &[], 1), ["float32[n, 8, 3, 3]"], "{op}");
        }
    }

    #[test]
    fn names_of_other_domains_are_not_theirs() {
        assert!(crate::find(crate::ONNX, "Quant").is_none());
        assert!(crate::find(QONNX, "QuantizeLinear").is_none());
    }
}
