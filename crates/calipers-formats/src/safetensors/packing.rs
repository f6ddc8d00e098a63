//! What each stored tensor is, and how many numbers it holds where they are packed into words.
//!
//! Names and shapes decide, since quantized weights are stored with their scales next to them: the
//! shapes of both give the bits of a weight. A description is asked where they do not.

use std::collections::{HashMap, HashSet};

use calipers_ir::{DType, ModelBuilder, NameId, StoredWeight, Tensor, TensorId, WeightRole};

use super::configs::Configs;
use super::scheme::Scheme;
use super::set::by_name;
use crate::roles::role_of;

/// Sides of weights that are quantized in ways which reuse common names: the weight's own name, and
/// those of its sides.
const SIDES: &[(&str, &[&str])] = &[
    // MLX.
    ("scales", &["biases"]),
    // ExLlamaV2.
    ("q_weight", &["q_scale", "q_scale_max", "q_groups", "q_group_map", "q_perm", "q_invperm"]),
    // ExLlamaV3.
    ("trellis", &["suh", "svh", "su", "sv", "mcg", "mul1"]),
    // AQLM.
    ("codes", &["codebooks"]),
    // HQQ.
    ("W_q", &["scale", "zero", "nbits", "group_size", "shape", "axis", "packing", "channel_wise"]),
    // Quanto.
    ("_data", &["_scale", "_shift"]),
    // Floats of 4 and 8 bits with a scale for each block.
    ("weight", &["scale"]),
];

/// What the tensors of a model are.
pub(super) fn weights(
    builder: &ModelBuilder,
    stored: &[TensorId],
    configs: &Configs,
) -> Vec<StoredWeight> {
    let tensors = Tensors::new(builder, stored, configs);
    stored.iter().filter_map(|id| tensors.weight(*id)).collect()
}

/// The tensors of a model by name.
struct Tensors<'a> {
    builder: &'a ModelBuilder,
    by_name: HashMap<NameId, TensorId>,
    scheme: Scheme<'a>,
    /// Weights of bitsandbytes with 4 bits.
    four_bit: HashSet<&'a str>,
}

impl<'a> Tensors<'a> {
    fn new(builder: &'a ModelBuilder, stored: &[TensorId], configs: &'a Configs) -> Self {
        let names = stored.iter().map(|id| builder.names.get(builder.tensor(*id).name));
        let state = |name: &'a str| name.split_once(".quant_state.bitsandbytes__");
        let four_bit = names.filter_map(|name| state(name).map(|(weight, _)| weight)).collect();
        let scheme = Scheme::new(configs.quantization());
        Self { builder, by_name: by_name(builder, stored), scheme, four_bit }
    }

    fn find(&self, name: &str) -> Option<&'a Tensor> {
        let id = self.by_name.get(&self.builder.names.find(name)?)?;
        Some(self.builder.tensor(*id))
    }

    fn weight(&self, id: TensorId) -> Option<StoredWeight> {
        let tensor = self.builder.tensor(id);
        let name = self.builder.names.get(tensor.name);
        // A shape that no tensor can have was noted where it was read.
        let stored = tensor.elements().ok()?;
        let role = match role_of(name, tensor.dtype, &tensor.dims) {
            WeightRole::Weight | WeightRole::Constant if self.is_side(name, tensor) => {
                WeightRole::Quantization
            }
            role => role,
        };
        let packed = match role {
            WeightRole::Weight => self.unpacked(name, tensor, stored),
            _ => None,
        };
        let (elements, dtype) = packed.unwrap_or((stored, tensor.dtype));
        Some(StoredWeight { tensor: id, role, elements, dtype })
    }

    /// Whether a tensor belongs to the quantized weight next to it.
    fn is_side(&self, name: &str, tensor: &Tensor) -> bool {
        if tensor.dtype == DType::Float8E8M0 {
            return true;
        }
        let (path, last) = split(name);
        let has = |sibling: &str| self.find(&join(path, sibling));
        let is_scalar = matches!(&*tensor.dims, [] | [1]);
        if is_scalar && last.ends_with("_scale") && last != "logit_scale" {
            return !self.scheme.method.is_empty();
        }
        SIDES.iter().filter(|(_, sides)| sides.contains(&last)).any(|(weight, _)| {
            match (*weight, has(weight)) {
                (_, None) => false,
                // Layers of normalization have a weight and a scale too.
                ("weight", Some(weight)) => is_narrow(weight.dtype),
                ("scales", Some(_)) => has("weight").is_some_and(|it| it.dtype == DType::Uint32),
                _ => true,
            }
        })
    }

    /// The numbers that a packed weight holds, and their type; `None` where they are not packed.
    fn unpacked(&self, name: &str, tensor: &Tensor, stored: u64) -> Option<(u64, DType)> {
        use DType::{Int16, Int32, Uint8, Uint32};
        if !self.four_bit.is_empty() && self.four_bit.contains(name) {
            // Pairs in bytes, whatever type the bytes are stored as.
            return Some((tensor.bytes()?.checked_mul(2)?, DType::Uint4));
        }
        let (path, last) = split(name);
        let dims = &*tensor.dims;
        let next = |sibling: &str| self.find(&join(path, sibling));
        match (last, tensor.dtype) {
            ("qweight", Int32 | Uint32) => {
                let bits = self.bits_by_zeros(next("qzeros"), next("scales"));
                let bits = bits.or_else(|| self.scheme.bits_of(path, None, &[]))?;
                Some((in_words(stored, bits)?, unsigned(bits)))
            }
            ("weight_packed", Int32) => {
                let product = product(dims, next("weight_scale"));
                let bits = self.scheme.bits_of(path, product, &[128, 64, 32])?;
                Some((in_words(stored, bits)?, unsigned(bits).signed()))
            }
            ("weight_packed", Uint8) => pairs(stored),
            ("weight", Uint32) => {
                let scales = next("scales")?;
                let product = product(dims, Some(scales));
                // Powers of two in bytes are the scales of MXFP4 and MXFP8, small floats of NVFP4.
                if matches!(scales.dtype, Uint8 | DType::Float8E8M0 | DType::Float8E4M3Fn) {
                    let bits = self.scheme.bits_of(path, product, &[32, 16])?;
                    let dtype = if bits == 4 { DType::Float4E2M1 } else { DType::Float8E4M3Fn };
                    return Some((in_words(stored, bits)?, dtype));
                }
                let bits = self.scheme.bits_of(path, product, &[64, 32, 128])?;
                Some((in_words(stored, bits)?, unsigned(bits)))
            }
            ("weight", Uint8)
                if self.scheme.method == "bitnet" && next("weight_scale").is_some() =>
            {
                Some((stored.checked_mul(4)?, DType::Int2))
            }
            ("weight", Uint8 | DType::Int8) => {
                let scale = next("weight_scale").or_else(|| next("scale"))?;
                if is_scale_of_pairs(dims, scale) { pairs(stored) } else { None }
            }
            ("q_weight", Int32) => {
                let rows = next("q_invperm").or_else(|| next("q_perm"))?.elements().ok()?;
                let elements = rows.checked_mul(u64::try_from(*dims.last()?).ok()?)?;
                Some((elements, unsigned(stored.checked_mul(32)?.checked_div(elements)?)))
            }
            ("trellis", Int16) => match dims {
                [rows, columns, parts] => {
                    let tiles = u64::try_from(rows.checked_mul(*columns)?).ok()?;
                    // A tile is 16 × 16 weights.
                    let bits = u64::try_from(*parts).ok()? / 16;
                    Some((tiles.checked_mul(256)?, unsigned(bits)))
                }
                _ => None,
            },
            ("codes", _) => match (dims, &*next("codebooks")?.dims) {
                ([rows, columns, ..], [_, _, outputs, inputs]) => {
                    let all = [rows, columns, outputs, inputs].into_iter();
                    let elements = all.copied().try_fold(1_i64, i64::checked_mul)?;
                    Some((u64::try_from(elements).ok()?, tensor.dtype))
                }
                _ => None,
            },
            ("W_q", Uint8) => {
                let bits = self.scheme.bits_of(path, None, &[]).filter(|bits| 8 % bits == 0)?;
                Some((stored.checked_mul(8 / bits)?, unsigned(bits)))
            }
            (_, Uint8) => {
                let weight = last.strip_suffix("_blocks")?;
                next(&format!("{weight}_scales"))?;
                pairs(stored)
            }
            _ => None,
        }
    }

    /// The bits of GPTQ and AWQ: zero points are packed as the weights are, and each has a scale.
    fn bits_by_zeros(&self, zeros: Option<&Tensor>, scales: Option<&Tensor>) -> Option<u64> {
        let words = zeros?.elements().ok()?.checked_mul(32)?;
        let scales = scales?.elements().ok().filter(|scales| *scales > 0)?;
        let bits = words.checked_div(scales)?;
        (words % scales == 0 && (1..=8).contains(&bits)).then_some(bits)
    }
}

/// The path of a layer, and the last part of a name.
fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or(("", name))
}

fn join(path: &str, last: &str) -> String {
    if path.is_empty() { last.to_owned() } else { format!("{path}.{last}") }
}

/// Numbers of this many bits in words of 32.
fn in_words(count: u64, bits: u64) -> Option<u64> {
    count.checked_mul(32)?.checked_div(bits)
}

/// Pairs of floats of 4 bits in bytes.
fn pairs(bytes: u64) -> Option<(u64, DType)> {
    Some((bytes.checked_mul(2)?, DType::Float4E2M1))
}

/// The narrowest type for numbers of this many bits.
fn unsigned(bits: u64) -> DType {
    match bits {
        0..=2 => DType::Uint2,
        3 | 4 => DType::Uint4,
        _ => DType::Uint8,
    }
}

/// Bits of a weight times the weights that share a scale: bits in a row by scales of the row.
fn product(dims: &[i64], scales: Option<&Tensor>) -> Option<u64> {
    let columns = u64::try_from(*dims.last()?).ok()?;
    let scales = u64::try_from(*scales?.dims.last()?).ok().filter(|scales| *scales > 0)?;
    let bits = columns.checked_mul(32)?;
    (bits % scales == 0).then_some(bits / scales)
}

fn is_narrow(dtype: DType) -> bool {
    matches!(dtype, DType::Uint8 | DType::Int8 | DType::Float8E4M3Fn | DType::Float8E5M2)
}

/// Whether each scale is of 16 or 32 numbers, if a byte holds two: blocks of NVFP4 and MXFP4.
fn is_scale_of_pairs(dims: &[i64], scale: &Tensor) -> bool {
    let ([rows @ .., columns], [scale_rows @ .., scales]) = (dims, &*scale.dims) else {
        return false;
    };
    let numbers = columns.checked_mul(2).filter(|_| *scales > 0 && rows == scale_rows);
    numbers.is_some_and(|numbers| numbers % scales == 0 && [16, 32].contains(&(numbers / scales)))
}
