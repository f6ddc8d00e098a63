//! Words at the start and in the middle of a sentence.

/// Returns the text with a capital at its start.
///
/// ```
/// assert_eq!(calipers_report::wording::capitalized("encoder layers"), "Encoder layers");
/// ```
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// Returns the text as a sentence, with a capital and one period.
pub fn sentence(text: &str) -> String {
    format!("{}.", capitalized(text.trim_end_matches('.')))
}

/// Returns the items as a list: `a`, `a and b`, `a, b and c`.
///
/// ```
/// assert_eq!(calipers_report::wording::listed(["Conv", "Relu", "Add"]), "Conv, Relu and Add");
/// ```
pub fn listed<T: AsRef<str>>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<T> = items.into_iter().collect();
    let texts: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match texts.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => texts.concat(),
    }
}

/// Returns a title as it is inside a sentence: without its capital, unless a name or an abbreviation
/// starts it.
///
/// ```
/// use calipers_report::wording::in_sentence;
///
/// assert_eq!(in_sentence("Encoder layer 3"), "encoder layer 3");
/// assert_eq!(in_sentence("BatchNorm is not folded"), "BatchNorm is not folded");
/// assert_eq!(in_sentence("T5 block"), "T5 block");
/// ```
pub fn in_sentence(title: &str) -> String {
    let first = title.split(' ').next().unwrap_or_default();
    if first.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit()) {
        return title.to_owned();
    }
    let mut letters = title.chars();
    let start = letters.next().map(char::to_lowercase);
    start.into_iter().flatten().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_joined_as_people_do() {
        let lists = [listed([""; 0]), listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])];
        assert_eq!(lists, ["", "a", "a and b", "a, b and c"]);
    }

    #[test]
    fn sentences_begin_with_a_capital_and_end_with_one_period() {
        assert_eq!([sentence("run it"), sentence("Run it.")], ["Run it.", "Run it."]);
        assert_eq!([capitalized(""), capitalized("été")], ["", "Été"]);
        assert_eq!(in_sentence("GELU"), "GELU");
    }
}
