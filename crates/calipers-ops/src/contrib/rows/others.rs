//! Movement, searches, signals and texts.

use super::super::generate;
use super::super::layout;
use super::super::legacy;
use super::super::misc;
use super::super::pointwise;
use crate::InputRole::{Data, Dequantized, Moved, Scale, Setting, Table};
use crate::cost::{self, Traffic};
use crate::row::Operator;
use crate::traits::{
    Class, Extent, ImageOp, KernelClass, Lowering, Movement, Pool, family, quantized_at,
};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Movement,
    [
        Operator::onnx("Crop", &[Data])
            .passes(Movement::Slice)
            .kernel(KernelClass::Elementwise)
            .infer(legacy::crop)
            .costs(cost::free)
            .moves(Traffic::Gathered),
        Operator::onnx("MemcpyFromHost", &[Moved])
            .passes(Movement::View)
            .kernel(KernelClass::Elementwise)
            .infer(pointwise::same)
            .costs(cost::free),
        Operator::onnx("MemcpyToHost", &[Moved])
            .passes(Movement::View)
            .kernel(KernelClass::Elementwise)
            .infer(pointwise::same)
            .costs(cost::free),
        Operator::microsoft("BeamSearch", &[Data])
            .class(Class::Search)
            .infer(generate::beam)
            .costs(cost::pointwise::search),
        Operator::microsoft("BifurcationDetector", &[Data, Data, Setting, Data])
            .class(Class::Search)
            .infer(misc::bifurcation)
            .costs(cost::per_input::<1>),
        Operator::microsoft("CropAndResize", &[Data, Setting, Setting, Setting])
            .class(Class::Image(ImageOp::Regions))
            .infer(misc::crop_and_resize)
            .costs(cost::window::crop_and_resize),
        Operator::microsoft("DequantizeBFP", &[Dequantized, Setting, Setting])
            .class(Class::Quantization)
            .passes(Movement::Convert)
            .infer(crate::quantized::dequantize_bfp)
            .costs(cost::per_output::<2>),
        Operator::microsoft("DequantizeLinear", &[Dequantized, Scale, Scale])
            .class(Class::Quantization)
            .passes(Movement::Convert)
            .lowers(Lowering::Forward)
            .scales(&[quantized_at(0)])
            .in_place(true)
            .grows_when_folded()
            .infer(crate::quantized::dequantize_linear)
            .costs(cost::per_output::<2>),
        Operator::microsoft("DynamicTimeWarping", &[Data])
            .class(Class::Reduction)
            .kernel(KernelClass::Elementwise)
            .infer(misc::dynamic_time_warping)
            .costs(cost::per_input::<3>),
        Operator::microsoft("ExpandDims", &[Moved, Setting])
            .passes(Movement::View)
            .infer(misc::expand_dims)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        Operator::microsoft("GatherND", &[Table, Setting])
            .passes(Movement::Gather)
            .infer(misc::gather_nd)
            .costs(cost::free)
            .moves(Traffic::Gathered),
        Operator::microsoft("GreedySearch", &[Data])
            .class(Class::Search)
            .infer(generate::greedy)
            .costs(cost::pointwise::search),
        Operator::microsoft("GridSample", &[Data, Data])
            .class(Class::Image(ImageOp::Warp))
            .infer(layout::grid_sample)
            .costs(cost::window::grid_sample),
        Operator::microsoft("Inverse", &[Data])
            .class(Class::LinearAlgebra)
            .infer(pointwise::same)
            .costs(cost::pointwise::inverse),
        Operator::microsoft("Irfft", &[Data])
            .class(Class::Signal)
            .infer(misc::irfft)
            .costs(cost::signal::irfft),
        Operator::microsoft("IsAllFinite", &[Data])
            .decides()
            .class(Class::Reduction)
            .kernel(KernelClass::Elementwise)
            .variadic()
            .infer(misc::is_all_finite)
            .costs(cost::pointwise::every_input),
        Operator::microsoft("MaxpoolWithMask", &[Data, Data])
            .pools(Pool::Max)
            .infer(layout::pool_first)
            .costs(cost::window::pool::<1>),
        Operator::microsoft("MurmurHash3", &[Data])
            .class(Class::Features)
            .infer(misc::murmur_hash)
            .costs(cost::per_output::<1>),
        Operator::microsoft("NGramRepeatBlock", &[Data, Data])
            .class(Class::Search)
            .infer(misc::ngram_repeat)
            .costs(cost::free),
        Operator::microsoft("NhwcMaxPool", &[Data])
            .pools(Pool::Max)
            .lowers(Lowering::As("MaxPool", &[0]))
            .infer(layout::pool_last)
            .costs(cost::window::pool::<1>),
        Operator::microsoft("Pad", &[Moved, Setting, Setting])
            .passes(Movement::Pad)
            .extent(Extent::Inputs(&[1]))
            .has_integer_kernel()
            .infer(misc::pad)
            .costs(cost::free),
        Operator::microsoft("Range", &[Setting, Setting, Setting])
            .class(Class::Generator)
            .extent(Extent::Inputs(&[0, 1, 2]))
            .grows_when_folded()
            .infer(misc::range)
            .costs(cost::per_output::<1>),
        Operator::microsoft("Rfft", &[Data])
            .class(Class::Signal)
            .infer(misc::rfft)
            .costs(cost::signal::rfft),
        Operator::microsoft("Sampling", &[Data])
            .class(Class::Search)
            .infer(generate::greedy)
            .costs(cost::pointwise::search),
        Operator::microsoft("Tokenizer", &[Data])
            .class(Class::Text)
            .extent(Extent::Data)
            .infer(misc::tokenizer)
            .costs(cost::free),
        Operator::microsoft("TorchEmbedding", &[Table, Setting, Setting, Setting])
            .passes(Movement::Gather)
            .infer(misc::torch_embedding)
            .costs(cost::free)
            .moves(Traffic::Gathered),
        Operator::microsoft("Trilu", &[Moved, Setting]).infer(pointwise::same).costs(cost::free),
        Operator::microsoft("UnfoldTensor", &[Moved]).infer(misc::unfold).costs(cost::free),
        Operator::microsoft("Unique", &[Data])
            .class(Class::Reduction)
            .kernel(KernelClass::Irregular)
            .extent(Extent::Data)
            .infer(misc::unique)
            .costs(cost::per_input::<1>),
        Operator::microsoft("WhisperBeamSearch", &[Data])
            .class(Class::Search)
            .infer(generate::beam)
            .costs(cost::pointwise::search),
    ],
);
