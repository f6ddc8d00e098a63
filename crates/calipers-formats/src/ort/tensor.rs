//! `Tensor` and `SparseTensor`: what they are and where their elements are.

use calipers_ir::{DType, Data, Span, SparseTensor, StoredIn, Tensor, TensorId};

use super::reader::Reader;
use crate::error::Trace;
use crate::flatbuffer::Table;

impl<'a> Reader<'a> {
    /// Reads a tensor's description.
    pub(super) fn tensor(
        &mut self,
        table: &Table<'a>,
        stored_in: StoredIn,
    ) -> Result<TensorId, Trace> {
        let name = self.name(table.text(0)?)?;
        let dims: Vec<i64> = table.vector(2, 8)?.i64s()?.collect();
        let dtype = DType::from_onnx(table.i32(3, 0)?);
        // Elements in another file are where the program that loads the model finds them.
        let is_elsewhere = table.i64(6, -1)? >= 0;
        let data = match table.given_vector(4, 1)? {
            _ if is_elsewhere => Data::Absent,
            Some(raw) if dtype != DType::String => Data::Raw(raw.span()),
            _ => self.texts(table)?,
        };
        let described_at = match data {
            Data::Raw(span) => span,
            _ => Span::default(),
        };
        Ok(self.builder.add_tensor(Tensor {
            name,
            dtype,
            dims: dims.into(),
            data,
            described_at,
            stored_in,
            segment: None,
        })?)
    }

    /// Where the elements are texts.
    fn texts(&self, table: &Table<'a>) -> Result<Data, Trace> {
        let Some(texts) = table.given_vector(5, 4)? else { return Ok(Data::Absent) };
        let mut bytes = 0_u64;
        for text in texts.texts() {
            bytes = bytes.saturating_add(text?.len());
        }
        Ok(Data::Fields { bytes, elements: Some(texts.len()) })
    }

    /// `SparseTensor`.
    pub(super) fn sparse_tensor(&mut self, table: &Table<'a>) -> Result<SparseTensor, Trace> {
        let mut tensor = |field: u16| {
            let Some(table) = table.table(field)? else { return Ok(None) };
            self.tensor(&table, StoredIn::Sparse).map(Some)
        };
        let (values, indices) = (tensor(0)?, tensor(1)?);
        let dims: Vec<i64> = table.vector(2, 8)?.i64s()?.collect();
        Ok(SparseTensor { values, indices, dims: dims.into() })
    }
}
