//! How numbers are held in few bits.

use calipers_ir::Model;
use calipers_report::{Parameters, Quantization};

use crate::infer::Typed;

/// The scheme, and how much of the model it covers.
pub(crate) fn describe(_: &Model, _: &Typed, _: &Parameters) -> Quantization {
    Quantization { scheme: "none".to_owned(), ..Quantization::default() }
}
