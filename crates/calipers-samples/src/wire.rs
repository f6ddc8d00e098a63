//! A protobuf writer: just what an ONNX file needs.
//!
//! ```
//! use calipers_samples::wire::Message;
//!
//! let mut entry = Message::new();
//! entry.string(1, "author").string(2, "me");
//! let mut model = Message::new();
//! model.int(1, 8).message(14, &entry);
//! assert_eq!(model.as_bytes(), b"\x08\x08\x72\x0c\x0a\x06author\x12\x02me");
//! ```

/// How a field's value is laid out, protobuf's wire types.
#[derive(Clone, Copy)]
enum Layout {
    Varint = 0,
    Fixed64 = 1,
    Bytes = 2,
    Fixed32 = 5,
}

/// A message under construction: fields in the order in which they were added.
///
/// It checks nothing, so a test may also write messages that are wrong on purpose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    bytes: Vec<u8>,
}

impl Message {
    /// A message without fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the encoded message.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the encoded message.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Adds an integer or an enum's value. Negative numbers take ten bytes, as protobuf's
    /// `int32` and `int64` do.
    pub fn int(&mut self, field: u32, value: i64) -> &mut Self {
        self.uint(field, value.cast_unsigned())
    }

    /// Adds an unsigned integer.
    pub fn uint(&mut self, field: u32, value: u64) -> &mut Self {
        self.key(field, Layout::Varint);
        put_varint(&mut self.bytes, value);
        self
    }

    /// Adds a single-precision number.
    pub fn float(&mut self, field: u32, value: f32) -> &mut Self {
        self.key(field, Layout::Fixed32);
        self.bytes.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// Adds a double-precision number.
    pub fn double(&mut self, field: u32, value: f64) -> &mut Self {
        self.key(field, Layout::Fixed64);
        self.bytes.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// Adds bytes.
    pub fn bytes(&mut self, field: u32, value: &[u8]) -> &mut Self {
        self.key(field, Layout::Bytes);
        put_varint(&mut self.bytes, value.len() as u64);
        self.bytes.extend_from_slice(value);
        self
    }

    /// Adds text.
    pub fn string(&mut self, field: u32, value: &str) -> &mut Self {
        self.bytes(field, value.as_bytes())
    }

    /// Adds text unless it is empty, which is how the official writers leave out a default.
    pub fn text(&mut self, field: u32, value: &str) -> &mut Self {
        if value.is_empty() { self } else { self.string(field, value) }
    }

    /// Adds a nested message, an empty one too.
    pub fn message(&mut self, field: u32, value: &Self) -> &mut Self {
        self.bytes(field, &value.bytes)
    }

    /// Adds a list of numbers in one field, each in its `N` little-endian bytes.
    pub fn packed<const N: usize>(
        &mut self,
        field: u32,
        values: impl IntoIterator<Item = [u8; N]>,
    ) -> &mut Self {
        let values: Vec<u8> = values.into_iter().flatten().collect();
        self.bytes(field, &values)
    }

    /// Adds a list of integers in one field, as varints.
    pub fn packed_ints(&mut self, field: u32, values: impl IntoIterator<Item = u64>) -> &mut Self {
        let mut list = Vec::new();
        for value in values {
            put_varint(&mut list, value);
        }
        self.bytes(field, &list)
    }

    /// Adds all fields of another message after its own, as protobuf merges two messages.
    pub fn merge(&mut self, other: &Self) -> &mut Self {
        self.bytes.extend_from_slice(&other.bytes);
        self
    }

    fn key(&mut self, field: u32, layout: Layout) {
        put_varint(&mut self.bytes, (u64::from(field) << 3) | layout as u64);
    }
}

/// Seven bits to a byte, the lowest first; the top bit says that more follow.
fn put_varint(bytes: &mut Vec<u8>, mut value: u64) {
    loop {
        let [low, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            return;
        }
        bytes.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Message) -> &mut Message) -> Vec<u8> {
        let mut message = Message::new();
        write(&mut message);
        message.into_bytes()
    }

    #[test]
    fn integers_are_varints() {
        assert_eq!(written(|m| m.int(1, 0)), [0x08, 0]);
        assert_eq!(written(|m| m.int(1, 127)), [0x08, 0x7f]);
        assert_eq!(written(|m| m.int(1, 300)), [0x08, 0xac, 0x02]);
        assert_eq!(written(|m| m.int(20, 1)), [0xa0, 0x01, 0x01]);
        let ten = [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(written(|m| m.int(1, -1)), ten);
        assert_eq!(written(|m| m.uint(1, u64::MAX)), ten);
    }

    #[test]
    fn numbers_are_little_endian() {
        assert_eq!(written(|m| m.float(2, 1.0)), [0x15, 0, 0, 0x80, 0x3f]);
        assert_eq!(written(|m| m.double(2, 1.0)), [0x11, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
    }

    #[test]
    fn lists_are_packed() {
        assert_eq!(written(|m| m.packed_ints(7, [1, 300])), [0x3a, 3, 1, 0xac, 0x02]);
        let floats = [1.0f32, 2.0].map(f32::to_le_bytes);
        assert_eq!(written(|m| m.packed(4, floats)), [0x22, 8, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40]);
    }

    #[test]
    fn empty_text_is_left_out_and_an_empty_message_is_not() {
        assert_eq!(written(|m| m.text(2, "")), b"");
        assert_eq!(written(|m| m.message(2, &Message::new())), [0x12, 0]);
    }
}
