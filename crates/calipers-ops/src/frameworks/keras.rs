//! Layers of Keras that neither ONNX nor several frameworks have as one operator.
//!
//! Operands are in the order that ONNX has where there is one: images with the channels first, and
//! kernels with the output channels first. Sequences have the batch first, then the steps.

mod attention;
mod inner;
mod recurrent;
mod windows;

use calipers_sym::Expr;

use self::inner::ask;
use crate::InputRole::{Data, Moved, Multiplied, Setting, Statistic, Weight};
use crate::context::{Fail, OpContext, Outcome, broadcast};
use crate::contrib::inputs::only;
use crate::cost::{self, Work};
use crate::elementwise::rules::same;
use crate::fact::{Fact, product};
use crate::row::{InputRole, Operator};
use crate::traits::{Class, KernelClass, Movement, Norm, Pool, family};

/// The domain of Keras.
const KERAS: &str = "keras";

const fn row(name: &'static str, inputs: &'static [InputRole]) -> Operator {
    Operator::new(KERAS, name, inputs)
}

const fn recurrent_row(name: &'static str) -> Operator {
    row(name, &[Data, Weight, Weight, Weight, Setting, Data, Data])
        .class(Class::Recurrent)
        .contracts(KernelClass::Recurrent, &[1, 2])
        .infer(recurrent::one_way)
        .costs(recurrent::cost)
}

const fn bidirectional_row(name: &'static str) -> Operator {
    row(name, &[Data, Weight, Weight, Weight, Setting, Weight, Weight, Weight, Data, Data])
        .class(Class::Recurrent)
        .contracts(KernelClass::Recurrent, &[1, 2, 5, 6])
        .infer(recurrent::both_ways)
        .costs(recurrent::cost)
}

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Contraction,
    [
        row("AdditiveAttention", &[Data, Data, Data, Weight, Weight])
            .class(Class::Attention)
            .contracts(KernelClass::Attention, &[])
            .infer(attention::scored)
            .costs(attention::additive_cost),
        row("Attention", &[Data, Data, Data, Weight, Weight])
            .class(Class::Attention)
            .contracts(KernelClass::Attention, &[])
            .infer(attention::scored)
            .costs(attention::dot_cost),
        row("AveragePoolOverTime", &[])
            .pools(Pool::Average)
            .infer(windows::over_time)
            .costs(windows::pool_cost),
        bidirectional_row("BidirectionalGRU"),
        bidirectional_row("BidirectionalLSTM"),
        bidirectional_row("BidirectionalSimpleRNN"),
        row("ConvLSTM", &[Data, Weight, Weight, Weight])
            .class(Class::Recurrent)
            .contracts(KernelClass::Recurrent, &[1, 2])
            .infer(recurrent::convolutional)
            .costs(recurrent::convolutional_cost),
        row("ConvOverTime", &[Data, Weight, Weight])
            .contracts(KernelClass::Convolution, &[1])
            .infer(windows::over_time)
            .costs(cost::contraction::conv),
        row("DepthwiseConv", &[Data, Weight, Weight])
            .contracts(KernelClass::Depthwise, &[1])
            .infer(windows::depthwise)
            .costs(windows::depthwise_cost),
        row("Dot", &[Data, Data]).contracts(KernelClass::Gemm, &[]).infer(dot).costs(dot_cost),
        row("EinsumDense", &[Data, Weight, Weight])
            .contracts(KernelClass::Gemm, &[1])
            .infer(einsum)
            .costs(einsum_cost),
        recurrent_row("GRU"),
        recurrent_row("LSTM"),
        row("MaxPoolOverTime", &[])
            .pools(Pool::Max)
            .infer(windows::over_time)
            .costs(windows::pool_cost),
        row(
            "MultiHeadAttention",
            &[
                Data, Data, Data, Weight, Weight, Weight, Weight, Weight, Weight, Weight, Weight,
                Setting,
            ],
        )
        .class(Class::Attention)
        .contracts(KernelClass::Attention, &[3, 4, 5, 6])
        .infer(attention::projected)
        .costs(attention::projected_cost),
        row("Multiply", &[Multiplied])
            .class(Class::Elementwise)
            .variadic()
            .commutes()
            .infer(multiplied)
            .costs(cost::pointwise::folded),
        row("Normalization", &[Data, Statistic, Statistic])
            .class(Class::Normalization(Norm::Batch))
            .infer(same)
            .costs(cost::per_output::<2>),
        row("NotEqual", &[Data, Data])
            .class(Class::Elementwise)
            .commutes()
            .infer(not_equal)
            .costs(cost::per_output::<1>),
        row("RepeatVector", &[Moved]).passes(Movement::Expand).infer(repeated).costs(cost::free),
        row("Rescaling", &[Data])
            .class(Class::Elementwise)
            .unary(true)
            .infer(same)
            .costs(cost::per_output::<2>),
        row("SeparableConv", &[Data, Weight, Weight, Weight])
            .contracts(KernelClass::Convolution, &[1, 2])
            .infer(windows::separable)
            .costs(windows::separable_cost),
        recurrent_row("SimpleRNN"),
    ],
);

/// Tensors that broadcast, all together.
fn multiplied(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &OpContext<'_>| {
        let mut dims = ctx.dims(0)?.to_vec();
        for input in 1..ctx.input_count() {
            dims = broadcast(ctx.op, &dims, ctx.dims(input)?)?;
        }
        Ok(dims)
    };
    only(ctx.dtype(0), dims(ctx))
}

fn not_equal(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &OpContext<'_>| broadcast(ctx.op, ctx.dims(0)?, ctx.dims(1)?);
    only(calipers_ir::DType::Bool, dims(ctx))
}

/// Each vector of the batch, `n` times.
fn repeated(ctx: &mut OpContext<'_>) -> Outcome {
    let count = Expr::from(ctx.int_or("n", 1));
    let dims = |ctx: &OpContext<'_>| {
        let dims = ctx.dims_of_rank(0, 2)?;
        Ok(vec![dims[0].clone(), count.clone(), dims[1].clone()])
    };
    only(ctx.dtype(0), dims(ctx))
}

/// The axes that a batched product sums over.
fn dot_axes(ctx: &OpContext<'_>, left: &[Expr], right: &[Expr]) -> Result<[usize; 2], Fail> {
    match ctx.ints("axes") {
        Some([one, other]) => Ok([ctx.axis(*one, left.len())?, ctx.axis(*other, right.len())?]),
        _ => Err(Fail::unknown("the axes of Dot are not known")),
    }
}

/// `Dot`: a product of each example, over one axis of either input.
fn dot(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &OpContext<'_>| {
        let (left, right) = (ctx.dims(0)?, ctx.dims(1)?);
        let [one, other] = dot_axes(ctx, left, right)?;
        let (inner_left, inner_right) = (&left[one], &right[other]);
        if one == 0 || other == 0 || inner_left.always_ne(inner_right) {
            return Err(Fail::contradiction(format!(
                "Dot sums over {inner_left} and {inner_right}"
            )));
        }
        let kept = |dims: &[Expr], summed: usize| {
            let kept = dims.iter().enumerate().skip(1).filter(move |(axis, _)| *axis != summed);
            kept.map(|(_, dim)| dim.clone()).collect::<Vec<_>>()
        };
        let mut dims = vec![left[0].clone()];
        dims.extend(kept(left, one));
        dims.extend(kept(right, other));
        if dims.len() == 1 {
            dims.push(Expr::from(1));
        }
        Ok(dims)
    };
    only(ctx.dtype(0), dims(ctx))
}

fn dot_cost(ctx: &OpContext<'_>, outputs: &[Fact]) -> Result<Work, Fail> {
    let (left, right) = (ctx.dims(0)?, ctx.dims(1)?);
    let [one, _] = dot_axes(ctx, left, right)?;
    Ok(Work::of_macs(cost::elements(ctx, outputs.first())? * &left[one]))
}

/// `EinsumDense`: a product by its equation, and a bias.
fn einsum(ctx: &mut OpContext<'_>) -> Outcome {
    let inputs = [ctx.optional(0).cloned(), ctx.optional(1).cloned()];
    ask(ctx, "Einsum", &inputs, &[])
}

fn einsum_cost(ctx: &OpContext<'_>, outputs: &[Fact]) -> Result<Work, Fail> {
    let inputs = [ctx.optional(0).cloned(), ctx.optional(1).cloned()];
    let mut work = inner::cost(ctx, "Einsum", &inputs, outputs)?;
    let added = cost::given(ctx, &[2]) + i64::from(cost::names(ctx, "activation"));
    if added > 0 {
        work.other_flops += cost::elements(ctx, outputs.first())? * added;
    }
    Ok(work)
}

/// Elements of an input that must be known.
fn stored(ctx: &OpContext<'_>, index: usize) -> Result<Expr, Fail> {
    Ok(product(ctx.dims(index)?))
}

#[cfg(test)]
mod tests {
    use super::KERAS;
    use crate::Attr;
    use crate::contrib::testing::{int, ints, reported, text, with_call};

    /// Shapes of the outputs, and multiply-accumulates.
    fn made(
        op: &str,
        inputs: &[&str],
        attributes: &[(&'static str, Attr<'static>)],
        outputs: usize,
    ) -> (Vec<String>, String) {
        let row = crate::find(KERAS, op).unwrap();
        let macs = with_call(op, 1, inputs, attributes, outputs, |ctx| {
            let facts = (row.rule.unwrap())(ctx).unwrap();
            (row.cost.unwrap())(ctx, &facts).unwrap().macs.to_string()
        });
        (reported(KERAS, op, inputs, attributes, outputs), macs)
    }

    #[test]
    fn convolutions_by_channel() {
        let same = ("auto_pad", text("SAME_UPPER"));
        // Kernels: 4 channels of 2 each; 8 · 6 · 6 outputs of 9 products.
        let inputs = ["float32[B, 4, 6, 6]", "float32[4, 2, 3, 3]"];
        let (shapes, macs) = made("DepthwiseConv", &inputs, std::slice::from_ref(&same), 1);
        assert_eq!((shapes[0].as_str(), macs.as_str()), ("float32[B, 8, 6, 6]", "2592*B"));
        // Then 5 · 6 · 6 outputs of 8 products: 2592 + 1440.
        let inputs = ["float32[B, 4, 6, 6]", "float32[4, 2, 3, 3]", "float32[5, 8, 1, 1]"];
        let (shapes, macs) = made("SeparableConv", &inputs, &[same], 1);
        assert_eq!((shapes[0].as_str(), macs.as_str()), ("float32[B, 5, 6, 6]", "4032*B"));
    }

    #[test]
    fn layers_at_every_step() {
        // 7 steps of 6 · 4 · 4 outputs by 2 · 9 products.
        let inputs = ["float32[B, 7, 2, 6, 6]", "float32[6, 2, 3, 3]"];
        let (shapes, macs) = made("ConvOverTime", &inputs, &[], 1);
        assert_eq!((shapes[0].as_str(), macs.as_str()), ("float32[B, 7, 6, 4, 4]", "12096*B"));
    }

    #[test]
    fn recurrent_layers_return_what_is_asked_for() {
        // Every step: 16 · 32 + 8 · 32 products.
        let inputs = ["float32[B, T, 16]", "float32[16, 32]", "float32[8, 32]", "float32[32]"];
        let states = [("units", int(8)), ("return_state", int(1)), ("return_sequences", int(1))];
        let (shapes, macs) = made("LSTM", &inputs, &states, 3);
        assert_eq!(shapes, ["float32[B, T, 8]", "float32[B, 8]", "float32[B, 8]"]);
        assert_eq!(macs, "768*B*T");
        let weights = &inputs[1..];
        let both = [&inputs[..], &[""], weights].concat();
        let (shapes, macs) = made("BidirectionalLSTM", &both, &[("merge", int(1))], 1);
        assert_eq!((shapes[0].as_str(), macs.as_str()), ("float32[B, 16]", "1536*B*T"));
    }

    #[test]
    fn a_convolutional_cell_keeps_images() {
        // 5 steps of 4 · 4 places, each by 9 · 2 · 12 + 9 · 3 · 12 products.
        let inputs = ["float32[B, 5, 6, 6, 2]", "float32[3, 3, 2, 12]", "float32[3, 3, 3, 12]"];
        let (shapes, macs) = made("ConvLSTM", &inputs, &[("units", int(3))], 1);
        assert_eq!((shapes[0].as_str(), macs.as_str()), ("float32[B, 4, 4, 3]", "43200*B"));
    }

    #[test]
    fn attention_projects_and_scores() {
        // Projections of 3 · 512 and 512, scores of 4 heads by 8 + 8.
        let kernel = "float32[32, 4, 8]";
        let inputs = [
            "float32[B, S, 32]",
            "float32[B, S, 32]",
            "",
            kernel,
            kernel,
            kernel,
            "float32[4, 8, 32]",
        ];
        let (shapes, macs) = made("MultiHeadAttention", &inputs, &[], 1);
        assert_eq!(shapes, ["float32[B, S, 32]"]);
        assert_eq!(macs, "64*B*S^2 + 4096*B*S");
        let inputs = ["float32[B, S, 16]", "float32[B, T, 8]"];
        let (shapes, macs) = made("Attention", &inputs, &[("scores", int(1))], 2);
        assert_eq!(shapes, ["float32[B, S, 8]", "float32[B, S, T]"]);
        assert_eq!(macs, "24*B*S*T");
    }

    #[test]
    fn products_of_each_example() {
        let inputs = ["float32[B, 5, 16]", "float32[B, 7, 16]"];
        let (shapes, macs) = made("Dot", &inputs, &[("axes", ints(&[2, 2]))], 1);
        assert_eq!((shapes[0].as_str(), macs.as_str()), ("float32[B, 5, 7]", "560*B"));
        let vectors = ["float32[B, 16]"; 2];
        let (shapes, _) = made("Dot", &vectors, &[("axes", ints(&[1, -1]))], 1);
        assert_eq!(shapes, ["float32[B, 1]"]);
        let inputs = ["float32[B, S, 32]", "float32[32, 16]", "float32[16]"];
        let (shapes, macs) = made("EinsumDense", &inputs, &[("equation", text("abc,cd->abd"))], 1);
        assert_eq!((shapes[0].as_str(), macs.as_str()), ("float32[B, S, 16]", "512*B*S"));
        let (shapes, _) = made("RepeatVector", &vectors[..1], &[("n", int(3))], 1);
        assert_eq!(shapes, ["float32[B, 3, 16]"]);
    }
}
