//! Calls for tests of rules.

use calipers_ir::DType;
use calipers_sym::{Expr, parse_at_least};

use crate::context::{Attr, Fail, OpContext, Rule};
use crate::elem::Elem;
use crate::fact::{Fact, TensorFact};
use crate::testing::{Counter, Named};

/// The outcome of a rule.
pub(crate) fn outcome(
    rule: Rule,
    version: i64,
    outputs: usize,
    inputs: &[Option<Fact>],
    attributes: &'static [(&'static str, Attr<'static>)],
) -> Result<Vec<Fact>, Fail> {
    let (given, mut fresh) = (Named(attributes), Counter::new("fresh", 1));
    rule(&mut OpContext::new("Op", version, outputs, inputs, &given, &mut fresh))
}

/// The first output as text.
pub(crate) fn reported(
    rule: Rule,
    inputs: &[Option<Fact>],
    attributes: &'static [(&'static str, Attr<'static>)],
) -> String {
    match outcome(rule, 21, 1, inputs, attributes) {
        Ok(facts) => facts[0].to_string(),
        Err(Fail::Unknown(reason)) => format!("unknown: {reason}"),
        Err(Fail::Contradiction(reason)) => format!("contradiction: {reason}"),
    }
}

/// An expression in dimensions that are at least 1.
pub(crate) fn e(text: &str) -> Expr {
    parse_at_least(text, 1).unwrap()
}

/// A float tensor of these dimensions, separated by commas.
pub(crate) fn tensor(dims: &str) -> Option<Fact> {
    let dims = dims.split(", ").filter(|dim| !dim.is_empty()).map(e);
    Some(Fact::tensor(DType::Float32, dims.collect::<Vec<_>>()))
}

/// A list of whole numbers and expressions; `?` cannot be determined.
pub(crate) fn list(elements: &str) -> Option<Fact> {
    let elements: Vec<Elem> = elements
        .split(", ")
        .map(|text| if text == "?" { Elem::Unknown } else { Elem::Int(e(text)) })
        .collect();
    let length = super::given::size(elements.len());
    Some(TensorFact::new(DType::Int64, [length]).with_value(elements).into())
}

/// A list whose length alone is known.
pub(crate) fn hidden(length: i64) -> Option<Fact> {
    Some(Fact::tensor(DType::Int64, [Expr::from(length)]))
}

/// Elements of a fact as text.
pub(crate) fn elements(fact: &Fact) -> String {
    let value = fact.as_tensor().and_then(|tensor| tensor.value.as_deref());
    let shown = |element: &Elem| match element {
        Elem::Int(expr) => expr.to_string(),
        Elem::Unknown => "?".to_owned(),
        other => format!("{other:?}"),
    };
    value.map_or_else(String::new, |value| value.iter().map(shown).collect::<Vec<_>>().join(", "))
}
