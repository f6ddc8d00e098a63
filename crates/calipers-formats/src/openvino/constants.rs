//! Constants: stored tensors in the `.bin` file next to the XML.

use std::sync::Arc;

use calipers_ir::{DType, Data, DataFileState, Hazard, ModelBuilder, Source, Span};

use super::document::{CONST, Document, Layer, whole_numbers};
use super::types::dtype;
use super::xml::shortened;
use crate::elements::raw_integers;
use crate::external::{DataFiles, Reference, open};
use crate::folder::Folder;

/// Elements of a constant that may decide a shape; larger ones are weights.
const MAX_SMALL: u64 = 64;

/// Misstatements that are reported.
const MAX_REPORTED: usize = 64;

/// The file with the constants.
pub(super) struct Constants {
    files: DataFiles,
    location: String,
    /// Its bytes, where it is there.
    source: Option<Source>,
    size: Option<u64>,
}

/// A constant as a tensor to be stored.
pub(super) struct Constant {
    pub(super) dtype: DType,
    pub(super) dims: Vec<i64>,
    pub(super) data: Data,
    /// Its elements, where they are few whole numbers.
    pub(super) integers: Option<Vec<i64>>,
}

impl Constants {
    /// Looks for the file of a model that was opened under this name.
    pub(super) fn find(
        document: &Document,
        name: &str,
        folder: Option<&dyn Folder>,
        builder: &mut ModelBuilder,
    ) -> Self {
        let stem = match name.rsplit_once('.') {
            Some((stem, ending)) if ending.eq_ignore_ascii_case("xml") => stem,
            _ => name,
        };
        let location = format!("{stem}.bin");
        let mut files = DataFiles::default();
        let mut layers = document.nets.iter().flat_map(|net| &net.layers);
        if layers.any(|layer| layer.kind == CONST) {
            let location = Some(builder.names.intern(&location));
            let reference = Reference { location, ..Reference::default() };
            files.resolve(reference, &builder.names);
        }
        let mut found = Self { files, location, source: None, size: None };
        if let Some(folder) = folder {
            found.files.check_files(folder, &builder.names);
            if let Some(DataFileState::Present(size)) =
                found.files.files.first().map(|it| &it.state)
            {
                found.size = Some(*size);
                found.source = open(folder, &found.location).ok();
            }
        }
        found
    }

    /// Reads what a layer of type `Const` says. `decides` says that a shape may follow from its
    /// elements though they are floats.
    pub(super) fn read(
        &mut self,
        layer: &Layer,
        decides: bool,
        builder: &mut ModelBuilder,
    ) -> Constant {
        let text = |key| layer.text(key).unwrap_or_default();
        let dtype = dtype(text("element_type"));
        let dims = match whole_numbers(text("shape")) {
            Some(dims) => dims,
            None => {
                self.misstated(builder, layer, "its shape is not a list of whole numbers");
                vec![-1]
            }
        };
        let [offset, length] = ["offset", "size"].map(|key| layer.text(key).map(str::to_owned));
        let needed = needed(dtype, &dims);
        if let (Some(needed), Some(stated)) = (needed, layer.text("size"))
            && stated.trim().parse() != Ok(needed)
        {
            let problem = format!(
                "its size is stated as {:?}, and its shape takes {needed} bytes",
                shortened(stated)
            );
            self.misstated(builder, layer, &problem);
        }
        let location = Some(builder.names.intern(&self.location));
        let reference = Reference { location, offset, length, unknown_keys: Vec::new() };
        let mut external = self.files.resolve(reference, &builder.names);
        if external.problem.is_none() && self.size.is_some() {
            external.problem = self.files.range_problem(&external);
        }
        let small = (external.problem.is_none())
            .then(|| self.small(dtype, &dims, external.offset, decides))
            .flatten();
        match small {
            Some(bytes) => {
                let count = dims.iter().product::<i64>();
                let integers =
                    usize::try_from(count).ok().map(|it| raw_integers(&bytes, dtype, it));
                let integers = integers.filter(|_| !dtype.is_float());
                Constant { dtype, dims, data: Data::Inline(bytes), integers }
            }
            None => {
                Constant { dtype, dims, data: Data::External(Box::new(external)), integers: None }
            }
        }
    }

    /// The bytes of a constant that a shape may follow from.
    fn small(
        &self,
        dtype: DType,
        dims: &[i64],
        offset: Option<u64>,
        decides: bool,
    ) -> Option<Arc<[u8]>> {
        use DType::{Bool, Int32, Int64, Uint32, Uint64};
        // Truth values decide how often loops run.
        let is_integer = matches!(dtype, Bool | Int32 | Int64 | Uint32 | Uint64);
        if !(is_integer || decides && dtype.is_float()) {
            return None;
        }
        let elements = dims.iter().try_fold(1_u64, |product, dim| {
            product.checked_mul(u64::try_from(*dim).ok()?).filter(|it| *it <= MAX_SMALL)
        })?;
        let start = offset?;
        let end = start.checked_add(dtype.bytes(elements)?)?;
        Some(self.source.as_ref()?.slice(Span { start, end })?.into())
    }

    fn misstated(&self, builder: &mut ModelBuilder, layer: &Layer, problem: &str) {
        misstated(builder, &format!("constant {:?}: {problem}", shortened(&layer.name)));
    }

    /// Hands over the file.
    pub(super) fn finish(self, builder: &mut ModelBuilder) {
        if let Some(source) = self.source {
            source.release(Span { start: 0, end: source.size() });
        }
        builder.data_files = self.files.files;
    }
}

/// Bytes that a constant takes; `None` where its type or shape does not decide it.
fn needed(dtype: DType, dims: &[i64]) -> Option<u64> {
    let elements = dims
        .iter()
        .try_fold(1_u64, |product, dim| product.checked_mul(u64::try_from(*dim).ok()?))?;
    dtype.bytes(elements)
}

/// Notes that the file states what is not so.
pub(super) fn misstated(builder: &mut ModelBuilder, what: &str) {
    if builder.hazards.len() < MAX_REPORTED {
        builder.hazards.push(Hazard::Misstated { what: what.to_owned() });
    }
}

/// The name that a file gives a value first. Commas in names are written with a backslash.
pub(super) fn first_name(names: &str) -> String {
    let mut first = String::new();
    let mut characters = names.chars();
    while let Some(character) = characters.next() {
        match character {
            ',' => break,
            '\\' => first.extend(characters.next()),
            other => first.push(other),
        }
    }
    first
}
