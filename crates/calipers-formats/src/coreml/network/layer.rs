//! `NeuralNetworkLayer`: a layer with its settings, and the weights among them.

use calipers_ir::assembly::{Assembly, Call};
use calipers_ir::{Affine, BlockFormat, DType, Data, NameId};

use super::names;
use crate::coreml::fields::{add_floats, add_integers, integer, text};
use crate::error::Trace;
use crate::wire::{Message, Part, Payload};

/// Longest name of a value. Cutting one could make two names one.
const MAX_NAME: u64 = 64 * 1024;

/// Fields of settings, which are passed over once for each that is asked for. Layers have dozens.
const MAX_SETTINGS: usize = 4096;

/// A layer as the file has it.
pub(super) struct Layer<'a> {
    pub(super) name: String,
    pub(super) inputs: Vec<NameId>,
    pub(super) outputs: Vec<NameId>,
    /// How many dimensions the inputs have, where the layer states it.
    pub(super) input_ranks: Vec<usize>,
    /// The same for the outputs.
    pub(super) output_ranks: Vec<usize>,
    /// The field of its kind.
    pub(super) number: u32,
    /// Its settings.
    pub(super) settings: Settings<'a>,
}

/// A message whose fields are asked for one by one. A message has few.
#[derive(Clone, Copy)]
pub(super) struct Settings<'a>(pub(super) Part<'a>);

impl<'a> Layer<'a> {
    /// Reads a layer.
    pub(super) fn read(part: Part<'a>, assembly: &mut Assembly<'_>) -> Result<Self, Trace> {
        let mut layer = Self {
            name: String::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            input_ranks: Vec::new(),
            output_ranks: Vec::new(),
            number: 0,
            settings: Settings(Part::new(b"", part.start())),
        };
        for field in Message::from(part).fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => layer.name = text(part),
                (2, Payload::Bytes(part)) => layer.inputs.push(value_name(part, assembly)?),
                (3, Payload::Bytes(part)) => layer.outputs.push(value_name(part, assembly)?),
                (4, Payload::Bytes(part)) => layer.input_ranks.push(rank(part)?),
                (5, Payload::Bytes(part)) => layer.output_ranks.push(rank(part)?),
                (100.., Payload::Bytes(part)) => {
                    layer.number = field.number;
                    layer.settings = Settings::checked(part)?;
                }
                _ => {}
            }
        }
        Ok(layer)
    }

    /// What the file calls its kind.
    pub(super) fn kind(&self) -> String {
        match names::name(self.number) {
            "" => format!("layer {}", self.number),
            name => name.to_owned(),
        }
    }

    /// The call of its node, without an operator.
    pub(super) fn call(&self) -> Call {
        Call {
            written: self.kind(),
            name: self.name.clone(),
            outputs: self.outputs.clone(),
            ..Call::default()
        }
    }

    /// Adds the weights in a field as a stored tensor; the empty name where there are none.
    pub(super) fn weights(
        &self,
        assembly: &mut Assembly<'_>,
        settings: Settings<'_>,
        (number, role): (u32, &str),
        dims: &[i64],
    ) -> Result<NameId, Trace> {
        let Some(weights) = settings.message(number)? else { return Ok(assembly.none()) };
        let stored = weights.stored()?;
        let dims = match (stored.elements, dims) {
            (Some(elements), []) => vec![i64::try_from(elements).unwrap_or(i64::MAX)],
            _ => dims.to_vec(),
        };
        if stored.data == Data::Absent {
            return Ok(assembly.none());
        }
        let name = self.weight_name(assembly, role);
        assembly.add_stored(name, stored.dtype, &dims, stored.data)?;
        if let Some(affine) = stored.affine {
            assembly.add_affine(name, affine);
        }
        Ok(name)
    }
}

/// How many dimensions a `Tensor` has.
fn rank(part: Part<'_>) -> Result<usize, Trace> {
    Ok(usize::try_from(Settings(part).int(1)?).unwrap_or(0))
}

/// The name of a value.
pub(super) fn value_name(part: Part<'_>, assembly: &mut Assembly<'_>) -> Result<NameId, Trace> {
    if part.len() > MAX_NAME {
        return Err(Trace::new(part.start(), format!("a name has {} bytes", part.len())));
    }
    Ok(assembly.builder.names.intern_bytes(part.bytes()?))
}

/// `WeightParams`, as far as it is stored.
struct Stored {
    dtype: DType,
    data: Data,
    /// Elements, where their number follows from the bytes.
    elements: Option<u64>,
    affine: Option<Affine>,
}

impl<'a> Settings<'a> {
    /// The settings of a layer, unless there are more than any has.
    fn checked(part: Part<'a>) -> Result<Self, Trace> {
        match Message::from(part).fields().nth(MAX_SETTINGS) {
            Some(_) => Err(Trace::new(
                part.start(),
                format!("a layer has more than {MAX_SETTINGS} settings"),
            )),
            None => Ok(Self(part)),
        }
    }

    /// The last value of a field.
    fn last(self, number: u32) -> Result<Option<Payload<'a>>, Trace> {
        let mut found = None;
        for field in Message::from(self.0).fields() {
            let field = field?;
            if field.number == number {
                found = Some(field.payload);
            }
        }
        Ok(found)
    }

    /// A message.
    pub(super) fn message(self, number: u32) -> Result<Option<Self>, Trace> {
        Ok(match self.last(number)? {
            Some(Payload::Bytes(part)) => Some(Self(part)),
            _ => None,
        })
    }

    /// Messages of a repeated field.
    pub(super) fn messages(self, number: u32) -> Result<Vec<Self>, Trace> {
        let mut found = Vec::new();
        for field in Message::from(self.0).fields() {
            let field = field?;
            if let (true, Payload::Bytes(part)) = (field.number == number, field.payload) {
                found.push(Self(part));
            }
        }
        Ok(found)
    }

    /// The field that is given of several.
    pub(super) fn which(self, numbers: &[u32]) -> Result<Option<(u32, Self)>, Trace> {
        let mut found = None;
        for field in Message::from(self.0).fields() {
            let field = field?;
            if let (true, Payload::Bytes(part)) = (numbers.contains(&field.number), field.payload) {
                found = Some((field.number, Self(part)));
            }
        }
        Ok(found)
    }

    /// A whole number; zero where it is left out.
    pub(super) fn int(self, number: u32) -> Result<i64, Trace> {
        Ok(match self.last(number)? {
            Some(Payload::Varint(value)) => integer(value),
            _ => 0,
        })
    }

    /// A truth value.
    pub(super) fn flag(self, number: u32) -> Result<bool, Trace> {
        Ok(self.int(number)? != 0)
    }

    /// A number; zero where it is left out.
    pub(super) fn float(self, number: u32) -> Result<f32, Trace> {
        Ok(match self.last(number)? {
            Some(Payload::Fixed32(bits)) => f32::from_bits(bits),
            _ => 0.0,
        })
    }

    /// Whole numbers.
    pub(super) fn ints(self, number: u32) -> Result<Vec<i64>, Trace> {
        let mut values = Vec::new();
        for field in Message::from(self.0).fields() {
            let field = field?;
            if field.number == number {
                add_integers(field.payload, &mut values)?;
            }
        }
        Ok(values)
    }

    /// Numbers.
    pub(super) fn floats(self, number: u32) -> Result<Vec<f32>, Trace> {
        let mut values = Vec::new();
        for field in Message::from(self.0).fields() {
            let field = field?;
            if field.number == number {
                add_floats(field.payload, &mut values)?;
            }
        }
        Ok(values)
    }

    /// Whole numbers, or what they are where they are left out.
    pub(super) fn ints_or(self, number: u32, otherwise: &[i64]) -> Result<Vec<i64>, Trace> {
        let values = self.ints(number)?;
        Ok(if values.is_empty() { otherwise.to_vec() } else { values })
    }

    /// A text.
    pub(super) fn text(self, number: u32) -> Result<String, Trace> {
        Ok(match self.last(number)? {
            Some(Payload::Bytes(part)) => text(part),
            _ => String::new(),
        })
    }

    /// `WeightParams`: in one of several fields, perhaps quantized.
    fn stored(self) -> Result<Stored, Trace> {
        let mut stored =
            Stored { dtype: DType::Float32, data: Data::Absent, elements: None, affine: None };
        let (mut floats, mut float_bytes, mut raw, mut quantization) = (0_u64, 0_u64, None, None);
        for field in Message::from(self.0).fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => {
                    stored.data = Data::Raw(part.span());
                    floats += 1;
                    float_bytes += part.len();
                }
                (1, Payload::Fixed32(_)) => {
                    floats += 2;
                    float_bytes += 4;
                }
                (2, Payload::Bytes(part)) if !part.is_empty() => {
                    raw = Some((DType::Float16, part));
                }
                (30, Payload::Bytes(part)) if !part.is_empty() => {
                    raw = Some((DType::Uint8, part));
                }
                (31, Payload::Bytes(part)) if !part.is_empty() => {
                    raw = Some((DType::Int8, part));
                }
                (40, Payload::Bytes(part)) => quantization = Some(Self(part)),
                _ => {}
            }
        }
        if floats > 0 {
            stored.elements = Some(float_bytes / 4);
            // Numbers in several runs are not laid out as raw data is.
            if floats > 1 {
                stored.data = Data::Fields { bytes: float_bytes, elements: stored.elements };
            }
            return Ok(stored);
        }
        let Some((dtype, part)) = raw else { return Ok(stored) };
        stored.dtype = dtype;
        stored.data = Data::Raw(part.span());
        if let Some(quantization) = quantization.filter(|_| dtype == DType::Uint8) {
            stored.dtype = code_type(quantization.int(1)?);
            stored.affine = quantization.affine()?;
        } else if dtype == DType::Int8 {
            let affine = quantization.map(Self::affine).transpose()?.flatten();
            stored.affine = affine.or(Some(Affine { scales: 1, axis: None, is_symmetric: true }));
        }
        let bits = stored.dtype.bits().unwrap_or(8).max(1);
        stored.elements = part.len().checked_mul(8).map(|all| all / u64::from(bits));
        Ok(stored)
    }

    /// `LinearQuantizationParams` of `QuantizationParams`. A table of numbers is another thing.
    fn affine(self) -> Result<Option<Affine>, Trace> {
        let Some(linear) = self.message(101)? else { return Ok(None) };
        let (scales, biases) = (linear.floats(1)?, linear.floats(2)?);
        Ok(Some(Affine {
            scales: scales.len() as u64,
            axis: (scales.len() > 1).then_some(0),
            is_symmetric: biases.iter().all(|bias| *bias == 0.0),
        }))
    }
}

/// The type of codes of this many bits.
fn code_type(bits: i64) -> DType {
    match bits {
        1 => DType::Block(BlockFormat::Uint1),
        2 => DType::Uint2,
        3 => DType::Block(BlockFormat::Uint3),
        4 => DType::Uint4,
        6 => DType::Block(BlockFormat::Uint6),
        8 => DType::Uint8,
        _ => DType::Undefined,
    }
}

impl Layer<'_> {
    /// A name for weights. Layers may have the same name, or none.
    fn weight_name(&self, assembly: &mut Assembly<'_>, role: &str) -> NameId {
        let name = format!("{}.{role}", self.name);
        match assembly.builder.names.find(&name) {
            Some(_) => assembly.new_name(&name),
            None => assembly.name(&name),
        }
    }

    /// Adds weights that are a message of their own.
    pub(super) fn whole_weights(
        &self,
        assembly: &mut Assembly<'_>,
        weights: Settings<'_>,
        role: &str,
    ) -> Result<NameId, Trace> {
        let name = self.weight_name(assembly, role);
        let stored = weights.stored()?;
        let count = i64::try_from(stored.elements.unwrap_or(0)).unwrap_or(i64::MAX);
        assembly.add_stored(name, stored.dtype, &[count], stored.data)?;
        Ok(name)
    }

    /// Adds the value that the layer holds; whether there is one.
    pub(super) fn held(
        &self,
        assembly: &mut Assembly<'_>,
        settings: Settings<'_>,
        number: u32,
        name: NameId,
        dims: &[i64],
    ) -> Result<bool, Trace> {
        let Some(weights) = settings.message(number)? else { return Ok(false) };
        let stored = weights.stored()?;
        assembly.add_stored(name, stored.dtype, dims, stored.data)?;
        Ok(true)
    }
}
