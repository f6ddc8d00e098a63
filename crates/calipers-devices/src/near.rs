//! Words that were probably meant.

/// Characters that are looked at; no name of ours is longer.
const MOST: usize = 80;

/// Letters and digits alone, in lower case: `RTX 4090` and `rtx-4090` are one. Vendors say laptop
/// where others say mobile.
pub(crate) fn folded(word: &str) -> String {
    let letters = word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    letters.take(MOST).collect::<String>().replace("laptop", "mobile")
}

/// A word that can stand in a message.
pub(crate) fn shortened(word: &str) -> String {
    match word.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    }
}

/// Changes of a letter, insertions, removals and swaps of neighbours that make one word the other.
pub(crate) fn distance(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.chars().take(MOST).collect();
    let other: Vec<char> = other.chars().take(MOST).collect();
    let mut before: Vec<usize> = vec![0; other.len() + 1];
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut least = (last[j] + usize::from(a != b)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[other.len()]
}

/// The one of `known` that is nearest to `word`, where one is near enough to be meant.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let enough = (word.chars().count() / 3).clamp(1, 4);
    let measured = known.into_iter().map(|name| (distance(word, name), name));
    measured.filter(|(far, _)| *far <= enough).min_by_key(|(far, _)| *far).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted() {
        for (one, other, slips) in
            [("", "", 0), ("", "ab", 2), ("memory", "memroy", 1), ("id", "it", 1), ("a", "b", 1)]
        {
            assert_eq!(distance(one, other), slips, "{one} {other}");
            assert_eq!(distance(other, one), slips, "{other} {one}");
        }
    }

    #[test]
    fn only_what_is_near_is_suggested() {
        let known = ["memory_gb", "memory_type", "units"];
        assert_eq!(nearest("memroy_gb", known), Some("memory_gb"));
        assert_eq!(nearest("unit", known), Some("units"));
        assert_eq!(nearest("price", known), None);
    }
}
