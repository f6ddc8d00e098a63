//! Asking a rule by hand: facts written as they are shown.

use std::sync::Arc;

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::context::{Attr, OpContext, Outcome};
use crate::elem::Elem;
use crate::fact::{Fact, TensorFact};
use crate::testing::{Counter, Named};

pub(crate) fn int(value: i64) -> Attr<'static> {
    Attr::Int(value)
}

pub(crate) fn ints(values: &'static [i64]) -> Attr<'static> {
    Attr::Ints(values)
}

pub(crate) fn text(value: &'static str) -> Attr<'static> {
    Attr::Text(value.as_bytes())
}

/// A tensor from its text, `int64[2]={batch, 3}`; the part with elements may be left out, and
/// `[…]` represents dimensions of an unknown number. Empty text is an input that is left out.
fn tensor(text: &str) -> Option<Fact> {
    let (dtype, rest) = text.split_once('[')?;
    let dtype = (0..29).map(DType::from_onnx).find(|found| found.to_string() == dtype).unwrap();
    let (dims, value) = rest.split_once(']').unwrap();
    if dims == "…" {
        return Some(Fact::unranked(dtype, "not reported"));
    }
    let list = |text: &str| -> Vec<Expr> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(|part| calipers_sym::parse(part).unwrap()).collect()
    };
    let fact = TensorFact::new(dtype, list(dims));
    let Some(value) = value.strip_prefix("={") else { return Some(fact.into()) };
    let elements = list(value.strip_suffix('}').unwrap()).into_iter().map(Elem::Int);
    Some(fact.with_value(elements).into())
}

/// Something done with a call that is made by hand.
pub(crate) fn with_call<T>(
    op: &str,
    version: i64,
    inputs: &[&str],
    attributes: &[(&str, Attr<'static>)],
    outputs: usize,
    act: impl FnOnce(&mut OpContext<'_>) -> T,
) -> T {
    let inputs: Vec<Option<Fact>> = inputs.iter().map(|text| tensor(text)).collect();
    let (given, mut fresh) = (Named(attributes), Counter::new("fresh_", 0));
    act(&mut OpContext::new(op, version, outputs, &inputs, &given, &mut fresh))
}

/// What the rule of an operator says.
pub(crate) fn ask(
    domain: &str,
    op: &str,
    version: i64,
    inputs: &[&str],
    attributes: &[(&str, Attr<'static>)],
    outputs: usize,
) -> Outcome {
    let rule = crate::find(domain, op).unwrap().rule.unwrap();
    with_call(op, version, inputs, attributes, outputs, rule)
}

/// What the rule says of this many outputs, as text.
pub(crate) fn reported(
    domain: &str,
    op: &str,
    inputs: &[&str],
    attributes: &[(&str, Attr<'static>)],
    outputs: usize,
) -> Vec<String> {
    let facts = ask(domain, op, 1, inputs, attributes, outputs).unwrap();
    facts.iter().take(outputs).map(ToString::to_string).collect()
}

/// Elements of an output.
pub(crate) fn elements(fact: &Fact) -> Option<Arc<[Elem]>> {
    fact.as_tensor()?.value.clone()
}
