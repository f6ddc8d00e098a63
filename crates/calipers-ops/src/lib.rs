//! What each operator does with its inputs: one row per operator.
//!
//! A row says of every input what it means for a tensor that the file stores to be there: a
//! learned weight, a scale, a table that is looked up, a setting. Rows live in files by family; to
//! add an operator, add its row to its family.
//!
//! ```
//! use calipers_ops::{InputRole, find};
//!
//! let conv = find("ai.onnx", "Conv").unwrap();
//! assert_eq!(conv.role(1), InputRole::Weight);
//! assert_eq!(conv.role(7), InputRole::Setting);
//! assert!(find("com.acme", "Conv").is_none());
//! ```
//!
//! Operators that are not listed and belong to a domain that [`is_known_domain`] lists take only
//! activations and settings.
#![forbid(unsafe_code)]

mod attention;
pub mod attributes;
mod classical;
mod context;
mod contraction;
mod contrib;
mod control;
mod cost;
mod creation;
mod elem;
mod elementwise;
mod fact;
mod frameworks;
mod image;
mod known;
mod loss;
mod movement;
mod normalization;
mod pooling;
mod quantized;
mod recurrent;
mod reduction;
mod row;
mod sequence;
mod settings;
mod signal;
mod strings;
#[cfg(test)]
mod testing;
mod training;
mod traits;
mod window;

use std::sync::LazyLock;

pub use context::{Attr, Attributes, Fail, NewDimensions, OpContext, Outcome, Rule, broadcast};
pub use cost::{CostRule, Traffic, Work, bytes};
pub use elem::Elem;
pub use fact::{Fact, MAX_ELEMENTS, Reason, SequenceFact, Shape, TensorFact, product};
use hashbrown::HashMap;
pub use row::{AttributeUse, InputRole, Operator, Packing};
pub use settings::{UNDEFINED, setting};
pub use traits::{
    Activation, Bits, Class, Contraction, Deprecation, Extent, ForeignCode, ImageOp, KernelClass,
    Lowering, Movement, Norm, Pool, Prediction, QuantizedInput, Traits, WeightFormat, deprecation,
    foreign_code,
};

/// The standard operator domain.
pub const ONNX: &str = "ai.onnx";
/// Classical machine learning.
pub const ML: &str = "ai.onnx.ml";
/// ONNX Runtime's own operators.
pub const MICROSOFT: &str = "com.microsoft";
/// ONNX Runtime's operators on blocked layouts.
pub const NCHWC: &str = "com.microsoft.nchwc";
/// ONNX Runtime's operators with channels last.
pub const NHWC: &str = "com.ms.internal.nhwc";
/// QONNX: quantizers of any number of bits.
pub const QONNX: &str = "qonnx.custom_op.general";
/// Quantizers as Brevitas exports them.
pub const BREVITAS: &str = "onnx.brevitas";
/// Operators that several frameworks other than ONNX have.
pub const FRAMEWORKS: &str = "frameworks";
/// Operators of OpenVINO that ONNX lacks.
pub const OPENVINO: &str = "openvino";
/// FINN: thresholds in place of activation functions.
pub const FINN: &str = "finn.custom_op.general";

/// Domains whose operators are known here or listed as taking no weights.
const DOMAINS: &[&str] = &[
    ONNX,
    ML,
    MICROSOFT,
    NCHWC,
    "ai.onnx.preview",
    "ai.onnx.preview.training",
    "ai.onnx.training",
    "com.microsoft.experimental",
    NHWC,
    QONNX,
    BREVITAS,
    FINN,
    FRAMEWORKS,
    frameworks::aten::ATEN,
];

/// Every family of rows.
pub const FAMILIES: &[&[Operator]] = &[
    attention::ROWS,
    classical::ROWS,
    contraction::ROWS,
    contrib::rows::attention::ROWS,
    contrib::rows::layouts::ROWS,
    contrib::rows::others::ROWS,
    contrib::rows::pointwise::ROWS,
    contrib::rows::products::ROWS,
    control::ROWS,
    creation::ROWS,
    elementwise::ROWS,
    image::ROWS,
    loss::ROWS,
    movement::ROWS,
    normalization::ROWS,
    pooling::ROWS,
    quantized::rows::integer::ROWS,
    quantized::rows::others::ROWS,
    quantized::rows::packed::ROWS,
    quantized::rows::qonnx::ROWS,
    recurrent::ROWS,
    reduction::ROWS,
    sequence::ROWS,
    signal::ROWS,
    strings::ROWS,
    training::ROWS,
];

/// Every row, those of frameworks other than ONNX too.
pub fn all_rows() -> impl Iterator<Item = &'static Operator> {
    let families = FAMILIES.iter().chain(frameworks::FAMILIES);
    families.flat_map(|rows| rows.iter())
}

static INDEX: LazyLock<HashMap<(&str, &str), &Operator>> =
    LazyLock::new(|| all_rows().map(|row| ((row.domain, row.name), row)).collect());

/// The row of an operator. The standard domain may be given by its name or as the empty text.
pub fn find(domain: &str, name: &str) -> Option<&'static Operator> {
    INDEX.get(&(canonical_domain(domain), name)).copied()
}

static BY_NAME: LazyLock<HashMap<&str, &Operator>> = LazyLock::new(|| {
    // Where two domains have the same name, the one that is listed first counts.
    let place = |row: &Operator| DOMAINS.iter().position(|domain| *domain == row.domain);
    // Names of frameworks are too common to be evidence of their operators.
    let mut rows: Vec<&Operator> = FAMILIES.iter().flat_map(|rows| rows.iter()).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(place(row)));
    rows.into_iter().map(|row| (row.name, row)).collect()
});

/// The row of an operator whose domain is not known: of the standard if it has the name, else of
/// another known domain.
pub fn find_by_name(name: &str) -> Option<&'static Operator> {
    BY_NAME.get(name).copied()
}

/// The name of a domain: files write the standard one as the empty text.
pub fn canonical_domain(domain: &str) -> &str {
    if domain.is_empty() { ONNX } else { domain }
}

/// Whether the operators of a domain are known here.
pub fn is_known_domain(domain: &str) -> bool {
    DOMAINS.contains(&canonical_domain(domain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_are_once() {
        for rows in FAMILIES.iter().chain(frameworks::FAMILIES) {
            for pair in rows.windows(2) {
                let key = |row: &Operator| (row.domain, row.name);
                assert!(key(&pair[0]) < key(&pair[1]), "{:?} is out of order", key(&pair[1]));
            }
        }
        let rows = all_rows().count();
        assert_eq!(INDEX.len(), rows, "an operator has two rows");
    }

    #[test]
    fn the_standard_goes_first() {
        assert_eq!(find_by_name("Attention").unwrap().domain, ONNX);
        assert_eq!(find_by_name("MatMulNBits").unwrap().domain, MICROSOFT);
        assert!(find_by_name("Linear").is_none());
    }

    #[test]
    fn every_row_is_of_a_known_domain() {
        // What a framework has alone is in its own domain, whose other operators are not known.
        for row in FAMILIES.iter().flat_map(|rows| rows.iter()) {
            assert!(is_known_domain(row.domain), "{}", row.domain);
        }
    }
}
