//! Elements from one type to another.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::number::{Fraction, Kind, float, holds, whole};
use super::operands::{Operand, one, operand};
use super::values::from_elements;
use crate::context::{Attr, Fail, OpContext, Outcome};
use crate::elem::Elem;
use crate::fact::TensorFact;

/// The element that another becomes in another type; unknown where the standard leaves it open.
pub(crate) fn cast(elem: &Elem, from: DType, to: DType) -> Elem {
    match Kind::new(to) {
        Kind::Bool => truth(elem),
        Kind::Integer { bits, signed } if Kind::new(from) == Kind::Bool || is_whole(from) => {
            match elem.as_expr() {
                Some(expr) if bits >= 8 || from == to => whole(to, expr.clone()),
                // How few bits are reached is not the same in every version.
                Some(expr) if expr.as_wide_const().is_some_and(|v| holds(v, bits, signed)) => {
                    elem.clone()
                }
                _ => Elem::Unknown,
            }
        }
        Kind::Integer { bits, signed } if bits >= 8 => truncated(elem, to, bits, signed),
        Kind::Float(precision) => match (elem, elem.as_f64()) {
            (Elem::Int(expr), _) => whole(to, expr.clone()),
            (_, Some(value)) => float(precision, value),
            (_, None) => {
                Fraction::from_elem(elem).map_or(Elem::Unknown, |f| f.into_elem(precision))
            }
        },
        Kind::Integer { .. } | Kind::Other => Elem::Unknown,
    }
}

fn is_whole(dtype: DType) -> bool {
    Kind::new(dtype).is_integer()
}

fn truth(elem: &Elem) -> Elem {
    match elem {
        Elem::Int(expr) | Elem::Ratio { numerator: expr, .. } => whole(DType::Bool, expr.clone()),
        Elem::Float(value) => Elem::bool(*value != 0.0),
        Elem::Unknown => Elem::Unknown,
    }
}

/// A float without what is behind the point. Out of range, the standard does not say.
fn truncated(elem: &Elem, to: DType, bits: u32, signed: bool) -> Elem {
    let expr = match elem {
        Elem::Int(expr) => expr.clone(),
        Elem::Ratio { numerator, denominator } => numerator.trunc_div(&Expr::from(*denominator)),
        Elem::Float(value) => match Elem::float(value.trunc() + 0.0) {
            Elem::Int(expr) => expr,
            _ => return Elem::Unknown,
        },
        Elem::Unknown => return Elem::Unknown,
    };
    match expr.as_wide_const() {
        Some(value) if !holds(value, bits, signed) => Elem::Unknown,
        _ => whole(to, expr),
    }
}

/// `Cast`: <https://onnx.ai/onnx/operators/onnx__Cast.html>. The same shape in another type.
pub(super) fn cast_rule(ctx: &mut OpContext<'_>) -> Outcome {
    let to = match ctx.attribute("to") {
        Some(Attr::Text(name)) => named(name),
        _ => ctx.dtype_attribute("to"),
    };
    let to = to
        .filter(|to| *to != DType::Undefined)
        .ok_or_else(|| Fail::contradiction(format!("{} does not say what type to", ctx.op)))?;
    converted(&operand(ctx, 0)?, to)
}

/// `CastLike`: <https://onnx.ai/onnx/operators/onnx__CastLike.html>. The first input in the second
/// one's type.
pub(super) fn cast_like(ctx: &mut OpContext<'_>) -> Outcome {
    let to = operand(ctx, 1)?.dtype;
    converted(&operand(ctx, 0)?, to)
}

fn converted(input: &Operand<'_>, to: DType) -> Outcome {
    let output = TensorFact { dtype: to, shape: input.shape.clone(), value: None };
    let from = input.dtype;
    one(from_elements(output, &[input], true, |elems| cast(elems[0], from, to)))
}

/// A type by the name that versions before 6 give it.
fn named(name: &[u8]) -> Option<DType> {
    Some(match name.to_ascii_uppercase().as_slice() {
        b"FLOAT" => DType::Float32,
        b"UINT8" => DType::Uint8,
        b"INT8" => DType::Int8,
        b"UINT16" => DType::Uint16,
        b"INT16" => DType::Int16,
        b"INT32" => DType::Int32,
        b"INT64" => DType::Int64,
        b"STRING" => DType::String,
        b"BOOL" => DType::Bool,
        b"FLOAT16" => DType::Float16,
        b"DOUBLE" => DType::Float64,
        b"UINT32" => DType::Uint32,
        b"UINT64" => DType::Uint64,
        b"COMPLEX64" => DType::Complex64,
        b"COMPLEX128" => DType::Complex128,
        b"BFLOAT16" => DType::Bfloat16,
        _ => return None,
    })
}

/// `BitCast`: <https://onnx.ai/onnx/operators/onnx__BitCast.html>. The same bits read as another
/// type of the same width.
pub(super) fn bit_cast(ctx: &mut OpContext<'_>) -> Outcome {
    let to = ctx
        .dtype_attribute("to")
        .ok_or_else(|| Fail::contradiction("BitCast does not say what type to"))?;
    let input = operand(ctx, 0)?;
    let from = input.dtype;
    if let (Some(from_bits), Some(to_bits)) = (from.bits(), to.bits())
        && from_bits != to_bits
    {
        return Err(Fail::contradiction(format!("BitCast reads {from} as {to}, of another width")));
    }
    let output = TensorFact { dtype: to, shape: input.shape.clone(), value: None };
    one(from_elements(output, &[&input], true, |elems| reread(elems[0], from, to)))
}

fn reread(elem: &Elem, from: DType, to: DType) -> Elem {
    #[expect(clippy::cast_possible_truncation, reason = "its type has no more digits")]
    let single = |value: f64| value as f32;
    match (Kind::new(from), Kind::new(to)) {
        _ if from == to => elem.clone(),
        (Kind::Integer { .. }, Kind::Integer { .. }) => match elem.as_expr() {
            Some(expr) if expr.is_const() => whole(to, expr.clone()),
            _ => Elem::Unknown,
        },
        (Kind::Float(_), Kind::Integer { .. }) => match (from, elem.as_f64()) {
            (DType::Float32, Some(value)) => whole(to, Expr::from(single(value).to_bits())),
            (DType::Float64, Some(value)) => whole(to, Expr::from(value.to_bits())),
            _ => Elem::Unknown,
        },
        (Kind::Integer { bits, .. }, Kind::Float(_)) => {
            let constant = elem.as_expr().and_then(Expr::as_wide_const);
            let unsigned = constant.map(|value| value.rem_euclid(1 << bits.min(64)));
            match (to, unsigned.and_then(|value| u64::try_from(value).ok())) {
                (DType::Float32, Some(bits)) => u32::try_from(bits)
                    .map_or(Elem::Unknown, |bits| Elem::float(f32::from_bits(bits).into())),
                (DType::Float64, Some(bits)) => Elem::float(f64::from_bits(bits)),
                _ => Elem::Unknown,
            }
        }
        _ => Elem::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use DType::{Bool, Float16, Float32, Float64, Int8, Int32, Int64, Uint8, Uint32};
    use calipers_sym::Symbol;

    use super::*;

    fn n() -> Expr {
        Expr::symbol(&Symbol::at_least("n", 1))
    }

    #[test]
    fn whole_numbers_wrap_and_floats_out_of_range_are_open() {
        assert_eq!(cast(&Elem::int(200), Int64, Int8), Elem::int(-56));
        assert_eq!(cast(&Elem::int(200), Float32, Int8), Elem::Unknown);
        assert_eq!(cast(&Elem::int(-1), Int64, Uint8), Elem::int(255));
        assert_eq!(cast(&Elem::Float(-2.7), Float32, Int64), Elem::int(-2));
        assert_eq!(cast(&Elem::Float(-0.7), Float32, Int64), Elem::int(0));
        assert_eq!(cast(&Elem::Float(-0.0), Float32, Int64), Elem::int(0));
        assert_eq!(cast(&Elem::Float(f64::NAN), Float32, Int64), Elem::Unknown);
        assert_eq!(cast(&Elem::int(16_777_217), Int64, Float32), Elem::int(16_777_216));
        assert_eq!(cast(&Elem::Float(0.1), Float64, Float32), Elem::Float(f64::from(0.1_f32)));
    }

    #[test]
    fn sizes_go_through_floats_and_back() {
        let size = Elem::Int(n());
        assert_eq!(cast(&size, Int64, Float32), size);
        assert_eq!(cast(&size, Int64, Float16), Elem::Unknown);
        assert_eq!(cast(&size, Float32, Int32), size);
        assert_eq!(cast(&size, Int64, Bool), Elem::bool(true));
        let half = Elem::Ratio { numerator: n(), denominator: 2 };
        assert_eq!(cast(&half, Float32, Int64), Elem::Int(n().floor_div(&Expr::from(2))));
        assert_eq!(cast(&half, Float32, Float64), half);
        assert_eq!(cast(&half, Float32, Bool), Elem::bool(true));
    }

    #[test]
    fn bits_are_read_again() {
        assert_eq!(reread(&Elem::int(1), Float32, Int32), Elem::int(0x3f80_0000));
        assert_eq!(reread(&Elem::int(0x3f80_0000), Uint32, Float32), Elem::int(1));
        assert_eq!(reread(&Elem::int(-1), Int8, Uint8), Elem::int(255));
        assert_eq!(reread(&Elem::int(-2), Float32, Int32), Elem::int(-0x4000_0000));
    }
}
