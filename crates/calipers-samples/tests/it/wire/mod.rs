//! Reads protobuf at its lowest level: just enough to count what a model holds.
#![allow(clippy::unwrap_used, reason = "a test may stop at an invalid message")]

/// A field's number and value.
pub(crate) type Field<'a> = (u64, Value<'a>);

/// A field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    /// A varint.
    Int(u64),
    /// Bytes, text or a message.
    Bytes(&'a [u8]),
    /// A fixed number, as bits.
    Fixed(u64),
}

/// All fields of a message, in order. Panics when the bytes are no message.
pub(crate) fn fields(mut bytes: &[u8]) -> Vec<Field<'_>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = match key & 7 {
            0 => Value::Int(varint(&mut bytes)),
            1 => Value::Fixed(u64::from_le_bytes(take(&mut bytes, 8).try_into().unwrap())),
            2 => {
                let length = varint(&mut bytes);
                Value::Bytes(take(&mut bytes, usize::try_from(length).unwrap()))
            }
            5 => {
                Value::Fixed(u64::from(u32::from_le_bytes(take(&mut bytes, 4).try_into().unwrap())))
            }
            other => panic!("wire type {other}"),
        };
        found.push((key >> 3, value));
    }
    found
}

/// The messages, texts or bytes in a field, in order.
pub(crate) fn all(message: &[u8], field: u64) -> Vec<&[u8]> {
    let bytes = |(number, value)| match value {
        Value::Bytes(bytes) if number == field => Some(bytes),
        _ => None,
    };
    fields(message).into_iter().filter_map(bytes).collect()
}

/// The only message, text or bytes in a field.
pub(crate) fn one(message: &[u8], field: u64) -> &[u8] {
    let found = all(message, field);
    assert_eq!(found.len(), 1, "field {field} occurs {} times", found.len());
    found[0]
}

/// The text in a field, empty when there is none.
pub(crate) fn text(message: &[u8], field: u64) -> String {
    let found = all(message, field);
    found.last().map_or_else(String::new, |bytes| String::from_utf8(bytes.to_vec()).unwrap())
}

/// The whole numbers in a field, in order.
pub(crate) fn ints(message: &[u8], field: u64) -> Vec<u64> {
    let int = |(number, value)| match value {
        Value::Int(int) if number == field => Some(int),
        _ => None,
    };
    fields(message).into_iter().filter_map(int).collect()
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in 0..10 {
        let byte = take(bytes, 1)[0];
        value |= u64::from(byte & 0x7f) << (7 * shift);
        if byte & 0x80 == 0 {
            return value;
        }
    }
    panic!("a varint of more than ten bytes");
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (head, tail) = bytes.split_at(count);
    *bytes = tail;
    head
}
