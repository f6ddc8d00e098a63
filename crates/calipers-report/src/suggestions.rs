//! Suggestions for misspelled words: which of the known ones was probably meant.

/// The most characters of a word that are compared or printed; no known name is longer.
const MAX_CHARS: usize = 80;

/// Returns the letters and digits of a word in lower case, so that `RTX 4090` and `rtx-4090`
/// compare equal. Vendors write "laptop" where others write "mobile".
pub fn folded(word: &str) -> String {
    let letters = word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    letters.take(MAX_CHARS).collect::<String>().replace("laptop", "mobile")
}

/// Returns a word that is short enough for a message.
pub fn shortened(word: &str) -> String {
    match word.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    }
}

/// Returns the edits from one word to the other: a letter changed, inserted or removed, or two
/// neighbors swapped. Characters beyond the first 80 of each do not count.
pub fn distance(one: &str, other: &str) -> usize {
    let cut = |word: &str| word.chars().take(MAX_CHARS).collect::<String>();
    strsim::osa_distance(&cut(one), &cut(other))
}

/// Returns the known word nearest to `word`, or `None` where none is near enough to be meant.
///
/// ```
/// let fields = ["memory_gb", "units"];
/// assert_eq!(calipers_report::suggestions::nearest("memroy_gb", fields), Some("memory_gb"));
/// assert_eq!(calipers_report::suggestions::nearest("price", fields), None);
/// ```
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = max_distance(word);
    let measured = known.into_iter().map(|name| (distance(word, name), name));
    measured
        .filter(|(edits, _)| *edits <= limit)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, name)| name)
}

/// Returns the most edits at which a known word is suggested: a third of the letters.
pub fn max_distance(word: &str) -> usize {
    (word.chars().count() / 3).clamp(1, 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted_in_both_directions() {
        for (one, other, edits) in
            [("", "", 0), ("", "ab", 2), ("memory", "memroy", 1), ("id", "it", 1), ("a", "b", 1)]
        {
            assert_eq!(distance(one, other), edits, "{one} {other}");
            assert_eq!(distance(other, one), edits, "{other} {one}");
        }
    }

    #[test]
    fn only_near_words_are_suggested() {
        let known = ["memory_gb", "memory_type", "units"];
        assert_eq!(nearest("memroy_gb", known), Some("memory_gb"));
        assert_eq!(nearest("unit", known), Some("units"));
        assert_eq!(nearest("price", known), None);
    }
}
