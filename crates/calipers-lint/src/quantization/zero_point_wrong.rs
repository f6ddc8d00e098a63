//! Zero points that their type or place does not allow.

use calipers_ir::DType;
use calipers_report::Severity;

use super::super::{Evidence, Hit, Rule, counted};
use super::pairs::{Pair, dtype, numbers, pairs};

pub(crate) const RULE: Rule = Rule {
    id: "zero-point-wrong",
    severity: Severity::Error,
    group: "quantization",
    title: "A zero point does not fit what it is for",
    checks: "Zero points of `QuantizeLinear`, `DequantizeLinear` and the operators on integers: of \
             another type than the data, and so with another range; as many as there are scales; and \
             zero where the standard asks for it, with 32-bit integers and 8-bit floats.",
    why: "The zero point says which stored number means zero. One outside the range of the data \
          shifts every value, and strict runtimes refuse the model.",
    example: "Weights stored as int8 with a zero point of 128, which only uint8 can hold.",
    recommendation: "quantize the model again, with one type for data and zero points",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let wrong: Vec<_> =
        pairs(evidence).filter_map(|pair| Some((pair.node, problem(evidence, &pair)?))).collect();
    let (node, first) = wrong.first()?;
    let label = |node| evidence.model.node_label(node);
    let detail = format!("{}, first {:?}: {first}", counted(wrong.len(), "node"), label(*node));
    Some(Hit::new(detail, wrong.iter().map(|(node, _)| label(*node))))
}

fn problem(evidence: &Evidence<'_>, pair: &Pair) -> Option<String> {
    let zero_point = pair.zero_point?;
    let own = dtype(evidence, zero_point)?;
    if !pair.quantizes
        && let Some(data) = pair.data.and_then(|data| dtype(evidence, data))
        && data != DType::Undefined
        && own != DType::Undefined
        && data != own
    {
        return Some(format!("the data is {data} and the zero point {own}"));
    }
    let count = |value| evidence.typed.fact(value).as_tensor()?.constant_count();
    if let (Some(zeros), Some(scales)) = (count(zero_point), count(pair.scale))
        && zeros != scales
    {
        return Some(format!("there are {zeros} zero points and {scales} scales"));
    }
    let must_be_zero = own == DType::Int32 || own.is_float();
    let other = numbers(evidence, zero_point)?.into_iter().find(|number| *number != 0.0);
    match other {
        Some(number) if must_be_zero => {
            Some(format!("it is {number}, and of type {own} must be 0"))
        }
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
    fn another_type_count_or_number_is_reported() {
        let reported = raised(&RULE, weights(DataType::I8, DataType::U8, &[128, 128], 2)).unwrap();
        assert!(reported.detail.contains("int8 and the zero point uint8"), "{}", reported.detail);
        let reported = raised(&RULE, weights(DataType::I8, DataType::I8, &[0], 2)).unwrap();
        assert!(reported.detail.contains("1 zero points and 2 scales"), "{}", reported.detail);
        let reported =
            raised(&RULE, weights(DataType::I32, DataType::I32, &[3, 0, 0, 0, 0, 0, 0, 0], 2));
        assert!(reported.unwrap().detail.contains("it is 3"));
    }

    #[test]
    fn any_number_of_the_type_is_not() {
        assert_eq!(raised(&RULE, weights(DataType::I8, DataType::I8, &[0, 200], 2)), None);
        assert_eq!(raised(&RULE, weights(DataType::I32, DataType::I32, &[0; 8], 2)), None);
        assert_eq!(raised(&RULE, round_trip(0.1, 255)), None);
    }
}
