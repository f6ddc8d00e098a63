//! What a text says, without the text.

/// An original text of the file, as evidence for rules: names of inputs suggest what they hold.
///
/// It has no `Display`, no `Debug`, no `Deref` and no way to copy its letters out, because
/// `--redact-names` and masked secrets must hold for every output. [`Hint::judge`] returns only what
/// is `Copy` and borrows nothing: a truth value, a number, a value of a closed set.
#[derive(Clone, Copy)]
pub struct Hint<'a>(&'a str);

impl<'a> Hint<'a> {
    /// Wraps a text.
    pub fn new(text: &'a str) -> Self {
        Self(text)
    }

    /// Applies a rule to the text.
    ///
    /// ```
    /// use calipers_ir::Hint;
    ///
    /// assert!(Hint::new("pixel_values").judge(|name| name.contains("pixel")));
    /// ```
    ///
    /// The text itself cannot be returned:
    ///
    /// ```compile_fail
    /// calipers_ir::Hint::new("secret").judge(|name| name.to_owned());
    /// ```
    ///
    /// ```compile_fail
    /// let kept: &str = calipers_ir::Hint::new("secret").judge(|name| name);
    /// ```
    pub fn judge<T: Copy + 'static>(self, rule: impl FnOnce(&str) -> T) -> T {
        rule(self.0)
    }

    /// Whether the text is this one.
    pub fn is(self, text: &str) -> bool {
        self.0 == text
    }

    /// Whether another text is the same.
    pub fn same(self, other: Hint<'_>) -> bool {
        self.0 == other.0
    }

    /// Whether the text is empty.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The words of a name, in lower case: `inputFeatures` and `input_features` are two.
    pub fn name_parts(self) -> HintParts {
        let mut words = vec![String::new()];
        let mut before = ' ';
        for letter in self.0.chars() {
            let starts = letter.is_ascii_uppercase() && before.is_ascii_lowercase();
            if (!letter.is_alphanumeric() || starts)
                && words.last().is_some_and(|word| !word.is_empty())
            {
                words.push(String::new());
            }
            if letter.is_alphanumeric()
                && let Some(word) = words.last_mut()
            {
                word.extend(letter.to_lowercase());
            }
            before = letter;
        }
        words.retain(|word| !word.is_empty());
        HintParts(words)
    }
}

/// The parts of a name, as evidence: see [`Hint`].
#[derive(Clone, Default, PartialEq, Eq)]
pub struct HintParts(Vec<String>);

impl HintParts {
    /// Whether a word is one of these.
    pub fn has_any(&self, words: &[&str]) -> bool {
        self.0.iter().any(|word| words.contains(&word.as_str()))
    }

    /// Whether a word starts with one of these.
    pub fn any_starts_with(&self, starts: &[&str]) -> bool {
        self.0.iter().any(|word| starts.iter().any(|start| word.starts_with(start)))
    }

    /// The words without those of a list and without the digits at their ends.
    #[must_use]
    pub fn stems(&self, ignored: &[&str]) -> Self {
        let words = self.0.iter().filter(|word| !ignored.contains(&word.as_str()));
        let stems = words.map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit()));
        Self(stems.filter(|word| !word.is_empty()).map(str::to_owned).collect())
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no word.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the words of another name.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }
}
