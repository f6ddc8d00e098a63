//! Shapes of inputs and outputs: which sizes a caller may feed, and what it may rely on.
//!
//! An input whose fixed dimension becomes free takes all that it took before; one whose free
//! dimension becomes fixed does not. Outputs are the other way around, except that a dimension that
//! follows from the inputs is what it was for whoever feeds what it fed before.

use std::collections::BTreeMap;

use calipers_report::{Dimension, Port};
use calipers_sym::{Expr, Symbol};
use hashbrown::HashMap;

use super::ports::Flow;

/// What a caller may still do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Allowed {
    /// Not all that it could before.
    Less,
    /// All that it could before.
    Everything,
}

/// What the free dimensions of two models are to each other, by the inputs that callers feed.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    /// Dimensions of the second model by those of the first.
    to_b: BTreeMap<Symbol, Expr>,
    /// Sizes that callers of the first model feed where the second one is free.
    fed: BTreeMap<Symbol, Expr>,
    /// Dimensions of the first model that are one dimension of the second.
    joined: Vec<(String, String)>,
}

impl Symbols {
    /// Reads the names of dimensions off inputs that are the same.
    pub(super) fn from_inputs<'a>(inputs: impl Iterator<Item = (&'a Port, &'a Port)>) -> Self {
        let mut symbols = Self::default();
        let mut to_a: HashMap<&str, String> = HashMap::new();
        for (a, b) in inputs {
            let (Some(a), Some(b)) = (&a.shape, &b.shape) else { continue };
            for (left, right) in a.iter().zip(b) {
                let Dimension::Symbol(name) = right else { continue };
                let Some(symbol) = expression(right).and_then(|it| it.as_symbol().cloned()) else {
                    continue;
                };
                match left {
                    Dimension::Symbol(_) => {
                        let known = expression(left).and_then(|it| it.as_symbol().cloned());
                        if let Some(known) = known {
                            symbols.to_b.entry(known).or_insert_with(|| Expr::symbol(&symbol));
                        }
                    }
                    Dimension::Size(size) => {
                        symbols.fed.entry(symbol).or_insert(Expr::constant(*size));
                    }
                    Dimension::Unknown => continue,
                }
                let left = dim(left);
                let first = to_a.entry(name).or_insert_with(|| left.clone());
                let joined = (first.clone(), left);
                if joined.0 != joined.1 && !symbols.joined.contains(&joined) {
                    symbols.joined.push(joined);
                }
            }
        }
        symbols
    }

    /// Dimensions that a caller could choose apart and cannot now.
    pub(super) fn joined(&self) -> impl Iterator<Item = (&str, &str)> {
        self.joined.iter().map(|(first, second)| (first.as_str(), second.as_str()))
    }

    /// Whether two dimensions are the same size for whoever feeds what it fed before; also where
    /// that is not known, since a name of the first model has no counterpart.
    fn same(&self, before: &Dimension, after: &Dimension) -> bool {
        if before == after {
            return true;
        }
        let (Some(before), Some(after)) = (expression(before), expression(after)) else {
            return false;
        };
        let is_known = before.symbols().iter().all(|symbol| self.to_b.contains_key(symbol));
        !is_known || before.substitute(&self.to_b) == after.substitute(&self.fed)
    }
}

/// A dimension as an expression; `None` where it is not known.
fn expression(dimension: &Dimension) -> Option<Expr> {
    match dimension {
        Dimension::Size(size) => Some(Expr::constant(*size)),
        Dimension::Symbol(text) => Some(Expr::from_dimension(text, 0)),
        Dimension::Unknown => None,
    }
}

/// The shape that counts: what inference finds where the file says less.
fn shape(port: &Port, flow: Flow) -> Option<&Vec<Dimension>> {
    match flow {
        Flow::Input => port.shape.as_ref(),
        Flow::Output => port.inferred.as_ref().or(port.shape.as_ref()),
    }
}

/// The type in one line, as it counts.
pub(super) fn text(port: &Port, flow: Flow) -> String {
    match (flow, &port.inferred, port.dtype) {
        (Flow::Output, Some(inferred), Some(dtype)) => format!("{dtype}{}", dims(inferred)),
        _ => port.type_text.clone(),
    }
}

fn dims(shape: &[Dimension]) -> String {
    let texts: Vec<String> = shape.iter().map(dim).collect();
    format!("[{}]", texts.join(", "))
}

fn dim(dimension: &Dimension) -> String {
    match dimension {
        Dimension::Size(size) => size.to_string(),
        Dimension::Symbol(name) => name.clone(),
        Dimension::Unknown => "?".to_owned(),
    }
}

/// What differs between the shapes of two ports that are the same.
pub(super) fn compare_shapes(
    flow: Flow,
    before: &Port,
    after: &Port,
    symbols: &Symbols,
) -> Vec<(String, Allowed)> {
    let word = flow.word();
    let name = &after.name;
    let (left, right) = match (shape(before, flow), shape(after, flow)) {
        (None, None) => return Vec::new(),
        (Some(left), None) => {
            let detail = format!("{word} `{name}` has any shape, was {}", dims(left));
            let allowed = match flow {
                Flow::Input => Allowed::Everything,
                Flow::Output => Allowed::Less,
            };
            return vec![(detail, allowed)];
        }
        (None, Some(right)) => {
            let detail = format!("{word} `{name}` is {}, had any shape", dims(right));
            let allowed = match flow {
                Flow::Input => Allowed::Less,
                Flow::Output => Allowed::Everything,
            };
            return vec![(detail, allowed)];
        }
        (Some(left), Some(right)) => (left, right),
    };
    if left.len() != right.len() {
        let detail = format!(
            "{word} `{name}` has rank {}, had rank {}: {} was {}",
            right.len(),
            left.len(),
            dims(right),
            dims(left)
        );
        return vec![(detail, Allowed::Less)];
    }
    let differs = left.iter().zip(right).enumerate();
    differs
        .filter_map(|(axis, (left, right))| {
            let (what, allowed) = dimension_change(flow, left, right, symbols)?;
            Some((format!("{word} `{name}`: dimension {axis} {what}"), allowed))
        })
        .collect()
}

/// What differs between two dimensions; `None` where nothing does but a name.
fn dimension_change(
    flow: Flow,
    before: &Dimension,
    after: &Dimension,
    symbols: &Symbols,
) -> Option<(String, Allowed)> {
    use Dimension::{Size, Symbol, Unknown};
    // Inputs may take more, outputs may promise more.
    let (freed, fixed) = match flow {
        Flow::Input => (Allowed::Everything, Allowed::Less),
        Flow::Output => (Allowed::Less, Allowed::Everything),
    };
    match (before, after) {
        (Size(left), Size(right)) if left == right => None,
        (Size(left), Size(right)) => Some((format!("is {right}, was {left}"), Allowed::Less)),
        (Size(left), _) => {
            let allowed = if symbols.same(before, after) { Allowed::Everything } else { freed };
            Some((format!("is free (`{}`), was {left}", dim(after)), allowed))
        }
        (_, Size(right)) => {
            Some((format!("is fixed at {right}, was free (`{}`)", dim(before)), fixed))
        }
        (Symbol(left), Symbol(right)) if flow == Flow::Output && !symbols.same(before, after) => {
            Some((format!("is `{right}`, was `{left}`"), Allowed::Less))
        }
        (Symbol(_) | Unknown, Symbol(_) | Unknown) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A port whose dimensions are sizes, expressions, or `?`.
    fn port(shape: Option<&str>) -> Port {
        let dimension = |text: &str| match (text, text.parse()) {
            ("?", _) => Dimension::Unknown,
            (_, Ok(size)) => Dimension::Size(size),
            (name, Err(_)) => Dimension::Symbol(name.to_owned()),
        };
        let shape = shape.map(|dims| dims.split_whitespace().map(dimension).collect());
        Port { name: "x".to_owned(), shape, ..Port::default() }
    }

    fn changes(flow: Flow, before: Option<&str>, after: Option<&str>) -> Vec<Allowed> {
        let (before, after) = (port(before), port(after));
        let symbols = Symbols::default();
        let changes = compare_shapes(flow, &before, &after, &symbols).into_iter();
        changes.map(|(_, allowed)| allowed).collect()
    }

    #[test]
    fn an_input_may_take_more_and_an_output_promise_more() {
        use Allowed::{Everything, Less};
        type Case<'a> = (Option<&'a str>, Option<&'a str>, &'a [Allowed], &'a [Allowed]);
        let cases: [Case<'_>; 8] = [
            (Some("n 3"), Some("n 3"), &[], &[]),
            (Some("n 3"), Some("4 3"), &[Less], &[Everything]),
            (Some("4 3"), Some("n 3"), &[Everything], &[Less]),
            (Some("4 3"), Some("5 3"), &[Less], &[Less]),
            (Some("4 3"), Some("4 3 1"), &[Less], &[Less]),
            (Some("4 3"), None, &[Everything], &[Less]),
            (None, Some("4 3"), &[Less], &[Everything]),
            (Some("? 3"), Some("n 4"), &[Less], &[Less]),
        ];
        for (before, after, input, output) in cases {
            assert_eq!(changes(Flow::Input, before, after), input, "{before:?} to {after:?}");
            assert_eq!(changes(Flow::Output, before, after), output, "{before:?} to {after:?}");
        }
    }

    #[test]
    fn a_dimension_may_have_another_name() {
        let inputs = [(port(Some("batch seq")), port(Some("n s")))];
        let symbols = Symbols::from_inputs(inputs.iter().map(|(a, b)| (a, b)));
        let output = |before, after| {
            let (before, after) = (port(Some(before)), port(Some(after)));
            compare_shapes(Flow::Output, &before, &after, &symbols).len()
        };
        assert_eq!(output("batch 2*seq+1", "n 2*s+1"), 0);
        assert_eq!(output("batch seq", "s n"), 2, "the sizes changed places");
        assert_eq!(symbols.joined().count(), 0);
        let inputs = [(port(Some("batch seq")), port(Some("n n")))];
        let symbols = Symbols::from_inputs(inputs.iter().map(|(a, b)| (a, b)));
        assert_eq!(symbols.joined().collect::<Vec<_>>(), [("batch", "seq")]);
    }

    #[test]
    fn an_output_may_follow_an_input_that_is_free_now() {
        let output = |(before, after): (&str, &str), inputs: (&str, &str)| {
            let inputs = [(port(Some(inputs.0)), port(Some(inputs.1)))];
            let symbols = Symbols::from_inputs(inputs.iter().map(|(a, b)| (a, b)));
            let (before, after) = (port(Some(before)), port(Some(after)));
            let changes = compare_shapes(Flow::Output, &before, &after, &symbols);
            changes.iter().filter(|(_, allowed)| *allowed == Allowed::Less).count()
        };
        assert_eq!(output(("1 1000", "batch 1000"), ("1 3", "batch 3")), 0);
        assert_eq!(output(("8 65", "batch seq//2+1"), ("8 128", "batch seq")), 0);
        assert_eq!(output(("128*n 4", "m*seq 4"), ("n 128", "m seq")), 0);
        // Nobody who fed 1 gets 2, and who knows what `other` is.
        assert_eq!(output(("2 1000", "batch 1000"), ("1 3", "batch 3")), 1);
        assert_eq!(output(("1 1000", "other 1000"), ("1 3", "batch 3")), 1);
        // Sizes that were apart have to be equal now.
        let inputs = [(port(Some("3 4")), port(Some("n n")))];
        let symbols = Symbols::from_inputs(inputs.iter().map(|(a, b)| (a, b)));
        assert_eq!(symbols.joined().collect::<Vec<_>>(), [("3", "4")]);
    }
}
