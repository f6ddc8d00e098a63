//! Rows of operators that several frameworks have.

use super::rules;
use crate::FRAMEWORKS;
use crate::InputRole::{Data, Joined, Moved, Multiplied, Setting, Subtracted, Table, Weight};
use crate::cost::{self, Traffic};
use crate::elementwise::rules::same;
use crate::movement::{join, strided};
use crate::row::{InputRole, Operator};
use crate::traits::{Activation, Class, Extent, KernelClass, Lowering, Movement, family};

const fn shared(name: &'static str, inputs: &'static [InputRole]) -> Operator {
    Operator::new(FRAMEWORKS, name, inputs)
}

const fn unary(name: &'static str) -> Operator {
    shared(name, &[]).class(Class::Elementwise).unary(true).infer(same)
}

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Movement,
    [
        shared("BatchToSpace", &[Moved, Setting, Setting])
            .passes(Movement::Rearrange)
            .extent(Extent::Inputs(&[1, 2]))
            .infer(rules::batch_to_space)
            .costs(cost::free),
        shared("BroadcastTo", &[Moved, Setting])
            .passes(Movement::Expand)
            .extent(Extent::Inputs(&[1]))
            .has_integer_kernel()
            .grows_when_folded()
            .infer(join::expand)
            .costs(cost::free),
        shared("DivNoNan", &[Data, Data])
            .class(Class::Elementwise)
            .infer(rules::broadcast_pair)
            .costs(cost::per_output::<1>),
        unary("Expm1").transcendental().costs(cost::per_output::<2>),
        shared("FakeQuantize", &[Moved, Setting, Setting, Setting, Setting])
            .class(Class::Quantization)
            .passes(Movement::Convert)
            .lowers(Lowering::Forward)
            .in_place(true)
            .infer(same)
            .costs(cost::per_output::<4>),
        shared("Fill", &[Setting, Data])
            .extent(Extent::Inputs(&[0]))
            .grows_when_folded()
            .infer(rules::fill)
            .costs(cost::free),
        shared("FloorDiv", &[Data, Data])
            .class(Class::Elementwise)
            .infer(rules::floor_div)
            .costs(cost::per_output::<2>),
        shared("FloorMod", &[Data, Data])
            .class(Class::Elementwise)
            .infer(rules::broadcast_pair)
            .costs(cost::per_output::<2>),
        shared("GatherBatch", &[Table, Data, Setting])
            .passes(Movement::Gather)
            .has_integer_kernel()
            .infer(rules::gather_batch)
            .costs(cost::free)
            .moves(Traffic::Gathered),
        shared("Linear", &[Data, Weight, Weight])
            .class(Class::Contraction)
            .contracts(KernelClass::Gemm, &[1])
            .lowers(Lowering::MatMul { factors: [0, 1], bias: Some(2), activation: None })
            .has_integer_kernel()
            .infer(rules::linear)
            .costs(cost::contraction::linear),
        unary("Log1p").transcendental().costs(cost::per_output::<2>),
        shared("Pad", &[Moved, Setting, Setting])
            .passes(Movement::Pad)
            .extent(Extent::Inputs(&[1]))
            .has_integer_kernel()
            .infer(crate::movement::pad::pad_pairs)
            .costs(cost::free),
        shared("Relu6", &[])
            .activates(Activation::Relu6)
            .lowers(Lowering::Activation(Activation::Relu6))
            .has_integer_kernel()
            .infer(same)
            .costs(cost::per_output::<2>),
        unary("Rint").costs(cost::per_output::<1>),
        unary("Rsqrt").transcendental().costs(cost::per_output::<2>),
        shared("SpaceToBatch", &[Moved, Setting, Setting])
            .passes(Movement::Rearrange)
            .extent(Extent::Inputs(&[1, 2]))
            .infer(rules::space_to_batch)
            .costs(cost::free),
        unary("Square").costs(cost::per_output::<1>),
        shared("SquaredDifference", &[Subtracted, Multiplied])
            .class(Class::Elementwise)
            .commutes()
            .infer(rules::broadcast_pair)
            .costs(cost::per_output::<2>),
        shared("Stack", &[Joined])
            .passes(Movement::Join)
            .variadic()
            .has_integer_kernel()
            .infer(rules::stack)
            .costs(cost::free),
        shared("StridedSlice", &[Moved, Setting, Setting, Setting])
            .passes(Movement::Slice)
            .extent(Extent::Inputs(&[1, 2, 3]))
            .has_integer_kernel()
            .infer(strided::strided_slice)
            .costs(cost::free)
            .moves(Traffic::Gathered),
        shared("Unstack", &[Moved])
            .passes(Movement::Slice)
            .has_integer_kernel()
            .infer(rules::unstack)
            .costs(cost::free),
    ],
);
