//! NumPy: an array, or an archive of arrays. Weights alone, without a graph.

mod header;

use calipers_ir::assembly::Assembly;
use calipers_ir::{
    DType, Data, Format, GraphOrigin, Hazard, Model, ModelBuilder, Source, Span, StoredWeight,
    WeightRole,
};

use self::header::{Elements, Header};
use crate::archive::Archive;
use crate::elements::StoredElements;
use crate::input::Input;
use crate::{Error, Reader, Start};

/// Files of NumPy.
pub(crate) const READER: Reader =
    Reader { format: Format::Numpy, extensions: &["npy", "npz"], in_folder: &[], sniff, read };

/// Bytes that are read of an array to find its header.
const HEAD: u64 = 1 << 16;

/// Compressed arrays that are unpacked as far as their headers.
const MAX_UNPACKED: usize = 1 << 12;

fn sniff(start: &Start<'_>) -> bool {
    if start.bytes.starts_with(header::MAGIC) {
        return true;
    }
    start.bytes.starts_with(b"PK\x03\x04")
        && (start.has_extension("npz") || first_member(start.bytes).ends_with(b".npy"))
}

/// The name of the first member of an archive.
fn first_member(bytes: &[u8]) -> &[u8] {
    let length = bytes.get(26..28).and_then(|bytes| bytes.first_chunk::<2>());
    let length = usize::from(length.map_or(0, |length| u16::from_le_bytes(*length)));
    bytes.get(30..).and_then(|rest| rest.get(..length)).unwrap_or_default()
}

/// Reads arrays.
fn read(input: Input) -> Result<Model, Error> {
    let Input { source, name, .. } = input;
    let mut builder = ModelBuilder::default();
    builder.header.format = Format::Numpy;
    builder.header.graph_origin = GraphOrigin::Absent;
    builder.header.file_name.clone_from(&name);
    builder.header.bytes = source.size();
    builder.header.producer_name = "numpy".to_owned();
    builder.source = source.clone();
    builder.decoder = Some(&StoredElements);
    let graph = builder.add_main_graph()?;
    let mut assembly = Assembly::new(&mut builder, graph);
    let is_array = source.window(0, 6).is_some_and(|bytes| bytes.starts_with(header::MAGIC));
    if is_array {
        let size = source.size();
        let head = bytes(&source, Span { start: 0, end: size.min(HEAD) })?;
        let name = name.strip_suffix(".npy").unwrap_or(&name);
        let header = Header::read(head).map_err(|problem| damaged(0, name, &problem))?;
        add(&mut assembly, name, &header, Some(Span { start: 0, end: size }))?;
    } else {
        archive(&mut assembly, &source)?;
    }
    Ok(builder.finish()?)
}

fn damaged(at: u64, name: &str, problem: &str) -> Error {
    Error::damaged(at, &format!("the array {name}"), problem)
}

fn bytes(source: &Source, span: Span) -> Result<&[u8], Error> {
    source.slice(span).ok_or_else(|| damaged(span.start, "", "the file ends before its header"))
}

/// Reads the arrays of an archive.
fn archive(assembly: &mut Assembly<'_>, source: &Source) -> Result<(), Error> {
    let mut archive = Archive::open(source)?;
    let mut unpacked = 0;
    for place in 0..archive.members().len() {
        let Some(member) = archive.members().get(place).cloned() else { break };
        let Some(name) = member.name.strip_suffix(".npy") else { continue };
        let at = member.stored.map_or(0, |span| span.start);
        let head = match member.stored {
            Some(span) => {
                let end = span.end.min(span.start.saturating_add(HEAD));
                bytes(source, Span { start: span.start, end })?.to_vec()
            }
            None => {
                unpacked += 1;
                if unpacked > MAX_UNPACKED {
                    return Err(damaged(0, name, "the archive has too many compressed arrays"));
                }
                archive.read_start(place, header::USUAL)?
            }
        };
        let header = Header::read(&head).map_err(|problem| damaged(at, name, &problem))?;
        add(assembly, name, &header, member.stored)?;
    }
    Ok(())
}

/// Adds an array. `file` is where the bytes of its file are, header included, unless compressed.
fn add(
    assembly: &mut Assembly<'_>,
    name: &str,
    header: &Header,
    file: Option<Span>,
) -> Result<(), Error> {
    let dims: Vec<i64> =
        header.dims.iter().map(|dim| i64::try_from(*dim).unwrap_or(i64::MAX)).collect();
    let elements = header.dims.iter().try_fold(1_u64, |count, dim| count.checked_mul(*dim));
    let bytes = elements.and_then(|count| count.checked_mul(header.item_size));
    let dtype = match header.elements {
        Elements::Numbers(dtype) => dtype,
        Elements::Texts => DType::String,
        Elements::Objects | Elements::Others => DType::Undefined,
    };
    let fields = Data::Fields { bytes: bytes.unwrap_or(u64::MAX), elements };
    let data = match file {
        None => fields,
        Some(file) => {
            let start = file.start.saturating_add(header.size);
            let end = bytes.and_then(|bytes| start.checked_add(bytes));
            let is_plain = header.is_little || header.item_size == 1;
            match end.filter(|end| *end <= file.end) {
                _ if header.elements == Elements::Objects => {
                    Data::Fields { bytes: file.end.saturating_sub(start), elements }
                }
                Some(end) if is_plain && dtype != DType::String && dtype != DType::Undefined => {
                    Data::Raw(Span { start, end })
                }
                Some(_) => fields,
                None => {
                    let what = format!("the array {name} is larger than its file");
                    assembly.builder.hazards.push(Hazard::Misstated { what });
                    Data::Absent
                }
            }
        }
    };
    if header.elements == Elements::Objects {
        assembly.builder.hazards.push(Hazard::Import {
            module: "numpy".to_owned(),
            name: "object array".to_owned(),
            is_dangerous: true,
        });
    }
    if header.is_fortran && header.dims.len() > 1 {
        let order = (format!("order of {name}"), "columns first (Fortran)".to_owned());
        assembly.builder.header.metadata.push(order);
    }
    let is_learned = matches!(
        dtype,
        DType::Float16 | DType::Bfloat16 | DType::Float32 | DType::Float64 | DType::Complex64
    );
    let id = assembly.name(name);
    let tensor = assembly.add_stored(id, dtype, &dims, data)?;
    let role = if is_learned { WeightRole::Weight } else { WeightRole::Constant };
    let elements = elements.unwrap_or_default();
    assembly.builder.stored_weights.push(StoredWeight { tensor, role, elements, dtype });
    Ok(())
}
