//! Elements of small integer inputs: sizes, counts and indices from which a model computes shapes.

use std::collections::{BTreeMap, BTreeSet};

use calipers_ir::{DType, GraphId, GraphKind, Model, ValueId};
use calipers_ops::{Class, Elem, Extent, Fact, TensorFact, canonical_domain, find};
use calipers_sym::{Expr, Symbol};
use hashbrown::HashSet;

/// Elements beyond this get no symbols: they are data.
const MAX_SYMBOLS: usize = 8;

/// Nodes that are followed from an input.
const MAX_STEPS: usize = 256;

/// Names of the elements of small integer inputs.
#[derive(Debug, Default)]
pub(crate) struct ValueNames(BTreeMap<ValueId, Vec<String>>);

impl ValueNames {
    /// Names the elements of every small integer input: after the input, with a number where there
    /// are several. `taken` are names of dimensions.
    pub(crate) fn find(model: &Model, facts: &[(ValueId, Fact)], taken: &BTreeSet<String>) -> Self {
        let mut taken = taken.clone();
        let mut all = BTreeMap::new();
        for (input, fact) in facts {
            let Some(count) = symbol_count(fact) else { continue };
            if !decides_shapes(model, *input) {
                continue;
            }
            let label = model.symbol_stem(*input);
            let names = (0..count).map(|index| {
                let plain = match count {
                    1 => label.clone().into_owned(),
                    _ => format!("{label}_{index}"),
                };
                let name = match taken.contains(&plain) {
                    true => format!("{plain}_value"),
                    false => plain,
                };
                taken.insert(name.clone());
                name
            });
            all.insert(*input, names.collect());
        }
        Self(all)
    }

    /// Names of an input's elements.
    pub(crate) fn names(&self, input: ValueId) -> Option<&[String]> {
        self.0.get(&input).map(Vec::as_slice)
    }
}

/// Elements that get a symbol each: of a scalar or a short vector of integers.
fn symbol_count(fact: &Fact) -> Option<usize> {
    let Fact::Tensor(tensor) = fact else { return None };
    let small = tensor.rank()? <= 1 && matches!(tensor.dtype, DType::Int32 | DType::Int64);
    tensor.constant_count().filter(|count| small && (1..=MAX_SYMBOLS).contains(count))
}

/// Whether shapes are computed from the elements of an input: it comes to an operator whose output
/// is as long as they say, or into a loop.
fn decides_shapes(model: &Model, input: ValueId) -> bool {
    let mut next = vec![input];
    let mut seen: HashSet<ValueId> = HashSet::new();
    let mut steps = 0;
    while let Some(value) = next.pop() {
        if !seen.insert(value) {
            continue;
        }
        for reader in model.consumers(value) {
            steps += 1;
            if steps > MAX_STEPS {
                return false;
            }
            let node = model.node(reader.node);
            let op = model.name(node.op);
            if op == "Loop" || in_loop(model, node.graph) {
                return true;
            }
            let row = find(canonical_domain(model.name(node.domain)), op);
            let Some(row) = row else { continue };
            let slot = reader.slot as usize;
            if matches!(row.traits.extent, Extent::Inputs(slots) if slots.contains(&slot)) {
                return true;
            }
            let computes = matches!(
                row.traits.class,
                Class::Elementwise
                    | Class::Activation(_)
                    | Class::Generator
                    | Class::Movement
                    | Class::Reduction
                    | Class::View
            );
            if computes {
                next.extend(model.outputs(reader.node).iter().flatten());
            }
        }
    }
    false
}

/// Whether a graph is in the body of a loop.
fn in_loop(model: &Model, mut graph: GraphId) -> bool {
    while let GraphKind::Subgraph { node, .. } = model.graph(graph).kind {
        if model.name(model.node(node).op) == "Loop" {
            return true;
        }
        graph = model.node(node).graph;
    }
    false
}

/// The same fact with a symbol for each element. A size or an index is at least 0.
pub(crate) fn with_symbols(fact: Fact, names: &[String]) -> Fact {
    let Fact::Tensor(tensor) = fact else { return fact };
    let symbols =
        names.iter().map(|name| Elem::Int(Expr::from(Symbol::at_least(name.as_str(), 0))));
    tensor.with_value(symbols).into()
}

/// Why values cannot be those of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueMistake {
    /// Its elements are not whole numbers or truth values.
    Type,
    /// It has this many elements.
    Count(usize),
}

/// The same fact with these elements. They set the length of a vector whose length is free.
pub(crate) fn with_values(fact: Fact, values: &[i64]) -> Result<Fact, ValueMistake> {
    let Fact::Tensor(mut tensor) = fact else { return Err(ValueMistake::Type) };
    let is_whole = !tensor.dtype.is_float() && tensor.dtype.bits().is_some();
    if !is_whole {
        return Err(ValueMistake::Type);
    }
    if tensor.rank() == Some(1) && tensor.constant_count().is_none() {
        let length = i64::try_from(values.len()).unwrap_or(i64::MAX);
        tensor = TensorFact::new(tensor.dtype, [Expr::from(length)]);
    }
    match tensor.constant_count() {
        Some(count) if count == values.len() => {
            Ok(tensor.with_value(values.iter().map(|value| Elem::int(*value))).into())
        }
        Some(count) => Err(ValueMistake::Count(count)),
        None => Err(ValueMistake::Count(0)),
    }
}
