//! Sizes for symbolic dimensions.

use std::collections::{BTreeMap, BTreeSet};

use calipers_ir::{Model, ValueId};
use calipers_ops::Fact;
use calipers_sym::{Expr, Symbol};

use super::declared;
use super::inputs::{Names, ValueMistake, ValueNames, with_symbols, with_values};

/// Sizes for symbolic dimensions, and shapes for inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    /// Sizes by the names of dimensions.
    pub dims: BTreeMap<String, i64>,
    /// Shapes by the names of inputs.
    pub inputs: BTreeMap<String, Vec<i64>>,
    /// Elements of integer inputs, by the names of the inputs.
    pub values: BTreeMap<String, Vec<i64>>,
}

/// Why a binding is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// No dimension of an input has this name.
    #[error(
        "no input has a dimension named {name:?}; {}",
        choices(name, known, "every dimension is fixed in the file")
    )]
    UnknownDimension {
        /// The name given.
        name: String,
        /// Names that there are.
        known: Vec<String>,
    },
    /// No input has this name.
    #[error("the model has no input named {name:?}; {}", choices(name, known, "it has no inputs"))]
    UnknownInput {
        /// The name given.
        name: String,
        /// Names that there are.
        known: Vec<String>,
    },
    /// The input has another number of dimensions.
    #[error("input {input:?} has {wanted} dimensions, got {given}")]
    Rank {
        /// The input.
        input: String,
        /// Dimensions it has.
        wanted: usize,
        /// Dimensions given.
        given: usize,
    },
    /// A dimension is fixed in the model and given another size.
    #[error("dimension {axis} of input {input:?} is {wanted} in the file, got {given}")]
    Size {
        /// The input.
        input: String,
        /// Which of its dimensions.
        axis: usize,
        /// What the model says.
        wanted: String,
        /// What is given.
        given: i64,
    },
    /// A name is given two sizes.
    #[error("dimension {name:?} is given both {first} and {second}")]
    Twice {
        /// The name.
        name: String,
        /// One size.
        first: i64,
        /// The other.
        second: i64,
    },
    /// No integer input has this name.
    #[error(
        "the model has no integer input named {name:?}; {}",
        choices(name, known, "it has no integer inputs")
    )]
    UnknownValue {
        /// The name given.
        name: String,
        /// Names that there are.
        known: Vec<String>,
    },
    /// The input has another number of elements.
    #[error("input {input:?} has {wanted} elements, got {given} values")]
    ValueCount {
        /// The input.
        input: String,
        /// Elements it has.
        wanted: usize,
        /// Values given.
        given: usize,
    },
    /// No dimension is the length of a sequence.
    #[error(
        "no symbolic dimension of the inputs is a sequence length, so it cannot be set to {given}"
    )]
    NoSequence {
        /// The length given.
        given: u64,
    },
}

/// What can be given instead of a name: the nearest one, or all.
fn choices(name: &str, known: &[String], none: &str) -> String {
    let near = known.iter().find(|it| it.eq_ignore_ascii_case(name) || it.contains(name));
    match near {
        _ if known.is_empty() => none.to_owned(),
        Some(near) if !name.is_empty() => {
            format!("did you mean `{near}`? expected one of: {}", known.join(", "))
        }
        _ => format!("expected one of: {}", known.join(", ")),
    }
}

/// Facts of the main graph's inputs as the file declares them.
pub fn declared_inputs(model: &Model) -> Vec<(ValueId, Fact)> {
    let names = Names::find(model);
    let inputs = model.required_inputs().into_iter();
    inputs.map(|input| (input, declared::input_fact(model, input, &names))).collect()
}

/// The name that the file has for a dimension of its inputs; `None` where it has none.
pub fn name_in_file(model: &Model, dimension: &str) -> Option<String> {
    Names::find(model).in_file(dimension).map(str::to_owned)
}

/// Every name that is bound, and what to.
pub(super) type Sizes = BTreeMap<Symbol, Expr>;

impl Bindings {
    /// Every size that they give to a name, those that follow from whole shapes included. What
    /// contradicts itself is left out; [`infer`](super::infer) says so.
    pub fn sizes(&self, model: &Model) -> BTreeMap<String, i64> {
        // A contradiction ends the inference before this is asked.
        Resolved::new(model, self).map_or_else(|_| self.dims.clone(), |resolved| resolved.sizes)
    }

    /// Every name that can be bound, with its size or value where it is: dimensions of inputs and
    /// elements of integer inputs that shapes are computed from.
    pub fn names(&self, model: &Model) -> BTreeMap<String, Option<i64>> {
        let Ok(resolved) = Resolved::new(model, self) else { return BTreeMap::new() };
        let mut all: BTreeMap<String, Option<i64>> = free_names(model)
            .into_iter()
            .filter(|name| !resolved.split.contains_key(name))
            .map(|name| (name.clone(), resolved.sizes.get(&name).copied()))
            .collect();
        let split = resolved.split.into_values().flatten();
        all.extend(split.map(|(name, size)| (name, Some(size))));
        for (input, fact) in &resolved.facts {
            let names = resolved.values.names(*input).unwrap_or_default();
            let elements = fact.as_tensor().and_then(|tensor| tensor.value.as_deref());
            for (name, element) in names.iter().zip(elements.unwrap_or_default()) {
                all.insert(name.clone(), element.as_i64());
            }
        }
        all
    }
}

/// Names of the dimensions that the inputs leave free.
pub fn free_names(model: &Model) -> BTreeSet<String> {
    names_in(&declared_inputs(model))
}

fn names_in(inputs: &[(ValueId, Fact)]) -> BTreeSet<String> {
    let dims = inputs.iter().filter_map(|(_, fact)| fact.as_tensor()?.dims()).flatten();
    dims.flat_map(|dim| dim.symbols()).map(|symbol| symbol.name().to_owned()).collect()
}

/// Facts of the main graph's inputs, with the bindings applied.
pub(super) fn input_facts(
    model: &Model,
    bindings: &Bindings,
) -> Result<(Vec<(ValueId, Fact)>, Sizes), BindError> {
    let resolved = Resolved::new(model, bindings)?;
    let sizes = resolved.declared_sizes();
    Ok((resolved.facts, sizes))
}

/// What the bindings mean for a model.
struct Resolved {
    names: Names,
    /// The inputs, with what is bound filled in.
    facts: Vec<(ValueId, Fact)>,
    /// Sizes of names.
    sizes: BTreeMap<String, i64>,
    /// Names to which inputs give several sizes, each with a name and a size per input. A runtime
    /// does not compare what inputs call their dimensions.
    split: BTreeMap<String, BTreeMap<String, i64>>,
    values: ValueNames,
}

impl Resolved {
    fn new(model: &Model, bindings: &Bindings) -> Result<Self, BindError> {
        let names = Names::find(model);
        let inputs = model.required_inputs().into_iter();
        let declared: Vec<(ValueId, Fact)> =
            inputs.map(|input| (input, declared::input_fact(model, input, &names))).collect();
        let free = names_in(&declared);
        check_inputs(model, &declared, bindings)?;
        let mut sizes = BTreeMap::new();
        for (name, size) in &bindings.dims {
            let current = names.current(name);
            if !free.contains(current) {
                let known = free.into_iter().collect();
                return Err(BindError::UnknownDimension { name: name.clone(), known });
            }
            sizes.insert(current.to_owned(), *size);
        }
        let mut given: BTreeMap<String, Vec<(String, usize, i64)>> = BTreeMap::new();
        for (input, fact) in &declared {
            let label = model.name(model.value(*input).name);
            if let Some(shape) = bindings.inputs.get(label) {
                take_sizes(label, fact, shape, &mut given)?;
            }
        }
        let mut split = BTreeMap::new();
        for (name, given) in given {
            let Some(&(_, _, first)) = given.first() else { continue };
            let other = given.iter().find(|(_, _, size)| *size != first);
            match (sizes.get(&name), other) {
                (Some(set), _) if given.iter().any(|(_, _, size)| size != set) => {
                    let second = given.iter().find(|(_, _, size)| size != set).map_or(0, |it| it.2);
                    return Err(BindError::Twice { name, first: *set, second });
                }
                (_, None) => _ = sizes.insert(name, first),
                (_, Some(_)) => _ = split.insert(name.clone(), split_names(&name, &given)),
            }
        }
        let numbers: Sizes = sizes
            .iter()
            .map(|(name, size)| (Symbol::new(name.as_str()), Expr::from(*size)))
            .collect();
        let mut facts: Vec<(ValueId, Fact)> = declared
            .into_iter()
            .map(|(input, fact)| {
                let label = model.name(model.value(input).name);
                let fact = match bindings.inputs.get(label) {
                    Some(shape) => declared::with_shape(fact, shape),
                    None => declared::substitute(fact, &numbers),
                };
                (input, fact)
            })
            .collect();
        set_values(model, bindings, &mut facts)?;
        let values = ValueNames::find(model, &facts, &free);
        for (input, fact) in &mut facts {
            let is_set = fact.as_tensor().is_some_and(|tensor| tensor.value.is_some());
            if let Some(names) = values.names(*input).filter(|_| !is_set) {
                *fact = with_symbols(fact.clone(), names);
            }
        }
        Ok(Self { names, facts, sizes, split, values })
    }

    /// What replaces names in the types that the file declares.
    fn declared_sizes(&self) -> Sizes {
        let number = |name: &str| self.sizes.get(name).map(|size| Expr::from(*size));
        let open = || Expr::undefined("inputs give it several sizes");
        let renamed = self.names.renamed.iter().map(|(file, expr)| {
            let bound = expr.as_symbol().and_then(|symbol| number(symbol.name()));
            (file.clone(), bound.unwrap_or_else(|| expr.clone()))
        });
        let bound =
            self.sizes.keys().filter_map(|name| Some((Symbol::new(&**name), number(name)?)));
        let split = self.split.keys().map(|name| (Symbol::new(&**name), open()));
        renamed.chain(bound).chain(split).collect()
    }
}

/// A name for each input that gives a dimension another size than the others.
fn split_names(name: &str, given: &[(String, usize, i64)]) -> BTreeMap<String, i64> {
    let named = given.iter().map(|(input, axis, size)| {
        let same_input = given.iter().filter(|(other, _, _)| other == input);
        let is_one = same_input.map(|(_, _, size)| size).all(|other| other == size);
        let split = if is_one { format!("{input}_{name}") } else { format!("{input}_dim_{axis}") };
        (split, *size)
    });
    named.collect()
}

fn check_inputs(
    model: &Model,
    inputs: &[(ValueId, Fact)],
    bindings: &Bindings,
) -> Result<(), BindError> {
    let names = || inputs.iter().map(|(input, _)| model.name(model.value(*input).name).to_owned());
    match bindings.inputs.keys().find(|name| !names().any(|known| known == **name)) {
        Some(name) => Err(BindError::UnknownInput { name: name.clone(), known: names().collect() }),
        None => Ok(()),
    }
}

/// Fills in the elements that are given for integer inputs.
fn set_values(
    model: &Model,
    bindings: &Bindings,
    facts: &mut [(ValueId, Fact)],
) -> Result<(), BindError> {
    for (name, values) in &bindings.values {
        let label = |input: ValueId| model.name(model.value(input).name);
        let known = |facts: &[(ValueId, Fact)]| {
            let whole = facts
                .iter()
                .filter(|(_, fact)| with_values(fact.clone(), &[0]) != Err(ValueMistake::Type));
            whole.map(|(input, _)| label(*input).to_owned()).collect()
        };
        let Some(place) = facts.iter().position(|(input, _)| label(*input) == name) else {
            return Err(BindError::UnknownValue { name: name.clone(), known: known(facts) });
        };
        facts[place].1 = match with_values(facts[place].1.clone(), values) {
            Ok(fact) => fact,
            Err(ValueMistake::Type) => {
                return Err(BindError::UnknownValue { name: name.clone(), known: known(facts) });
            }
            Err(ValueMistake::Count(wanted)) => {
                let (input, given) = (name.clone(), values.len());
                return Err(BindError::ValueCount { input, wanted, given });
            }
        };
    }
    Ok(())
}

/// Takes the sizes of named dimensions from a whole shape.
fn take_sizes(
    label: &str,
    fact: &Fact,
    shape: &[i64],
    given: &mut BTreeMap<String, Vec<(String, usize, i64)>>,
) -> Result<(), BindError> {
    let Some(dims) = fact.as_tensor().and_then(|tensor| tensor.dims()) else { return Ok(()) };
    let input = label.to_owned();
    if dims.len() != shape.len() {
        return Err(BindError::Rank { input, wanted: dims.len(), given: shape.len() });
    }
    for (axis, (dim, size)) in dims.iter().zip(shape).enumerate() {
        if let Some(fixed) = dim.as_const()
            && fixed != *size
        {
            let wanted = fixed.to_string();
            return Err(BindError::Size { input, axis, wanted, given: *size });
        }
        // Only a plain name can be bound by one number.
        if let Some(symbol) = dim.as_symbol() {
            let sizes = given.entry(symbol.name().to_owned()).or_default();
            sizes.push((input.clone(), axis, *size));
        }
    }
    Ok(())
}
