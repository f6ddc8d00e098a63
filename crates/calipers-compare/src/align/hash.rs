//! Numbers that equal structures share.
//!
//! They only propose pairs of nodes. What is reported of a pair is compared by value, so a collision
//! can make an edit longer, never wrong.

use calipers_ir::Hint;

/// Combines two numbers; the order counts.
pub(crate) fn mix(first: u64, second: u64) -> u64 {
    let product =
        u128::from(first ^ 0x9e37_79b9_7f4a_7c15) * u128::from(second ^ 0xd1b5_4a32_d192_ed03);
    #[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
    let folded = (product >> 64) as u64 ^ product as u64;
    folded ^ second.rotate_left(32)
}

/// The number of a text.
pub(crate) fn of_text(text: &str) -> u64 {
    of_bytes(text.as_bytes())
}

/// The number of bytes.
pub(crate) fn of_bytes(bytes: &[u8]) -> u64 {
    let mut chunks = bytes.chunks_exact(8);
    let mut hash = mix(bytes.len() as u64, 0);
    for chunk in &mut chunks {
        hash = mix(hash, chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
    }
    mix(hash, chunks.remainder().iter().fold(0, |word, byte| word << 8 | u64::from(*byte)))
}

/// The number of a name in the file; 0 where there is none.
pub(crate) fn of_hint(hint: Hint<'_>) -> u64 {
    hint.judge(|text| if text.is_empty() { 0 } else { of_text(text) | 1 })
}

/// The number of a list, in its order.
pub(crate) fn of_all(numbers: impl IntoIterator<Item = u64>) -> u64 {
    numbers.into_iter().fold(1, mix)
}
