//! Texts with their secrets masked.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::Secret;

/// Masks the secrets of several texts: equal secrets get equal masks, different ones different masks.
#[derive(Clone, Debug, Default)]
pub struct Masks {
    /// For each form of a mask, the secrets that have it, in the order of their numbers.
    numbers: HashMap<usize, HashMap<String, usize>>,
}

impl Masks {
    /// Returns a text with its secrets masked.
    pub fn mask<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        self.replace(text, &super::find(text))
    }

    /// Returns the value of an entry with its secrets masked; the key may say that all of it is one.
    pub fn mask_entry<'a>(&mut self, key: &str, value: &'a str) -> Cow<'a, str> {
        self.replace(value, &super::find_in_entry(key, value))
    }

    fn replace<'a>(&mut self, text: &'a str, secrets: &[Secret]) -> Cow<'a, str> {
        if secrets.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut masked = String::new();
        let mut from = 0;
        for secret in secrets {
            masked.push_str(&text[from..secret.hidden.start]);
            masked.push_str(&self.mark(&text[secret.hidden.clone()]));
            from = secret.hidden.end;
        }
        masked.push_str(&text[from..]);
        Cow::Owned(masked)
    }

    /// What is shown for a secret: its length, and a number where another has the same.
    fn mark(&mut self, secret: &str) -> String {
        let length = secret.chars().count();
        let known = self.numbers.entry(length).or_default();
        let next = known.len() + 1;
        match *known.entry_ref(secret).or_insert(next) {
            1 => format!("…({length} characters)"),
            number => format!("…({length} characters, #{number})"),
        }
    }
}

/// Returns a text with its secrets masked.
pub fn mask(text: &str) -> Cow<'_, str> {
    Masks::default().mask(text)
}
