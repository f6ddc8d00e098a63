//! Rows of operators of PyTorch that neither ONNX nor another framework has, by their names in ATen.
//!
//! Files of `torch.export` state the shape of every value. Where a row's shape follows from
//! arguments that the file keeps as symbolic numbers, what the file states is taken.

use calipers_sym::Expr;

use crate::InputRole::{Data, Joined, Moved, Setting, Table, Weight};
use crate::context::{Fail, OpContext, Outcome};
use crate::cost::{self, Traffic, Work};
use crate::elem::Elem;
use crate::elementwise::rules::same;
use crate::fact::{Fact, TensorFact, product};
use crate::row::{InputRole, Operator};
use crate::traits::{Class, KernelClass, Movement, Norm, family};

/// The domain of PyTorch's operators.
pub(crate) const ATEN: &str = "aten";

const fn aten(name: &'static str, inputs: &'static [InputRole]) -> Operator {
    Operator::new(ATEN, name, inputs).infer(stated)
}

const fn moved(name: &'static str, movement: Movement) -> Operator {
    aten(name, &[Moved, Setting]).variadic().passes(movement).costs(cost::free)
}

const fn reduced(name: &'static str) -> Operator {
    aten(name, &[Data, Setting]).class(Class::Reduction)
}

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Movement,
    [
        aten("adaptive_pool", &[Data]).class(Class::Reduction).costs(cost::per_input::<1>),
        aten("baddbmm", &[Data, Data, Data])
            .class(Class::Contraction)
            .contracts(KernelClass::Gemm, &[])
            .costs(product_and_sum),
        aten("create", &[Setting]).variadic().costs(cost::free),
        aten("elementwise", &[Data])
            .variadic()
            .class(Class::Elementwise)
            .costs(cost::per_output::<1>),
        moved("expand", Movement::Expand),
        aten("glu", &[Data]).class(Class::Elementwise).costs(cost::per_output::<2>),
        aten("index", &[Table, Data])
            .variadic()
            .passes(Movement::Gather)
            .costs(cost::free)
            .moves(Traffic::Gathered),
        aten("index_put", &[Moved, Data, Data])
            .passes(Movement::Scatter { updates: 1 })
            .infer(same)
            .costs(cost::free),
        aten("join", &[Joined]).variadic().passes(Movement::Join).costs(cost::free),
        aten("min_max_dim", &[Data]).class(Class::Reduction).costs(cost::per_input::<1>),
        aten("normalize", &[Data, Weight, Weight])
            .class(Class::Normalization(Norm::Layer))
            .infer(same)
            .costs(cost::per_output::<7>),
        reduced("reduce").costs(cost::per_input::<1>),
        moved("repeat", Movement::Repeat),
        aten("resize", &[Data]).costs(cost::per_output::<8>),
        aten("rnn", &[Data, Weight])
            .variadic()
            .class(Class::Recurrent)
            .contracts(KernelClass::Recurrent, &[])
            .costs(recurrence),
        aten("roll", &[Moved]).passes(Movement::Rearrange).infer(same).costs(cost::free),
        moved("slice", Movement::Slice).moves(Traffic::Gathered),
        reduced("std").costs(cost::per_input::<3>),
        aten("sym_size", &[Data])
            .class(Class::ShapeQuery)
            .infer(size_of)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        aten("unfold", &[Moved, Setting]).variadic().passes(Movement::Rearrange).costs(cost::free),
        reduced("var").costs(cost::per_input::<3>),
        moved("view", Movement::View),
    ],
);

/// A shape that the file states.
fn stated(ctx: &mut OpContext<'_>) -> Outcome {
    let why = "the arguments that give the shape are not known";
    Ok(vec![Fact::unranked(ctx.dtype(0), why); ctx.outputs])
}

/// `sym_size`: a dimension as a number.
fn size_of(ctx: &mut OpContext<'_>) -> Outcome {
    let fact = TensorFact::new(calipers_ir::DType::Int64, []);
    let dims = match ctx.dims(0) {
        Ok(dims) => dims,
        Err(Fail::Unknown(_)) => return Ok(vec![fact.into()]),
        Err(contradiction) => return Err(contradiction),
    };
    let axis = ctx.axis(ctx.int_or("dim", 0), dims.len())?;
    Ok(vec![fact.with_value([Elem::Int(dims[axis].clone())]).into()])
}

/// `baddbmm`: products of matrices, each added to another.
fn product_and_sum(ctx: &OpContext<'_>, outputs: &[Fact]) -> Result<Work, Fail> {
    let depth = cost::last(ctx, 1)?;
    let count = cost::elements(ctx, outputs.first())?;
    Ok(Work { macs: &count * depth, other_flops: count })
}

/// Recurrent layers on top of each other: each matrix of weights is multiplied with each step of
/// each sequence. The last inputs are states, as many as the attribute says. Of what else a step
/// takes, one operation is counted for each element of a bias.
fn recurrence(ctx: &OpContext<'_>, _: &[Fact]) -> Result<Work, Fail> {
    let steps = match cost::dims(ctx, ctx.optional(0))? {
        [steps @ .., _] => product(steps),
        [] => return cost::unknown("the input of a recurrent layer has no dimensions"),
    };
    let mut matrices = Expr::ZERO;
    let mut others = Expr::ZERO;
    let states = usize::try_from(ctx.int_or("states", 0)).unwrap_or(0);
    for index in 1..ctx.input_count().saturating_sub(states) {
        match cost::dims(ctx, ctx.optional(index))? {
            [rows, columns] => matrices += rows * columns,
            [width] => others += width.clone(),
            _ => {}
        }
    }
    Ok(Work { macs: &steps * matrices, other_flops: steps * others })
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{ask, elements, int};
    use crate::cost::testing::{both, work};

    #[test]
    fn a_size_is_a_number() {
        let attributes = [("dim", int(1))];
        let input = ["float32[batch, 7]"];
        let facts = ask(super::ATEN, "sym_size", 1, &input, &attributes, 1).unwrap();
        let known = elements(&facts[0]).unwrap();
        assert_eq!(known.first().and_then(|element| element.as_i64()), Some(7));
    }

    #[test]
    fn each_step_multiplies_with_every_matrix() {
        // Two layers of a unit with 4 gates of 20: 80·10 + 80·20 and 80·20 + 80·20 for each of the
        // 7 steps of 2 sequences, and two biases of 80 in each layer.
        let inputs = [
            "float32[2, 7, 10]",
            "float32[80, 10]",
            "float32[80, 20]",
            "float32[80]",
            "float32[80]",
            "float32[80, 20]",
            "float32[80, 20]",
            "float32[80]",
            "float32[80]",
            "float32[2, 2, 20]",
        ];
        let macs = 14 * (80 * 30 + 80 * 40);
        let expected = both(&macs.to_string(), &(14 * 320).to_string());
        let attributes = [("states", int(1))];
        assert_eq!(work(super::ATEN, "rnn", &inputs, &attributes), expected);
    }
}
