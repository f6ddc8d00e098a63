//! Asking the rule of an operator of the standard that a layer contains.

use calipers_sym::Expr;

use crate::context::{Attr, Attributes, Fail, NewDimensions, OpContext, Outcome};
use crate::cost::Work;
use crate::fact::Fact;

/// The version of the standard whose rules are asked.
const VERSION: i64 = 22;

/// Attributes that operators inside of layers have.
const NAMES: [&str; 7] =
    ["auto_pad", "dilations", "equation", "group", "kernel_shape", "pads", "strides"];

/// Attributes of a layer, some of them replaced.
struct Replaced<'a>(Vec<(&'static str, Attr<'a>)>);

impl<'a> Replaced<'a> {
    fn new(ctx: &OpContext<'a>, replaced: &[(&'static str, Attr<'a>)]) -> Self {
        let kept = NAMES.into_iter().filter(|name| !replaced.iter().any(|(it, _)| it == name));
        let kept = kept.filter_map(|name| Some((name, ctx.attribute(name)?)));
        Self(kept.chain(replaced.iter().cloned()).collect())
    }
}

impl Attributes for Replaced<'_> {
    fn attribute(&self, name: &str) -> Option<Attr<'_>> {
        self.0.iter().find(|(given, _)| *given == name).map(|(_, value)| value.clone())
    }
}

/// Dimensions that the layer makes.
struct OfLayer<'c, 'a>(&'c mut OpContext<'a>);

impl NewDimensions for OfLayer<'_, '_> {
    fn fresh(&mut self, why: &str) -> Expr {
        self.0.fresh(why)
    }
}

/// Dimensions where none are made.
struct NoneMade;

impl NewDimensions for NoneMade {
    fn fresh(&mut self, why: &str) -> Expr {
        Expr::undefined(why)
    }
}

/// The outputs of an operator.
pub(super) fn ask<'a>(
    ctx: &mut OpContext<'a>,
    op: &str,
    inputs: &[Option<Fact>],
    replaced: &[(&'static str, Attr<'a>)],
) -> Outcome {
    let attributes = Replaced::new(ctx, replaced);
    let rule = crate::find(crate::ONNX, op).and_then(|row| row.rule);
    let Some(rule) = rule else { return Err(Fail::unknown("the operator inside has no rule")) };
    let mut fresh = OfLayer(ctx);
    rule(&mut OpContext::new(op, VERSION, 1, inputs, &attributes, &mut fresh))
}

/// The cost of an operator.
pub(super) fn cost(
    ctx: &OpContext<'_>,
    op: &str,
    inputs: &[Option<Fact>],
    outputs: &[Fact],
) -> Result<Work, Fail> {
    let attributes = Replaced::new(ctx, &[]);
    let rule = crate::find(crate::ONNX, op).and_then(|row| row.cost);
    let Some(rule) = rule else { return Err(Fail::unknown("the operator inside has no cost")) };
    rule(&OpContext::new(op, VERSION, 1, inputs, &attributes, &mut NoneMade), outputs)
}

/// The dimensions of the first output of [`ask`].
pub(super) fn ask_dims<'a>(
    ctx: &mut OpContext<'a>,
    op: &str,
    inputs: &[Option<Fact>],
    replaced: &[(&'static str, Attr<'a>)],
) -> Result<Vec<Expr>, Fail> {
    let outputs = ask(ctx, op, inputs, replaced)?;
    match outputs.first().and_then(Fact::as_tensor).map(|tensor| &tensor.shape) {
        Some(Ok(dims)) => Ok(dims.to_vec()),
        Some(Err(reason)) => Err(Fail::Unknown(reason.clone())),
        None => Err(Fail::unknown("the operator inside has no output")),
    }
}
