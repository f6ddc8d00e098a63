//! The index of a sharded set: which file has which tensor.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use calipers_ir::{Source, Span};
use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use super::header::MAX_TENSORS;
use super::json::{Key, Texts, check_depth, damaged_json};
use crate::Error;

/// The longest index that is read.
const MAX_INDEX: u64 = 100_000_000;

/// Files that a set may have.
const MAX_SHARDS: usize = 2048;

/// An index that was read.
#[derive(Default)]
pub(super) struct Index<'a> {
    /// What its `metadata` has, such as `total_size`.
    pub(super) metadata: Vec<(String, String)>,
    /// The shards, in the order they are first named.
    pub(super) shards: Vec<Cow<'a, str>>,
    /// Each tensor and the place of its file among the shards.
    pub(super) tensors: Vec<(Cow<'a, str>, usize)>,
}

/// Whether a file that starts so is such an index.
pub(super) fn is_index(start: &[u8]) -> bool {
    let json = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let has = |wanted: &[u8]| json.windows(wanted.len()).any(|window| window == wanted);
    json.first() == Some(&b'{') && has(b"\"weight_map\"") && has(b".safetensors\"")
}

/// Reads an index.
pub(super) fn read(source: &Source) -> Result<Index<'_>, Error> {
    const PATH: &str = "the index";
    let size = source.size();
    if size > MAX_INDEX {
        let problem = format!("it has {size} bytes, and no index has more than {MAX_INDEX}");
        return Err(Error::damaged(0, PATH, &problem));
    }
    let json = source.slice(Span { start: 0, end: size });
    let json = json.ok_or_else(|| Error::damaged(0, PATH, "its bytes cannot be read"))?;
    let (json, from) = match json.strip_prefix(b"\xef\xbb\xbf") {
        Some(json) => (json, 3),
        None => (json, 0),
    };
    check_depth(json, from, PATH)?;
    let mut index: Index<'_> =
        serde_json::from_slice(json).map_err(|error| damaged_json(json, from, PATH, &error))?;
    index.sort_shards();
    Ok(index)
}

impl Index<'_> {
    /// Puts the shards in the order of their names, which number them.
    fn sort_shards(&mut self) {
        let mut order: Vec<usize> = (0..self.shards.len()).collect();
        order.sort_by(|a, b| self.shards.get(*a).cmp(&self.shards.get(*b)));
        let mut places = vec![0; order.len()];
        for (place, shard) in order.iter().enumerate() {
            if let Some(new) = places.get_mut(*shard) {
                *new = place;
            }
        }
        for (_, shard) in &mut self.tensors {
            *shard = places.get(*shard).copied().unwrap_or_default();
        }
        self.shards.sort();
    }
}

impl<'de> Deserialize<'de> for Index<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(IndexVisitor)
    }
}

struct IndexVisitor;

impl<'de> Visitor<'de> for IndexVisitor {
    type Value = Index<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an index of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut index = Index::default();
        while let Some(Key(key)) = map.next_key()? {
            match key.as_ref() {
                "metadata" => index.metadata = map.next_value::<Texts>()?.0,
                "weight_map" => {
                    let WeightMap { shards, tensors } = map.next_value()?;
                    (index.shards, index.tensors) = (shards, tensors);
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(index)
    }
}

#[derive(Default)]
struct WeightMap<'a> {
    shards: Vec<Cow<'a, str>>,
    tensors: Vec<(Cow<'a, str>, usize)>,
}

impl<'de> Deserialize<'de> for WeightMap<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(WeightMapVisitor)
    }
}

struct WeightMapVisitor;

impl<'de> Visitor<'de> for WeightMapVisitor {
    type Value = WeightMap<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of tensors and their files")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = WeightMap::default();
        let mut known: HashMap<Cow<'de, str>, usize> = HashMap::new();
        while let Some((Key(name), Key(shard))) = map.next_entry()? {
            if found.tensors.len() >= MAX_TENSORS {
                return Err(A::Error::custom(format!("more than {MAX_TENSORS} tensors")));
            }
            let next = found.shards.len();
            let place = *known.entry(shard.clone()).or_insert(next);
            if place == next {
                if next >= MAX_SHARDS {
                    return Err(A::Error::custom(format!("more than {MAX_SHARDS} files")));
                }
                found.shards.push(shard);
            }
            found.tensors.push((name, place));
        }
        Ok(found)
    }
}
