//! Rows of operators that TensorFlow Lite has alone.
//!
//! Inputs are those of the file, without the variables that hold a state between runs: these start
//! as zeros, as what is left out does.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::rules::broadcast_pair;
use crate::InputRole::{Data, Joined, Moved, Setting, Weight};
use crate::context::{Fail, OpContext, Outcome};
use crate::contrib::inputs::{like, only};
use crate::cost::{self, Cost, Traffic, Work, dims, given};
use crate::elem::Elem;
use crate::elementwise::rules::same;
use crate::fact::{Fact, TensorFact, product};
use crate::movement::given::{dimension, list};
use crate::row::{InputRole, Operator};
use crate::traits::{Class, KernelClass, Movement, family};

/// The domain of operators of TensorFlow Lite.
const TFLITE: &str = calipers_ir::Format::Tflite.domain();

const fn row(name: &'static str, inputs: &'static [InputRole]) -> Operator {
    Operator::new(TFLITE, name, inputs)
}

/// Weights of an LSTM by gate, of inputs and of states; peepholes; biases; a projection with its
/// bias; states; scales of normalizations.
const LSTM: &[InputRole] = &[
    Data, Weight, Weight, Weight, Weight, Weight, Weight, Weight, Weight, Weight, Weight, Weight,
    Weight, Weight, Weight, Weight, Weight, Weight, Data, Data, Weight, Weight, Weight, Weight,
];

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Movement,
    [
        row("ASSIGN_VARIABLE", &[Setting, Data]).infer(nothing).costs(cost::free),
        row("ATAN2", &[Data, Data])
            .class(Class::Elementwise)
            .infer(broadcast_pair)
            .costs(cost::per_output::<1>),
        row("BUCKETIZE", &[Data])
            .class(Class::Elementwise)
            .decides()
            .infer(|ctx| Ok(vec![like(ctx, 0, DType::Int32)?]))
            .costs(cost::per_output::<1>),
        row("CALL_ONCE", &[]).class(Class::ControlFlow).infer(nothing).costs(cost::free),
        row("DYNAMIC_UPDATE_SLICE", &[Data, Data, Setting])
            .infer(same)
            .costs(cost::free)
            .moves(Traffic::Without(&[0])),
        row("NOT_EQUAL", &[Data, Data])
            .class(Class::Elementwise)
            .decides()
            .infer(not_equal)
            .costs(cost::per_output::<1>),
        row("RANK", &[Data])
            .class(Class::ShapeQuery)
            .infer(rank)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        row("READ_VARIABLE", &[Setting]).infer(stored).costs(cost::free),
        row("RNN", &[Data, Weight, Weight, Weight, Data])
            .class(Class::Recurrent)
            .contracts(KernelClass::Recurrent, &[1])
            .infer(recurrent)
            .costs(recurrent_cost),
        row("SCATTER_ND", &[Setting, Moved, Setting]).infer(scattered).costs(cost::free),
        row("SELECT", &[Setting, Joined, Joined])
            .class(Class::Movement)
            .infer(|ctx| Ok(vec![like(ctx, 1, ctx.dtype(1))?]))
            .costs(cost::free),
        row("SLICE", &[Moved, Setting, Setting])
            .passes(Movement::Slice)
            .has_integer_kernel()
            .infer(slice)
            .costs(cost::free)
            .moves(Traffic::Gathered),
        row("SVDF", &[Data, Weight, Weight, Weight, Data])
            .class(Class::Recurrent)
            .contracts(KernelClass::Recurrent, &[1])
            .has_integer_kernel()
            .infer(filtered)
            .costs(filtered_cost),
        row("UNIDIRECTIONAL_SEQUENCE_LSTM", LSTM)
            .class(Class::Recurrent)
            .contracts(KernelClass::Recurrent, &[2])
            .has_integer_kernel()
            .infer(long_short)
            .costs(long_short_cost),
        row("UNIDIRECTIONAL_SEQUENCE_RNN", &[Data, Weight, Weight, Weight, Data])
            .class(Class::Recurrent)
            .contracts(KernelClass::Recurrent, &[1])
            .infer(recurrent)
            .costs(recurrent_cost),
        row("VAR_HANDLE", &[])
            .class(Class::Generator)
            .infer(|_| Ok(vec![Fact::Opaque]))
            .costs(cost::free)
            .moves(Traffic::Nothing),
        row("ZEROS_LIKE", &[Setting]).class(Class::Generator).infer(same).costs(cost::free),
    ],
);

fn nothing(_: &mut OpContext<'_>) -> Outcome {
    Ok(Vec::new())
}

/// What a variable holds is what the file declares of it.
fn stored(_: &mut OpContext<'_>) -> Outcome {
    Err(Fail::unknown("a variable holds it"))
}

fn not_equal(ctx: &mut OpContext<'_>) -> Outcome {
    let facts = broadcast_pair(ctx)?.into_iter().map(|fact| match fact {
        Fact::Tensor(tensor) => Fact::Tensor(TensorFact { dtype: DType::Bool, ..tensor }),
        other => other,
    });
    Ok(facts.collect())
}

fn rank(ctx: &mut OpContext<'_>) -> Outcome {
    let fact = TensorFact::new(DType::Int32, []);
    let rank = ctx.dims(0).ok().and_then(|dims| i64::try_from(dims.len()).ok());
    Ok(vec![match rank {
        Some(rank) => fact.with_value([Elem::int(rank)]).into(),
        None => fact.into(),
    }])
}

/// A start and a size along each axis; a size of -1 goes on to the end.
fn slice(ctx: &mut OpContext<'_>) -> Outcome {
    let why = "the place and the size of the slice";
    let sizes: Option<Vec<Option<Expr>>> =
        ctx.exprs(2).map(|sizes| sizes.into_iter().map(Option::<&Expr>::cloned).collect());
    let starts: Option<Vec<Option<Expr>>> =
        ctx.exprs(1).map(|starts| starts.into_iter().map(Option::<&Expr>::cloned).collect());
    let dtype = ctx.dtype(0);
    let whole = match ctx.shape(0)? {
        Ok(dims) => dims.to_vec(),
        Err(reason) => return Ok(vec![Fact::unranked(dtype, reason)]),
    };
    let at = |list: &Option<Vec<Option<Expr>>>, axis: usize| -> Option<Expr> {
        list.as_ref()?.get(axis)?.clone()
    };
    let mut sliced = Vec::with_capacity(whole.len());
    for (axis, whole) in whole.iter().enumerate() {
        let size = match at(&sizes, axis) {
            Some(size) if size.as_const() == Some(-1) => at(&starts, axis).map(|it| whole - it),
            size => size,
        };
        sliced.push(match size {
            Some(size) => dimension(ctx, size, why)?,
            None => ctx.fresh(why),
        });
    }
    Ok(vec![Fact::tensor(dtype, sliced)])
}

/// Zeros of a shape, with elements put in.
fn scattered(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype(1);
    let sizes = match list(ctx, "", 2) {
        None => return Err(Fail::contradiction("SCATTER_ND lacks its shape")),
        Some(Err(reason)) => return Ok(vec![Fact::unranked(dtype, reason)]),
        Some(Ok(sizes)) => sizes,
    };
    let why = "the shape that SCATTER_ND is given";
    let mut dims = Vec::with_capacity(sizes.len());
    for size in sizes {
        dims.push(match size {
            Some(size) => dimension(ctx, size, why)?,
            None => ctx.fresh(why),
        });
    }
    Ok(vec![Fact::tensor(dtype, dims)])
}

/// The dimensions of the first input, the last one replaced.
fn with_width(ctx: &OpContext<'_>, width: Expr) -> Result<Vec<Expr>, Fail> {
    let mut dims = ctx.dims(0)?.to_vec();
    match dims.last_mut() {
        Some(last) => *last = width,
        None => return Err(Fail::contradiction(format!("{} has an input of rank 0", ctx.op))),
    }
    Ok(dims)
}

/// Sequences by steps: every dimension of the input but the last.
fn steps(ctx: &OpContext<'_>) -> Result<Expr, Fail> {
    let input = dims(ctx, ctx.optional(0))?;
    Ok(product(input.split_last().map_or(&[][..], |(_, steps)| steps)))
}

/// The state of every step: weights of the input are `[units, width]`.
fn recurrent(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &OpContext<'_>| with_width(ctx, ctx.dims_of_rank(1, 2)?[0].clone());
    only(ctx.dtype(0), dims(ctx))
}

/// Both matrices at every step, a bias and an activation.
fn recurrent_cost(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    let steps = steps(ctx)?;
    let units = &dims(ctx, ctx.optional(1))?[..1];
    let weights = product(dims(ctx, ctx.optional(1))?) + product(dims(ctx, ctx.optional(2))?);
    let each = 2 + given(ctx, &[3]);
    Ok(Work { macs: &steps * weights, other_flops: steps * product(units) * each })
}

/// `SVDF`: as many filters as there are rows of weights, `rank` of them for each output.
fn filtered(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &OpContext<'_>| {
        let filters = ctx.dims_of_rank(1, 2)?[0].clone();
        with_width(ctx, filters.floor_div(&Expr::from(ctx.int_or("rank", 1).max(1))))
    };
    only(ctx.dtype(0), dims(ctx))
}

/// Every filter over the features, and over what it remembers.
fn filtered_cost(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let steps = steps(ctx)?;
    let weights = product(dims(ctx, ctx.optional(1))?) + product(dims(ctx, ctx.optional(2))?);
    let each = 1 + given(ctx, &[3]);
    Ok(Work { macs: steps * weights, other_flops: product(dims(ctx, outputs.first())?) * each })
}

/// Weights of the states are `[units, outputs]`.
fn long_short(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &OpContext<'_>| with_width(ctx, ctx.dims_of_rank(8, 2)?[1].clone());
    only(ctx.dtype(0), dims(ctx))
}

/// The weights of all gates at every step, those of the projection, and the updates of the state as
/// for `LSTM` of the standard.
fn long_short_cost(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    let steps = steps(ctx)?;
    let mut weights = Expr::ZERO;
    // Gates of inputs are at 1 to 4, those of states at 5 to 8; the input gate may be coupled.
    for index in (1..9).chain([16]).filter(|index| ctx.has(*index)) {
        weights += &product(dims(ctx, ctx.optional(index))?);
    }
    let gates = 3 + given(ctx, &[1]);
    let units = dims(ctx, ctx.optional(8))?.first().cloned().unwrap_or_else(|| 1.into());
    let each = 2 * gates + given(ctx, &[12, 13, 14, 15]) + 2 * given(ctx, &[9, 10, 11]) + 5;
    Ok(Work { macs: &steps * weights, other_flops: steps * units * each })
}

#[cfg(test)]
mod tests {
    use super::TFLITE;
    use crate::Elem;
    use crate::contrib::testing::{ask, elements, int, reported};
    use crate::cost::testing::{both, work};

    #[test]
    fn slices_by_place_and_size() {
        let inputs = ["float32[batch, 10]", "int32[2]={0, 3}", "int32[2]={-1, 4}"];
        assert_eq!(reported(TFLITE, "SLICE", &inputs, &[], 1), ["float32[batch, 4]"]);
        let inputs = ["float32[batch, 10]", "int32[2]={0, 3}", "int32[2]={-1, -1}"];
        assert_eq!(reported(TFLITE, "SLICE", &inputs, &[], 1), ["float32[batch, 7]"]);
    }

    #[test]
    fn filters_remember() {
        let inputs = ["float32[batch, 40]", "float32[256, 40]", "float32[256, 8]", "float32[128]"];
        let rank = [("rank", int(2))];
        assert_eq!(reported(TFLITE, "SVDF", &inputs, &rank, 1), ["float32[batch, 128]"]);
        // 256 filters of 40 features, and of 8 steps; 128 biases and activations.
        let wanted = both("12288*batch", "256*batch");
        assert_eq!(work(TFLITE, "SVDF", &inputs, &rank), wanted);
    }

    #[test]
    fn gates_of_a_sequence() {
        // A batch of 2, 7 steps of 10 features, 16 units; four gates and their biases.
        let mut inputs = vec!["float32[2, 7, 10]"];
        inputs.extend(["float32[16, 10]"; 4]);
        inputs.extend(["float32[16, 16]"; 4]);
        inputs.extend([""; 3]);
        inputs.extend(["float32[16]"; 4]);
        let op = "UNIDIRECTIONAL_SEQUENCE_LSTM";
        assert_eq!(reported(TFLITE, op, &inputs, &[], 1), ["float32[2, 7, 16]"]);
        // 14 steps of 4 · (160 + 256) weights; 16 units of 4 · 3 + 5 operations.
        let wanted = both("23296", "3808");
        assert_eq!(work(TFLITE, op, &inputs, &[]), wanted);
        let inputs = ["float32[2, 7, 10]", "float32[16, 10]", "float32[16, 16]", "float32[16]"];
        let op = "UNIDIRECTIONAL_SEQUENCE_RNN";
        assert_eq!(reported(TFLITE, op, &inputs, &[], 1), ["float32[2, 7, 16]"]);
        // 14 · (160 + 256), and 14 · 16 · 3.
        assert_eq!(work(TFLITE, op, &inputs, &[]), both("5824", "672"));
    }

    #[test]
    fn ranks_and_comparisons() {
        let inputs = ["float32[batch, 2, 3]"];
        let facts = ask(TFLITE, "RANK", 1, &inputs, &[], 1).unwrap();
        assert_eq!(elements(&facts[0]).as_deref(), Some(&[Elem::int(3)][..]));
        let inputs = ["float32[batch, 1]", "float32[3]"];
        assert_eq!(reported(TFLITE, "NOT_EQUAL", &inputs, &[], 1), ["bool[batch, 3]"]);
    }
}
