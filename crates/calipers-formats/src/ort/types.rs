//! `ValueInfo`, `TypeInfo` and `Shape`.

use calipers_ir::{Container, DType, Dim, Leaf, TensorType, TypedName, ValueType};

use super::reader::Reader;
use crate::error::Trace;
use crate::flatbuffer::Table;

impl<'a> Reader<'a> {
    /// `ValueInfo`.
    pub(super) fn value_info(&mut self, table: &Table<'a>) -> Result<TypedName, Trace> {
        let name = self.name(table.text(0)?)?;
        let ty = match table.table(2)? {
            Some(ty) => {
                let ty = self.type_info(ty).map_err(|trace| trace.within("type"))?;
                Some(self.builder.add_type(ty)?)
            }
            None => None,
        };
        Ok(TypedName { name, ty })
    }

    /// `TypeInfo`. Each turn of the loop takes one wrapper off.
    fn type_info(&mut self, table: Table<'a>) -> Result<ValueType, Trace> {
        let mut ty = ValueType::default();
        let mut next = Some(table);
        while let Some(table) = next.take() {
            let denotation = self.name(table.text(0)?)?;
            if denotation != self.builder.names.empty() {
                ty.denotation = ty.denotation.or(Some(denotation));
            }
            let Some(value) = table.table(2)? else { break };
            // The numbers are those of `TypeInfoValue`.
            match table.u8(1, 0)? {
                1 => ty.leaf = Leaf::Tensor(self.tensor_type(&value)?),
                2 => {
                    ty.containers.push(Container::Sequence);
                    next = value.table(0)?;
                }
                3 => {
                    let key = DType::from_onnx(value.i32(0, 0)?);
                    ty.containers.push(Container::Map { key });
                    next = value.table(1)?;
                }
                _ => {}
            }
        }
        Ok(ty)
    }

    fn tensor_type(&mut self, table: &Table<'a>) -> Result<TensorType, Trace> {
        let dtype = DType::from_onnx(table.i32(0, 0)?);
        let Some(shape) = table.table(1)? else { return Ok(TensorType { dtype, shape: None }) };
        let mut dims = Vec::new();
        for (axis, dim) in shape.references(0)?.tables().enumerate() {
            let dim = dim.and_then(|dim| self.dimension(&dim));
            dims.push(dim.map_err(|trace| trace.within_nth("dim", axis))?);
        }
        Ok(TensorType { dtype, shape: Some(dims) })
    }

    fn dimension(&mut self, table: &Table<'a>) -> Result<Dim, Trace> {
        let Some(value) = table.table(0)? else { return Ok(Dim::Unknown) };
        // The numbers are those of `DimensionValueType`.
        Ok(match value.i8(0, 0)? {
            1 => Dim::Size(value.i64(1, 0)?),
            2 => {
                let name = self.name(value.text(2)?)?;
                if name == self.builder.names.empty() { Dim::Unknown } else { Dim::Symbol(name) }
            }
            _ => Dim::Unknown,
        })
    }
}
