//! Texts.

use crate::AttributeUse::Learned;
use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("RegexFullMatch", &[]).since(&[20]),
    Operator::onnx("StringConcat", &[]).since(&[20]),
    Operator::onnx("StringNormalizer", &[]).since(&[10]),
    Operator::onnx("StringSplit", &[]).since(&[20]),
    Operator::onnx("TfIdfVectorizer", &[]).holding(&[("weights", Learned)]).since(&[9]),
];
