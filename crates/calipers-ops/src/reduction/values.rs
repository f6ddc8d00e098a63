//! Contents of small reductions, where they can be determined exactly.

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::elem::Elem;
use crate::fact::MAX_ELEMENTS;

/// The arithmetic of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Sum,
    Product,
    Greatest,
    Least,
    Mean,
    SumOfSquares,
    SumOfSizes,
    Length,
}

impl Kind {
    /// The arithmetic of an operator; logarithms are not followed, no size is made of them.
    pub(super) fn new(op: &str) -> Option<Self> {
        Some(match op {
            "ReduceSum" => Self::Sum,
            "ReduceProd" => Self::Product,
            "ReduceMax" => Self::Greatest,
            "ReduceMin" => Self::Least,
            "ReduceMean" => Self::Mean,
            "ReduceSumSquare" => Self::SumOfSquares,
            "ReduceL1" => Self::SumOfSizes,
            "ReduceL2" => Self::Length,
            _ => return None,
        })
    }
}

/// Elements of the reduced tensor, row by row; none when they would be too many.
pub(super) fn reduce(
    kind: Kind,
    dtype: DType,
    elements: &[Elem],
    sizes: &[usize],
    reduced: &[bool],
) -> Vec<Elem> {
    let kept = sizes.iter().zip(reduced).filter(|(_, reduced)| !**reduced);
    let count = kept.map(|(size, _)| *size).try_fold(1_usize, usize::checked_mul);
    let Some(count) = count.filter(|count| *count <= MAX_ELEMENTS) else { return Vec::new() };
    let mut groups: Vec<Vec<&Elem>> = vec![Vec::new(); count];
    for (place, element) in elements.iter().enumerate() {
        if let Some(group) = groups.get_mut(target(place, sizes, reduced)) {
            group.push(element);
        }
    }
    groups.iter().map(|group| fold(kind, dtype, group)).collect()
}

/// Where the element at `place` goes in the reduced tensor.
fn target(mut place: usize, sizes: &[usize], reduced: &[bool]) -> usize {
    let (mut target, mut stride) = (0, 1);
    for (size, reduced) in sizes.iter().zip(reduced).rev() {
        if !reduced {
            target += place % size * stride;
            stride *= size;
        }
        place /= size;
    }
    target
}

fn fold(kind: Kind, dtype: DType, group: &[&Elem]) -> Elem {
    let plain =
        matches!(kind, Kind::Sum | Kind::Product | Kind::Greatest | Kind::Least | Kind::Mean);
    if let ([only], true) = (group, plain) {
        return (*only).clone();
    }
    let whole: Option<Vec<&Expr>> = group.iter().map(|element| element.as_expr()).collect();
    if let Some(whole) = whole {
        return fold_whole(kind, dtype, &whole).unwrap_or(Elem::Unknown);
    }
    let numbers: Option<Vec<f64>> = group.iter().map(|element| element.as_f64()).collect();
    numbers
        .and_then(|numbers| fold_floats(kind, dtype, &numbers))
        .map_or(Elem::Unknown, Elem::float)
}

fn fold_whole(kind: Kind, dtype: DType, elements: &[&Expr]) -> Option<Elem> {
    let sum = || elements.iter().copied().sum::<Expr>();
    let squares = || elements.iter().map(|element| element.pow(2)).sum::<Expr>();
    let all = || elements.iter().map(|element| (*element).clone());
    let result = match kind {
        Kind::Sum => sum(),
        Kind::Product => elements.iter().copied().product(),
        // Of nothing they are the ends of the type's range, which no size is made of.
        Kind::Greatest | Kind::Least | Kind::Mean if elements.is_empty() => return None,
        Kind::Greatest => Expr::max_of(all()),
        Kind::Least => Expr::min_of(all()),
        Kind::SumOfSquares => squares(),
        Kind::SumOfSizes => elements.iter().map(|element| size(element)).sum::<Option<Expr>>()?,
        Kind::Mean => return mean(dtype, &sum(), elements.len()),
        Kind::Length => return length(dtype, elements, &squares()),
    };
    settled(dtype, result).map(Elem::Int)
}

/// The number without its sign, when the sign is known.
fn size(element: &Expr) -> Option<Expr> {
    if element.is_at_least(0) {
        Some(element.clone())
    } else {
        element.upper_bound().is_some_and(|most| most <= 0).then(|| -element)
    }
}

fn mean(dtype: DType, sum: &Expr, count: usize) -> Option<Elem> {
    let sum = settled(dtype, sum.clone())?;
    let count = i64::try_from(count).ok()?;
    let by = Expr::from(count);
    if let Some(mean) = sum.exact_div(&by) {
        return Some(Elem::Int(mean));
    }
    if !dtype.is_float() {
        return Some(Elem::Int(sum.trunc_div(&by)));
    }
    match Elem::Int(sum.clone()).as_f64() {
        Some(sum) => rounded(dtype, sum / Elem::int(count).as_f64()?).map(Elem::float),
        None => Some(Elem::Ratio { numerator: sum, denominator: count }),
    }
}

fn length(dtype: DType, elements: &[&Expr], squares: &Expr) -> Option<Elem> {
    if let [only] = elements {
        return settled(dtype, size(only)?).map(Elem::Int);
    }
    let root = Elem::Int(settled(dtype, squares.clone())?).as_f64()?.sqrt();
    if root.fract() == 0.0 || dtype.is_float() {
        return rounded(dtype, root).map(Elem::float);
    }
    None
}

/// A whole result, unless it is a number that the type cannot hold exactly.
fn settled(dtype: DType, result: Expr) -> Option<Expr> {
    if result.is_undefined() {
        return None;
    }
    let Some(value) = result.as_wide_const() else { return Some(result) };
    let fits = match dtype {
        DType::Bool => (0..=1).contains(&value),
        DType::Uint8 => u8::try_from(value).is_ok(),
        DType::Int8 => i8::try_from(value).is_ok(),
        DType::Uint16 => u16::try_from(value).is_ok(),
        DType::Int16 => i16::try_from(value).is_ok(),
        DType::Uint32 => u32::try_from(value).is_ok(),
        DType::Int32 => i32::try_from(value).is_ok(),
        DType::Int64 | DType::Uint64 => i64::try_from(value).is_ok(),
        DType::Float64 => value.unsigned_abs() <= 1 << 53,
        DType::Float32 => value.unsigned_abs() <= 1 << 24,
        DType::Float16 => value.unsigned_abs() <= 1 << 11,
        DType::Bfloat16 => value.unsigned_abs() <= 1 << 8,
        _ => false,
    };
    fits.then_some(result)
}

/// A number rounded as the type rounds it.
fn rounded(dtype: DType, value: f64) -> Option<f64> {
    match dtype {
        DType::Float64 => Some(value),
        DType::Float32 => Some(f64::from(single(value))),
        _ => (value.fract() == 0.0 && value.abs() <= 256.0).then_some(value),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "rounding to the type's precision is meant")]
fn single(value: f64) -> f32 {
    value as f32
}

fn fold_floats(kind: Kind, dtype: DType, numbers: &[f64]) -> Option<f64> {
    if numbers.iter().any(|number| number.is_nan()) {
        return None;
    }
    let count = Elem::int(i64::try_from(numbers.len()).ok()?).as_f64()?;
    let sum = |term: fn(f64) -> f64| {
        accumulated(dtype, &numbers.iter().map(|n| term(*n)).collect::<Vec<_>>(), 0.0, |a, b| a + b)
    };
    match kind {
        Kind::Sum => sum(|n| n),
        Kind::Product => accumulated(dtype, numbers, 1.0, |a, b| a * b),
        Kind::Greatest => numbers.iter().copied().reduce(f64::max),
        Kind::Least => numbers.iter().copied().reduce(f64::min),
        Kind::Mean => rounded(dtype, sum(|n| n)? / count),
        Kind::SumOfSquares => sum(|n| n * n),
        Kind::SumOfSizes => sum(f64::abs),
        Kind::Length => rounded(dtype, sum(|n| n * n)?.sqrt()),
    }
}

/// Accumulates when the order does not matter: runtimes choose their own.
fn accumulated(
    dtype: DType,
    numbers: &[f64],
    start: f64,
    with: fn(f64, f64) -> f64,
) -> Option<f64> {
    let forward = numbers.iter().fold(start, |sum, number| with(sum, *number));
    let backward = numbers.iter().rev().fold(start, |sum, number| with(sum, *number));
    if forward.to_bits() != backward.to_bits() {
        return None;
    }
    match dtype {
        DType::Float64 => Some(forward),
        DType::Float32 => {
            let step = |sum: f64, number: &f64| f64::from(single(with(sum, *number)));
            (numbers.iter().fold(start, step).to_bits() == forward.to_bits()).then_some(forward)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::reduce as rule;
    use super::super::testing::{Try, floats, shape, tensor, values};
    use super::*;
    use crate::fact::Fact;

    fn along_rows(op: &'static str, data: Fact) -> String {
        let fact = Try::new(op, 12).input(data).ints("axes", &[1]).int("keepdims", 0).one(rule);
        assert_eq!(shape(&fact), "2");
        values(&fact)
    }

    #[test]
    fn whole_numbers() {
        let data = || tensor(DType::Int64, &[2, 3], &[1, -2, 5, 7, 0, 2]);
        assert_eq!(along_rows("ReduceSum", data()), "4 9");
        assert_eq!(along_rows("ReduceProd", data()), "-10 0");
        assert_eq!(along_rows("ReduceMax", data()), "5 7");
        assert_eq!(along_rows("ReduceMin", data()), "-2 0");
        assert_eq!(along_rows("ReduceMean", data()), "1 3"); // 4 / 3 towards zero
        assert_eq!(along_rows("ReduceSumSquare", data()), "30 53");
        assert_eq!(along_rows("ReduceL1", data()), "8 9");
        assert_eq!(along_rows("ReduceL2", data()), "?"); // neither 30 nor 53 is a square
    }

    #[test]
    fn what_the_type_cannot_hold_is_not_reported() {
        let data = tensor(DType::Int32, &[2, 2], &[65536, 65536, 2, 3]);
        assert_eq!(along_rows("ReduceProd", data), "? 6");
    }

    #[test]
    fn floats_are_reported_when_no_order_matters() {
        let data = floats(&[2, 3], &[0.5, 0.25, 2.0, 0.1, 0.2, 0.3]);
        assert_eq!(along_rows("ReduceSum", data.clone()), "2.75 ?");
        assert_eq!(along_rows("ReduceMax", data), "2 0.30000001192092896");
        let data = floats(&[2, 2], &[3.0, 4.0, 1.0, 2.0]);
        assert_eq!(along_rows("ReduceL2", data.clone()), "5 2.2360680103302"); // sqrt(5) in float32
        assert_eq!(along_rows("ReduceMean", data), "3.5 1.5");
    }

    #[test]
    fn sizes_stay_symbolic() {
        let data = tensor(DType::Int64, &[3], &[2, 3, 4]);
        let Fact::Tensor(mut fact) = data else { unreachable!() };
        let n = Expr::symbol(&calipers_sym::Symbol::at_least("n", 1));
        fact.value = Some([Elem::Int(n), Elem::int(3), Elem::int(4)].into());
        let product = Try::new("ReduceProd", 13).input(fact.into()).int("keepdims", 0).one(rule);
        assert_eq!(values(&product), "12*n");
    }
}
