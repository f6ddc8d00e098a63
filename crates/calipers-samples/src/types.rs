//! Data types of elements, and the types that a value can have.

use crate::wire::Message;

/// Data type of a tensor's elements; the number is ONNX's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum DataType {
    F32 = 1,
    U8 = 2,
    I8 = 3,
    U16 = 4,
    I16 = 5,
    I32 = 6,
    I64 = 7,
    String = 8,
    Bool = 9,
    F16 = 10,
    F64 = 11,
    U32 = 12,
    U64 = 13,
    Complex64 = 14,
    Complex128 = 15,
    Bf16 = 16,
    F8E4M3FN = 17,
    F8E4M3FNUZ = 18,
    F8E5M2 = 19,
    F8E5M2FNUZ = 20,
    U4 = 21,
    I4 = 22,
    F4E2M1 = 23,
    F8E8M0 = 24,
    U2 = 25,
    I2 = 26,
}

impl DataType {
    /// ONNX's number for it, as a `Cast` node's `to` takes it.
    pub fn code(self) -> i64 {
        i64::from(self as u8)
    }
}

/// Type of a graph's input, output or intermediate value (`TypeProto`).
///
/// ```
/// use calipers_samples::{DataType::F32, Type};
///
/// let boxes = Type::sequence(&Type::tensor(F32, &["boxes", "4"]));
/// let maybe = Type::optional(&boxes);
/// assert_ne!(boxes, maybe);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type(Message);

impl Type {
    /// A tensor. A dimension is a size (`"28"`), a name (`"batch"`), or open (`"?"`).
    pub fn tensor(dtype: DataType, shape: &[&str]) -> Self {
        Self::wrap(1, &tensor_body(dtype, Some(shape)))
    }

    /// A tensor of unknown rank.
    pub fn unranked(dtype: DataType) -> Self {
        Self::wrap(1, &tensor_body(dtype, None))
    }

    /// A sparse tensor; dimensions as for [`Type::tensor`].
    pub fn sparse_tensor(dtype: DataType, shape: &[&str]) -> Self {
        Self::wrap(8, &tensor_body(dtype, Some(shape)))
    }

    /// A sequence of values of one type.
    pub fn sequence(element: &Self) -> Self {
        let mut body = Message::new();
        body.message(1, &element.0);
        Self::wrap(4, &body)
    }

    /// A value that may be absent.
    pub fn optional(element: &Self) -> Self {
        let mut body = Message::new();
        body.message(1, &element.0);
        Self::wrap(9, &body)
    }

    /// A map; ONNX allows whole numbers and strings as keys.
    pub fn map(key: DataType, value: &Self) -> Self {
        let mut body = Message::new();
        body.int(1, key.code()).message(2, &value.0);
        Self::wrap(5, &body)
    }

    pub(crate) fn message(&self) -> &Message {
        &self.0
    }

    fn wrap(field: u32, body: &Message) -> Self {
        let mut message = Message::new();
        message.message(field, body);
        Self(message)
    }
}

fn tensor_body(dtype: DataType, shape: Option<&[&str]>) -> Message {
    let mut body = Message::new();
    body.int(1, dtype.code());
    if let Some(shape) = shape {
        let mut dims = Message::new();
        for &dim in shape {
            dims.message(1, &dimension(dim));
        }
        body.message(2, &dims);
    }
    body
}

fn dimension(text: &str) -> Message {
    let mut dim = Message::new();
    match (text, text.parse()) {
        ("?", _) => {}
        (_, Ok(size)) => {
            dim.int(1, size);
        }
        (name, Err(_)) => {
            dim.string(2, name);
        }
    }
    dim
}

/// A value's name with its type (`ValueInfoProto`).
pub(crate) fn value_info(name: &str, ty: &Type) -> Message {
    let mut message = Message::new();
    message.string(1, name).message(2, ty.message());
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dimension_is_a_size_a_name_or_open() {
        assert_eq!(dimension("28").as_bytes(), [0x08, 28]);
        assert_eq!(dimension("batch").as_bytes(), b"\x12\x05batch");
        assert_eq!(dimension("?").as_bytes(), b"");
    }

    #[test]
    fn a_scalar_has_an_empty_shape_and_an_unranked_tensor_none() {
        assert_eq!(Type::tensor(DataType::F32, &[]).0.as_bytes(), [0x0a, 4, 0x08, 1, 0x12, 0]);
        assert_eq!(Type::unranked(DataType::F32).0.as_bytes(), [0x0a, 2, 0x08, 1]);
    }
}
