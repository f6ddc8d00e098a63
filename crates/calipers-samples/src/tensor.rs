//! Tensors with their data: raw, in typed fields, in a file outside the model, or sparse.

use crate::DataType;
use crate::wire::Message;

/// A tensor with its data (`TensorProto`): an initializer, or an attribute's value.
///
/// [`Tensor::f32`], [`Tensor::i64`] and [`Tensor::raw`] store raw bytes, as exporters do; the
/// constructors whose names end in `_data` use the typed field of that name.
///
/// ```
/// use calipers_samples::Tensor;
///
/// let shape = Tensor::i64("shape", &[2], &[0, -1]);
/// let weight = Tensor::float_data("weight", &[2, 2], &[1.0, 0.0, 0.0, 1.0]);
/// # let _ = (shape, weight);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor(Message);

impl Tensor {
    /// A tensor stored as raw little-endian bytes.
    pub fn raw(name: &str, dtype: DataType, dims: &[i64], bytes: &[u8]) -> Self {
        Self(framed(name, dtype, dims, &Message::new(), |m| {
            m.bytes(9, bytes);
        }))
    }

    /// A `float32` tensor stored as raw bytes.
    pub fn f32(name: &str, dims: &[i64], values: &[f32]) -> Self {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Self::raw(name, DataType::F32, dims, &bytes)
    }

    /// An `int64` tensor stored as raw bytes.
    pub fn i64(name: &str, dims: &[i64], values: &[i64]) -> Self {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Self::raw(name, DataType::I64, dims, &bytes)
    }

    /// A `bool` tensor stored as raw bytes.
    pub fn bool(name: &str, dims: &[i64], values: &[bool]) -> Self {
        let bytes: Vec<u8> = values.iter().map(|&v| u8::from(v)).collect();
        Self::raw(name, DataType::Bool, dims, &bytes)
    }

    /// A `float32` tensor in `float_data`.
    pub fn float_data(name: &str, dims: &[i64], values: &[f32]) -> Self {
        let mut data = Message::new();
        data.packed(4, values.iter().map(|v| v.to_le_bytes()));
        Self(framed(name, DataType::F32, dims, &data, |_| {}))
    }

    /// A tensor in `int32_data`: the home of every type of 32 bits or less but `float32` and
    /// `uint32`, where 16-bit and 8-bit floats are bit patterns.
    pub fn int32_data(name: &str, dtype: DataType, dims: &[i64], values: &[i32]) -> Self {
        let mut data = Message::new();
        data.packed_ints(5, values.iter().map(|&v| i64::from(v).cast_unsigned()));
        Self(framed(name, dtype, dims, &data, |_| {}))
    }

    /// An `int64` tensor in `int64_data`.
    pub fn int64_data(name: &str, dims: &[i64], values: &[i64]) -> Self {
        let mut data = Message::new();
        data.packed_ints(7, values.iter().map(|v| v.cast_unsigned()));
        Self(framed(name, DataType::I64, dims, &data, |_| {}))
    }

    /// A `float64` tensor in `double_data`.
    pub fn double_data(name: &str, dims: &[i64], values: &[f64]) -> Self {
        Self(framed(name, DataType::F64, dims, &Message::new(), |m| {
            m.packed(10, values.iter().map(|v| v.to_le_bytes()));
        }))
    }

    /// A `uint64` or `uint32` tensor in `uint64_data`.
    pub fn uint64_data(name: &str, dtype: DataType, dims: &[i64], values: &[u64]) -> Self {
        Self(framed(name, dtype, dims, &Message::new(), |m| {
            m.packed_ints(11, values.iter().copied());
        }))
    }

    /// A tensor of strings.
    pub fn strings(name: &str, dims: &[i64], values: &[&str]) -> Self {
        let mut data = Message::new();
        for value in values {
            data.string(6, value);
        }
        Self(framed(name, DataType::String, dims, &data, |_| {}))
    }

    /// A tensor whose data lies in a file next to the model: `length` bytes from byte `offset` of
    /// the file `location`. Both may be left to the file's own extent.
    pub fn external(
        name: &str,
        dtype: DataType,
        dims: &[i64],
        location: &str,
        offset: Option<u64>,
        length: Option<u64>,
    ) -> Self {
        let entry = |key: &str, value: &str| {
            let mut entry = Message::new();
            entry.string(1, key).string(2, value);
            entry
        };
        Self(framed(name, dtype, dims, &Message::new(), |m| {
            m.message(13, &entry("location", location));
            if let Some(offset) = offset {
                m.message(13, &entry("offset", &offset.to_string()));
            }
            if let Some(length) = length {
                m.message(13, &entry("length", &length.to_string()));
            }
            m.int(14, 1);
        }))
    }

    pub(crate) fn message(&self) -> &Message {
        &self.0
    }
}

/// A sparse tensor (`SparseTensorProto`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SparseTensor(Message);

impl SparseTensor {
    /// The elements `values`, which carries the tensor's name, at `indices` (`int64`, either
    /// `[n]` positions in the flattened tensor or `[n, rank]` coordinates) of a tensor of `dims`.
    pub fn new(values: &Tensor, indices: &Tensor, dims: &[i64]) -> Self {
        let mut message = Message::new();
        message.message(1, values.message()).message(2, indices.message());
        for &dim in dims {
            message.int(3, dim);
        }
        Self(message)
    }

    pub(crate) fn message(&self) -> &Message {
        &self.0
    }
}

/// The fields that every tensor has. The name is field 8, so a data field of a lower number is
/// handed over ready (`before`) and one of a higher number is written by `after`.
fn framed(
    name: &str,
    dtype: DataType,
    dims: &[i64],
    before: &Message,
    after: impl FnOnce(&mut Message),
) -> Message {
    let mut message = Message::new();
    for &dim in dims {
        message.int(1, dim);
    }
    message.int(2, dtype.code()).merge(before).text(8, name);
    after(&mut message);
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_and_typed_data_differ_only_in_the_field() {
        let raw = Tensor::i64("s", &[1], &[5]);
        assert_eq!(raw.0.as_bytes(), b"\x08\x01\x10\x07\x42\x01s\x4a\x08\x05\0\0\0\0\0\0\0");
        let typed = Tensor::int64_data("s", &[1], &[5]);
        assert_eq!(typed.0.as_bytes(), b"\x08\x01\x10\x07\x3a\x01\x05\x42\x01s");
    }

    #[test]
    fn external_data_is_a_list_of_pairs() {
        let tensor = Tensor::external("w", DataType::F32, &[1], "w.bin", Some(64), None);
        let expected = b"\x08\x01\x10\x01\x42\x01w\
            \x6a\x11\x0a\x08location\x12\x05w.bin\
            \x6a\x0c\x0a\x06offset\x12\x0264\
            \x70\x01";
        assert_eq!(tensor.0.as_bytes(), expected);
    }
}
