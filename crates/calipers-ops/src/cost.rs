//! What a call costs: multiply-accumulates, other arithmetic, and bytes moved.
//!
//! MACs are those of contractions: convolution, matrix product, attention, recurrence, and their
//! quantised, fused and packed forms. Everything else that computes is `other_flops`; moving data is
//! no FLOP at all, it is bytes. Figures are expressions, so they are formulas in the free dimensions.

use calipers_sym::Expr;

use crate::call::{Call, Fail};
use crate::fact::{Fact, TensorFact};

/// Arithmetic of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// Multiply-accumulates of contractions.
    pub macs: Expr,
    /// Arithmetic that is no contraction, an operation each.
    pub other_flops: Expr,
}

/// A rule: from what is known of a call and of its outputs to its arithmetic.
pub type CostRule = fn(&Call<'_>, &[Fact]) -> Result<Work, Fail>;

/// What an operator reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// Every input once and every output once.
    Whole,
    /// Nothing: the output is a view of the input, or is known from its shape alone.
    Nothing,
    /// Of the first input only as much as the output holds; the other inputs and the output whole.
    Gathered,
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

/// Data movement: no arithmetic.
pub(crate) fn free(_: &Call<'_>, _: &[Fact]) -> Result<Work, Fail> {
    Ok(Work::none())
}

/// `N` operations for each element of the first output.
pub(crate) fn per_output<const N: i64>(call: &Call<'_>, outputs: &[Fact]) -> Result<Work, Fail> {
    Ok(Work::of_flops(elements(call, outputs.first())? * N))
}

/// `N` operations for each element of the first input.
pub(crate) fn per_input<const N: i64>(call: &Call<'_>, _: &[Fact]) -> Result<Work, Fail> {
    Ok(Work::of_flops(elements(call, call.optional(0))? * N))
}

/// Number of elements of a tensor that a cost depends on.
pub(crate) fn elements(call: &Call<'_>, fact: Option<&Fact>) -> Result<Expr, Fail> {
    let unknown = || Fail::unknown(format!("a shape that {} works on is not known", call.op));
    match fact.and_then(Fact::as_tensor).map(|tensor| (tensor.count(), &tensor.shape)) {
        Some((Some(count), _)) => Ok(count),
        Some((None, Err(reason))) => Err(Fail::Unknown(reason.clone())),
        _ => Err(unknown()),
    }
}

/// Bytes that a tensor takes, packed; `None` when its shape or the size of an element is not known.
pub fn bytes(tensor: &TensorFact) -> Option<Expr> {
    let bits = i64::from(tensor.dtype.bits()?);
    let count = tensor.count()?;
    Some(if bits % 8 == 0 { count * (bits / 8) } else { (count * bits).ceil_div(&Expr::from(8)) })
}
