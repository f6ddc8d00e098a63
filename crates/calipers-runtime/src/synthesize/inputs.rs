//! Inputs that a model can run on.

use calipers_infer::Typed;
use calipers_infer::inputs::{InputKind, layout};
use calipers_ir::{AttributeValue, DType, Model, NodeId, ValueId};
use calipers_ops::{Class, Fact, Movement, canonical_domain, find};
use hashbrown::HashSet;

use super::random::Random;
use crate::{Elements, Error, Tensor};

/// Nodes that are followed from an input to the tables that it indexes.
const MAX_STEPS: usize = 4096;

/// Elements of one input; a larger one is an error, not a wish for memory.
const MOST_ELEMENTS: usize = 1 << 30;

/// Sampling rate of made-up sounds, in hertz.
const SAMPLING_RATE: i64 = 16_000;

/// Returns a tensor for every input, by name. Facts of the inputs must have fixed sizes.
///
/// Tokens are below the sizes of the tables that they index, masks are ones, positions count from
/// 0, images are noise between 0 and 1, sounds are quiet noise.
///
/// # Errors
///
/// [`Error::Request`] if a size is not known or too large, [`Error::Type`] if an input is not a
/// tensor.
pub fn inputs(model: &Model, typed: &Typed) -> Result<Vec<(String, Tensor)>, Error> {
    let mut made = Vec::new();
    for (number, input) in model.required_inputs().into_iter().enumerate() {
        let name = model.name(model.value(input).name).to_owned();
        let Fact::Tensor(fact) = typed.fact(input) else {
            return Err(Error::Type(name, "sequence, map or optional".to_owned()));
        };
        let dims = fact.dims().unwrap_or_default();
        if fact.shape.is_err() {
            return Err(Error::Request(format!(
                "the shape of input `{name}` is not known; set it with --input {name}=1x3x224x224"
            )));
        }
        let mut shape = Vec::with_capacity(dims.len());
        for dim in dims {
            let size = dim.as_const().and_then(|size| usize::try_from(size).ok());
            let Some(size) = size else {
                return Err(Error::Request(format!(
                    "dimension {dim} of input `{name}` is not known; set it with --dim {dim}=N"
                )));
            };
            shape.push(size);
        }
        let elements = shape.iter().try_fold(1_usize, |product, size| product.checked_mul(*size));
        let Some(elements) = elements.filter(|elements| *elements <= MOST_ELEMENTS) else {
            return Err(Error::Request(format!("input `{name}` of shape {shape:?} is too large")));
        };
        let wanted = Wanted { model, typed, input, dtype: fact.dtype, shape, elements };
        made.push((name, wanted.tensor(&mut Random::new(number as u64 + 1))?));
    }
    Ok(made)
}

struct Wanted<'a> {
    model: &'a Model,
    typed: &'a Typed,
    input: ValueId,
    dtype: DType,
    shape: Vec<usize>,
    elements: usize,
}

/// What the elements of an integer input mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Integers {
    /// Rows of a table with this many.
    Index(u64),
    /// 0, 1, 2, … along the last axis.
    Positions,
    /// The sampling rate.
    SamplingRate,
    /// Zeros: segments of a text, say.
    Zeros,
    /// Bytes of an image.
    Bytes,
    /// Ones: masks, lengths, counts.
    Ones,
}

impl Wanted<'_> {
    fn tensor(self, random: &mut Random) -> Result<Tensor, Error> {
        let elements = match self.dtype {
            DType::String => Elements::Text(vec!["a small text".to_owned(); self.elements]),
            DType::Bool => Elements::Bool(vec![true; self.elements]),
            dtype if dtype.is_float() => return self.floats(random),
            _ => {
                let meaning = self.integers();
                let last = self.shape.last().copied().unwrap_or(1).max(1);
                let values = (0..self.elements).map(|place| match meaning {
                    Integers::Index(limit) => i64::try_from(random.below(limit)).unwrap_or(0),
                    Integers::Positions => i64::try_from(place % last).unwrap_or(0),
                    Integers::SamplingRate => SAMPLING_RATE,
                    Integers::Zeros => 0,
                    Integers::Bytes => i64::try_from(random.below(256)).unwrap_or(0),
                    Integers::Ones => 1,
                });
                return self.integer_tensor(&values.collect::<Vec<i64>>());
            }
        };
        Tensor::new(self.shape, elements)
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "values are small")]
    fn integer_tensor(self, values: &[i64]) -> Result<Tensor, Error> {
        let elements = match self.dtype {
            DType::Int64 => Elements::I64(values.to_vec()),
            DType::Int32 => Elements::I32(values.iter().map(|x| *x as i32).collect()),
            DType::Int16 => Elements::I16(values.iter().map(|x| *x as i16).collect()),
            DType::Int8 => Elements::I8(values.iter().map(|x| *x as i8).collect()),
            DType::Uint64 => Elements::U64(values.iter().map(|x| *x as u64).collect()),
            DType::Uint32 => Elements::U32(values.iter().map(|x| *x as u32).collect()),
            DType::Uint16 => Elements::U16(values.iter().map(|x| *x as u16).collect()),
            DType::Uint8 => Elements::U8(values.iter().map(|x| *x as u8).collect()),
            dtype => {
                let name = self.model.name(self.model.value(self.input).name);
                return Err(Error::Type(name.to_owned(), dtype.to_string()));
            }
        };
        Tensor::new(self.shape, elements)
    }

    fn is_named(&self, words: &'static [&'static str]) -> bool {
        let hint = self.model.hint(self.model.value(self.input).name);
        hint.judge(|name| {
            let name = name.to_lowercase();
            words.iter().any(|word| name.contains(word))
        })
    }

    fn floats(self, random: &mut Random) -> Result<Tensor, Error> {
        let sizes: Vec<Option<i64>> =
            self.shape.iter().map(|size| i64::try_from(*size).ok()).collect();
        let kind = layout(self.model, self.input, self.dtype, &sizes).kind;
        let is_mask = self.is_named(&["mask"]);
        let values = (0..self.elements).map(|_| match kind {
            _ if is_mask => 1.0,
            InputKind::Image | InputKind::TextLine | InputKind::Video => random.uniform(),
            InputKind::Waveform => 0.05 * random.normal(),
            // A threshold or a rate rather than a vector.
            _ if self.elements == 1 => 0.1 + 0.8 * random.uniform(),
            _ => random.normal(),
        });
        let values = values.collect();
        let name = self.model.name(self.model.value(self.input).name).to_owned();
        let dtype = self.dtype;
        Tensor::from_f32(self.shape, values, dtype)
            .ok_or_else(|| Error::Type(name, dtype.to_string()))
    }

    fn integers(&self) -> Integers {
        let rows = self.indexed_rows();
        let is_scalar = self.elements == 1;
        match () {
            () if self.is_named(&["mask"]) => Integers::Ones,
            () if self.is_named(&["position"]) => match rows {
                Some(rows) if rows < self.shape.last().copied().unwrap_or(1) as u64 => {
                    Integers::Zeros
                }
                _ => Integers::Positions,
            },
            () if let Some(rows) = rows => Integers::Index(rows),
            () if is_scalar && self.is_named(&["sr", "sample_rate", "sampling_rate"]) => {
                Integers::SamplingRate
            }
            () if self.is_named(&["token_type", "segment"]) => Integers::Zeros,
            () if self.dtype == DType::Uint8 && self.shape.len() >= 3 => Integers::Bytes,
            () => Integers::Ones,
        }
    }

    /// Rows of the smallest table that the input indexes, behind casts, views and arithmetic.
    fn indexed_rows(&self) -> Option<u64> {
        let model = self.model;
        let mut next = vec![(self.input, true)];
        let mut seen: HashSet<ValueId> = HashSet::new();
        let (mut steps, mut rows) = (0, None::<u64>);
        while let Some((value, is_same)) = next.pop() {
            if !seen.insert(value) {
                continue;
            }
            for reader in model.consumers(value) {
                steps += 1;
                if steps > MAX_STEPS {
                    return rows;
                }
                let node = model.node(reader.node);
                let op = model.name(node.op);
                let row = find(canonical_domain(model.name(node.domain)), op);
                let Some(row) = row else { continue };
                let slot = reader.slot as usize;
                if let Some(found) = self.table_rows(reader.node, row.traits.movement, slot) {
                    // After arithmetic, only 0 is surely a row of the table.
                    let found = if is_same { found } else { 1 };
                    rows = Some(rows.map_or(found, |known| known.min(found)));
                    continue;
                }
                let keeps = match row.traits.class {
                    Class::View => slot == 0,
                    Class::Movement => slot == 0 || row.traits.movement == Some(Movement::Join),
                    Class::Elementwise if matches!(op, "Add" | "Sub" | "Mul" | "Max" | "Min") => {
                        next.extend(outputs(model, reader.node).map(|output| (output, false)));
                        false
                    }
                    Class::Elementwise if matches!(op, "Clip" | "Where" | "Mod") => true,
                    _ => op == "Cast" || op == "Identity",
                };
                if keeps {
                    next.extend(outputs(model, reader.node).map(|output| (output, is_same)));
                }
            }
        }
        rows
    }

    /// Rows of the table that a node looks up with this operand.
    fn table_rows(&self, node: NodeId, movement: Option<Movement>, slot: usize) -> Option<u64> {
        let model = self.model;
        let op = model.name(model.node(node).op);
        let operand = |slot: usize| model.inputs(node).get(slot).copied().flatten();
        let size = |value: ValueId, axis: i64| {
            let dims = self.typed.fact(value).as_tensor()?.dims()?;
            let axis = if axis < 0 { axis + i64::try_from(dims.len()).ok()? } else { axis };
            u64::try_from(dims.get(usize::try_from(axis).ok()?)?.as_const()?).ok()
        };
        let axis = match model.attribute(node, "axis") {
            Some(AttributeValue::Int(axis)) => *axis,
            _ => 0,
        };
        let is_scatter = op.starts_with("Scatter");
        let rows = match (op, slot) {
            ("EmbedLayerNormalization", 0 | 1) => size(operand(slot + 2)?, 0),
            ("GatherND" | "ScatterND", 1) => size(operand(0)?, 0),
            ("OneHot", 0) => Some(1),
            _ if slot == 1 && (movement == Some(Movement::Gather) || is_scatter) => {
                size(operand(0)?, axis)
            }
            _ => return None,
        };
        Some(rows.unwrap_or(1).max(1))
    }
}

fn outputs(model: &Model, node: NodeId) -> impl Iterator<Item = ValueId> {
    model.outputs(node).iter().flatten().copied()
}
