//! A call made by hand.

use calipers_ir::DType;
use calipers_sym::{Expr, Symbol};

use crate::call::{Attr, Attributes, Call, Fail, Fresh, Outcome};
use crate::fact::Fact;

/// Attributes by name.
pub(crate) struct Named<'a>(pub(crate) &'a [(&'a str, Attr<'a>)]);

impl Attributes for Named<'_> {
    fn attribute(&self, name: &str) -> Option<Attr<'_>> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
    }
}

struct Numbered(usize);

impl Fresh for Numbered {
    fn fresh(&mut self, _: &str) -> Expr {
        self.0 += 1;
        Expr::symbol(&Symbol::new(format!("new{}", self.0)))
    }
}

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
    let mut fresh = Numbered(0);
    let mut call = Call::new(op, version, 5, inputs, &attributes, &mut fresh);
    (row.rule.unwrap())(&mut call)
}

/// The same, written out.
pub(crate) fn told(
    op: &str,
    version: i64,
    inputs: &[Option<Fact>],
    attributes: &[(&str, Attr<'_>)],
) -> Result<Vec<String>, Fail> {
    let facts = facts(op, version, inputs, attributes)?;
    Ok(facts.iter().map(ToString::to_string).collect())
}
