//! What an operator is given: the tensors that it refers to, and the numbers of small constants.

use calipers_ir::{DType, Decoder, NameId, Source, Span, StoredIn, Tensor, TypeId};

use crate::elements::StoredElements;
use crate::error::Trace;
use crate::flatbuffer::Table;

/// Elements of constants that are read.
const MAX_READ: u64 = 64;

/// A tensor of a subgraph.
pub(super) struct Operand<'a> {
    pub(super) name: NameId,
    pub(super) dtype: DType,
    /// The dimensions that the file stores; -1 for one that is open.
    pub(super) dims: Vec<i64>,
    /// Its type, where it is not stored.
    pub(super) ty: Option<TypeId>,
    /// Whether the file stores its elements.
    pub(super) is_stored: bool,
    /// Whether it keeps its elements from one run to the next.
    pub(super) is_variable: bool,
    /// Where the elements are that can be read.
    pub(super) stored_at: Span,
    pub(super) quantization: Option<Quantization<'a>>,
}

/// `QuantizationParameters` of a tensor.
#[derive(Clone, Copy)]
pub(super) struct Quantization<'a> {
    pub(super) table: Table<'a>,
    /// How many scales there are.
    pub(super) scales: u64,
    /// The dimension that they belong to.
    pub(super) axis: u32,
}

impl Quantization<'_> {
    /// Its scales.
    pub(super) fn scales(&self) -> Result<Vec<f32>, Trace> {
        let bits = self.table.vector(2, 4)?.i32s()?;
        Ok(bits.map(|bits| f32::from_bits(bits.cast_unsigned())).collect())
    }

    /// Its zero points.
    pub(super) fn zero_points(&self) -> Result<Vec<i64>, Trace> {
        Ok(self.table.vector(3, 8)?.i64s()?.collect())
    }
}

/// An operator, before it is a node.
pub(super) struct Op<'t, 'a> {
    /// Its name: of the table of builtin operators, or the one that the file gives it.
    pub(super) name: &'t str,
    pub(super) is_custom: bool,
    pub(super) options: Option<Table<'a>>,
    pub(super) more_options: Option<Table<'a>>,
    pub(super) custom_options: &'a [u8],
    pub(super) tensors: &'t [Operand<'a>],
    /// Places of its inputs among the tensors; `None` for those left out.
    pub(super) inputs: Vec<Option<usize>>,
    pub(super) outputs: Vec<Option<usize>>,
    pub(super) source: &'t Source,
}

macro_rules! options {
    ($($(#[$meta:meta])+ $name:ident: $type:ty;)+) => {
        $(
            $(#[$meta])+
            pub(super) fn $name(&self, field: u16, default: $type) -> Result<$type, Trace> {
                self.options.map_or(Ok(default), |options| options.$name(field, default))
            }
        )+
    };
}

impl<'a> Op<'_, 'a> {
    options! {
        /// An option of 8 bits.
        i8: i8;
        /// An option of 32 bits.
        i32: i32;
        /// An option that is a number.
        f32: f32;
    }

    /// An option that is a whole number.
    pub(super) fn int(&self, field: u16, default: i32) -> Result<i64, Trace> {
        self.i32(field, default).map(i64::from)
    }

    /// An option that is a truth value.
    pub(super) fn flag(&self, field: u16) -> Result<bool, Trace> {
        self.options.map_or(Ok(false), |options| options.bool(field))
    }

    /// An input, unless it is left out.
    pub(super) fn input(&self, place: usize) -> Option<&Operand<'a>> {
        self.inputs.get(place).copied().flatten().and_then(|index| self.tensors.get(index))
    }

    /// An output.
    pub(super) fn output(&self, place: usize) -> Option<&Operand<'a>> {
        self.outputs.get(place).copied().flatten().and_then(|index| self.tensors.get(index))
    }

    /// How many dimensions an input has.
    pub(super) fn rank(&self, place: usize) -> usize {
        self.input(place).map_or(0, |operand| operand.dims.len())
    }

    /// A dimension that the file stores of an input.
    pub(super) fn dim(&self, place: usize, axis: usize) -> Option<i64> {
        self.input(place)?.dims.get(axis).copied()
    }

    /// The whole numbers that the file stores for an input, where they are few.
    pub(super) fn integers(&self, place: usize) -> Option<Vec<i64>> {
        let operand = self.input(place)?;
        StoredElements.integers(self.source, &operand.as_tensor()?, MAX_READ).ok()
    }

    /// The only whole number that the file stores for an input.
    pub(super) fn integer(&self, place: usize) -> Option<i64> {
        match self.integers(place)?.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// The only number that the file stores for an input.
    #[expect(clippy::cast_possible_truncation, reason = "single precision is what it was")]
    pub(super) fn number(&self, place: usize) -> Option<f32> {
        let tensor = self.input(place)?.as_tensor()?;
        match StoredElements.floats(self.source, &tensor, 1) {
            Ok(numbers) => numbers.first().map(|number| *number as f32),
            // Numbers beyond 16 bits are no values of a mask.
            Err(_) => i16::try_from(self.integer(place)?).ok().map(f32::from),
        }
    }
}

impl Operand<'_> {
    /// The stored tensor, where its elements can be read.
    fn as_tensor(&self) -> Option<Tensor> {
        (self.is_stored && (!self.stored_at.is_empty() || self.dims.contains(&0))).then(|| Tensor {
            name: self.name,
            dtype: self.dtype,
            dims: self.dims.as_slice().into(),
            data: calipers_ir::Data::Raw(self.stored_at),
            described_at: self.stored_at,
            stored_in: StoredIn::Initializer,
            segment: None,
        })
    }
}
