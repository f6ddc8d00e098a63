//! Tables of expressions with their results and errors, and properties.

mod judging;
mod parsing;

/// Ids of findings that gates may name.
const IDS: [&str; 3] = ["graph-cycle", "unused-opset", "nan-weights"];
