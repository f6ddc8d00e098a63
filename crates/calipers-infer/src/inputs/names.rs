//! Names for dimensions that an exporter left without a meaningful one.
//!
//! `?`, `None` and `-1` say nothing: every position is a dimension of its own. `unk__12` and
//! `DynamicDimension.0` are numbered, so equal ones are one dimension. Both get the name of their
//! role (`batch`, `height`) where the kind of the input shows it, and a number from the second on
//! (`batch_2`).

use std::collections::{BTreeMap, BTreeSet};

use calipers_ir::{Dim, Model, ValueId};
use calipers_sym::{Expr, Symbol};

use super::layout::layout;

/// Names of dimensions that differ from the file's.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Positions without a name in the file.
    positions: BTreeMap<(ValueId, usize), String>,
    /// Numbered names of the file, and what replaces them.
    pub(crate) renamed: BTreeMap<Symbol, Expr>,
    /// The file's name of each name that replaces one.
    replaced: BTreeMap<String, String>,
}

impl Names {
    /// Names every dimension of the inputs that has no meaningful name.
    pub(crate) fn find(model: &Model) -> Self {
        let inputs = model.required_inputs();
        let mut names = Self::default();
        let shape = |input: ValueId| {
            let ty = model.value(input).ty?;
            let tensor = model.value_type(ty).tensor()?;
            Some((tensor.dtype, tensor.shape.as_deref()?))
        };
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let mut without_name = Vec::new();
        for input in &inputs {
            for (axis, dim) in shape(*input).map_or(&[][..], |(_, dims)| dims).iter().enumerate() {
                match dim {
                    Dim::Size(size) if *size >= 0 => {}
                    Dim::Symbol(name) if !model.hint(*name).judge(is_without_meaning) => {
                        let expr = Expr::from_dimension(model.name(*name), 1);
                        taken.extend(expr.symbols().iter().map(|it| it.name().to_owned()));
                    }
                    _ => without_name.push((*input, axis, *dim)),
                }
            }
        }
        let mut roles: BTreeMap<ValueId, Vec<Option<&'static str>>> = BTreeMap::new();
        let mut last_numbers: BTreeMap<&str, usize> = BTreeMap::new();
        for (input, axis, dim) in without_name {
            let numbered = match dim {
                Dim::Symbol(name) if !model.hint(name).judge(is_anonymous) => {
                    Some(model.name(name))
                }
                _ => None,
            };
            if numbered.is_some_and(|name| names.renamed.contains_key(&Symbol::new(name))) {
                continue;
            }
            let roles = roles.entry(input).or_insert_with(|| {
                let Some((dtype, dims)) = shape(input) else { return Vec::new() };
                let sizes: Vec<Option<i64>> = dims.iter().map(fixed).collect();
                let layout = layout(model, input, dtype, &sizes);
                layout.axes.iter().map(|role| role.map(super::AxisRole::name)).collect()
            });
            let label = model.symbol_stem(input);
            let role = roles.get(axis).copied().flatten();
            let fallback = match numbered {
                Some(name) if is_too_long(name) => {
                    unused("dim", &taken, last_numbers.entry("dim").or_insert(0))
                }
                Some(name) => name.to_owned(),
                None => format!("{label}_dim_{axis}"),
            };
            let name = match role {
                Some(role) => unused(role, &taken, last_numbers.entry(role).or_insert(0)),
                None => fallback,
            };
            taken.insert(name.clone());
            match numbered {
                Some(numbered) if numbered != name => {
                    let renamed = Expr::from(Symbol::at_least(name.as_str(), 1));
                    names.renamed.insert(Symbol::new(numbered), renamed);
                    names.replaced.insert(name, numbered.to_owned());
                }
                Some(_) => {}
                None => _ = names.positions.insert((input, axis), name),
            }
        }
        names
    }

    /// The name of a position that the file leaves without one.
    pub(crate) fn position(&self, model: &Model, input: ValueId, axis: usize) -> String {
        self.positions
            .get(&(input, axis))
            .cloned()
            .unwrap_or_else(|| format!("{}_dim_{axis}", model.symbol_stem(input)))
    }

    /// The name in use of a dimension, given that or the file's.
    pub(crate) fn current<'a>(&'a self, name: &'a str) -> &'a str {
        let renamed = self.renamed.get(&Symbol::new(name)).and_then(Expr::as_symbol);
        renamed.map_or(name, Symbol::name)
    }

    /// The file's name of a dimension; `None` where it has none.
    pub(crate) fn in_file<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        match self.replaced.get(name) {
            Some(file) => Some(file),
            None if self.positions.values().any(|it| it == name) => None,
            None => Some(name),
        }
    }
}

/// A name that is not taken: the role, or the role with the next number after the last one used.
fn unused(role: &str, taken: &BTreeSet<String>, last: &mut usize) -> String {
    loop {
        *last += 1;
        let name = if *last == 1 { role.to_owned() } else { format!("{role}_{last}") };
        if !taken.contains(&name) {
            return name;
        }
    }
}

fn fixed(dim: &Dim) -> Option<i64> {
    match dim {
        Dim::Size(size) if *size >= 0 => Some(*size),
        _ => None,
    }
}

/// Whether a name says nothing, not even that two dimensions are the same.
pub(crate) fn is_anonymous(name: &str) -> bool {
    let name = name.trim();
    !name.contains(char::is_alphanumeric)
        || name == "-1"
        || ["none", "null", "nan", "unk", "unknown", "undefined", "dynamic", "dyn", "any"]
            .iter()
            .any(|word| name.eq_ignore_ascii_case(word))
}

/// Whether an exporter numbered a dimension that it had no name for.
fn is_numbered(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let word = stem.rsplit_once("::").map_or(stem, |(_, word)| word);
    let word = word.rsplit('.').find(|part| !part.is_empty()).unwrap_or_default();
    let word = word.trim_matches('_').to_lowercase().replace(['_', '-'], "");
    stem.len() < name.len()
        && matches!(
            &*word,
            "unk"
                | "unknown"
                | "dynamic"
                | "dynamicdimension"
                | "dynamicaxes"
                | "dynamicaxis"
                | "dynamicdim"
                | "dyn"
                | "dim"
        )
}

fn is_without_meaning(name: &str) -> bool {
    is_anonymous(name) || is_numbered(name) || is_too_long(name)
}

/// Bytes of a name that is used as it is. Every formula repeats it.
const LONGEST: usize = 256;

/// Whether a name is too long to be repeated in formulas. A long expression is not a name.
fn is_too_long(name: &str) -> bool {
    name.len() > LONGEST && Expr::from_dimension(name, 1).as_symbol().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_and_numbered_names_have_no_meaning() {
        for name in ["?", "", "None", "-1", "dynamic", "unknown", " ", "*"] {
            assert!(is_anonymous(name), "{name:?}");
        }
        for name in ["unk__12", "DynamicDimension.0", "p2o.DynamicDimension.1", "dynamic_axes_1"] {
            assert!(is_numbered(name) && !is_anonymous(name), "{name:?}");
        }
        for name in ["batch", "N", "s0", "height", "unk", "d_model", "sequence_1", "axis"] {
            assert!(!is_numbered(name), "{name:?}");
        }
        for name in ["batch", "unk__12", "n", "1"] {
            assert!(!is_anonymous(name), "{name:?}");
        }
    }
}
