//! How large an expression may grow, so that no input can cost unbounded time or memory.
//!
//! An operation whose result would exceed a limit returns an undefined expression with the reason.

/// The most terms in one sum. Costs of networks have tens; every node of a graph may carry a sum of
/// its own, so the limit bounds time and memory per node.
pub const MAX_TERMS: usize = 1024;
/// The deepest nesting of floors, remainders, minima and maxima.
pub const MAX_DEPTH: u32 = 64;
/// The most factors an expression may have, counted with its nested parts as if written out.
pub const MAX_WEIGHT: u32 = 1 << 16;
/// The highest degree of a monomial.
pub const MAX_DEGREE: u32 = 255;
/// The longest text that is parsed, in bytes.
pub const MAX_TEXT_BYTES: usize = 4096;
/// The deepest nesting of parentheses that is parsed.
pub const MAX_NESTING: u32 = 128;

/// The most term-by-term products in one multiplication or division.
pub(crate) const MAX_PRODUCTS: usize = 1 << 13;

/// Why an expression is undefined once the [`Budget`](crate::Budget) is spent.
pub const TOO_MANY_DIMENSIONS: &str = "too many free dimensions";

pub(crate) const OVERFLOW: &str = "a number left the 128-bit range";
pub(crate) const DIVISION_BY_ZERO: &str = "division by zero";
pub(crate) const TOO_MANY_TERMS: &str = "the expression has too many terms";
pub(crate) const TOO_DEEP: &str = "the expression is nested too deeply";
pub(crate) const TOO_LARGE: &str = "the expression is too large";
pub(crate) const DEGREE: &str = "the expression has too high a degree";
