//! Tensors out of nothing: constants, ranges, random numbers.

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::context::{Attr, Fail, OpContext, Outcome};
use crate::cost::{self, Traffic};
use crate::elem::Elem;
use crate::fact::{Fact, MAX_ELEMENTS, TensorFact};
use crate::movement::given::{data, dimension, list, open, size};
use crate::row::Operator;
use crate::traits::{Class, Extent, family};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Generator,
    [
        Operator::onnx("Constant", &[])
            .since(&[1, 9, 11, 12, 13, 19, 21, 23, 24, 25])
            .infer(constant)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        Operator::onnx("ConstantOfShape", &[])
            .extent(Extent::Inputs(&[0]))
            .grows_when_folded()
            .since(&[9, 20, 21, 23, 24, 25])
            .infer(constant_of_shape)
            .costs(cost::free),
        Operator::onnx("EyeLike", &[])
            .reads_shape()
            .grows_when_folded()
            .since(&[9, 22])
            .infer(eye_like)
            .costs(cost::free)
            .moves(Traffic::Without(&[0])),
        Operator::onnx("Multinomial", &[])
            .random()
            .since(&[7, 22])
            .infer(multinomial)
            .costs(cost::per_output::<1>),
        Operator::onnx("RandomNormal", &[])
            .random()
            .since(&[1, 22])
            .infer(random)
            .costs(cost::per_output::<1>),
        Operator::onnx("RandomNormalLike", &[])
            .reads_shape()
            .random()
            .since(&[1, 22])
            .infer(random_like)
            .costs(cost::per_output::<1>)
            .moves(Traffic::Without(&[0])),
        Operator::onnx("RandomUniform", &[])
            .random()
            .since(&[1, 22])
            .infer(random)
            .costs(cost::per_output::<1>),
        Operator::onnx("RandomUniformLike", &[])
            .reads_shape()
            .random()
            .since(&[1, 22])
            .infer(random_like)
            .costs(cost::per_output::<1>)
            .moves(Traffic::Without(&[0])),
        Operator::onnx("Range", &[])
            .extent(Extent::Inputs(&[0, 1, 2]))
            .grows_when_folded()
            .since(&[11, 27])
            .infer(range)
            .costs(cost::per_output::<1>),
    ],
);

/// Constant is one of its attributes: <https://onnx.ai/onnx/operators/onnx__Constant.html>.
fn constant(ctx: &mut OpContext<'_>) -> Outcome {
    const NAMES: [&str; 8] = [
        "value",
        "sparse_value",
        "value_int",
        "value_float",
        "value_string",
        "value_ints",
        "value_floats",
        "value_strings",
    ];
    let given = NAMES.into_iter().find_map(|name| Some((name, ctx.attribute(name)?)));
    let Some((name, value)) = given else {
        return Err(Fail::contradiction("Constant has no value"));
    };
    let list_of = |dtype: DType, count: u64| Fact::tensor(dtype, [Expr::from(count)]);
    let fact = match (name, value) {
        (_, Attr::Tensor(tensor) | Attr::SparseTensor(tensor)) => tensor.into(),
        (_, Attr::Int(number)) => {
            TensorFact::new(DType::Int64, []).with_value([Elem::int(number)]).into()
        }
        (_, Attr::Float(number)) => {
            TensorFact::new(DType::Float32, []).with_value([Elem::float(f64::from(number))]).into()
        }
        (_, Attr::Ints(numbers)) => TensorFact::new(DType::Int64, [size(numbers.len())])
            .with_value(numbers.iter().map(|number| Elem::int(*number)))
            .into(),
        (_, Attr::Floats(numbers)) => TensorFact::new(DType::Float32, [size(numbers.len())])
            .with_value(numbers.iter().map(|number| Elem::float(f64::from(*number))))
            .into(),
        ("value_string", _) => Fact::tensor(DType::String, []),
        (_, Attr::Texts(count)) => list_of(DType::String, count),
        ("value_ints", Attr::Long(count)) => list_of(DType::Int64, count),
        ("value_floats", Attr::Long(count)) => list_of(DType::Float32, count),
        _ => return Err(Fail::unknown(format!("Constant's {name} cannot be read"))),
    };
    Ok(vec![fact])
}

/// ConstantOfShape repeats one element: <https://onnx.ai/onnx/operators/onnx__ConstantOfShape.html>.
fn constant_of_shape(ctx: &mut OpContext<'_>) -> Outcome {
    let (dtype, element) = match ctx.attribute("value") {
        Some(Attr::Tensor(tensor)) => {
            let element = match tensor.value.as_deref() {
                Some([element]) => element.clone(),
                _ => Elem::Unknown,
            };
            (tensor.dtype, element)
        }
        _ => (DType::Float32, Elem::int(0)),
    };
    repeated(ctx, dtype, element)
}

/// One element in the shape that input 0 gives.
pub(crate) fn repeated(ctx: &mut OpContext<'_>, dtype: DType, element: Elem) -> Outcome {
    let sizes = match list(ctx, "", 0) {
        None => return Err(Fail::contradiction(format!("{} lacks its shape", ctx.op))),
        Some(Err(reason)) => return Ok(vec![Fact::unranked(dtype, reason)]),
        Some(Ok(sizes)) => sizes,
    };
    let why = format!("the shape that {} is given", ctx.op);
    let mut dims = Vec::with_capacity(sizes.len());
    for size in sizes {
        dims.push(match size {
            Some(size) => dimension(ctx, size, &why)?,
            None => ctx.fresh(&why),
        });
    }
    let fact = TensorFact::new(dtype, dims);
    Ok(vec![match fact.constant_count() {
        Some(count) if count <= MAX_ELEMENTS => {
            fact.with_value(std::iter::repeat_n(element, count)).into()
        }
        _ => fact.into(),
    }])
}

/// The type that an attribute names, or that of the input.
fn named_dtype(ctx: &OpContext<'_>) -> DType {
    ctx.dtype_attribute("dtype").unwrap_or_else(|| ctx.dtype(0))
}

/// EyeLike has ones on a diagonal: <https://onnx.ai/onnx/operators/onnx__EyeLike.html>.
fn eye_like(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = named_dtype(ctx);
    let data = data(ctx, 0)?;
    let Some(dims) = data.dims() else {
        return Ok(vec![open(ctx, dtype, 2, "the shape that EyeLike is given").into()]);
    };
    if dims.len() != 2 {
        return Err(Fail::contradiction(format!("EyeLike needs a matrix, and has {data}")));
    }
    let fact = TensorFact::new(dtype, dims.iter().cloned());
    let diagonal = i128::from(ctx.int_or("k", 0));
    let small = fact.constant_count().is_some_and(|count| count <= MAX_ELEMENTS);
    let dims = fact.constant_dims().filter(|_| small);
    let Some(&[rows, columns]) = dims.as_deref() else { return Ok(vec![fact.into()]) };
    let place = |at: usize| i128::try_from(at).unwrap_or(i128::MAX);
    let elements = (0..rows).flat_map(|row| {
        (0..columns).map(move |column| Elem::bool(place(column) - place(row) == diagonal))
    });
    let elements: Vec<Elem> = elements.collect();
    Ok(vec![fact.with_value(elements).into()])
}

/// RandomNormal and RandomUniform have the shape that they are reported:
/// <https://onnx.ai/onnx/operators/onnx__RandomNormal.html>.
fn random(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype_attribute("dtype").unwrap_or(DType::Float32);
    let Some(shape) = ctx.ints("shape") else {
        return Err(Fail::contradiction(format!("{} lacks its shape", ctx.op)));
    };
    let mut dims = Vec::with_capacity(shape.len());
    for size in shape {
        dims.push(dimension(ctx, Expr::from(*size), "")?);
    }
    Ok(vec![Fact::tensor(dtype, dims)])
}

/// RandomNormalLike and RandomUniformLike have the shape of their input:
/// <https://onnx.ai/onnx/operators/onnx__RandomNormalLike.html>.
fn random_like(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = named_dtype(ctx);
    Ok(vec![TensorFact { dtype, shape: data(ctx, 0)?.shape, value: None }.into()])
}

/// Multinomial draws from each row: <https://onnx.ai/onnx/operators/onnx__Multinomial.html>.
fn multinomial(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype_attribute("dtype").unwrap_or(DType::Int32);
    let batch = match data(ctx, 0)?.dims() {
        Some([batch, _]) => batch.clone(),
        Some(dims) => {
            let rank = dims.len();
            return Err(Fail::contradiction(format!("Multinomial needs a matrix, and has {rank}")));
        }
        None => ctx.fresh("the batch"),
    };
    let samples = dimension(ctx, Expr::from(ctx.int_or("sample_size", 1)), "")?;
    Ok(vec![Fact::tensor(dtype, [batch, samples])])
}

/// Range counts from a start to a limit: <https://onnx.ai/onnx/operators/onnx__Range.html>.
fn range(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = (0..3).map(|input| ctx.dtype(input)).find(|dtype| *dtype != DType::Undefined);
    let dtype = dtype.unwrap_or(DType::Undefined);
    let why = "how far Range counts";
    let single = |input| match ctx.value(input) {
        Some([element]) => element,
        _ => &Elem::Unknown,
    };
    let (start, limit, delta) = (single(0), single(1), single(2));
    if delta.as_f64() == Some(0.0) {
        return Err(Fail::contradiction("Range counts by 0"));
    }
    let whole = start.as_expr().zip(limit.as_expr()).zip(delta.as_expr());
    let length = match whole {
        Some(((start, limit), delta)) => whole_length(start, limit, delta),
        None => float_length(dtype, start, limit, delta).map(Expr::from),
    };
    let length = match length {
        Some(length) => dimension(ctx, length, why)?,
        None => ctx.fresh(why),
    };
    let fact = TensorFact::new(dtype, [length]);
    let (Some(count), Some(((start, _), delta))) = (fact.constant_count(), whole) else {
        return Ok(vec![fact.into()]);
    };
    if count > MAX_ELEMENTS {
        return Ok(vec![fact.into()]);
    }
    let elements: Vec<Elem> = (0..count)
        .map(|turn| start + delta * size(turn))
        .map(|number| if is_exact(dtype, &number) { Elem::Int(number) } else { Elem::Unknown })
        .collect();
    Ok(vec![fact.with_value(elements).into()])
}

/// Whether a type can hold a whole number as it is.
fn is_exact(dtype: DType, number: &Expr) -> bool {
    let most: i64 = match dtype {
        DType::Float16 => 1 << 11,
        DType::Bfloat16 => 1 << 8,
        DType::Float32 => 1 << 24,
        DType::Float64 => 1 << 53,
        _ => return !number.is_undefined(),
    };
    number.as_const().is_some_and(|number| (-most..=most).contains(&number))
}

fn whole_length(start: &Expr, limit: &Expr, delta: &Expr) -> Option<Expr> {
    let length = match delta.as_const() {
        Some(step) if step > 0 => (limit - start).ceil_div(delta),
        Some(_) => (start - limit).ceil_div(&(Expr::from(0) - delta)),
        None if delta.is_at_least(1) => (limit - start).ceil_div(delta),
        None => return None,
    };
    let length = Expr::max(&length, &Expr::from(0));
    (!length.is_undefined()).then_some(length)
}

/// The length for numbers with fractions, where every way of rounding agrees on it.
fn float_length(dtype: DType, start: &Elem, limit: &Elem, delta: &Elem) -> Option<i64> {
    /// How far apart two numbers of 8 bits may be for each of their size, and then some.
    const SLACK: f64 = 0.02;
    let (start, limit, delta) = (start.as_f64()?, limit.as_f64()?, delta.as_f64()?);
    #[expect(clippy::cast_possible_truncation, reason = "what rounding to 32 bits is")]
    let narrow = |number: f64| f64::from(number as f32);
    let turns = match dtype {
        DType::Float64 => [(limit - start) / delta; 2],
        DType::Float32 => {
            let span = narrow(limit - start);
            [span / delta, narrow(span / delta)]
        }
        // Narrower types may be rounded at every step or only at the end.
        _ => {
            let turns = (limit - start) / delta;
            [turns * (1.0 - SLACK), turns * (1.0 + SLACK)]
        }
    };
    let [one, other] = turns.map(|turns| turns.ceil().max(0.0));
    let small = one == other && one <= f64::from(i32::MAX);
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
    small.then_some(one as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movement::testing::{e, elements, hidden, list, outcome, reported};

    fn number(element: Elem, dtype: DType) -> Option<Fact> {
        Some(TensorFact::new(dtype, []).with_value([element]).into())
    }

    fn counted([start, limit, delta]: [&str; 3]) -> String {
        let inputs = [start, limit, delta].map(|n| number(Elem::Int(e(n)), DType::Int64));
        reported(range, &inputs, &[])
    }

    #[test]
    fn whole_ranges() {
        assert_eq!(counted(["10", "4", "-2"]), "int64[3]");
        assert_eq!(counted(["5", "3", "1"]), "int64[0]");
        assert_eq!(counted(["0", "s", "1"]), "int64[s]");
        assert_eq!(counted(["p", "p + s", "1"]), "int64[s]");
        assert_eq!(counted(["0", "s", "2"]), "int64[ceil(s/2)]");
        assert_eq!(counted(["0", "s - 3", "1"]), "int64[max(s - 3, 0)]");
        assert_eq!(counted(["0", "s", "t - u"]), "int64[fresh1]");
        assert!(counted(["0", "1", "0"]).starts_with("contradiction"));
    }

    #[test]
    fn ranges_with_fractions() {
        let counted = |dtype, numbers: [f64; 3]| {
            reported(range, &numbers.map(|n| number(Elem::float(n), dtype)), &[])
        };
        assert_eq!(counted(DType::Float32, [0.0, 1.0, 0.25]), "float32[4]");
        assert_eq!(counted(DType::Float64, [0.0, 1.0, 0.3]), "float64[4]");
        // Half precision may round the quotient to either side of 10.
        assert_eq!(counted(DType::Float16, [0.0, 1.0, 0.1]), "float16[fresh1]");
        assert_eq!(counted(DType::Float16, [0.0, 1.0, 0.3]), "float16[4]");
    }

    #[test]
    fn a_range_beyond_64_bits_has_no_shape() {
        let [most, least] = [i64::MAX, i64::MIN].map(|end| number(Elem::int(end), DType::Int64));
        let by = |delta: i64| number(Elem::int(delta), DType::Int64);
        // 2^64 - 1 elements, and half of them.
        let facts = outcome(range, 11, 1, &[least.clone(), most.clone(), by(1)], &[]).unwrap();
        let reason = facts[0].as_tensor().unwrap().shape.as_ref().unwrap_err().to_string();
        assert!(reason.contains("18446744073709551615"), "{reason}");
        let facts = outcome(range, 11, 1, &[least, most, by(3)], &[]).unwrap();
        assert_eq!(facts[0].to_string(), "int64[6148914691236517205]");
    }

    #[test]
    fn ranges_hold_their_elements() {
        let inputs = ["p", "p + 3", "1"].map(|n| number(Elem::Int(e(n)), DType::Int64));
        let facts = outcome(range, 11, 1, &inputs, &[]).unwrap();
        assert_eq!(elements(&facts[0]), "p, p + 1, p + 2");
    }

    #[test]
    fn shapes_that_are_filled() {
        let filled = |shape: Option<Fact>| reported(constant_of_shape, &[shape], &[]);
        assert_eq!(filled(list("b, ?, 3")), "float32[b, fresh1, 3]");
        assert_eq!(filled(hidden(0)), "float32[]");
        assert_eq!(filled(hidden(2)), "float32[fresh1, fresh2]");
        assert!(filled(list("-1")).starts_with("contradiction"));
        let huge = list("9223372036854775807, 9223372036854775807");
        assert!(filled(huge).starts_with("float32["));
    }

    #[test]
    fn a_diagonal_of_ones() {
        let facts = outcome(
            eye_like,
            9,
            1,
            &[Some(Fact::tensor(DType::Int32, [2, 3].map(Expr::from)))],
            &[("k", Attr::Int(1))],
        )
        .unwrap();
        assert_eq!(elements(&facts[0]), "0, 1, 0, 0, 0, 1");
        assert_eq!(facts[0].to_string(), "int32[2, 3]");
    }
}
