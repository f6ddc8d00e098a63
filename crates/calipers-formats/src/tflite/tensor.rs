//! Tensors of a subgraph: types, shapes, quantization, and where the elements of constants are.

use calipers_ir::assembly::Assembly;
use calipers_ir::{Affine, DType, Data, Dim, GraphId, Hazard, Leaf, NameId, Span, ValueType};

use super::operand::{Operand, Quantization};
use super::reader::{Held, Reader};
use crate::error::Trace;
use crate::external::Reference;
use crate::flatbuffer::{FlatBuffer, Table};

/// Wrong statements of a file that are reported.
const MAX_MISSTATED: usize = 16;

/// Characters of a name that are repeated in one made from it.
const MAX_COPIED: usize = 256;

/// The type with this number in `TensorType` of the schema, and whether it is one of handles.
fn element_type(number: i8) -> (DType, Option<&'static str>) {
    use DType::*;
    let dtype = match number {
        0 => Float32,
        1 => Float16,
        2 => Int32,
        3 => Uint8,
        4 => Int64,
        5 => String,
        6 => Bool,
        7 => Int16,
        8 => Complex64,
        9 => Int8,
        10 => Float64,
        11 => Complex128,
        12 => Uint64,
        13 => return (Undefined, Some("RESOURCE")),
        14 => return (Undefined, Some("VARIANT")),
        15 => Uint32,
        16 => Uint16,
        17 => Int4,
        18 => Bfloat16,
        19 => Int2,
        20 => Uint4,
        21 => Float8E4M3Fn,
        22 => Float8E5M2,
        _ => Undefined,
    };
    (dtype, None)
}

/// The number that ONNX has for a type.
pub(super) fn onnx_number(dtype: DType) -> Option<i64> {
    (0..64).find(|number| DType::from_onnx(*number) == dtype).map(i64::from)
}

impl<'a> Reader<'a> {
    /// Reads a tensor, and adds it to its graph where the file stores its elements. `given` is the
    /// name of the value that takes its place.
    pub(super) fn tensor(
        &mut self,
        graph: GraphId,
        index: usize,
        table: &Table<'a>,
        given: Option<NameId>,
    ) -> Result<Operand<'a>, Trace> {
        let mut dims: Vec<i64> = table.vector(0, 4)?.i32s()?.map(i64::from).collect();
        let (dtype, handle) = element_type(table.i8(1, 0)?);
        let name = match given {
            Some(name) => name,
            None => self.tensor_name(table, index)?,
        };
        let held = self.held(table)?;
        // A size of -1 in the signature says that the stored size is one of many.
        let signature = table.vector(7, 4)?.i32s()?;
        if held == Held::Nothing && signature.len() == dims.len() {
            for (dim, _) in dims.iter_mut().zip(signature).filter(|(_, size)| *size < 0) {
                *dim = -1;
            }
        }
        let is_stored = given.is_none() && held != Held::Nothing && handle.is_none();
        let mut operand = Operand {
            name,
            dtype,
            ty: None,
            is_stored,
            is_variable: table.bool(5)?,
            stored_at: Span::default(),
            quantization: None,
            dims,
        };
        operand.quantization = self.quantization(table, dtype)?;
        if given.is_some() {
            return Ok(operand);
        }
        if is_stored {
            let is_sparse = table.table(6)?.is_some();
            self.add_stored(graph, &mut operand, &held, is_sparse)?;
        } else {
            let has_rank = table.bool(8)? || !operand.dims.is_empty();
            let dim = |size: &i64| if *size < 0 { Dim::Unknown } else { Dim::Size(*size) };
            let shape = has_rank.then(|| operand.dims.iter().map(dim).collect());
            operand.ty = Some(self.value_type(dtype, handle, shape)?);
        }
        if let Some(quantization) = &operand.quantization {
            let affine = Affine {
                scales: quantization.scales,
                axis: (quantization.scales > 1).then_some(quantization.axis),
                is_symmetric: quantization.zero_points()?.iter().all(|zero| *zero == 0),
            };
            self.builder.affine.push((graph, name, affine));
        }
        Ok(operand)
    }

    /// The name of a tensor; of those that share one, only the first has it as it is.
    fn tensor_name(&mut self, table: &Table<'a>, index: usize) -> Result<NameId, Trace> {
        let written = self.name(table.text(3)?)?;
        if written != self.builder.names.empty() && self.taken.insert(written) {
            return Ok(written);
        }
        let start: String = self.builder.names.get(written).chars().take(MAX_COPIED).collect();
        let mut again = format!("{start}#{index}");
        loop {
            let name = self.builder.names.intern(&again);
            if self.taken.insert(name) {
                return Ok(name);
            }
            // No number is tried twice, so the search ends.
            self.renamed += 1;
            again = format!("{start}#{index}.{}", self.renamed);
        }
    }

    fn value_type(
        &mut self,
        dtype: DType,
        handle: Option<&str>,
        shape: Option<Vec<Dim>>,
    ) -> Result<calipers_ir::TypeId, Trace> {
        let leaf = match handle {
            Some(kind) => {
                let domain = self.builder.names.intern(self.builder.header.format.domain());
                Leaf::Opaque { domain, name: self.builder.names.intern(kind) }
            }
            None => Leaf::Tensor(calipers_ir::TensorType { dtype, shape }),
        };
        Ok(self.builder.add_type(ValueType { leaf, ..ValueType::default() })?)
    }

    /// What the file holds for a tensor.
    fn held(&self, table: &Table<'a>) -> Result<Held, Trace> {
        let external = table.u32(10, 0)?;
        if external != 0 && self.external_buffers.contains_key(&external) {
            return Ok(Held::Elsewhere(external));
        }
        let buffer = table.u32(2, 0)?;
        // The first buffer is for tensors without elements.
        if buffer == 0 {
            return Ok(Held::Nothing);
        }
        let held = usize::try_from(buffer).ok().and_then(|buffer| self.buffers.get(buffer));
        match held {
            Some(held) => Ok(held.clone()),
            None => {
                let count = self.buffers.len();
                let problem = format!("it refers to buffer {buffer}, and there are {count}");
                Err(Trace::new(table.at(), problem))
            }
        }
    }

    fn add_stored(
        &mut self,
        graph: GraphId,
        operand: &mut Operand<'a>,
        held: &Held,
        is_sparse: bool,
    ) -> Result<(), Trace> {
        let name = operand.name;
        let data = match *held {
            Held::Elsewhere(id) => self.external(id),
            Held::Here(span) if is_sparse || operand.dtype == DType::String => {
                Data::Fields { bytes: span.len(), elements: None }
            }
            Held::Here(span) => {
                operand.stored_at = span;
                Data::Raw(span)
            }
            Held::Nothing | Held::Missing => Data::Absent,
        };
        let raw = match &data {
            Data::Raw(span) => Some(span.len()),
            _ => None,
        };
        let mut assembly = Assembly::new(&mut self.builder, graph);
        let id = assembly.add_stored(name, operand.dtype, &operand.dims, data)?;
        if let (Some(stored), Some(wanted)) = (raw, self.builder.tensor(id).bytes())
            && stored != wanted
        {
            let name = self.builder.names.get(name);
            let what = format!("tensor {name} takes {wanted} bytes, and its buffer has {stored}");
            self.misstated(what);
        }
        Ok(())
    }

    /// Notes a statement of the file that is not so.
    pub(super) fn misstated(&mut self, what: String) {
        if self.builder.hazards.len() < MAX_MISSTATED {
            self.builder.hazards.push(Hazard::Misstated { what });
        }
    }

    fn external(&mut self, id: u32) -> Data {
        let Some(buffer) = self.external_buffers.get(&id) else { return Data::Absent };
        let reference = Reference {
            location: Some(buffer.location),
            offset: Some(buffer.offset.to_string()),
            length: Some(buffer.length.to_string()),
            unknown_keys: Vec::new(),
        };
        let external = self.data_files.resolve(reference, &self.builder.names);
        Data::External(Box::new(external))
    }

    /// The affine quantization of a tensor of integers.
    fn quantization(
        &self,
        table: &Table<'a>,
        dtype: DType,
    ) -> Result<Option<Quantization<'a>>, Trace> {
        let is_integer = dtype.is_narrow_integer()
            || matches!(dtype, DType::Int16 | DType::Uint16 | DType::Int32 | DType::Int64);
        let Some(table) = table.table(4)?.filter(|_| is_integer) else { return Ok(None) };
        let scales = table.vector(2, 4)?.len();
        let axis = u32::try_from(table.i32(6, 0)?).unwrap_or(0);
        // One scale for each block, in a tensor of their own.
        const BLOCKWISE: u8 = 2;
        let blocks = match table.u8(4, 0)? {
            BLOCKWISE => table.table(5)?,
            _ => None,
        };
        let scales = match blocks {
            Some(blocks) => self.elements_of(blocks.i32(0, 0)?)?.max(scales),
            None => scales,
        };
        Ok((scales > 0).then_some(Quantization { table, scales, axis }))
    }

    /// Elements of a tensor of the subgraph that is being read.
    fn elements_of(&self, index: i32) -> Result<u64, Trace> {
        let Ok(index) = u64::try_from(index) else { return Ok(0) };
        let Some(tensors) = &self.tensors else { return Ok(0) };
        let Some(table) = tensors.table(index)? else { return Ok(0) };
        let dims = table.vector(0, 4)?.i32s()?;
        let product = |product: u64, dim| product.saturating_mul(u64::try_from(dim).unwrap_or(0));
        Ok(dims.fold(1, product))
    }
}

/// The text of a small buffer, when it is one.
pub(super) fn printable(bytes: &[u8]) -> Option<&str> {
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let text = std::str::from_utf8(bytes.get(..end)?).ok()?;
    let is_plain = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
    (!text.is_empty() && text.chars().all(is_plain)).then_some(text)
}

/// The FlatBuffer in a segment that is long enough for one.
pub(super) fn inner_buffer<'a>(
    source: &'a calipers_ir::Source,
    segment: Span,
    identifier: &[u8],
) -> Option<FlatBuffer<'a>> {
    let start = Span { start: segment.start, end: segment.end.min(segment.start + 8) };
    let is_one = crate::flatbuffer::has_identifier(source.slice(start)?, identifier);
    is_one.then(|| FlatBuffer::in_segment(source, segment))
}
