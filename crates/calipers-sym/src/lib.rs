//! Exact integer algebra over named dimensions.
//!
//! A dimension of a tensor is a number, a name, or an expression of both. [`Expr`] carries it as a
//! canonical sum of terms, so that equal dimensions are `==` and a cost stays a formula until its
//! symbols are bound. No operation returns a wrong number: a result out of range is undefined.
//!
//! ```
//! use calipers_sym::{Expr, Symbol, parse};
//!
//! let batch = Expr::symbol(&Symbol::at_least("batch", 1));
//! let total = parse("past_sequence_length + sequence_length")?;
//! let tokens = &batch * &total;
//!
//! assert_eq!(
//!     (2 * &tokens * 768).to_string(),
//!     "1536*batch*past_sequence_length + 1536*batch*sequence_length",
//! );
//! assert_eq!(tokens.exact_div(&total), Some(batch));
//! assert_eq!(tokens.evaluate(|name| Some(if name == "batch" { 4 } else { 10 })), Ok(80));
//! # Ok::<(), calipers_sym::ParseError>(())
//! ```
#![forbid(unsafe_code)]
#![allow(
    clippy::mutable_key_type,
    reason = "what is found late of a polynomial takes no part in comparing or hashing it"
)]

mod atom;
mod bounds;
mod budget;
mod divide;
mod eval;
mod expr;
mod extrema;
mod hash;
mod int;
mod interval;
mod lex;
pub mod limits;
mod ops;
mod parse;
mod poly;
mod pool;
mod print;
#[cfg(test)]
mod testing;

pub use atom::{Atom, Division, Symbol};
pub use budget::Budget;
pub use eval::EvalError;
pub use expr::Expr;
pub use parse::{ParseError, parse, parse_at_least};
pub use pool::{ExprId, Pool, Values};
