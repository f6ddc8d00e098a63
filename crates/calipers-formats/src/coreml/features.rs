//! `ModelDescription`: inputs, outputs and states of a model, and what its author wrote.

use calipers_ir::{Container, DType, Dim, Leaf, ModelBuilder, TensorType, ValueType};

use super::fields::{add_integers, integer, message, text};
use crate::error::Trace;
use crate::wire::{Message, Part, Payload};

/// What a model takes and gives.
#[derive(Default)]
pub(super) struct Description {
    pub(super) inputs: Vec<Feature>,
    pub(super) outputs: Vec<Feature>,
    pub(super) states: Vec<Feature>,
    /// Functions, where there are several.
    pub(super) functions: Vec<Function>,
    pub(super) default_function: String,
}

/// Inputs and outputs of a function.
#[derive(Default)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) inputs: Vec<Feature>,
    pub(super) outputs: Vec<Feature>,
    pub(super) states: Vec<Feature>,
}

/// An input or an output.
#[derive(Default)]
pub(super) struct Feature {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// Sizes that it may have, where the file states several.
    pub(super) sizes: String,
}

/// What a feature is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Kind {
    /// The file does not say.
    #[default]
    Unknown,
    /// A number or a text.
    Scalar(DType),
    /// An image: its channels, height and width.
    Image { dtype: DType, channels: i64, height: Dim, width: Dim },
    /// An array; no dimensions where the file states none.
    Array { dtype: DType, dims: Option<Vec<Dim>> },
    /// A value for each key.
    Dictionary { key: DType },
    /// Values in order.
    Sequence { of: DType },
}

impl Kind {
    /// The type of a value.
    pub(super) fn value_type(&self, builder: &mut ModelBuilder) -> ValueType {
        let tensor = |dtype, shape| Leaf::Tensor(TensorType { dtype, shape });
        let plain = |leaf| ValueType { leaf, ..ValueType::default() };
        match self {
            Self::Unknown => ValueType::default(),
            Self::Scalar(dtype) => plain(tensor(*dtype, Some(Vec::new()))),
            Self::Image { dtype, channels, height, width } => {
                let shape = vec![Dim::Size(*channels), *height, *width];
                let denotation = Some(builder.names.intern("IMAGE"));
                ValueType { denotation, ..plain(tensor(*dtype, Some(shape))) }
            }
            Self::Array { dtype, dims } => plain(tensor(*dtype, dims.clone())),
            Self::Dictionary { key } => ValueType {
                containers: vec![Container::Map { key: *key }],
                ..plain(tensor(DType::Float64, Some(Vec::new())))
            },
            Self::Sequence { of } => ValueType {
                containers: vec![Container::Sequence],
                ..plain(tensor(*of, Some(Vec::new())))
            },
        }
    }
}

/// Reads a description; what the author wrote goes to the header.
pub(super) fn read(part: Part<'_>, builder: &mut ModelBuilder) -> Result<Description, Trace> {
    let mut description = Description::default();
    for field in Message::from(part).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (1, Payload::Bytes(part)) => description.inputs.push(feature(part)?),
            (10, Payload::Bytes(part)) => description.outputs.push(feature(part)?),
            (13, Payload::Bytes(part)) => description.states.push(feature(part)?),
            (20, Payload::Bytes(part)) => description.functions.push(function(part)?),
            (21, Payload::Bytes(part)) => description.default_function = text(part),
            (11, Payload::Bytes(part)) => {
                add_metadata(builder, "predicted feature", text(part));
            }
            (12, Payload::Bytes(part)) => {
                add_metadata(builder, "predicted probabilities", text(part));
            }
            (100, Payload::Bytes(part)) => metadata(part, builder)?,
            _ => {}
        }
    }
    Ok(description)
}

/// `FunctionDescription`.
fn function(part: Part<'_>) -> Result<Function, Trace> {
    let mut function = Function::default();
    for field in Message::from(part).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (1, Payload::Bytes(part)) => function.name = text(part),
            (2, Payload::Bytes(part)) => function.inputs.push(feature(part)?),
            (3, Payload::Bytes(part)) => function.outputs.push(feature(part)?),
            (6, Payload::Bytes(part)) => function.states.push(feature(part)?),
            _ => {}
        }
    }
    Ok(function)
}

/// Adds what the file says of the model, unless it says nothing.
pub(super) fn add_metadata(builder: &mut ModelBuilder, key: &str, value: String) {
    if !value.is_empty() {
        builder.header.metadata.push((key.to_owned(), value));
    }
}

/// `Metadata`: texts of the author, and entries that tools add.
fn metadata(part: Part<'_>, builder: &mut ModelBuilder) -> Result<(), Trace> {
    for field in Message::from(part).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (1, Payload::Bytes(part)) => builder.header.doc = text(part),
            (2, Payload::Bytes(part)) => {
                let version = text(part);
                builder.header.model_version = version.parse().ok();
                add_metadata(builder, "version", version);
            }
            (3, Payload::Bytes(part)) => add_metadata(builder, "author", text(part)),
            (4, Payload::Bytes(part)) => add_metadata(builder, "license", text(part)),
            (100, Payload::Bytes(part)) => {
                let (key, value) = super::fields::entry(part)?;
                let value = value.map_or_else(String::new, text);
                if key == "com.github.apple.coremltools.version" {
                    builder.header.producer_name = "coremltools".to_owned();
                    builder.header.producer_version.clone_from(&value);
                }
                builder.header.metadata.push((key, value));
            }
            _ => {}
        }
    }
    Ok(())
}

/// `FeatureDescription`.
fn feature(part: Part<'_>) -> Result<Feature, Trace> {
    let mut feature = Feature::default();
    for field in Message::from(part).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (1, Payload::Bytes(part)) => feature.name = text(part),
            (3, Payload::Bytes(part)) => {
                (feature.kind, feature.sizes) = feature_type(part)?;
            }
            _ => {}
        }
    }
    Ok(feature)
}

/// `FeatureType`, and the sizes that it may have.
fn feature_type(part: Part<'_>) -> Result<(Kind, String), Trace> {
    let mut found = (Kind::Unknown, String::new());
    for field in Message::from(part).fields() {
        let field = field?;
        let Payload::Bytes(part) = field.payload else { continue };
        found = match field.number {
            1 => (Kind::Scalar(DType::Int64), String::new()),
            2 => (Kind::Scalar(DType::Float64), String::new()),
            3 => (Kind::Scalar(DType::String), String::new()),
            4 => image(part)?,
            5 => array(part)?,
            6 => {
                let is_text = message(part, 2)?.is_some();
                let key = if is_text { DType::String } else { DType::Int64 };
                (Kind::Dictionary { key }, String::new())
            }
            7 => {
                let is_text = message(part, 3)?.is_some();
                let of = if is_text { DType::String } else { DType::Int64 };
                (Kind::Sequence { of }, String::new())
            }
            8 => match message(part, 1)? {
                Some(part) => array(part)?,
                None => continue,
            },
            _ => continue,
        };
    }
    Ok(found)
}

/// The type of elements by its number in `ArrayDataType`.
fn array_type(number: u64) -> DType {
    match number {
        0x10010 => DType::Float16,
        0x10020 => DType::Float32,
        0x10040 => DType::Float64,
        0x20020 => DType::Int32,
        0x20008 => DType::Int8,
        _ => DType::Undefined,
    }
}

/// `ArrayFeatureType`. Dimensions whose size is not fixed are open.
fn array(part: Part<'_>) -> Result<(Kind, String), Trace> {
    let (mut dtype, mut shape) = (DType::Undefined, Vec::new());
    let mut shapes: Vec<Vec<i64>> = Vec::new();
    let mut ranges: Vec<(i64, i64)> = Vec::new();
    let mut is_stated = false;
    for field in Message::from(part).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (1, payload) => {
                is_stated = true;
                add_integers(payload, &mut shape)?;
            }
            (2, Payload::Varint(number)) => dtype = array_type(number),
            (21, Payload::Bytes(part)) => each(part, 1, |part| {
                let mut one = Vec::new();
                for field in Message::from(part).fields() {
                    let field = field?;
                    if field.number == 1 {
                        add_integers(field.payload, &mut one)?;
                    }
                }
                shapes.push(one);
                Ok(())
            })?,
            (31, Payload::Bytes(part)) => each(part, 1, |part| {
                ranges.push(range(part)?);
                Ok(())
            })?,
            _ => {}
        }
    }
    let mut dims: Vec<Dim> = shape.iter().map(|size| Dim::Size(*size)).collect();
    let mut sizes = String::new();
    if !ranges.is_empty() {
        if dims.is_empty() {
            dims = vec![Dim::Unknown; ranges.len()];
        }
        for (dim, (low, high)) in dims.iter_mut().zip(&ranges) {
            *dim = if low == high { Dim::Size(*low) } else { Dim::Unknown };
        }
        sizes = joined(ranges.iter().map(|range| range_text(*range)), " × ");
        is_stated = true;
    } else if !shapes.is_empty() {
        let shared = shapes.iter().map(Vec::len).min().unwrap_or(0);
        dims.iter_mut().skip(shared).for_each(|dim| *dim = Dim::Unknown);
        for one in &shapes {
            for (dim, size) in dims.iter_mut().zip(one) {
                if *dim != Dim::Size(*size) {
                    *dim = Dim::Unknown;
                }
            }
        }
        let texts = shapes.iter().map(|one| joined(one.iter().map(i64::to_string), " × "));
        sizes = joined(texts, ", ");
    }
    Ok((Kind::Array { dtype, dims: is_stated.then_some(dims) }, sizes))
}

/// `ImageFeatureType`.
fn image(part: Part<'_>) -> Result<(Kind, String), Trace> {
    let (mut width, mut height, mut space) = (0, 0, 0);
    let mut ranges = [None, None];
    let mut sizes: Vec<String> = Vec::new();
    for field in Message::from(part).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (1, Payload::Varint(value)) => width = integer(value),
            (2, Payload::Varint(value)) => height = integer(value),
            (3, Payload::Varint(value)) => space = value,
            (21, Payload::Bytes(part)) => each(part, 1, |part| {
                let [width, height] = pair(part)?;
                sizes.push(format!("{height} × {width}"));
                Ok(())
            })?,
            (31, Payload::Bytes(part)) => {
                for (slot, number) in ranges.iter_mut().zip([1, 2]) {
                    *slot = message(part, number)?.map(range).transpose()?;
                }
            }
            _ => {}
        }
    }
    let is_listed = !sizes.is_empty();
    let dim = |size: i64, range: Option<(i64, i64)>| match range {
        Some((low, high)) if low != high => Dim::Unknown,
        _ if is_listed || size == 0 => Dim::Unknown,
        _ => Dim::Size(size),
    };
    let (dtype, channels) = match space {
        10 => (DType::Uint8, 1),
        40 => (DType::Float16, 1),
        _ => (DType::Uint8, 3),
    };
    let [wide, high] = ranges;
    if let (Some(wide), Some(high)) = (wide, high) {
        sizes.push(format!("{} × {}", range_text(high), range_text(wide)));
    }
    if sizes.is_empty() {
        sizes.push(format!("{height} × {width}"));
    }
    let colors = match space {
        10 | 40 => "gray",
        20 => "RGB",
        30 => "BGR",
        _ => "unknown colors",
    };
    let kind = Kind::Image { dtype, channels, height: dim(height, high), width: dim(width, wide) };
    Ok((kind, format!("{colors} image of {}", joined(sizes.into_iter(), ", "))))
}

/// Visits each message of a repeated field.
fn each<'a>(
    part: Part<'a>,
    number: u32,
    mut visit: impl FnMut(Part<'a>) -> Result<(), Trace>,
) -> Result<(), Trace> {
    for field in Message::from(part).fields() {
        let field = field?;
        if let (true, Payload::Bytes(part)) = (field.number == number, field.payload) {
            visit(part)?;
        }
    }
    Ok(())
}

/// The first two fields, both integers.
fn pair(part: Part<'_>) -> Result<[i64; 2], Trace> {
    let mut pair = [0, 0];
    for field in Message::from(part).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (1, Payload::Varint(value)) => pair[0] = integer(value),
            (2, Payload::Varint(value)) => pair[1] = integer(value),
            _ => {}
        }
    }
    Ok(pair)
}

/// `SizeRange`; a negative upper bound means that there is none.
fn range(part: Part<'_>) -> Result<(i64, i64), Trace> {
    let [low, high] = pair(part)?;
    Ok((low, high))
}

fn range_text((low, high): (i64, i64)) -> String {
    match high {
        _ if low == high => low.to_string(),
        high if high < 0 => format!("{low} or more"),
        high => format!("{low} to {high}"),
    }
}

/// Texts of a list, the first ones where there are many.
fn joined(texts: impl Iterator<Item = String>, separator: &str) -> String {
    const SHOWN: usize = 32;
    let mut joined = String::new();
    for (place, text) in texts.enumerate() {
        if place == SHOWN {
            joined.push('…');
            break;
        }
        if place > 0 {
            joined.push_str(separator);
        }
        joined.push_str(&text);
    }
    joined
}
