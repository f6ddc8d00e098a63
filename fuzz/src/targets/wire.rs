//! Any bytes read as a protobuf message, whole and in two parts.

use calipers_formats::wire::{Message, Part, Payload};

pub(crate) fn run(bytes: &[u8]) {
    let whole: Vec<_> = Message::new(bytes, 0).fields().collect();
    let end = bytes.len() as u64;
    let mut before = None;
    for (index, field) in whole.iter().enumerate() {
        match field {
            Ok(field) => {
                assert!(field.at < end && before.is_none_or(|before| before < field.at));
                before = Some(field.at);
                if let Payload::Bytes(part) = field.payload {
                    assert!(field.at < part.start() && part.span().end <= end);
                }
            }
            Err(error) => {
                assert!(error.at <= end);
                assert_eq!(index, whole.len() - 1, "nothing follows an error");
            }
        }
    }
    // Cut where a field begins, the two parts are the same message.
    let Some(Ok(middle)) = whole.get(whole.len() / 2) else { return };
    let (head, tail) = bytes.split_at(usize::try_from(middle.at).expect("an offset in memory"));
    let mut message = None;
    Message::merge(&mut message, Part::new(head, 0));
    Message::merge(&mut message, Part::new(tail, middle.at));
    let parts: Vec<_> = message.expect("two parts").fields().collect();
    assert_eq!(parts, whole);
}
