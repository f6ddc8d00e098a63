//! Rows of operators that OpenVINO has alone.
//!
//! <https://docs.openvino.ai/2025/documentation/openvino-ir-format/operation-sets.html>

mod rules;

use crate::InputRole::{Data, Joined, Moved, Setting, Table, Weight};
use crate::OPENVINO;
use crate::cost::{self, Traffic};
use crate::elementwise::rules::same;
use crate::row::{InputRole, Operator};
use crate::traits::{
    Activation, Class, Extent, ImageOp, KernelClass, Lowering, Movement, Norm, Pool, family,
};

const fn own(name: &'static str, inputs: &'static [InputRole]) -> Operator {
    Operator::new(OPENVINO, name, inputs)
}

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Movement,
    [
        own("AdaptiveAvgPool", &[])
            .pools(Pool::Average)
            .infer(rules::adaptive)
            .costs(cost::per_input::<1>),
        own("AdaptiveMaxPool", &[])
            .pools(Pool::Max)
            .infer(rules::adaptive)
            .costs(cost::per_input::<1>),
        own("BatchToSpace", &[Moved, Setting, Setting, Setting])
            .passes(Movement::Rearrange)
            .extent(Extent::Inputs(&[1, 2, 3]))
            .infer(rules::batch_to_space)
            .costs(cost::free),
        own("Broadcast", &[Moved, Setting, Setting])
            .passes(Movement::Expand)
            .extent(Extent::Inputs(&[1]))
            .grows_when_folded()
            .infer(rules::given_shape::<1>)
            .costs(cost::free),
        own("Bucketize", &[Data, Setting])
            .class(Class::Elementwise)
            .decides()
            .infer(rules::bucketize)
            .costs(cost::per_output::<1>),
        own("EmbeddingBagOffsets", &[Table, Data, Data])
            .class(Class::Reduction)
            .infer(rules::bags)
            .costs(rules::summed_rows),
        own("EmbeddingBagPacked", &[Table, Data])
            .class(Class::Reduction)
            .infer(rules::packed_bags)
            .costs(rules::summed_rows),
        own("EmbeddingSegmentsSum", &[Table, Data, Data])
            .class(Class::Reduction)
            .infer(rules::segments)
            .costs(rules::summed_rows),
        own("ExtractImagePatches", &[Moved])
            .passes(Movement::Rearrange)
            .infer(rules::stated)
            .costs(cost::free),
        own("Eye", &[]).class(Class::Generator).infer(rules::stated).costs(cost::free),
        own("FakeConvert", &[Moved, Setting, Setting])
            .class(Class::Quantization)
            .passes(Movement::Convert)
            .lowers(Lowering::Forward)
            .in_place(true)
            .infer(same)
            .costs(cost::per_output::<4>),
        own("GRN", &[]).normalizes(Norm::Lp).infer(same).costs(cost::per_output::<3>),
        own("GRUCell", &[Data, Data, Weight, Weight, Weight])
            .class(Class::Recurrent)
            .contracts(KernelClass::Recurrent, &[2])
            .infer(rules::cell)
            .costs(rules::cell_cost),
        own("Gather", &[Table, Data, Setting])
            .passes(Movement::Gather)
            .infer(rules::stated)
            .costs(cost::free)
            .moves(Traffic::Gathered),
        own("GatherTree", &[]).passes(Movement::Gather).infer(same).costs(cost::free),
        own("Interpolate", &[])
            .class(Class::Image(ImageOp::Resize))
            .raises_resolution()
            .infer(rules::stated)
            .costs(cost::window::resize),
        own("IsFinite", &[])
            .class(Class::Elementwise)
            .decides()
            .unary(true)
            .infer(rules::is_finite)
            .costs(cost::per_output::<1>),
        own("LSTMCell", &[Data, Data, Data, Weight, Weight, Weight])
            .class(Class::Recurrent)
            .contracts(KernelClass::Recurrent, &[3])
            .infer(rules::cell)
            .costs(rules::cell_cost),
        own("NormalizeL2", &[]).normalizes(Norm::Lp).infer(same).costs(cost::per_output::<3>),
        own("NotEqual", &[])
            .class(Class::Elementwise)
            .commutes()
            .decides()
            .infer(rules::not_equal)
            .costs(cost::per_output::<1>),
        own("PReLU", &[Data, Weight])
            .activates(Activation::Prelu)
            .unary(false)
            .has_integer_kernel()
            .infer(same)
            .costs(cost::per_output::<1>),
        own("Pad", &[Moved, Setting, Setting, Setting])
            .passes(Movement::Pad)
            .extent(Extent::Inputs(&[1, 2]))
            .has_integer_kernel()
            .infer(rules::pad)
            .costs(cost::free),
        own("PriorBox", &[])
            .class(Class::Generator)
            .infer(rules::stated)
            .costs(cost::per_output::<1>),
        own("RNNCell", &[Data, Data, Weight, Weight, Weight])
            .class(Class::Recurrent)
            .contracts(KernelClass::Recurrent, &[2])
            .infer(rules::cell)
            .costs(rules::cell_cost),
        own("RandomUniform", &[])
            .class(Class::Generator)
            .random()
            .infer(rules::given_shape::<0>)
            .costs(cost::per_output::<1>),
        own("ReadValue", &[]).class(Class::Sequence).infer(rules::stated).costs(cost::free),
        own("ReorgYolo", &[Moved])
            .passes(Movement::Rearrange)
            .infer(rules::stated)
            .costs(cost::free),
        own("Roll", &[Moved, Setting, Setting])
            .passes(Movement::Rearrange)
            .infer(same)
            .costs(cost::free),
        own("ScatterUpdate", &[Joined, Setting, Joined])
            .passes(Movement::Scatter { updates: 2 })
            .infer(same)
            .costs(cost::free),
        own("ShuffleChannels", &[Moved]).passes(Movement::Rearrange).infer(same).costs(cost::free),
        own("SliceScatter", &[Joined, Joined])
            .passes(Movement::Scatter { updates: 1 })
            .infer(same)
            .costs(cost::free),
        own("SpaceToBatch", &[Moved, Setting, Setting, Setting])
            .passes(Movement::Rearrange)
            .extent(Extent::Inputs(&[1, 2, 3]))
            .infer(rules::space_to_batch)
            .costs(cost::free),
        own("Split", &[Moved]).passes(Movement::Slice).infer(rules::stated).costs(cost::free),
        own("Transpose", &[Moved])
            .passes(Movement::Transpose)
            .infer(rules::moved_sizes)
            .costs(cost::free),
    ],
);
