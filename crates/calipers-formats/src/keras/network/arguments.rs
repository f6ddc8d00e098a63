//! What a call is given: values, constants, and lists of both, in the forms of Keras 1 to 3.

use calipers_ir::DType;
use serde_json::Value;

use super::ValueId;
use crate::keras::json::{Config, whole};

/// Dimensions that a shape may have.
const MAX_RANK: usize = 32;

/// A type and a shape that a file states; `None` for a dimension that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) dtype: DType,
    pub(crate) dims: Vec<Option<i64>>,
}

/// What a call is given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    /// A value.
    Value(ValueId),
    /// Several.
    List(Vec<Argument>),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// A slice: from, to, step.
    Slice([Option<i64>; 3]),
    /// A tensor of constants, with its dimensions where they are small.
    Constant(Vec<i64>),
    /// Nothing.
    None,
    /// Anything else.
    Other,
}

/// A value of a call: layer, call, place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference<'c> {
    pub(super) layer: &'c str,
    pub(super) call: usize,
    pub(super) place: usize,
    pub(super) shape: Option<Shape>,
}

impl Argument {
    /// Hands over each value in it.
    pub(super) fn each_value(&mut self, change: &mut impl FnMut(&mut ValueId)) {
        match self {
            Self::Value(value) => change(value),
            Self::List(inside) => inside.iter_mut().for_each(|one| one.each_value(change)),
            _ => {}
        }
    }

    /// Collects the values in it.
    pub(crate) fn collect(&self, values: &mut Vec<ValueId>) {
        match self {
            Self::Value(value) => values.push(*value),
            Self::List(inside) => inside.iter().for_each(|one| one.collect(values)),
            _ => {}
        }
    }

    /// The value, if it is one.
    pub(crate) fn value(&self) -> Option<ValueId> {
        match self {
            Self::Value(value) => Some(*value),
            Self::List(inside) if inside.len() == 1 => inside.first()?.value(),
            _ => None,
        }
    }

    /// Whole numbers: one, or those of a list.
    pub(crate) fn whole_numbers(&self) -> Option<Vec<i64>> {
        match self {
            Self::List(inside) => {
                let each = inside.iter().map(Self::whole_number);
                each.collect()
            }
            one => Some(vec![one.whole_number()?]),
        }
    }

    /// A whole number.
    pub(crate) fn whole_number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => whole(&Value::from(*number)),
            _ => None,
        }
    }
}

/// The shape in a configuration: a list of sizes and nulls.
pub(crate) fn dims(value: &Value) -> Option<Vec<Option<i64>>> {
    let sizes = value.as_array()?;
    let is_size = |size: &Value| size.is_null() || whole(size).is_some();
    let is_shape = sizes.len() <= MAX_RANK && sizes.iter().all(is_size);
    is_shape.then(|| sizes.iter().map(whole).collect())
}

/// The reference to a value in a list: `[layer, call, place]`, perhaps with more behind.
pub(super) fn listed(value: &Value) -> Option<Reference<'_>> {
    let [layer, call, place, ..] = value.as_array()?.as_slice() else { return None };
    let place_of = |value: &Value| usize::try_from(whole(value)?).ok();
    Some(Reference {
        layer: layer.as_str()?,
        call: place_of(call)?,
        place: place_of(place)?,
        shape: None,
    })
}

/// The reference to a value in an object, as the third version writes it.
fn described(value: &Value) -> Option<Reference<'_>> {
    if Config(value).text("class_name") != "__keras_tensor__" {
        return None;
    }
    let config = Config(value.get("config")?);
    let mut reference = listed(config.get("keras_history")?)?;
    let dtype = config.text("dtype").parse().unwrap_or(DType::Undefined);
    reference.shape = config.get("shape").and_then(dims).map(|dims| Shape { dtype, dims });
    Some(reference)
}

/// Reads an argument. `find` gives the value of a reference, where it is one.
pub(super) fn argument<'c>(
    value: &'c Value,
    find: &mut impl FnMut(Reference<'c>) -> Option<ValueId>,
) -> Argument {
    match value {
        Value::Null => Argument::None,
        Value::Bool(flag) => Argument::Number(f64::from(u8::from(*flag))),
        Value::Number(number) => number.as_f64().map_or(Argument::Other, Argument::Number),
        Value::String(text) => Argument::Text(text.clone()),
        Value::Array(items) => {
            if let Some(found) = listed(value).and_then(&mut *find) {
                return Argument::Value(found);
            }
            // A constant in place of a value, as the second version writes it.
            if let [Value::String(mark), _, constant, ..] = items.as_slice()
                && mark == "_CONSTANT_VALUE"
            {
                return argument(constant, find);
            }
            Argument::List(items.iter().map(|item| argument(item, find)).collect())
        }
        Value::Object(_) => object(value, find),
    }
}

fn object<'c>(
    value: &'c Value,
    find: &mut impl FnMut(Reference<'c>) -> Option<ValueId>,
) -> Argument {
    if let Some(reference) = described(value) {
        return find(reference).map_or(Argument::Other, Argument::Value);
    }
    let config = Config(value);
    match config.text("class_name") {
        "__tuple__" => match config.get("items") {
            Some(items) => argument(items, find),
            None => Argument::Other,
        },
        "__slice__" => {
            let config = config.get("config").map(Config);
            let bound = |name: &str| config.and_then(|config| config.int(name));
            Argument::Slice([bound("start"), bound("stop"), bound("step")])
        }
        "__numpy__" | "__tensor__" => {
            let value = config.get("config").and_then(|config| config.get("value"));
            value.map_or(Argument::Other, |value| Argument::Constant(nested_dims(value)))
        }
        _ => Argument::Other,
    }
}

/// The dimensions of numbers in lists of lists.
fn nested_dims(mut value: &Value) -> Vec<i64> {
    let mut dims = Vec::new();
    while let Value::Array(items) = value
        && dims.len() < MAX_RANK
    {
        dims.push(i64::try_from(items.len()).unwrap_or(i64::MAX));
        let Some(first) = items.first() else { break };
        value = first;
    }
    dims
}
