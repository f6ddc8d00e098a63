//! Sizes for symbolic dimensions.

use std::collections::{BTreeMap, BTreeSet};

use calipers_ir::{Dim, Model, ValueId};
use calipers_ops::Fact;
use calipers_sym::{Expr, Symbol};

use super::declared;

/// Sizes for symbolic dimensions, and shapes for inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    /// Sizes by the names of dimensions.
    pub dims: BTreeMap<String, i64>,
    /// Shapes by the names of inputs.
    pub inputs: BTreeMap<String, Vec<i64>>,
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
    let inputs = model.required_inputs().into_iter();
    inputs.map(|input| (input, declared::input_fact(model, input))).collect()
}

/// Every name that is bound, and what to.
pub(super) type Sizes = BTreeMap<Symbol, Expr>;

impl Bindings {
    /// Every size that they give to a name, those that follow from whole shapes included. What
    /// contradicts itself is left out; [`infer`](super::infer) says so.
    pub fn sizes(&self, model: &Model) -> BTreeMap<String, i64> {
        let mut sizes = self.dims.clone();
        for input in model.required_inputs() {
            if let Some(shape) = self.inputs.get(model.name(model.value(input).name)) {
                // A contradiction ends the inference before this is asked.
                let _ = bind_shape(model, input, shape, &mut sizes);
            }
        }
        sizes
    }
}

/// Names of the dimensions that the inputs leave free.
pub fn free_names(model: &Model) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for input in model.required_inputs() {
        let fact = declared::input_fact(model, input);
        for dim in fact.as_tensor().and_then(|tensor| tensor.dims()).unwrap_or_default() {
            names.extend(dim.symbols().iter().map(|symbol| symbol.name().to_owned()));
        }
    }
    names
}

/// Facts of the main graph's inputs, with the bindings applied.
pub(super) fn input_facts(
    model: &Model,
    bindings: &Bindings,
) -> Result<(Vec<(ValueId, Fact)>, Sizes), BindError> {
    let inputs = model.required_inputs();
    check_names(model, &inputs, bindings)?;
    let mut sizes = bindings.dims.clone();
    for input in &inputs {
        let name = model.name(model.value(*input).name);
        if let Some(shape) = bindings.inputs.get(name) {
            bind_shape(model, *input, shape, &mut sizes)?;
        }
    }
    let sizes: Sizes =
        sizes.iter().map(|(name, size)| (Symbol::new(name.as_str()), Expr::from(*size))).collect();
    let facts = inputs.into_iter().map(|input| {
        let name = model.name(model.value(input).name).to_owned();
        let fact = declared::input_fact(model, input);
        let fact = match bindings.inputs.get(&name) {
            Some(shape) => declared::with_shape(fact, shape),
            None => declared::substitute(fact, &sizes),
        };
        (input, fact)
    });
    Ok((facts.collect(), sizes))
}

fn check_names(model: &Model, inputs: &[ValueId], bindings: &Bindings) -> Result<(), BindError> {
    let names = || inputs.iter().map(|input| model.name(model.value(*input).name).to_owned());
    if let Some(name) = bindings.inputs.keys().find(|name| !names().any(|known| known == **name)) {
        return Err(BindError::UnknownInput { name: name.clone(), known: names().collect() });
    }
    let known = free_names(model);
    match bindings.dims.keys().find(|name| !known.contains(*name)) {
        Some(name) => Err(BindError::UnknownDimension {
            name: name.clone(),
            known: known.into_iter().collect(),
        }),
        None => Ok(()),
    }
}

/// Takes the sizes of named dimensions from a whole shape.
fn bind_shape(
    model: &Model,
    input: ValueId,
    shape: &[i64],
    sizes: &mut BTreeMap<String, i64>,
) -> Result<(), BindError> {
    let value = model.value(input);
    let name = || model.name(value.name).to_owned();
    let declared = value.ty.and_then(|ty| model.value_type(ty).tensor()?.shape.as_ref());
    let Some(dims) = declared else { return Ok(()) };
    if dims.len() != shape.len() {
        return Err(BindError::Rank { input: name(), wanted: dims.len(), given: shape.len() });
    }
    for (axis, (dim, size)) in dims.iter().zip(shape).enumerate() {
        match dim {
            Dim::Size(fixed) if *fixed >= 0 && fixed != size => {
                let wanted = fixed.to_string();
                return Err(BindError::Size { input: name(), axis, wanted, given: *size });
            }
            Dim::Symbol(symbol) => {
                let symbol = model.name(*symbol);
                let expr = Expr::from_dimension(symbol, 1);
                // Only a plain name can be bound by one number.
                if expr != Expr::symbol(&Symbol::new(symbol)) {
                    continue;
                }
                match sizes.insert(symbol.to_owned(), *size) {
                    Some(first) if first != *size => {
                        let name = symbol.to_owned();
                        return Err(BindError::Twice { name, first, second: *size });
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    Ok(())
}
