//! `Attribute` of every kind.

use calipers_ir::{Attribute, AttributeText, AttributeValue, List, StoredIn};

use super::reader::Reader;
use crate::error::Trace;
use crate::flatbuffer::{Table, Vector};

/// Numbers beyond this stay in the file. Trees keep their structure in such lists, and their cost
/// is read off it.
const MAX_NUMBERS: u64 = 1 << 20;

/// Bytes of one text beyond this stay in the file: they are tables, not settings.
const MAX_BYTES: u64 = 1024;

/// Texts of a list that are kept.
const MAX_TEXTS: usize = 16;

impl<'a> Reader<'a> {
    /// Reads an attribute of the node that is being read.
    pub(super) fn attribute(&mut self, table: &Table<'a>, path: &str) -> Result<(), Trace> {
        let name = self.name(table.text(0)?)?;
        // The numbers are those of `AttributeType`.
        let value = match table.i32(2, 0)? {
            1 => AttributeValue::Float(table.f32(3, 0.0)?),
            2 => AttributeValue::Int(table.i64(4, 0)?),
            3 => {
                let text = table.vector(5, 1)?;
                AttributeValue::Text(AttributeText::new(held(&text, MAX_BYTES, |text| {
                    Ok(text.bytes()?.into())
                })?))
            }
            4 => match table.table(6)? {
                Some(tensor) => AttributeValue::Tensor(self.tensor(&tensor, StoredIn::Attribute)?),
                None => AttributeValue::Unknown(4),
            },
            5 => match table.table(7)? {
                Some(graph) => AttributeValue::Graph(self.subgraph(name, graph, path)?),
                None => AttributeValue::Unknown(5),
            },
            6 => AttributeValue::Floats(held(&table.vector(8, 4)?, MAX_NUMBERS, |floats| {
                Ok(floats.i32s()?.map(|bits| f32::from_bits(bits.cast_unsigned())).collect())
            })?),
            7 => AttributeValue::Ints(held(&table.vector(9, 8)?, MAX_NUMBERS, |ints| {
                Ok(ints.i64s()?.collect())
            })?),
            8 => self.texts_of(table.references(10)?)?,
            9 => {
                let tensors = table.references(11)?.tables();
                let tensors = tensors.map(|tensor| self.tensor(&tensor?, StoredIn::Attribute));
                AttributeValue::Tensors(tensors.collect::<Result<_, _>>()?)
            }
            10 => {
                let graphs = table.references(12)?.tables();
                let graphs = graphs.map(|graph| self.subgraph(name, graph?, path));
                AttributeValue::Graphs(graphs.collect::<Result<_, _>>()?)
            }
            other => AttributeValue::Unknown(other),
        };
        self.builder.add_attribute(Attribute { name, value });
        Ok(())
    }

    fn texts_of(&mut self, texts: Vector<'a>) -> Result<AttributeValue, Trace> {
        let (mut first, mut bytes) = (Vec::new(), 0_u64);
        for text in texts.texts() {
            let text = text?;
            bytes = bytes.saturating_add(text.len());
            if first.len() < MAX_TEXTS && text.len() <= MAX_BYTES {
                first.push(self.name(text)?);
            }
        }
        Ok(AttributeValue::Texts { count: texts.len(), bytes, first, at: texts.span() })
    }
}

/// The elements of a vector while they are few, and where they are otherwise.
fn held<'a, T>(
    vector: &Vector<'a>,
    most: u64,
    read: impl FnOnce(&Vector<'a>) -> Result<Box<[T]>, Trace>,
) -> Result<List<T>, Trace> {
    match vector.len() <= most {
        true => Ok(List::Held(read(vector)?)),
        false => Ok(List::Stored { count: vector.len(), at: vector.span() }),
    }
}
