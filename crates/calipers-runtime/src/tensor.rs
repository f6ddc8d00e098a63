//! Tensors that are passed to a runtime and returned by it.

use calipers_ir::DType;
use half::{bf16, f16};

use crate::Error;

/// A dense tensor in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    shape: Vec<usize>,
    elements: Elements,
}

macro_rules! elements {
    ($($name:ident($type:ty) = $dtype:ident, $doc:literal;)*) => {
        /// The elements of a tensor, in row-major order.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Elements {
            $(#[doc = $doc] $name(Vec<$type>),)*
        }

        impl Elements {
            /// The number of elements.
            pub fn len(&self) -> usize {
                match self { $(Self::$name(all) => all.len(),)* }
            }

            /// Whether there are none.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// The type of the elements.
            pub fn dtype(&self) -> DType {
                match self { $(Self::$name(_) => DType::$dtype,)* }
            }
        }

        $(impl From<Vec<$type>> for Elements {
            fn from(all: Vec<$type>) -> Self {
                Self::$name(all)
            }
        })*
    };
}

elements! {
    F32(f32) = Float32, "32-bit floats.";
    F64(f64) = Float64, "64-bit floats.";
    F16(f16) = Float16, "16-bit floats.";
    Bf16(bf16) = Bfloat16, "16-bit floats with the range of 32.";
    I8(i8) = Int8, "8-bit integers.";
    U8(u8) = Uint8, "8-bit unsigned integers.";
    I16(i16) = Int16, "16-bit integers.";
    U16(u16) = Uint16, "16-bit unsigned integers.";
    I32(i32) = Int32, "32-bit integers.";
    U32(u32) = Uint32, "32-bit unsigned integers.";
    I64(i64) = Int64, "64-bit integers.";
    U64(u64) = Uint64, "64-bit unsigned integers.";
    Bool(bool) = Bool, "Truth values.";
    Text(String) = String, "Texts.";
}

impl Tensor {
    /// Returns a tensor of a shape.
    ///
    /// # Errors
    ///
    /// [`Error::Elements`] if the shape has another number of elements.
    pub fn new(shape: Vec<usize>, elements: impl Into<Elements>) -> Result<Self, Error> {
        let elements = elements.into();
        let wanted = shape.iter().try_fold(1_usize, |product, size| product.checked_mul(*size));
        if wanted != Some(elements.len()) {
            return Err(Error::Elements { shape, elements: elements.len() });
        }
        Ok(Self { shape, elements })
    }

    /// The sizes of its dimensions.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Its elements.
    pub fn elements(&self) -> &Elements {
        &self.elements
    }

    /// The type of its elements.
    pub fn dtype(&self) -> DType {
        self.elements.dtype()
    }

    /// Its elements as 32-bit floats; `None` for texts.
    pub fn to_f32(&self) -> Option<Vec<f32>> {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            reason = "asked for"
        )]
        Some(match &self.elements {
            Elements::F32(all) => all.clone(),
            Elements::F64(all) => all.iter().map(|x| *x as f32).collect(),
            Elements::F16(all) => all.iter().map(|x| x.to_f32()).collect(),
            Elements::Bf16(all) => all.iter().map(|x| x.to_f32()).collect(),
            Elements::I8(all) => all.iter().map(|x| f32::from(*x)).collect(),
            Elements::U8(all) => all.iter().map(|x| f32::from(*x)).collect(),
            Elements::I16(all) => all.iter().map(|x| f32::from(*x)).collect(),
            Elements::U16(all) => all.iter().map(|x| f32::from(*x)).collect(),
            Elements::I32(all) => all.iter().map(|x| *x as f32).collect(),
            Elements::U32(all) => all.iter().map(|x| *x as f32).collect(),
            Elements::I64(all) => all.iter().map(|x| *x as f32).collect(),
            Elements::U64(all) => all.iter().map(|x| *x as f32).collect(),
            Elements::Bool(all) => all.iter().map(|x| f32::from(u8::from(*x))).collect(),
            Elements::Text(_) => return None,
        })
    }

    /// Returns floats as a tensor of a type, rounded as casts do; `None` where the type cannot be
    /// held.
    pub fn from_f32(shape: Vec<usize>, values: Vec<f32>, dtype: DType) -> Option<Self> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "casts saturate"
        )]
        let elements = match dtype {
            DType::Float32 => Elements::F32(values),
            DType::Float64 => Elements::F64(values.into_iter().map(f64::from).collect()),
            DType::Float16 => Elements::F16(values.into_iter().map(f16::from_f32).collect()),
            DType::Bfloat16 => Elements::Bf16(values.into_iter().map(bf16::from_f32).collect()),
            DType::Int8 => Elements::I8(values.into_iter().map(|x| x as i8).collect()),
            DType::Uint8 => Elements::U8(values.into_iter().map(|x| x as u8).collect()),
            DType::Int16 => Elements::I16(values.into_iter().map(|x| x as i16).collect()),
            DType::Uint16 => Elements::U16(values.into_iter().map(|x| x as u16).collect()),
            DType::Int32 => Elements::I32(values.into_iter().map(|x| x as i32).collect()),
            DType::Uint32 => Elements::U32(values.into_iter().map(|x| x as u32).collect()),
            DType::Int64 => Elements::I64(values.into_iter().map(|x| x as i64).collect()),
            DType::Uint64 => Elements::U64(values.into_iter().map(|x| x as u64).collect()),
            DType::Bool => Elements::Bool(values.into_iter().map(|x| x != 0.0).collect()),
            _ => return None,
        };
        Self::new(shape, elements).ok()
    }
}
