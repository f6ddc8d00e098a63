//! What must hold for every document that Calipers writes.

use calipers_render::text::is_hidden;

/// Panics if a document could steer what shows it.
pub(crate) fn check_document(text: &str, what: &str) {
    let at = text.find(|c: char| c.is_control() && c != '\n');
    assert!(at.is_none(), "{what} holds a control character at byte {at:?}");
}

/// Panics if a text for a terminal could steer it, or hides a part of itself.
pub(crate) fn check_screen(text: &str, what: &str) {
    let at = text.find(|c: char| is_hidden(c) && c != '\n');
    assert!(at.is_none(), "{what} holds a hidden character at byte {at:?}");
}

/// Panics if a document is not JSON, or could steer what shows it.
pub(crate) fn check_json(text: &str, what: &str) {
    check_document(text, what);
    let value: Result<serde_json::Value, _> = serde_json::from_str(text);
    assert!(value.is_ok(), "{what} is not JSON: {:?}", value.err());
}
