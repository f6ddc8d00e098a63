//! Zero points with a wrong type, count or value.

use calipers_ir::DType;
use calipers_report::Severity;

use super::super::{Evidence, Hit, Rule, counted};
use super::pairs::{Pair, dtype, numbers, pairs};

pub(crate) const RULE: Rule = Rule {
    id: "zero-point-wrong",
    severity: Severity::Error,
    group: "quantization",
    title: "Invalid zero point",
    checks: "Zero points of `QuantizeLinear`, `DequantizeLinear` and the integer operators: they \
             must have the same type as the data and one entry per scale, and be 0 for int32 and \
             8-bit floats.",
    why: "The zero point is the stored number that represents 0. ONNX Runtime rejects a type or a \
          count that does not match; a wrong value shifts every result.",
    example: "Weights stored as int8 with a uint8 zero point of 128.",
    recommendation: "Quantize the float model again with one type for data and zero points, e.g. \
                     `quantize_static(..., weight_type=QuantType.QInt8)`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let mut wrong: Vec<_> =
        pairs(evidence).filter_map(|pair| Some((pair.node, problem(evidence, &pair)?))).collect();
    // What a runtime refuses comes first.
    wrong.sort_by_key(|(_, problem)| !problem.is_refused);
    let (node, first) = wrong.first()?;
    let label = |node| evidence.model.node_label(node);
    let detail =
        format!("{}; first {:?}: {}", counted(wrong.len(), "node"), label(*node), first.what);
    let hit = Hit::new(detail, wrong.iter().map(|(node, _)| label(*node)));
    Some(if first.is_refused { hit } else { hit.severity(Severity::Warning) })
}

/// What is wrong with a zero point.
struct Problem {
    what: String,
    /// Whether ONNX Runtime refuses the model for it.
    is_refused: bool,
}

fn problem(evidence: &Evidence<'_>, pair: &Pair) -> Option<Problem> {
    let refused = |what: String| Some(Problem { what, is_refused: true });
    let zero_point = pair.zero_point?;
    let own = dtype(evidence, zero_point)?;
    if !pair.quantizes
        && let Some(data) = pair.data.and_then(|data| dtype(evidence, data))
        && data != DType::Undefined
        && own != DType::Undefined
        && data != own
    {
        return refused(format!("the data is {data}, the zero point {own}"));
    }
    let count = |value| evidence.typed.fact(value).as_tensor()?.constant_count();
    // The integer operators broadcast a single zero point over the scales of the channels.
    if let (Some(zeros), Some(scales)) = (count(zero_point), count(pair.scale))
        && zeros != scales
        && pair.converts
    {
        return refused(format!("{zeros} zero points for {scales} scales"));
    }
    let must_be_zero = own == DType::Int32 || own.is_float();
    let other = numbers(evidence, zero_point)?.into_iter().find(|number| *number != 0.0);
    match other {
        Some(number) if must_be_zero => Some(Problem {
            what: format!("{number}, which must be 0 for type {own}"),
            // ONNX Runtime checks 8-bit floats when it dequantizes, and nothing else.
            is_refused: own.is_float() && pair.converts && !pair.quantizes,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType, ModelBuilder, Tensor};

    use super::super::pairs::testing::round_trip;
    use super::RULE;
    use crate::testing::{count, raised};

    fn weights(data: DataType, zero: DataType, zeros: &[u8], scales: i64) -> Vec<u8> {
        let mut model = ModelBuilder::new(17);
        model.input("x", DataType::F32, &["n", "2"]);
        let wide = if data == DataType::I32 { 4 } else { 1 };
        model.initializer(&Tensor::raw("w", data, &[2, 2], &vec![1; 4 * wide]));
        model.initializer(&Tensor::f32("scale", &[scales], &vec![0.1; count(scales)]));
        let zero_points = zeros.len() / if zero == DataType::I32 { 4 } else { 1 };
        let dims = [i64::try_from(zero_points).unwrap()];
        model.initializer(&Tensor::raw("zero", zero, &dims, zeros));
        model.node("DequantizeLinear", &["w", "scale", "zero"], &["f"], &[]);
        model.node("MatMul", &["x", "f"], &["y"], &[]);
        model.output("y", DataType::F32, &["n", "2"]).build()
    }

    #[test]
    fn a_wrong_type_count_or_value_is_reported() {
        let reported = raised(&RULE, weights(DataType::I8, DataType::U8, &[128, 128], 2)).unwrap();
        assert!(reported.detail.contains("int8, the zero point uint8"), "{}", reported.detail);
        let reported = raised(&RULE, weights(DataType::I8, DataType::I8, &[0], 2)).unwrap();
        assert!(reported.detail.contains("1 zero points for 2 scales"), "{}", reported.detail);
        let reported =
            raised(&RULE, weights(DataType::I32, DataType::I32, &[3, 0, 0, 0, 0, 0, 0, 0], 2));
        let reported = reported.unwrap();
        assert!(reported.detail.contains("3, which must be 0"), "{}", reported.detail);
        // ONNX Runtime computes with it.
        assert_eq!(reported.severity, calipers_report::Severity::Warning);
    }

    #[test]
    fn a_value_in_range_is_not_reported() {
        assert_eq!(raised(&RULE, weights(DataType::I8, DataType::I8, &[0, 200], 2)), None);
        assert_eq!(raised(&RULE, weights(DataType::I32, DataType::I32, &[0; 8], 2)), None);
        assert_eq!(raised(&RULE, round_trip(0.1, 255)), None);
    }
}
