//! Operators of Core ML alone, in programs and in networks of layers.
//!
//! A layer of a network takes blobs of any rank, whose last three dimensions are the channels, the
//! height and the width: what is in front is a batch, and may be nothing.

mod rules;

use crate::InputRole::{
    Added, Data, Dequantized, Moved, Multiplied, Scale, Setting, Statistic, Table, Weight,
};
use crate::cost::{self, Traffic};
use crate::elementwise::rules::same;
use crate::row::{InputRole, Operator};
use crate::traits::{Activation, Class, KernelClass, Movement, Norm, Pool, family};

/// The domain of Core ML's operators.
const CORE_ML: &str = "coreml";

const fn own(name: &'static str, inputs: &'static [InputRole]) -> Operator {
    Operator::new(CORE_ML, name, inputs)
}

const fn unary(name: &'static str) -> Operator {
    own(name, &[Data]).class(Class::Elementwise).unary(true).infer(same)
}

const fn moved(name: &'static str, movement: Movement) -> Operator {
    own(name, &[Moved, Setting, Setting]).passes(movement).infer(rules::stated).costs(cost::free)
}

const fn cell(name: &'static str) -> Operator {
    own(name, &[Data, Data, Data, Weight])
        .class(Class::Recurrent)
        .contracts(KernelClass::Recurrent, &[3])
        .variadic()
        .infer(rules::recurrent)
        .costs(rules::recurrence)
}

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Movement,
    [
        own("AddChannels", &[Data, Added])
            .class(Class::Elementwise)
            .infer(rules::by_channel)
            .costs(cost::per_output::<1>),
        own("ArgSort", &[Data])
            .class(Class::Reduction)
            .infer(rules::argsort)
            .costs(cost::per_input::<1>),
        moved("BandPart", Movement::Rearrange).infer(same),
        moved("BatchToSpace", Movement::Rearrange),
        unary("ClampedRelu").costs(cost::per_output::<1>),
        own("Convolution", &[Data, Weight, Weight])
            .class(Class::Contraction)
            .contracts(KernelClass::Convolution, &[1])
            .infer(rules::convolution)
            .costs(cost::contraction::conv),
        own("Deconvolution", &[Data, Weight, Weight])
            .class(Class::Contraction)
            .raises_resolution()
            .contracts(KernelClass::Convolution, &[1])
            .infer(rules::deconvolution)
            .costs(cost::contraction::conv_transpose),
        moved("DepthToSpace", Movement::Rearrange).infer(rules::blocks),
        own("Embedding", &[Data, Table, Weight])
            .passes(Movement::Gather)
            .infer(rules::embedding)
            .costs(cost::free)
            .moves(Traffic::Gathered),
        unary("Exp2").transcendental().costs(cost::per_output::<1>),
        own("FillLike", &[Setting, Data]).infer(same).costs(cost::free),
        cell("Gru"),
        own("InnerProduct", &[Data, Weight, Weight])
            .class(Class::Contraction)
            .contracts(KernelClass::Gemm, &[1])
            .infer(rules::inner_product)
            .costs(rules::inner_products),
        own("L2Norm", &[Data]).normalizes(Norm::Lp).infer(same).costs(cost::per_output::<3>),
        unary("LinearActivation").costs(cost::per_output::<2>),
        cell("Lstm"),
        own("LutToDense", &[Dequantized, Scale])
            .class(Class::Quantization)
            .passes(Movement::Convert)
            .grows_when_folded()
            .infer(rules::from_table)
            .costs(cost::free),
        own("LutToSparse", &[Setting, Dequantized, Scale])
            .class(Class::Quantization)
            .infer(rules::stated_all)
            .costs(cost::free),
        own("MultiplyChannels", &[Data, Multiplied])
            .class(Class::Elementwise)
            .infer(rules::by_channel)
            .costs(cost::per_output::<1>),
        own("NormalizedChannels", &[Data, Weight, Weight, Statistic, Statistic])
            .normalizes(Norm::Batch)
            .infer(same)
            .costs(cost::per_output::<2>),
        own("NotEqual", &[Data, Data])
            .class(Class::Elementwise)
            .infer(rules::not_equal)
            .costs(cost::per_output::<1>),
        own("PRelu", &[Data, Weight])
            .activates(Activation::Prelu)
            .unary(false)
            .infer(same)
            .costs(cost::per_output::<1>),
        own("ParametricSoftplus", &[Data, Weight, Weight])
            .class(Class::Elementwise)
            .infer(same)
            .costs(cost::per_output::<1>),
        own("Pooling", &[Data]).pools(Pool::Average).infer(rules::pooling).costs(rules::pooled),
        own("Random", &[Setting]).random().infer(rules::stated).costs(cost::per_output::<1>),
        own("RandomLike", &[Setting]).random().infer(same).costs(cost::per_output::<1>),
        own("ReduceChannels", &[Data])
            .class(Class::Reduction)
            .infer(rules::reduced)
            .costs(cost::per_input::<1>),
        moved("ReshapeLike", Movement::View),
        moved("Resized", Movement::Expand).infer(rules::resized),
        moved("Reverse", Movement::Rearrange).infer(same),
        cell("Rnn"),
        own("ScaleShift", &[Data, Weight, Weight])
            .class(Class::Elementwise)
            .infer(same)
            .costs(rules::scale_shift),
        unary("ScaledTanh").transcendental().costs(cost::per_output::<3>),
        own("Scatter", &[Moved, Setting, Data]).infer(same).costs(cost::free),
        moved("SliceBySize", Movement::Slice),
        own("SliceUpdate", &[Moved, Data]).infer(same).costs(cost::free),
        moved("SlidingWindows", Movement::Rearrange),
        moved("SpaceToBatch", Movement::Rearrange),
        moved("SpaceToDepth", Movement::Rearrange).infer(rules::blocks),
        own("SparseShiftScale", &[Setting, Dequantized, Scale, Scale])
            .class(Class::Quantization)
            .infer(rules::stated_all)
            .costs(cost::free),
        // The mask has a bit for each element of the weight, and so is what counts as its elements.
        own("SparseToDense", &[Scale, Dequantized])
            .class(Class::Quantization)
            .grows_when_folded()
            .infer(rules::from_mask)
            .costs(cost::free),
        own("WriteState", &[Setting, Moved]).infer(rules::stated_all).costs(cost::free),
    ],
);

#[cfg(test)]
mod tests {
    use super::CORE_ML;
    use crate::contrib::testing::{int, ints, reported};

    #[test]
    fn blobs_have_any_number_of_dimensions_in_front() {
        let pads = [("pads", ints(&[1, 1, 1, 1])), ("strides", ints(&[2, 2]))];
        let weights = "float32[8, 3, 3, 3]";
        for (input, output) in [
            ("float32[3, 8, 8]", "float32[8, 4, 4]"),
            ("float32[2, 3, 8, 8]", "float32[2, 8, 4, 4]"),
            ("float32[5, 2, 3, 8, 8]", "float32[5, 2, 8, 4, 4]"),
        ] {
            assert_eq!(reported(CORE_ML, "Convolution", &[input, weights], &pads, 1), [output]);
        }
        let pool = [("kernel_shape", ints(&[2, 2])), ("strides", ints(&[2, 2]))];
        assert_eq!(
            reported(CORE_ML, "Pooling", &["float32[8, 4, 4]"], &pool, 1),
            ["float32[8, 2, 2]"]
        );
        let grown = [("strides", ints(&[2, 2]))];
        let inputs = ["float32[8, 4, 4]", "float32[8, 3, 2, 2]"];
        assert_eq!(reported(CORE_ML, "Deconvolution", &inputs, &grown, 1), ["float32[3, 8, 8]"]);
    }

    #[test]
    fn vectors_and_states() {
        let inputs = ["float32[4, 2, 2]", "float32[10, 16]"];
        assert_eq!(reported(CORE_ML, "InnerProduct", &inputs, &[], 1), ["float32[10]"]);
        let sizes = [("hidden_size", int(7)), ("directions", int(2))];
        assert_eq!(
            reported(CORE_ML, "Lstm", &["float32[5, 3]"], &sizes, 2),
            ["float32[5, 14]", "float32[5, 7]"]
        );
    }

    #[test]
    fn sizes_change_at_the_end() {
        let doubled = [("factors", ints(&[2, 3]))];
        assert_eq!(
            reported(CORE_ML, "Resized", &["float32[3, 4, 4]"], &doubled, 1),
            ["float32[3, 8, 12]"]
        );
        let cropped = [("added", ints(&[-1, 2]))];
        assert_eq!(
            reported(CORE_ML, "Resized", &["float32[3, 4, 4]"], &cropped, 1),
            ["float32[3, 3, 6]"]
        );
    }
}
