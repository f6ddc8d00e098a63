//! What a call costs: multiply-accumulates, other arithmetic, and bytes moved.
//!
//! MACs are those of contractions: convolution, matrix product, attention, recurrence, and their
//! quantized, fused and packed forms. Everything else that computes is `other_flops`; moving data is
//! no FLOP at all, it is bytes. Figures are expressions, so they are formulas in the free dimensions.
//!
//! # What other arithmetic counts
//!
//! These figures are conventions: what a activation takes depends on who computes it. They are meant to
//! be simple, and the same for every model.
//!
//! | work | operations |
//! |---|---|
//! | arithmetic, comparison, logic, any activation (`Relu`, `Exp`, `Erf`, `Gelu`, …), `Cast` to another type | 1 per output element |
//! | `Sum`, `Max`, `Min` of n inputs; `Mean` of them | n − 1; n per output element |
//! | `SwiGLU`, a bias and a activation, a scale and a shift | 2 per output element |
//! | `Softmax`, `LogSoftmax`: maximum, difference, power, sum, quotient; `Hardmax` | 5; 2 per element |
//! | layer, group and instance norms: mean, difference, square, mean, quotient, scale, shift | 7 per element; 5 without scale and shift, 6 without shift |
//! | root-mean-square norms: square, mean, quotient, scale | 4 per element |
//! | `BatchNormalization`: scale and shift; in training as other norms | 2 per element; 7 |
//! | `LpNormalization`; `LRN` over n channels | 3; n + 3 per element |
//! | a bias or a skip that is fused in, a fused activation | 1 per element each |
//! | pooling | the kernel's size per output element; twice that for `LpPool` |
//! | reductions; those that change each element first (`ReduceL2`, `ReduceLogSumExp`, …) | 1; 2 per input element |
//! | running sums, choosing (`TopK`, `ArgMax`, `Unique`, `NonZero`, `NonMaxSuppression`) | 1 per input element |
//! | interpolation: nearest; linear over d axes of space; cubic | 0; 2·2^d; 2·4^d per output element |
//! | quantizing; turning integers back | 2 per element each |
//! | quantizing with the range found first | 4 per element |
//! | scores of attention: scale and softmax; a mask or bias on them | 6; 1 per score |
//! | rotary embedding | 3 per element |
//! | a transform of n samples, as an FFT does it | 5·n·⌈log2 n⌉ |
//! | random numbers | 1 per element |
//! | a tree | its depth in comparisons and 1 sum, per row |
//! | texts, labels, moving and choosing by index (`Where`, `Gather`, `Pad`, …) | none |
//!
//! Weights held in few bits count as if they were plain: unpacking them is not counted. Attention
//! counts every query with every key: what a mask or a window hides is not taken off.

pub(crate) mod attention;
pub(crate) mod classical;
pub(crate) mod contraction;
pub(crate) mod einsum;
pub(crate) mod experts;
pub(crate) mod pointwise;
pub(crate) mod projected;
pub(crate) mod recurrent;
pub(crate) mod signal;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub(crate) mod window;

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::context::{Fail, OpContext};
use crate::fact::{Fact, Reason, TensorFact, multiplied, product};

/// Arithmetic of one ctx.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// Multiply-accumulates of contractions.
    pub macs: Expr,
    /// Arithmetic other than contractions, an operation each.
    pub other_flops: Expr,
}

/// A rule: from what is known of a call and of its outputs to its arithmetic.
pub type CostRule = fn(&OpContext<'_>, &[Fact]) -> Result<Work, Fail>;

/// What an operator reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// Every input once and every output once.
    Whole,
    /// Nothing: the output is a view of the input, or is known from its shape alone.
    Nothing,
    /// Of the first input only as much as the output holds; the other inputs and the output whole.
    Gathered,
    /// Of these inputs, which are tables, as many elements as the first output has; the others and
    /// the outputs whole.
    Rows(&'static [usize]),
    /// Everything except these inputs: only their type or shape is read.
    Without(&'static [usize]),
}

impl Work {
    /// No arithmetic.
    pub fn none() -> Self {
        Self { macs: Expr::ZERO, other_flops: Expr::ZERO }
    }

    /// Multiply-accumulates alone.
    pub fn of_macs(macs: Expr) -> Self {
        Self { macs, other_flops: Expr::ZERO }
    }

    /// Other arithmetic alone.
    pub fn of_flops(other_flops: Expr) -> Self {
        Self { macs: Expr::ZERO, other_flops }
    }
}

/// A cost, or why it cannot be determined.
pub(crate) type Cost = Result<Work, Fail>;

/// Data movement: no arithmetic.
pub(crate) fn free(_: &OpContext<'_>, _: &[Fact]) -> Cost {
    Ok(Work::none())
}

/// `N` operations for each element of the first output.
pub(crate) fn per_output<const N: i64>(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    Ok(Work::of_flops(multiplied(N, dims(ctx, outputs.first())?)))
}

/// `N` operations for each element of the first input.
pub(crate) fn per_input<const N: i64>(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    Ok(Work::of_flops(multiplied(N, dims(ctx, ctx.optional(0))?)))
}

/// Number of elements of a tensor that a cost depends on.
pub(crate) fn elements(ctx: &OpContext<'_>, fact: Option<&Fact>) -> Result<Expr, Fail> {
    Ok(product(dims(ctx, fact)?))
}

/// Number of elements of an input.
pub(crate) fn input(ctx: &OpContext<'_>, index: usize) -> Result<Expr, Fail> {
    elements(ctx, ctx.optional(index))
}

/// Number of elements of an input that may be left out; none when it is.
pub(crate) fn input_if(ctx: &OpContext<'_>, index: usize) -> Result<Expr, Fail> {
    if ctx.has(index) { input(ctx, index) } else { Ok(Expr::ZERO) }
}

/// How many of these inputs are given.
pub(crate) fn given(ctx: &OpContext<'_>, inputs: &[usize]) -> i64 {
    inputs.iter().map(|index| i64::from(ctx.has(*index))).sum()
}

/// Dimensions of a tensor that a cost depends on.
pub(crate) fn dims<'a>(ctx: &OpContext<'_>, fact: Option<&'a Fact>) -> Result<&'a [Expr], Fail> {
    let dims = match fact {
        Some(Fact::Unknown(reason)) => return Err(Fail::Unknown(reason.clone())),
        fact => match fact.and_then(Fact::as_tensor).map(|tensor| &tensor.shape) {
            Some(Ok(dims)) => dims,
            Some(Err(reason)) => return Err(Fail::Unknown(reason.clone())),
            None => return unknown(format!("a shape that {} works on is not known", ctx.op)),
        },
    };
    match dims.iter().find_map(Expr::undefined_reason) {
        Some(reason) => unknown(reason.to_owned()),
        None => Ok(dims),
    }
}

/// Dimensions of an input; its cost is known only for this rank.
pub(crate) fn ranked<'a>(
    ctx: &OpContext<'a>,
    index: usize,
    rank: usize,
) -> Result<&'a [Expr], Fail> {
    match dims(ctx, ctx.optional(index))? {
        dims if dims.len() == rank => Ok(dims),
        other => unknown(format!("input {index} of {} has {} dimensions", ctx.op, other.len())),
    }
}

/// The last dimension of an input.
pub(crate) fn last<'a>(ctx: &OpContext<'a>, index: usize) -> Result<&'a Expr, Fail> {
    match dims(ctx, ctx.optional(index))?.last() {
        Some(last) => Ok(last),
        None => unknown(format!("input {index} of {} has no dimensions", ctx.op)),
    }
}

/// A cost that cannot be determined.
pub(crate) fn unknown<T>(reason: impl Into<Reason>) -> Result<T, Fail> {
    Err(Fail::unknown(reason))
}

/// Whether a text attribute names something.
pub(crate) fn names(ctx: &OpContext<'_>, attribute: &str) -> bool {
    !matches!(ctx.text_or(attribute, ""), "" | "none" | "NONE" | "None")
}

/// Bytes that a tensor takes, packed; `None` when its shape or the size of an element is not known.
pub fn bytes(tensor: &TensorFact) -> Option<Expr> {
    let dims = tensor.dims()?;
    if let DType::Block(format) = tensor.dtype {
        let [elements, bytes] = [format.block_elements(), format.block_bytes()];
        let [elements, bytes] = [i64::try_from(elements).ok()?, i64::try_from(bytes).ok()?];
        return Some(multiplied(bytes, dims).ceil_div(&Expr::from(elements)));
    }
    let bits = i64::from(tensor.dtype.bits()?);
    Some(match bits % 8 {
        0 => multiplied(bits / 8, dims),
        _ => multiplied(bits, dims).ceil_div(&Expr::from(8)),
    })
}
