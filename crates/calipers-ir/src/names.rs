//! Interned texts: every name of a model once, in one allocation.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use crate::{Hint, NameId};

/// The names of a model, as they are shown. Equal texts of a file have equal ids; the empty text is
/// always there.
///
/// Where [`Model::renamed`](crate::Model::renamed) shows another text than the file has, the
/// original is left as a [`Hint`] alone.
#[derive(Clone, Debug)]
pub struct Names {
    text: String,
    /// End of each name in `text`; a name starts where the one before it ends.
    ends: Vec<usize>,
    /// Each id with the hash of its text, so that growing the table reads no text.
    table: HashTable<(u64, NameId)>,
    // Seeded at random per process: a file cannot aim at its buckets.
    hasher: DefaultHashBuilder,
    lossy: u64,
    /// What the file has, where something else is shown.
    originals: HashMap<NameId, Box<str>>,
}

impl Default for Names {
    fn default() -> Self {
        let mut names = Self {
            text: String::new(),
            ends: Vec::new(),
            table: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            lossy: 0,
            originals: HashMap::new(),
        };
        names.intern("");
        names
    }
}

impl Names {
    /// The id of a text, which is stored on first sight. Past 2³² - 1 different texts, further ones
    /// read as the empty text; a builder refuses such a model by its operand count long before.
    pub fn intern(&mut self, name: &str) -> NameId {
        let hash = self.hasher.hash_one(name);
        if let Some(id) = self.find_hashed(hash, name) {
            return id;
        }
        let Some(id) = NameId::new(self.ends.len()) else { return self.empty() };
        self.text.push_str(name);
        self.ends.push(self.text.len());
        self.table.insert_unique(hash, (hash, id), |(hash, _)| *hash);
        id
    }

    /// The id of a text, if it is stored.
    pub fn find(&self, name: &str) -> Option<NameId> {
        self.find_hashed(self.hasher.hash_one(name), name)
    }

    fn find_hashed(&self, hash: u64, name: &str) -> Option<NameId> {
        let same = |entry: &(u64, NameId)| entry.0 == hash && self.get(entry.1) == name;
        self.table.find(hash, same).map(|(_, id)| *id)
    }

    /// The id of a text given as bytes. Bytes that are not UTF-8 become U+FFFD and are counted.
    pub fn intern_bytes(&mut self, name: &[u8]) -> NameId {
        match std::str::from_utf8(name) {
            Ok(name) => self.intern(name),
            Err(_) => {
                self.lossy += 1;
                self.intern(&String::from_utf8_lossy(name))
            }
        }
    }

    /// Adds a text that is shown for an original. Its id is its own, whatever else reads the same.
    pub(crate) fn add_shown(&mut self, shown: &str, original: &str) -> NameId {
        let Some(id) = NameId::new(self.ends.len()) else { return self.empty() };
        self.text.push_str(shown);
        self.ends.push(self.text.len());
        self.originals.insert(id, original.into());
        id
    }

    /// The same counts, and no text but the empty one.
    pub(crate) fn emptied(&self) -> Self {
        Self { lossy: self.lossy, ..Self::default() }
    }

    /// What the file has for an id.
    pub fn hint(&self, id: NameId) -> Hint<'_> {
        Hint::new(self.original(id))
    }

    pub(crate) fn original(&self, id: NameId) -> &str {
        match self.originals.get(&id) {
            Some(original) => original,
            None => self.get(id),
        }
    }

    /// Every text, each once.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).filter_map(NameId::new).map(|id| self.get(id))
    }

    /// The text that is shown for an id.
    pub fn get(&self, id: NameId) -> &str {
        lookup(&self.text, &self.ends, id)
    }

    /// The id of the empty text.
    pub fn empty(&self) -> NameId {
        NameId::new(0).expect("0 is an index")
    }

    /// How many different texts there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Always false: the empty text is there from the start.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many texts were not UTF-8.
    pub fn lossy(&self) -> u64 {
        self.lossy
    }
}

fn lookup<'a>(text: &'a str, ends: &[usize], id: NameId) -> &'a str {
    let index = id.index();
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &text[start..ends[index]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_an_id() {
        let mut names = Names::default();
        let relu = names.intern("Relu");
        assert_eq!(names.intern("Relu"), relu);
        assert_ne!(names.intern("relu"), relu);
        assert_eq!(names.get(relu), "Relu");
        assert_eq!(names.intern(""), names.empty());
        assert_eq!(names.len(), 3);
    }

    #[test]
    fn bytes_that_are_no_text_are_kept_visible() {
        let mut names = Names::default();
        let odd = names.intern_bytes(b"w\xff");
        assert_eq!(names.get(odd), "w\u{fffd}");
        assert_eq!(names.lossy(), 1);
    }
}
