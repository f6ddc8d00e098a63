//! A call made by hand.

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::context::{Attr, Fail, OpContext, Outcome};
use crate::fact::Fact;
use crate::testing::{Counter, Named};

/// A float tensor; a dimension is a number or a name.
pub(crate) fn floats(dims: &str) -> Option<Fact> {
    let dims = dims.split_whitespace().map(|dim| Expr::from_dimension(dim, 1));
    Some(Fact::tensor(DType::Float32, dims))
}

/// What a rule says of its outputs.
pub(crate) fn facts(
    op: &str,
    version: i64,
    inputs: &[Option<Fact>],
    attributes: &[(&str, Attr<'_>)],
) -> Outcome {
    let row = crate::find("ai.onnx", op).or_else(|| crate::find("ai.onnx.preview", op)).unwrap();
    let attributes = Named(attributes);
    let mut fresh = Counter::new("new", 1);
    let mut ctx = OpContext::new(op, version, 5, inputs, &attributes, &mut fresh);
    (row.rule.unwrap())(&mut ctx)
}

/// The same, written out.
pub(crate) fn reported(
    op: &str,
    version: i64,
    inputs: &[Option<Fact>],
    attributes: &[(&str, Attr<'_>)],
) -> Result<Vec<String>, Fail> {
    let facts = facts(op, version, inputs, attributes)?;
    Ok(facts.iter().map(ToString::to_string).collect())
}
