//! The rows of these operators, by family.

pub(crate) mod attention;
pub(crate) mod layouts;
pub(crate) mod others;
pub(crate) mod pointwise;
pub(crate) mod products;
