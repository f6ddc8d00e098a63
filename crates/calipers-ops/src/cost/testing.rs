//! Asking for the cost of a call that is made by hand.

use super::Work;
use crate::context::{Attr, Fail};
use crate::contrib::testing::with_call;

/// What a call costs. Inputs are written as they are shown, `float32[B, 3]`.
pub(super) fn cost(
    domain: &str,
    op: &str,
    version: i64,
    inputs: &[&str],
    attributes: &[(&str, Attr<'static>)],
) -> Result<Work, Fail> {
    let row = crate::find(domain, op).unwrap();
    with_call(op, version, inputs, attributes, 1, |ctx| {
        let outputs = (row.rule.unwrap())(ctx)?;
        (row.cost.unwrap())(ctx, &outputs)
    })
}

/// MACs and other arithmetic of a ctx, as text.
pub(crate) fn work(
    domain: &str,
    op: &str,
    inputs: &[&str],
    attributes: &[(&str, Attr<'static>)],
) -> (String, String) {
    let work = cost(domain, op, 23, inputs, attributes).unwrap();
    (work.macs.to_string(), work.other_flops.to_string())
}

/// MACs of a ctx, as text.
pub(super) fn macs(
    domain: &str,
    op: &str,
    inputs: &[&str],
    attributes: &[(&str, Attr<'static>)],
) -> String {
    work(domain, op, inputs, attributes).0
}

/// MACs and other arithmetic as a test writes them.
pub(crate) fn both(macs: &str, others: &str) -> (String, String) {
    (macs.to_owned(), others.to_owned())
}
