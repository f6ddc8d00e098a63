//! The library of known networks, as the build script compiled it.
//!
//! Six sections lie one behind the other, after the length of each: shapes (16 bytes each, in
//! order), where the list of each shape begins, the networks of each list, the networks, their
//! sequences of shapes, and texts. Nothing is decoded before it is asked for.

use hashbrown::HashMap;

use super::shape::{COPY, WeightShape};

static INDEX: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.bin"));

const SECTIONS: usize = 6;

/// Bytes of a network: four texts, two sequences with their lengths, distinct shapes, vocabulary.
const ENTRY: usize = 40;

/// The number of a shape in the library. Shapes that the library lacks have larger numbers.
pub(crate) type ShapeId = u32;

/// The library.
#[derive(Clone, Copy)]
pub(crate) struct Library {
    sections: [&'static [u8]; SECTIONS],
}

/// A network of the library.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    index: Library,
    at: usize,
}

impl Library {
    /// The library of this build.
    pub(crate) fn new() -> Self {
        let mut sections = [&INDEX[..0]; SECTIONS];
        let mut start = SECTIONS * 4;
        for (at, section) in sections.iter_mut().enumerate() {
            let length = number(INDEX, at * 4);
            *section = &INDEX[start..start + length];
            start += length;
        }
        Self { sections }
    }

    /// How many networks there are.
    pub(crate) fn len(self) -> usize {
        self.sections[3].len() / ENTRY
    }

    /// A network by its number.
    pub(crate) fn entry(self, at: usize) -> Entry {
        Entry { index: self, at }
    }

    /// Every network.
    #[cfg(test)]
    pub(crate) fn entries(self) -> impl Iterator<Item = Entry> {
        (0..self.len()).map(move |at| self.entry(at))
    }

    /// How many shapes there are.
    pub(crate) fn shapes(self) -> usize {
        self.sections[0].len() / 16
    }

    /// The shape of a number.
    pub(crate) fn shape(self, id: ShapeId) -> Option<WeightShape> {
        let at = id as usize * 16;
        let bytes = self.sections[0].get(at..at + 16)?;
        Some(WeightShape::from_bits(u128::from_le_bytes(bytes.try_into().ok()?)))
    }

    /// The number of a shape.
    pub(crate) fn id(self, shape: WeightShape) -> Option<ShapeId> {
        let (mut low, mut high) = (0_u32, u32::try_from(self.shapes()).ok()?);
        while low < high {
            let middle = low.midpoint(high);
            match self.shape(middle)?.cmp(&shape) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// The networks that compute with a weight of this shape.
    pub(crate) fn users(self, id: ShapeId) -> impl Iterator<Item = usize> {
        let [_, starts, postings, ..] = self.sections;
        let at = id as usize * 4;
        let range = number(starts, at)..number(starts, at + 4);
        range.map(move |at| usize::from(short(postings, at * 2)))
    }

    fn text(self, offset: usize) -> &'static str {
        let texts = self.sections[5];
        let length = usize::from(texts[offset]);
        std::str::from_utf8(&texts[offset + 1..offset + 1 + length]).unwrap_or_default()
    }

    /// Decodes a sequence: shapes, and references to what came before.
    fn sequence(self, offset: usize, length: usize) -> Vec<ShapeId> {
        let packed = self.sections[4];
        let mut sequence = Vec::with_capacity(length);
        let mut at = offset * 2;
        while sequence.len() < length {
            let word = short(packed, at);
            at += 2;
            if word & COPY == 0 {
                sequence.push(ShapeId::from(word));
                continue;
            }
            let start = sequence.len() - usize::from(short(packed, at));
            at += 2;
            for from in start..start + usize::from(word & !COPY) {
                sequence.push(sequence[from]);
            }
        }
        sequence
    }
}

impl Entry {
    fn field(self, at: usize) -> usize {
        number(self.index.sections[3], self.at * ENTRY + at * 4)
    }

    /// The package it comes from.
    pub(crate) fn source(self) -> &'static str {
        self.index.text(self.field(0))
    }

    /// Its name in that package.
    pub(crate) fn name(self) -> &'static str {
        self.index.text(self.field(1))
    }

    /// The id of its family.
    pub(crate) fn family(self) -> &'static str {
        self.index.text(self.field(2))
    }

    /// What people call it: `ResNet-50`.
    pub(crate) fn variant(self) -> &'static str {
        self.index.text(self.field(3))
    }

    /// The name that refers to it: `torchvision:resnet50`.
    pub(crate) fn reference(self) -> String {
        format!("{}:{}", self.source(), self.name())
    }

    /// Shapes that it computes with, in order.
    pub(crate) fn weights(self) -> Vec<ShapeId> {
        self.index.sequence(self.field(4), self.field(5))
    }

    /// How many weights it computes with.
    pub(crate) fn weight_count(self) -> usize {
        self.field(5)
    }

    /// Shapes that it looks up or adds.
    pub(crate) fn others(self) -> Vec<ShapeId> {
        self.index.sequence(self.field(6), self.field(7))
    }

    /// How many different shapes it computes with.
    pub(crate) fn distinct(self) -> usize {
        self.field(8)
    }

    /// Whether it looks words up in a table.
    pub(crate) fn has_vocabulary(self) -> bool {
        self.field(9) == 1
    }
}

/// How often each shape occurs.
pub(crate) fn counted(sequence: &[ShapeId]) -> HashMap<ShapeId, usize> {
    let mut counts = HashMap::with_capacity(sequence.len().min(256));
    for id in sequence {
        *counts.entry(*id).or_default() += 1;
    }
    counts
}

fn number(bytes: &[u8], at: usize) -> usize {
    let word = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
    u32::from_le_bytes(word) as usize
}

fn short(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}
